//! The mutators on models: every example of the registry, the figures of the paper, and what must
//! not be mutated.

use proofmark_lang::lustre::{self, Loaded, Part};
use proofmark_model::{ElementId, Lowered, Model, Program, System, lower};
use proofmark_quality::mutate::{
    Generated, Mutation, MutationChange, MutationPlace, Selection, generate, mutators,
};
use proofmark_source::{FileId, Sources};
use rustc_hash::FxHashSet;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

struct Case {
    sources: Sources,
    file: FileId,
    loaded: Loaded,
    lowered: Lowered,
}

impl Case {
    fn try_new(text: &str) -> Result<Case, String> {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string())?;
        let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
        let loaded = loaded.ok_or_else(|| format!("{diagnostics:?}"))?;
        let lowered = lower(&loaded.model).map_err(|errors| format!("{errors:?}"))?;
        Ok(Case {
            sources,
            file,
            loaded,
            lowered,
        })
    }

    fn new(text: &str) -> Case {
        Case::try_new(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn system(&self) -> &System {
        &self.lowered.system
    }

    fn model(&self) -> &Model {
        &self.loaded.model
    }

    /// Everything but the equations that define properties.
    fn generate(&self, selection: &str) -> Generated {
        self.generate_by(selection, 2)
    }

    /// The same by so many threads.
    fn generate_by(&self, selection: &str, jobs: usize) -> Generated {
        let selection: Selection = selection.parse().unwrap();
        let rewriter = lustre::rewriter(&self.sources, self.file, &lustre::Options::default());
        let properties = self.lowered.system.properties().iter();
        let goals: FxHashSet<_> = properties.map(|property| property.term).collect();
        let mutable = |id: ElementId| {
            let target = self.lowered.system.element(id).target();
            target.is_none_or(|target| !goals.contains(&target))
        };
        generate(
            self.model(),
            &self.lowered,
            &mutable,
            &selection,
            rewriter.as_deref(),
            jobs,
        )
    }

    /// The equations of the model, printed.
    fn equations(&self, model: &Model) -> Vec<String> {
        let equations = (0..model.equations.len() as u32).map(ElementId).collect();
        let part = Part {
            model,
            name: "main",
            equations: &equations,
            goals: &[],
        };
        let text = lustre::print(&part);
        let body = text.lines().filter(|line| line.starts_with("  "));
        body.map(|line| line.trim().trim_end_matches(';').to_string())
            .collect()
    }

    /// The equations that a mutation changes, printed.
    fn printed(&self, mutation: &Mutation) -> Vec<String> {
        let mut model = self.model().clone();
        if let MutationChange::Replace(changed) = &mutation.change {
            for (id, equation) in changed {
                model.equations[id.index()] = equation.clone();
            }
        }
        let all = self.equations(&model);
        let changed = mutation.elements();
        changed.iter().map(|id| all[id.index()].clone()).collect()
    }

    /// What one mutator makes, as printed equations.
    fn all_printed(&self, selection: &str) -> Vec<Vec<String>> {
        let generated = self.generate(selection);
        let mutations = generated.mutations.iter();
        mutations.map(|mutation| self.printed(mutation)).collect()
    }

    fn text(&self, mutation: &Mutation) -> &str {
        self.sources.text(mutation.location.span().unwrap())
    }
}

fn names(generated: &Generated) -> Vec<&str> {
    let mutations = generated.mutations.iter();
    mutations.map(|mutation| mutation.label.as_str()).collect()
}

/// Which mutations there are, in which order, does not depend on who makes them.
#[test]
fn threads_make_no_difference() {
    use std::fmt::Write as _;
    let mut text = String::from("node main(a, b: bool; i: int) returns (ok: bool);\nvar ");
    for at in 0..30 {
        let _ = write!(text, "x{at}: bool; n{at}: int; ");
    }
    text.push_str("\nlet\n");
    for at in 0..30 {
        let _ = writeln!(text, "x{at} = a or b and (0 -> pre n{at}) > {at};");
        let _ = writeln!(
            text,
            "n{at} = 0 -> if x{at} then pre n{at} + i else i div 2;"
        );
    }
    text.push_str("ok = x0 or not x0;\n--%PROPERTY ok;\ntel\n");
    let case = Case::new(&text);
    let told = |jobs: usize| {
        let made = case.generate_by("all", jobs);
        let mutations = made.mutations.iter();
        let list: Vec<_> = mutations
            .map(|one| {
                (
                    one.mutator,
                    one.label.clone(),
                    one.ordinal,
                    case.printed(one),
                )
            })
            .collect();
        (list, made.merged, made.invalid)
    };
    let alone = told(1);
    assert!(alone.0.len() > 300 && alone.1 > 0 && alone.2 > 0);
    assert_eq!(told(4), alone);
}

/// A model whose only equation has this right side.
fn example(right: &str) -> Case {
    let statement = match right.starts_with("assert") {
        true => format!("{right}\n  o = b;"),
        false => format!("o = {right};"),
    };
    let model = |of: &str| {
        format!(
            "type color = enum {{red, green, blue}};\n\
             node main(a, b: bool; x, y: int; c: color; v: int[3]) returns (o: {of});\n\
             let\n  {statement}\ntel;\n"
        )
    };
    let case = Case::try_new(&model("bool"));
    case.unwrap_or_else(|_| Case::new(&model("int")))
}

#[test]
fn every_row_does_what_its_example_says() {
    for row in mutators() {
        let (before, after) = row.example;
        let case = example(before);
        let generated = case.generate(row.name);
        assert!(!generated.mutations.is_empty(), "{}", row.name);
        assert!(
            generated
                .mutations
                .iter()
                .all(|one| one.mutator == row.name)
        );
        if after == "*" {
            let change = &generated.mutations[0].change;
            assert!(matches!(change, MutationChange::Remove(removed) if removed.len() == 1));
            continue;
        }
        let wanted = example(after);
        let mut wanted = wanted.equations(wanted.model());
        wanted.truncate(1);
        let found = case.all_printed(row.name);
        assert!(
            found.contains(&wanted),
            "{}: {found:?}, {wanted:?}",
            row.name
        );
    }
}

#[test]
fn names_and_examples_differ() {
    let mut seen = FxHashSet::default();
    assert!(mutators().iter().all(|row| seen.insert(row.name)));
    assert!(mutators().iter().all(|row| row.example.0 != row.example.1));
}

/// Figure 4 of the paper, in its layout.
const DEMO2: &str = "node demo2 ( a1 , a2 : int )
returns ( Prop1 : bool ; b : int );
var
  d : bool;
let
  d = (a1 > 0);
  b = if d or (a2 < 0) then a1 else a2;
  Prop1 = (b = a1 or b = a2);
  --%PROPERTY Prop1;
tel;
";

#[test]
fn demo2_has_the_mutants_of_the_paper() {
    let case = Case::new(DEMO2);
    let generated = case.generate("paper");
    let wanted = [
        "equation_remove",
        "equal_true",
        "equal_false",
        "init_true",
        "init_false",
        "g2ge",
        "g2l",
        "const int 0 -> 1",
        "equation_remove",
        "equal_5",
        "equal_-2",
        "init_5",
        "init_-1",
        "ifthen",
        "ifelse",
        "ifelsethen",
        "or2xor",
        "or2left",
        "or2right",
        "l2le",
        "l2g",
        "const int 0 -> 1",
    ];
    assert_eq!(names(&generated), wanted);
    assert_eq!((generated.merged, generated.invalid), (0, 0));
    assert_eq!(case.generate("jkind").mutations.len(), 12);
}

#[test]
fn an_operation_of_a_chain_is_a_place_of_its_own() {
    let case =
        Case::new("node main(a, b, c: bool) returns (o: bool);\nlet\n  o = a and b and c;\ntel;\n");
    let found = case.all_printed("and2left,and2right");
    let wanted = ["o = a and c", "o = b and c", "o = a and b", "o = c"];
    assert_eq!(found.concat(), wanted);
    let ordinals: Vec<(&str, u32)> = case
        .generate("and2left,and2right")
        .mutations
        .iter()
        .map(|one| (one.mutator, one.ordinal))
        .collect();
    let wanted = [
        ("and2left", 1),
        ("and2right", 1),
        ("and2left", 2),
        ("and2right", 2),
    ];
    assert_eq!(ordinals, wanted);
}

const TWICE: &str = "node count(up: bool) returns (n: int);
let
  n = (0 -> pre n) + (if up then 1 else 0);
tel;
node main(a, b: bool) returns (p, q: int);
let
  p = count(a or b);
  q = count(b);
tel;
";

#[test]
fn a_node_called_twice_is_mutated_in_both_instances_and_counted_once() {
    let case = Case::new(TWICE);
    let generated = case.generate("plus2minus,equation_remove");
    assert_eq!(names(&generated).len(), 4);
    let of = |name: &str| {
        let mutations = generated.mutations.iter();
        let found = mutations.filter(|one| one.mutator == name);
        found.map(Mutation::elements).collect::<Vec<_>>()
    };
    assert_eq!(of("plus2minus").len(), 1);
    assert_eq!(of("plus2minus")[0].len(), 2);
    let sizes: Vec<usize> = of("equation_remove").iter().map(Vec::len).collect();
    assert_eq!(sizes, [2, 1, 1]);
    // The argument is the user's; that it is the input is not.
    assert_eq!(case.generate("or2xor").mutations.len(), 1);
}

#[test]
fn a_named_constant_is_mutated_once_where_it_is_defined() {
    let case = Case::new(
        "const N = 7;\nnode main(x: int) returns (o, q: bool);\nlet\n  o = x > N;\n  q = x < N;\ntel;\n",
    );
    let generated = case.generate("const");
    assert_eq!(names(&generated), ["const int 7 -> 1"]);
    assert_eq!(generated.mutations[0].elements().len(), 2);
    assert_eq!(case.text(&generated.mutations[0]), "7");
    assert_eq!(
        case.printed(&generated.mutations[0]),
        ["o = x > 1", "q = x < 1"]
    );
}

#[test]
fn an_equation_of_a_record_is_one_place() {
    let case = Case::new(
        "type pair = struct {l: bool; r: bool};\n\
         node main(c: bool; s, t: pair) returns (o: pair);\n\
         let\n  o = if c then s else t;\ntel;\n",
    );
    let generated = case.generate("ifelsethen,equation_remove,equal_true");
    assert_eq!(
        names(&generated),
        ["equation_remove", "equal_true", "ifelsethen"]
    );
    for mutation in &generated.mutations {
        assert_eq!(mutation.elements().len(), 2);
    }
    assert_eq!(generated.mutations[0].place, MutationPlace::Equation);
    assert_eq!(case.text(&generated.mutations[2]), "if c then s else t");
}

/// A clock, an index that is not constant, an equality of arrays, a subrange.
const GENERATED: &str = "type color = enum {red, green};
node keep(x: int) returns (y: int);
let
  y = 0 -> pre y + x;
tel;
node main(c: bool; i: subrange [0, 2] of int; v, w: int[3]; e: color) returns (o: int; p, q: bool);
let
  o = condact(c, keep(v[i]), 4);
  p = v = w;
  q = e = red;
tel;
";

#[test]
fn what_nobody_wrote_is_not_mutated() {
    let case = Case::new(GENERATED);
    let generated = case.generate("jkind");
    let found: Vec<(&str, &str)> = generated
        .mutations
        .iter()
        .map(|one| (one.label.as_str(), case.text(one)))
        .collect();
    let wanted = [
        ("const int 0 -> 1", "0"),
        ("plus2minus", "pre y + x"),
        ("const int 4 -> 1", "4"),
        ("eq2neq", "v = w"),
        ("eq2neq", "e = red"),
    ];
    assert_eq!(found, wanted);
    let all = case.generate("all");
    let mut nodes = all
        .mutations
        .iter()
        .filter(|one| one.place != MutationPlace::Equation);
    assert!(nodes.all(|one| one.before.origin().is_source()));
}

#[test]
fn what_no_property_reads_is_mutated_too() {
    let case = Case::new(
        "node main(a, b: bool) returns (o, p: bool);\nlet\n  o = a or b;\n  p = a => a;\n  --%PROPERTY p;\ntel;\n",
    );
    assert_eq!(case.generate("jkind").mutations.len(), 3);
}

#[test]
fn assumptions_are_mutated_and_removed_by_a_mutator_of_their_own() {
    let case =
        Case::new("node main(x: int) returns (o: int);\nlet\n  assert x > 0;\n  o = x;\ntel;\n");
    let generated = case.generate("paper");
    let of = |assertion: bool| {
        let mutations = generated.mutations.iter();
        mutations
            .filter(|one| one.is_of_assumption(case.system()) == assertion)
            .count()
    };
    assert_eq!((of(true), of(false)), (3, 5));
    let removal = case.generate("assumption_remove");
    assert_eq!(names(&removal), ["assumption_remove"]);
    assert_eq!(case.text(&removal.mutations[0]), "assert x > 0");
    // The whole expression stuck at true is the same.
    let both = case.generate("assumption_remove,stuck_true");
    assert_eq!((names(&both), both.merged), (vec!["assumption_remove"], 1));
}

#[test]
fn a_mutation_that_makes_a_cycle_is_invalid() {
    let case = Case::new("node main(x: int) returns (o: int);\nlet\n  o = 0 -> pre o + x;\ntel;\n");
    let generated = case.generate("pre_drop,variable");
    // `pre` goes, and `x` becomes `o`.
    assert_eq!(generated.invalid, 2);
    assert_eq!(names(&generated), ["variable o -> x"]);
}

#[test]
fn mutations_that_mean_the_same_are_merged() {
    let case = Case::new("node main(x: int) returns (o: bool);\nlet\n  o = x > 2;\ntel;\n");
    // Both make 2 a 1; true and false take the place of the only Boolean once each.
    let generated = case.generate("const,const_minus,stuck_true,stuck_false,equal_true");
    assert_eq!(generated.merged, 2);
    assert_eq!(
        names(&generated),
        ["equal_true", "stuck_false", "const int 2 -> 1"]
    );
    let same = Case::new("node main(a: bool) returns (o: bool);\nlet\n  o = a or a;\ntel;\n");
    let generated = same.generate("or2left,or2right,const_plus");
    assert_eq!((generated.mutations.len(), generated.merged), (0, 2));
    assert_eq!(same.generate("or2left,or2right").mutations.len(), 2);
}

/// What is merged depends on the selection; what a number stands for must not.
#[test]
fn a_mutation_has_the_same_number_in_every_selection() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for path in models_in(&folder) {
        let case = Case::new(&std::fs::read_to_string(&path).unwrap());
        let numbered = |selection: &str| -> HashMap<_, _> {
            let generated = case.generate(selection);
            let mutations = generated.mutations.into_iter();
            let source = |id: ElementId| case.model().equations[id.index()].origin.location;
            let key = |one: &Mutation| (source(one.element), one.mutator, one.ordinal);
            let numbered = mutations.map(|one| (key(&one), (one.location, one.label)));
            numbered.collect()
        };
        let alone: HashMap<_, _> = mutators()
            .iter()
            .flat_map(|mutator| numbered(mutator.name))
            .collect();
        for selection in ["paper", "jkind", "default", "all"] {
            for (number, place) in numbered(selection) {
                assert_eq!(alone.get(&number), Some(&place), "{selection} {number:?}");
            }
        }
    }
}

