//! `cargo xtask fuzz aiger`: mutated netlists through their front end, in this process.
//!
//! Input number n of a seed is the same whatever the count, as long as the files are, so that a
//! failure is found again with `--seed` and `--skip`. A panic or a broken rule (see
//! [`try_aiger`]) is printed with its input and makes the exit code tell.

use super::files::{Front, fuzz};
use proofmark_lang::random::{mutate_bytes, try_aiger};

pub const USAGE: &str = "fuzz aiger [--seed N] [--count INPUTS] [--skip INPUTS]";

pub fn main(args: &[String]) -> Result<(), String> {
    let front = Front {
        usage: USAGE,
        folders: &["aiger/valid", "aiger/invalid", "aiger/error"],
        shared: "aiger/hwmcc08",
        mutate: mutate_bytes,
        attempt: |bytes, _| try_aiger(bytes),
    };
    fuzz(&front, args)
}
