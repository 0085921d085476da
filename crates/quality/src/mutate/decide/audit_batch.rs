//! Mutants on which the proof of the original, or the same part of it, goes through, audited together.
//!
//! An audit takes a fresh solver that is told everything; for one mutant that costs more than the
//! proof. So they are joined, up to a number and for a short while: who is killed loses little. Where
//! an audit takes long, because the system is large, more have to wait for one that is worth it. A single
//! worker goes by the number alone, so that it does the same each time.

use crate::auditor::Audited;
use crate::mutate::campaign::{Outbox, Test};
use crate::mutate::decide::cascade::{Worker, for_all};
use crate::mutate::decide::group::{Covered, Group, Looked, Proved, put_off};
use crate::mutate::decide::joint_system::{join, joins};
use crate::mutate::mutant::Mutant;
use crate::oracle::OracleError;
use proofmark_model::{Proof, System};
use std::time::{Duration, Instant};

/// How many are joined at most.
const MOST: usize = 64;
/// How long they wait, and in any case so many times as long as an audit takes.
const LONGEST: Duration = Duration::from_millis(250);
const AUDITS: u32 = 5;
/// What the audit of many may take before it is tried with fewer, and in any case so many times as
/// long as one took that passed.
const JOINT_AUDIT: Duration = Duration::from_millis(300);
const SLOWER_THAN_LAST: u32 = 4;

/// What waits for an audit.
#[derive(Default)]
pub(crate) struct AuditBatch {
    waiting: Vec<Waiting>,
    since: Option<Instant>,
    /// What an audit that passed took, at most.
    audit: Duration,
    /// Whether nothing is audited for having waited long.
    is_patient: bool,
}

/// A mutant, or elements with places open, and which mutations it speaks of.
struct Waiting {
    proved: Proved,
    covers: Vec<Covered>,
}

impl AuditBatch {
    /// What waits for the audits of one of so many workers.
    pub fn new(jobs: usize) -> AuditBatch {
        AuditBatch {
            is_patient: jobs <= 1,
            ..AuditBatch::default()
        }
    }

    pub fn add(&mut self, proved: Proved, covers: Vec<Covered>) {
        self.begin();
        self.waiting.push(Waiting { proved, covers });
    }

    /// Something waits from now on, if nothing did.
    pub fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    pub fn is_late(&self) -> bool {
        let longest = LONGEST.max(self.audit * AUDITS);
        let is_over = |since: Instant| since.elapsed() >= longest;
        !self.is_patient && self.since.is_some_and(is_over)
    }

    pub fn is_full(&self) -> bool {
        self.is_late() || self.waiting.len() >= MOST
    }
}

impl Waiting {
    /// Whether the same was proved of the same part.
    fn is_like(&self, other: &Waiting) -> bool {
        let (here, there) = (&self.proved, &other.proved);
        here.extent == there.extent && here.own == there.own
    }
}