#[test]
fn an_added_pre_is_guarded_and_kept_values_are_compared() {
    let case =
        Case::new("node main(x: int) returns (o: int);\nlet\n  o = 0 -> pre (1 -> pre x);\ntel;\n");
    let generated = case.generate("pre_add,const_zero,arrow_left");
    for mutation in &generated.mutations {
        let MutationChange::Replace(changed) = &mutation.change else {
            panic!("a removal");
        };
        let patches = case.lowered.patches(changed, "m").unwrap();
        assert!(patches.iter().all(|patch| patch.unguarded.is_empty()));
    }
    assert_eq!(generated.mutations.len(), 4);
}

#[test]
fn variables_are_exchanged_with_the_nearest_of_their_type() {
    let case = Case::new(
        "node main(a, b: bool; x, y, z, w: int) returns (o: int; ok: bool);\n\
         let\n  o = y;\n  ok = a;\n  --%PROPERTY ok;\ntel;\n",
    );
    let generated = case.generate("variable");
    assert_eq!(names(&generated), ["variable y -> z", "variable y -> x"]);
}

/// The benchmark models, if they are at hand.
fn benchmarks() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/lustre/models");
    models_in(&folder)
}

fn models_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("skipped: there are no models in {}", folder.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lus"));
    paths.sort();
    paths
}

