//! Random sessions: sequences of calls to a solver, as data.
//!
//! A session that makes no sense in a place (a pop without a push) is executed without that call,
//! so that calls can be left out at will when a failure is shrunk. Sessions are written as SMT-LIB
//! and read back, so that a failure that was printed becomes a test by copying it.

use super::Random;
use super::terms::{Shape, Terms, plain};
use crate::smtlib::{Command, Reader, printer};
use proofmark_model::{EnumSort, Function, Op, Sort, Term};
use proofmark_source::Sources;
use rustc_hash::FxHashSet;
use std::fmt;

/// One call, or a check with all that is examined after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    Declare(Term),
    Assert(Term),
    Push,
    Pop(usize),
    /// A check under assumptions.
    Check(Vec<Term>),
    /// As [`Call::Check`], and after `Unsat` the core is made minimal.
    MinimalCore(Vec<Term>),
    /// The value of a term, if the last check answered `Sat`.
    Value(Term),
    /// Limits the effort of later checks.
    Effort(u64),
}

impl Call {
    /// The terms of the call.
    pub fn terms(&self) -> &[Term] {
        match self {
            Call::Declare(term) | Call::Assert(term) | Call::Value(term) => {
                std::slice::from_ref(term)
            }
            Call::Check(terms) | Call::MinimalCore(terms) => terms,
            Call::Push | Call::Pop(_) | Call::Effort(_) => &[],
        }
    }
}

/// A sequence of calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Session(pub Vec<Call>);

impl Session {
    /// A random session.
    pub fn random(random: Random, shape: Shape) -> Session {
        let mut terms = Terms::new(random, shape);
        let mut calls = match terms.random.below(100) {
            0..=29 => single(&mut terms),
            30..=64 => mixed(&mut terms, Terms::formula, assumptions),
            65..=84 => mixed(&mut terms, Terms::constraint, few_assumptions),
            _ => crowded(&mut terms),
        };
        calls.push(Call::Check(Vec::new()));
        Session(calls)
    }

    /// Reads what [`Session`] prints: effort is an option, and a minimal core is asked for by
    /// `get-unsat-assumptions`.
    pub fn read(text: &str) -> Result<Session, String> {
        let mut sources = Sources::default();
        let file = sources.add("session", text.into())?;
        let mut reader = Reader::new(file, text);
        let mut calls = Vec::new();
        while let Some((command, _)) = reader
            .command()
            .map_err(|fault| format!("{}: {}", sources.place(fault.span), fault.message))?
        {
            match command {
                Command::Assert { formula, .. } => calls.push(Call::Assert(formula.term)),
                Command::Push(scopes) => calls.extend((0..scopes).map(|_| Call::Push)),
                Command::Pop(scopes) => calls.push(Call::Pop(scopes)),
                Command::CheckSat => calls.push(Call::Check(Vec::new())),
                Command::CheckSatAssuming(assumptions) => {
                    let terms = assumptions.iter().map(|located| located.term);
                    calls.push(Call::Check(terms.collect()));
                }
                Command::GetUnsatAssumptions => {
                    if let Some(Call::Check(terms)) = calls.pop() {
                        calls.push(Call::MinimalCore(terms));
                    }
                }
                Command::GetValue(terms) => {
                    calls.extend(terms.iter().map(|located| Call::Value(located.term)));
                }
                Command::SetOption(":effort", effort) => {
                    calls.push(Call::Effort(
                        effort.parse().map_err(|_| effort.to_string())?,
                    ));
                }
                _ => {}
            }
        }
        Ok(Session(calls))
    }

    /// All terms of the calls.
    pub fn terms(&self) -> impl Iterator<Item = Term> {
        self.0.iter().flat_map(|call| call.terms()).copied()
    }
}

/// A few assertions at once.
fn single(terms: &mut Terms) -> Vec<Call> {
    (0..1 + terms.random.below(8))
        .map(|_| Call::Assert(terms.formula()))
        .collect()
}

/// Many clauses over few atoms, so many that it is often hard to say whether they contradict each
/// other: the search has to learn, and what it learned meets pops and other assumptions.
fn crowded(terms: &mut Terms) -> Vec<Call> {
    let most = terms.random.pick(&[6, 12, 25, 50, 50, 120]);
    let mut atoms: Vec<Term> = (0..most / 2).map(|_| terms.literal(1)).collect();
    atoms.extend((0..most / 2).map(plain));
    let literals = |random: &mut Random, least: usize| -> Vec<Term> {
        (0..least + random.below(3))
            .map(|_| {
                let atom = random.pick(&atoms);
                if random.chance(50) { atom.not() } else { atom }
            })
            .collect()
    };
    let random = &mut terms.random;
    let mut calls = Vec::new();
    for _ in 0..most * 5 {
        calls.push(match random.below(100) {
            0..=87 => Call::Assert(Term::or(&literals(random, 2))),
            88..=92 => Call::Push,
            93..=94 => Call::Pop(1),
            95..=98 => Call::Check(literals(random, 0)),
            _ => Call::MinimalCore(literals(random, 1)),
        });
    }
    calls
}

