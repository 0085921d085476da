//! The values of literals: integers, characters and strings.

/// An integer as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integer {
    pub value: u128,
    /// `u`.
    pub unsigned: bool,
    /// How many `l`.
    pub longs: u8,
    pub decimal: bool,
}

/// The value of an integer, or what is wrong with it.
pub(super) fn integer(text: &str) -> Result<Integer, String> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let end = digits.find(|one: char| !one.is_digit(radix.max(10)));
    let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
    let wrong = || format!("`{text}` is no number");
    let (unsigned, longs) = suffix_of(suffix).ok_or_else(wrong)?;
    let value = u128::from_str_radix(digits, radix).map_err(|_| wrong())?;
    if value > u128::from(u64::MAX) {
        return Err(format!("`{text}` does not fit in 64 bits"));
    }
    Ok(Integer {
        value,
        unsigned,
        longs,
        decimal: radix == 10,
    })
}

fn suffix_of(suffix: &str) -> Option<(bool, u8)> {
    let unsigned = suffix.contains('u');
    let longs = suffix.replacen('u', "", 1);
    match longs.as_str() {
        "" => Some((unsigned, 0)),
        "l" => Some((unsigned, 1)),
        "ll" if suffix != "lul" => Some((unsigned, 2)),
        _ => None,
    }
}

/// Whether a number is one of floating point.
pub(super) fn is_float(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    match lower.starts_with("0x") {
        true => lower.contains(['.', 'p']),
        false => !lower.starts_with("0b") && lower.contains(['.', 'e']),
    }
}

/// The value of a character constant, or what is wrong with it.
pub(super) fn character(text: &str) -> Result<i64, String> {
    let (prefix, within) = split(text);
    let units = units(within, prefix)?;
    match (units.as_slice(), prefix) {
        ([], _) => Err("an empty character constant".to_string()),
        ([one], "") => Ok(i64::from(*one as u8 as i8)),
        ([one], _) => Ok(i64::from(*one as i32)),
        // Several characters make an `int`, the last of them lowest.
        (several, "") if several.len() <= 4 => {
            let value = several
                .iter()
                .fold(0u32, |value, unit| value << 8 | unit & 0xff);
            Ok(i64::from(value as i32))
        }
        _ => Err("a character constant of too many characters".to_string()),
    }
}

/// The characters of a string literal, without the zero at its end, and its prefix.
pub(super) fn string(text: &str) -> Result<(Vec<u32>, &str), String> {
    let (prefix, within) = split(text);
    Ok((units(within, prefix)?, prefix))
}

/// The prefix, and what is between the quotes.
fn split(text: &str) -> (&str, &str) {
    let quote = text.find(['"', '\'']).unwrap_or(0);
    let within = text.get(quote + 1..text.len().saturating_sub(1));
    (&text[..quote], within.unwrap_or(""))
}

/// Code units: bytes of UTF-8, or characters where the prefix makes them wide.
fn units(text: &str, prefix: &str) -> Result<Vec<u32>, String> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first == '\\' {
            let (unit, behind) = escape(rest)?;
            let named = rest.starts_with(['u', 'U']) && matches!(prefix, "" | "u8");
            match char::from_u32(unit).filter(|_| named) {
                Some(character) => {
                    let mut bytes = [0; 4];
                    let bytes = character.encode_utf8(&mut bytes).bytes();
                    units.extend(bytes.map(u32::from));
                }
                None => units.push(unit),
            }
            rest = behind;
        } else if matches!(prefix, "" | "u8") {
            let mut bytes = [0; 4];
            units.extend(first.encode_utf8(&mut bytes).bytes().map(u32::from));
        } else {
            units.push(first as u32);
        }
    }
    Ok(units)
}

/// What stands behind a backslash.
fn escape(rest: &str) -> Result<(u32, &str), String> {
    let first = rest.chars().next().unwrap_or('\\');
    let behind = rest.get(first.len_utf8()..).unwrap_or("");
    let plain = match first {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' => 27,
        '\\' | '\'' | '"' | '?' => first as u32,
        'x' => return digits(behind, 16, 8),
        'u' => return digits(behind, 16, 4),
        'U' => return digits(behind, 16, 8),
        '0'..='7' => return digits(rest, 8, 3),
        other => return Err(format!("there is no escape `\\{}`", other.escape_debug())),
    };
    Ok((plain, behind))
}

fn digits(text: &str, radix: u32, most: usize) -> Result<(u32, &str), String> {
    let end = text.find(|one: char| !one.is_digit(radix));
    let end = end.unwrap_or(text.len()).min(most);
    let value = u32::from_str_radix(&text[..end], radix);
    let value = value.map_err(|_| "expected digits behind the backslash".to_string())?;
    Ok((value, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_a_base_and_a_suffix() {
        let value = |text| integer(text).map(|one| (one.value, one.unsigned, one.longs));
        assert_eq!(value("0"), Ok((0, false, 0)));
        assert_eq!(value("017"), Ok((15, false, 0)));
        assert_eq!(value("0xFfUL"), Ok((255, true, 1)));
        assert_eq!(value("0b101"), Ok((5, false, 0)));
        assert_eq!(value("42llU"), Ok((42, true, 2)));
        for wrong in ["08", "1lul", "12ab", "0x", "99999999999999999999999"] {
            assert!(integer(wrong).is_err(), "{wrong}");
        }
        assert!(is_float("1.5") && is_float("1e3") && is_float("0x1p3"));
        assert!(!is_float("0x1e3") && !is_float("13"));
    }

    #[test]
    fn characters_and_strings_have_escapes() {
        assert_eq!(character("'a'"), Ok(97));
        assert_eq!(character("'\\xff'"), Ok(-1));
        assert_eq!(character("'\\0'"), Ok(0));
        assert_eq!(character("'\\''"), Ok(39));
        assert_eq!(character("'ab'"), Ok(0x6162));
        assert_eq!(character("L'é'"), Ok(0xe9));
        assert!(character("''").is_err() && character("'\\q'").is_err());
        assert_eq!(string("\"a\\n\\101\""), Ok((vec![97, 10, 65], "")));
        assert_eq!(string("\"\\u0201\"").map(|(units, _)| units.len()), Ok(2));
        assert_eq!(string("\"é\"").map(|(units, _)| units.len()), Ok(2));
    }
}
