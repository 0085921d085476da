//! Which of many guesses are inductive together? (Houdini, Flanagan and Leino 2001)
//!
//! Guesses that a first state violates go (the base); then all that are left are assumed in one state
//! and those that can be false in the next go, until none does. What stays is inductive, all together.
//! What went then gets a second chance with an induction over two states, with the facts of the first
//! round as lemmas, and so on to the depth that was asked for.

use crate::engine::{Finding, cost};
use crate::frames::Frames;
use proofmark_model::{Invariant, Sort, System, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::FxHashSet;

pub struct Houdini<'s> {
    base: Frames<'s>,
    step: Frames<'s>,
    candidates: Vec<Candidate>,
    /// Those that the induction threw out.
    dropped: Vec<Candidate>,
    stage: Stage,
    /// The depth of the induction.
    k: u32,
    /// The last depth that is tried.
    deepest: u32,
    /// What is known: found here, found before, or heard from others.
    lemmas: FxHashSet<Term>,
}

struct Candidate {
    term: Term,
    activation: Term,
}

#[derive(PartialEq)]
enum Stage {
    /// Throwing out what is false at this step of some run; before it, all hold.
    Base(u32),
    Step,
    Done,
}

impl<'s> Houdini<'s> {
    pub fn new(
        system: &'s System,
        guesses: Vec<Term>,
        lemmas: FxHashSet<Term>,
        deepest: u32,
        base: Box<dyn Solver>,
        step: Box<dyn Solver>,
    ) -> Result<Houdini<'s>, SolveError> {
        let guesses = guesses.into_iter().filter(|term| !lemmas.contains(term));
        let candidates: Vec<Candidate> = guesses
            .enumerate()
            .map(|(at, term)| Candidate {
                term,
                activation: Term::var(&format!("%candidate{at}"), Sort::Bool),
            })
            .collect();
        let mut base = Frames::new(system, base);
        base.assert_init()?;
        let mut step = Frames::new(system, step);
        step.assert_state()?;
        step.assert_step(1)?;
        for &lemma in &lemmas {
            step.assert_at(lemma, 0)?;
            step.assert_at(lemma, 1)?;
        }
        for candidate in &candidates {
            step.assert_at(candidate.activation.implies(candidate.term), 0)?;
        }
        Ok(Houdini {
            base,
            step,
            candidates,
            dropped: Vec::new(),
            stage: Stage::Base(0),
            k: 1,
            deepest,
            lemmas,
        })
    }

    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    pub fn k(&self) -> u32 {
        self.k
    }

    pub fn spent(&self) -> u64 {
        cost(&*self.base.solver) + cost(&*self.step.solver)
    }

    pub fn into_lemmas(self) -> FxHashSet<Term> {
        self.lemmas
    }

    /// Takes note of what others have proved.
    pub fn hear(&mut self, lemma: Term) -> Result<(), SolveError> {
        if self.lemmas.insert(lemma) {
            for step in 0..=self.k {
                self.step.assert_at(lemma, step)?;
            }
        }
        Ok(())
    }

    /// One question to a solver.
    pub fn step(&mut self, effort: u64, report: &mut dyn FnMut(Finding)) -> Result<(), SolveError> {
        if self.candidates.is_empty() && self.stage != Stage::Done {
            self.deepen()?;
        }
        let budget = Budget {
            effort: Some(effort),
            time: None,
        };
        self.base.solver.set_budget(budget);
        self.step.solver.set_budget(budget);
        match self.stage {
            Stage::Base(depth) => self.base_step(depth),
            Stage::Step => self.inductive_step(report),
            Stage::Done => Ok(()),
        }
    }

    fn base_step(&mut self, depth: u32) -> Result<(), SolveError> {
        let question = some_false(&mut self.base, &self.candidates, depth);
        match self.base.solver.check(&[question])? {
            Answer::Unknown(_) => {}
            Answer::Sat => drop(take_out(&mut self.base, &mut self.candidates, depth)?),
            Answer::Unsat => self.stage = Stage::Step,
        }
        Ok(())
    }

    fn inductive_step(&mut self, report: &mut dyn FnMut(Finding)) -> Result<(), SolveError> {
        let mut assumptions: Vec<Term> = self.candidates.iter().map(|one| one.activation).collect();
        assumptions.push(some_false(&mut self.step, &self.candidates, self.k));
        match self.step.solver.check(&assumptions)? {
            Answer::Unknown(_) => {}
            Answer::Sat => {
                let out = take_out(&mut self.step, &mut self.candidates, self.k)?;
                self.dropped.extend(out);
            }
            Answer::Unsat => {
                let fresh: Vec<Invariant> = self
                    .candidates
                    .iter()
                    .filter(|candidate| self.lemmas.insert(candidate.term))
                    .map(|candidate| Invariant {
                        term: candidate.term,
                        k: self.k,
                    })
                    .collect();
                if !fresh.is_empty() {
                    report(Finding::Invariants(fresh));
                }
                self.deepen()?;
            }
        }
        Ok(())
    }

    /// The next round: what the induction threw out, one state deeper, on top of what was found.
    fn deepen(&mut self) -> Result<(), SolveError> {
        if self.k >= self.deepest || self.dropped.is_empty() {
            self.stage = Stage::Done;
            return Ok(());
        }
        self.k += 1;
        self.step.assert_step(self.k)?;
        for &lemma in &self.lemmas {
            for step in 0..=self.k {
                self.step.assert_at(lemma, step)?;
            }
        }
        self.candidates = std::mem::take(&mut self.dropped);
        for candidate in &self.candidates {
            let term = candidate.activation.implies(candidate.term);
            self.step.assert_at(term, self.k - 1)?;
        }
        self.base.assert_step(self.k - 1)?;
        self.stage = Stage::Base(self.k - 1);
        Ok(())
    }
}

fn some_false(frames: &mut Frames<'_>, candidates: &[Candidate], step: u32) -> Term {
    let mut parts = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        parts.push(frames.at(candidate.term, step).not());
    }
    Term::or(&parts)
}

/// Takes out the candidates that are false at a step of the model.
fn take_out(
    frames: &mut Frames<'_>,
    candidates: &mut Vec<Candidate>,
    step: u32,
) -> Result<Vec<Candidate>, SolveError> {
    let mut out = Vec::new();
    for candidate in std::mem::take(candidates) {
        if frames.holds(candidate.term, step)? {
            candidates.push(candidate);
        } else {
            out.push(candidate);
        }
    }
    Ok(out)
}
