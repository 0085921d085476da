//! A design without the labels of its assertions, for simulators that do not read them (Icarus Verilog 11).
//!
//! Labels are replaced by blanks, so that lines and columns stay. A name before a colon may be that of a case
//! instead, which the text mentions elsewhere, too; a label occurs once, or is known as a property.

const STATEMENTS: [&str; 4] = ["assert", "assume", "cover", "restrict"];

/// The text with blanks in the place of labels; nothing when it has none.
pub(super) fn without_labels(text: &str, is_property: impl Fn(&str) -> bool) -> Option<String> {
    let words = words(text);
    let mut plain = text.to_string();
    let mut found = false;
    for pair in words.windows(2) {
        let [(at, label), (behind, statement)] = [pair[0], pair[1]];
        let end = at + label.len();
        if !STATEMENTS.contains(&statement) || text[end..behind].trim() != ":" {
            continue;
        }
        let once = words.iter().filter(|(_, word)| *word == label).count() == 1;
        let is_name = label.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && (once || is_property(label)) {
            let blanks = text[at..behind].chars();
            let blanks: String = blanks
                .map(|c| if c.is_ascii_whitespace() { c } else { ' ' })
                .collect();
            plain.replace_range(at..behind, &blanks);
            found = true;
        }
    }
    found.then_some(plain)
}

/// The words with where they begin.
pub(super) fn words(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '\'';
    let base = text.as_ptr() as usize;
    let words = text.split(|c: char| !is_word(c));
    let words = words.filter(|word| !word.is_empty());
    words
        .map(|word| (word.as_ptr() as usize - base, word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_blanks_and_cases_stay() {
        let text = "always @* begin\n  low: assert (x < 3); // low\n  a :\n assume (y);\n\
            case (s) IDLE: assert (x); 2'b01: assert (y); endcase\nend IDLE\n";
        let plain = without_labels(text, |name| name == "low").unwrap();
        let expected = "always @* begin\n       assert (x < 3); // low\n     \n assume (y);\n\
            case (s) IDLE: assert (x); 2'b01: assert (y); endcase\nend IDLE\n";
        assert_eq!(plain, expected);
        assert_eq!(without_labels("assert (x);", |_| true), None);
    }
}
