//! k-induction (Sheeran, Singh and Stålmarck 2000): if `k` states in a row satisfy the properties,
//! does the next?
//!
//! One solver unrolls the system from an arbitrary state. All open properties are tried together;
//! those that a counterexample to the induction violates are left out and the rest is tried again,
//! so that each `k` yields the greatest set of properties that is inductive by itself. What is left
//! out comes back at the next `k`. Invariants of other engines are asserted in every state. The base
//! case is bounded model checking's, and the portfolio puts the two together.

use crate::engine::{Engine, Finding, Message, Progress, PropertyId, cost};
use crate::frames::Frames;
use proofmark_model::{Invariant, System, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::FxHashSet;

pub struct KInduction<'s> {
    frames: Frames<'s>,
    properties: Vec<Candidate>,
    invariants: Vec<Invariant>,
    /// Their terms.
    known: FxHashSet<Term>,
    /// Invariants up to here are asserted in the states so far.
    asserted: usize,
    k: u32,
    /// The properties not yet left out at this `k`.
    trying: Vec<PropertyId>,
    /// Whether counterexamples to the induction are reported, which takes some time.
    explains: bool,
}

struct Candidate {
    term: Term,
    /// Turns on the property in the states before the last.
    activation: Term,
    open: bool,
    /// The set it was last reported in, so as not to report it again.
    reported_at: Option<u32>,
}

impl<'s> KInduction<'s> {
    pub fn new(
        system: &'s System,
        solver: Box<dyn Solver>,
        explains: bool,
    ) -> Result<KInduction<'s>, SolveError> {
        let mut properties = Vec::new();
        for (at, property) in system.properties().iter().enumerate() {
            properties.push(Candidate {
                term: property.term,
                activation: Term::var(&format!("%property{at}"), proofmark_model::Sort::Bool),
                open: true,
                reported_at: None,
            });
        }
        let trying = (0..properties.len()).collect();
        let mut frames = Frames::new(system, solver);
        frames.assert_state()?;
        let mut engine = KInduction {
            frames,
            properties,
            invariants: Vec::new(),
            known: FxHashSet::default(),
            asserted: 0,
            k: 0,
            trying,
            explains,
        };
        engine.deepen()?;
        Ok(engine)
    }

    /// One state more: what was the last is now assumed.
    fn deepen(&mut self) -> Result<(), SolveError> {
        for candidate in &self.properties {
            let term = candidate.activation.implies(candidate.term);
            self.frames.assert_at(term, self.k)?;
        }
        self.k += 1;
        self.frames.assert_step(self.k)?;
        for at in 0..self.asserted {
            self.frames.assert_at(self.invariants[at].term, self.k)?;
        }
        self.trying = (0..self.properties.len())
            .filter(|at| self.properties[*at].open)
            .collect();
        Ok(())
    }

    fn assert_new_invariants(&mut self) -> Result<(), SolveError> {
        for at in self.asserted..self.invariants.len() {
            for step in 0..=self.k {
                self.frames.assert_at(self.invariants[at].term, step)?;
            }
        }
        self.asserted = self.invariants.len();
        Ok(())
    }

    fn invariant(&mut self, invariant: &Invariant) {
        if self.known.insert(invariant.term) {
            self.invariants.push(invariant.clone());
        }
    }

    /// Leaves out the properties that the solver's model violates in the last state.
    fn leave_out(&mut self, report: &mut dyn FnMut(Finding)) -> Result<(), SolveError> {
        let mut kept = Vec::new();
        for property in std::mem::take(&mut self.trying) {
            if self.frames.holds(self.properties[property].term, self.k)? {
                kept.push(property);
            } else if self.explains {
                let states = self.frames.states(self.k)?;
                report(Finding::NotInductive { property, states });
            }
        }
        self.trying = kept;
        Ok(())
    }
}

impl Engine for KInduction<'_> {
    fn name(&self) -> &'static str {
        "k-induction"
    }

    fn hear(&mut self, message: &Message) -> Result<(), SolveError> {
        match message {
            Message::Settled { property } => {
                self.properties[*property].open = false;
                self.trying.retain(|trying| trying != property);
                // What was inductive together with it may have been dropped with it.
                for candidate in &mut self.properties {
                    candidate.reported_at = None;
                }
            }
            Message::Invariants(invariants) => {
                let before = self.invariants.len();
                invariants
                    .iter()
                    .for_each(|invariant| self.invariant(invariant));
                if self.invariants.len() > before {
                    // What failed without them may pass now.
                    self.trying = (0..self.properties.len())
                        .filter(|at| self.properties[*at].open)
                        .collect();
                }
            }
        }
        self.assert_new_invariants()
    }

    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError> {
        if !self.properties.iter().any(|candidate| candidate.open) {
            return Ok(Progress::Waiting);
        }
        if self.trying.is_empty() {
            self.deepen()?;
        }
        self.frames.solver.set_budget(Budget {
            effort: Some(effort),
            time: None,
        });
        let mut assumptions: Vec<Term> = self
            .trying
            .iter()
            .map(|at| self.properties[*at].activation)
            .collect();
        let mut some_false = Vec::new();
        for at in self.trying.clone() {
            some_false.push(self.frames.at(self.properties[at].term, self.k).not());
        }
        assumptions.push(Term::or(&some_false));
        match self.frames.solver.check(&assumptions)? {
            Answer::Unknown(_) => {}
            Answer::Sat => self.leave_out(report)?,
            Answer::Unsat => {
                let news = self
                    .trying
                    .iter()
                    .any(|at| self.properties[*at].reported_at.is_none());
                for at in &self.trying {
                    self.properties[*at].reported_at.get_or_insert(self.k);
                }
                if news {
                    let properties = std::mem::take(&mut self.trying);
                    let invariants = self.invariants.clone();
                    report(Finding::Inductive {
                        properties,
                        k: self.k,
                        invariants,
                    });
                    return Ok(Progress::More);
                }
                self.trying.clear();
            }
        }
        Ok(Progress::More)
    }

    fn depth(&self) -> u32 {
        self.k
    }

    fn spent(&self) -> u64 {
        cost(&*self.frames.solver)
    }
}
