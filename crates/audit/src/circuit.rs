//! Witness circuits: a proof about a netlist as a netlist of its own (Yu, Biere and Heljanko, "Progress in
//! Certifying Hardware Model Checking Results", 2021; Yu, Froleyks, Biere and Heljanko, "Stratified
//! Certification for k-Induction", 2022), as the tool Certifaiger checks them.
//!
//! A witness *simulates* the model: its first inputs and latches stand for those of the model. It is itself
//! *inductive*: no state without its bad signals is followed by one with them. And where none of its bad
//! signals is true, the model's is not. Ours is the model with another bad signal: what was bad, or a state
//! outside the invariant. That needs an invariant that is inductive by itself, with `k = 1`.
//!
//! The check takes any witness of the format, not only ours; like all of the audit it trusts no solver: every
//! answer is followed by the checker of LRAT proofs.

use crate::audit::Audit;
use crate::lrat::CheckedSolver;
use proofmark_model::graph::{BitProof, Init, Kind, Labels, Netlist, Region, Signal};
use proofmark_solve::Budget;
use proofmark_solve::sat::{Answer, Lit};
use std::time::{Duration, Instant};

/// The circuit that witnesses a proof; none when the induction is deeper than one step, or the proof is not
/// about the latches of this netlist.
pub fn witness_circuit(netlist: &Netlist, bad: usize, proof: &BitProof) -> Option<Netlist> {
    let is_latch = |signal: &Signal| matches!(netlist.graph.kind(signal.node()), Kind::Latch(_));
    let region = proof.region.as_deref();
    let fits = region.is_none_or(|region| region.fits(netlist));
    if proof.k != 1 || !fits || !proof.clauses.iter().flatten().all(is_latch) {
        return None;
    }
    let mut witness = netlist.clone();
    // Names may look like a mapping of the format; without any, positions count.
    witness.labels = Labels::default();
    let mut holds: Vec<Signal> = Vec::with_capacity(proof.clauses.len() + 2);
    for clause in &proof.clauses {
        holds.push(witness.graph.or_all(clause));
    }
    holds.extend(region.map(|region| graft(region, &mut witness)));
    holds.push(!netlist.bads[bad].signal);
    let safe = witness.graph.and_all(&holds);
    witness.bads.clear();
    witness.outputs.clear();
    witness.add_bad(&netlist.bads[bad].name, !safe);
    Some(witness)
}

/// A region as a signal of the netlist whose latches it is about.
fn graft(region: &Region, netlist: &mut Netlist) -> Signal {
    let graph = &region.netlist.graph;
    let mut signals = vec![Signal::FALSE; graph.len()];
    let read = |signals: &[Signal], signal: Signal| {
        let own = signals[signal.index()];
        if signal.is_complemented() { !own } else { own }
    };
    for (input, latch) in region.netlist.inputs.iter().zip(&region.latches) {
        signals[*input as usize] = Signal::of(netlist.latches[*latch as usize].node);
    }
    for (gate, [a, b]) in graph.and_gates() {
        let (a, b) = (read(&signals, a), read(&signals, b));
        signals[gate as usize] = netlist.graph.and(a, b);
    }
    read(&signals, region.holds)
}

/// Checks that a circuit witnesses that a bad signal of a netlist is never true.
pub fn audit_witness_circuit(
    model: &Netlist,
    bad: usize,
    witness: &Netlist,
    time: Option<Duration>,
) -> Audit {
    let start = Instant::now();
    if witness.bads.is_empty() {
        let what = "the witness has no bad signal, so that it says nothing".into();
        return Audit::Failed { what };
    }
    let check = Check {
        model,
        bad: model.bads[bad].signal,
        witness,
        inputs: model.inputs.len().min(witness.inputs.len()),
        latches: model.latches.len().min(witness.latches.len()),
        deadline: time.map(|time| start + time),
    };
    let checked = check
        .reset()
        .and_then(|()| check.transition())
        .and_then(|()| check.property())
        .and_then(|()| check.base())
        .and_then(|()| check.induction());
    match checked {
        Ok(()) => Audit::Passed {
            by: "lrat checker".into(),
            time: start.elapsed(),
        },
        Err(audit) => audit,
    }
}

struct Check<'n> {
    model: &'n Netlist,
    bad: Signal,
    witness: &'n Netlist,
    /// How many inputs and latches they share.
    inputs: usize,
    latches: usize,
    deadline: Option<Instant>,
}

