//! Checks proofs and runs of netlists.
//!
//! A proof is a list of clauses over latches that, together with the property, are claimed to be
//! `k`-inductive. The netlist is written as clauses anew, gate by gate and with none of the engines'
//! simplifications; each claim is asked by itself; and each answer counts only when the checker of LRAT
//! proofs has followed it ([`CheckedSolver`]), so that the solver need not be trusted. A run is replayed
//! by the simulator.

use crate::audit::Audit;
use crate::lrat::CheckedSolver;
use proofmark_model::graph::{BitProof, BitTrace, Init, Kind, Netlist, Region, Signal};
use proofmark_solve::Budget;
use proofmark_solve::sat::{Answer, Lit};
use std::time::{Duration, Instant};

/// The name of the auditor of proofs.
const CHECKER: &str = "lrat checker";

/// Checks that a run shows the bad signal, for the first time at its last step.
pub fn audit_bit_trace(netlist: &Netlist, bad: usize, trace: &BitTrace) -> Audit {
    let start = Instant::now();
    let replay = netlist.replay(trace);
    match replay.refuted[bad] {
        Some(step) if step + 1 == trace.inputs.len() => Audit::Passed {
            by: "simulator".into(),
            time: start.elapsed(),
        },
        Some(step) => Audit::Failed {
            what: format!("the run shows it at step {step} already"),
        },
        None => Audit::Failed {
            what: format!(
                "the run does not show it; {} of its steps are accepted",
                replay.accepted
            ),
        },
    }
}

/// Checks a proof that a bad signal is never true.
pub fn audit_bit_proof(
    netlist: &Netlist,
    bad: usize,
    proof: &BitProof,
    time: Option<Duration>,
) -> Audit {
    let start = Instant::now();
    let deadline = time.map(|time| start + time);
    let is_latch = |signal: &Signal| matches!(netlist.graph.kind(signal.node()), Kind::Latch(_));
    let region = proof.region.as_deref();
    let fits = region.is_none_or(|region| region.fits(netlist));
    if proof.k == 0 || !fits || !proof.clauses.iter().flatten().all(is_latch) {
        let what = "the proof is not about latches, or has no depth".into();
        return Audit::Failed { what };
    }
    let claims = Claims {
        netlist,
        clauses: &proof.clauses,
        region,
        bad: netlist.bads[bad].signal,
        deadline,
    };
    let checked = claims
        .base(proof.k as usize)
        .and_then(|()| claims.step(proof.k as usize));
    match checked {
        Ok(()) => Audit::Passed {
            by: CHECKER.into(),
            time: start.elapsed(),
        },
        Err(audit) => audit,
    }
}

struct Claims<'n> {
    netlist: &'n Netlist,
    clauses: &'n [Vec<Signal>],
    region: Option<&'n Region>,
    bad: Signal,
    deadline: Option<Instant>,
}

impl Claims<'_> {
    /// The clauses and the property hold in the first `k` steps of every run.
    fn base(&self, k: usize) -> Result<(), Audit> {
        let mut steps = Steps::new(self.netlist, true);
        for step in 0..k {
            steps.extend();
            self.hold(&mut steps, step, "in the first steps")?;
        }
        Ok(())
    }

    /// After `k` steps with the clauses and the property they hold in the next.
    fn step(&self, k: usize) -> Result<(), Audit> {
        let mut steps = Steps::new(self.netlist, false);
        for step in 0..k {
            steps.extend();
            for clause in self.clauses {
                let lits: Vec<Lit> = clause.iter().map(|one| steps.lit(step, *one)).collect();
                steps.solver.add_clause(&lits);
            }
            if let Some(region) = self.region {
                let inside = steps.region(step, region);
                steps.solver.add_clause(&[inside]);
            }
            let bad = steps.lit(step, self.bad);
            steps.solver.add_clause(&[!bad]);
        }
        steps.extend();
        self.hold(&mut steps, k, "inductively")
    }

    /// Asks about every clause, and the property, at a step.
    fn hold(&self, steps: &mut Steps<'_>, step: usize, how: &str) -> Result<(), Audit> {
        for (at, clause) in self.clauses.iter().enumerate() {
            let violated: Vec<Lit> = clause.iter().map(|one| !steps.lit(step, *one)).collect();
            let what = || format!("clause {at} does not hold {how}");
            self.ask(&mut steps.solver, &violated, what)?;
        }
        if let Some(region) = self.region {
            let inside = steps.region(step, region);
            self.ask(&mut steps.solver, &[!inside], || {
                format!("the state is not in the region {how}")
            })?;
        }
        let bad = steps.lit(step, self.bad);
        self.ask(&mut steps.solver, &[bad], || {
            format!("the property does not hold {how}")
        })
    }

    fn ask(
        &self,
        solver: &mut CheckedSolver,
        violated: &[Lit],
        what: impl FnOnce() -> String,
    ) -> Result<(), Audit> {
        let left = self
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()));
        solver.solver().set_budget(Budget {
            effort: None,
            time: left,
        });
        match solver.solve(violated) {
            Ok(Answer::Unsatisfiable) => Ok(()),
            Ok(Answer::Satisfiable) => Err(Audit::Failed { what: what() }),
            Ok(Answer::Unknown) => Err(Audit::Unknown {
                why: "the time of the audit is up".into(),
            }),
            Err(fault) => Err(Audit::Failed {
                what: format!("the solver's own proof is wrong: {fault}"),
            }),
        }
    }
}

