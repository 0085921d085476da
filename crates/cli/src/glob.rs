//! Names by pattern: `*` is any text, `?` any character, everything else itself.

/// Whether the whole name matches.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    // Where to go on after the last `*` when what follows does not fit: it takes one more.
    let mut retry: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                at += 1;
                retry = Some((at, in_name + 1));
            }
            Some(c) if *c == '?' || *c == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => match retry {
                Some((after_star, longer)) => {
                    (at, in_name) = (after_star, longer);
                    retry = Some((after_star, longer + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_match() {
        let matching = [
            ("Prop1", "Prop1"),
            ("*", ""),
            ("*", "x"),
            ("P*1", "Prop1"),
            ("P*p*", "Prop1"),
            ("Prop?", "Prop1"),
            ("*a*ab", "aaaab"),
            ("timer~0.*", "timer~0.ok"),
            ("**", "é"),
        ];
        for (pattern, name) in matching {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        let others = [
            ("Prop1", "Prop"),
            ("Prop", "Prop1"),
            ("?", ""),
            ("P*2", "Prop1"),
            ("*a*ab", "aaaa"),
            ("", "x"),
        ];
        for (pattern, name) in others {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
