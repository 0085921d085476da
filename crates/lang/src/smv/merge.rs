//! The merging specification of two models, with the formulas that are to show that they are equivalent
//! (Arcaini, Gargantini and Riccobene, Equivalence checking for NuSMV specifications, section 4), for NuSMV to
//! read.
//!
//! Mutated variables (`MV`) are those whose assignments differ, or read a DEFINE that does; each has a copy with
//! the assignments of the second model, named with `Mut` behind it. What they depend on (`DV`) is there once,
//! with all that it depends on in turn; so is what an assignment without `init` or `next` makes equal, in the
//! same state, to an expression over a mutated variable. Other variables are left out. For each tuple of values,
//! numbered from 1 with the last variable running fastest, there are three formulas.
//!
//! The method is wrong where a variable of `DV` reads a mutated one in the same state: there is one of it,
//! and it follows the first model even where the second is meant.

use super::lexer::{Token, tokenize};
use super::parser;
use super::syntax::{Expression, Form, Item, Kind, Module, Type, VariableKind};
use crate::language::Merging;
use proofmark_source::{FileId, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// More tuples than this are not written down.
const MOST: usize = 100_000;

/// Merges two models.
pub(super) fn merge(
    first: (&Sources, FileId),
    second: (&Sources, FileId),
) -> Result<Merging, String> {
    let (first, second) = (Flat::read(first)?, Flat::read(second)?);
    if first.variables != second.variables {
        return Err("the models do not declare the same variables with the same types".into());
    }
    let merger = Merger::new(&first, &second);
    if merger.mutated.is_empty() {
        return Err("no assignment differs, so that there is nothing to merge".into());
    }
    merger.write()
}

/// A variable: its keyword, its name, its type as text.
type Declaration = (&'static str, String, String);

/// The only module of a model, as text.
struct Flat {
    variables: Vec<Declaration>,
    values: Vec<Vec<String>>,
    defines: BTreeMap<String, Words>,
    /// By form and name of the variable.
    assignments: BTreeMap<(String, &'static str), Words>,
}

/// The tokens of an expression: its meaning, whatever the blanks.
type Words = Vec<String>;

impl Flat {
    fn read((sources, file): (&Sources, FileId)) -> Result<Flat, String> {
        let text = sources.file(file).text();
        let mut diagnostics = Vec::new();
        let modules = parser::parse(text, file, &mut diagnostics);
        let [main] = &modules[..] else {
            return Err("the method is for models of one module; write the instances out".into());
        };
        let words = |from: u32, to: u32| -> Words {
            let tokens = tokenize(&text[from as usize..to as usize], file, &mut Vec::new());
            let placed = tokens.iter().filter(|one| !matches!(one.token, Token::End));
            let slices = placed.map(|one| {
                let (start, end) = (one.span.start + from, one.span.end + from);
                text[start as usize..end as usize].to_string()
            });
            slices.collect()
        };
        Flat::of(main, text, &words)
    }

    fn of(main: &Module, text: &str, words: &dyn Fn(u32, u32) -> Words) -> Result<Flat, String> {
        let mut flat = Flat {
            variables: Vec::new(),
            values: Vec::new(),
            defines: BTreeMap::new(),
            assignments: BTreeMap::new(),
        };
        let of = |value: &Expression| words(value.span.start, value.span.end);
        for item in &main.items {
            match item {
                Item::Variable { kind, name, of, .. } => {
                    let keyword = match kind {
                        VariableKind::State => "VAR",
                        VariableKind::Frozen => "FROZENVAR",
                        VariableKind::Input => {
                            return Err(format!(
                                "the method knows no inputs, as `{}` is",
                                name.text
                            ));
                        }
                    };
                    let values = values(of).ok_or_else(|| {
                        format!("the values of `{}` are too many to be listed", name.text)
                    })?;
                    let rest = &text[name.span.end as usize..];
                    let rest = rest.split(';').next().unwrap_or_default();
                    let of = rest.trim_start().trim_start_matches(':').trim();
                    let of = of.split_whitespace().collect::<Vec<_>>().join(" ");
                    flat.variables.push((keyword, name.text.clone(), of));
                    flat.values.push(values);
                }
                Item::Define { target, value } => {
                    flat.defines.insert(name(target)?, of(value));
                }
                Item::Assign {
                    form,
                    target,
                    value,
                    ..
                } => {
                    let form = match form {
                        Form::Always => "",
                        Form::Init => "init",
                        Form::Next => "next",
                    };
                    flat.assignments.insert((name(target)?, form), of(value));
                }
                Item::Specification { .. } | Item::Constants(_) => {}
                _ => {
                    return Err(
                        "the method is for assignments; INIT, INVAR, TRANS and fairness are none"
                            .into(),
                    );
                }
            }
        }
        Ok(flat)
    }

    /// The names that some words mention, and those of the DEFINEs among them.
    fn mentions(&self, words: &[String]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut stack: Vec<&String> = words.iter().collect();
        while let Some(word) = stack.pop() {
            if found.insert(word.clone())
                && let Some(inner) = self.defines.get(word)
            {
                stack.extend(inner);
            }
        }
        found
    }

    /// What all assignments of a variable mention.
    fn reads(&self, variable: &str) -> BTreeSet<String> {
        let own = self.assignments.iter();
        let own = own.filter(|((name, _), _)| name == variable);
        own.flat_map(|(_, words)| self.mentions(words)).collect()
    }
}

fn name(target: &Expression) -> Result<String, String> {
    match &target.kind {
        Kind::Name(name) => Ok(name.clone()),
        _ => Err("the method is for plain variables".into()),
    }
}

/// The values of a type as they are written.
fn values(of: &Type) -> Option<Vec<String>> {
    match of {
        Type::Boolean => Some(vec!["FALSE".into(), "TRUE".into()]),
        Type::Range(low, high) => {
            let (low, high) = (number(low)?, number(high)?);
            let count = usize::try_from(high.checked_sub(low)?).ok()?;
            (count < MOST).then(|| (low..=high).map(|one| one.to_string()).collect())
        }
        Type::Enumeration(values) => values
            .iter()
            .map(|one| match &one.kind {
                Kind::Name(name) => Some(name.clone()),
                Kind::Bool(true) => Some("TRUE".into()),
                Kind::Bool(false) => Some("FALSE".into()),
                _ => number(one).map(|one| one.to_string()),
            })
            .collect(),
        _ => None,
    }
}

fn number(tree: &Expression) -> Option<i64> {
    match &tree.kind {
        Kind::Number(number) => number.try_into().ok(),
        Kind::Negate(inner) => number(inner)?.checked_neg(),
        _ => None,
    }
}

struct Merger<'a> {
    first: &'a Flat,
    second: &'a Flat,
    mutated: Vec<usize>,
    dependent: Vec<usize>,
    /// DEFINEs that the copies read in another form.
    copied: BTreeSet<String>,
    same_state: Option<String>,
}

impl<'a> Merger<'a> {
    fn new(first: &'a Flat, second: &'a Flat) -> Merger<'a> {
        let names: Vec<&String> = first.variables.iter().map(|(_, name, _)| name).collect();
        let differ = |name: &String| {
            let forms = ["", "init", "next"].into_iter();
            let mut forms = forms.map(|form| (name.clone(), form));
            forms.any(|key| first.assignments.get(&key) != second.assignments.get(&key))
        };
        let changed_define = |name: &&String| first.defines.get(*name) != second.defines.get(*name);
        let defines = first.defines.keys().chain(second.defines.keys());
        let changed: BTreeSet<&String> = defines.filter(changed_define).collect();
        let reads = |name: &str| &first.reads(name) | &second.reads(name);
        let is_mutated = |at: &usize| {
            differ(names[*at]) || reads(names[*at]).iter().any(|one| changed.contains(one))
        };
        let mutated: Vec<usize> = (0..names.len()).filter(is_mutated).collect();
        let mut cone: BTreeSet<usize> = mutated.iter().copied().collect();
        let mutated_names: BTreeSet<String> = mutated.iter().map(|at| names[*at].clone()).collect();
        let mut same_state = None;
        for at in (0..names.len()).filter(|at| !mutated.contains(at)) {
            let own = first.assignments.get(&(names[at].clone(), ""));
            let read = own.map(|words| first.mentions(words)).unwrap_or_default();
            if let Some(one) = read.intersection(&mutated_names).next() {
                same_state = Some(format!("`{}` reads `{one}` in the same state", names[at]));
                cone.insert(at);
            }
        }
        let mut stack: Vec<usize> = cone.iter().copied().collect();
        while let Some(at) = stack.pop() {
            let read = reads(names[at]);
            for other in (0..names.len()).filter(|other| read.contains(names[*other])) {
                if cone.insert(other) {
                    stack.push(other);
                }
            }
        }
        let dependent: Vec<usize> = cone
            .into_iter()
            .filter(|at| !mutated.contains(at))
            .collect();
        let in_next = |at: &&usize| {
            let key = (names[**at].clone(), "next");
            let words = first.assignments.get(&key);
            words.is_some_and(|words| reads_next(first, words, &mutated_names))
        };
        if let (None, Some(at)) = (&same_state, dependent.iter().find(in_next)) {
            same_state = Some(format!(
                "`{}` reads the next value of a mutated variable",
                names[*at]
            ));
        }
        let copied = |name: &&String| {
            changed.contains(name)
                || second
                    .mentions(&[(*name).clone()])
                    .iter()
                    .any(|one| mutated_names.contains(one) || changed.contains(one))
        };
        Merger {
            copied: second.defines.keys().filter(copied).cloned().collect(),
            first,
            second,
            mutated,
            dependent,
            same_state,
        }
    }

    fn name(&self, at: usize) -> &str {
        &self.first.variables[at].1
    }

    fn copy(&self, at: usize) -> String {
        format!("{}Mut", self.name(at))
    }

    /// Words of the second model, about the copies.
    fn renamed(&self, words: &[String]) -> Words {
        let renamed = |word: &String| {
            let is_copied = self.copied.contains(word);
            let mut mutated = self.mutated.iter();
            match is_copied || mutated.any(|at| self.name(*at) == word) {
                true => format!("{word}Mut"),
                false => word.clone(),
            }
        };
        words.iter().map(renamed).collect()
    }

    fn write(&self) -> Result<Merging, String> {
        let tuples = self.tuples()?;
        let mut text = "MODULE main\n".to_string();
        // Writing to a string does not fail.
        for at in 0..self.first.variables.len() {
            let (keyword, name, of) = &self.first.variables[at];
            let is_mutated = self.mutated.contains(&at);
            if is_mutated || self.dependent.contains(&at) {
                let _ = writeln!(text, "{keyword} {name} : {of};");
            }
            if is_mutated {
                let _ = writeln!(text, "{keyword} {} : {of};", self.copy(at));
            }
        }
        for (name, words) in &self.first.defines {
            let _ = writeln!(text, "DEFINE {name} := {};", words.join(" "));
        }
        for name in &self.copied {
            let words = self.renamed(&self.second.defines[name]);
            let _ = writeln!(text, "DEFINE {name}Mut := {};", words.join(" "));
        }
        for (form, target) in [("", "@"), ("init", "init(@)"), ("next", "next(@)")] {
            for at in 0..self.first.variables.len() {
                let is_mutated = self.mutated.contains(&at);
                if !is_mutated && !self.dependent.contains(&at) {
                    continue;
                }
                let key = (self.name(at).to_string(), form);
                if let Some(words) = self.first.assignments.get(&key) {
                    let target = target.replace('@', self.name(at));
                    let _ = writeln!(text, "ASSIGN {target} := {};", words.join(" "));
                }
                if let (true, Some(words)) = (is_mutated, self.second.assignments.get(&key)) {
                    let (target, words) =
                        (target.replace('@', &self.copy(at)), self.renamed(words));
                    let _ = writeln!(text, "ASSIGN {target} := {};", words.join(" "));
                }
            }
        }
        for (at, tuple) in tuples.iter().enumerate() {
            let (either, both) = (self.either(tuple), self.both(tuple, Copies::Second));
            let number = at + 1;
            let _ = writeln!(text, "CTLSPEC NAME isNotInitState_{number} := !({either});");
            let _ = writeln!(text, "CTLSPEC NAME notEqInitState_{number} := !({both});");
        }
        let equal: Vec<String> = self
            .mutated
            .iter()
            .map(|at| format!("{} = {}", self.name(*at), self.copy(*at)))
            .collect();
        for (at, tuple) in tuples.iter().enumerate() {
            let (either, both) = (self.either(tuple), self.both(tuple, Copies::First));
            let (number, equal) = (at + 1, equal.join(" & "));
            let _ = writeln!(
                text,
                "CTLSPEC NAME transRelOk_{number} := AG (({equal} & EX ({either})) -> EX ({both}));"
            );
        }
        Ok(Merging {
            text,
            tuples: tuples.len(),
            wrong: self.same_state.clone(),
        })
    }

    /// All tuples of values, those of the mutated variables first.
    fn tuples(&self) -> Result<Vec<Vec<&str>>, String> {
        let all: Vec<&Vec<String>> = self
            .mutated
            .iter()
            .chain(&self.dependent)
            .map(|at| &self.first.values[*at])
            .collect();
        let count = all
            .iter()
            .try_fold(1usize, |count, values| count.checked_mul(values.len()));
        if count.is_none_or(|count| count > MOST) {
            return Err(format!(
                "there are more than {MOST} tuples of values, and a formula for each"
            ));
        }
        let mut tuples: Vec<Vec<&str>> = vec![Vec::new()];
        for values in all {
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    let longer = |value: &'a String| [&tuple[..], &[value.as_str()]].concat();
                    values.iter().map(longer)
                })
                .collect();
        }
        Ok(tuples)
    }

    /// That one of the models is in the state.
    fn either(&self, tuple: &[&str]) -> String {
        let equal = |name: &dyn Fn(usize) -> String| {
            let pairs = self.mutated.iter().zip(tuple);
            let pairs = pairs.map(|(at, value)| format!("{value} = {}", name(*at)));
            let pairs: Vec<String> = pairs.collect();
            match &pairs[..] {
                [one] => one.clone(),
                _ => format!("({})", pairs.join(" & ")),
            }
        };
        let (one, other) = (
            equal(&|at| self.name(at).into()),
            equal(&|at| self.copy(at)),
        );
        format!("({one} | {other}){}", self.rest(tuple))
    }

    /// That both are.
    fn both(&self, tuple: &[&str], copies: Copies) -> String {
        let pairs = self.mutated.iter().zip(tuple).map(|(at, value)| {
            let (name, copy) = (self.name(*at), self.copy(*at));
            match copies {
                Copies::Second => format!("{value} = {name} & {value} = {copy}"),
                Copies::First => format!("{value} = {name} & {copy} = {value}"),
            }
        });
        let pairs: Vec<String> = pairs.collect();
        format!("({}){}", pairs.join(" & "), self.rest(tuple))
    }

    fn rest(&self, tuple: &[&str]) -> String {
        let pairs = self.dependent.iter().zip(&tuple[self.mutated.len()..]);
        pairs
            .map(|(at, value)| format!(" & {} = {value}", self.name(*at)))
            .collect()
    }
}

/// On which side of an equation the value of a copy stands: as the paper prints it.
#[derive(Clone, Copy)]
enum Copies {
    First,
    Second,
}

/// Whether a `next` stands before a mutated variable.
fn reads_next(flat: &Flat, words: &[String], mutated: &BTreeSet<String>) -> bool {
    let has_next = words.iter().any(|word| word == "next");
    has_next && flat.mentions(words).intersection(mutated).next().is_some()
}
