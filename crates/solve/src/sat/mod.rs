//! A SAT solver of literals: conflict-driven clause learning, incremental, with proofs.
//!
//! ```
//! use proofmark_solve::sat::{Answer, Solver};
//!
//! let mut solver = Solver::new();
//! let (a, b) = (solver.new_var().positive(), solver.new_var().positive());
//! solver.add_clause(&[a, b]);
//! assert_eq!(solver.solve(&[!a]), Answer::Satisfiable);
//! assert_eq!(solver.value(b), Some(true));
//! assert_eq!(solver.solve(&[!b, !a]), Answer::Unsatisfiable);
//! assert_eq!(solver.core().len(), 2);
//! // A clause that holds for one call only.
//! assert_eq!(solver.solve_with(&[!a], &[!b]), Answer::Unsatisfiable);
//! ```
//!
//! The embedded SMT solver has a propositional core of its own (`embedded/sat`), and this is not
//! that core with an empty theory. There, every clause carries the scope of its derivation and goes
//! with it, a theory hears of the trail, and the caller adds clauses in the middle of a search. Here
//! there are no scopes and no theory; instead there are domains, a clause for a single call, a proof
//! with a number on every clause, and inprocessing that removes variables: each contradicts something
//! there. What both need is written once, here: literals and values (`literal`), the order of
//! decisions (`heap`), moving averages (`averages`), limits (`limits`).
//!
//! The files, one technique each:
//!
//! - `search`: the loop, assumptions and the constraint; `propagate`, `analyze`: its two halves.
//! - `mode`: two ways of searching in turn, by `heap` and `queue`; `phases`: which value to decide.
//! - `restart`, `reduce`: when to begin anew, and what to forget.
//! - `inprocess`: when to simplify, by `probe`, `vivify` and `eliminate` with subsumption; `extend`:
//!   models of eliminated variables, and their return.
//! - `domain`: questions about a part of the variables.
//! - `proof`: what was derived from what.
//! - `arena`, `clauses`: where clauses live, and how they come and go.
//!
//! A call costs what it touches: nothing is done for all variables, the trail of the last call is
//! kept as far as the assumptions are the same, and a model is read from the trail. A question about a
//! cone of 20 gates in a circuit of 20,000 takes some microseconds within the domain of the cone, and
//! a thousand times as long without.
//!
//! Beside CaDiCaL (its version of 2021; CPU seconds of one run each, interleaved on a machine with other
//! work; parsing included):
//!
//! | formula | here | CaDiCaL |
//! |---|---|---|
//! | random 3-SAT at the threshold, 200 variables | 0.33 | 0.50 |
//! | the same, 250 variables, two of them | 3.3, 2.9 | 2.7, 1.7 |
//! | pigeonholes, 8 and 9 | 0.4, 3.3 | 0.3, 3.1 |
//! | commutativity of multipliers, 6, 7 and 8 bits | 0.16, 1.4, 10.0 | 0.16, 0.8, 5.2 |
//! | two sorting networks agree, 5 and 6 words | 0.12, 0.73 | 0.12, 1.05 |
//! | bubble sort sorts 15 words (5,251 variables) | 12.2 | 18.1 |
//! | a sort inverted, three (to 20,000 variables, 70,000 clauses) | 0.5, 2.6, 0.4 | 1.7, 1.7, 0.5 |
//! | circuits unrolled, unsatisfiable, three (to 61,000 variables) | 1.5, 0.4, 1.7 | 2.1, 0.5, 3.2 |
//! | circuits unrolled, satisfiable, three (to 67,000 variables) | 1.2, 0.85, 0.30 | 0.85, 0.05, 0.04 |
//!
//! What CaDiCaL has and this has not: constant assignments tried first (the last row), equivalent
//! literals, gates in the elimination, local search.

mod analyze;
mod arena;
pub(crate) mod averages;
mod clauses;
pub mod dimacs;
mod domain;
mod eliminate;
mod extend;
pub(crate) mod heap;
mod inprocess;
pub mod interpolant;
pub(crate) mod limits;
pub(crate) mod literal;
mod mode;
mod phases;
mod probe;
mod proof;
mod propagate;
mod queue;
mod reduce;
mod restart;
mod search;
#[cfg(test)]
mod tests;
mod vivify;

