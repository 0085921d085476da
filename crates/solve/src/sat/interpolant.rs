//! Interpolants from proofs, after McMillan 2003 ("Interpolation and SAT-based model checking").
//!
//! When the clauses of two sides A and B contradict each other, there is a formula over the variables
//! that both have which follows from A and contradicts B. It is read off the proof: each clause of
//! the proof gets a formula. A clause of A gets the disjunction of its literals that B knows, one of
//! B gets *true*; a resolution takes the disjunction of both formulas when only A knows the
//! variable, and the conjunction otherwise.
//!
//! The log has hints and not resolutions. Visiting the hints forwards tells what each implies;
//! resolving them backwards, from the clause that is false, with those whose literal is still there,
//! is the derivation. Only what the conclusion rests on is looked at.
//!
//! The formula is an and-inverter graph of its own with structural hashing, small enough to be taken
//! into whatever the caller has. For the weakest of the interpolants that these rules allow, ask for
//! the sides the other way round and take the complement (D'Silva, Kroening, Purandare and
//! Weissenbacher 2010).

use super::literal::{Lit, Var};
use super::proof::{ClauseId, ProofLog, Step};
use rustc_hash::FxHashMap;

/// Whom a clause or an assumption belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// What the interpolant follows from.
    A,
    /// What the interpolant contradicts.
    B,
}

/// A node or its complement: twice the node, plus one when complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge(u32);

impl Edge {
    /// The constant true: node 0.
    pub const TRUE: Edge = Edge(0);
    /// The constant false: the complement of node 0.
    pub const FALSE: Edge = Edge(1);

    /// The node, as an index into [`Interpolant::nodes`].
    pub const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the complement of its node.
    pub const fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// A node; the edges of a conjunction lead to nodes before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant; only the first node is.
    True,
    /// A variable that both sides know.
    Input(Var),
    /// The conjunction of two edges.
    And(Edge, Edge),
}

/// A formula as an and-inverter graph.
#[derive(Clone, Debug)]
pub struct Interpolant {
    nodes: Vec<Node>,
    root: Edge,
}

impl Interpolant {
    /// All nodes, the constant first; the root depends on each of the others.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The formula itself.
    pub fn root(&self) -> Edge {
        self.root
    }

    /// The variables that the formula is about.
    pub fn inputs(&self) -> impl Iterator<Item = Var> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Input(var) => Some(*var),
            _ => None,
        })
    }

    /// How many conjunctions there are.
    pub fn size(&self) -> usize {
        let is_and = |node: &&Node| matches!(node, Node::And(..));
        self.nodes.iter().filter(is_and).count()
    }

    /// The truth value when the inputs have these values.
    pub fn evaluate(&self, value: impl Fn(Var) -> bool) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        let of = |values: &[bool], edge: Edge| values[edge.node()] != edge.is_complemented();
        for node in &self.nodes {
            values.push(match *node {
                Node::True => true,
                Node::Input(var) => value(var),
                Node::And(a, b) => of(&values, a) && of(&values, b),
            });
        }
        of(&values, self.root)
    }
}

/// The graph while it is built.
struct Builder {
    nodes: Vec<Node>,
    inputs: FxHashMap<Var, Edge>,
    ands: FxHashMap<(Edge, Edge), Edge>,
}

impl Builder {
    fn new() -> Builder {
        Builder {
            nodes: vec![Node::True],
            inputs: FxHashMap::default(),
            ands: FxHashMap::default(),
        }
    }

    fn push(&mut self, node: Node) -> Edge {
        self.nodes.push(node);
        Edge((self.nodes.len() as u32 - 1) << 1)
    }

    fn lit(&mut self, lit: Lit) -> Edge {
        let edge = match self.inputs.get(&lit.var()) {
            Some(&edge) => edge,
            None => {
                let edge = self.push(Node::Input(lit.var()));
                self.inputs.insert(lit.var(), edge);
                edge
            }
        };
        if lit.is_positive() { edge } else { !edge }
    }

    fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Edge::TRUE, other) => return other,
            (Edge::FALSE, _) => return Edge::FALSE,
            _ if a == b => return a,
            _ if a == !b => return Edge::FALSE,
            _ => {}
        }
        if let Some(&known) = self.ands.get(&(a, b)) {
            return known;
        }
        let edge = self.push(Node::And(a, b));
        self.ands.insert((a, b), edge);
        edge
    }

    fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    /// What the root depends on, in the same order.
    fn finish(self, root: Edge) -> Interpolant {
        let mut needed = vec![false; self.nodes.len()];
        needed[0] = true;
        needed[root.node()] = true;
        for at in (0..self.nodes.len()).rev() {
            if let (true, Node::And(a, b)) = (needed[at], self.nodes[at]) {
                needed[a.node()] = true;
                needed[b.node()] = true;
            }
        }
        let mut place = vec![Edge::TRUE; self.nodes.len()];
        let mut nodes = Vec::new();
        let moved = |place: &[Edge], edge: Edge| Edge(place[edge.node()].0 ^ edge.0 & 1);
        for (at, node) in self.nodes.iter().enumerate() {
            if !needed[at] {
                continue;
            }
            place[at] = Edge((nodes.len() as u32) << 1);
            nodes.push(match *node {
                Node::And(a, b) => Node::And(moved(&place, a), moved(&place, b)),
                other => other,
            });
        }
        let root = moved(&place, root);
        Interpolant { nodes, root }
    }
}

/// What a proof is split into.
pub struct Split<C, L> {
    /// The side of each clause that was added, constraints of single calls among them.
    pub clauses: C,
    /// The side of each assumption.
    pub assumptions: L,
}

/// The interpolant of an answer: `conclusion` is what [`Solver::conclusion`](super::Solver) said.
/// `None` when the log does not hold the proof of it.
pub fn interpolate<C, L>(
    log: &ProofLog,
    conclusion: ClauseId,
    split: &Split<C, L>,
) -> Option<Interpolant>
where
    C: Fn(ClauseId) -> Side,
    L: Fn(Lit) -> Side,
{
    let steps = needed_steps(log, conclusion)?;
    let last = steps.last()?;
    let mut walk = Walk::new(&steps);
    for step in &steps {
        if step.hints.is_empty() && (split.clauses)(step.id) == Side::B {
            walk.know(step.clause);
        }
    }
    let assumptions = last.clause.iter().map(|&lit| !lit);
    let assumptions: Vec<Lit> = assumptions.collect();
    for &lit in &assumptions {
        if (split.assumptions)(lit) == Side::B {
            walk.know(&[lit]);
        }
    }
    for (at, step) in steps.iter().enumerate() {
        let formula = if step.hints.is_empty() {
            walk.leaf(step.clause, (split.clauses)(step.id))
        } else {
            walk.derive(&steps, step)?
        };
        walk.formulas[at] = formula;
    }
    let mut root = *walk.formulas.last()?;
    for &lit in &assumptions {
        let leaf = walk.leaf(&[lit], (split.assumptions)(lit));
        root = walk.resolve(root, leaf, lit.var());
    }
    Some(walk.graph.finish(root))
}

/// A step that the conclusion rests on; those without hints are of the caller.
struct Needed<'l> {
    id: ClauseId,
    clause: &'l [Lit],
    hints: &'l [ClauseId],
}

/// What the conclusion rests on, in the order of the log; the conclusion comes last.
fn needed_steps(log: &ProofLog, conclusion: ClauseId) -> Option<Vec<Needed<'_>>> {
    let mut steps: Vec<Needed> = Vec::new();
    for step in log.steps() {
        let (id, clause, hints) = match step {
            Step::Original { id, clause } => (id, clause, &[][..]),
            Step::Derived { id, clause, hints } => (id, clause, hints),
            Step::Deleted { .. } => continue,
        };
        steps.push(Needed { id, clause, hints });
        if id == conclusion {
            break;
        }
    }
    if steps.last()?.id != conclusion {
        return None;
    }
    let most = steps.iter().map(|step| step.id).max()? as usize;
    let mut needed = vec![false; most + 1];
    needed[conclusion as usize] = true;
    for step in steps.iter().rev() {
        if needed[step.id as usize] {
            for &hint in step.hints {
                *needed.get_mut(hint as usize)? = true;
            }
        }
    }
    steps.retain(|step| needed[step.id as usize]);
    Some(steps)
}

/// The walk along the proof.
struct Walk {
    graph: Builder,
    /// By variable: does B know it?
    known: Vec<bool>,
    /// Where the clause of a number is.
    place: Vec<usize>,
    formulas: Vec<Edge>,
    /// By literal: is it false, under the negation of the clause that is derived?
    is_false: Vec<bool>,
    assigned: Vec<Lit>,
    /// By literal: is it in the present resolvent?
    present: Vec<bool>,
    touched: Vec<Lit>,
}