impl Check<'_> {
    /// First states of the model are, as far as shared, first states of the witness, and its constraints
    /// accept them.
    fn reset(&self) -> Result<(), Audit> {
        let mut pair = self.pair(1);
        pair.begin(Which::Model, self.latches);
        pair.constrain(Which::Model, 0);
        let mut asked = pair.first_values(Which::Witness, self.latches);
        asked.extend(pair.constraints(Which::Witness, 0));
        self.hold(
            pair,
            &asked,
            "a first state of the model is none of the witness",
        )
    }

    /// Steps of the model are, as far as shared, steps of the witness, and its constraints accept them.
    fn transition(&self) -> Result<(), Audit> {
        let mut pair = self.pair(2);
        pair.follow(Which::Model, self.latches);
        for (which, step) in [(Which::Model, 0), (Which::Model, 1), (Which::Witness, 0)] {
            pair.constrain(which, step);
        }
        let mut asked = pair.next_values(Which::Witness, self.latches);
        asked.extend(pair.constraints(Which::Witness, 1));
        self.hold(pair, &asked, "a step of the model is none of the witness")
    }

    /// Where nothing is bad in the witness, the model's signal is not true.
    fn property(&self) -> Result<(), Audit> {
        let mut pair = self.pair(1);
        pair.constrain(Which::Model, 0);
        pair.constrain(Which::Witness, 0);
        pair.assume_good(0);
        let bad = pair.lit(Which::Model, 0, self.bad);
        self.hold(pair, &[!bad], "the witness does not imply the property")
    }

    /// First states of the witness are good.
    fn base(&self) -> Result<(), Audit> {
        let mut pair = self.pair(1);
        pair.begin(Which::Witness, self.witness.latches.len());
        pair.constrain(Which::Witness, 0);
        let good = pair.good(0);
        self.hold(pair, &good, "a first state of the witness is bad")
    }

    /// Good states of the witness are followed by good ones.
    fn induction(&self) -> Result<(), Audit> {
        let mut pair = self.pair(2);
        pair.follow(Which::Witness, self.witness.latches.len());
        pair.constrain(Which::Witness, 0);
        pair.constrain(Which::Witness, 1);
        pair.assume_good(0);
        let good = pair.good(1);
        self.hold(pair, &good, "the witness is not inductive")
    }

    fn pair(&self, steps: usize) -> Pair<'_> {
        Pair::new([self.model, self.witness], self.inputs, self.latches, steps)
    }

    /// Whether each literal is implied.
    fn hold(&self, mut pair: Pair<'_>, implied: &[Lit], otherwise: &str) -> Result<(), Audit> {
        for lit in implied {
            let now = Instant::now();
            let left = self.deadline.map(|end| end.saturating_duration_since(now));
            pair.solver.solver().set_budget(Budget {
                effort: None,
                time: left,
            });
            match pair.solver.solve(&[!*lit]) {
                Ok(Answer::Unsatisfiable) => {}
                Ok(Answer::Satisfiable) => {
                    let what = otherwise.to_string();
                    return Err(Audit::Failed { what });
                }
                Ok(Answer::Unknown) => {
                    let why = "the time of the audit is up".into();
                    return Err(Audit::Unknown { why });
                }
                Err(fault) => {
                    let what = format!("the solver's own proof is wrong: {fault}");
                    return Err(Audit::Failed { what });
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Model,
    Witness,
}

/// Model and witness at one or two steps in a checked solver. Latches are free at both steps; what relates
/// them is said apart, so that it can be assumed of one and asked of the other.
struct Pair<'n> {
    netlists: [&'n Netlist; 2],
    solver: CheckedSolver,
    truth: Lit,
    /// For each netlist, step and node its literal; a gate has one once somebody asks for it.
    lits: [Vec<Vec<Option<Lit>>>; 2],
}

impl<'n> Pair<'n> {
    fn new(netlists: [&'n Netlist; 2], inputs: usize, latches: usize, steps: usize) -> Pair<'n> {
        let mut solver = CheckedSolver::new();
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        let mut lits = [Vec::new(), Vec::new()];
        for _ in 0..steps {
            let [model, witness] = leaves(netlists, inputs, latches, truth, &mut solver);
            lits[0].push(model);
            lits[1].push(witness);
        }
        Pair {
            netlists,
            solver,
            truth,
            lits,
        }
    }

    fn netlist(&self, which: Which) -> &'n Netlist {
        self.netlists[which as usize]
    }

    /// A signal at a step.
    fn lit(&mut self, which: Which, step: usize, signal: Signal) -> Lit {
        let graph = &self.netlist(which).graph;
        let mut stack = vec![signal.node()];
        while let Some(&node) = stack.last() {
            let known = &self.lits[which as usize][step];
            let read = |signal: Signal| {
                let lit = known[signal.index()]?;
                Some(if signal.is_complemented() { !lit } else { lit })
            };
            if known[node as usize].is_some() {
                stack.pop();
                continue;
            }
            let fanins = graph.fanins(node).unwrap_or([Signal::FALSE; 2]);
            let [Some(a), Some(b)] = fanins.map(read) else {
                let missing = fanins.into_iter().filter(|one| read(*one).is_none());
                stack.extend(missing.map(|fanin| fanin.node()).collect::<Vec<u32>>());
                continue;
            };
            let gate = self.solver.new_var().positive();
            self.solver.add_clause(&[!gate, a]);
            self.solver.add_clause(&[!gate, b]);
            self.solver.add_clause(&[gate, !a, !b]);
            self.lits[which as usize][step][node as usize] = Some(gate);
        }
        let lit = self.lits[which as usize][step][signal.index()].unwrap_or(self.truth);
        if signal.is_complemented() { !lit } else { lit }
    }

    /// Whether two literals are equal, as a literal.
    fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        let equal = self.solver.new_var().positive();
        self.solver.add_clause(&[!equal, !a, b]);
        self.solver.add_clause(&[!equal, a, !b]);
        self.solver.add_clause(&[equal, a, b]);
        self.solver.add_clause(&[equal, !a, !b]);
        equal
    }

    fn constraints(&mut self, which: Which, step: usize) -> Vec<Lit> {
        let constraints = self.netlist(which).constraints.iter();
        constraints.map(|one| self.lit(which, step, *one)).collect()
    }

    fn constrain(&mut self, which: Which, step: usize) {
        for lit in self.constraints(which, step) {
            self.solver.add_clause(&[lit]);
        }
    }

    /// That the first latches have their initial values at the first step.
    fn first_values(&mut self, which: Which, latches: usize) -> Vec<Lit> {
        let latches = self.netlist(which).latches.iter().take(latches);
        let values = latches.filter_map(|latch| {
            let lit = self.lit(which, 0, Signal::of(latch.node));
            match latch.init {
                Init::Zero => Some(!lit),
                Init::One => Some(lit),
                Init::Free => None,
            }
        });
        values.collect()
    }

    fn begin(&mut self, which: Which, latches: usize) {
        for lit in self.first_values(which, latches) {
            self.solver.add_clause(&[lit]);
        }
    }

    /// That the first latches have their next values at the second step.
    fn next_values(&mut self, which: Which, latches: usize) -> Vec<Lit> {
        let latches = self.netlist(which).latches.iter().take(latches);
        let values = latches.map(|latch| {
            let next = self.lit(which, 0, latch.next);
            let then = self.lit(which, 1, Signal::of(latch.node));
            self.equal(next, then)
        });
        values.collect()
    }

    fn follow(&mut self, which: Which, latches: usize) {
        for lit in self.next_values(which, latches) {
            self.solver.add_clause(&[lit]);
        }
    }

    /// That nothing is bad in the witness.
    fn good(&mut self, step: usize) -> Vec<Lit> {
        let bads = self.netlist(Which::Witness).bads.iter();
        bads.map(|bad| !self.lit(Which::Witness, step, bad.signal))
            .collect()
    }

    fn assume_good(&mut self, step: usize) {
        for lit in self.good(step) {
            self.solver.add_clause(&[lit]);
        }
    }
}

/// Literals of inputs and latches at one step; the first ones are shared.
fn leaves(
    netlists: [&Netlist; 2],
    inputs: usize,
    latches: usize,
    truth: Lit,
    solver: &mut CheckedSolver,
) -> [Vec<Option<Lit>>; 2] {
    let leaves = netlists.map(|netlist| {
        let states: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
        [netlist.inputs.clone(), states]
    });
    let mut lits = netlists.map(|netlist| vec![None; netlist.graph.len()]);
    for list in &mut lits {
        list[Signal::FALSE.index()] = Some(!truth);
    }
    for (kind, shared) in [inputs, latches].into_iter().enumerate() {
        for &node in &leaves[0][kind] {
            lits[0][node as usize] = Some(solver.new_var().positive());
        }
        for (at, &node) in leaves[1][kind].iter().enumerate() {
            let same = leaves[0][kind].get(at).filter(|_| at < shared);
            let lit = same.and_then(|of_model| lits[0][*of_model as usize]);
            let lit = lit.unwrap_or_else(|| solver.new_var().positive());
            lits[1][node as usize] = Some(lit);
        }
    }
    lits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::audit_bit_proof;
    use proofmark_model::graph::random::{self, Dice, Shape};

    fn passes(model: &Netlist, witness: &Netlist) -> bool {
        matches!(
            audit_witness_circuit(model, 0, witness, None),
            Audit::Passed { .. }
        )
    }

    /// Three latches of which exactly one is on, the token going round where the input says so.
    fn ring() -> (Netlist, BitProof) {
        let mut netlist = Netlist::default();
        let go = netlist.add_input();
        let inits = [Init::One, Init::Zero, Init::Zero];
        let on = inits.map(|init| netlist.add_latch(init));
        for at in 0..3 {
            let next = netlist.graph.mux(go, on[(at + 2) % 3], on[at]);
            netlist.set_next(at, next);
        }
        let both = netlist.graph.and(on[0], on[1]);
        netlist.add_bad("both", both);
        let clauses = vec![
            vec![!on[0], !on[1]],
            vec![!on[1], !on[2]],
            vec![!on[0], !on[2]],
        ];
        let proof = BitProof {
            k: 1,
            clauses,
            region: None,
        };
        (netlist, proof)
    }

    #[test]
    fn the_circuit_of_a_proof_passes_and_a_tampered_one_does_not() {
        let (model, proof) = ring();
        let witness = witness_circuit(&model, 0, &proof).unwrap();
        assert!(passes(&model, &witness));
        let tampered = |change: fn(&mut Netlist)| {
            let mut witness = witness.clone();
            change(&mut witness);
            passes(&model, &witness)
        };
        // What is bad: nothing, less than needed, or the property alone, which is not inductive.
        assert!(!tampered(|one| one.bads[0].signal = Signal::FALSE));
        assert!(!tampered(|one| one.bads.clear()));
        assert!(!passes(&model, &model));
        // Other first values, other steps, a constraint that the model does not have.
        assert!(!tampered(|one| one.latches[1].init = Init::One));
        assert!(!tampered(|one| one.latches[0].init = Init::Zero));
        assert!(!tampered(|one| one.latches[2].next = !one.latches[2].next));
        assert!(!tampered(|one| {
            let go = Signal::of(one.inputs[0]);
            one.constraints.push(!go);
        }));
        // The proof of another netlist.
        let mut other = model.clone();
        let next = other.latches[0].next;
        other.set_next(1, next);
        assert!(!passes(&other, &witness));
        // A deeper induction has no circuit.
        assert!(witness_circuit(&model, 0, &BitProof { k: 2, ..proof }).is_none());
    }

    #[test]
    fn a_region_becomes_gates() {
        let (model, proof) = ring();
        let mut own = Netlist::default();
        let on = [(); 3].map(|()| own.add_input());
        let pairs = [(0, 1), (1, 2), (0, 2)].map(|(a, b)| !own.graph.and(on[a], on[b]));
        let holds = own.graph.and_all(&pairs);
        let region = Region {
            netlist: own,
            latches: vec![0, 1, 2],
            holds,
        };
        let proof = BitProof {
            clauses: vec![],
            region: Some(Box::new(region)),
            ..proof
        };
        assert!(passes(&model, &witness_circuit(&model, 0, &proof).unwrap()));
    }

    /// On random netlists and random clauses the circuit passes exactly when the proof does.
    #[test]
    fn circuits_and_proofs_are_judged_alike() {
        let mut passed = 0;
        for seed in 0..400 {
            let mut dice = Dice::new(seed);
            let shape = Shape {
                inputs: 2,
                latches: 4,
                gates: 10,
                bads: 1,
                constraints: (seed % 2) as usize,
            };
            let model = random::netlist(&mut dice, &shape);
            let clauses = (0..dice.below(3)).map(|_| {
                let latches = (0..1 + dice.below(2)).map(|_| {
                    let latch = Signal::of(model.latches[dice.below(4)].node);
                    if dice.below(2) == 0 { latch } else { !latch }
                });
                latches.collect()
            });
            let proof = BitProof {
                k: 1,
                clauses: clauses.collect(),
                region: None,
            };
            let audit = audit_bit_proof(&model, 0, &proof, None);
            let expected = matches!(audit, Audit::Passed { .. });
            let witness = witness_circuit(&model, 0, &proof).unwrap();
            assert_eq!(passes(&model, &witness), expected, "seed {seed}");
            passed += usize::from(expected);
        }
        assert!(passed > 20, "{passed} of the proofs are right");
    }
}
