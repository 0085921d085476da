//! `proofmark schema`: the contract of `--json`, for tools that check or generate.

use crate::exit::Exit;
use crate::{session, terminal};

pub fn run() -> Exit {
    let text = match proofmark_report::schema() {
        Ok(text) => text,
        Err(error) => {
            terminal::error(&format!("cannot write the schema: {error}"));
            return Exit::Internal;
        }
    };
    match session::print(&text) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}
