//! `proofmark convert`: writes a finite design as a netlist, in the format that the name of the result tells.

use crate::arguments::Convert;
use crate::exit::Exit;
use crate::translate::Request;
use crate::{input, outputs, session, terminal, translate};
use proofmark_lang::{Design, Language, Languages, Options, UnknownLanguage};
use proofmark_model::graph::{Blasted, Netlist, bit_blast};
use proofmark_source::Sources;
use std::path::Path;

pub fn run(arguments: &Convert, languages: Languages) -> Exit {
    match attempt(arguments, languages) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}

/// What ends a run early has been printed.
fn attempt(arguments: &Convert, languages: Languages) -> Result<(), Exit> {
    let unknown = |error: UnknownLanguage| {
        terminal::error(&error.to_string());
        Exit::Usage
    };
    let to = languages.choose(&arguments.output, None).ok();
    let Some(write) = to.and_then(|to| to.write_netlist) else {
        let known = languages.0.iter().filter(|one| one.write_netlist.is_some());
        let endings = known.flat_map(|one| one.extensions);
        let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
        terminal::error(&format!(
            "`convert` writes netlists, in files that end in {}, and not {}",
            endings.join(" or "),
            arguments.output
        ));
        return Err(Exit::Usage);
    };
    outputs::check_file(Path::new(&arguments.output)).map_err(|error| {
        terminal::error(&format!("cannot write {}: {error}", arguments.output));
        Exit::Usage
    })?;
    let mut sources = Sources::default();
    let file = input::read(&arguments.file, &mut sources)?;
    let named = arguments.language.as_deref();
    let from = languages.choose(&arguments.file, named).map_err(unknown)?;
    let request = Request {
        file: &arguments.file,
        main: arguments.main.as_deref(),
        includes: &arguments.include,
    };
    let (from, file) = translate::resolve(languages, (from, file), &request, &mut sources)?;
    let options = Options {
        main: arguments.main.clone(),
        ..Options::default()
    };
    let (design, diagnostics) = (from.load)(&sources, file, &options);
    session::tell(&diagnostics, &sources);
    let netlist = match design.ok_or(Exit::Input)? {
        Design::Netlist(netlist) => netlist,
        Design::Words(loaded) => {
            let lowered = session::lower_model(&loaded.model, &sources)?;
            let left_out = lowered.system.specifications().len();
            if left_out > 0 {
                terminal::warning(&format!(
                    "{left_out} specifications of whole runs are left out: a netlist has bad signals only"
                ));
            }
            blast(&lowered.system, from)?
        }
    };
    let ending = Path::new(&arguments.output).extension();
    let ending = ending.map(|ending| ending.to_string_lossy().to_lowercase());
    let bytes = write(&netlist, &ending.unwrap_or_default());
    outputs::replace(Path::new(&arguments.output), &bytes).map_err(|error| {
        terminal::error(&format!("cannot write {}: {error}", arguments.output));
        Exit::Internal
    })
}

/// The netlist of a word-level model.
fn blast(system: &proofmark_model::System, from: &Language) -> Result<Netlist, Exit> {
    let Blasted { netlist, map } = bit_blast(system).map_err(|error| {
        let name = from.name;
        terminal::error(&format!("this {name} model is not finite: {error}"));
        Exit::Input
    })?;
    if map.may_overflow() {
        terminal::warning(
            "integers have the widths of their declared ranges; what is bad is also bad where a value \
             does not fit",
        );
    }
    Ok(netlist)
}
