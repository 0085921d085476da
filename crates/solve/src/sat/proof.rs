//! The proof: what was derived from what.
//!
//! Every clause has a number. When a log is kept, each derived clause is written with its *hints*:
//! the clauses by which unit propagation refutes its negation, in that order (LRAT, Cruz-Filipe,
//! Heule, Hunt, Kaufmann and Schneider-Kamp 2017). A checker needs no search; `audit` has one.
//!
//! One function finds the hints of every technique: a derived clause is a cut through the present
//! implication graph, so the hints are the reasons on the way from the conflict to the clause's
//! literals, in the order of the trail, after the facts that they use. The analysis of conflicts
//! need not know of it, and nothing is paid when there is no log.

use super::Solver;
use super::arena::ClauseRef;
use super::literal::{Lit, Var};
use std::io::{self, Write};

/// The number of a clause in the proof; none has the number zero.
pub type ClauseId = u32;

/// The last number that is given out; a search that comes so far ends without an answer.
pub(super) const LAST_ID: ClauseId = u32::MAX - (1 << 24);

/// A step of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// The caller added the clause.
    Original {
        /// Its number, which hints use.
        id: ClauseId,
        /// Its literals, as the solver took them.
        clause: &'a [Lit],
    },
    /// The clause follows from those of the hints by unit propagation.
    Derived {
        /// Its number, which later hints use.
        id: ClauseId,
        /// Its literals.
        clause: &'a [Lit],
        /// In the order in which they become unit; the last one is false.
        hints: &'a [ClauseId],
    },
    /// The clause is not used any more.
    Deleted {
        /// The number of the clause.
        id: ClauseId,
    },
}

/// Somebody who is told of every step.
pub trait ProofSink: Send {
    /// Hears of one step; they come in order.
    fn step(&mut self, step: Step<'_>);
}

/// All steps, in memory.
#[derive(Clone, Debug, Default)]
pub struct ProofLog {
    entries: Vec<Entry>,
    lits: Vec<Lit>,
    hints: Vec<ClauseId>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: EntryKind,
    id: ClauseId,
    /// Where the literals and the hints of the step end; they begin where those before end.
    lits: usize,
    hints: usize,
}

#[derive(Clone, Copy, Debug)]
enum EntryKind {
    Original,
    Derived,
    Deleted,
}

impl ProofSink for ProofLog {
    fn step(&mut self, step: Step<'_>) {
        let (kind, id) = match step {
            Step::Original { id, clause } => {
                self.lits.extend_from_slice(clause);
                (EntryKind::Original, id)
            }
            Step::Derived { id, clause, hints } => {
                self.lits.extend_from_slice(clause);
                self.hints.extend_from_slice(hints);
                (EntryKind::Derived, id)
            }
            Step::Deleted { id } => (EntryKind::Deleted, id),
        };
        let (lits, hints) = (self.lits.len(), self.hints.len());
        self.entries.push(Entry {
            kind,
            id,
            lits,
            hints,
        });
    }
}

impl ProofLog {
    /// The steps in their order.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let mut begin = (0, 0);
        self.entries.iter().map(move |entry| {
            let clause = &self.lits[begin.0..entry.lits];
            let hints = &self.hints[begin.1..entry.hints];
            begin = (entry.lits, entry.hints);
            let id = entry.id;
            match entry.kind {
                EntryKind::Original => Step::Original { id, clause },
                EntryKind::Derived => Step::Derived { id, clause, hints },
                EntryKind::Deleted => Step::Deleted { id },
            }
        })
    }
}

/// Writes a proof as LRAT text. Original clauses are not written: their numbers are their places in
/// the formula, for which [`Solver::reserve_ids`] sees.
pub struct LratWriter<W> {
    out: W,
    error: Option<io::Error>,
    last: ClauseId,
}

impl<W: Write> LratWriter<W> {
    /// Writes nothing yet; errors are kept for the end.
    pub fn new(out: W) -> LratWriter<W> {
        LratWriter {
            out,
            error: None,
            last: 0,
        }
    }

    fn write(&mut self, step: Step<'_>) -> io::Result<()> {
        match step {
            Step::Original { id, .. } => self.last = self.last.max(id),
            Step::Derived { id, clause, hints } => {
                self.last = id;
                write!(self.out, "{id}")?;
                for lit in clause {
                    write!(self.out, " {}", lit.to_dimacs())?;
                }
                self.out.write_all(b" 0")?;
                for hint in hints {
                    write!(self.out, " {hint}")?;
                }
                self.out.write_all(b" 0\n")?;
            }
            Step::Deleted { id } => writeln!(self.out, "{} d {id} 0", self.last)?,
        }
        Ok(())
    }

    /// Writes what is left; an error is one of any step.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }
}

impl<W: Write + Send> ProofSink for LratWriter<W> {
    fn step(&mut self, step: Step<'_>) {
        if self.error.is_none()
            && let Err(error) = self.write(step)
        {
            self.error = Some(error);
        }
    }
}

/// A log shared with whoever reads it afterwards.
impl<S: ProofSink> ProofSink for std::sync::Arc<std::sync::Mutex<S>> {
    fn step(&mut self, step: Step<'_>) {
        let mut sink = self
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        sink.step(step);
    }
}

/// What a solver with a log keeps for it.
pub(super) struct Proof {
    pub(super) sink: Box<dyn ProofSink>,
    /// The unit clause of each fact.
    units: Vec<ClauseId>,
    marked: Vec<bool>,
    visited: Vec<Var>,
    pub(super) hints: Vec<ClauseId>,
    /// Hints that are reasons, with where they are on the trail.
    reasons: Vec<(u32, ClauseId)>,
}