/// Calls of every kind in any order.
fn mixed(
    terms: &mut Terms,
    formula: fn(&mut Terms) -> Term,
    assumptions: fn(&mut Terms) -> Vec<Term>,
) -> Vec<Call> {
    let mut calls = Vec::new();
    for _ in 0..4 + terms.random.below(24) {
        match terms.random.below(100) {
            0..=44 => calls.push(Call::Assert(formula(terms))),
            45..=56 => calls.push(Call::Push),
            57..=66 => calls.push(Call::Pop(1 + terms.random.below(2))),
            67..=84 => calls.push(Call::Check(assumptions(terms))),
            85..=90 => calls.push(Call::MinimalCore(assumptions(terms))),
            91..=93 => calls.push(Call::Value(terms.any())),
            94 => calls.push(Call::Declare(terms.literal(0))),
            _ => {
                // First too little effort, then enough.
                calls.push(Call::Effort(terms.random.pick(&[0, 1, 2, 5, 20])));
                calls.push(Call::Check(assumptions(terms)));
                calls.push(Call::Effort(u64::MAX));
            }
        }
    }
    calls
}

/// None for the most part, so that everything is a fact.
fn few_assumptions(terms: &mut Terms) -> Vec<Term> {
    if terms.random.chance(70) {
        Vec::new()
    } else {
        vec![terms.constraint()]
    }
}

fn assumptions(terms: &mut Terms) -> Vec<Term> {
    (0..terms.random.below(6))
        .map(|_| {
            if terms.random.chance(85) {
                terms.literal(2)
            } else {
                terms.formula()
            }
        })
        .collect()
}

/// What terms mention, in the order it comes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mentioned {
    pub variables: Vec<Term>,
    pub functions: Vec<Function>,
    pub enumerations: Vec<EnumSort>,
}

pub fn mentioned(roots: impl Iterator<Item = Term>) -> Mentioned {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut found = Mentioned::default();
    let mut stack: Vec<Term> = roots.collect();
    stack.reverse();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Sort::Enum(sort) = term.sort()
            && !found.enumerations.contains(&sort)
        {
            found.enumerations.push(sort);
        }
        match term.op() {
            Op::Var(_) => found.variables.push(term),
            Op::Apply(function) if !found.functions.contains(function) => {
                found.functions.push(*function);
            }
            _ => {}
        }
        stack.extend(term.args().iter().rev());
    }
    found
}

/// The declarations of what terms mention.
pub fn declarations(roots: impl Iterator<Item = Term>) -> String {
    let mentioned = mentioned(roots);
    let mut out = String::new();
    for sort in mentioned.enumerations {
        printer::write_declare_enumeration(sort, &printer::OwnNames, &mut out);
        out.push('\n');
    }
    for variable in mentioned.variables {
        let (name, sort) = (printer::term(variable), printer::sort(variable.sort()));
        out.push_str(&format!("(declare-fun {name} () {sort})\n"));
    }
    for function in mentioned.functions {
        // Division by zero is written as a division.
        if is_division(function) {
            continue;
        }
        let name = printer::symbol(function.name().as_str());
        let domain: Vec<String> = function
            .domain()
            .iter()
            .map(|s| printer::sort(*s))
            .collect();
        let range = printer::sort(function.range());
        out.push_str(&format!(
            "(declare-fun {name} ({}) {range})\n",
            domain.join(" ")
        ));
    }
    out
}

/// Is the function what a division by zero means?
pub fn is_division(function: Function) -> bool {
    [Op::Div, Op::IntDiv, Op::Mod]
        .iter()
        .any(|op| function == proofmark_model::division_by_zero(op))
}

/// As SMT-LIB, with comments where it has no words.
impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&declarations(self.terms()))?;
        let mut depth = 0;
        for call in &self.0 {
            match call {
                Call::Declare(term) => writeln!(f, "; declare {}", printer::term(*term))?,
                Call::Assert(term) => writeln!(f, "(assert {})", printer::term(*term))?,
                Call::Push => {
                    depth += 1;
                    writeln!(f, "(push 1)")?;
                }
                Call::Pop(scopes) if *scopes > depth => writeln!(f, "; pop {scopes}")?,
                Call::Pop(scopes) => {
                    depth -= scopes;
                    writeln!(f, "(pop {scopes})")?;
                }
                Call::Check(terms) => check(terms, f)?,
                Call::MinimalCore(terms) => {
                    check(terms, f)?;
                    writeln!(f, "(get-unsat-assumptions)")?;
                }
                Call::Value(term) => writeln!(f, "(get-value ({}))", printer::term(*term))?,
                Call::Effort(effort) => writeln!(f, "(set-option :effort {effort})")?,
            }
        }
        Ok(())
    }
}

fn check(terms: &[Term], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if terms.is_empty() {
        return writeln!(f, "(check-sat)");
    }
    let terms: Vec<String> = terms.iter().map(|term| printer::term(*term)).collect();
    writeln!(f, "(check-sat-assuming ({}))", terms.join(" "))
}