use self::arena::{Arena, ClauseRef};
use self::domain::Domain;
use self::extend::Extension;
use self::heap::{Activities, Order};
use self::inprocess::Inprocess;
use self::literal::Values;
pub use self::literal::{Lit, Var};
use self::mode::Mode;
use self::phases::Phases;
use self::probe::Probes;
use self::proof::Proof;
pub use self::proof::{ClauseId, LratWriter, ProofLog, ProofSink, Step};
use self::propagate::Watch;
use self::queue::Queue;
use self::reduce::Reduce;
use self::restart::Restart;
use crate::solver::{Budget, Interrupt};

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// [`Solver::value`] tells a model.
    Satisfiable,
    /// [`Solver::core`] tells which assumptions take part.
    Unsatisfiable,
    /// The budget was used up, or the solver was interrupted.
    Unknown,
}

/// What a solver has done since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// How many times it was asked.
    pub solves: u64,
    /// How often a clause was false under the trail.
    pub conflicts: u64,
    /// How many literals were guessed.
    pub decisions: u64,
    /// How many literals of the trail were propagated.
    pub propagations: u64,
    /// How often the search began again with what it had learned.
    pub restarts: u64,
    /// Variables that are eliminated now.
    pub eliminated: u64,
    /// How many clauses others made redundant.
    pub subsumed: u64,
    /// How many clauses lost a literal that is not needed.
    pub strengthened: u64,
    /// How many clauses were examined to be made shorter.
    pub vivified: u64,
    /// How many literals led to a conflict when probed, so that their negations hold.
    pub failed_literals: u64,
}

/// What is known of a literal for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Truth {
    True,
    False,
    Open,
}

/// Where and why a variable has its value.
#[derive(Clone, Copy, Debug)]
struct Variable {
    level: u32,
    /// Its place on the trail.
    position: u32,
    /// None for decisions, assumptions and facts.
    reason: ClauseRef,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    /// How long the trail was.
    trail: u32,
    /// The decision, also when it was true already.
    decision: Lit,
    /// While a conflict is analysed: how many literals of the level were seen, the earliest where.
    seen: u32,
    earliest: u32,
}

/// A SAT solver. See the [module](self) for how to use it.
pub struct Solver {
    values: Values,
    variables: Vec<Variable>,
    phases: Phases,
    /// Variables that the caller does not want decided.
    undecided: Vec<bool>,
    activities: Activities,
    /// The variables that may be open.
    order: Order,
    /// All variables, those of the last conflicts last.
    queue: Queue,
    domain: Domain,

    arena: Arena,
    originals: Vec<ClauseRef>,
    learned: Vec<ClauseRef>,
    /// By the literal that became true: the clauses that watch its negation.
    watches: Vec<Vec<Watch>>,

    trail: Vec<Lit>,
    levels: Vec<Level>,
    /// How much of the trail is propagated.
    head: usize,
    /// The clauses do not contradict each other, as far as is known.
    consistent: bool,
    /// The empty clause, once the clauses contradict each other.
    refutation: ClauseId,

    assumptions: Vec<Lit>,
    constraint: Vec<Lit>,
    constraint_id: ClauseId,
    core: Vec<Lit>,
    /// By literal: is it in the core?
    in_core: Vec<bool>,
    conclusion: Option<ClauseId>,

    mode: Mode,
    restart: Restart,
    reduce: Reduce,
    inprocess: Inprocess,
    extension: Extension,
    probes: Probes,
    /// How many facts there were at the last simplification, and when it was.
    simplified_facts: usize,
    simplified_at: u64,
    /// Memory touched by propagation, in cache lines.
    ticks: u64,

    budget: Budget,
    interrupt: Interrupt,
    counters: Counters,
    next_id: ClauseId,
    /// Numbers that are kept for clauses of the caller.
    reserved: std::ops::Range<ClauseId>,
    proof: Option<Box<Proof>>,

