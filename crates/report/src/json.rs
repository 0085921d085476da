//! Findings as JSON.

use crate::findings::Findings;

/// One document, with a newline at its end.
pub fn json(findings: &Findings) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(findings)?;
    text.push('\n');
    Ok(text)
}
