//! Mutants of a program: changes of the text, read again, and put into the original as variants.
//!
//! ```text
//!  text ─operators─▶ edits ─read─▶ program ─rename─▶ the original's names ─merge─▶ variants
//! ```
//!
//! A mutant is what its text means: the whole program is read with the edits made. What does not compile is
//! invalid; what means the same is the original; what changes more than bodies (a global, a layout, a signature)
//! stays a program of its own.

mod merge;
mod operators;
mod rename;
mod same;

use super::Read;
use crate::program::{LoadedProgram, MutantForm, ProgramMutant, ProgramRequest};
use merge::{merged, same_bodies};
use operators::Mutation;
pub(super) use operators::Set;
use proofmark_model::program::{FunctionId, MutantId, Program, Statement};
use proofmark_source::{Diagnostic, Edits, FileId, Severity, Sources, Span, nearest};
use rename::{Names, Places, renamed};
use rustc_hash::FxHashMap;

/// The sets of mutators.
pub(super) const SETS: &[(&str, &str)] = &[
    (
        "default",
        "what stands for a mistake and seldom means the same program",
    ),
    (
        "andrews",
        "as the tool of Andrews, Briand and Labiche makes them, by line",
    ),
];

impl Set {
    pub fn named(name: &str) -> Option<Set> {
        match name {
            "default" => Some(Set::Default),
            "andrews" => Some(Set::Andrews),
            _ => None,
        }
    }
}

/// What is said of a set that is not there.
pub(super) fn unknown_set(file: FileId, request: &ProgramRequest<'_>) -> Diagnostic {
    let name = request.mutators.unwrap_or("");
    let names: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
    let near = nearest(name, names.iter().copied());
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the sets are {}", names.join(" and ")),
    };
    let message = format!("there is no set of mutators `{name}`");
    Diagnostic::error(Span::new(file, 0, 0), message).with_hint(hint)
}

/// Bodies of mutants, by function.
type Bodies = FxHashMap<FunctionId, Vec<(MutantId, Vec<Statement>)>>;

/// The program with all its mutants.
pub(super) fn loaded(
    sources: &Sources,
    request: &ProgramRequest<'_>,
    read: Read,
    set: Set,
) -> LoadedProgram {
    let Read { program, functions } = read;
    let names = Names::of(&program);
    let mut campaign = Campaign {
        sources,
        request,
        base: program.clone(),
        program,
        names,
        bodies: Bodies::default(),
    };
    let mut mutants = Vec::new();
    for file in request.files {
        for mutation in operators::mutations(sources, *file, set) {
            let form = campaign.form(*file, &mutation.edits);
            mutants.push(mutant(mutation, form, &functions));
        }
    }
    let program = campaign.finished();
    LoadedProgram { program, mutants }
}

fn mutant(mutation: Mutation, form: MutantForm, functions: &[(String, Span)]) -> ProgramMutant {
    let place = mutation.place;
    let around = functions.iter().find(|(_, span)| {
        span.file == place.file && span.start <= place.start && place.end <= span.end
    });
    ProgramMutant {
        mutator: mutation.operator,
        edits: mutation.edits,
        place,
        function: around.map_or(String::new(), |(name, _)| name.clone()),
        original: mutation.original,
        replacement: mutation.replacement,
        form,
    }
}

struct Campaign<'a> {
    sources: &'a Sources,
    request: &'a ProgramRequest<'a>,
    /// The original as it was read.
    base: Program,
    /// The same with the variables and loops of mutants.
    program: Program,
    names: Names,
    bodies: Bodies,
}

impl Campaign<'_> {
    /// Reads a mutant and finds what it is to the original.
    fn form(&mut self, file: FileId, edits: &Edits) -> MutantForm {
        let text = edits.apply(self.sources.file(file).text());
        let mut sources = self.sources.clone();
        if sources.replace(file, text).is_err() {
            return MutantForm::Invalid("the text is too long".to_string());
        }
        let (read, diagnostics) = super::read(&mut sources, self.request);
        let Some(read) = read else {
            let mut errors = diagnostics.into_iter();
            let first = errors.find(|one| one.severity == Severity::Error);
            return MutantForm::Invalid(first.map_or(String::new(), |one| one.message));
        };
        let whole = read.program;
        let places = Places { edits };
        let mut program = self.program.clone();
        let Ok(bodies) = renamed(&mut program, &self.names, whole.clone(), &places) else {
            return MutantForm::Alone(Box::new(whole));
        };
        let changed = bodies.into_iter().filter(|(id, body)| {
            let base = self.base.function(*id).body.as_deref().unwrap_or_default();
            !same_bodies(base, body)
        });
        let changed: Vec<(FunctionId, Vec<Statement>)> = changed.collect();
        if changed.is_empty() {
            return MutantForm::Same;
        }
        self.program = program;
        let mutant = MutantId(self.program.mutants);
        self.program.mutants += 1;
        for (id, body) in changed {
            self.bodies.entry(id).or_default().push((mutant, body));
        }
        MutantForm::Variant(mutant)
    }

    fn finished(self) -> Program {
        let mut program = self.program;
        for (id, bodies) in &self.bodies {
            let base = self.base.function(*id).body.as_deref().unwrap_or_default();
            let bodies: Vec<_> = bodies
                .iter()
                .map(|(mutant, body)| (*mutant, body.as_slice()))
                .collect();
            program.functions[id.0 as usize].body = Some(merged(base, &bodies));
        }
        program
    }
}

#[cfg(test)]
mod tests;
