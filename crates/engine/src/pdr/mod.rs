//! Property-directed reachability (IC3, Bradley 2011; Eén, Mishchenko and Brayton 2011), over
//! infinite state.
//!
//! Frame `i` over-approximates the states reachable in `i` steps, as a list of lemmas. A state of the
//! last frame with a successor that violates the property is an obligation: block it, by showing that
//! no state of the frame before leads to it, or follow it backwards. Blocked cubes are generalised by
//! the solver's core and by leaving out literals, and become lemmas; lemmas that also hold one frame
//! later move on. When all lemmas of a frame move on, they are an invariant.
//!
//! Predecessors are cubes of literals rather than single states: of the two known ways, predicate
//! abstraction refined by interpolants and model-based generalisation, this is the second (as in
//! Komuravelli, Gurfinkel and Chaki 2014), because it needs nothing of the solver but models and cores
//! and finds its predicates in the model's own equations (see `implicant`). Equalities are split into
//! two bounds, so that a core can keep just one side.

mod implicant;

use self::implicant::Backwards;
use crate::engine::{Engine, Finding, MakeSolver, Message, Progress, PropertyId, cost};
use crate::frames::Frames;
use proofmark_model::{Invariant, Sort, System, Term, Value};
use proofmark_solve::{Answer, Budget, SolveError};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub struct Pdr<'s> {
    /// One step from state 0 to state 1.
    frames: Frames<'s>,
    /// The first states.
    init: Frames<'s>,
    /// One step from a first state.
    first_step: Frames<'s>,
    backwards: Backwards,
    /// Previous terms of the state.
    state: Vec<Term>,
    open: Vec<PropertyId>,
    run: Option<Run>,
    runs: u32,
    /// Invariants of other engines, with the depth of their induction.
    lemmas_of_others: FxHashMap<Term, u32>,
    /// What may be worth a lemma, from a proof of another system.
    seeds: Vec<Term>,
    /// Properties that this engine gives up on: it found a way to a first state, which is for
    /// bounded model checking to show.
    given_up: Vec<PropertyId>,
}

/// The work on one property.
struct Run {
    property: PropertyId,
    term: Term,
    /// Turns on the property in state 0.
    activation: Term,
    /// Lemmas by the last frame they are known for; the first is the frame of first states.
    levels: Vec<Vec<Lemma>>,
    /// What is still to be looked at before the search begins.
    seeds: Vec<Term>,
    obligations: BinaryHeap<Obligation>,
    next: u64,
}

#[derive(Clone)]
struct Lemma {
    /// What it excludes.
    cube: Vec<Term>,
}

impl Lemma {
    fn term(&self) -> Term {
        Term::and(&self.cube).not()
    }
}

/// A cube to be blocked; the least level first, then the oldest.
#[derive(PartialEq, Eq)]
struct Obligation {
    level: usize,
    number: u64,
    cube: Vec<Term>,
}

impl Ord for Obligation {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (Reverse(self.level), Reverse(self.number))
            .cmp(&(Reverse(other.level), Reverse(other.number)))
    }
}

impl PartialOrd for Obligation {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Why the work is put down.
enum Halt {
    /// The effort is used up.
    Effort,
    /// The property does not hold, or the model cannot be generalised.
    GiveUp,
    Failed(SolveError),
}

impl From<SolveError> for Halt {
    fn from(error: SolveError) -> Halt {
        Halt::Failed(error)
    }
}

/// Generalisation stops after so many literals could not be left out.
const MOST_FAILURES: usize = 8;
/// Queries in a step of the portfolio.
const QUERIES: usize = 10;

impl<'s> Pdr<'s> {
    /// An engine that begins with those of the seeds that hold for the first steps.
    pub fn new(
        system: &'s System,
        seeds: Vec<Term>,
        make_solver: &MakeSolver<'_>,
    ) -> Result<Pdr<'s>, SolveError> {
        let mut frames = Frames::new(system, make_solver()?);
        frames.assert_state()?;
        frames.assert_step(1)?;
        let mut init = Frames::new(system, make_solver()?);
        init.assert_init()?;
        let mut first_step = Frames::new(system, make_solver()?);
        first_step.assert_init()?;
        first_step.assert_step(1)?;
        Ok(Pdr {
            frames,
            init,
            first_step,
            backwards: Backwards::new(system),
            state: system
                .state()
                .iter()
                .map(|variable| variable.previous)
                .collect(),
            open: (0..system.properties().len()).collect(),
            run: None,
            runs: 0,
            lemmas_of_others: FxHashMap::default(),
            seeds,
            given_up: Vec::new(),
        })
    }

