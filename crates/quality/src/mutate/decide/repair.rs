//! Runs that a mutant accepts, made from runs that the original accepts.
//!
//! A mutant that changes an assumption, or what it speaks of, may break it on every stored run. To mend
//! that takes little: other values for some free variables near the damage, everything else as it
//! was. So the free variables that the failed assumption depends on are left open, the nearest
//! first, and with them whatever assumptions make equal to them. With all else known, what they and
//! the mutation reach is one small formula, which a solver answers at once, however large the system.
//! When it has no solution, what is in the way has some open, too. Whatever the solver says, the run is run: all
//! that is reached is evaluated before it counts.

use crate::mutate::compare::fault_simulation::{Changes, FaultSimulation, Point, Refusal};
use crate::mutate::compare::product::{FanOut, Seen};
use crate::mutate::mutant::Mutant;
use crate::oracle::OpenSolver;
use proofmark_model::{
    Definition, Element, ElementId, Evaluator, Op, Phase, System, Term, Trace, Value,
};
use proofmark_solve::{Answer, Budget, SolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// How many more free variables are left open, one attempt after the other.
const OPEN: [usize; 8] = [4, 8, 8, 16, 32, 64, 128, 256];
/// So many attempts take little, and so many there are.
pub(crate) const FEW_ATTEMPTS: usize = 3;
pub(crate) const MOST_ATTEMPTS: usize = OPEN.len();
/// For each attempt.
const EFFORT: u64 = 2_000;
/// How many terms are looked at to find the free variables.
const FURTHEST: usize = 20_000;

/// What repairs of all mutants of a system look at.
pub(crate) struct Dependencies {
    /// The element that defines a variable.
    definers: FxHashMap<Term, ElementId>,
    /// The free variables that assumptions make equal to a free variable.
    ties: FxHashMap<Term, Vec<Term>>,
}

impl Dependencies {
    pub fn new(system: &System) -> Dependencies {
        let mut dependencies = Dependencies {
            definers: FxHashMap::default(),
            ties: FxHashMap::default(),
        };
        for id in system.ids() {
            for definition in system.element(id).definitions() {
                dependencies.definers.insert(definition.variable, id);
            }
        }
        dependencies.tie(system);
        dependencies
    }

    /// Finds equations of free variables among the assumptions.
    fn tie(&mut self, system: &System) {
        let elements = system.elements().iter();
        let mut stack: Vec<Term> = elements
            .filter_map(|element| element.constraint(Phase::Step))
            .collect();
        let mut seen = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match (term.op(), term.args()) {
                (Op::And, args) => stack.extend(args),
                (Op::Var(_), _) => stack.extend(self.meaning(system, term)),
                (Op::Eq, [a, b]) => {
                    let (a, b) = (self.root(system, *a), self.root(system, *b));
                    let free =
                        |one: Term| one.as_var().is_some() && !self.definers.contains_key(&one);
                    if free(a) && free(b) && a != b {
                        self.ties.entry(a).or_default().push(b);
                        self.ties.entry(b).or_default().push(a);
                    }
                }
                _ => {}
            }
        }
    }

    /// What a variable is after the first step.
    fn meaning(&self, system: &System, variable: Term) -> Option<Term> {
        let id = self.definers.get(&variable)?;
        let mut definitions = system.element(*id).definitions();
        definitions.find(|one| one.variable == variable)?.step
    }

    /// The variable that a variable is just another name of.
    fn root(&self, system: &System, mut term: Term) -> Term {
        while let Some(other) = self.meaning(system, term) {
            if other.as_var().is_none() {
                break;
            }
            term = other;
        }
        term
    }

    /// A free variable and all that is equal to it.
    fn tied(&self, variable: Term) -> Vec<Term> {
        let mut all = vec![variable];
        let mut at = 0;
        while let Some(one) = all.get(at).copied() {
            for other in self.ties.get(&one).into_iter().flatten() {
                if !all.contains(other) {
                    all.push(*other);
                }
            }
            at += 1;
        }
        all
    }
}

/// A mutant to be given a run.
pub(crate) struct Repair<'a> {
    pub dependencies: &'a Dependencies,
    pub system: &'a System,
    pub readers: &'a FxHashMap<Term, Vec<ElementId>>,
    pub mutant: &'a Mutant,
    pub open: &'a OpenSolver<'a>,
}

/// What a failed assumption depends on.
#[derive(Default)]
struct Damage {
    /// The nearest free variables.
    free: Vec<Term>,
    /// The elements on the way to them.
    elements: FxHashSet<ElementId>,
}

