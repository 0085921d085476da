//! `cargo xtask page`: the page of `--html` in a real browser.
//!
//! Pages of small models are looked at as people would: filters, folds, waveforms, sorting, keys,
//! paper, light and dark; a name that is markup stays a name; a page of 5,000 mutants is there in
//! time. Anything on the console and any request to elsewhere fails, as does what axe-core calls
//! serious. Screenshots are left in `target/page` for people. The pictures of the README are checked to be
//! of today; `--pictures` makes them again.

mod browser;
mod many;
mod pictures;

use browser::Browser;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const USAGE: &str = "cargo xtask page [--binary FILE] [--pictures]";

/// What a page of 5,000 mutants may take.
const SOON: Duration = Duration::from_secs(2);

/// The checks of each page run in it and return what failed.
const CHECKS: &str = include_str!("checks.js");

/// Figure 4 of the paper, with its first property.
const DEMO2: &str = "node demo2 ( a1 , a2 : int )
returns ( Prop1 : bool ; b : int );
var
  d : bool;
let
  d = (a1 > 0);
  b = if d or (a2 < 0) then a1 else a2;
  Prop1 = (b = a1 or b = a2);
  --%PROPERTY Prop1;
tel;
";

const HOSTILE: &str = r#"node hostile(x : int) returns (y : int); -- </script><img src=x onerror=alert(1)>
let
  y = x + 1;
  --%PROPERTY "</script><img src=x onerror=window.hacked=1>" y > x;
  --%PROPERTY "<b onmouseover='window.hacked=1'>&amp; [[data]] <!--" y < x;
tel;
"#;

