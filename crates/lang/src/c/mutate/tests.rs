//! Mutants of small programs: what they are, and that their variants are what their texts mean.

use super::merge::same_bodies;
use super::*;
use proofmark_model::program::{
    Callee, Expression, ExpressionKind, Lvalue, LvalueKind, Piece, StatementKind,
};

const PROGRAM: &str = "\
int nondet_int(void);
int a[4];
int first(int x) {
  int t;
  t = x; a[1] = t; a[2] = x + 1;
  do { t++; if (t > 7) break; } while (t < 10 && a[t & 3] != 3);
  switch (t) { case 1: t = 2; break; default: t = t ? 1 : nondet_int(); }
  while (1) {
    if (t >= x) goto end;
    t += 2;
  }
end:
  return t;
}
int main(void) {
  int s = nondet_int(), *p = &s;
  first(*p);
  assert(a[1] == s);
}
";

fn load(text: &str, set: Option<&str>) -> (Sources, Option<LoadedProgram>, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let file = sources.add("a.c", text.to_string()).unwrap();
    let request = ProgramRequest {
        files: &[file],
        harness: &[],
        definitions: &[],
        includes: &[],
        entry: "main",
        mutators: set,
        read: &|_| None,
    };
    let (loaded, diagnostics) = crate::c::load(&mut sources, &request);
    (sources, loaded, diagnostics)
}

fn lines(text: &str, set: &str) -> Vec<String> {
    let (_, loaded, told) = load(text, Some(set));
    let loaded = loaded.unwrap_or_else(|| panic!("{told:?}"));
    let line = |one: &ProgramMutant| {
        let changed = one.edits.apply(text);
        let (old, new) = (text.lines(), changed.lines());
        let differs = old.zip(new).find(|(old, new)| old != new);
        let new = differs.map_or("", |(_, new)| new);
        format!("{}: {}", one.mutator, new.trim_end())
    };
    loaded.mutants.iter().map(line).collect()
}

#[test]
fn the_papers_tool_changes_a_line_in_its_order() {
    let text = "int main(void) {\n  int i = 0, j = 5;\n  i = 1; j = i + -1;\n  if (i<j && j != 2)\n    i--;\n}\n";
    let wanted = [
        "rep_const:   int i = 1, j = 5;",
        "rep_const:   int i = -1, j = 5;",
        "rep_const:   int i = 0, j = 0;",
        "rep_const:   int i = 0, j = 1;",
        "rep_const:   int i = 0, j = -1;",
        "rep_const:   int i = 0, j = ((5)+1);",
        "rep_const:   int i = 0, j = ((5)-1);",
        "del_stmt:  /*   i = 1; */  j = i + -1;",
        "del_stmt:  /*   i = 1; */  /*  j = i + -1; */",
        "del_stmt:   i = 1; /*  j = i + -1; */",
        "rep_op:   i = 1; j = i - -1;",
        "rep_op:   i = 1; j = i * -1;",
        "rep_op:   i = 1; j = i % -1;",
        "rep_const:   i = 0; j = i + -1;",
        "rep_const:   i = -1; j = i + -1;",
        "rep_const:   i = ((1)+1); j = i + -1;",
        "rep_const:   i = 1; j = i + 0;",
        "rep_const:   i = 1; j = i + 1;",
        "rep_const:   i = 1; j = i + ((-1)+1);",
        "rep_const:   i = 1; j = i + ((-1)-1);",
        "rep_op:   if (i<=j && j != 2)",
        "rep_op:   if (i>j && j != 2)",
        "rep_op:   if (i>=j && j != 2)",
        "rep_op:   if (i==j && j != 2)",
        "rep_op:   if (i!=j && j != 2)",
        "rep_op:   if (i<j || j != 2)",
        "rep_op:   if (i<j && j == 2)",
        "rep_const:   if (i<j && j != 0)",
        "rep_const:   if (i<j && j != 1)",
        "rep_const:   if (i<j && j != -1)",
        "rep_const:   if (i<j && j != ((2)+1))",
        "rep_const:   if (i<j && j != ((2)-1))",
        "negate:   if(! (i<j && j != 2))",
        "rep_op:     i++;",
    ];
    // The tool leaves its first mutant out, which deletes the declaration.
    assert_eq!(lines(text, "andrews"), wanted);
}

#[test]
fn a_mutant_is_invalid_the_same_alone_or_a_variant() {
    let text = "int g = 2;\nint main(void) {\n  int unused = 7;\n  int i;\n  i = 0;\n  assert(i == g);\n  while (1) { i = i + 0; }\n}\n";
    let (_, loaded, _) = load(text, Some("andrews"));
    let loaded = loaded.unwrap();
    let kind = |one: &ProgramMutant| match one.form {
        MutantForm::Invalid(_) => "invalid",
        MutantForm::Same => "same",
        MutantForm::Alone(_) => "alone",
        MutantForm::Variant(_) => "variant",
    };
    let of = |wanted: &str| {
        loaded
            .mutants
            .iter()
            .filter(|one| kind(one) == wanted)
            .count()
    };
    assert!(of("invalid") > 0 && of("alone") > 0 && of("variant") > 0);
    let invalid = loaded.mutants.iter().find(|one| kind(one) == "invalid");
    assert!(
        invalid.is_some_and(|one| one.original == "int i;"),
        "{invalid:?}"
    );
    assert_eq!(loaded.program.mutants as usize, of("variant"));
}

