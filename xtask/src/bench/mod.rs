//! Benches: `cargo xtask bench smt`, `bench lustre`, `bench flip`, `bench ivc`, `bench mutate`,
//! `bench aiger`, `bench cover`, `bench smv`, `bench scale` and `bench against`. What they claim they print from one run.

mod against;
mod aiger;
mod aiger_file;
mod cover;
mod flip;
mod ivc;
mod lustre;
mod mutate;
mod process;
mod scale;
mod smt;
mod smv;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub fn usage() -> String {
    format!(
        "cargo xtask {}\n       cargo xtask {}\n       cargo xtask {}\n       cargo xtask {}\n       \
         cargo xtask {}\n       cargo xtask {}\n       cargo xtask {}\n       cargo xtask {}\n       cargo xtask {}\n       cargo xtask {}",
        smt::USAGE,
        lustre::USAGE,
        flip::USAGE,
        ivc::USAGE,
        mutate::USAGE,
        aiger::USAGE,
        cover::USAGE,
        against::USAGE,
        smv::USAGE,
        scale::USAGE
    )
}

pub fn main(args: &[String]) -> Result<(), String> {
    match args.split_first() {
        Some((what, rest)) if what == "smt" => smt::main(rest),
        Some((what, rest)) if what == "lustre" => lustre::main(rest),
        Some((what, rest)) if what == "flip" => flip::main(rest),
        Some((what, rest)) if what == "ivc" => ivc::main(rest),
        Some((what, rest)) if what == "mutate" => mutate::main(rest),
        Some((what, rest)) if what == "aiger" => aiger::main(rest),
        Some((what, rest)) if what == "cover" => cover::main(rest),
        Some((what, rest)) if what == "smv" => smv::main(rest),
        Some((what, rest)) if what == "scale" => scale::main(rest),
        Some((what, rest)) if what == "against" => against::main(rest),
        _ => Err(format!("usage: {}", usage())),
    }
}

/// Builds the binary for release; returns where it is.
pub fn build() -> Result<PathBuf, String> {
    let cargo = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "proofmark"])
        .status();
    if !cargo.is_ok_and(|status| status.success()) {
        return Err("the release build failed".into());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/proofmark"))
}

/// A set of benchmarks that lies beside the project.
pub fn shared(set: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/bench")
        .join(set)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