impl Walk {
    fn new(steps: &[Needed]) -> Walk {
        let lits = steps.iter().flat_map(|step| step.clause);
        let vars = lits
            .map(|lit| lit.var().index() + 1)
            .max()
            .unwrap_or_default();
        let most = steps.iter().map(|step| step.id as usize).max();
        let mut place = vec![usize::MAX; most.map_or(0, |most| most + 1)];
        for (at, step) in steps.iter().enumerate() {
            place[step.id as usize] = at;
        }
        Walk {
            graph: Builder::new(),
            known: vec![false; vars],
            place,
            formulas: vec![Edge::TRUE; steps.len()],
            is_false: vec![false; 2 * vars],
            assigned: Vec::new(),
            present: vec![false; 2 * vars],
            touched: Vec::new(),
        }
    }

    fn know(&mut self, clause: &[Lit]) {
        for lit in clause {
            self.known[lit.var().index()] = true;
        }
    }

    fn leaf(&mut self, clause: &[Lit], side: Side) -> Edge {
        if side == Side::B {
            return Edge::TRUE;
        }
        let mut formula = Edge::FALSE;
        for &lit in clause {
            if self.known[lit.var().index()] {
                let lit = self.graph.lit(lit);
                formula = self.graph.or(formula, lit);
            }
        }
        formula
    }

    fn resolve(&mut self, a: Edge, b: Edge, pivot: Var) -> Edge {
        if self.known[pivot.index()] {
            self.graph.and(a, b)
        } else {
            self.graph.or(a, b)
        }
    }

    /// The formula of a derived clause. `None` when the hints do not derive it.
    fn derive(&mut self, steps: &[Needed], step: &Needed) -> Option<Edge> {
        let hints: Option<Vec<usize>> = step
            .hints
            .iter()
            .map(|&hint| self.place.get(hint as usize).copied())
            .collect();
        let hints = hints?;
        let implied = self.implied(steps, step, &hints);
        for lit in self.assigned.drain(..) {
            self.is_false[lit.index()] = false;
        }
        let implied = implied?;
        let (&last, others) = hints.split_last()?;
        let mut formula = *self.formulas.get(last)?;
        self.enter(steps[last].clause, None);
        for (&hint, &pivot) in others.iter().zip(&implied).rev() {
            if !std::mem::take(&mut self.present[(!pivot).index()]) {
                continue;
            }
            self.enter(steps[hint].clause, Some(pivot));
            formula = self.resolve(formula, self.formulas[hint], pivot.var());
        }
        for lit in self.touched.drain(..) {
            self.present[lit.index()] = false;
        }
        Some(formula)
    }

    /// Adds the literals of a clause but for the pivot to the resolvent.
    fn enter(&mut self, clause: &[Lit], pivot: Option<Lit>) {
        for &lit in clause {
            if Some(lit) != pivot {
                self.present[lit.index()] = true;
                self.touched.push(lit);
            }
        }
    }

    /// What each hint but the last implies, under the negation of the clause.
    fn implied(&mut self, steps: &[Needed], step: &Needed, hints: &[usize]) -> Option<Vec<Lit>> {
        for &lit in step.clause {
            self.is_false[lit.index()] = true;
            self.assigned.push(lit);
        }
        let mut implied = Vec::with_capacity(hints.len());
        for &hint in &hints[..hints.len() - 1] {
            let clause = steps.get(hint)?.clause;
            let mut open = clause.iter().filter(|lit| !self.is_false[lit.index()]);
            let unit = *open.next()?;
            implied.push(unit);
            self.is_false[(!unit).index()] = true;
            self.assigned.push(!unit);
        }
        Some(implied)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Solver};
    use super::*;
    use crate::random::Random;
    use std::sync::{Arc, Mutex};

    struct Sides {
        a: Vec<Vec<Lit>>,
        b: Vec<Vec<Lit>>,
    }

