//! The propositional core: conflict-driven clause learning with a theory at its side.
//!
//! The loop is the classic one (Marques-Silva and Sakallah 1996; MiniSat, Eén and Sörensson 2003):
//! propagate, decide, on a conflict learn the first unique implication point clause, minimise it,
//! jump back. Two watched literals with blockers, binary clauses in lists of their own, integer
//! VSIDS, saved phases, restarts and clause deletion by literal block distance (Glucose, Audemard
//! and Simon 2009), all in integers.
//!
//! What is particular here is the scopes. Scopes are a stack; a variable lives until its scope is
//! closed, which need not be the innermost when it is made. Clauses carry the scope of their
//! derivation: the greatest scope of any assertion that they follow from. A clause, learned or
//! not, outlives a pop when its derivation and all of its variables do. Definitions of fresh
//! variables count as derived in scope 0, because they say nothing about the variables that were
//! there before (a conservative extension).
//!
//! Why our own: the crates at hand do not fit. CaDiCaL's bindings need a C++ compiler, which a user
//! of ours need not have. `batsat` (MiniSat in Rust, with a theory interface) cannot forget variables
//! with a scope. And it is not faster: on 14 instances (random 3-SAT at the threshold with 200 and
//! 250 variables, pigeonholes, commutativity of multipliers of 6 to 8 bits) this core without a
//! theory took 19.0 s against 28.3 s of batsat 0.6, medians of three interleaved runs; slower only
//! on the pigeonholes (9 holes: 5.6 s against 1.8 s).
//!
//! The search stops at every complete assignment and hands it to the caller, who may add variables
//! and clauses (branches, cuts, lemmas) at any level and resume.

mod analyze;
mod clauses;
mod propagate;
mod scopes;

use self::clauses::SCOPE;
use super::scoped::ScopedLog;
use crate::sat::averages::Average;
use crate::sat::heap::Heap;
use crate::sat::limits::{SearchLimits, Stop};
use crate::sat::literal::{Lit, Values, Var};

/// What the theory at the solver's side must do. It hears of its atoms in the order of the trail.
pub(super) trait Theory {
    /// A literal over one of the theory's atoms became true.
    fn assign(&mut self, lit: Lit);

    /// Forgets all but the first `count` assigned literals.
    fn retract(&mut self, count: usize);

    /// Is nothing left to examine? Not after a conflict or a stop that left literals assigned.
    fn is_settled(&self) -> bool;

    /// Are the assigned literals consistent, and what do they imply?
    fn propagate(
        &mut self,
        values: &Values,
        limits: &SearchLimits,
        out: &mut Consequences,
    ) -> TheoryVerdict;

    /// The phase in which an atom agrees with the theory's present state.
    fn phase(&self, var: Var) -> Option<bool>;
}

pub(super) enum TheoryVerdict {
    Consistent,
    /// `Consequences::conflict` holds true literals that contradict each other.
    Conflict,
    Stopped(Stop),
}

/// What a theory has to say after a propagation.
#[derive(Default)]
pub(super) struct Consequences {
    pub(super) conflict: Vec<Lit>,
    /// Implied literals, each with where its explanation starts.
    implied: Vec<(Lit, u32)>,
    /// Explanations: a length and that many true literals.
    explanations: Vec<u32>,
}

impl Consequences {
    /// `lit` follows from `because`, which are all true.
    pub(super) fn imply(&mut self, lit: Lit, because: &[Lit]) {
        self.implied.push((lit, self.explanations.len() as u32));
        self.explanations.push(because.len() as u32);
        self.explanations.extend(because.iter().map(|lit| lit.0));
    }

    fn explanation(&self, start: u32) -> &[u32] {
        let start = start as usize;
        let len = self.explanations[start] as usize;
        &self.explanations[start + 1..start + 1 + len]
    }
}

/// A clause: where it starts in the arena.
type ClauseRef = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    /// A decision, an assumption, or a fact.
    None,
    Clause(ClauseRef),
    /// The clause of the implied literal and this one, and the scope of its derivation.
    Binary(Lit, u32),
    /// Where the explanation starts.
    Theory(u32),
}

enum Conflict {
    Clause(ClauseRef),
    Binary(Lit, Lit, u32),
    /// The literals are in `Consequences::conflict`.
    Theory,
}

#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseRef,
    /// Some other literal of the clause: when it is true there is nothing to do.
    blocker: Lit,
}

