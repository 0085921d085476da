//! The pictures of the README, made from an example: what `mutate` prints, and its page.
//!
//! Whatever they are made from may change, and a picture does not say so. So the text is drawn again and
//! compared each time; a screenshot differs from machine to machine, and beside it stands a hash of what
//! it shows: the scripts and the style of the page, and the verdict on every mutant.

use super::browser::Browser;
use proofmark_report::Findings;
use proofmark_source::sha256;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLE: &str = "examples/pump.lus";
const COLUMNS: usize = 100;
const LINE: usize = 18;
const AGAIN: &str = "make it again with `cargo xtask page --pictures`";

fn images(root: &Path) -> PathBuf {
    root.join("docs/images")
}

/// Fails when a picture is not of today.
pub fn check(root: &Path, binary: &Path) -> Result<(), String> {
    let wanted = [
        ("terminal.svg", terminal(root, binary)?),
        ("page.sha256", shown_by_page(root, binary)?),
    ];
    for (name, wanted) in wanted {
        let found = std::fs::read_to_string(images(root).join(name)).unwrap_or_default();
        if found.trim() != wanted.trim() {
            return Err(format!("docs/images/{name} is not of today: {AGAIN}"));
        }
    }
    match images(root).join("page.png").exists() {
        true => Ok(()),
        false => Err(format!("there is no docs/images/page.png: {AGAIN}")),
    }
}

/// Makes the pictures; the browser shows the page of the example.
pub fn write(
    root: &Path,
    binary: &Path,
    folder: &Path,
    browser: &mut Browser,
) -> Result<(), String> {
    let page = folder.join("picture.html");
    run(root, binary, &["--html", &page.display().to_string()])?;
    browser.size(1200, 1500)?;
    browser.show("light", "screen")?;
    browser.load(&page)?;
    let picture = super::decode(&browser.screenshot()?);
    let files = [
        ("page.png", picture),
        ("page.sha256", shown_by_page(root, binary)?.into_bytes()),
        ("terminal.svg", terminal(root, binary)?.into_bytes()),
    ];
    let images = images(root);
    let failed = |error: std::io::Error| format!("{}: {error}", images.display());
    std::fs::create_dir_all(&images).map_err(failed)?;
    for (name, content) in files {
        std::fs::write(images.join(name), content).map_err(failed)?;
    }
    Ok(())
}

/// What `mutate` prints on the example. One job at a time gives the same text each time.
fn run(root: &Path, binary: &Path, options: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new(binary)
        .args(["mutate", "--jobs", "1", EXAMPLE])
        .args(options)
        .current_dir(root)
        .env("COLUMNS", COLUMNS.to_string())
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    match output.status.code() {
        Some(10) => Ok(output.stdout),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// A hash of what the page of the example shows.
fn shown_by_page(root: &Path, binary: &Path) -> Result<String, String> {
    let findings: Findings = serde_json::from_slice(&run(root, binary, &["--json"])?)
        .map_err(|error| error.to_string())?;
    let parts = root.join("crates/report/src/html");
    let entries = std::fs::read_dir(&parts).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|one| one != "rs"));
    files.sort();
    let mut shown = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        shown.push_str(&text.replace("\r\n", "\n"));
    }
    for mutant in &findings.mutants {
        // Writing to a string does not fail.
        let _ = writeln!(shown, "{} {}", mutant.id, mutant.verdict.as_str());
    }
    Ok(sha256(shown.as_bytes()) + "\n")
}

/// What is printed, as a picture; without the last paragraph, which tells how long it took.
fn terminal(root: &Path, binary: &Path) -> Result<String, String> {
    let text = String::from_utf8(run(root, binary, &[])?).map_err(|error| error.to_string())?;
    let text = text.trim_end();
    let text = text.rsplit_once("\n\n").map_or(text, |(before, _)| before);
    Ok(drawn(&format!("$ proofmark mutate {EXAMPLE}\n{text}")))
}

fn drawn(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (width, height) = (COLUMNS * 8 + 32, lines.len() * LINE + 36);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>What proofmark mutate prints on {EXAMPLE}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1b1f25\"/>\n\
         <g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"13\" fill=\"#e7e6e1\">\n"
    );
    for (at, line) in lines.iter().enumerate() {
        let y = 30 + at * LINE;
        let look = look(line);
        let line = escaped(&cut(line));
        // Writing to a string does not fail.
        let _ = writeln!(svg, "<text x=\"16\" y=\"{y}\"{look}>{line}</text>");
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// What is a heading looks like one.
fn look(line: &str) -> &'static str {
    let is_group = line.contains(" slip through ");
    match line.split(' ').next().unwrap_or_default() {
        "$" => " fill=\"#6fd08c\"",
        "score" => " fill=\"#e8b755\" font-weight=\"700\"",
        "gaps:" | "add" | "assumptions" => " font-weight=\"700\"",
        _ if is_group => " fill=\"#f7a072\"",
        _ => "",
    }
}

fn cut(line: &str) -> String {
    match line.chars().count() > COLUMNS {
        true => line.chars().take(COLUMNS - 1).chain(['…']).collect(),
        false => line.into(),
    }
}

/// Text that is only text. Its spaces stay: viewers would make one of several.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace(' ', "\u{a0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_text_has_every_line_escaped_and_cut() {
        let long = "x".repeat(COLUMNS + 1);
        let svg = drawn(&format!("$ a\nb < c & d\n{long}"));
        assert_eq!(svg.matches("<text ").count(), 3);
        assert!(svg.contains(">b\u{a0}&lt;\u{a0}c\u{a0}&amp;\u{a0}d<"));
        assert!(svg.contains(&format!(">{}…<", "x".repeat(COLUMNS - 1))));
    }
}
