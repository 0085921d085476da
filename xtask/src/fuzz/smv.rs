//! `cargo xtask fuzz smv`: mutated files through the SMV front end, in this process.
//!
//! Input number n of a seed is the same whatever the count, as long as the files are, so that a
//! failure is found again with `--seed` and `--skip`. A panic or a broken rule (see
//! [`try_smv`]) is printed with its input and makes the exit code tell.

use super::files::{Front, fuzz};
use proofmark_lang::random::{Dice, mutate, try_smv};

pub const USAGE: &str = "fuzz smv [--seed N] [--count INPUTS] [--skip INPUTS]";

pub fn main(args: &[String]) -> Result<(), String> {
    let front = Front {
        usage: USAGE,
        folders: &["smv/valid", "smv/invalid", "smv/error"],
        shared: "smv/models",
        mutate: |bytes, other, dice: &mut Dice| {
            let text = String::from_utf8_lossy(bytes);
            mutate(&text, &String::from_utf8_lossy(other), dice).into_bytes()
        },
        attempt: |bytes, dice| try_smv(&String::from_utf8_lossy(bytes), dice),
    };
    fuzz(&front, args)
}