/// What became of an attempt.
enum Attempt {
    Run(Trace),
    /// What is in the way, as far as that is known.
    Blocked(Vec<(Term, usize)>),
}

/// What became of a repair.
pub(crate) enum Repaired {
    /// The mutant accepts this run.
    Run(Trace),
    /// It could not be mended; elements of the mutant that may contradict each other.
    Damaged(FxHashSet<ElementId>),
}

impl Repair<'_> {
    /// Mends a run that the original accepts, if that can be done in so many attempts.
    pub fn mend(&self, seen: &Seen, attempts: usize) -> Result<Repaired, SolveError> {
        let fan_out = FanOut::new(self.system, self.readers, self.mutant);
        let simulation = FaultSimulation::new(self.system, &[], self.mutant, &fan_out);
        let nothing = Changes::default();
        let refusal = match simulation.accepts(seen, &nothing) {
            Ok(()) => return Ok(Repaired::Run(seen.run.clone())),
            Err(None) => return Ok(Repaired::Damaged(FxHashSet::default())),
            Err(Some(refusal)) => refusal,
        };
        let mut damage = Damage::default();
        let mut causes = refusal.failed.clone();
        for more in OPEN.into_iter().take(attempts) {
            let before = damage.free.len();
            self.extend(&mut damage, &refusal, causes, before + more);
            if damage.free.len() == before {
                break;
            }
            causes = match self.attempt(seen, &damage.free) {
                Ok(Attempt::Run(run)) => return Ok(Repaired::Run(run)),
                Ok(Attempt::Blocked(causes)) => causes,
                // What it cannot be told of it cannot mend.
                Err(SolveError::Unsupported { .. }) => break,
                Err(error) => return Err(error),
            };
        }
        let demands = |id: &ElementId| self.version(*id).target().is_none();
        let read_by = damage.free.iter().filter_map(|one| self.readers.get(one));
        let about = read_by.flatten().copied().chain(fan_out.elements());
        damage.elements.extend(about.filter(demands));
        damage.elements.extend(self.mutant.ids());
        Ok(Repaired::Damaged(damage.elements))
    }

    /// An element as the mutant has it.
    fn version(&self, id: ElementId) -> &Element {
        let mut changed = self.mutant.elements.iter();
        let version = changed.find(|(other, _)| *other == id);
        version.map_or(self.system.element(id), |(_, element)| element)
    }

    /// Some elements of the mutant alone; nothing where that is no system.
    pub fn excerpt(&self, ids: &FxHashSet<ElementId>) -> Option<System> {
        let mut system = System::default();
        for function in self.system.functions() {
            system.add_function(*function);
        }
        let mut ids: Vec<ElementId> = ids.iter().copied().collect();
        ids.sort_unstable();
        for element in ids.iter().map(|id| self.version(*id)) {
            let targets = element.definitions().map(|one| one.variable);
            for term in element.mentions().variables.into_iter().chain(targets) {
                let mut own = self.mutant.variables.iter();
                let new = own.find(|one| one.current == term || one.previous == term);
                let variable = self.system.variable(term).or(new)?;
                if system.variable(variable.current).is_none() {
                    system.declare(variable.clone()).ok()?;
                }
            }
            system.add_element(element.clone()).ok()?;
        }
        Some(system)
    }

    /// Looks for the free variables that some terms depend on, until there are so many.
    fn extend(
        &self,
        damage: &mut Damage,
        refusal: &Refusal<'_>,
        causes: Vec<(Term, usize)>,
        most: usize,
    ) {
        // To begin with, what has no say on this run is left alone.
        let first = damage.free.is_empty();
        let mut evaluators: Vec<Evaluator<'_, Point<'_>>> =
            refusal.states.iter().map(Evaluator::new).collect();
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from(causes);
        while let Some((term, step)) = queue.pop_front() {
            if !seen.insert((term, step)) {
                continue;
            }
            if damage.free.len() >= most || seen.len() > FURTHEST {
                break;
            }
            let mut is = |term: Term, value: bool| {
                first && evaluators[step].value(term) == Ok(Value::Bool(value))
            };
            match (term.op(), term.args()) {
                (Op::Var(_), _) => queue.extend(self.behind(term, step, damage)),
                (Op::And, args) if is(term, false) => {
                    let failed = args.iter().filter(|arg| is(**arg, false));
                    queue.extend(failed.map(|arg| (*arg, step)));
                }
                (Op::Ite, [condition, yes, _]) if is(*condition, true) => {
                    queue.extend([(*condition, step), (*yes, step)]);
                }
                (Op::Ite, [condition, _, no]) if is(*condition, false) => {
                    queue.extend([(*condition, step), (*no, step)]);
                }
                (_, args) => queue.extend(args.iter().map(|arg| (*arg, step))),
            }
        }
    }

    /// What defines a variable at a step; a free one is noted.
    fn behind(&self, term: Term, step: usize, damage: &mut Damage) -> Option<(Term, usize)> {
        let own = self
            .mutant
            .variables
            .iter()
            .find(|one| one.previous == term);
        let known = self.system.variable(term).or(own);
        let (current, step) = match known {
            Some(known) if known.previous == term => (known.current, step.checked_sub(1)?),
            _ => (term, step),
        };
        if let Some((id, definition)) = self.definition(current) {
            damage.elements.insert(id);
            if let Some(value) = definition.value(phase(step)) {
                return Some((value, step));
            }
        }
        for one in self.dependencies.tied(current) {
            if !damage.free.contains(&one) {
                damage.free.push(one);
            }
        }
        None
    }

    fn is_free(&self, variable: Term, step: usize) -> bool {
        let definition = self.definition(variable);
        definition.is_none_or(|(_, one)| one.value(phase(step)).is_none())
    }

    /// How the mutant defines a variable.
    fn definition(&self, variable: Term) -> Option<(ElementId, &Definition)> {
        let of = |id: ElementId, element: &'_ Element| {
            let mut definitions = element.definitions();
            definitions.find(|one| one.variable == variable).map(|_| id)
        };
        let changed = &self.mutant.elements;
        let mut own = changed.iter().filter_map(|(id, element)| of(*id, element));
        let id = own.next().or_else(|| {
            let id = self.dependencies.definers.get(&variable)?;
            let replaced = changed.iter().any(|(other, _)| other == id);
            (!replaced).then_some(*id)
        })?;
        let mut definitions = self.version(id).definitions();
        Some((id, definitions.find(|one| one.variable == variable)?))
    }

    /// Looks for other values of some free variables with which the mutant accepts a run.
    fn attempt(&self, seen: &Seen, free: &[Term]) -> Result<Attempt, SolveError> {
        let read_by = free.iter().filter_map(|one| self.readers.get(one));
        let mut changed = self.mutant.ids();
        changed.extend(read_by.flatten());
        let fan_out = FanOut::of(self.system, self.readers, changed);
        let simulation = FaultSimulation::new(self.system, &[], self.mutant, &fan_out);
        let open = free.iter().flat_map(|one| {
            let name = one.as_var().map_or("", |name| name.as_str());
            let unknown = move |step| Term::var(&format!("{name}@{step}"), one.sort());
            let steps = (0..seen.run.len()).filter(|step| self.is_free(*one, *step));
            steps.map(move |step| ((*one, step), unknown(step)))
        });
        let mut formula = Formula {
            simulation: &simulation,
            run: &seen.run,
            open: open.collect(),
            known: vec![FxHashMap::default(); seen.run.len()],
        };
        let values = match formula.solve(self.open)? {
            Ok(values) => values,
            Err(causes) => return Ok(Attempt::Blocked(causes)),
        };
        if simulation.accepts(seen, &values).is_err() {
            return Ok(Attempt::Blocked(Vec::new()));
        }
        let mut run = seen.run.clone();
        for ((variable, step), value) in values {
            run.replace(variable, step, value);
        }
        Ok(Attempt::Run(run))
    }
}

