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

use super::heap::Heap;
use super::limits::{Limits, Stop};
use super::literal::{Lit, Var};
use super::scoped::ScopedLog;

/// What the theory at the solver's side must do. It hears of its atoms in the order of the trail.
pub(super) trait Theory {
    /// A literal over one of the theory's atoms became true.
    fn assign(&mut self, lit: Lit);

    /// Forgets all but the first `count` assigned literals.
    fn retract(&mut self, count: usize);

    /// Is nothing left to examine? Not after a conflict or a stop that left literals assigned.
    fn is_settled(&self) -> bool;

    /// Are the assigned literals consistent, and what do they imply?
    fn propagate(&mut self, values: &Values, limits: &Limits, out: &mut Consequences) -> Verdict;

    /// The phase in which an atom agrees with the theory's present state.
    fn phase(&self, var: Var) -> Option<bool>;
}

pub(super) enum Verdict {
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

/// The truth values of literals: 1 true, -1 false, 0 open.
#[derive(Default)]
pub(super) struct Values(Vec<i8>);

impl Values {
    #[inline]
    pub(super) fn get(&self, lit: Lit) -> i8 {
        self.0[lit.index()]
    }

    #[inline]
    pub(super) fn is_true(&self, lit: Lit) -> bool {
        self.get(lit) > 0
    }

    #[inline]
    pub(super) fn is_false(&self, lit: Lit) -> bool {
        self.get(lit) < 0
    }

