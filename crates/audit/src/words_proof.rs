//! The proof of a certificate, as a file: the invariants over the variables of the model.
//!
//! It is a script of declarations and assertions, with the names that all scripts of a certificate have
//! ([`Names`]). Reading takes it back to the terms of a system: what the system has no variable for is refused,
//! so that a proof is about the model or none.

use crate::manifest::CertificateError;
use crate::names::{Declarations, Names, write_assertion, write_comment};
use proofmark_model::{
    EnumSort, Function, Invariant, Mentions, Op, Proof, Sort, System, Term, Value,
};
use proofmark_solve::smtlib::printer::{Spelling, as_division_by_zero, write_symbol};
use proofmark_solve::smtlib::{Command, Reader};
use proofmark_source::{Sources, printable};
use rustc_hash::FxHashMap;

/// The file of a proof.
pub(crate) fn write(property: &str, proof: &Proof) -> Result<String, CertificateError> {
    let mut out = String::new();
    let what = format!(
        "Proofmark certificate, what is inductive together with property {}.",
        printable(property)
    );
    write_comment(&what, &mut out);
    out.push_str("(set-logic ALL)\n");
    let mut declarations = Declarations::default();
    for invariant in &proof.invariants {
        declarations.add(invariant.term);
    }
    declarations.write(&mut out)?;
    for invariant in &proof.invariants {
        write_assertion(invariant.term, &mut out);
    }
    Ok(out)
}

/// What such a file says of a system.
pub(crate) fn read(text: &str, depth: u32, system: &System) -> Result<Proof, String> {
    let mut sources = Sources::default();
    let file = sources.add("proof", text.to_string());
    let file = file.map_err(|_| "it is too long")?;
    let mut reader = Reader::new(file, sources.file(file).text());
    let mut own = OwnTerms::of(system);
    let mut invariants = Vec::new();
    loop {
        let command = reader.command().map_err(|fault| fault.message.clone())?;
        match command {
            None => break,
            Some((
                Command::Assert {
                    formula,
                    name: None,
                },
                _,
            )) => {
                let term = own.of_file(formula.term)?;
                invariants.push(Invariant { term, k: depth });
            }
            Some((
                Command::SetLogic(_)
                | Command::DeclareVariable(_)
                | Command::DeclareFunction(_)
                | Command::DeclareSort(_),
                _,
            )) => {}
            Some(_) => return Err("expected declarations and assertions, found more".into()),
        }
    }
    Ok(Proof {
        k: depth,
        invariants,
    })
}

/// The system's terms by the names that they have in files.
struct OwnTerms {
    variables: FxHashMap<String, Term>,
    functions: FxHashMap<String, Function>,
    enumerations: FxHashMap<String, EnumSort>,
    known: FxHashMap<Term, Term>,
}

impl OwnTerms {
    fn of(system: &System) -> OwnTerms {
        let mut own = OwnTerms {
            variables: FxHashMap::default(),
            functions: FxHashMap::default(),
            enumerations: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        for variable in system.variables() {
            own.variables.insert(
                spelled(|out| Names.variable(variable.current, out)),
                variable.current,
            );
            own.sort(variable.sort());
        }
        let mut mentions = Mentions::default();
        let terms = system.elements().iter().flat_map(|element| element.terms());
        terms
            .chain(system.properties().iter().map(|one| one.term))
            .for_each(|term| mentions.add(term));
        for function in mentions.functions.iter().chain(system.functions()) {
            if as_division_by_zero(*function).is_none() {
                own.functions
                    .insert(spelled(|out| Names.function(*function, out)), *function);
                function.domain().iter().for_each(|sort| own.sort(*sort));
                own.sort(function.range());
            }
        }
        own
    }

    fn sort(&mut self, sort: Sort) {
        if let Sort::Enum(sort) = sort {
            self.enumerations
                .insert(spelled(|out| Names.enumeration(sort, out)), sort);
        }
    }

    /// A formula of a file as one about the system.
    fn of_file(&mut self, root: Term) -> Result<Term, String> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.known.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(
                term.args()
                    .iter()
                    .filter(|arg| !self.known.contains_key(arg)),
            );
            if stack.len() > before {
                continue;
            }
            let own = self.one(term)?;
            self.known.insert(term, own);
            stack.pop();
        }
        Ok(self.known[&root])
    }

    /// A term whose arguments are known.
    fn one(&self, term: Term) -> Result<Term, String> {
        let args: Vec<Term> = term.args().iter().map(|arg| self.known[arg]).collect();
        let op = match term.op() {
            Op::Var(name) => {
                let spelled = spelled(|out| write_symbol(name.as_str(), out));
                let own = self.variables.get(&spelled).copied();
                let own = own.ok_or_else(|| format!("the model has no variable {name}"))?;
                return match self.sort_of(term.sort()) == Some(own.sort()) {
                    true => Ok(own),
                    false => Err(format!("{name} is of sort {:?} in the model", own.sort())),
                };
            }
            Op::Const(Value::Enum(sort, index)) => {
                let own = self.enumeration(*sort);
                let own =
                    own.ok_or_else(|| format!("the model has no enumeration {}", sort.name()))?;
                return Ok(Term::constant(Value::Enum(own, *index)));
            }
            Op::Apply(function) if as_division_by_zero(*function).is_none() => {
                let name = function.name();
                let spelled = spelled(|out| write_symbol(name.as_str(), out));
                let own = self.functions.get(&spelled).copied();
                Op::Apply(own.ok_or_else(|| format!("the model has no function {name}"))?)
            }
            op if args.is_empty() || args == term.args() => {
                debug_assert!(!matches!(op, Op::Var(_)));
                return Ok(term);
            }
            op => op.clone(),
        };
        Term::build(op, &args).map_err(|error| error.to_string())
    }

    fn sort_of(&self, sort: Sort) -> Option<Sort> {
        match sort {
            Sort::Enum(sort) => self.enumeration(sort).map(Sort::Enum),
            other => Some(other),
        }
    }

    /// The system's enumeration of this name and these values.
    fn enumeration(&self, sort: EnumSort) -> Option<EnumSort> {
        let name = spelled(|out| write_symbol(sort.name(), out));
        let own = *self.enumerations.get(&name)?;
        let same = own.values().len() == sort.values().len()
            && (0..).zip(sort.values()).all(|(index, value)| {
                spelled(|out| Names.constructor(own, index, out))
                    == spelled(|out| write_symbol(value, out))
            });
        same.then_some(own)
    }
}

fn spelled(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out
}