    /// The literal that turns on the lemmas of a level and above.
    fn level_activation(&self, level: usize) -> Term {
        Term::var(&format!("%pdr{}.{level}", self.runs), Sort::Bool)
    }

    fn begin(&mut self, property: PropertyId) -> Result<(), SolveError> {
        self.runs += 1;
        let term = self.frames.system.properties()[property].term;
        let activation = Term::var(&format!("%pdr{}", self.runs), Sort::Bool);
        self.frames.assert_at(activation.implies(term), 0)?;
        self.run = Some(Run {
            property,
            term,
            activation,
            levels: vec![Vec::new(), Vec::new()],
            seeds: self.seeds.clone(),
            obligations: BinaryHeap::new(),
            next: 0,
        });
        Ok(())
    }

    fn run(&self) -> Result<&Run, Halt> {
        self.run.as_ref().ok_or(Halt::GiveUp)
    }

    fn run_mut(&mut self) -> Result<&mut Run, Halt> {
        self.run.as_mut().ok_or(Halt::GiveUp)
    }

    fn check(frames: &mut Frames<'_>, assumptions: &[Term]) -> Result<bool, Halt> {
        match frames.solver.check(assumptions)? {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(_) => Err(Halt::Effort),
        }
    }

    /// The assumptions that say that state 0 is in a frame.
    fn in_frame(&self, level: usize) -> Result<Vec<Term>, Halt> {
        let run = self.run()?;
        let mut assumptions = vec![run.activation];
        assumptions.extend((level..run.levels.len()).map(|at| self.level_activation(at)));
        Ok(assumptions)
    }

    /// Does some first state satisfy the cube?
    fn meets_init(&mut self, cube: &[Term]) -> Result<bool, Halt> {
        let assumptions: Vec<Term> = cube
            .iter()
            .map(|literal| self.init.at(*literal, 0))
            .collect();
        Self::check(&mut self.init, &assumptions)
    }

    /// A cube of states that lead to the goals (over state 1), from the solver's model.
    fn predecessor(&mut self, goals: &[Term]) -> Result<Vec<Term>, Halt> {
        let mut values: FxHashMap<Term, Value> = FxHashMap::default();
        for &previous in &self.state {
            values.insert(previous, self.frames.value(previous, 1)?);
        }
        for &free in &self.backwards.free {
            values.insert(free, self.frames.value(free, 1)?);
        }
        let mut goals = goals.to_vec();
        goals.extend(&self.backwards.constraints);
        self.backwards
            .implicant(&goals, &values)
            .ok_or(Halt::GiveUp)
    }

    /// Works until the effort is used up; true when the property is proved.
    fn work(&mut self) -> Result<Option<Vec<Invariant>>, Halt> {
        for _ in 0..QUERIES {
            if let Some(seed) = self.run_mut()?.seeds.pop() {
                if let Err(halt) = self.sow(seed) {
                    self.run_mut()?.seeds.push(seed);
                    return Err(halt);
                }
                continue;
            }
            if let Some(obligation) = self.run_mut()?.obligations.pop() {
                let (level, number, cube) =
                    (obligation.level, obligation.number, obligation.cube.clone());
                if let Err(halt) = self.block(obligation) {
                    self.run_mut()?.obligations.push(Obligation {
                        level,
                        number,
                        cube,
                    });
                    return Err(halt);
                }
                continue;
            }
            let last = self.run()?.levels.len() - 1;
            let bad = self.run()?.term.not();
            let mut assumptions = self.in_frame(last)?;
            assumptions.push(self.frames.at(bad, 1));
            if Self::check(&mut self.frames, &assumptions)? {
                let cube = self.predecessor(&[bad])?;
                self.add_obligation(last, cube)?;
            } else if let Some(invariants) = self.advance()? {
                return Ok(Some(invariants));
            }
        }
        Ok(None)
    }

    /// Makes a seed a lemma of the first frame, if it is one; where it holds further on will show.
    fn sow(&mut self, seed: Term) -> Result<(), Halt> {
        let cube = vec![seed.not()];
        if !self.meets_init(&cube)? && self.unreachable_from_init(&cube)?.is_some() {
            self.add_lemma(1, cube)?;
        }
        Ok(())
    }

    fn add_obligation(&mut self, level: usize, cube: Vec<Term>) -> Result<(), Halt> {
        let run = self.run_mut()?;
        run.next += 1;
        let number = run.next;
        run.obligations.push(Obligation {
            level,
            number,
            cube,
        });
        Ok(())
    }

