//! The board of a property: which cuts are decided, by which test, and what shows it.
//!
//! What two criteria say of each other is applied here and nowhere else: a site that a stuck value
//! covers is covered by the free one, and a site that the free value does not cover is covered by none.

use super::{Recalled, RecalledEvidence, Test};
use crate::verify::VerifyError;
use proofmark_audit::cuts::Cut;
use proofmark_audit::{Audit, audit_bit_proof, audit_bit_trace};
use proofmark_model::graph::{
    BitProof, BitTrace, Criteria, Criterion, CutPlace, CutSites, Kind, Netlist, Signal,
};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// What is known of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutVerdict {
    /// The property fails on the cut netlist.
    Covered,
    /// It still holds.
    NotCovered,
}

/// What shows a verdict.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A run, by position among the runs of the board.
    Run(usize),
    /// A proof, by position among the certificates of the board.
    Certificate(usize),
}

/// A decided cut.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Covered or not.
    pub verdict: CutVerdict,
    /// The test that decided.
    pub test: Test,
    /// What the test took for this cut; what several share is divided among them.
    pub cost: Duration,
    /// From the begin of the coverage to the decision.
    pub at: Duration,
    /// What shows it.
    pub evidence: Evidence,
}

/// A run of the netlist with a site cut.
#[derive(Clone, Debug)]
pub struct CutRun {
    /// The cut on whose netlist the run shows the bad signal at its last step.
    pub cut: Cut,
    /// A run of the cut netlist.
    pub trace: BitTrace,
}

impl CutRun {
    /// The step at which the bad signal is true.
    pub fn step(&self) -> usize {
        self.trace.inputs.len().saturating_sub(1)
    }
}

/// A proof that serves one cut or many.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The sites that are cut.
    pub sites: Vec<usize>,
    /// How; several sites are cut free at once.
    pub criterion: Criterion,
    /// What is inductive on the cut netlist.
    pub proof: BitProof,
}

impl Certificate {
    /// Whether it shows that a cut is not covered: what holds with any value holds with one.
    pub fn serves(&self, cut: Cut) -> bool {
        let criterion = [Criterion::Nondet, cut.criterion].contains(&self.criterion);
        criterion && self.sites.contains(&cut.site)
    }
}

/// Something was decided.
#[derive(Clone, Copy, Debug)]
pub struct News<'b> {
    /// For which bad signal, by position.
    pub bad: usize,
    /// What.
    pub cut: Cut,
    /// How.
    pub decision: &'b Decision,
    /// The run that shows that it is covered.
    pub run: Option<&'b CutRun>,
    /// The certificate that shows that it is not, by position among those of the property.
    pub certificate: Option<(usize, &'b Certificate)>,
}

/// Hears of decisions as soon as they are made.
pub type Listener<'n> = &'n dyn Fn(&News<'_>);

/// The state of one property.
pub struct Board<'n> {
    /// The netlist as it was given.
    pub netlist: &'n Netlist,
    /// What can be cut.
    pub sites: &'n CutSites,
    /// The bad signal, by position.
    pub bad: usize,
    /// For each site and criterion.
    decisions: Vec<[Option<Decision>; Criterion::ALL.len()]>,
    /// What is asked about each site.
    wanted: Vec<Criteria>,
    /// What shows that something is covered.
    pub runs: Vec<CutRun>,
    /// What shows that something is not.
    pub certificates: Vec<Certificate>,
    /// Whether a decision on one criterion is one on the others, where that follows.
    implications: bool,
    begin: Instant,
    decided: usize,
    /// What audits have taken.
    audits: Cell<Duration>,
    listener: Listener<'n>,
}

impl<'n> Board<'n> {
    /// Nothing is decided.
    pub fn new(
        netlist: &'n Netlist,
        sites: &'n CutSites,
        bad: usize,
        wanted: Vec<Criteria>,
        listener: Listener<'n>,
    ) -> Self {
        Board {
            netlist,
            sites,
            bad,
            decisions: vec![[const { None }; Criterion::ALL.len()]; sites.len()],
            wanted,
            runs: Vec::new(),
            certificates: Vec::new(),
            implications: true,
            audits: Cell::new(Duration::ZERO),
            begin: Instant::now(),
            decided: 0,
            listener,
        }
    }

    /// Every criterion is decided by itself from now on.
    pub fn without_implications(&mut self) {
        self.implications = false;
    }

    /// Does an audit, on the account of the property.
    pub fn audited<T>(&self, audit: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = audit();
        self.audits.set(self.audits.get() + begin.elapsed());
        result
    }

