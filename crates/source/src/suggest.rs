//! Did you mean: the known name that is nearest to a misspelt one.
//!
//! The distance is Damerau's in its restricted form: insertions, deletions, changes and swaps of
//! neighbours cost one each. A name is only offered when it is near enough to be a slip.

/// Names longer than this are not compared: the table is quadratic.
const LONGEST: usize = 64;

/// The candidate with the smallest distance to `name`, the first of several.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    // Every name of one letter is near every other.
    let allowed = match name.chars().count() {
        0 | 1 => 0,
        length => length.div_ceil(3).min(3),
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > allowed || candidate == name {
            continue;
        }
        let distance = distance(name, candidate);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Three rows of the table are alive: the one at hand and the two before it.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(!a[i - 1].eq_ignore_ascii_case(&b[j - 1]));
            let mut least = (last[j - 1] + change).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_and_a_far_one_is_not() {
        let names = ["counter", "count", "amount"];
        assert_eq!(nearest("coutn", names), Some("count"));
        assert_eq!(nearest("countr", names), Some("counter"));
        assert_eq!(nearest("Count", names), Some("count"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest("x", ["y", "X"]), Some("X"));
        assert_eq!(nearest("x", ["y", "z"]), None);
    }

    #[test]
    fn distances_count_slips_of_the_finger() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
