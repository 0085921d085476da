//! The change of a mutant in one line.
//!
//! A mutation of a small part may be shown as the change of the whole around it, twice the same text
//! but for a word. Where there is no room for that, what both have in common is left out at both ends.

use crate::findings::MutantFinding;
use crate::text::Style;

const BECOMES: &str = " becomes ";

/// `>= becomes >`, in so much room, in characters.
pub fn change(mutant: &MutantFinding, room: usize, style: &Style) -> String {
    let whole = format!("{}{BECOMES}{}", mutant.original, mutant.replacement);
    if whole.chars().count() <= room {
        return whole;
    }
    let (original, replacement) = differing(&mutant.original, &mutant.replacement, style);
    let room = room.saturating_sub(BECOMES.len());
    let (before, after) = (original.chars().count(), replacement.chars().count());
    // The shorter one may leave room to the longer one.
    let half = room / 2;
    let (left, right) = match (before <= half, after <= half) {
        (true, _) => (before, room.saturating_sub(before)),
        (false, true) => (room.saturating_sub(after), after),
        (false, false) => (half, room - half),
    };
    let (original, replacement) = (style.cut(&original, left), style.cut(&replacement, right));
    format!("{original}{BECOMES}{replacement}")
}

/// Both texts without the words that they begin and end with alike, but never without all words.
fn differing(one: &str, other: &str, style: &Style) -> (String, String) {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_string).collect() };
    let (one, other) = (words(one), words(other));
    let most = one.len().min(other.len()).saturating_sub(1);
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let begin = same.min(most);
    let ends = one.iter().rev().zip(other.iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count().min(most - begin);
    let middle = |words: &[String]| {
        let kept = words[begin..words.len() - end].join(" ");
        let head = if begin > 0 { style.ellipsis() } else { "" };
        let tail = if end > 0 { style.ellipsis() } else { "" };
        format!("{head}{kept}{tail}")
    };
    (middle(&one), middle(&other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn shown(original: &str, replacement: &str, room: usize) -> String {
        let mutant = MutantFinding {
            original: original.into(),
            replacement: replacement.into(),
            ..samples::mutant("gap")
        };
        let style = Style {
            width: 80,
            colour: false,
            quiet: false,
        };
        change(&mutant, room, &style)
    }

    #[test]
    fn a_change_that_fits_is_shown_as_it_is() {
        assert_eq!(shown("a or b", "a xor b", 40), "a or b becomes a xor b");
    }

    #[test]
    fn of_a_long_change_the_words_that_differ_are_shown() {
        let original = "if not holds then 0 else if before < ceiling then before + 1 else before";
        let replacement = "if true then 0 else if before < ceiling then before + 1 else before";
        let short = shown(original, replacement, 40);
        assert_eq!(short, "...not holds... becomes ...true...");
    }

    #[test]
    fn a_word_that_is_added_leaves_something_on_the_other_side() {
        let long = "one_thing and another_thing and the_last";
        let short = shown(long, &format!("{long} or more"), 48);
        assert_eq!(short, "...the_last becomes ...the_last or more");
    }

    #[test]
    fn what_differs_everywhere_is_cut() {
        let short = shown(&"x".repeat(100), &"y".repeat(100), 40);
        assert!(short.chars().count() <= 40, "{short}");
        assert!(short.contains("x... becomes y"), "{short}");
    }
}
