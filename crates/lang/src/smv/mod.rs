//! SMV as NuSMV 2.6 reads it: finite models of modules, assignments and constraints, with specifications
//! in CTL, LTL and as invariants.
//!
//! ```text
//!  text ─lexer─▶ parser ─▶ modules ─scope─▶ instances ─elaborate─▶ typed trees ─flatten─▶ model
//!                                                                       └─▶ doubts: settled, or said
//! ```
//!
//! A state is the values of the variables of VAR and FROZENVAR; those of IVAR label steps, so that a step
//! reads their values before it. `x := e` holds in every state, INVAR as well, `init(x) := e` and INIT in
//! the first, `next(x) := e` and TRANS at every step, between the state before it and the one behind it.
//! A DEFINE is a name for an expression wherever it is read. Processes take turns by an input that says
//! who moves; they are read with a warning.
//!
//! ```
//! use proofmark_lang::{Design, LANGUAGES, Options};
//! use proofmark_source::Sources;
//!
//! let text = "MODULE main VAR n : 0..3; ASSIGN init(n) := 0; next(n) := (n + 1) mod 4; INVARSPEC n < 4";
//! let mut sources = Sources::default();
//! let file = sources.add("count.smv", text.into()).unwrap();
//! let language = LANGUAGES.choose("count.smv", None)?;
//! let (design, diagnostics) = (language.load)(&sources, file, &Options::default());
//! assert!(diagnostics.is_empty(), "{diagnostics:?}");
//! let model = design.and_then(Design::words).unwrap().model;
//! assert_eq!(model.goals[0].name, "n < 4");
//! assert_eq!((language.expression)(&model.equations[1].tree), "((n + 1) mod 4)");
//! # Ok::<(), proofmark_lang::UnknownLanguage>(())
//! ```

mod doubts;
mod elaborate;
mod flatten;
mod lexer;
mod maker;
mod merge;
mod operators;
mod parser;
mod print;
mod scope;
mod specification;
mod syntax;
mod value;

use crate::language::{Design, Language, LoadResult, Loaded, Observable, Options};
use elaborate::Elaborator;
use flatten::Flattener;
use proofmark_model::{Expr, Symbol};
use proofmark_source::{Diagnostic, FileId, Severity, Sources, Span, nearest};
use rustc_hash::FxHashSet;
use scope::World;
use syntax::Module;
use value::Domain;

/// SMV.
pub static LANGUAGE: Language = Language {
    name: "smv",
    extensions: &["smv"],
    load,
    expression: print::expression,
    property,
    rewriter: None,
    unmutated: Some(UNMUTATED),
    observable: Observable::States,
    merge: Some(merge::merge),
    part: None,
    write_netlist: None,
    witness: None,
    word_witness: None,
    simulator_test: None,
    translator: None,
    program: None,
};

/// A mutant may leave a range or lose a case, which makes it no model, and specifications of runs would
/// have to kill it, too.
const UNMUTATED: &str = "SMV models have no mutants yet";

fn property(name: &str, tree: &Expr) -> String {
    let plain = name
        .chars()
        .all(|one| one.is_ascii_alphanumeric() || one == '_');
    let begins = name.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_');
    let text = print::expression(tree);
    match plain && begins && !lexer::is_reserved(name) {
        true => format!("INVARSPEC NAME {name} := {text};"),
        false => format!("INVARSPEC {text};"),
    }
}

fn load(sources: &Sources, file: FileId, options: &Options) -> LoadResult {
    let (loaded, diagnostics) = read(sources, file, options);
    (loaded.map(Design::Words), diagnostics)
}

/// Reads a file. There is a model exactly when no diagnostic is an error.
pub fn read(
    sources: &Sources,
    file: FileId,
    options: &Options,
) -> (Option<Loaded>, Vec<Diagnostic>) {
    let text = match sources.decode(file) {
        Ok(text) => text,
        Err(fault) => return (None, vec![fault]),
    };
    let mut diagnostics = Vec::new();
    let modules = parser::parse(text, file, &mut diagnostics);
    check_modules(&modules, &mut diagnostics);
    let wanted = options.main.as_deref().unwrap_or("main");
    let main = main_module(&modules, wanted, file, &mut diagnostics);
    let loaded = match main {
        Some(main) if !is_wrong(&diagnostics) => build(&modules, main, text, &mut diagnostics),
        _ => None,
    };
    let diagnostics = unique(diagnostics);
    let wrong = is_wrong(&diagnostics);
    (loaded.filter(|_| !wrong), diagnostics)
}

fn is_wrong(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|one| one.severity == Severity::Error)
}

/// What is wrong in a module is found in each of its instances, and told once.
fn unique(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    let mut kept = diagnostics;
    kept.retain(|one| seen.insert((one.span.start, one.span.end, one.message.clone())));
    kept.sort_by_key(|one| one.span.start);
    kept
}

fn check_modules(modules: &[Module], diagnostics: &mut Vec<Diagnostic>) {
    for (position, module) in modules.iter().enumerate() {
        let mut before = modules[..position].iter();
        if let Some(first) = before.find(|other| other.name.text == module.name.text) {
            let message = format!("module `{}` is declared twice", module.name.text);
            let told = Diagnostic::error(module.name.span, message).with_hint("take another name");
            diagnostics.push(told.with_label(first.name.span, "declared here first"));
        }
    }
}

fn main_module(
    modules: &[Module],
    wanted: &str,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<usize> {
    let found = modules.iter().position(|module| module.name.text == wanted);
    let span = modules
        .first()
        .map_or(Span::new(file, 0, 0), |module| module.name.span);
    match found {
        Some(main) if modules[main].parameters.is_empty() => Some(main),
        Some(main) => {
            let message = format!("module `{wanted}` has parameters, and nobody gives them");
            let told = Diagnostic::error(modules[main].name.span, message);
            diagnostics.push(told.with_hint("analyse a module without parameters"));
            None
        }
        None => {
            let names = modules.iter().map(|module| module.name.text.as_str());
            let hint = nearest(wanted, names).map_or("add `MODULE main`".to_string(), |near| {
                format!("did you mean `{near}`?")
            });
            let message = format!("there is no module `{wanted}`");
            if !is_wrong(diagnostics) {
                diagnostics.push(Diagnostic::error(span, message).with_hint(hint));
            }
            None
        }
    }
}

fn build(
    modules: &[Module],
    main: usize,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    let mut world = World::new(modules, main);
    diagnostics.append(&mut world.diagnostics);
    if is_wrong(diagnostics) {
        return None;
    }
    let has_processes = world.processes.len() > 1;
    let elaborator = Elaborator::new(world);
    let mut flattener = Flattener::new(elaborator, text);
    flattener.run();
    diagnostics.append(&mut flattener.elaborator.diagnostics);
    if has_processes {
        let message = "processes are read, and are deprecated since NuSMV 2.5";
        let told = Diagnostic::warning(modules[main].name.span, message);
        diagnostics.push(told.with_hint("say who moves with a variable of your own"));
    }
    let Flattener {
        mut model,
        mut facts,
        doubts,
        elaborator,
        ..
    } = flattener;
    model.node_ids = elaborator.maker.ids.clone();
    facts.main.clone_from(&modules[main].name.text);
    let sets = elaborator
        .scalars
        .iter()
        .filter_map(|one| match &one.domain {
            Domain::Integers(values) => Some((Symbol::new(&one.name), values.clone())),
            _ => None,
        });
    let sets = sets.collect();
    diagnostics.extend(doubts::settle(&model, doubts, &elaborator.faults, &sets));
    Some(Loaded { model, facts })
}