    /// What audits have taken.
    pub fn audit_time(&self) -> Duration {
        self.audits.get()
    }

    /// Time counts from now.
    pub fn restart(&mut self) {
        self.begin = Instant::now();
    }

    /// How long it has taken.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// What is known of a cut.
    pub fn decision(&self, cut: Cut) -> Option<&Decision> {
        self.decisions[cut.site][cut.criterion as usize].as_ref()
    }

    /// Whether a cut is asked about and not decided.
    pub fn is_open(&self, cut: Cut) -> bool {
        self.wanted[cut.site].has(cut.criterion) && self.decision(cut).is_none()
    }

    /// The cuts of some criteria that are open.
    pub fn open(&self, criteria: &[Criterion]) -> Vec<Cut> {
        let sites = 0..self.sites.len();
        let cuts = sites.flat_map(|site| {
            let cut = move |criterion: &Criterion| Cut {
                site,
                criterion: *criterion,
            };
            criteria.iter().map(cut)
        });
        cuts.filter(|cut| self.is_open(*cut)).collect()
    }

    /// The share of the cuts that are decided.
    pub fn accuracy(&self) -> f64 {
        match self.total() {
            0 => 1.0,
            total => self.decided as f64 / total as f64,
        }
    }

    /// How many cuts are asked about.
    pub fn total(&self) -> usize {
        self.wanted.iter().map(|one| one.len()).sum()
    }

    /// How many of them are decided.
    pub fn decided(&self) -> usize {
        self.decided
    }

    /// The decisions on a site.
    pub fn site(&self, site: usize) -> &[Option<Decision>] {
        &self.decisions[site]
    }

    /// A cut is covered: the run shows it on the cut netlist, where it is replayed before it counts.
    pub fn cover(&mut self, run: CutRun, test: Test, cost: Duration) -> Result<(), VerifyError> {
        let cut = run.cut;
        if !self.is_open(cut) {
            return Ok(());
        }
        self.confirm(&run)?;
        let free = Cut {
            criterion: Criterion::Nondet,
            ..cut
        };
        if self.implications && cut != free && self.is_open(free) {
            let freed = self.freed(&run);
            self.confirm(&freed)?;
            let evidence = self.add_run(freed);
            self.settle(
                free,
                CutVerdict::Covered,
                Test::Implied,
                Duration::ZERO,
                evidence,
            );
        }
        let evidence = self.add_run(run);
        self.settle(cut, CutVerdict::Covered, test, cost, evidence);
        Ok(())
    }

    fn confirm(&self, run: &CutRun) -> Result<(), VerifyError> {
        let cut = self
            .sites
            .cut(self.netlist, &[run.cut.site], run.cut.criterion);
        match self.audited(|| audit_bit_trace(&cut, self.bad, &run.trace)) {
            Audit::Failed { what } => Err(VerifyError::Audit {
                property: self.netlist.bads[self.bad].name.clone(),
                what: format!(
                    "site {}, {}: {what}",
                    run.cut.site,
                    run.cut.criterion.as_str()
                ),
            }),
            // The simulator answers always.
            Audit::Passed { .. } | Audit::Unknown { .. } => Ok(()),
        }
    }

    fn add_run(&mut self, run: CutRun) -> Evidence {
        self.runs.push(run);
        Evidence::Run(self.runs.len() - 1)
    }

    /// The same run where the free value happens to be the one that the fault has.
    fn freed(&self, run: &CutRun) -> CutRun {
        let nodes = self.sites.nodes(run.cut.site);
        let values = match run.cut.criterion.value() {
            Some(value) => self.stuck_values(run, nodes, value),
            None => {
                let sites = [run.cut.site];
                let faulty = self.sites.cut(self.netlist, &sites, run.cut.criterion);
                faulty.seen_values(&run.trace, nodes, run.cut.criterion)
            }
        };
        CutRun {
            cut: Cut {
                criterion: Criterion::Nondet,
                ..run.cut
            },
            trace: self.netlist.cut_trace(&run.trace, nodes, &values),
        }
    }

    fn stuck_values(&self, run: &CutRun, nodes: &[u32], value: bool) -> Vec<Vec<bool>> {
        let values = nodes.iter().map(|node| {
            let mut values = vec![value; run.trace.inputs.len() + 1];
            // What is cut at its next value begins as the run does.
            if let (Kind::Latch(at), CutPlace::Next) =
                (self.netlist.graph.kind(*node), self.sites.place)
            {
                values[0] = run.trace.latches[at as usize];
            }
            values
        });
        values.collect()
    }

