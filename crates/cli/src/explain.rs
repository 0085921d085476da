//! `proofmark explain`: what a word of the reports means.

use crate::arguments::Explain;
use crate::exit::Exit;
use crate::{session, terminal};
use proofmark_report::{EXPLANATIONS, explain};
use proofmark_source::nearest;

pub fn run(arguments: &Explain) -> Exit {
    let words = || EXPLANATIONS.iter().map(|one| one.word);
    let all = words().collect::<Vec<_>>().join(", ");
    let Some(word) = &arguments.word else {
        return print(&format!(
            "`proofmark explain WORD` tells what a word means. The words are:\n{all}\n"
        ));
    };
    if let Some(found) = explain(word) {
        return print(&format!("{}\n\n{}\n", found.word, found.text));
    }
    let hint = match nearest(&word.to_uppercase(), words()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("known are: {all}"),
    };
    terminal::error(&format!("there is no explanation of `{word}`; {hint}"));
    Exit::Usage
}

fn print(text: &str) -> Exit {
    match session::print(text) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}
