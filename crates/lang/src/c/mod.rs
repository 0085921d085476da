//! C programs: C11 with what GNU C adds, as gcc on x86-64 Linux means it.
//!
//! ```text
//!  files ─preprocess─▶ tokens ─parser─▶ trees of units ─lower─▶ program ─mutate─▶ program with its mutants
//! ```
//!
//! Several files are linked to one program. What is outside of the supported C (floating point, threads,
//! inline assembly, long jumps, arrays of variable length) is refused by its name where it is used, and
//! accepted where it is only declared. A function without a body returns any value. Assertions, assumptions
//! and inputs have the names that CBMC and the verifiers of SV-COMP know.

mod headers;
mod literal;
mod lower;
mod mutate;
mod parser;
mod preprocess;
pub mod random;
mod scan;
mod syntax;
mod token;
mod types;

use crate::language::{Language, LoadResult, Observable, Options};
use crate::program::{LoadedProgram, LoadedProgramResult, ProgramReader, ProgramRequest};
use preprocess::World;
use proofmark_model::program::Program;
use proofmark_source::{Diagnostic, FileId, Severity, Sources, Span};
use rustc_hash::FxHashSet;
use syntax::External;
use token::Kind;

/// C.
pub static LANGUAGE: Language = Language {
    name: "c",
    extensions: &["c", "i"],
    load: refuse,
    expression: |tree| format!("{tree:?}"),
    property: |name, _| format!("assert({name});"),
    rewriter: None,
    unmutated: None,
    observable: Observable::Outputs,
    merge: None,
    part: None,
    write_netlist: None,
    witness: None,
    word_witness: None,
    simulator_test: None,
    translator: None,
    program: Some(&READER),
};

/// The door of programs.
pub(crate) static READER: ProgramReader = ProgramReader {
    load,
    mutators: mutate::SETS,
};

/// A program is read by its own door.
fn refuse(_: &Sources, file: FileId, _: &Options) -> LoadResult {
    let message = "a program has functions and loops, and this command takes models without them";
    let told = Diagnostic::error(Span::new(file, 0, 0), message);
    (None, vec![told.with_hint("use `check` or `mutate`")])
}

/// The walks over trees are as deep as these are, which the parser bounds; this holds them.
const STACK: usize = 256 << 20;

fn load(sources: &mut Sources, request: &ProgramRequest<'_>) -> LoadedProgramResult {
    let set = match request.mutators.map(mutate::Set::named) {
        None => None,
        Some(Some(set)) => Some(set),
        Some(None) => {
            let file = request.files.first().or(request.harness.first());
            let told = file.map(|file| mutate::unknown_set(*file, request));
            return (None, told.into_iter().collect());
        }
    };
    let (read, diagnostics) = read(sources, request);
    let loaded = read.map(|read| match set {
        Some(set) => mutate::loaded(sources, request, read, set),
        None => LoadedProgram {
            program: read.program,
            mutants: Vec::new(),
        },
    });
    (loaded, diagnostics)
}

/// A program, and where its functions are.
struct Read {
    program: Program,
    functions: Vec<(String, Span)>,
}

/// Reads a program. There is one exactly when no diagnostic is an error.
fn read(sources: &mut Sources, request: &ProgramRequest<'_>) -> (Option<Read>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let streams = preprocessed(sources, request, &mut diagnostics);
    let sources = &*sources;
    let (program, functions) = on_a_large_stack(|| {
        let units: Vec<(FileId, Vec<External>)> = streams
            .iter()
            .map(|(file, unit)| {
                (
                    *file,
                    parser::parse(&unit.tokens, unit.end, &mut diagnostics),
                )
            })
            .collect();
        // What is not parsed leaves names undeclared, which is nobody's fault.
        let program = match is_wrong(&diagnostics) {
            true => Program::default(),
            false => lower::lower(sources, &units, request.entry, &mut diagnostics),
        };
        (program, functions_of(&units))
    });
    let diagnostics = unique(diagnostics);
    let read = Read { program, functions };
    let read = Some(read).filter(|_| !is_wrong(&diagnostics));
    (read, diagnostics)
}

fn functions_of(units: &[(FileId, Vec<External>)]) -> Vec<(String, Span)> {
    let externals = units.iter().flat_map(|(_, externals)| externals);
    let definitions = externals.filter_map(|external| match external {
        External::Definition(definition) => Some(definition),
        _ => None,
    });
    let named = definitions.filter_map(|one| Some((one.declarator.name?, one.span)));
    named
        .map(|(name, span)| (name.text.to_string(), span))
        .collect()
}