impl Worker<'_> {
    /// Audits all that waits, and tells of it.
    pub fn settle(&mut self, sender: &Outbox) -> Result<(), OracleError> {
        let all = std::mem::take(&mut self.batch.waiting);
        self.batch.since = None;
        let mut alike: Vec<Vec<Waiting>> = Vec::new();
        for one in all {
            match alike.iter_mut().find(|list| list[0].is_like(&one)) {
                Some(list) => list.push(one),
                None => alike.push(vec![one]),
            }
        }
        for list in alike {
            let system = &self.part(list[0].proved.extent).system;
            let fits = |one: &Waiting| joins(system, &one.proved.mutant);
            let (together, alone): (Vec<_>, Vec<_>) = list.into_iter().partition(fits);
            self.settle_all(system, &together, sender)?;
            for one in &alone {
                self.settle_one(one, sender)?;
            }
        }
        Ok(())
    }

    /// Audits some together; when that has no answer, one half after the other.
    fn settle_all(
        &mut self,
        original: &System,
        list: &[Waiting],
        sender: &Outbox,
    ) -> Result<(), OracleError> {
        if let [] | [_] = list {
            let mut one = list.iter();
            return one.try_for_each(|one| self.settle_one(one, sender));
        }
        let start = Instant::now();
        let mutants: Vec<&Mutant> = list.iter().map(|one| &one.proved.mutant).collect();
        let audit = match self.shared.plan.auditor {
            Some(_) => {
                let system = join(original, &mutants)?;
                let proof = self.proof_of(&list[0].proved);
                let proofs = for_all(&system, &proof);
                let time = JOINT_AUDIT.max(self.batch.audit * SLOWER_THAN_LAST);
                match self.audited(&system, &proofs, time) {
                    // A mutant whose audit fails has to fail alone.
                    Err(OracleError::Audit(why)) => Audited::NoAnswer { why },
                    audit => audit?,
                }
            }
            None => Audited::NotAskedFor,
        };
        if let Audited::NoAnswer { .. } = audit {
            let (some, others) = list.split_at(list.len() / 2);
            self.settle_all(original, some, sender)?;
            return self.settle_all(original, others, sender);
        }
        self.batch.audit = self.batch.audit.max(start.elapsed());
        let count: usize = list.iter().map(|one| one.covers.len()).sum();
        let share = start.elapsed() / count.max(1) as u32;
        let mut list = list.iter();
        list.try_for_each(|one| self.survive(one, &audit, share, sender))
    }

    fn proof_of(&self, proved: &Proved) -> Proof {
        self.proof_by(proved.own.as_ref().unwrap_or(&self.shared.invariants))
    }

    /// What an audit of its own says of what is proved.
    fn audited_alone(&mut self, proved: &Proved) -> Result<Audited, OracleError> {
        let start = Instant::now();
        let system = proved.mutant.of(&self.part(proved.extent).system)?;
        let proof = self.proof_of(proved);
        let audit = self.audited(&system, &for_all(&system, &proof), self.audit_time)?;
        if audit.passed() {
            self.batch.audit = self.batch.audit.max(start.elapsed());
        }
        Ok(audit)
    }

    /// Audits what is proved of one mutant. Without an answer it is put off, unless this is the last
    /// round.
    pub(crate) fn audit_again(
        &mut self,
        mutant: &Mutant,
        proved: &Proved,
        safe: u32,
    ) -> Result<Looked, OracleError> {
        let audit = self.audited_alone(proved)?;
        match &audit {
            Audited::NoAnswer { .. } if !self.is_last => Ok(Looked::PutOff {
                safe,
                proved: Some(proved.clone()),
            }),
            Audited::NoAnswer { why } if !self.stands(&audit) => {
                Ok(Looked::Decided(self.unaudited(why), test(proved)))
            }
            _ => self.survived_by(mutant, proved, audit),
        }
    }

    /// Tells that all survive that a sound mutant speaks of.
    fn survive(
        &mut self,
        one: &Waiting,
        audit: &Audited,
        share: Duration,
        sender: &Outbox,
    ) -> Result<(), OracleError> {
        for covered in &one.covers {
            let start = Instant::now();
            self.queries = covered.queries;
            if let Ok(mutant) = &self.shared.mutants[&covered.at] {
                let looked = self.survived_by(mutant, &one.proved, audit.clone())?;
                let time = covered.time + share + start.elapsed();
                self.tell(covered.at, looked, time, sender);
            }
        }
        Ok(())
    }

    fn survived_by(
        &mut self,
        mutant: &Mutant,
        proved: &Proved,
        audit: Audited,
    ) -> Result<Looked, OracleError> {
        self.proof = proved.own.as_ref().map(|own| self.proof_by(own));
        self.survived(mutant, test(proved), audit)
    }

    /// Audits one by itself. When that has no answer, it is put off; when it stood for others, each
    /// is looked at.
    fn settle_one(&mut self, one: &Waiting, sender: &Outbox) -> Result<(), OracleError> {
        let start = Instant::now();
        let safe = self.shared.plan.proof.k;
        let many = one.covers.len() > 1;
        if many {
            let audit = self.audited_alone(&one.proved)?;
            if !matches!(audit, Audited::NoAnswer { .. }) {
                let share = start.elapsed() / one.covers.len() as u32;
                return self.survive(one, &audit, share, sender);
            }
        }
        let spent = start.elapsed();
        for covered in &one.covers {
            let start = Instant::now();
            self.queries = covered.queries;
            let Ok(mutant) = &self.shared.mutants[&covered.at] else {
                continue;
            };
            let looked = match many {
                false => self.audit_again(mutant, &one.proved, safe)?,
                true => match self.look_alone(covered.at, mutant, &mut Group::default())? {
                    Looked::Proved(proved) => self.audit_again(mutant, &proved, safe)?,
                    Looked::Covered(_) => put_off(safe),
                    looked => looked,
                },
            };
            let time = covered.time + spent + start.elapsed();
            self.tell(covered.at, looked, time, sender);
        }
        Ok(())
    }
}

/// The test that proved something.
fn test(proved: &Proved) -> Test {
    match proved.own {
        Some(_) => Test::Filtered,
        None => Test::Induction,
    }
}
