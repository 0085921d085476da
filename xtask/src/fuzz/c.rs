//! `cargo xtask fuzz c`: mutated files through the C front end, in this process; with `--native`, random programs
//! that gcc compiles and runs, and that must print the same here.
//!
//! Input number n of a seed is the same whatever the count, as long as the files are, so that a
//! failure is found again with `--seed` and `--skip`. A panic or a broken rule (see
//! [`try_c`]) is printed with its input and makes the exit code tell.

use super::files::{Front, fuzz};
use proofmark_audit::program::{Record, RunOptions, run_program};
use proofmark_lang::c::random::program;
use proofmark_lang::random::{Dice, mutate, try_c};
use proofmark_lang::{LANGUAGES, ProgramRequest};
use proofmark_model::program::{Bounds, Checks};
use proofmark_source::Sources;
use std::path::Path;
use std::process::Command;

pub const USAGE: &str =
    "fuzz c [--seed N] [--count INPUTS] [--skip INPUTS] | fuzz c --native [COUNT [SEED]]";

/// A random program takes fewer.
const MOST_STEPS: u64 = 10_000_000;

pub fn main(args: &[String]) -> Result<(), String> {
    if let Some((first, rest)) = args.split_first()
        && first == "--native"
    {
        let number = |at: usize, default: u64| {
            let given = rest.get(at).map(|text| text.parse::<u64>());
            given
                .transpose()
                .map_err(|error| error.to_string())
                .map(|one| one.unwrap_or(default))
        };
        return native(number(0, 100)?, number(1, 1)?);
    }
    let front = Front {
        usage: USAGE,
        folders: &["c/valid", "c/error"],
        shared: "c",
        mutate: |bytes, other, dice: &mut Dice| {
            let text = String::from_utf8_lossy(bytes);
            mutate(&text, &String::from_utf8_lossy(other), dice).into_bytes()
        },
        attempt: |bytes, dice| try_c(&String::from_utf8_lossy(bytes), dice),
    };
    fuzz(&front, args)
}

/// Compares what programs print here and natively.
fn native(count: u64, seed: u64) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("proofmark-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut differences = 0;
    for number in seed..seed + count {
        let mut dice = Dice(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..10 {
            dice.roll(2);
        }
        let text = program(&mut dice);
        let (here, there) = (interpreted(&text)?, compiled(&text, &folder)?);
        if here != there {
            differences += 1;
            println!("program {number}: here {here:?}, natively {there:?}\n{text}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{count} programs, {differences} differences");
    match differences {
        0 => Ok(()),
        _ => Err("programs print something else here".to_string()),
    }
}

fn interpreted(text: &str) -> Result<String, String> {
    let language = LANGUAGES
        .choose("random.c", None)
        .map_err(|error| error.to_string())?;
    let mut sources = Sources::default();
    let file = sources.add("random.c", text.to_string())?;
    let request = ProgramRequest {
        files: &[file],
        harness: &[],
        definitions: &[],
        includes: &[],
        entry: "main",
        mutators: None,
        read: &|_| None,
    };
    let reader = language.program.ok_or("no reader of programs")?;
    let (loaded, diagnostics) = (reader.load)(&mut sources, &request);
    let loaded = loaded.ok_or_else(|| format!("{diagnostics:?}\n{text}"))?;
    let (checks, bounds) = (Checks::default(), Bounds::all(1_000_000));
    let options = RunOptions {
        checks: &checks,
        bounds: &bounds,
        mutant: None,
        most_steps: MOST_STEPS,
        record: Record::Outcome,
    };
    let run = run_program(&loaded.program, &options, &mut |asked| vec![0; asked.bytes]);
    let wrong = match run.violations.is_empty() {
        true => String::new(),
        false => format!(" {:?}", run.violations),
    };
    Ok(format!("{}{wrong}", run.log))
}

fn compiled(text: &str, folder: &Path) -> Result<String, String> {
    let (source, binary) = (folder.join("a.c"), folder.join("a"));
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let built = Command::new("gcc")
        .args(["-std=gnu11", "-fwrapv", "-w", "-O0", "-o"])
        .args([&binary, &source])
        .output()
        .map_err(|error| format!("gcc: {error}"))?;
    if !built.status.success() {
        return Err(format!(
            "{}\n{text}",
            String::from_utf8_lossy(&built.stderr)
        ));
    }
    let ran = Command::new(&binary)
        .output()
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