fn phase(step: usize) -> Phase {
    match step {
        0 => Phase::Init,
        _ => Phase::Step,
    }
}

/// What a mutant demands along a run, over the variables that are left open.
struct Formula<'f> {
    simulation: &'f FaultSimulation<'f>,
    run: &'f Trace,
    open: FxHashMap<(Term, usize), Term>,
    /// What terms have become, by step.
    known: Vec<FxHashMap<Term, Term>>,
}

/// What a variable stands for.
enum Leaf {
    Value(Term),
    /// What another term is, at some step.
    Term(Term, usize),
}

impl Formula<'_> {
    /// Values for what is open with which all demands hold, if a solver finds some; otherwise what
    /// is in the way.
    fn solve(
        &mut self,
        open: &OpenSolver<'_>,
    ) -> Result<Result<Changes, Vec<(Term, usize)>>, SolveError> {
        let mut causes: FxHashMap<Term, Vec<(Term, usize)>> = FxHashMap::default();
        let mut assumed = Vec::new();
        for (term, step, within) in self.conjuncts() {
            let Some(claim) = self.at(term, step) else {
                return Ok(Err(Vec::new()));
            };
            if claim != Term::bool(true) {
                let causes = causes.entry(claim).or_default();
                causes.extend(
                    [Some(term), within]
                        .into_iter()
                        .flatten()
                        .map(|one| (one, step)),
                );
                assumed.push(claim);
            }
        }
        if let Some(broken) = causes.remove(&Term::bool(false)) {
            return Ok(Err(broken));
        }
        let mut solver = open()?;
        solver.set_budget(Budget {
            effort: Some(EFFORT),
            time: None,
        });
        match solver.check(&assumed)? {
            Answer::Sat => {}
            Answer::Unsat => {
                let core = solver.core()?;
                let causes = core.iter().filter_map(|claim| causes.get(claim));
                return Ok(Err(causes.flatten().copied().collect()));
            }
            Answer::Unknown(_) => return Ok(Err(Vec::new())),
        }
        let mut values = Changes::default();
        for (place, unknown) in &self.open {
            values.insert(*place, solver.value(*unknown)?);
        }
        Ok(Ok(values))
    }

    /// All that is demanded, in small pieces: what is known leaves of most implications a
    /// conjunction. Each comes with the innermost implication that it is in, if any.
    fn conjuncts(&mut self) -> Vec<(Term, usize, Option<Term>)> {
        let mut pieces = Vec::new();
        for step in 0..self.run.len() {
            let demands = self.simulation.demands(step).iter();
            let mut stack: Vec<(Term, Option<Term>)> = demands.map(|one| (*one, None)).collect();
            let mut seen = FxHashSet::default();
            while let Some((term, within)) = stack.pop() {
                if !seen.insert(term) {
                    continue;
                }
                let definition = self.simulation.definition(term);
                match (term.op(), definition.and_then(|one| one.value(phase(step)))) {
                    (Op::And, _) => stack.extend(term.args().iter().map(|arg| (*arg, within))),
                    (_, Some(value)) => stack.push((value, within)),
                    (Op::Or, _) => match self.last_of(term.args(), step) {
                        Some(last) => stack.push((last, Some(term))),
                        None => pieces.push((term, step, within)),
                    },
                    _ => pieces.push((term, step, within)),
                }
            }
        }
        pieces
    }

    /// The one of some terms that is not known to be false; of none, a conjunction, which fails in a
    /// few pieces.
    fn last_of(&mut self, terms: &[Term], step: usize) -> Option<Term> {
        let mut left = terms.iter().copied();
        let mut possible = || left.find(|one| self.at(*one, step) != Some(Term::bool(false)));
        match possible() {
            Some(last) => possible().is_none().then_some(last),
            None => terms.iter().copied().find(|one| *one.op() == Op::And),
        }
    }

    /// A term at a step; nothing where it takes a function of something open.
    fn at(&mut self, root: Term, step: usize) -> Option<Term> {
        let mut stack = vec![(root, step)];
        while let Some(&(term, step)) = stack.last() {
            if self.known[step].contains_key(&term) {
                stack.pop();
                continue;
            }
            if term.as_var().is_some() {
                let meaning = match self.leaf(term, step)? {
                    Leaf::Value(value) => Some(value),
                    Leaf::Term(other, when) => match self.known[when].get(&other) {
                        Some(known) => Some(*known),
                        None => {
                            stack.push((other, when));
                            None
                        }
                    },
                };
                if let Some(meaning) = meaning {
                    self.known[step].insert(term, meaning);
                }
                continue;
            }
            let before = stack.len();
            let known = &self.known[step];
            let missing = term.args().iter().filter(|arg| !known.contains_key(arg));
            stack.extend(missing.map(|arg| (*arg, step)));
            if stack.len() == before {
                let args: Vec<Term> = term.args().iter().map(|arg| known[arg]).collect();
                let built = self.over(term, &args)?;
                self.known[step].insert(term, built);
            }
        }
        self.known[step].get(&root).copied()
    }

    fn over(&self, term: Term, args: &[Term]) -> Option<Term> {
        match term.op() {
            Op::Apply(function) => {
                let values: Option<Vec<Value>> =
                    args.iter().map(|arg| arg.as_const().cloned()).collect();
                let value = self.run.functions.value(*function, &values?);
                Some(Term::constant(value))
            }
            op => Term::build(op.clone(), args).ok(),
        }
    }

    fn leaf(&self, term: Term, step: usize) -> Option<Leaf> {
        let (current, is_previous) = self.simulation.variable(term);
        if is_previous {
            return Some(Leaf::Term(current, step.checked_sub(1)?));
        }
        if let Some(unknown) = self.open.get(&(current, step)) {
            return Some(Leaf::Value(*unknown));
        }
        let definition = self.simulation.definition(current);
        if let Some(value) = definition.and_then(|one| one.value(phase(step))) {
            return Some(Leaf::Term(value, step));
        }
        let value = self.run.value(current, step).cloned();
        let value = value.unwrap_or_else(|| Value::default_of(current.sort()));
        Some(Leaf::Value(Term::constant(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::compare::product::readers;
    use proofmark_model::{Origin, Program, Role, Sort, Variable};
    use proofmark_solve::Embedded;

    /// `y = x + 1; assert a => y = z; assert w = x` with free `x`, `z`, `w` and `a`.
    fn system() -> (System, [Variable; 5]) {
        let mut system = System::default();
        let names = ["x", "y", "z", "w"].map(|name| (name, Sort::Int));
        let [x, y, z, w] =
            names.map(|(name, sort)| Variable::new(name, sort, Role::Input, Origin::generated()));
        let a = Variable::new("a", Sort::Bool, Role::Input, Origin::generated());
        let all = [x.clone(), y.clone(), z.clone(), w.clone(), a.clone()];
        for variable in &all {
            system.declare(variable.clone()).unwrap();
        }
        system.add_element(defines(&y, more(&x, 1))).unwrap();
        let same = a.current.implies(y.current.eq(z.current));
        for demand in [same, w.current.eq(x.current), a.current] {
            let element = Element::constrain(Some(demand), Some(demand), Origin::generated());
            system.add_element(element).unwrap();
        }
        (system, all)
    }

    fn more(variable: &Variable, number: i64) -> Term {
        Term::add(&[variable.current, Term::int(number)])
    }

    fn defines(variable: &Variable, value: Term) -> Element {
        let definition = Definition {
            variable: variable.current,
            init: Some(value),
            step: Some(value),
        };
        Element::define(definition, Origin::generated())
    }

    fn accepted(original: &Program, all: &[Variable; 5]) -> Seen {
        let mut given = Trace::new(all.iter().map(|one| one.current).collect());
        for _ in 0..2 {
            let mut row = [5, 6, 6, 5].map(|one| Value::Int(one.into())).to_vec();
            row.push(Value::Bool(true));
            given.push(row).unwrap();
        }
        let seen = Seen::of(original, &given);
        assert_eq!(seen.broken_at, None);
        seen
    }

    /// What becomes of a mutant with other elements, and the mutant.
    fn mended(elements: Vec<(ElementId, Element)>) -> (Repaired, System, Option<System>) {
        let (system, all) = system();
        let seen = accepted(&Program::compile(&system).unwrap(), &all);
        let mutant = Mutant {
            elements,
            variables: Vec::new(),
        };
        let open = || Ok(Box::new(Embedded::default()) as Box<dyn proofmark_solve::Solver>);
        let repair = Repair {
            dependencies: &Dependencies::new(&system),
            system: &system,
            readers: &readers(&system),
            mutant: &mutant,
            open: &open,
        };
        let repaired = repair.mend(&seen, MOST_ATTEMPTS).unwrap();
        let excerpt = match &repaired {
            Repaired::Run(_) => None,
            Repaired::Damaged(elements) => repair.excerpt(elements),
        };
        (repaired, mutant.of(&system).unwrap(), excerpt)
    }

    #[test]
    fn a_mended_run_is_one_of_the_mutant() {
        let (_, [x, y, z, ..]) = system();
        let eight = y.current.eq(Term::int(8));
        let demand = Term::and(&[eight, eight.implies(y.current.eq(z.current))]);
        let versions = [
            (ElementId(0), defines(&y, more(&x, 3))),
            (
                ElementId(1),
                Element::constrain(Some(demand), Some(demand), Origin::generated()),
            ),
        ];
        for version in versions {
            let (repaired, mutant, _) = mended(vec![version]);
            let Repaired::Run(run) = repaired else {
                panic!("not mended");
            };
            let program = Program::compile(&mutant).unwrap();
            assert_eq!(program.machine().run(&run).1.violated, []);
        }
    }

    #[test]
    fn what_cannot_be_mended_is_in_the_excerpt() {
        let (_, [_, y, z, _, _]) = system();
        let demand = Term::and(&[y.current.eq(z.current), more(&y, 1).eq(z.current)]);
        let element = Element::constrain(Some(demand), Some(demand), Origin::generated());
        let (repaired, _, excerpt) = mended(vec![(ElementId(1), element)]);
        assert!(matches!(repaired, Repaired::Damaged(_)));
        let excerpt = excerpt.unwrap();
        let program = Program::compile(&excerpt).unwrap();
        let open = || Ok(Box::new(Embedded::default()) as Box<dyn proofmark_solve::Solver>);
        let found = proofmark_audit::vacuity(&excerpt, &program, &open, None).unwrap();
        assert!(found.contradiction().is_some());
    }
}
