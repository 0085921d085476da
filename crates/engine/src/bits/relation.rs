//! The transition relation as clauses, once for all solvers.
//!
//! A variable for every node that needs one, in the order of the nodes. Next values are literals of the
//! same step: a cube one step later is the conjunction of the literals of its next functions, so that
//! no second copy of the latches is needed. The variables that a question depends on are found by the
//! leaves of each gate, which [`Relation::cone`] follows.

use super::cube::{Cube, StateLit};
use proofmark_model::graph::{Encoding, Init, Netlist, Signal};
use proofmark_solve::sat::{Lit, Solver, Var};

const NO_LATCH: u32 = u32::MAX;

/// The clauses of one step, and what its literals stand for.
pub struct Relation {
    variables: usize,
    /// Literals of clauses, one after the other, and where each ends; by the gate that they define.
    literals: Vec<Lit>,
    ends: Vec<u32>,
    /// For every variable its first clause; its last is before that of the next one.
    first_clause: Vec<u32>,
    /// For every variable where its leaves begin; they end where the next one's begin.
    leaves: Vec<Var>,
    first_leaf: Vec<u32>,
    latches: Vec<Lit>,
    /// For every variable the position of its latch, or `NO_LATCH`.
    latch_of: Vec<u32>,
    next: Vec<Lit>,
    init: Vec<Init>,
    inputs: Vec<Lit>,
    constraints: Vec<Lit>,
    bad: Lit,
}

/// The variables below some literals; kept between questions, so that none costs an allocation.
#[derive(Default)]
pub struct Cone {
    pub vars: Vec<Var>,
    seen: Vec<u32>,
    stamp: u32,
}

impl Cone {
    /// Begins with nothing.
    fn clear(&mut self, variables: usize) {
        self.vars.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 || self.seen.len() != variables {
            self.seen.clear();
            self.seen.resize(variables, 0);
            self.stamp = 1;
        }
    }

    fn add(&mut self, var: Var) {
        let seen = &mut self.seen[var.index()];
        if *seen != self.stamp {
            *seen = self.stamp;
            self.vars.push(var);
        }
    }
}

impl Relation {
    /// The relation of a netlist and one of its bad signals.
    pub fn new(netlist: &Netlist, bad: usize) -> Relation {
        Relation::of(netlist, netlist.bads[bad].signal)
    }

    /// The relation of a netlist, and any signal that must not be true.
    pub fn of(netlist: &Netlist, bad: Signal) -> Relation {
        let (entered, clauses) = encode(netlist, bad);
        let mut vars = vec![None; netlist.graph.len()];
        let mut variables = 0;
        for node in entered {
            vars[node as usize] = Some(Var::new(variables));
            variables += 1;
        }
        let lit = |signal: Signal| {
            // Every node that a clause or a root mentions was entered.
            let var: Var = vars[signal.index()].unwrap_or(Var::new(0));
            var.lit(!signal.is_complemented())
        };
        let mut relation = Relation {
            variables: variables as usize,
            literals: Vec::new(),
            ends: Vec::new(),
            first_clause: Vec::new(),
            leaves: Vec::new(),
            first_leaf: Vec::new(),
            latches: netlist
                .latches
                .iter()
                .map(|one| lit(Signal::of(one.node)))
                .collect(),
            latch_of: vec![NO_LATCH; variables as usize],
            next: netlist.latches.iter().map(|one| lit(one.next)).collect(),
            init: netlist.latches.iter().map(|one| one.init).collect(),
            inputs: netlist
                .inputs
                .iter()
                .map(|one| lit(Signal::of(*one)))
                .collect(),
            constraints: netlist.constraints.iter().map(|one| lit(*one)).collect(),
            bad: lit(bad),
        };
        relation.add_clauses(&clauses, lit);
        for (position, lit) in (0..).zip(&relation.latches) {
            relation.latch_of[lit.var().index()] = position;
        }
        relation
    }

    /// Takes the clauses, and the leaves of every gate. A gate has the greatest number of the nodes of
    /// its clauses, because its fanins come before it.
    fn add_clauses(&mut self, clauses: &[Vec<Signal>], lit: impl Fn(Signal) -> Lit) {
        let owner = |clause: &Vec<Signal>| clause.iter().map(|one| lit(*one).var()).max();
        let mut sorted: Vec<&Vec<Signal>> = clauses.iter().collect();
        sorted.sort_by_key(|clause| owner(clause));
        let mut sorted = sorted.into_iter().peekable();
        for var in (0..self.variables as u32).map(Var::new) {
            self.first_clause.push(self.ends.len() as u32);
            self.first_leaf.push(self.leaves.len() as u32);
            let begin = self.leaves.len();
            while let Some(clause) = sorted.next_if(|clause| owner(clause) == Some(var)) {
                self.literals.extend(clause.iter().map(|one| lit(*one)));
                self.ends.push(self.literals.len() as u32);
                let leaves = clause.iter().map(|one| lit(*one).var());
                self.leaves.extend(leaves.filter(|leaf| *leaf != var));
            }
            self.leaves[begin..].sort_unstable();
            let mut kept = begin;
            for at in begin..self.leaves.len() {
                if at == begin || self.leaves[at] != self.leaves[at - 1] {
                    self.leaves[kept] = self.leaves[at];
                    kept += 1;
                }
            }
            self.leaves.truncate(kept);
        }
        self.first_clause.push(self.ends.len() as u32);
        self.first_leaf.push(self.leaves.len() as u32);
    }