    // Scratch space of the conflict analysis and of `add_clause`.
    marks: Vec<u8>,
    marked: Vec<Var>,
    seen_levels: Vec<u32>,
    learnt: Vec<Lit>,
    stack: Vec<analyze::Frame>,
    level_stamp: Vec<u64>,
    stamp: u64,
    scratch: Vec<Lit>,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver without variables, clauses and proof.
    pub fn new() -> Solver {
        Solver {
            values: Values::default(),
            variables: Vec::new(),
            phases: Phases::default(),
            undecided: Vec::new(),
            activities: Activities::default(),
            order: Order::default(),
            queue: Queue::default(),
            domain: Domain::default(),
            arena: Arena::default(),
            originals: Vec::new(),
            learned: Vec::new(),
            watches: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            head: 0,
            consistent: true,
            refutation: 0,
            assumptions: Vec::new(),
            constraint: Vec::new(),
            constraint_id: 0,
            core: Vec::new(),
            in_core: Vec::new(),
            conclusion: None,
            mode: Mode::default(),
            restart: Restart::default(),
            reduce: Reduce::default(),
            inprocess: Inprocess::default(),
            extension: Extension::default(),
            probes: Probes::default(),
            simplified_facts: 0,
            simplified_at: 0,
            ticks: 0,
            budget: Budget::default(),
            interrupt: Interrupt::default(),
            counters: Counters::default(),
            next_id: 1,
            reserved: 0..0,
            proof: None,
            marks: Vec::new(),
            marked: Vec::new(),
            seen_levels: Vec::new(),
            learnt: Vec::new(),
            stack: Vec::new(),
            level_stamp: Vec::new(),
            stamp: 0,
            scratch: Vec::new(),
        }
    }

    /// A new variable. Its number is one more than that of the one before.
    ///
    /// # Panics
    /// When there are [`Var::MOST`] variables already.
    pub fn new_var(&mut self) -> Var {
        let var = Var(self.variables.len() as u32);
        assert!(var.0 < Var::MOST, "too many variables");
        self.values.grow();
        self.variables.push(Variable {
            level: 0,
            position: 0,
            reason: ClauseRef::NONE,
        });
        self.phases.grow();
        self.undecided.push(false);
        self.activities.renew(var);
        self.order.grow(var);
        self.order.insert(var, &self.activities);
        self.queue.grow();
        self.extension.grow();
        self.domain.grow(var);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.in_core.extend([false, false]);
        self.marks.push(0);
        var
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.variables.len()
    }

    /// Can the clauses be satisfied together with the assumptions?
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_with(assumptions, &[])
    }

    /// The value of a literal in the model of the last answer, until the next call that changes
    /// anything. None for a variable on which nothing depends.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values.get(lit) {
            0 if self.extension.is_eliminated(lit.var()) => Some(self.extension.value(lit)),
            0 => None,
            value => Some(value > 0),
        }
    }

    /// The value of a literal that follows from the clauses alone.
    pub fn fixed(&self, lit: Lit) -> Option<bool> {
        match self.fact(lit) {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Open => None,
        }
    }

    /// After `Unsatisfiable`: does this assumption take part?
    #[inline]
    pub fn failed(&self, lit: Lit) -> bool {
        self.in_core[lit.index()]
    }

    /// After `Unsatisfiable`: assumptions that cannot be met together. A constraint may take part
    /// as well. Empty when there is no model whatever is assumed.
    pub fn core(&self) -> &[Lit] {
        &self.core
    }

    /// Can there be a model at all, as far as is known?
    pub fn is_consistent(&self) -> bool {
        self.consistent
    }

    /// How much each call may cost; effort is counted in conflicts.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Whoever sets the interrupt stops the present call.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Whenever this literal's variable is decided, the literal becomes true.
    pub fn prefer(&mut self, lit: Lit) {
        self.phases.prefer(lit);
    }

    /// The search chooses the value of a variable by itself again.
    pub fn no_preference(&mut self, var: Var) {
        self.phases.no_preference(var);
    }

    /// Whether a variable may be decided. One that may not is only implied, and may be left open: the
    /// caller vouches that it can take a value then.
    pub fn set_decision(&mut self, var: Var, may_be_decided: bool) {
        self.undecided[var.index()] = !may_be_decided;
        if may_be_decided {
            self.reopen(var);
        }
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// How many clauses there are: those of the caller, and those that were learned.
    pub fn clauses(&self) -> (usize, usize) {
        (self.originals.len(), self.learned.len())
    }

    fn fact(&self, lit: Lit) -> Truth {
        match self.values.get(lit) {
            0 => Truth::Open,
            _ if self.variables[lit.var().index()].level > 0 => Truth::Open,
            1 => Truth::True,
            _ => Truth::False,
        }
    }

    fn may_decide(&self, var: Var) -> bool {
        !self.undecided[var.index()] && !self.extension.is_eliminated(var)
    }

    fn decision_level(&self) -> u32 {
        self.levels.len() as u32
    }
}
