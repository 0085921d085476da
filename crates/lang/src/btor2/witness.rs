//! Counterexamples as the field exchanges them: the witness format of BTOR2 (Niemetz, Preiner, Wolf and
//! Biere, "Btor2, BtorMC and Boolector 3.0", 2018, Section 5), which `btorsim` replays.
//!
//! `sat` and `b0` say which bad state is reached. Then come frames: `#0` with the states that begin with any
//! value, and `@0`, `@1`, … with the inputs. A state without a next value has any value at every step, so
//! that it has a line in every frame. States and inputs are numbered in the order of the file, and an array
//! has a line a word.

use crate::language::WordRun;
use proofmark_model::{Role, Sort, Symbol, Term, Value, When};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A state or an input of the file.
struct Item {
    name: Symbol,
    /// A variable a word.
    words: Vec<(Symbol, Term)>,
    is_array: bool,
}

/// A run that ends with a bad state.
pub(super) fn witness(run: &WordRun<'_>) -> String {
    let (inputs, states) = (items(run, Role::Input), items(run, Role::Local));
    let equations = run.loaded.model.equations.iter();
    let defined: FxHashMap<Symbol, When> = equations
        .filter_map(|equation| Some((equation.target?, equation.when)))
        .collect();
    let mut text = format!("sat\nb{}\n", run.goal);
    for step in 0..run.steps {
        let is_free = |item: &Item| match defined.get(&item.words[0].0) {
            None => true,
            Some(When::Always) => false,
            Some(When::First) => step > 0,
            Some(When::Later) => step == 0,
        };
        let free: Vec<(usize, &Item)> = numbered(&states).filter(|(_, one)| is_free(one)).collect();
        if step == 0 || !free.is_empty() {
            let _ = writeln!(text, "#{step}");
        }
        for (number, item) in free {
            write_item(run, (number, item), step, '#', &mut text);
        }
        let _ = writeln!(text, "@{step}");
        for one in numbered(&inputs) {
            write_item(run, one, step, '@', &mut text);
        }
    }
    text.push_str(".\n");
    text
}

fn numbered(items: &[Item]) -> impl Iterator<Item = (usize, &Item)> {
    items.iter().enumerate()
}

/// The inputs or the states, in the order of their lines.
fn items(run: &WordRun<'_>, role: Role) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let loaded = run.loaded;
    let variables = loaded.model.variables.iter().zip(&loaded.facts.variables);
    for (variable, facts) in variables.filter(|(variable, _)| variable.role == role) {
        let word = (variable.name, variable.current);
        match items.last_mut() {
            // The words of an array have its name as the declared one.
            Some(last) if last.name == facts.declared => last.words.push(word),
            _ => items.push(Item {
                name: facts.declared,
                words: vec![word],
                is_array: variable.name != facts.declared,
            }),
        }
    }
    items
}

/// A line, or one a word: number, address, value and name.
fn write_item(
    run: &WordRun<'_>,
    (number, item): (usize, &Item),
    step: usize,
    mark: char,
    text: &mut String,
) {
    let address = item.words.len().trailing_zeros() as usize;
    for (at, (_, variable)) in item.words.iter().enumerate() {
        let _ = write!(text, "{number} ");
        if item.is_array {
            let _ = write!(text, "[{at:0address$b}] ");
        }
        let value = match run.trace.value(*variable, step) {
            Some(value) => bits(value),
            None => bits(&Value::default_of(variable.sort())),
        };
        let _ = writeln!(text, "{value} {}{mark}{step}", item.name);
    }
}

/// A value in base two, as wide as its sort.
pub(crate) fn bits(value: &Value) -> String {
    match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::BitVec(vector) => {
            let width = vector.width();
            let bits = (0..width).rev();
            bits.map(|at| if vector.bit(at) { '1' } else { '0' })
                .collect()
        }
        other => unreachable!("{other} is no bit-vector"),
    }
}

/// How many bits a variable of the format has.
pub(crate) fn width(sort: Sort) -> u32 {
    match sort {
        Sort::BitVec(width) => width,
        _ => 1,
    }
}
