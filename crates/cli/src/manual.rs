//! `proofmark completions` and `proofmark man`: what clap knows of the arguments, for shells and for
//! `man`.

use crate::arguments::{Arguments, Completions, Manual};
use crate::exit::Exit;
use crate::{session, terminal};
use clap::CommandFactory;
use proofmark_source::nearest;

pub fn completions(arguments: &Completions) -> Exit {
    let mut bytes = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "proofmark", &mut bytes);
    print(&String::from_utf8_lossy(&bytes))
}

/// The page of the whole, or that of one command.
pub fn manual(arguments: &Manual) -> Exit {
    let mut whole = Arguments::command();
    // What is given to every command is known to each from here on.
    whole.build();
    let page = match &arguments.command {
        None => whole,
        Some(name) => {
            let names: Vec<String> = whole
                .get_subcommands()
                .map(|one| one.get_name().to_string())
                .collect();
            let Some(command) = whole.find_subcommand(name) else {
                let hint = match nearest(name, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("there are: {}", names.join(", ")),
                };
                terminal::error(&format!("no command is named `{name}`; {hint}"));
                return Exit::Usage;
            };
            command.clone()
        }
    };
    let mut bytes = Vec::new();
    if let Err(error) = clap_mangen::Man::new(page).render(&mut bytes) {
        terminal::error(&format!("cannot write the manual: {error}"));
        return Exit::Internal;
    }
    print(&String::from_utf8_lossy(&bytes))
}

fn print(text: &str) -> Exit {
    match session::print(text) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}