/// A body with the variants of one mutant, or of none.
fn chosen(list: &[Statement], mutant: Option<MutantId>) -> Vec<Statement> {
    let mut out = Vec::new();
    for statement in list {
        let mut one = statement.clone();
        match &mut one.kind {
            StatementKind::Selected(original, variants) => {
                let variant = variants.iter().find(|one| Some(one.mutant) == mutant);
                let list = variant.map_or(&*original, |variant| &variant.statements);
                out.extend(chosen(list, mutant));
                continue;
            }
            StatementKind::If(condition, then, other) => {
                choose(condition, mutant);
                *then = chosen(then, mutant);
                *other = chosen(other, mutant);
            }
            StatementKind::Loop(_, body) => *body = chosen(body, mutant),
            StatementKind::Assign(to, value) => {
                choose_place(to, mutant);
                choose(value, mutant);
            }
            StatementKind::Call {
                callee, arguments, ..
            } => {
                arguments.iter_mut().for_each(|one| choose(one, mutant));
                if let Callee::Pointer(of) = callee {
                    choose(of, mutant);
                }
            }
            StatementKind::Assert(of, _) | StatementKind::Assume(of) | StatementKind::Free(of) => {
                choose(of, mutant);
            }
            StatementKind::Return(value) => value.iter_mut().for_each(|one| choose(one, mutant)),
            StatementKind::Log(pieces) => {
                for piece in pieces {
                    if let Piece::Value { expression, .. } = piece {
                        choose(expression, mutant);
                    }
                }
            }
            _ => {}
        }
        out.push(one);
    }
    out
}

fn choose(of: &mut Expression, mutant: Option<MutantId>) {
    if let ExpressionKind::Selected(original, variants) = &of.kind {
        let variant = variants.iter().find(|one| Some(one.mutant) == mutant);
        *of = variant.map_or_else(|| (**original).clone(), |one| one.expression.clone());
        return choose(of, mutant);
    }
    match &mut of.kind {
        ExpressionKind::Load(from) | ExpressionKind::AddressOf(from) => choose_place(from, mutant),
        ExpressionKind::Unary(_, of) | ExpressionKind::Cast(of) => choose(of, mutant),
        ExpressionKind::Binary(_, one, other)
        | ExpressionKind::And(one, other)
        | ExpressionKind::Or(one, other) => {
            choose(one, mutant);
            choose(other, mutant);
        }
        ExpressionKind::Conditional(a, b, c) => {
            [a, b, c].into_iter().for_each(|one| choose(one, mutant));
        }
        _ => {}
    }
}

fn choose_place(of: &mut Lvalue, mutant: Option<MutantId>) {
    if let LvalueKind::Selected(original, variants) = &of.kind {
        let variant = variants.iter().find(|(one, _)| Some(*one) == mutant);
        *of = variant.map_or_else(|| (**original).clone(), |(_, one)| one.clone());
        return choose_place(of, mutant);
    }
    match &mut of.kind {
        LvalueKind::Dereference(pointer) => choose(pointer, mutant),
        LvalueKind::Offset(of, _) => choose_place(of, mutant),
        LvalueKind::Index { array, index, .. } => {
            choose_place(array, mutant);
            choose(index, mutant);
        }
        _ => {}
    }
}

#[test]
fn the_variants_of_a_mutant_are_what_its_text_means() {
    for set in [Set::Andrews, Set::Default] {
        let mut sources = Sources::default();
        let file = sources.add("a.c", PROGRAM.to_string()).unwrap();
        let request = ProgramRequest {
            files: &[file],
            harness: &[],
            definitions: &[],
            includes: &[],
            entry: "main",
            mutators: None,
            read: &|_| None,
        };
        let (read, told) = crate::c::read(&mut sources, &request);
        let base = read.unwrap_or_else(|| panic!("{told:?}")).program;
        let mut campaign = Campaign {
            sources: &sources,
            request: &request,
            base: base.clone(),
            program: base.clone(),
            names: Names::of(&base),
            bodies: Bodies::default(),
        };
        for mutation in operators::mutations(&sources, file, set) {
            campaign.form(file, &mutation.edits);
        }
        let bodies = campaign.bodies.clone();
        let program = campaign.finished();
        let mut compared = 0;
        for (id, bodies) in bodies {
            let whole = program.function(id).body.as_deref().unwrap();
            let original = base.function(id).body.as_deref().unwrap();
            assert!(same_bodies(&chosen(whole, None), original), "{set:?}");
            for (mutant, body) in bodies {
                assert!(
                    same_bodies(&chosen(whole, Some(mutant)), &body),
                    "{set:?} {mutant:?}"
                );
                compared += 1;
            }
        }
        assert!(compared > 20, "{set:?}: {compared}");
    }
}