/// Steps of a netlist in a checked solver; a gate has its clauses once somebody asks for it.
struct Steps<'n> {
    netlist: &'n Netlist,
    solver: CheckedSolver,
    initial: bool,
    truth: Lit,
    /// For each step and node its literal.
    lits: Vec<Vec<Option<Lit>>>,
}

impl<'n> Steps<'n> {
    fn new(netlist: &'n Netlist, initial: bool) -> Steps<'n> {
        let mut solver = CheckedSolver::new();
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        Steps {
            netlist,
            solver,
            initial,
            truth,
            lits: Vec::new(),
        }
    }

    /// One step more, in which the constraints hold.
    fn extend(&mut self) {
        let step = self.lits.len();
        self.lits.push(vec![None; self.netlist.graph.len()]);
        for constraint in &self.netlist.constraints {
            let lit = self.lit(step, *constraint);
            self.solver.add_clause(&[lit]);
        }
    }

    /// A signal at a step.
    fn lit(&mut self, step: usize, signal: Signal) -> Lit {
        let mut stack = vec![(step, signal.node())];
        while let Some(&(step, node)) = stack.last() {
            if self.lits[step][node as usize].is_some() {
                stack.pop();
                continue;
            }
            let lit = match self.netlist.graph.kind(node) {
                Kind::Constant => Some(!self.truth),
                Kind::Input(_) => Some(self.solver.new_var().positive()),
                Kind::Latch(position) => self.latch(step, position as usize, &mut stack),
                Kind::And(a, b) => self.gate(step, [a, b], &mut stack),
            };
            self.lits[step][node as usize] = lit;
        }
        self.known(step, signal).unwrap_or(self.truth)
    }

    fn known(&self, step: usize, signal: Signal) -> Option<Lit> {
        let lit = self.lits[step][signal.index()]?;
        Some(if signal.is_complemented() { !lit } else { lit })
    }

    /// Whether the state at a step is in a region, as a literal.
    fn region(&mut self, step: usize, region: &Region) -> Lit {
        let graph = &region.netlist.graph;
        let mut lits = vec![!self.truth; graph.len()];
        let read = |lits: &[Lit], signal: Signal| {
            let lit = lits[signal.index()];
            if signal.is_complemented() { !lit } else { lit }
        };
        for (input, latch) in region.netlist.inputs.iter().zip(&region.latches) {
            let node = self.netlist.latches[*latch as usize].node;
            lits[*input as usize] = self.lit(step, Signal::of(node));
        }
        for (gate, [a, b]) in graph.and_gates() {
            let (a, b) = (read(&lits, a), read(&lits, b));
            lits[gate as usize] = self.and(a, b);
        }
        read(&lits, region.holds)
    }

    /// A latch is its initial value, or the next value of the step before.
    fn latch(
        &mut self,
        step: usize,
        position: usize,
        stack: &mut Vec<(usize, u32)>,
    ) -> Option<Lit> {
        let latch = &self.netlist.latches[position];
        let Some(before) = step.checked_sub(1) else {
            return Some(match (self.initial, latch.init) {
                (true, Init::Zero) => !self.truth,
                (true, Init::One) => self.truth,
                _ => self.solver.new_var().positive(),
            });
        };
        let next = self.known(before, latch.next);
        if next.is_none() {
            stack.push((before, latch.next.node()));
        }
        next
    }

    /// A gate is true exactly when both fanins are.
    fn gate(
        &mut self,
        step: usize,
        fanins: [Signal; 2],
        stack: &mut Vec<(usize, u32)>,
    ) -> Option<Lit> {
        let [Some(a), Some(b)] = fanins.map(|fanin| self.known(step, fanin)) else {
            let open = fanins.into_iter();
            let open = open.filter(|fanin| self.lits[step][fanin.index()].is_none());
            stack.extend(open.map(|fanin| (step, fanin.node())));
            return None;
        };
        Some(self.and(a, b))
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let gate = self.solver.new_var().positive();
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        gate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::graph::Graph;

    /// Two latches that toggle together, the second a copy of the first; bad when they differ.
    fn twins() -> Netlist {
        let mut netlist = Netlist::default();
        let enable = netlist.add_input();
        let (one, other) = (netlist.add_latch(Init::Zero), netlist.add_latch(Init::Zero));
        for (at, latch) in [one, other].into_iter().enumerate() {
            let next = netlist.graph.xor(latch, enable);
            netlist.set_next(at, next);
        }
        let bad = netlist.graph.xor(one, other);
        netlist.add_bad("differ", bad);
        let never = netlist.graph.and(one, enable);
        netlist.add_bad("on", never);
        netlist
    }

    fn proof(k: u32, clauses: Vec<Vec<Signal>>) -> BitProof {
        BitProof {
            k,
            clauses,
            region: None,
        }
    }

    fn passes(netlist: &Netlist, bad: usize, proof: &BitProof) -> bool {
        matches!(
            audit_bit_proof(netlist, bad, proof, None),
            Audit::Passed { .. }
        )
    }

    #[test]
    fn a_proof_passes_and_a_wrong_one_fails() {
        let netlist = twins();
        let [one, other] = [0, 1].map(|at: usize| Signal::of(netlist.latches[at].node));
        assert!(passes(&netlist, 0, &proof(1, vec![])));
        assert!(passes(&netlist, 0, &proof(2, vec![])));
        let equal = vec![vec![one, !other], vec![!one, other]];
        assert!(passes(&netlist, 0, &proof(1, equal)));
        // True at first, and not afterwards.
        assert!(!passes(&netlist, 0, &proof(1, vec![vec![!one]])));
        // Inductive, and false at first.
        let on = proof(1, vec![vec![one, other], vec![!one, !other]]);
        assert!(!passes(&netlist, 0, &on));
        // The property itself is false.
        assert!(!passes(&netlist, 1, &proof(1, vec![])));
        assert!(!passes(&netlist, 1, &proof(3, vec![])));
        assert!(!passes(&netlist, 0, &proof(0, vec![])));
    }

    #[test]
    fn a_region_has_to_be_inductive_and_to_hold_at_first() {
        let netlist = twins();
        let region = |function: fn(&mut Graph, Signal, Signal) -> Signal| {
            let mut own = Netlist::default();
            let (one, other) = (own.add_input(), own.add_input());
            let holds = function(&mut own.graph, one, other);
            Region {
                netlist: own,
                latches: vec![0, 1],
                holds,
            }
        };
        let with = |region| BitProof {
            region: Some(Box::new(region)),
            ..proof(1, vec![])
        };
        let equal = region(|graph, one, other| graph.iff(one, other));
        assert!(passes(&netlist, 0, &with(equal.clone())));
        let neither = region(|graph, one, other| graph.and(!one, !other));
        assert!(!passes(&netlist, 0, &with(neither)));
        let differ = region(|graph, one, other| graph.xor(one, other));
        assert!(!passes(&netlist, 0, &with(differ)));
        let beyond = Region {
            latches: vec![0, 2],
            ..equal
        };
        assert!(!passes(&netlist, 0, &with(beyond)));
    }

    #[test]
    fn a_clause_about_a_gate_is_refused() {
        let netlist = twins();
        let gate = netlist.bads[0].signal;
        assert!(!passes(&netlist, 0, &proof(1, vec![vec![!gate]])));
    }

    #[test]
    fn constraints_are_assumed() {
        let mut netlist = twins();
        let enable = Signal::of(netlist.inputs[0]);
        assert!(!passes(&netlist, 1, &proof(1, vec![])));
        netlist.constraints.push(!enable);
        assert!(passes(&netlist, 1, &proof(1, vec![])));
    }

    #[test]
    fn a_run_is_replayed() {
        let netlist = twins();
        let run = |inputs: &[bool]| BitTrace {
            latches: vec![false, false],
            inputs: inputs.iter().map(|one| vec![*one]).collect(),
        };
        let audit = |inputs: &[bool]| audit_bit_trace(&netlist, 1, &run(inputs));
        assert!(matches!(audit(&[true, true]), Audit::Passed { .. }));
        assert!(matches!(audit(&[true, true, true]), Audit::Failed { .. }));
        assert!(matches!(audit(&[true, false]), Audit::Failed { .. }));
    }
}
