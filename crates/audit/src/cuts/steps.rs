//! Steps of a netlist as clauses, with a switch for every site that can be cut.
//!
//! The multiplexer of Chockler, Kroening and Purandare (2010, Fig. 1), in two clauses a node: while the
//! switch of its site is off, a node has the value that it is given; while it is on, it has any, and two
//! further switches hold it at false or true. Where the sites have faults besides cuts, three more bind it to
//! its complement or twist it with its partner. A gate has its clauses once somebody asks for it, and a
//! site its switches with its first node, so that a solver knows of nothing that no question is about.

use proofmark_model::graph::{Criterion, CutPlace, CutSites, Init, Kind, Netlist, Region, Signal};
use proofmark_solve::sat::{Lit, Solver, Var};

/// What takes clauses.
pub trait ClauseSink {
    /// A new variable.
    fn new_var(&mut self) -> Var;
    /// One clause more.
    fn add_clause(&mut self, clause: &[Lit]);
}

impl ClauseSink for Solver {
    fn new_var(&mut self) -> Var {
        Solver::new_var(self)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        Solver::add_clause(self, clause);
    }
}

impl ClauseSink for crate::lrat::CheckedSolver {
    fn new_var(&mut self) -> Var {
        crate::lrat::CheckedSolver::new_var(self)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        crate::lrat::CheckedSolver::add_clause(self, clause);
    }
}

/// How the first step begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstStep {
    /// In an initial state.
    Initial,
    /// In any state.
    Anywhere,
}

/// The switches of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switches {
    /// Its nodes are cut.
    pub cut: Lit,
    zero: Lit,
    one: Lit,
    /// Inverted, twisted with the partner, and with its complement.
    twists: Option<[Lit; 3]>,
}

impl Switches {
    /// The literals that cut the site in this way.
    pub fn on(&self, criterion: Criterion) -> impl Iterator<Item = Lit> {
        std::iter::once(self.cut).chain(self.held(criterion))
    }

    /// The literal that takes the freedom from a cut site.
    pub fn held(&self, criterion: Criterion) -> Option<Lit> {
        match criterion {
            Criterion::Nondet => None,
            Criterion::Zero => Some(self.zero),
            Criterion::One => Some(self.one),
            Criterion::Inverted => self.twists.map(|twists| twists[0]),
            Criterion::Xor => self.twists.map(|twists| twists[1]),
            Criterion::Xnor => self.twists.map(|twists| twists[2]),
        }
    }

    /// All literals that do.
    pub fn all_held(&self) -> impl Iterator<Item = (Criterion, Lit)> {
        let held = |criterion| Some((criterion, self.held(criterion)?));
        Criterion::ALL.into_iter().filter_map(held)
    }
}

/// Steps of a netlist whose sites can be cut.
pub struct CutSteps<'n, S> {
    netlist: &'n Netlist,
    sites: &'n CutSites,
    /// Knows the clauses.
    pub solver: S,
    first: FirstStep,
    truth: Lit,
    /// For each step and node its literal.
    lits: Vec<Vec<Option<Lit>>>,
    switches: Vec<Option<Switches>>,
    /// For each step the literal of the region, of which a proof has one.
    regions: Vec<Option<Lit>>,
}

impl<'n, S: ClauseSink> CutSteps<'n, S> {
    /// No step yet, in a solver without clauses.
    pub fn new(netlist: &'n Netlist, sites: &'n CutSites, first: FirstStep, mut solver: S) -> Self {
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        CutSteps {
            netlist,
            sites,
            solver,
            first,
            truth,
            lits: Vec::new(),
            switches: vec![None; sites.len()],
            regions: Vec::new(),
        }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.lits.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.lits.is_empty()
    }

    /// The literal that is true.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// One step more, of which the constraints say nothing.
    pub fn extend_freely(&mut self) {
        self.lits.push(vec![None; self.netlist.graph.len()]);
        self.regions.push(None);
    }

    /// One step more, in which the constraints hold.
    pub fn extend(&mut self) {
        let step = self.lits.len();
        self.extend_freely();
        for at in 0..self.netlist.constraints.len() {
            let lit = self.lit(step, self.netlist.constraints[at]);
            self.solver.add_clause(&[lit]);
        }
    }