impl Proof {
    fn mark(&mut self, var: Var) -> bool {
        if self.marked.len() <= var.index() {
            self.marked.resize(var.index() + 1, false);
        }
        let fresh = !std::mem::replace(&mut self.marked[var.index()], true);
        if fresh {
            self.visited.push(var);
        }
        fresh
    }

    pub(super) fn unit(&self, var: Var) -> ClauseId {
        self.units.get(var.index()).copied().unwrap_or(0)
    }

    pub(super) fn set_unit(&mut self, var: Var, id: ClauseId) {
        if self.units.len() <= var.index() {
            self.units.resize(var.index() + 1, 0);
        }
        self.units[var.index()] = id;
    }
}

impl Solver {
    /// Tells `sink` of every step from now on. There must be no clause yet.
    pub fn log_proof(&mut self, sink: impl ProofSink + 'static) {
        assert_eq!(self.next_id, 1, "a proof starts before the first clause");
        self.proof = Some(Box::new(Proof {
            sink: Box::new(sink),
            units: Vec::new(),
            marked: Vec::new(),
            visited: Vec::new(),
            hints: Vec::new(),
            reasons: Vec::new(),
        }));
    }

    /// After `Unsatisfiable`, with a log: the clause that says so. It is empty, or has the negations
    /// of the core's literals. None when the core holds a literal and its negation.
    pub fn conclusion(&self) -> Option<ClauseId> {
        self.conclusion
    }

    pub(super) fn new_id(&mut self) -> ClauseId {
        let id = self.next_id;
        // Without a log the numbers mean nothing, and may wrap.
        self.next_id = self.next_id.checked_add(1).unwrap_or(1);
        id
    }

    /// The next `count` clauses that are added have the next numbers, whatever is derived meanwhile:
    /// as a file has it that numbers the clauses of the formula first.
    pub fn reserve_ids(&mut self, count: u32) {
        self.reserved = self.next_id..self.next_id.saturating_add(count);
        self.next_id = self.reserved.end;
    }

    pub(super) fn log_original(&mut self, clause: &[Lit]) -> ClauseId {
        let id = self.reserved.next().unwrap_or_else(|| self.new_id());
        if let Some(proof) = &mut self.proof {
            proof.sink.step(Step::Original { id, clause });
        }
        id
    }

    /// A new clause with the hints that `explain` and its like left in the proof.
    pub(super) fn log_derived(&mut self, clause: &[Lit]) -> ClauseId {
        let id = self.new_id();
        if let Some(proof) = &mut self.proof {
            let hints = &proof.hints;
            proof.sink.step(Step::Derived { id, clause, hints });
        }
        id
    }

    pub(super) fn log_deleted(&mut self, id: ClauseId) {
        if let Some(proof) = &mut self.proof {
            proof.sink.step(Step::Deleted { id });
        }
    }

    /// Sets the hints for a clause by hand; `false_facts` are literals that are false at the root.
    pub(super) fn set_hints(&mut self, false_facts: &[Lit], ids: &[ClauseId]) {
        if let Some(proof) = &mut self.proof {
            proof.hints.clear();
            for lit in false_facts {
                let unit = proof.unit(lit.var());
                proof.hints.push(unit);
            }
            proof.hints.sort_unstable();
            proof.hints.dedup();
            proof.hints.extend(ids);
        }
    }

    /// Sets the hints by which the clause `kept` follows: the false literals of `conflict`, a clause
    /// with the number `id`, follow from the negations of the literals of `kept` by reasons on the
    /// trail. All decisions on the way are among them.
    pub(super) fn explain(&mut self, kept: &[Lit], conflict: &[Lit], id: ClauseId) {
        let Some(mut proof) = self.proof.take() else {
            return;
        };
        proof.hints.clear();
        proof.reasons.clear();
        for lit in kept {
            proof.mark(lit.var());
        }
        let kept = proof.visited.len();
        for lit in conflict {
            self.visit(*lit, &mut proof);
        }
        let mut at = kept;
        while at < proof.visited.len() {
            let var = proof.visited[at];
            at += 1;
            let data = self.variables[var.index()];
            if data.level == 0 {
                continue;
            }
            debug_assert!(!data.reason.is_none(), "a decision is explained by itself");
            proof
                .reasons
                .push((data.position, self.arena.id(data.reason)));
            for place in 0..self.arena.size(data.reason) {
                self.visit(self.arena.lit(data.reason, place), &mut proof);
            }
        }
        proof.reasons.sort_unstable();
        let Proof { hints, reasons, .. } = &mut *proof;
        hints.extend(reasons.iter().map(|&(_, id)| id));
        hints.push(id);
        for at in 0..proof.visited.len() {
            let var = proof.visited[at];
            proof.marked[var.index()] = false;
        }
        proof.visited.clear();
        self.proof = Some(proof);
    }

    fn visit(&self, lit: Lit, proof: &mut Proof) {
        if proof.mark(lit.var()) && self.variables[lit.var().index()].level == 0 {
            let unit = proof.unit(lit.var());
            proof.hints.push(unit);
        }
    }

    /// A fact follows from a clause whose other literals are false at the root.
    pub(super) fn derive_unit(&mut self, lit: Lit, clause: ClauseRef) {
        if self.proof.is_none() {
            return;
        }
        let others: Vec<Lit> = self
            .arena
            .lits(clause)
            .filter(|other| *other != lit)
            .collect();
        let id = self.arena.id(clause);
        self.set_hints(&others, &[id]);
        let unit = self.log_derived(&[lit]);
        self.set_unit(lit, unit);
    }

    pub(super) fn set_unit(&mut self, lit: Lit, id: ClauseId) {
        if let Some(proof) = &mut self.proof {
            proof.set_unit(lit.var(), id);
        }
    }
}