fn is_wrong(diagnostics: &[Diagnostic]) -> bool {
    let mut all = diagnostics.iter();
    all.any(|one| one.severity == Severity::Error)
}

/// What is wrong in a header is found by each unit, and told once.
fn unique(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    diagnostics.retain(|one| seen.insert((one.span, one.message.clone())));
    diagnostics
}

/// The tokens of all units, the last of which is what they use of the library.
fn preprocessed(
    sources: &mut Sources,
    request: &ProgramRequest<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(FileId, preprocess::Unit)> {
    let mut world = World::new(sources, request.read, request.includes);
    let lines = request.definitions.iter().map(|one| definition(one));
    let before = [
        world.invented("<predefined>", PREDEFINED),
        world.invented("<command line>", &lines.collect::<String>()),
    ];
    let before: Vec<FileId> = before.into_iter().flatten().collect();
    let files = request.files.iter().chain(request.harness);
    let mut units: Vec<(FileId, preprocess::Unit)> = Vec::new();
    for file in files {
        let unit = preprocess::unit(&mut world, *file, &before, diagnostics);
        units.push((*file, unit));
    }
    let text = library(world.sources, &units);
    if !text.is_empty()
        && let Some(file) = world.invented("<library>", &text)
    {
        let unit = preprocess::unit(&mut world, file, &[], diagnostics);
        units.push((file, unit));
    }
    units
}

/// `NAME` or `NAME=TEXT`, as a directive.
fn definition(text: &str) -> String {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let line = format!("#define {name} {value}").replace('\n', " ");
    line + "\n"
}

/// The functions of the library that units call and do not define.
fn library(sources: &Sources, units: &[(FileId, preprocess::Unit)]) -> String {
    let tokens = units.iter().flat_map(|(_, unit)| unit.tokens.iter());
    // A header that comes with the reader declares all of it.
    let invented = |token: &&token::Token| sources.file(token.span.file).name().starts_with('<');
    let names = tokens.filter(|one| one.kind == Kind::Name && !invented(one));
    let names: FxHashSet<&str> = names.map(|one| one.text.as_str()).collect();
    let wanted = lower::LIBRARY.iter().filter(|(name, _)| {
        names.contains(name) && !units.iter().any(|(_, unit)| defines(unit, name))
    });
    wanted.map(|(_, text)| format!("{text}\n")).collect()
}

/// Whether a unit has a body for a name: parentheses and a brace follow it, outside of all braces.
fn defines(unit: &preprocess::Unit, name: &str) -> bool {
    let (mut braces, mut parentheses) = (0i64, 0i64);
    let mut named = false;
    for (at, token) in unit.tokens.iter().enumerate() {
        match token.text.as_str() {
            _ if !matches!(token.kind, Kind::Punctuator | Kind::Name) => {}
            "{" if named && braces == 0 && parentheses == 0 => return true,
            "{" => braces += 1,
            "}" => braces -= 1,
            "(" => parentheses += 1,
            ")" => parentheses -= 1,
            ";" if parentheses == 0 => named = false,
            text if text == name && braces == 0 && parentheses == 0 => {
                named = unit.tokens.get(at + 1).is_some_and(|next| next.is("("));
            }
            _ => {}
        }
    }
    false
}

fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => panic!("no thread for the reader: {error}"),
        }
    })
}

/// What a compiler of the platform defines, as far as programs ask for it.
const PREDEFINED: &str = "\
#define __STDC__ 1
#define __STDC_VERSION__ 201112L
#define __STDC_HOSTED__ 1
#define __CPROVER__ 1
#define __PROOFMARK__ 1
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __LP64__ 1
#define _LP64 1
#define __linux__ 1
#define __linux 1
#define linux 1
#define __unix__ 1
#define __unix 1
#define unix 1
#define __CHAR_BIT__ 8
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __WCHAR_TYPE__ int
#define __INT8_TYPE__ signed char
#define __INT16_TYPE__ short
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long
#define __UINT8_TYPE__ unsigned char
#define __UINT16_TYPE__ unsigned short
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ unsigned long
#define __INTPTR_TYPE__ long
#define __UINTPTR_TYPE__ unsigned long
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ 1234
";