pub fn main(args: &[String]) -> Result<(), String> {
    let (pictures, args): (Vec<&String>, Vec<&String>) =
        args.iter().partition(|word| *word == "--pictures");
    let binary = match args[..] {
        [] => crate::bench::build()?,
        [flag, file] if flag == "--binary" => {
            let file = std::path::absolute(file);
            file.map_err(|error| error.to_string())?
        }
        _ => return Err(format!("usage: {USAGE}")),
    };
    if pictures.is_empty() {
        pictures::check(&root(), &binary)?;
    }
    let Some(name) = browser::find() else {
        println!("page: no chromium here, so the page was not tried in a browser");
        return Ok(());
    };
    let folder = root().join("target/page");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let folder = folder.canonicalize().map_err(failed)?;
    let mut browser = Browser::open(name, &folder.join("profile"))?;
    if !pictures.is_empty() {
        return pictures::write(&root(), &binary, &folder, &mut browser);
    }
    let visit = Visit {
        axe: axe(&folder),
        browser,
        folder,
        binary,
    };
    visit.all()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The script of axe-core, from npm when it is not here yet.
fn axe(folder: &Path) -> Option<String> {
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.exists() {
        let installed = Command::new("npm")
            .args(["install", "--silent", "--no-save", "--prefix"])
            .arg(folder)
            .arg("axe-core@4")
            .status();
        if !installed.is_ok_and(|status| status.success()) {
            println!("page: npm cannot install axe-core, so accessibility was not checked");
            return None;
        }
    }
    std::fs::read_to_string(script).ok()
}

struct Visit {
    browser: Browser,
    folder: PathBuf,
    binary: PathBuf,
    axe: Option<String>,
}

impl Visit {
    fn all(mut self) -> Result<(), String> {
        let examples = root().join("examples");
        self.small("demo2", DEMO2, &["mutate", "--mutators", "paper"])?;
        self.keys()?;
        self.paper()?;
        self.small("hostile", HOSTILE, &["check"])?;
        for (case, command) in [
            ("switch", &["check"][..]),
            ("cores", &["ivc", "--all"]),
            ("switch-mutated", &["mutate", "--matrix"]),
            ("pump", &["mutate"]),
        ] {
            let model = case.split('-').next().unwrap_or(case);
            let text = std::fs::read_to_string(examples.join(format!("{model}.lus")));
            let text = text.map_err(|error| format!("examples: {error}"))?;
            self.small(case, &text, command)?;
        }
        let beside = |names: &[&str]| names.iter().map(|name| examples.join(name)).collect();
        let some: Vec<PathBuf> = beside(&["blocked.lus", "switch.lus", "ring.smv", "token.aag"]);
        self.look("several", &some, &["check"])?;
        let both: Vec<PathBuf> = beside(&["pump.lus", "crossing.lus"]);
        self.look("both", &both, &["mutate"])?;
        let ring: Vec<PathBuf> = beside(&["ring.smv"]);
        self.look("ring", &ring, &["check"])?;
        self.look("covered", &ring, &["cover", "--gates"])?;
        self.nameless()?;
        self.many()
    }

    /// A page without a text, as that of a binary netlist.
    fn nameless(&mut self) -> Result<(), String> {
        let page = self.folder.join("nameless.html");
        many::write_without_text(&self.binary, &self.folder.join("demo2.lus"), &page)?;
        self.browser.show("light", "screen")?;
        self.browser.load(&page)?;
        self.check("nameless")?;
        self.picture("nameless-light")?;
        self.accessible("nameless")
    }

    /// Runs the tool on a text, and looks at the page.
    fn small(&mut self, case: &str, model: &str, command: &[&str]) -> Result<(), String> {
        let file = self.folder.join(format!("{case}.lus"));
        std::fs::write(&file, model).map_err(|error| error.to_string())?;
        self.look(case, &[file], command)
    }

    /// Runs the tool on files, and looks at the page in light and dark and on a phone.
    fn look(&mut self, case: &str, files: &[PathBuf], command: &[&str]) -> Result<(), String> {
        let page = self.folder.join(format!("{case}.html"));
        let output = Command::new(&self.binary)
            .args(command)
            .args(files)
            .arg("--html")
            .arg(&page)
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        // Found, or fine.
        if !matches!(output.status.code(), Some(0 | 10)) {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{case}: the run failed: {why}"));
        }
        self.browser.show("light", "screen")?;
        let time = self.browser.load(&page)?;
        self.check(case)?;
        for scheme in ["light", "dark"] {
            self.browser.show(scheme, "screen")?;
            self.picture(&format!("{case}-{scheme}"))?;
            self.accessible(&format!("{case}, {scheme}"))?;
        }
        self.phone(case)?;
        println!("page: {case} is fine, drawn in {} ms", time.as_millis());
        Ok(())
    }

    /// On a phone nothing sticks out, and everything can be reached.
    fn phone(&mut self, case: &str) -> Result<(), String> {
        self.browser.size(390, 844)?;
        self.browser.show("light", "screen")?;
        let wide = "document.documentElement.scrollWidth";
        let wide = self.browser.evaluate(wide)?.as_u64().unwrap_or(u64::MAX);
        if wide > 390 {
            return Err(format!("{case}: the page is {wide} wide on a phone"));
        }
        self.picture(&format!("{case}-phone"))?;
        self.accessible(&format!("{case}, on a phone"))?;
        self.browser.size(1280, 1600)
    }

    /// What checks.js says of a case, and what the browser complains about.
    fn check(&mut self, case: &str) -> Result<(), String> {
        let failed = self.browser.evaluate(&format!("{CHECKS}\nrun('{case}')"))?;
        let failed = failed.as_array().ok_or("the checks did not run")?.clone();
        if !failed.is_empty() || !self.browser.complaints.is_empty() {
            let complaints = self.browser.complaints.join("\n");
            return Err(format!("{case}: {failed:?}\n{complaints}"));
        }
        Ok(())
    }

    /// Serious and critical violations fail.
    fn accessible(&mut self, case: &str) -> Result<(), String> {
        let Some(axe) = &self.axe else {
            return Ok(());
        };
        self.browser.evaluate(&format!("{axe}\n;true"))?;
        let found = self.browser.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations
               .filter((one) => one.impact === 'serious' || one.impact === 'critical')
               .map((one) => `${one.id}: ${one.help}: ` + one.nodes.slice(0, 3).map((node) => node.html).join(' ')))",
        )?;
        match found.as_array().map(Vec::len) {
            Some(0) => Ok(()),
            _ => Err(format!("{case}: axe-core finds {found:#}")),
        }
    }

    /// A fold opens by the keyboard alone.
    fn keys(&mut self) -> Result<(), String> {
        self.browser
            .evaluate("document.querySelectorAll('#gaps summary')[3].focus()")?;
        const OPEN: &str = "document.activeElement.parentElement.open";
        let before = self.browser.evaluate(OPEN)?;
        self.browser.press("Enter", 13, "\r")?;
        let after = self.browser.evaluate(OPEN)?;
        match (before, after) {
            (before, after) if before == json!(false) && after == json!(true) => Ok(()),
            other => Err(format!("demo2: Enter opens no fold: {other:?}")),
        }
    }

    /// On paper every gap is open, and there is something to print.
    fn paper(&mut self) -> Result<(), String> {
        let paper = self.browser.call("Page.printToPDF", json!({}))?;
        if paper["data"]
            .as_str()
            .is_none_or(|data| data.len() < 10_000)
        {
            return Err("demo2: nothing to print".into());
        }
        self.check("printed")
    }

    fn many(&mut self) -> Result<(), String> {
        let page = self.folder.join("many.html");
        let count = many::write(&self.binary, &self.folder.join("demo2.lus"), &page)?;
        self.browser.show("light", "screen")?;
        // The first time counts, as it does for people.
        let time = self.browser.load(&page)?;
        self.check("many")?;
        for scheme in ["light", "dark"] {
            self.browser.show(scheme, "screen")?;
            self.picture(&format!("many-{scheme}"))?;
            self.accessible(&format!("many, {scheme}"))?;
        }
        self.phone("many")?;
        if time > SOON {
            let (time, soon) = (time.as_millis(), SOON.as_millis());
            return Err(format!(
                "{count} mutants: drawn after {time} ms, not within {soon}"
            ));
        }
        println!("page: {count} mutants are drawn in {} ms", time.as_millis());
        Ok(())
    }

    fn picture(&mut self, name: &str) -> Result<(), String> {
        let path = self.folder.join(format!("{name}.png"));
        let picture = decode(&self.browser.screenshot()?);
        std::fs::write(&path, picture).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Base64 as bytes; what is no digit is skipped.
fn decode(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0u32, 0);
    for digit in digits {
        held = held << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn pictures_are_decoded() {
        assert_eq!(super::decode("aGVsbG8="), b"hello");
        assert_eq!(super::decode("aGVsbA=="), b"hell");
    }
}