    /// The switches of the sites that the clauses know of.
    pub fn switches(&self) -> impl Iterator<Item = (usize, Switches)> + '_ {
        let known = self.switches.iter().enumerate();
        known.filter_map(|(site, switches)| Some((site, (*switches)?)))
    }

    /// The switches of a site, if the clauses know of it.
    pub fn switches_of(&self, site: usize) -> Option<Switches> {
        self.switches[site]
    }

    /// The literal of a node at a step, if somebody asked for it.
    pub fn known(&self, step: usize, signal: Signal) -> Option<Lit> {
        let lit = self.lits[step][signal.index()]?;
        Some(if signal.is_complemented() { !lit } else { lit })
    }

    /// A signal at a step, as its readers see it.
    pub fn lit(&mut self, step: usize, signal: Signal) -> Lit {
        let mut stack = vec![(step, signal.node())];
        while let Some(&(step, node)) = stack.last() {
            if self.lits[step][node as usize].is_some() {
                stack.pop();
                continue;
            }
            let given = match self.netlist.graph.kind(node) {
                Kind::Constant => Some(!self.truth),
                Kind::Input(_) => Some(self.solver.new_var().positive()),
                Kind::Latch(position) => self.latch(step, position as usize, &mut stack),
                Kind::And(a, b) => self.gate(step, [a, b], &mut stack),
            };
            self.lits[step][node as usize] = given.map(|lit| self.seen(step, node, lit));
        }
        self.known(step, signal).unwrap_or(self.truth)
    }

    /// What the readers of a node see of the value that it is given.
    fn seen(&mut self, step: usize, node: u32, given: Lit) -> Lit {
        let Some(site) = self.sites.of(node) else {
            return given;
        };
        let partner = self.sites.partner(node);
        let Kind::Latch(position) = self.netlist.graph.kind(node) else {
            let partner = partner.and_then(|partner| self.known(step, partner));
            return self.multiplexer(site, given, partner);
        };
        match (step.checked_sub(1), self.first) {
            (Some(before), _) => {
                let partner = partner.and_then(|partner| self.known(before, partner));
                self.multiplexer(site, given, partner)
            }
            (None, FirstStep::Anywhere) => self.any_state(site, position as usize, given),
            (None, FirstStep::Initial) => match self.sites.place {
                CutPlace::Next => given,
                CutPlace::Output => self.multiplexer(site, given, None),
            },
        }
    }

    fn multiplexer(&mut self, site: usize, given: Lit, partner: Option<Lit>) -> Lit {
        let switches = self.switch(site);
        let seen = self.solver.new_var().positive();
        if let (Some([inverted, xor, xnor]), Some(partner)) = (switches.twists, partner) {
            self.solver.add_clause(&[!inverted, seen, given]);
            self.solver.add_clause(&[!inverted, !seen, !given]);
            for (twist, partner) in [(xor, partner), (xnor, !partner)] {
                self.solver.add_clause(&[!twist, partner, !seen, given]);
                self.solver.add_clause(&[!twist, partner, seen, !given]);
                self.solver.add_clause(&[!twist, !partner, seen, given]);
                self.solver.add_clause(&[!twist, !partner, !seen, !given]);
            }
        }
        self.solver.add_clause(&[switches.cut, !seen, given]);
        self.solver.add_clause(&[switches.cut, seen, !given]);
        self.solver.add_clause(&[!switches.zero, !seen]);
        self.solver.add_clause(&[!switches.one, seen]);
        seen
    }

    /// A latch in a state that may be any. One that is held at the value with which it begins has it in
    /// every state: that is an invariant of one literal, and nothing needs to be known to see it.
    fn any_state(&mut self, site: usize, position: usize, state: Lit) -> Lit {
        let begins = |value| {
            self.sites.place == CutPlace::Output
                || self.netlist.latches[position].init == Init::from(value)
        };
        let (zero, one) = (begins(false), begins(true));
        let switches = self.switch(site);
        if zero {
            self.solver.add_clause(&[!switches.zero, !state]);
        }
        if one {
            self.solver.add_clause(&[!switches.one, state]);
        }
        state
    }

    fn switch(&mut self, site: usize) -> Switches {
        if let Some(known) = self.switches[site] {
            return known;
        }
        let [cut, zero, one] = [0; 3].map(|_| self.solver.new_var().positive());
        let twists = self.sites.has_partners();
        let twists = twists.then(|| [0; 3].map(|_| self.solver.new_var().positive()));
        let switches = Switches {
            cut,
            zero,
            one,
            twists,
        };
        self.switches[site] = Some(switches);
        switches
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
            return Some(match (self.first, latch.init) {
                (FirstStep::Initial, Init::Zero) => !self.truth,
                (FirstStep::Initial, Init::One) => self.truth,
                _ => self.solver.new_var().positive(),
            });
        };
        let next = self.known(before, latch.next);
        if next.is_none() {
            stack.push((before, latch.next.node()));
        }
        let partner = self.sites.partner(latch.node);
        if let Some(partner) = partner.filter(|one| self.known(before, *one).is_none()) {
            stack.push((before, partner.node()));
            return None;
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

    /// True exactly when both are.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let gate = self.solver.new_var().positive();
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        gate
    }

    /// Whether the state at a step is in the region of the proof, as a literal.
    pub fn region(&mut self, step: usize, region: &Region) -> Lit {
        if let Some(known) = self.regions[step] {
            return known;
        }
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
        let inside = read(&lits, region.holds);
        self.regions[step] = Some(inside);
        inside
    }
}
