//! Runs a campaign, and writes what it decides to the journal as soon as it is known.

use crate::arguments::Mutate;
use crate::exit::Exit;
use crate::ivc::report_oracle_error;
use crate::journal::Journal;
use crate::mutants::{Mutants, undecided};
use crate::recheck::Rechecked;
use crate::session::Session;
use crate::{audits, kills, progress, recheck, suggest};
use proofmark_quality::mutate::{
    AssumptionEffect, Campaign, Comparison, Decided, Fate, Mutation, News, Plan, Test, campaign,
    witness,
};
use proofmark_report::{Covers, MutantFinding, MutantVerdict};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// A campaign whose results are kept.
pub struct Recorder<'a> {
    /// What each mutation does to the assumption it changes, if it changes one.
    pub effects: &'a [Option<AssumptionEffect>],
    pub arguments: &'a Mutate,
    pub session: &'a Session<'a>,
    pub campaign: &'a Campaign<'a>,
    pub mutants: Mutants<'a>,
    /// The ids of mutants that the journal decides and that are decided again.
    pub rechecked: &'a FxHashSet<String>,
}

impl Recorder<'_> {
    /// Decides what a former run has not decided.
    pub fn decide(
        &self,
        plan: &Plan<'_>,
        mutations: &[Mutation],
        journal: &mut Journal,
    ) -> Result<Vec<MutantFinding>, Exit> {
        let former = |(one, effect): (&Mutation, &Option<AssumptionEffect>)| match effect {
            Some(AssumptionEffect::Tighter) => Some(self.tighter(one)),
            _ => self.known(&self.campaign.id(one), journal),
        };
        let pairs = mutations.iter().zip(self.effects);
        let mut findings: Vec<Option<MutantFinding>> = pairs.map(former).collect();
        let known: Vec<bool> = findings.iter().map(Option::is_some).collect();
        let count = known.iter().filter(|known| **known).count();
        let mut progress = progress::Campaign::new(count, self.arguments.printing.quiet);
        // What is not yet compared is told of only where somebody listens.
        let watched = journal.is_kept() || progress.is_shown();
        let mut written = Ok(());
        let decided = campaign(plan, mutations, &|at| known[at], &mut |at, news| {
            let of_interest = matches!(news, News::Decided(_)) || watched;
            if written.is_ok() && of_interest {
                written = self.hear(plan, &mutations[at], &news, journal, &mut findings[at]);
                if written.is_err() {
                    plan.resources.interrupt.set();
                }
            }
            progress.hear(&findings, at, &news);
        });
        let decided = decided.map_err(|error| report_oracle_error(self.session, &error))?;
        written?;
        self.compare(mutations, journal, &mut findings)?;
        self.witnesses(
            plan,
            mutations,
            &decided,
            &mut findings,
            journal,
            &mut progress,
        )?;
        let rows = kills::rows(self.arguments, self.session, plan, mutations, &decided)?;
        let suggestions = suggest::texts(
            self.arguments,
            self.session,
            plan,
            (mutations, &decided),
            &mut |done, all| progress.step("suggesting", done, all),
        )?;
        drop(progress);
        for (finding, texts) in findings.iter_mut().zip(suggestions) {
            if let Some(finding) = finding.as_mut().filter(|_| !texts.is_empty()) {
                finding.suggestions = texts;
                // The later line is the better one.
                journal.write(finding)?;
            }
        }
        let names = self.campaign.names();
        for (at, row) in rows.iter().flatten().enumerate() {
            // What a former run decided has no cells.
            if let (false, Some(finding)) = (known[at], &mut findings[at]) {
                kills::tell(row, &names, finding);
            }
        }
        Ok(findings.into_iter().flatten().collect())
    }

    /// What a former run decided, and this one takes from it.
    fn known(&self, id: &str, journal: &Journal) -> Option<MutantFinding> {
        let decided = journal.decided(id)?;
        (!self.rechecked.contains(id)).then(|| recheck::unshown(decided.clone()))
    }

    /// Puts what was decided again beside what the journal says of it.
    fn compare(
        &self,
        mutations: &[Mutation],
        journal: &Journal,
        findings: &mut [Option<MutantFinding>],
    ) -> Result<(), Exit> {
        let mut rechecked = Rechecked::new(self.arguments.recheck);
        for (mutation, finding) in mutations.iter().zip(findings) {
            let id = self.campaign.id(mutation);
            if !self.rechecked.contains(&id) {
                continue;
            }
            if let Some(filed) = journal.decided(&id) {
                *finding = Some(rechecked.compare(filed, finding.take()));
            } else if let (Some(filed), Some(found)) = (journal.survives(&id), &*finding) {
                rechecked.compare_survivor(filed, found);
            }
        }
        rechecked.tell()
    }

    /// What is known of an assumption that accepts fewer runs: no property can notice, so that there is
    /// nothing to decide.
    fn tighter(&self, mutation: &Mutation) -> MutantFinding {
        MutantFinding {
            verdict: MutantVerdict::Survived,
            decided_by: "tighter".into(),
            ..undecided(mutation, &self.campaign.mutable, self.session)
        }
    }

    /// Takes down what a campaign tells of a mutant.
    fn hear(
        &self,
        plan: &Plan<'_>,
        mutation: &Mutation,
        news: &News<'_>,
        journal: &mut Journal,
        heard: &mut Option<MutantFinding>,
    ) -> Result<(), Exit> {
        let (News::Survives(decided) | News::Decided(decided)) = news;
        let mut finding = self.mutants.finding(mutation, decided);
        let known = journal.survives(&finding.id);
        if let Some(known) = known.filter(|_| finding.verdict.survives()) {
            finding.certificate.clone_from(&known.certificate);
            finding.decided_by.clone_from(&known.decided_by);
        }
        let again = journal.decided(&finding.id).is_some();
        let written = match news {
            // It stands there already.
            _ if again => Ok(()),
            News::Survives(_) if known.is_some() => Ok(()),
            News::Survives(_) => journal.write_survivor(&finding),
            News::Decided(_) => {
                // With more time it may come to something else.
                let resources = &plan.resources;
                let short = matches!(
                    decided.fate,
                    Fate::Unknown { cut: true, .. } | Fate::Unaudited { cut: true, .. }
                );
                let late = resources.interrupt.is_set() || resources.time() < resources.budget;
                match (short || late) && finding.is_open() {
                    true => Ok(()),
                    false => journal.write(&finding),
                }
            }
        };
        *heard = Some(finding);
        written
    }

    /// Shows each gap of which that is asked for by a run that goes through as much as it can.
    fn witnesses(
        &self,
        plan: &Plan<'_>,
        mutations: &[Mutation],
        decided: &[Option<Decided>],
        findings: &mut [Option<MutantFinding>],
        journal: &mut Journal,
        progress: &mut progress::Campaign,
    ) -> Result<(), Exit> {
        // One that is shown in full is shown by its best run.
        let wants = |id: &str| self.arguments.witness || self.arguments.names(id);
        let is_gap = |one: &&Option<MutantFinding>| {
            let gap = |one: &MutantFinding| one.verdict == MutantVerdict::Gap && wants(&one.id);
            one.as_ref().is_some_and(gap)
        };
        let all = findings.iter().filter(is_gap).count();
        let mut done = 0;
        for (at, finding) in findings.iter_mut().enumerate() {
            if !finding.as_ref().is_some_and(|one| wants(&one.id)) {
                continue;
            }
            let Some(Fate::Survived {
                comparison: Some(Comparison::Different(distinction)),
                ..
            }) = decided[at].as_ref().map(|one| &one.fate)
            else {
                continue;
            };
            if plan.resources.exhausted() {
                break;
            }
            progress.step("looking for runs", done, all);
            done += 1;
            let found = witness(plan, &mutations[at], distinction);
            let found = found.map_err(|error| report_oracle_error(self.session, &error))?;
            if let (Some(found), Some(finding)) = (found, finding) {
                self.mutants.gap(&found.distinction, finding);
                finding.covers = Some(Covers {
                    taken: found.taken,
                    branches: found.branches,
                });
                // The later line is the better one.
                journal.write(finding)?;
            }
        }
        Ok(())
    }
}

/// The mutations that the run, before it was interrupted, knew to survive.
pub fn survivors(
    campaign: &Campaign<'_>,
    mutations: &[Mutation],
    (journal, rechecked): (&Journal, &FxHashSet<String>),
) -> FxHashMap<usize, Decided> {
    let numbered = mutations.iter().enumerate();
    let known = numbered.filter_map(|(at, mutation)| {
        let id = campaign.id(mutation);
        if rechecked.contains(&id) {
            return None;
        }
        let finding = recheck::unshown(journal.survives(&id)?.clone());
        let decided = Decided {
            fate: Fate::Survived {
                comparison: None,
                audit: audits::read(finding.audit.as_ref()?),
            },
            by: Test::named(&finding.decided_by)?,
            time: Duration::try_from_secs_f64(finding.seconds).ok()?,
            queries: finding.queries,
            proof: None,
        };
        Some((at, decided))
    });
    known.collect()
}
