//! `proofmark init`: a `proofmark.toml` to begin with, every setting explained and none made.

use crate::arguments::Init;
use crate::config::NAME;
use crate::exit::Exit;
use crate::{session, terminal};

/// What is written. A line that begins with `# ` and a word and `=` is a setting to uncomment.
const TEMPLATE: &str = r#"# Settings of Proofmark for the models in this folder and below.
#
# Every option of the command line has its long name here; `proofmark help mutate` lists them. The
# command line wins over this file, --no-config leaves it. Paths are seen from where you run it.

# For every command that has the option.
# timeout = 60
# jobs = 2

# For one command.
[check]
# smooth = true
# junit = "proofs.xml"

[ivc]
# minimal = true
# must = true
# lcov = "proofs.info"

[mutate]
# Which small faults: a set (paper, jkind, default, all), names, "+name" and "-name".
# mutators = "default"
# What the properties have to notice of them: below this share the run fails with exit 10. While
# something is unknown the score is an interval, and its lower end counts.
# min-score = 0.9
# sarif = "gaps.sarif"

# For some models, by their path from this file: `*` is any text, `?` any character.
# [[file]]
# match = "models/slow/*.lus"
# timeout = 600
#
# [file.mutate]
# min-score = 0.75

# A fault that may stay unnoticed, by the id that `proofmark mutate --json` prints, and why. One
# that names no mutant is an error: the model has changed, and the reason may be gone.
# [[suppress]]
# mutant = "tank/alarm#g2ge#1"
# reason = "the alarm is for display only"
# file = "tank.lus"
"#;

pub fn run(arguments: &Init) -> Exit {
    let path = arguments.folder.join(NAME);
    if !arguments.folder.is_dir() {
        let folder = arguments.folder.display();
        terminal::error(&format!("there is no folder {folder}; make it first"));
        return Exit::Usage;
    }
    if path.exists() && !arguments.force {
        let path = path.display();
        terminal::error(&format!("{path} is there already; --force replaces it"));
        return Exit::Usage;
    }
    match session::write_file(&path, TEMPLATE) {
        Ok(()) => {
            let told = session::print(&format!("wrote {}\n", path.display()));
            told.map_or_else(|exit| exit, |()| Exit::Fine)
        }
        Err(exit) => exit,
    }
}