    /// The number of latches.
    pub fn latches(&self) -> usize {
        self.latches.len()
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Lit] {
        &self.inputs
    }

    /// What is assumed at every step.
    pub fn constraints(&self) -> &[Lit] {
        &self.constraints
    }

    /// What must not be true.
    pub fn bad(&self) -> Lit {
        self.bad
    }

    /// A literal of the state.
    pub fn now(&self, lit: StateLit) -> Lit {
        oriented(self.latches[lit.latch()], lit)
    }

    /// The same literal one step later.
    pub fn next(&self, lit: StateLit) -> Lit {
        oriented(self.next[lit.latch()], lit)
    }

    /// The value with which a latch begins.
    pub fn init(&self, latch: usize) -> Init {
        self.init[latch]
    }

    /// Whether some initial state is in the cube. Constraints are not looked at: a state that breaks
    /// them leads nowhere and is not bad.
    pub fn is_initial(&self, cube: &Cube) -> bool {
        cube.lits().iter().all(|lit| {
            self.init[lit.latch()]
                .value()
                .is_none_or(|value| value == lit.value())
        })
    }

    /// An initial state in the cube, if there is one.
    pub fn initial_state(&self, cube: &Cube) -> Vec<bool> {
        let begin = self.init.iter().map(|init| init.value().unwrap_or(false));
        let mut state: Vec<bool> = begin.collect();
        for lit in cube.lits() {
            if self.init[lit.latch()] == Init::Free {
                state[lit.latch()] = lit.value();
            }
        }
        state
    }

    /// A solver that knows the gates, and nothing else.
    pub fn solver(&self) -> Solver {
        let mut solver = Solver::new();
        for _ in 0..self.variables {
            solver.new_var();
        }
        // Node 0 is the constant.
        solver.add_clause(&[Var::new(0).lit(false)]);
        for clause in (0..self.ends.len()).map(|at| self.clause(at)) {
            solver.add_clause(clause);
        }
        solver
    }

    fn clause(&self, at: usize) -> &[Lit] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.literals[begin as usize..self.ends[at] as usize]
    }

    /// The number of variables; the first is false.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The clauses that define a gate; nothing for inputs and latches.
    pub fn definition(&self, var: Var) -> impl Iterator<Item = &[Lit]> {
        let first = self.first_clause[var.index()] as usize;
        let end = self.first_clause[var.index() + 1] as usize;
        (first..end).map(|at| self.clause(at))
    }

    /// The variables in terms of which a gate is defined.
    pub fn leaves(&self, var: Var) -> &[Var] {
        let first = self.first_leaf[var.index()] as usize;
        &self.leaves[first..self.first_leaf[var.index() + 1] as usize]
    }

    /// The latch of a variable.
    pub fn latch_of(&self, var: Var) -> Option<usize> {
        let position = self.latch_of[var.index()];
        (position != NO_LATCH).then_some(position as usize)
    }

    /// The variables on which these literals depend, and those of `more`.
    pub fn cone(&self, lits: impl IntoIterator<Item = Lit>, more: &[Var], cone: &mut Cone) {
        cone.clear(self.variables);
        lits.into_iter().for_each(|lit| cone.add(lit.var()));
        let mut at = 0;
        while at < cone.vars.len() {
            let leaves = self.leaves(cone.vars[at]);
            leaves.iter().for_each(|leaf| cone.add(*leaf));
            at += 1;
        }
        more.iter().for_each(|var| cone.add(*var));
    }
}

/// The literal of a latch, negated where the state literal says that it is false.
fn oriented(lit: Lit, state: StateLit) -> Lit {
    if state.value() { lit } else { !lit }
}

/// The nodes that need a variable, in order, and the clauses of all that matters.
fn encode(netlist: &Netlist, bad: Signal) -> (Vec<u32>, Vec<Vec<Signal>>) {
    let next = netlist.latches.iter().map(|latch| latch.next);
    let roots = next.chain(netlist.constraints.iter().copied()).chain([bad]);
    let mut entered = vec![false; netlist.graph.len()];
    entered[0] = true;
    for latch in &netlist.latches {
        entered[latch.node as usize] = true;
    }
    for input in &netlist.inputs {
        entered[*input as usize] = true;
    }
    let mut clauses = Vec::new();
    Encoding::new(netlist).clauses(
        &netlist.graph,
        roots,
        |node| !std::mem::replace(&mut entered[node as usize], true),
        |clause| clauses.push(clause.to_vec()),
    );
    let nodes = (0u32..).zip(&entered).filter(|(_, entered)| **entered);
    (nodes.map(|(node, _)| node).collect(), clauses)
}
