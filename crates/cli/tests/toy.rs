//! A language of a few lines gets every analysis by its row alone.
//!
//! Started with `TOY` in its environment, this program is Proofmark with the toy's row added;
//! otherwise it is the test that starts it so.

use proofmark_lang::{Design, Language, Languages, LoadResult, Loaded, Observable, Options};
use proofmark_model::{
    Category, ElementFacts, Equation, Expr, Facts, Goal, Model, NodeIds, Operator, Origin, Reading,
    Role, Sort, Symbol, Value, Variable, VariableFacts, When,
};
use proofmark_source::{Diagnostic, FileId, Sources, Span};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::fs;
use std::process::{Command, ExitCode};

/// A netlist, a line a wire: `a` is an input, `a b` a latch that is false at first, `a b c` the nor of
/// two wires and an output, `a !` a property. A latch has no text as far as anybody can tell.
static TOY: Language = Language {
    name: "toy",
    extensions: &["toy"],
    load,
    expression: |tree| format!("{tree:?}"),
    property: |name, _| format!("good {name}"),
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
    program: None,
};

fn load(sources: &Sources, file: FileId, _: &Options) -> LoadResult {
    let (mut model, mut facts, mut start) = (Model::default(), Facts::default(), 0);
    let ids = RefCell::new(NodeIds::default());
    let fresh = || ids.borrow_mut().fresh();
    for (number, line) in (0..).zip(sources.file(file).text().split_inclusive('\n')) {
        let span = Span::new(file, start, start + line.trim_end().len() as u32);
        start += line.len() as u32;
        let place = Origin::new(span, Category::Gate);
        let wire = |name| Expr::variable(fresh(), name, Sort::Bool, place.clone());
        let make = |operator, args| Expr::new(fresh(), operator, args, place.clone()).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (role, element) = match words[..] {
            [name, "!"] => {
                let (name, tree, origin) = (name.into(), wire(name), place);
                model.goals.push(Goal { name, tree, origin });
                continue;
            }
            [_] => (Role::Input, None),
            [name, from] => {
                let no = make(Operator::Constant(Value::Bool(false)), vec![]);
                let tree = make(
                    Operator::Arrow,
                    vec![no, make(Operator::Pre, vec![wire(from)])],
                );
                let origin = Origin::named(name, number, Category::Latch);
                (Role::Local, Some(("latch", tree, origin)))
            }
            [_, one, other] => {
                let or = make(Operator::Or, vec![wire(one), wire(other)]);
                let tree = make(Operator::Not, vec![or]);
                (Role::Output, Some(("gate", tree, place.clone())))
            }
            _ => {
                return (
                    None,
                    vec![Diagnostic::error(span, "expected one to three words")],
                );
            }
        };
        let variable = Variable::new(words[0], Sort::Bool, role, place);
        let (declared, scope) = (variable.name, Symbol::new("toy"));
        facts.variables.push(VariableFacts { declared, scope });
        model.variables.push(variable);
        if let Some((category, tree, origin)) = element {
            let (target, when) = (Some(declared), When::Always);
            model.equations.push(Equation {
                target,
                reading: Reading::Definition,
                when,
                tree,
                origin,
            });
            facts.elements.push(ElementFacts {
                category,
                counted: true,
            });
        }
    }
    (facts.main, model.node_ids) = ("toy".into(), ids.take());
    (Some(Design::Words(Loaded { model, facts })), Vec::new())
}

/// `seen` never goes away, nobody looks at `idle` but `shown`, and the property says that `seen` and
/// `clear` are never both true.
const MODEL: &str = "\
a
seen keep
none seen a
keep none none
idle a
clear seen seen
no_seen seen seen
no_clear clear clear
both no_seen no_clear
fine both both
shown seen idle
fine !
";

fn main() -> ExitCode {
    if std::env::var_os("TOY").is_some() {
        const ROWS: &[&Language] = &[&proofmark_lang::lustre::LANGUAGE, &TOY];
        return proofmark::run(std::env::args_os().collect(), Languages(ROWS));
    }
    let folder = std::env::temp_dir().join(format!("proofmark-toy-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let model = folder.join("net.toy");
    fs::write(&model, MODEL).unwrap();
    let page = folder.join("page.html");
    let run = |words: &[&str]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(words).arg(&model).env("TOY", "yes");
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let document = |words: &[&str]| -> Json {
        let (code, out, error) = run(words);
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{words:?}: {code:?} {error}"))
    };

    let (code, out, error) = run(&["check"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(out.starts_with("VALID    fine"), "{out}");

    let cores = document(&["ivc", "--json", "--minimal"]);
    let elements = cores["elements"].as_array().unwrap();
    let named = |name: &str| elements.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(
        named("seen")["origin"],
        serde_json::json!({ "name": "seen", "index": 1 })
    );
    assert_eq!(named("seen")["category"], "latch");
    assert_eq!(named("both")["origin"]["line"], 9);
    assert_eq!(named("shown")["role"]["fine"], "outside");

    let page_option = format!("--html={}", page.display());
    let mutants = document(&["mutate", "--json", "--mutators=all", &page_option]);
    let mutants = mutants["mutants"].as_array().unwrap();
    let of = |id: &str| mutants.iter().find(|one| one["id"] == id).unwrap();
    let removed = of("toy/idle#equation_remove#1");
    assert_eq!(
        removed["origin"],
        serde_json::json!({ "name": "idle", "index": 4 })
    );
    assert_eq!(removed["verdict"], "gap");
    assert_eq!(of("toy/both#equal_true#1")["verdict"], "killed");
    assert!(
        fs::read_to_string(&page)
            .unwrap()
            .contains("toy/idle#equation_remove#1")
    );
    let (_, out, _) = run(&["mutate", "-v"]);
    assert!(out.contains(" idle:4 equation_remove"), "{out}");

    let (code, _, error) = run(&["slice"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot be written as toy"), "{error}");
    fs::remove_dir_all(&folder).unwrap();
    println!("toy: a row is enough");
    ExitCode::SUCCESS
}
