//! IC3 on the bits of a finite system, as an engine among those on terms.
//!
//! The system becomes a netlist; each property that is open is put to IC3 in turn. What it finds is told in
//! the system's own terms: a run when the system's simulator confirms it, clauses as invariants. A run
//! that is not confirmed only says that an integer left its bounds, which is no refutation: then this
//! engine has nothing to say of the property.

use crate::bits::{Account, BitAnswer, BitEngine, Cube, Ic3, Relation};
use crate::engine::{Engine, Finding, Message, Progress, PropertyId};
use proofmark_model::graph::{BitTrace, Blasted, Reduced, Signal, bit_blast, simplify};
use proofmark_model::{Invariant, Program, Refutation, System};
use proofmark_solve::{Interrupt, SolveError};
use std::sync::Arc;

/// A netlist with more nodes than this is left to the engines on terms.
const MOST_NODES: usize = 4_000_000;

/// What one conflict is in units of an account.
const CONFLICT: u64 = 50;

/// The engine.
pub struct FiniteIc3<'s> {
    program: &'s Program,
    blasted: Blasted,
    /// Properties that are not settled, the next one last.
    open: Vec<PropertyId>,
    search: Option<Search>,
    interrupt: Interrupt,
    depth: u32,
    spent: u64,
}

/// IC3 on one property.
struct Search {
    property: PropertyId,
    reduced: Reduced,
    /// None when nothing is left to prove.
    ic3: Option<Ic3>,
}

impl<'s> FiniteIc3<'s> {
    /// An engine for a system that is finite; the interrupt stops it.
    pub fn new(
        system: &System,
        program: &'s Program,
        interrupt: Interrupt,
    ) -> Option<FiniteIc3<'s>> {
        let blasted = bit_blast(system).ok()?;
        (blasted.netlist.graph.len() <= MOST_NODES).then(|| FiniteIc3 {
            program,
            blasted,
            open: (0..system.properties().len()).rev().collect(),
            search: None,
            interrupt,
            depth: 0,
            spent: 0,
        })
    }

    fn begin(&self, property: PropertyId) -> Search {
        let reduced = simplify(&self.blasted.netlist, &[property]);
        let is_open = reduced.netlist.bads[0].signal != Signal::FALSE;
        let ic3 = is_open.then(|| {
            let relation = Arc::new(Relation::new(&reduced.netlist, 0));
            Ic3::new(relation, Account::new(self.interrupt.clone()))
        });
        Search {
            property,
            reduced,
            ic3,
        }
    }

    /// What an answer says about the system; nothing when it says nothing.
    fn finding(&self, search: &Search, answer: BitAnswer) -> Option<Finding> {
        match answer {
            BitAnswer::Refuted(trace) => self.refuted(search, &trace),
            BitAnswer::Inductive { k, cubes } => Some(Finding::Inductive {
                properties: vec![search.property],
                k,
                invariants: self.invariants(search, &cubes)?,
            }),
            BitAnswer::Region(_) => None,
        }
    }

    fn refuted(&self, search: &Search, trace: &BitTrace) -> Option<Finding> {
        let netlist = &self.blasted.netlist;
        let run = search.reduced.map.restore_trace(netlist, trace);
        let trace = self.blasted.map.trace(&run);
        let result = self.program.machine().judge(&trace);
        let step = result.refuted_at(search.property)?;
        Some(Finding::Refuted {
            property: search.property,
            refutation: Refutation {
                trace: trace.first(step + 1),
                step: step as u32,
            },
        })
    }

    fn invariants(&self, search: &Search, cubes: &[Cube]) -> Option<Vec<Invariant>> {
        let (netlist, map) = (&self.blasted.netlist, &self.blasted.map);
        let facts = search.reduced.map.facts().iter().cloned();
        let clauses = cubes
            .iter()
            .map(|cube| cube.forbidden(netlist, &search.reduced));
        let mut terms = facts
            .chain(clauses)
            .map(|clause| map.clause(netlist, &clause))
            .collect::<Option<Vec<_>>>()?;
        terms.extend(map.ranges());
        let invariants = terms.into_iter().filter(|term| term.as_const().is_none());
        Some(invariants.map(|term| Invariant { term, k: 1 }).collect())
    }
}

impl Engine for FiniteIc3<'_> {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn hear(&mut self, message: &Message) -> Result<(), SolveError> {
        if let Message::Settled { property } = message {
            self.open.retain(|one| one != property);
            self.search = self.search.take().filter(|one| one.property != *property);
        }
        Ok(())
    }

    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError> {
        let Some(&property) = self.open.last() else {
            return Ok(Progress::Waiting);
        };
        let mut search = match self.search.take() {
            Some(search) => search,
            None => self.begin(property),
        };
        let answer = match &mut search.ic3 {
            None => Ok(BitAnswer::Inductive {
                k: 1,
                cubes: Vec::new(),
            }),
            Some(ic3) => {
                let before = ic3.spent();
                let depth = &mut self.depth;
                let answer = ic3.run(effort.saturating_mul(CONFLICT), &mut |at| *depth = at);
                self.spent += ic3.spent() - before;
                answer
            }
        };
        match answer {
            Err(_) => self.search = Some(search),
            Ok(answer) => {
                self.open.pop();
                if let Some(finding) = self.finding(&search, answer) {
                    report(finding);
                }
            }
        }
        Ok(Progress::More)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn spent(&self) -> u64 {
        self.spent
    }
}