    /// Adds a proof, for [`Board::acquit`].
    pub fn certify(&mut self, certificate: Certificate) -> usize {
        self.certificates.push(certificate);
        self.certificates.len() - 1
    }

    /// A cut is not covered: the certificate shows it.
    pub fn acquit(&mut self, cut: Cut, test: Test, cost: Duration, certificate: usize) {
        let evidence = Evidence::Certificate(certificate);
        if !self.is_open(cut) {
            return;
        }
        self.settle(cut, CutVerdict::NotCovered, test, cost, evidence.clone());
        if self.implications && cut.criterion == Criterion::Nondet {
            for criterion in Criterion::ALL {
                let stuck = Cut { criterion, ..cut };
                if self.is_open(stuck) {
                    // Tests that say so of all three at once are named for all three.
                    let test = match test {
                        Test::Outside | Test::Core => test,
                        _ => Test::Implied,
                    };
                    let evidence = evidence.clone();
                    self.settle(
                        stuck,
                        CutVerdict::NotCovered,
                        test,
                        Duration::ZERO,
                        evidence,
                    );
                }
            }
        }
    }

    /// Takes over what a former session has decided, once its evidence is examined again. What does not
    /// convince is decided anew.
    pub fn recall(&mut self, known: &Recalled, certificates: &[Option<usize>]) {
        if !self.is_open(known.cut) {
            return;
        }
        match &known.evidence {
            RecalledEvidence::Run(run) if self.convinces(run, known.cut) => {
                let evidence = self.add_run(run.clone());
                let (cut, verdict) = (known.cut, CutVerdict::Covered);
                self.settle(cut, verdict, known.test, known.cost, evidence);
            }
            RecalledEvidence::Certificate(number) => {
                let at = certificates.get(*number).copied().flatten();
                let serves = |at: &usize| self.certificates[*at].serves(known.cut);
                if let Some(at) = at.filter(serves) {
                    let evidence = Evidence::Certificate(at);
                    let (cut, verdict) = (known.cut, CutVerdict::NotCovered);
                    self.settle(cut, verdict, known.test, known.cost, evidence);
                }
            }
            RecalledEvidence::Run(_) => {}
        }
    }

    /// Whether a run of a former session is one of the cut netlist, and shows that the cut is covered.
    fn convinces(&self, run: &CutRun, cut: Cut) -> bool {
        let added = match cut.criterion {
            Criterion::Nondet => self.sites.nodes(cut.site).len(),
            _ => 0,
        };
        let inputs = self.netlist.inputs.len() + added;
        let fits = run.trace.latches.len() == self.netlist.latches.len()
            && run.trace.inputs.iter().all(|one| one.len() == inputs);
        run.cut == cut && fits && self.confirm(run).is_ok()
    }

    /// Audits a certificate of a former session; its position, if it is one.
    pub fn recall_certificate(
        &mut self,
        certificate: &Certificate,
        time: Duration,
    ) -> Option<usize> {
        let (sites, criterion) = (&certificate.sites, certificate.criterion);
        if sites.iter().any(|site| *site >= self.sites.len()) {
            return None;
        }
        let cut = self.sites.cut(self.netlist, sites, criterion);
        let proof = &certificate.proof;
        let known = |signal: &Signal| signal.index() < self.netlist.graph.len();
        if !proof.clauses.iter().flatten().all(known) {
            return None;
        }
        match self.audited(|| audit_bit_proof(&cut, self.bad, proof, Some(time))) {
            Audit::Passed { .. } => Some(self.certify(certificate.clone())),
            Audit::Failed { .. } | Audit::Unknown { .. } => None,
        }
    }

    fn settle(
        &mut self,
        cut: Cut,
        verdict: CutVerdict,
        test: Test,
        cost: Duration,
        evidence: Evidence,
    ) {
        self.decided += 1;
        let decision = Decision {
            verdict,
            test,
            cost,
            at: self.begin.elapsed(),
            evidence,
        };
        let (run, certificate) = match decision.evidence {
            Evidence::Run(at) => (Some(&self.runs[at]), None),
            Evidence::Certificate(at) => (None, Some((at, &self.certificates[at]))),
        };
        (self.listener)(&News {
            bad: self.bad,
            cut,
            decision: &decision,
            run,
            certificate,
        });
        self.decisions[cut.site][cut.criterion as usize] = Some(decision);
    }
}
