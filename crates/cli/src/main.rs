//! The program `proofmark`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words = std::env::args_os().collect();
    proofmark::run(words, proofmark_lang::LANGUAGES)
}
