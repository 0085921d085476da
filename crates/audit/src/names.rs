//! The names in a certificate.
//!
//! Every name holds an `@`: variables have their step behind it, everything else what it is. So no
//! name is a word of SMT-LIB or of some solver's own, and the file reads like the model. Two things
//! of one name would make a different formula of it, so that is looked for and refused.

use crate::manifest::CertificateError;
use proofmark_model::{EnumSort, Function, Op, Sort, Term, Value};
use proofmark_solve::smtlib::printer::{
    self, Spelling, as_division_by_zero, write_declare_enumeration, write_sort, write_symbol,
};
use proofmark_source::printable;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Writes names as a certificate has them.
pub struct Names;

impl Spelling for Names {
    fn variable(&self, variable: Term, out: &mut String) {
        let name = variable.as_var().map_or("", |name| name.as_str());
        write_symbol(&spellable(name), out);
    }

    fn function(&self, function: Function, out: &mut String) {
        let name = spellable(function.name().as_str());
        write_symbol(&format!("{name}@function"), out);
    }

    fn constructor(&self, sort: EnumSort, index: u32, out: &mut String) {
        let (value, sort) = (
            spellable(&sort.values()[index as usize]),
            spellable(sort.name()),
        );
        write_symbol(&format!("{value}@{sort}"), out);
    }

    fn enumeration(&self, sort: EnumSort, out: &mut String) {
        write_symbol(&format!("{}@type", spellable(sort.name())), out);
    }
}

/// A name without the two characters that no symbol can hold.
fn spellable(name: &str) -> String {
    name.replace('|', "@bar@").replace('\\', "@backslash@")
}

/// All that formulas mention and a script has to declare, in the order of its first mention.
#[derive(Default)]
pub struct Declarations {
    seen: FxHashSet<Term>,
    variables: Vec<Term>,
    functions: Vec<Function>,
    enumerations: Vec<EnumSort>,
}

impl Declarations {
    /// Takes in all that a formula mentions.
    pub fn add(&mut self, formula: Term) {
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            stack.extend(term.args().iter().rev());
            match term.op() {
                Op::Var(_) => {
                    self.sort(term.sort());
                    self.variables.push(term);
                }
                Op::Const(Value::Enum(sort, _)) => self.sort(Sort::Enum(*sort)),
                Op::Apply(function) if as_division_by_zero(*function).is_none() => {
                    self.function(*function);
                }
                _ => {}
            }
        }
    }

    fn sort(&mut self, sort: Sort) {
        if let Sort::Enum(sort) = sort
            && !self.enumerations.contains(&sort)
        {
            self.enumerations.push(sort);
        }
    }

    fn function(&mut self, function: Function) {
        if self.functions.contains(&function) {
            return;
        }
        self.functions.push(function);
        self.sort(function.range());
        function.domain().iter().for_each(|sort| self.sort(*sort));
    }

    /// Writes the commands that declare everything.
    pub fn write(&self, out: &mut String) -> Result<(), CertificateError> {
        self.check()?;
        for sort in &self.enumerations {
            write_declare_enumeration(*sort, &Names, out);
            out.push('\n');
        }
        for function in &self.functions {
            out.push_str("(declare-fun ");
            Names.function(*function, out);
            out.push_str(" (");
            for (at, sort) in function.domain().iter().enumerate() {
                out.push_str(if at == 0 { "" } else { " " });
                write_sort(*sort, &Names, out);
            }
            out.push_str(") ");
            write_sort(function.range(), &Names, out);
            out.push_str(")\n");
        }
        for variable in &self.variables {
            out.push_str("(declare-const ");
            Names.variable(*variable, out);
            out.push(' ');
            write_sort(variable.sort(), &Names, out);
            out.push_str(")\n");
        }
        Ok(())
    }

    /// Each name once.
    fn check(&self) -> Result<(), CertificateError> {
        let mut names = Vec::new();
        let mut add = |write: &dyn Fn(&mut String)| {
            let mut name = String::new();
            write(&mut name);
            names.push(name);
        };
        for sort in &self.enumerations {
            add(&|out| Names.enumeration(*sort, out));
            for index in 0..sort.values().len() as u32 {
                add(&|out| Names.constructor(*sort, index, out));
            }
        }
        for function in &self.functions {
            add(&|out| Names.function(*function, out));
        }
        for variable in &self.variables {
            add(&|out| Names.variable(*variable, out));
        }
        let mut known = BTreeSet::new();
        for name in names {
            if known.contains(&name) {
                return Err(CertificateError::SameName { name });
            }
            known.insert(name);
        }
        Ok(())
    }
}

/// Writes an assertion on a line of its own.
pub fn write_assertion(formula: Term, out: &mut String) {
    out.push_str("(assert ");
    printer::write_term(formula, &Names, out);
    out.push_str(")\n");
}

/// Writes a comment, a line of it for each line of the text.
pub fn write_comment(text: &str, out: &mut String) {
    for line in text.lines() {
        // Writing to a string does not fail.
        let _ = writeln!(out, "; {}", printable(line));
    }
}
