//! Bounded model checking (Biere et al. 1999): does a run of so many steps refute a property?
//!
//! One solver unrolls the system from the first step. At each depth the open properties are asked
//! about together; a run that refutes some of them is replayed in the simulator before it is
//! reported. Depths grow by one, so that refutations are the shortest there are. What holds at a
//! depth is asserted there, which helps the next.

use crate::engine::{Engine, Finding, Message, Progress, PropertyId, cost};
use crate::frames::Frames;
use proofmark_model::{Program, System, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};

pub struct Bmc<'s> {
    frames: Frames<'s>,
    program: &'s Program,
    open: Vec<PropertyId>,
    /// The depth that is being asked about.
    depth: u32,
    /// Down to here nothing is refuted, and nothing asked.
    safe: u32,
}

impl<'s> Bmc<'s> {
    pub fn new(
        system: &'s System,
        program: &'s Program,
        solver: Box<dyn Solver>,
        safe: u32,
    ) -> Result<Bmc<'s>, SolveError> {
        let mut frames = Frames::new(system, solver);
        frames.assert_init()?;
        let open = (0..system.properties().len()).collect();
        Ok(Bmc {
            frames,
            program,
            open,
            depth: 0,
            safe,
        })
    }

    fn property(&self, property: PropertyId) -> Term {
        self.frames.system.properties()[property].term
    }

    /// Goes one deeper: the open properties hold here.
    fn deepen(&mut self) -> Result<(), SolveError> {
        for property in self.open.clone() {
            self.frames.assert_at(self.property(property), self.depth)?;
        }
        self.depth += 1;
        self.frames.assert_step(self.depth)
    }
}

impl Engine for Bmc<'_> {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn hear(&mut self, message: &Message) -> Result<(), SolveError> {
        match message {
            Message::Settled { property } => self.open.retain(|open| open != property),
            // Facts about reachable states hold here anyway; they would only be in the way.
            Message::Invariants(_) => {}
        }
        Ok(())
    }

    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError> {
        if self.open.is_empty() {
            return Ok(Progress::Waiting);
        }
        while self.depth < self.safe {
            self.deepen()?;
        }
        self.frames.solver.set_budget(Budget {
            effort: Some(effort),
            time: None,
        });
        let mut some_false = Vec::new();
        for property in self.open.clone() {
            some_false.push(self.frames.at(self.property(property), self.depth).not());
        }
        match self.frames.solver.check(&[Term::or(&some_false)])? {
            Answer::Unknown(_) => {}
            Answer::Unsat => {
                self.deepen()?;
                report(Finding::Holds { steps: self.depth });
            }
            Answer::Sat => {
                for property in self.open.clone() {
                    if self.frames.holds(self.property(property), self.depth)? {
                        continue;
                    }
                    let refutation = self.frames.refutation(self.program, property, self.depth)?;
                    let Some(refutation) = refutation else {
                        let name = &self.frames.system.properties()[property].name;
                        return Err(SolveError::Misuse(format!(
                            "internal error: the run that refutes {name} does not replay"
                        )));
                    };
                    self.open.retain(|open| *open != property);
                    report(Finding::Refuted {
                        property,
                        refutation,
                    });
                }
            }
        }
        Ok(Progress::More)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn spent(&self) -> u64 {
        cost(&*self.frames.solver)
    }
}