    /// Clauses and assumptions over two sets of variables that overlap.
    fn interpolant(random: &mut Random, vars: usize) -> Option<(Sides, Interpolant)> {
        let log = Arc::new(Mutex::new(ProofLog::default()));
        let mut solver = Solver::new();
        solver.log_proof(log.clone());
        (0..vars).for_each(|_| {
            solver.new_var();
        });
        let lit = |from: usize, to: usize, random: &mut Random| {
            Var::new((from + random.below(to - from)) as u32).lit(random.chance(50))
        };
        let (low, high) = (vars / 3, vars * 2 / 3);
        let mut sides = Sides {
            a: Vec::new(),
            b: Vec::new(),
        };
        let mut of_a = vec![false];
        for _ in 0..vars * 6 {
            let in_a = random.chance(50);
            let (from, to) = if in_a { (0, high) } else { (low, vars) };
            let size = random.pick(&[2, 3, 3, 3]);
            let clause: Vec<Lit> = (0..size).map(|_| lit(from, to, random)).collect();
            let id = solver.add_clause(&clause) as usize;
            of_a.resize(id + 1, false);
            of_a[id] = in_a;
            let side = if in_a { &mut sides.a } else { &mut sides.b };
            side.push(clause);
        }
        let (one, other) = (lit(0, high, random), lit(low, vars, random));
        if one.var() == other.var() || solver.solve(&[one, other]) != Answer::Unsatisfiable {
            return None;
        }
        sides.a.push(vec![one]);
        sides.b.push(vec![other]);
        let split = Split {
            clauses: |id: ClauseId| if of_a[id as usize] { Side::A } else { Side::B },
            assumptions: |lit: Lit| if lit == one { Side::A } else { Side::B },
        };
        let log = log.lock().unwrap();
        let found = interpolate(&log, solver.conclusion()?, &split).unwrap();
        Some((sides, found))
    }

    fn mentions(clauses: &[Vec<Lit>], var: Var) -> bool {
        clauses.iter().flatten().any(|lit| lit.var() == var)
    }

    #[test]
    fn an_interpolant_follows_from_a_and_contradicts_b_for_every_assignment() {
        let mut found = 0;
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let vars = 3 + random.below(7);
            let Some((sides, formula)) = interpolant(&mut random, vars) else {
                continue;
            };
            found += 1;
            for var in formula.inputs() {
                assert!(mentions(&sides.a, var) && mentions(&sides.b, var));
            }
            for bits in 0u32..1 << vars {
                let is_true = |lit: Lit| (bits >> lit.var().index() & 1 == 1) == lit.is_positive();
                let holds = |clauses: &[Vec<Lit>]| {
                    let satisfied = |clause: &Vec<Lit>| clause.iter().any(|&lit| is_true(lit));
                    clauses.iter().all(satisfied)
                };
                let value = formula.evaluate(|var| is_true(var.positive()));
                assert!(value || !holds(&sides.a), "seed {seed}");
                assert!(!value || !holds(&sides.b), "seed {seed}");
            }
        }
        assert!(found > 500, "{found}");
    }

    /// Adds a formula to a solver; returns the literal that is true when it is.
    fn encode(formula: &Interpolant, solver: &mut Solver) -> Lit {
        let mut lits: Vec<Lit> = Vec::new();
        let of = |lits: &[Lit], edge: Edge| {
            let lit = lits[edge.node()];
            if edge.is_complemented() { !lit } else { lit }
        };
        for node in formula.nodes() {
            lits.push(match *node {
                Node::Input(var) => var.positive(),
                Node::True => {
                    let lit = solver.new_var().positive();
                    solver.add_clause(&[lit]);
                    lit
                }
                Node::And(a, b) => {
                    let (a, b) = (of(&lits, a), of(&lits, b));
                    let lit = solver.new_var().positive();
                    solver.add_clause(&[!lit, a]);
                    solver.add_clause(&[!lit, b]);
                    solver.add_clause(&[lit, !a, !b]);
                    lit
                }
            });
        }
        of(&lits, formula.root())
    }

    #[test]
    fn interpolants_of_larger_formulas_are_confirmed_by_the_solver() {
        let mut found = 0;
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let vars = 60 + random.below(40);
            let Some((sides, formula)) = interpolant(&mut random, vars) else {
                continue;
            };
            found += 1;
            for (clauses, in_a) in [(&sides.a, true), (&sides.b, false)] {
                let mut solver = Solver::new();
                (0..vars).for_each(|_| {
                    solver.new_var();
                });
                for clause in clauses {
                    solver.add_clause(clause);
                }
                let root = encode(&formula, &mut solver);
                let against = if in_a { !root } else { root };
                assert_eq!(solver.solve(&[against]), Answer::Unsatisfiable);
            }
            for var in formula.inputs() {
                assert!(mentions(&sides.a, var) && mentions(&sides.b, var));
            }
        }
        assert!(found > 20, "{found}");
    }
}
