//! Defined functions, compiled so that each call costs one step per node of the body.
//!
//! The body is read once, as a term over placeholder variables, and flattened into a list of steps
//! in which every step comes after those it uses. A call runs through the list: what depends on no
//! parameter is not built again, what is shared in the body is built once, and nothing is looked
//! up. Transition relations with hundreds of parameters are called hundreds of times, often, after
//! a `pop`, with the same arguments again: so calls are remembered.

use super::operators::{Refusal, short};
use proofmark_model::{Op, Sort, Term};
use rustc_hash::FxHashMap;

pub struct Macro {
    pub parameters: Vec<Sort>,
    steps: Vec<Step>,
    /// The arguments of all `Build` steps, as positions of earlier steps.
    arguments: Vec<u32>,
    /// The calls so far. They need less memory than the text that makes them.
    known: FxHashMap<Box<[Term]>, Term>,
}

enum Step {
    Parameter(u32),
    Closed(Term),
    Build { op: &'static Op, arguments: u32 },
}

/// The variable that stands for a parameter in a body. No script can spell its name, so that it is
/// never taken for a variable of the script.
pub fn placeholder(index: usize, sort: Sort) -> Term {
    Term::var(&format!("parameter|{index}"), sort)
}

impl Macro {
    /// Compiles a body whose parameters are placeholders.
    pub fn compile(parameters: Vec<Sort>, body: Term) -> Macro {
        let mut compiler = Compiler::default();
        for (index, sort) in parameters.iter().enumerate() {
            let place = compiler.step(Step::Parameter(index as u32));
            let known = Known::Open(place);
            compiler.known.insert(placeholder(index, *sort), known);
        }
        compiler.compile(body);
        Macro {
            parameters,
            steps: compiler.steps,
            arguments: compiler.arguments,
            known: FxHashMap::default(),
        }
    }

    /// The body with these arguments, which have the parameters' sorts.
    pub fn call(&mut self, actual: &[Term], scratch: &mut Scratch) -> Result<Term, Refusal> {
        if let Some(term) = self.known.get(actual) {
            return Ok(*term);
        }
        let term = self.build(actual, scratch)?;
        self.known.insert(actual.into(), term);
        Ok(term)
    }

    fn build(&self, actual: &[Term], scratch: &mut Scratch) -> Result<Term, Refusal> {
        let Scratch { values, arguments } = scratch;
        values.clear();
        let mut first = 0;
        for step in &self.steps {
            let value = match step {
                Step::Parameter(index) => actual[*index as usize],
                Step::Closed(term) => *term,
                Step::Build {
                    op,
                    arguments: count,
                } => {
                    let end = first + *count as usize;
                    arguments.clear();
                    let places = &self.arguments[first..end];
                    arguments.extend(places.iter().map(|place| values[*place as usize]));
                    first = end;
                    let built = Term::build((*op).clone(), arguments);
                    short(built.map_err(|_| Refusal::Sorts)?)?
                }
            };
            values.push(value);
        }
        values.last().copied().ok_or(Refusal::Sorts)
    }
}

/// Space that calls share.
#[derive(Default)]
pub struct Scratch {
    values: Vec<Term>,
    arguments: Vec<Term>,
}

#[derive(Clone, Copy)]
enum Known {
    /// Depends on no parameter; has a step only when an open term uses it.
    Closed(Option<u32>),
    Open(u32),
}

#[derive(Default)]
struct Compiler {
    steps: Vec<Step>,
    arguments: Vec<u32>,
    known: FxHashMap<Term, Known>,
}

impl Compiler {
    fn step(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        self.steps.len() as u32 - 1
    }

    fn compile(&mut self, body: Term) {
        let mut stack = vec![body];
        while let Some(&term) = stack.last() {
            if self.known.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let unknown = |arg: &&Term| !self.known.contains_key(*arg);
            stack.extend(term.args().iter().filter(unknown));
            if stack.len() == before {
                let known = self.node(term);
                self.known.insert(term, known);
                stack.pop();
            }
        }
        // The value of the last step is the value of the call.
        let place = self.place(body);
        if place as usize + 1 != self.steps.len() {
            match self.steps[place as usize] {
                Step::Parameter(index) => self.step(Step::Parameter(index)),
                Step::Closed(_) | Step::Build { .. } => self.step(Step::Closed(body)),
            };
        }
    }

    /// A term whose arguments are known.
    fn node(&mut self, term: Term) -> Known {
        let is_open = |arg: &Term| matches!(self.known.get(arg), Some(Known::Open(_)));
        if !term.args().iter().any(is_open) {
            return Known::Closed(None);
        }
        for arg in term.args() {
            let place = self.place(*arg);
            self.arguments.push(place);
        }
        Known::Open(self.step(Step::Build {
            op: term.op(),
            arguments: term.args().len() as u32,
        }))
    }

    /// The step of a known term, made when a closed one has none.
    fn place(&mut self, term: Term) -> u32 {
        match self.known.get(&term) {
            Some(Known::Open(place) | Known::Closed(Some(place))) => *place,
            _ => {
                let place = self.step(Step::Closed(term));
                self.known.insert(term, Known::Closed(Some(place)));
                place
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(parameters: Vec<Sort>, body: Term, actual: &[Term]) -> Term {
        let mut compiled = Macro::compile(parameters, body);
        compiled.call(actual, &mut Scratch::default()).unwrap()
    }

    #[test]
    fn a_call_is_the_body_with_the_arguments_in_place() {
        let [a, b] = [0, 1].map(|index| placeholder(index, Sort::Int));
        let (x, y) = (Term::var("x", Sort::Int), Term::var("y", Sort::Int));
        let shape = |p: Term, q: Term| Term::add(&[p, q.mul(p), x]).le(p).not();
        let sorts = vec![Sort::Int, Sort::Int];
        assert_eq!(call(sorts.clone(), shape(a, b), &[y, x]), shape(y, x));
        assert_eq!(call(sorts.clone(), a, &[y, x]), y);
        assert_eq!(call(sorts.clone(), b, &[y, x]), x);
        assert_eq!(call(sorts.clone(), x, &[y, y]), x);
        assert_eq!(call(sorts, x.le(y), &[y, y]), x.le(y));
    }

    #[test]
    fn repeated_squaring_is_refused_before_it_fills_the_memory() {
        let mut squared = placeholder(0, Sort::Int);
        for _ in 0..60 {
            squared = squared.mul(squared);
        }
        let mut compiled = Macro::compile(vec![Sort::Int], squared);
        let called = compiled.call(&[Term::int(3)], &mut Scratch::default());
        assert_eq!(called, Err(Refusal::Number));
    }
}