    #[inline]
    pub(super) fn is_open(&self, lit: Lit) -> bool {
        self.get(lit) == 0
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

/// The arena's header: length, flags and block distance, scope of the derivation, scope with which
/// the clause goes, activity.
const HEADER: usize = 5;
const FLAGS: usize = 1;
const SCOPE: usize = 2;
const LIFETIME: usize = 3;
const ACTIVITY: usize = 4;
const DELETED: u32 = 1;
const DISTANCE_SHIFT: u32 = 1;

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
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
    phase: Vec<Option<bool>>,
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

/// When to restart: when the block distances of late are worse than usual. Averages are integers
/// in 1/2^16 (exponential moving averages as in Biere and Fröhlich 2015).
#[derive(Default)]
struct Restart {
    fast: i64,
    slow: i64,
    learned: i64,
    /// Conflicts since the last restart.
    since: u64,
}

impl Restart {
    fn learned(&mut self, distance: u32) {
        let distance = i64::from(distance) << 16;
        self.learned += 1;
        // At first, plain averages: a start at zero would be a bias.
        self.fast += (distance - self.fast) / self.learned.min(32);
        self.slow += (distance - self.slow) / self.learned.min(4096);
        self.since += 1;
    }

    fn due(&self) -> bool {
        self.since >= 50 && self.fast > self.slow + self.slow / 8
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

    // ---- Variables, scopes, clauses -------------------------------------------------------

    /// A variable that lives until the scope `lifetime` is closed.
    pub(super) fn new_var(&mut self, lifetime: u32) -> Var {
        let var = self.free.pop().unwrap_or_else(|| {
            let var = Var(self.level.len() as u32);
            self.values.0.extend([0, 0]);
            self.level.push(0);
            self.reason.push(Reason::None);
            self.root_scope.push(0);
            self.lifetime.push(0);
            self.phase.push(None);
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

    /// When this literal's variable is decided next, the literal becomes true.
    pub(super) fn prefer(&mut self, lit: Lit) {
        self.phase[lit.var().index()] = Some(lit.is_positive());
    }

    /// The current scope; 0 is outside all.
    pub(super) fn scope(&self) -> u32 {
        self.scope
    }

    pub(super) fn push(&mut self) {
        self.cancel_until(0);
        self.scope += 1;
    }

    /// Closes the innermost scope; returns the variables that go with it.
    pub(super) fn pop(&mut self) -> Vec<Var> {
        self.cancel_until(0);
        let closed = self.scope;
        self.scope -= 1;
        if self.contradiction.is_some_and(|from| from >= closed) {
            self.contradiction = None;
        }
        self.drop_facts(closed);
        self.drop_clauses(closed);
        self.drop_binaries(closed);
        let dead = self.vars.close(closed);
        for &var in &dead {
            self.drop_var(var);
        }
        self.collect_garbage();
        for (fact, scope) in std::mem::take(&mut self.overridden) {
            if scope < closed && self.lifetime(fact) < closed {
                self.add_fact(fact, scope);
            }
        }
        dead
    }

    fn drop_clauses(&mut self, closed: u32) {
        let lifetime = |sat: &Self, clause: ClauseRef| sat.arena[clause as usize + LIFETIME];
        let mut gone = self.originals.close(closed);
        gone.extend(
            self.learned
                .iter()
                .filter(|&&clause| lifetime(self, clause) >= closed),
        );
        self.delete(&gone);
    }

    /// Deletes clauses, and learned ones from their list.
    fn delete(&mut self, clauses: &[ClauseRef]) {
        let mut dirty = Vec::with_capacity(2 * clauses.len());
        for &clause in clauses {
            let lits = self.lits(clause);
            dirty.extend([!Lit(lits[0]), !Lit(lits[1])]);
            self.wasted += HEADER + self.arena[clause as usize] as usize;
            self.arena[clause as usize + FLAGS] |= DELETED;
        }
        dirty.sort_unstable();
        dirty.dedup();
        let arena = &self.arena;
        let alive = |clause: ClauseRef| arena[clause as usize + FLAGS] & DELETED == 0;
        for lit in dirty {
            self.watches[lit.index()].retain(|watch| alive(watch.clause));
        }
        self.learned.retain(|&clause| alive(clause));
    }

    fn drop_binaries(&mut self, closed: u32) {
        let mut dirty = Vec::new();
        for (a, b) in self.binaries.close(closed) {
            dirty.extend([!a, !b]);
        }
        dirty.sort_unstable();
        dirty.dedup();
        let lifetime = &self.lifetime;
        for lit in dirty {
            self.implications[lit.index()]
                .retain(|&(other, scope)| scope < closed && lifetime[other.var().index()] < closed);
        }
    }

    /// Takes back the facts that go with a scope, and tells the theory of the rest anew.
    fn drop_facts(&mut self, closed: u32) {
        let goes = |sat: &Self, lit: Lit| {
            sat.lifetime(lit) >= closed || sat.root_scope[lit.var().index()] >= closed
        };
        let Some(first) = self.trail.iter().position(|&lit| goes(self, lit)) else {
            return;
        };
        let later = self.trail.split_off(first);
        for &lit in &later {
            self.values.0[lit.index()] = 0;
            self.values.0[(!lit).index()] = 0;
        }
        if self.theory_head > first {
            self.told = self
                .trail
                .iter()
                .filter(|lit| self.is_atom[lit.var().index()])
                .count();
            self.theory.retract(self.told);
            self.theory_head = first;
        }
        // A fact that stays may imply one that goes, through a clause that watches neither: all
        // facts are propagated anew.
        self.head = 0;
        for lit in later {
            if goes(self, lit) {
                self.heap.insert(lit.var());
            } else {
                self.values.0[lit.index()] = 1;
                self.values.0[(!lit).index()] = -1;
                self.trail.push(lit);
            }
        }
    }

    /// Nothing mentions the variable any more.
    fn drop_var(&mut self, var: Var) {
        debug_assert!(self.values.is_open(var.positive()));
        for lit in [var.positive(), !var.positive()] {
            self.implications[lit.index()].clear();
            self.watches[lit.index()].clear();
        }
        self.phase[var.index()] = None;
        self.is_atom[var.index()] = false;
        self.heap.remove(var);
        self.free.push(var);
    }

    /// Adds a clause that follows from assertions of `scope` (0 for a definition of fresh
    /// variables or a lemma of the theory). Works at every level of the search.
    pub(super) fn add_clause(&mut self, clause: &[Lit], scope: u32) {
        // A fact may shorten the clause only if it lives as long.
        let lifetime = clause
            .iter()
            .map(|&lit| self.lifetime(lit))
            .fold(scope, u32::max);
        let mut scope = scope;
        let mut lits: Vec<Lit> = Vec::with_capacity(clause.len());
        for &lit in clause {
            let root_scope = self.root_scope[lit.var().index()];
            if self.is_fact(!lit) && root_scope <= lifetime {
                scope = scope.max(root_scope);
            } else if lits.contains(&!lit) || (self.is_fact(lit) && root_scope <= lifetime) {
                return;
            } else if !lits.contains(&lit) {
                lits.push(lit);
            }
        }
        match lits[..] {
            [] => self.contradict(scope),
            [fact] => self.add_fact(fact, scope),
            _ => {
                if let Some(facts) = self.all_false_facts(&lits) {
                    self.attach(&lits, scope);
                    self.contradict(scope.max(facts));
                    return;
                }
                self.prepare_to_attach(&mut lits);
                let implied = self.values.is_false(lits[1]) && !self.values.is_true(lits[0]);
                let reason = self.attach(&lits, scope);
                if implied {
                    self.enqueue(lits[0], reason);
                }
            }
        }
    }

    /// The scope of the facts by which all literals are false, if they are.
    fn all_false_facts(&self, lits: &[Lit]) -> Option<u32> {
        let all = lits.iter().all(|&lit| self.is_fact(!lit));
        all.then(|| {
            lits.iter()
                .map(|lit| self.root_scope[lit.var().index()])
                .fold(0, u32::max)
        })
    }

    fn is_fact(&self, lit: Lit) -> bool {
        self.values.is_true(lit) && self.level[lit.var().index()] == 0
    }

    fn add_fact(&mut self, fact: Lit, scope: u32) {
        self.cancel_until(0);
        if self.values.is_false(fact) {
            self.overridden.push((fact, scope));
            self.contradict(scope.max(self.root_scope[fact.var().index()]));
        } else if self.values.is_open(fact) {
            self.enqueue(fact, Reason::None);
            self.root_scope[fact.var().index()] = scope;
        } else {
            let known = &mut self.root_scope[fact.var().index()];
            *known = scope.min(*known);
        }
    }

    fn contradict(&mut self, scope: u32) {
        self.cancel_until(0);
        self.contradiction = Some(self.contradiction.map_or(scope, |known| known.min(scope)));
    }

    /// Puts the two literals to watch first, and jumps back until the clause is no conflict and, if
    /// it implies its first literal, does so at the present level.
    fn prepare_to_attach(&mut self, lits: &mut [Lit]) {
        let rank = |sat: &Self, lit: Lit| match sat.values.get(lit) {
            -1 => sat.level[lit.var().index()],
            _ => u32::MAX,
        };
        for place in 0..2 {
            let best = (place..lits.len())
                .max_by_key(|&at| rank(self, lits[at]))
                .unwrap_or(place);
            lits.swap(place, best);
        }
        let (first, second) = (rank(self, lits[0]), rank(self, lits[1]));
        if second == u32::MAX {
            return;
        }
        if first == u32::MAX {
            if !self.values.is_true(lits[0]) {
                self.cancel_until(second);
            }
        } else if first == second {
            self.cancel_until(first - 1);
        } else {
            self.cancel_until(second);
        }
    }

    /// Stores a clause of two or more literals; the first two are watched.
    fn attach(&mut self, lits: &[Lit], scope: u32) -> Reason {
        if let [a, b] = *lits {
            return self.attach_binary(a, b, scope);
        }
        let clause = self.store(lits, 0, scope);
        self.originals
            .keep(self.arena[clause as usize + LIFETIME], clause);
        Reason::Clause(clause)
    }

    fn attach_binary(&mut self, a: Lit, b: Lit, scope: u32) -> Reason {
        let lifetime = scope.max(self.lifetime(a)).max(self.lifetime(b));
        self.binaries.note(lifetime, (a, b));
        self.implications[(!a).index()].push((b, scope));
        self.implications[(!b).index()].push((a, scope));
        Reason::Binary(b, scope)
    }

    fn store(&mut self, lits: &[Lit], flags: u32, scope: u32) -> ClauseRef {
        let clause = self.arena.len() as ClauseRef;
        let lifetime = lits
            .iter()
            .map(|&lit| self.lifetime(lit))
            .fold(scope, u32::max);
        self.arena.extend([
            lits.len() as u32,
            flags,
            scope,
            lifetime,
            self.clause_increment,
        ]);
        self.arena.extend(lits.iter().map(|lit| lit.0));
        self.watches[(!lits[0]).index()].push(Watch {
            clause,
            blocker: lits[1],
        });
        self.watches[(!lits[1]).index()].push(Watch {
            clause,
            blocker: lits[0],
        });
        clause
    }

    fn lits(&self, clause: ClauseRef) -> &[u32] {
        let start = clause as usize;
        &self.arena[start + HEADER..start + HEADER + self.arena[start] as usize]
    }

    /// Moves the clauses together when a good part of the arena is waste.
    fn collect_garbage(&mut self) {
        if self.wasted < 1 << 12 || self.wasted * 4 < self.arena.len() {
            return;
        }
        let mut arena = Vec::with_capacity(self.arena.len() - self.wasted);
        // The new place of a moved clause is left where its length was.
        for clause in self.originals.iter_mut().chain(&mut self.learned) {
            let start = *clause as usize;
            let len = HEADER + self.arena[start] as usize;
            let moved = arena.len() as ClauseRef;
            arena.extend_from_slice(&self.arena[start..start + len]);
            self.arena[start] = moved;
            *clause = moved;
        }
        for watches in &mut self.watches {
            watches.retain_mut(|watch| {
                let start = watch.clause as usize;
                watch.clause = self.arena[start];
                self.arena[start + FLAGS] & DELETED == 0
            });
        }
        for lit in &self.trail {
            if let Reason::Clause(clause) = &mut self.reason[lit.var().index()] {
                *clause = self.arena[*clause as usize];
            }
        }
        self.arena = arena;
        self.wasted = 0;
    }

    // ---- The trail ------------------------------------------------------------------------

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
        self.values.0[lit.index()] = 1;
        self.values.0[(!lit).index()] = -1;
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
            self.values.0[lit.index()] = 0;
            self.values.0[(!lit).index()] = 0;
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

    // ---- Propagation ----------------------------------------------------------------------

    /// Propagates through clauses and theory until nothing more follows.
    fn propagate(&mut self, limits: &Limits) -> Result<Option<Conflict>, Stop> {
        loop {
            if let Some(conflict) = self.propagate_clauses() {
                return Ok(Some(conflict));
            }
            let before = self.told;
            while self.theory_head < self.trail.len() {
                let lit = self.trail[self.theory_head];
                self.theory_head += 1;
                if self.is_atom[lit.var().index()] {
                    self.theory.assign(lit);
                    self.told += 1;
                }
            }
            if self.told == before && self.theory.is_settled() {
                return Ok(None);
            }
            self.out.implied.clear();
            match self.theory.propagate(&self.values, limits, &mut self.out) {
                Verdict::Consistent => {}
                Verdict::Conflict => return Ok(Some(Conflict::Theory)),
                Verdict::Stopped(stop) => return Err(stop),
            }
            if self.out.implied.is_empty() {
                return Ok(None);
            }
            if let Some(conflict) = self.enqueue_implied() {
                return Ok(Some(conflict));
            }
        }
    }

    fn enqueue_implied(&mut self) -> Option<Conflict> {
        for at in 0..self.out.implied.len() {
            let (lit, start) = self.out.implied[at];
            if self.values.is_open(lit) {
                self.enqueue(lit, Reason::Theory(start));
            } else if self.values.is_false(lit) {
                let because = self
                    .out
                    .explanation(start)
                    .iter()
                    .map(|&lit| Lit(lit))
                    .collect();
                self.out.conflict = because;
                self.out.conflict.push(!lit);
                return Some(Conflict::Theory);
            }
        }
        if self.levels.is_empty() {
            // Facts need no reasons.
            self.out.explanations.clear();
        }
        None
    }

    fn propagate_clauses(&mut self) -> Option<Conflict> {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            self.counters.propagations += 1;
            for at in 0..self.implications[lit.index()].len() {
                let (other, scope) = self.implications[lit.index()][at];
                match self.values.get(other) {
                    1 => {}
                    0 => self.enqueue(other, Reason::Binary(!lit, scope)),
                    _ => return Some(Conflict::Binary(other, !lit, scope)),
                }
            }
            if let Some(conflict) = self.propagate_watches(lit) {
                return Some(conflict);
            }
        }
        None
    }

    /// Visits the clauses that watch the negation of `lit`, which has become true.
    fn propagate_watches(&mut self, lit: Lit) -> Option<Conflict> {
        let mut watches = std::mem::take(&mut self.watches[lit.index()]);
        let (mut read, mut write) = (0, 0);
        let mut conflict = None;
        'watches: while read < watches.len() {
            let watch = watches[read];
            read += 1;
            if self.values.is_true(watch.blocker) {
                watches[write] = watch;
                write += 1;
                continue;
            }
            let start = watch.clause as usize + HEADER;
            let end = start + self.arena[watch.clause as usize] as usize;
            let lits = &mut self.arena[start..end];
            if lits[0] == (!lit).0 {
                lits.swap(0, 1);
            }
            let first = Lit(lits[0]);
            let kept = Watch {
                clause: watch.clause,
                blocker: first,
            };
            if first != watch.blocker && self.values.is_true(first) {
                watches[write] = kept;
                write += 1;
                continue;
            }
            for at in 2..lits.len() {
                let other = Lit(lits[at]);
                if !self.values.is_false(other) {
                    lits.swap(1, at);
                    self.watches[(!other).index()].push(kept);
                    continue 'watches;
                }
            }
            watches[write] = kept;
            write += 1;
            if self.values.is_false(first) {
                conflict = Some(Conflict::Clause(watch.clause));
                watches.copy_within(read.., write);
                write += watches.len() - read;
                break;
            }
            self.enqueue(first, Reason::Clause(watch.clause));
        }
        watches.truncate(write);
        self.watches[lit.index()] = watches;
        conflict
    }

    // ---- Conflict analysis ----------------------------------------------------------------

    /// Calls `visit` for the false literals of a conflict; returns the conflict's scope.
    fn conflict_lits(&self, conflict: &Conflict, mut visit: impl FnMut(Lit)) -> u32 {
        match *conflict {
            Conflict::Clause(clause) => {
                self.lits(clause).iter().for_each(|&lit| visit(Lit(lit)));
                self.arena[clause as usize + SCOPE]
            }
            Conflict::Binary(a, b, scope) => {
                visit(a);
                visit(b);
                scope
            }
            Conflict::Theory => {
                self.out.conflict.iter().for_each(|&lit| visit(!lit));
                0
            }
        }
    }

    /// Calls `visit` for the false literals that imply `lit`; returns the reason's scope.
    fn reason_lits(&self, lit: Lit, mut visit: impl FnMut(Lit)) -> u32 {
        match self.reason[lit.var().index()] {
            Reason::None => 0,
            Reason::Clause(clause) => {
                let others = self.lits(clause).iter().map(|&other| Lit(other));
                others.filter(|other| *other != lit).for_each(visit);
                self.arena[clause as usize + SCOPE]
            }
            Reason::Binary(other, scope) => {
                visit(other);
                scope
            }
            Reason::Theory(start) => {
                self.out
                    .explanation(start)
                    .iter()
                    .for_each(|&other| visit(!Lit(other)));
                0
            }
        }
    }

    /// Resolves a conflict; false when the clauses contradict each other without assumptions.
    fn resolve(&mut self, conflict: &Conflict) -> bool {
        // A theory may find a conflict late: go to the level where it arose.
        let mut level = 0;
        self.conflict_lits(conflict, |lit| {
            level = level.max(self.level[lit.var().index()])
        });
        if level == 0 {
            let mut facts = 0;
            let scope = self.conflict_lits(conflict, |lit| {
                facts = facts.max(self.root_scope[lit.var().index()]);
            });
            self.contradict(scope.max(facts));
            return false;
        }
        self.cancel_until(level);
        let scope = self.analyze(conflict);
        let scope = self.minimize(scope);
        self.learn(scope);
        true
    }

    /// Fills `learnt` with the first unique implication point clause, its asserting literal first;
    /// returns the scope of its derivation.
    fn analyze(&mut self, conflict: &Conflict) -> u32 {
        let level = self.decision_level();
        self.learnt.clear();
        self.learnt.push(Lit(0));
        let mut lits = std::mem::take(&mut self.cleared);
        lits.clear();
        let mut scope = self.conflict_lits(conflict, |lit| lits.push(lit));
        if let Conflict::Clause(clause) = *conflict {
            self.bump_clause(clause);
        }
        let mut open = 0;
        let mut at = self.trail.len();
        loop {
            for &lit in &lits {
                let var = lit.var();
                if self.seen[var.index()] {
                    continue;
                }
                let var_level = self.level[var.index()];
                if var_level == 0 {
                    scope = scope.max(self.root_scope[var.index()]);
                    continue;
                }
                self.seen[var.index()] = true;
                self.heap.bump(var);
                if var_level == level {
                    open += 1;
                } else {
                    self.learnt.push(lit);
                }
            }
            let implied = loop {
                at -= 1;
                if self.seen[self.trail[at].var().index()] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                self.learnt[0] = !implied;
                break;
            }
            self.seen[implied.var().index()] = false;
            lits.clear();
            scope = scope.max(self.reason_lits(implied, |lit| lits.push(lit)));
            if let Reason::Clause(clause) = self.reason[implied.var().index()] {
                self.bump_clause(clause);
            }
        }
        self.cleared = lits;
        scope
    }

    /// Leaves out literals that the others imply (Sörensson and Biere 2009), deeply.
    fn minimize(&mut self, mut scope: u32) -> u32 {
        self.cleared.clear();
        self.cleared.extend_from_slice(&self.learnt);
        let levels = self
            .learnt
            .iter()
            .fold(0, |bits, lit| bits | self.level_bit(*lit));
        let mut kept = 1;
        for at in 1..self.learnt.len() {
            let lit = self.learnt[at];
            if self.reason[lit.var().index()] != Reason::None
                && let Some(used) = self.redundant(lit, levels)
            {
                scope = scope.max(used);
                continue;
            }
            self.learnt[kept] = lit;
            kept += 1;
        }
        self.learnt.truncate(kept);
        for lit in std::mem::take(&mut self.cleared) {
            self.seen[lit.var().index()] = false;
        }
        scope
    }

    fn level_bit(&self, lit: Lit) -> u64 {
        1 << (self.level[lit.var().index()] % 64)
    }

    /// Do the other literals of the clause imply this one? With the scope of the derivation.
    fn redundant(&mut self, lit: Lit, levels: u64) -> Option<u32> {
        let kept = self.cleared.len();
        let mut scope = 0;
        let mut stack = vec![lit];
        let mut lits = Vec::new();
        while let Some(lit) = stack.pop() {
            lits.clear();
            scope = scope.max(self.reason_lits(!lit, |other| lits.push(other)));
            for &other in &lits {
                let var = other.var().index();
                if self.level[var] == 0 {
                    scope = scope.max(self.root_scope[var]);
                    continue;
                }
                if self.seen[var] {
                    continue;
                }
                if self.reason[var] == Reason::None || self.level_bit(other) & levels == 0 {
                    for lit in self.cleared.drain(kept..) {
                        self.seen[lit.var().index()] = false;
                    }
                    return None;
                }
                self.seen[var] = true;
                self.cleared.push(other);
                stack.push(other);
            }
        }
        Some(scope)
    }

    /// Stores the learned clause, jumps back and asserts its first literal.
    fn learn(&mut self, scope: u32) {
        let mut learnt = std::mem::take(&mut self.learnt);
        let distance = self.distance(&learnt);
        self.restart.learned(distance);
        self.heap.decay();
        self.clause_increment += 1;
        if learnt.len() == 1 {
            self.cancel_until(0);
            self.enqueue(learnt[0], Reason::None);
            self.root_scope[learnt[0].var().index()] = scope;
        } else {
            let deepest = (1..learnt.len()).max_by_key(|&at| self.level[learnt[at].var().index()]);
            learnt.swap(1, deepest.unwrap_or(1));
            self.cancel_until(self.level[learnt[1].var().index()]);
            let reason = if let [a, b] = learnt[..] {
                self.attach_binary(a, b, scope)
            } else {
                let clause = self.store(&learnt, distance << DISTANCE_SHIFT, scope);
                self.learned.push(clause);
                Reason::Clause(clause)
            };
            self.enqueue(learnt[0], reason);
        }
        self.learnt = learnt;
    }

    /// The number of different levels in a clause.
    fn distance(&mut self, lits: &[Lit]) -> u32 {
        self.stamp += 1;
        let mut distance = 0;
        for lit in lits {
            let level = self.level[lit.var().index()] as usize;
            if level >= self.level_stamp.len() {
                self.level_stamp.resize(level + 1, 0);
            }
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                distance += 1;
            }
        }
        distance
    }

    /// A learned clause that takes part in a conflict is young again.
    fn bump_clause(&mut self, clause: ClauseRef) {
        self.arena[clause as usize + ACTIVITY] = self.clause_increment;
    }

    /// Forgets the less useful half of the learned clauses.
    fn reduce(&mut self) {
        let locked = |sat: &Self, clause: ClauseRef| {
            let first = Lit(sat.lits(clause)[0]);
            sat.values.is_true(first) && sat.reason[first.var().index()] == Reason::Clause(clause)
        };
        let mut candidates: Vec<ClauseRef> = self
            .learned
            .iter()
            .copied()
            .filter(|&clause| {
                self.arena[clause as usize + FLAGS] >> DISTANCE_SHIFT > 2 && !locked(self, clause)
            })
            .collect();
        candidates.sort_by_key(|&clause| {
            let distance = self.arena[clause as usize + FLAGS] >> DISTANCE_SHIFT;
            (distance, u32::MAX - self.arena[clause as usize + ACTIVITY])
        });
        self.delete(&candidates[candidates.len() / 2..]);
        self.collect_garbage();
    }

    // ---- Search ---------------------------------------------------------------------------

    /// Starts a new search; call before the first `search` of a check.
    pub(super) fn start(&mut self) {
        self.cancel_until(0);
        self.core.clear();
    }

    /// Searches until every variable has a value, or there is none to give. Resumes from the
    /// present trail.
    pub(super) fn search(&mut self, assumptions: &[Lit], limits: &Limits) -> Outcome {
        loop {
            if self.contradiction.is_some() {
                return Outcome::Unsat;
            }
            if let Some(stop) = limits.reached() {
                return Outcome::Stopped(stop);
            }
            match self.propagate(limits) {
                Err(stop) => return Outcome::Stopped(stop),
                Ok(Some(conflict)) => {
                    self.counters.conflicts += 1;
                    limits.spend(1);
                    if !self.resolve(&conflict) {
                        return Outcome::Unsat;
                    }
                    continue;
                }
                Ok(None) => {}
            }
            if self.restart.due() {
                self.restart.since = 0;
                self.restart.fast = self.restart.slow;
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
    fn decide(&mut self, assumptions: &[Lit]) -> Option<Outcome> {
        while (self.decision_level() as usize) < assumptions.len() {
            let next = assumptions[self.decision_level() as usize];
            self.new_level();
            if self.values.is_open(next) {
                self.enqueue(next, Reason::None);
                return None;
            }
            if self.values.is_false(next) {
                self.analyze_core(next);
                return Some(Outcome::Unsat);
            }
        }
        while let Some(var) = self.heap.pop() {
            if self.values.is_open(var.positive()) {
                self.counters.decisions += 1;
                let phase = self.theory.phase(var).or(self.phase[var.index()]);
                self.new_level();
                self.enqueue(var.lit(phase.unwrap_or(false)), Reason::None);
                return None;
            }
        }
        Some(Outcome::Complete)
    }

    /// Which assumptions imply that the assumption `failed` is false?
    fn analyze_core(&mut self, failed: Lit) {
        self.core.clear();
        self.core.push(failed);
        if self.level[failed.var().index()] == 0 {
            return;
        }
        let mut seen = vec![false; self.level.len()];
        seen[failed.var().index()] = true;
        for &lit in self.trail.iter().rev() {
            let var = lit.var().index();
            if !seen[var] || self.level[var] == 0 {
                continue;
            }
            if self.reason[var] == Reason::None {
                self.core.push(lit);
            } else {
                self.reason_lits(lit, |other| seen[other.var().index()] = true);
            }
        }
    }
}