    /// Blocks a cube at its level, or adds what stands in the way.
    fn block(&mut self, obligation: Obligation) -> Result<(), Halt> {
        let Obligation { level, cube, .. } = &obligation;
        if self.meets_init(cube)? {
            return Err(Halt::GiveUp);
        }
        if *level == 0 {
            return Ok(());
        }
        if self.is_blocked(*level, cube)? {
            return Ok(());
        }
        match self.relative_induction(level - 1, cube)? {
            Some(core) => {
                let core = self.without_init(core, cube)?;
                let cube = self.generalise(level - 1, core)?;
                let level = self.push_forward(*level, &cube)?;
                self.add_lemma(level, cube)?;
                if level < self.run()?.levels.len() - 1 {
                    self.add_obligation(level + 1, obligation.cube)?;
                }
            }
            None => {
                let predecessor = self.predecessor(cube)?;
                let again = obligation.cube.clone();
                self.add_obligation(level - 1, predecessor)?;
                self.add_obligation(*level, again)?;
            }
        }
        Ok(())
    }

    /// Do the lemmas of a frame exclude the cube already?
    fn is_blocked(&mut self, level: usize, cube: &[Term]) -> Result<bool, Halt> {
        let mut assumptions = self.in_frame(level)?;
        for literal in cube {
            assumptions.push(self.frames.at(*literal, 0));
        }
        Ok(!Self::check(&mut self.frames, &assumptions)?)
    }

    /// Is the cube unreachable in one step from the frame without the cube? Then the part of the
    /// cube that is enough; the solver's model is a predecessor otherwise.
    fn relative_induction(
        &mut self,
        level: usize,
        cube: &[Term],
    ) -> Result<Option<Vec<Term>>, Halt> {
        if level == 0 {
            // Where a first state leads here, bounded model checking will show it.
            let core = self.unreachable_from_init(cube)?;
            return core.map(Some).ok_or(Halt::GiveUp);
        }
        let mut assumptions = self.in_frame(level)?;
        let excluded = self.frames.at(Term::and(cube).not(), 0);
        assumptions.push(excluded);
        let after: Vec<Term> = cube
            .iter()
            .map(|literal| self.frames.at(*literal, 1))
            .collect();
        assumptions.extend(&after);
        if Self::check(&mut self.frames, &assumptions)? {
            return Ok(None);
        }
        let core = self.frames.solver.core()?;
        let needed = cube
            .iter()
            .zip(&after)
            .filter(|(_, after)| core.contains(after));
        Ok(Some(needed.map(|(literal, _)| *literal).collect()))
    }

    /// The frame of first states is exact; another solver holds it.
    fn unreachable_from_init(&mut self, cube: &[Term]) -> Result<Option<Vec<Term>>, Halt> {
        let literals = cube.iter();
        let after: Vec<Term> = literals
            .map(|literal| self.first_step.at(*literal, 1))
            .collect();
        if Self::check(&mut self.first_step, &after)? {
            return Ok(None);
        }
        let core = self.first_step.solver.core()?;
        let needed = cube
            .iter()
            .zip(&after)
            .filter(|(_, after)| core.contains(after));
        Ok(Some(needed.map(|(literal, _)| *literal).collect()))
    }

    /// Adds literals of the cube to a part of it until no first state satisfies it.
    fn without_init(&mut self, part: Vec<Term>, cube: &[Term]) -> Result<Vec<Term>, Halt> {
        let mut part = part;
        let mut others = cube
            .iter()
            .filter(|literal| !part.contains(literal))
            .copied()
            .collect::<Vec<_>>();
        while self.meets_init(&part)? {
            // The whole cube meets none.
            part.push(others.pop().ok_or(Halt::GiveUp)?);
        }
        Ok(part)
    }

    /// Leaves out literals as long as the rest is still inductive and excludes no first state.
    fn generalise(&mut self, level: usize, core: Vec<Term>) -> Result<Vec<Term>, Halt> {
        let mut cube = core;
        let mut failures = 0;
        let mut at = 0;
        while at < cube.len() && failures < MOST_FAILURES && cube.len() > 1 {
            let mut smaller = cube.clone();
            smaller.remove(at);
            let smaller_core = if self.meets_init(&smaller)? {
                None
            } else {
                match self.relative_induction(level, &smaller) {
                    Ok(core) => core,
                    Err(Halt::GiveUp) => None,
                    Err(halt) => return Err(halt),
                }
            };
            match smaller_core {
                Some(core) if !core.is_empty() && !self.meets_init(&core)? => {
                    // Keep the literals before `at`, which were found needed, in their places.
                    at = cube[..at]
                        .iter()
                        .filter(|literal| core.contains(literal))
                        .count();
                    cube = core;
                }
                Some(_) => cube = smaller,
                None => {
                    failures += 1;
                    at += 1;
                }
            }
        }
        Ok(cube)
    }

