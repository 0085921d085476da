//! `cargo xtask fuzz btor2`: mutated files through the BTOR2 front end, in this process.
//!
//! Input number n of a seed is the same whatever the count, as long as the files are, so that a
//! failure is found again with `--seed` and `--skip`. A panic or a broken rule (see
//! [`try_btor2`]) is printed with its input and makes the exit code tell.

use super::files::{Front, fuzz};
use proofmark_lang::random::{Dice, mutate, try_btor2};

pub const USAGE: &str = "fuzz btor2 [--seed N] [--count INPUTS] [--skip INPUTS]";

pub fn main(args: &[String]) -> Result<(), String> {
    let front = Front {
        usage: USAGE,
        folders: &["btor2/valid", "btor2/invalid", "btor2/error"],
        shared: "btor2",
        mutate: |bytes, other, dice: &mut Dice| {
            let text = String::from_utf8_lossy(bytes);
            mutate(&text, &String::from_utf8_lossy(other), dice).into_bytes()
        },
        attempt: |bytes, dice| try_btor2(&String::from_utf8_lossy(bytes), dice),
    };
    fuzz(&front, args)
}