/// Everything on a sample of the benchmark models; what is generated lowers, and what is not a
/// cycle for the generator is none for the simulator.
#[test]
fn mutations_of_real_models_are_models() {
    for path in benchmarks().iter().step_by(37) {
        let case = Case::new(&std::fs::read_to_string(path).unwrap());
        let generated = case.generate("all");
        for mutation in generated.mutations.iter().step_by(11) {
            let MutationChange::Replace(changed) = &mutation.change else {
                continue;
            };
            let patches = case.lowered.patches(changed, "m").unwrap();
            let system = case.lowered.patched(patches).unwrap();
            assert!(Program::compile(&system).is_ok(), "{mutation:?}");
        }
    }
}

/// Two latches and a gate as a binary netlist has them: names and numbers, and no text.
#[test]
fn elements_without_text_are_mutated_as_wholes_whatever_their_category() {
    use proofmark_model::{
        Category, Equation, Expr, Location, Operator, Origin, Reading, Role, Sort, Symbol, Value,
        Variable, When,
    };
    let mut model = Model::default();
    let made_up = Origin::generated;
    for name in ["a", "b", "g"] {
        let variable = Variable::new(name, Sort::Bool, Role::Local, made_up());
        model.variables.push(variable);
    }
    let mut read = |name: &str| Expr::variable(model.node_ids.fresh(), name, Sort::Bool, made_up());
    let (a, b, g) = (read("a"), read("b"), read("g"));
    let and = Expr::new(model.node_ids.fresh(), Operator::And, vec![a, b], made_up()).unwrap();
    let start = Expr::constant(model.node_ids.fresh(), Value::Bool(false), made_up());
    let before = Expr::new(model.node_ids.fresh(), Operator::Pre, vec![g], made_up()).unwrap();
    let equations = [
        (
            "a",
            When::First,
            start,
            Origin::named("latch", 0, Category::Latch),
        ),
        (
            "a",
            When::Later,
            before.clone(),
            Origin::named("latch", 1, Category::Latch),
        ),
        (
            "b",
            When::Later,
            before,
            Origin::named("b", 2, Category::Assignment),
        ),
        (
            "g",
            When::Always,
            and,
            Origin::named("gate", 3, Category::Gate),
        ),
    ];
    for (target, when, tree, origin) in equations {
        let target = Some(Symbol::new(target));
        model.equations.push(Equation {
            target,
            reading: Reading::Definition,
            when,
            tree,
            origin,
        });
    }
    let lowered = lower(&model).unwrap();
    let selection = "equation_remove,equal_true,init_true".parse().unwrap();
    let generated = generate(&model, &lowered, &|_| true, &selection, None, 1);
    let listed = generated.mutations.iter().map(|one| match one.location {
        Location::Name { name, index } => format!("{name}:{index} {}", one.mutator),
        Location::Span(_) => panic!("{one:?}"),
    });
    let expected = [
        "latch:0 equation_remove",
        "latch:0 equal_true",
        "latch:1 equation_remove",
        "latch:1 equal_true",
        "b:2 equation_remove",
        "b:2 equal_true",
        "gate:3 equation_remove",
        "gate:3 equal_true",
        "gate:3 init_true",
    ];
    let mut listed: Vec<String> = listed.collect();
    let mut expected = expected.map(String::from);
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
}