#[derive(Clone, Copy)]
struct Level {
    trail: u32,
    explanations: u32,
    /// How many literals the theory had heard of.
    told: u32,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchOutcome {
    /// Every variable has a value and the theory knows no conflict.
    Complete,
    /// The clauses contradict each other, or the assumptions in `core`.
    Unsat,
    Stopped(Stop),
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counters {
    pub(super) conflicts: u64,
    pub(super) decisions: u64,
    pub(super) propagations: u64,
    pub(super) restarts: u64,
}

pub(super) struct Sat<T> {
    pub(super) theory: T,
    pub(super) values: Values,
    pub(super) counters: Counters,
    /// After `Unsat`: the assumptions that take part.
    pub(super) core: Vec<Lit>,

    level: Vec<u32>,
    reason: Vec<Reason>,
    /// For facts (level 0): the scope that they follow from.
    root_scope: Vec<u32>,
    /// The scope with which a variable goes.
    lifetime: Vec<u32>,
    vars: ScopedLog<Var>,
    /// Variables that are gone and may be used anew.
    free: Vec<Var>,
    /// The value that a variable had last.
    phase: Vec<Option<bool>>,
    /// The value that a variable is to be decided with.
    preferred: Vec<Option<bool>>,
    is_atom: Vec<bool>,
    heap: Heap,

    arena: Vec<u32>,
    wasted: usize,
    originals: ScopedLog<ClauseRef>,
    learned: Vec<ClauseRef>,
    binaries: ScopedLog<(Lit, Lit)>,
    /// By the literal that became true: the literals implied by binary clauses.
    implications: Vec<Vec<(Lit, u32)>>,
    /// By the literal that became true: the long clauses that watch its negation.
    watches: Vec<Vec<Watch>>,

    trail: Vec<Lit>,
    levels: Vec<Level>,
    head: usize,
    theory_head: usize,
    /// How many literals the theory has heard of.
    told: usize,
    out: Consequences,

    scope: u32,
    /// Facts that contradict one of a later scope, to be told again when that is closed.
    overridden: Vec<(Lit, u32)>,
    /// The clauses contradict each other by themselves, from this scope on.
    contradiction: Option<u32>,

    restart: Restart,
    reduce_at: u64,
    /// How many learned clauses a reduction leaves alone, growing.
    reduce_step: u64,
    clause_increment: u32,

    // Scratch space of the conflict analysis.
    seen: Vec<bool>,
    learnt: Vec<Lit>,
    cleared: Vec<Lit>,
    level_stamp: Vec<u64>,
    stamp: u64,
}

/// When to restart: when the block distances of late are worse than usual.
struct Restart {
    fast: Average,
    slow: Average,
    /// Conflicts since the last restart.
    since: u64,
}

impl Default for Restart {
    fn default() -> Restart {
        Restart {
            fast: Average::new(32),
            slow: Average::new(4096),
            since: 0,
        }
    }
}

impl Restart {
    fn learned(&mut self, distance: u32) {
        self.fast.update(distance);
        self.slow.update(distance);
        self.since += 1;
    }

    fn due(&self) -> bool {
        let slow = self.slow.value();
        self.since >= 50 && self.fast.value() > slow + slow / 8
    }

    fn restarted(&mut self) {
        self.since = 0;
        self.fast.set(&self.slow);
    }
}

impl<T: Theory> Sat<T> {
    pub(super) fn new(theory: T) -> Sat<T> {
        Sat {
            theory,
            values: Values::default(),
            counters: Counters::default(),
            core: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            root_scope: Vec::new(),
            lifetime: Vec::new(),
            vars: ScopedLog::default(),
            free: Vec::new(),
            phase: Vec::new(),
            preferred: Vec::new(),
            is_atom: Vec::new(),
            heap: Heap::new(),
            arena: Vec::new(),
            wasted: 0,
            originals: ScopedLog::default(),
            learned: Vec::new(),
            binaries: ScopedLog::default(),
            implications: Vec::new(),
            watches: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            head: 0,
            theory_head: 0,
            told: 0,
            out: Consequences::default(),
            scope: 0,
            overridden: Vec::new(),
            contradiction: None,
            restart: Restart::default(),
            reduce_at: 2000,
            reduce_step: 2000,
            clause_increment: 1,
            seen: Vec::new(),
            learnt: Vec::new(),
            cleared: Vec::new(),
            level_stamp: vec![0],
            stamp: 0,
        }
    }

    /// A variable that lives until the scope `lifetime` is closed.
    pub(super) fn new_var(&mut self, lifetime: u32) -> Var {
        let var = self.free.pop().unwrap_or_else(|| {
            let var = Var(self.level.len() as u32);
            self.values.grow();
            self.level.push(0);
            self.reason.push(Reason::None);
            self.root_scope.push(0);
            self.lifetime.push(0);
            self.phase.push(None);
            self.preferred.push(None);
            self.is_atom.push(false);
            self.seen.push(false);
            self.implications.extend([Vec::new(), Vec::new()]);
            self.watches.extend([Vec::new(), Vec::new()]);
            var
        });
        self.lifetime[var.index()] = lifetime;
        self.vars.note(lifetime, var);
        self.heap.renew(var);
        var
    }

    pub(super) fn lifetime(&self, lit: Lit) -> u32 {
        self.lifetime[lit.var().index()]
    }

    /// Makes a variable an atom of the theory. It has no value yet.
    pub(super) fn set_atom(&mut self, var: Var) {
        debug_assert!(self.values.is_open(var.positive()));
        self.is_atom[var.index()] = true;
    }

    /// Whenever this literal's variable is decided, the literal becomes true.
    pub(super) fn prefer(&mut self, lit: Lit) {
        self.preferred[lit.var().index()] = Some(lit.is_positive());
    }

    /// The current scope; 0 is outside all.
    pub(super) fn scope(&self) -> u32 {
        self.scope
    }

    fn decision_level(&self) -> u32 {
        self.levels.len() as u32
    }

    fn new_level(&mut self) {
        self.levels.push(Level {
            trail: self.trail.len() as u32,
            explanations: self.out.explanations.len() as u32,
            told: self.told as u32,
        });
    }

    fn enqueue(&mut self, lit: Lit, reason: Reason) {
        debug_assert!(self.values.is_open(lit));
        let var = lit.var().index();
        self.values.set(lit);
        self.level[var] = self.decision_level();
        self.trail.push(lit);
        if self.levels.is_empty() {
            self.root_scope[var] = self.scope_of_reason(lit, reason);
            self.reason[var] = Reason::None;
        } else {
            self.reason[var] = reason;
        }
    }

    /// The scope that a fact with this reason follows from.
    fn scope_of_reason(&self, lit: Lit, reason: Reason) -> u32 {
        let fact = |other: Lit| self.root_scope[other.var().index()];
        match reason {
            Reason::None => 0,
            Reason::Binary(other, scope) => scope.max(fact(other)),
            Reason::Clause(clause) => {
                let others = self
                    .lits(clause)
                    .iter()
                    .map(|&other| Lit(other))
                    .filter(|&other| other != lit);
                others
                    .map(fact)
                    .fold(self.arena[clause as usize + SCOPE], u32::max)
            }
            Reason::Theory(start) => self
                .out
                .explanation(start)
                .iter()
                .map(|&other| fact(Lit(other)))
                .fold(0, u32::max),
        }
    }

    pub(super) fn cancel_until(&mut self, level: u32) {
        if self.decision_level() <= level {
            return;
        }
        let start = self.levels[level as usize];
        for &lit in &self.trail[start.trail as usize..] {
            let var = lit.var();
            self.values.clear(lit);
            self.phase[var.index()] = Some(lit.is_positive());
            self.heap.insert(var);
        }
        self.trail.truncate(start.trail as usize);
        self.head = start.trail as usize;
        if self.theory_head > self.head {
            self.theory.retract(start.told as usize);
            self.told = start.told as usize;
            self.theory_head = self.head;
        }
        self.out.explanations.truncate(start.explanations as usize);
        self.levels.truncate(level as usize);
    }

    /// Starts a new search; call before the first `search` of a check.
    pub(super) fn start(&mut self) {
        self.cancel_until(0);
        self.core.clear();
    }

    /// Searches until every variable has a value, or there is none to give. Resumes from the
    /// present trail.
    pub(super) fn search(&mut self, assumptions: &[Lit], limits: &SearchLimits) -> SearchOutcome {
        loop {
            if self.contradiction.is_some() {
                return SearchOutcome::Unsat;
            }
            if let Some(stop) = limits.reached() {
                return SearchOutcome::Stopped(stop);
            }
            match self.propagate(limits) {
                Err(stop) => return SearchOutcome::Stopped(stop),
                Ok(Some(conflict)) => {
                    self.counters.conflicts += 1;
                    limits.spend(1);
                    if !self.resolve(&conflict) {
                        return SearchOutcome::Unsat;
                    }
                    continue;
                }
                Ok(None) => {}
            }
            if self.restart.due() {
                self.restart.restarted();
                self.counters.restarts += 1;
                self.cancel_until(assumptions.len() as u32);
            }
            if self.counters.conflicts >= self.reduce_at {
                self.reduce_step += 300;
                self.reduce_at = self.counters.conflicts + self.reduce_step;
                self.reduce();
            }
            if let Some(outcome) = self.decide(assumptions) {
                return outcome;
            }
        }
    }

    /// Takes the next assumption or decides the next variable; an outcome when there is none.
    fn decide(&mut self, assumptions: &[Lit]) -> Option<SearchOutcome> {
        while (self.decision_level() as usize) < assumptions.len() {
            let next = assumptions[self.decision_level() as usize];
            self.new_level();
            if self.values.is_open(next) {
                self.enqueue(next, Reason::None);
                return None;
            }
            if self.values.is_false(next) {
                self.analyze_core(next);
                return Some(SearchOutcome::Unsat);
            }
        }
        while let Some(var) = self.heap.pop() {
            if self.values.is_open(var.positive()) {
                self.counters.decisions += 1;
                let preferred = self.preferred[var.index()];
                let phase = preferred
                    .or_else(|| self.theory.phase(var))
                    .or(self.phase[var.index()]);
                self.new_level();
                self.enqueue(var.lit(phase.unwrap_or(false)), Reason::None);
                return None;
            }
        }
        Some(SearchOutcome::Complete)
    }
}