    /// The last level at which the cube is still blocked.
    fn push_forward(&mut self, level: usize, cube: &[Term]) -> Result<usize, Halt> {
        let mut level = level;
        while level < self.run()?.levels.len() - 1 {
            match self.relative_induction(level, cube)? {
                Some(_) => level += 1,
                None => break,
            }
        }
        Ok(level)
    }

    fn add_lemma(&mut self, level: usize, cube: Vec<Term>) -> Result<(), Halt> {
        let lemma = Lemma { cube };
        let activation = self.level_activation(level);
        self.frames.assert_at(activation.implies(lemma.term()), 0)?;
        self.run_mut()?.levels[level].push(lemma);
        Ok(())
    }

    /// Moves lemmas on; the invariant when a frame is left empty, one frame more otherwise.
    fn advance(&mut self) -> Result<Option<Vec<Invariant>>, Halt> {
        for level in 1..self.run()?.levels.len() {
            let mut kept = Vec::new();
            let lemmas = self.run()?.levels[level].clone();
            if level + 1 == self.run()?.levels.len() {
                self.run_mut()?.levels.push(Vec::new());
            }
            for lemma in lemmas {
                let mut assumptions = self.in_frame(level)?;
                for literal in &lemma.cube {
                    assumptions.push(self.frames.at(*literal, 1));
                }
                if Self::check(&mut self.frames, &assumptions)? {
                    kept.push(lemma);
                } else {
                    self.add_lemma(level + 1, lemma.cube)?;
                }
            }
            let run = self.run_mut()?;
            run.levels[level] = kept;
            if run.levels[level].is_empty() {
                let later = run.levels[level + 1..].iter().flatten();
                return Ok(Some(
                    later
                        .map(|lemma| Invariant {
                            term: lemma.term(),
                            k: 1,
                        })
                        .collect(),
                ));
            }
        }
        Ok(None)
    }
}

impl Engine for Pdr<'_> {
    fn name(&self) -> &'static str {
        "pdr"
    }

    fn hear(&mut self, message: &Message) -> Result<(), SolveError> {
        match message {
            Message::Settled { property } => {
                self.open.retain(|open| open != property);
                if self
                    .run
                    .as_ref()
                    .is_some_and(|run| run.property == *property)
                {
                    self.run = None;
                }
            }
            Message::Invariants(invariants) => {
                for invariant in invariants {
                    if self
                        .lemmas_of_others
                        .insert(invariant.term, invariant.k)
                        .is_none()
                    {
                        self.frames.assert_at(invariant.term, 0)?;
                        self.frames.assert_at(invariant.term, 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError> {
        if self.run.is_none() {
            let next = self
                .open
                .iter()
                .copied()
                .find(|open| !self.given_up.contains(open));
            let Some(next) = next else {
                return Ok(Progress::Waiting);
            };
            self.begin(next)?;
        }
        for frames in [&mut self.frames, &mut self.init, &mut self.first_step] {
            frames.solver.set_budget(Budget {
                effort: Some(effort),
                time: None,
            });
        }
        match self.work() {
            Ok(None) | Err(Halt::Effort) => {}
            Ok(Some(mut invariants)) => {
                let lemmas = self.lemmas_of_others.iter();
                invariants.extend(lemmas.map(|(term, k)| Invariant { term: *term, k: *k }));
                if let Some(run) = self.run.take() {
                    self.given_up.push(run.property);
                    report(Finding::Inductive {
                        properties: vec![run.property],
                        k: 1,
                        invariants,
                    });
                }
            }
            Err(Halt::GiveUp) => {
                if let Some(run) = self.run.take() {
                    self.given_up.push(run.property);
                }
            }
            Err(Halt::Failed(error)) => return Err(error),
        }
        Ok(Progress::More)
    }

    fn depth(&self) -> u32 {
        self.run.as_ref().map_or(0, |run| run.levels.len() as u32)
    }

    fn spent(&self) -> u64 {
        let frames = [&self.frames, &self.init, &self.first_step];
        frames.iter().map(|frames| cost(&*frames.solver)).sum()
    }
}
