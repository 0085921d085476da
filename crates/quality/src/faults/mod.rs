//! Mutation of netlists: small faults in gates and registers, and which of them no property notices.
//!
//! The faults are those of Yosys' `mutate` (stuck at 0 and 1, inverted, inverted while another bit is true or
//! false) and the free value, which takes in all of them. A fault is a cut as `cover` knows it, so that its
//! tests decide what is killed. What survives is compared with the original by the same tests once more: in
//! the product of both (`product`), "an output differs" is a property that holds, and a fault of the second
//! copy is a gap exactly when it is covered there.
//!
//! Gates that only properties and constraints read define them, and are never faulty.

mod product;

use crate::cover::{CoverageQuestion, Cut, CutVerdict, Evidence, Method, News, PropertyCoverage};
use crate::cover::{Test, cover, cover_proved};
use crate::netlist::{NetlistVerdict, constraints_block};
use crate::verify::VerifyError;
use product::Product;
use proofmark_engine::bits::BitLimits;
use proofmark_model::graph::{
    BitProof, BitTrace, Criteria, Criterion, CutPlace, CutSites, Kind, Netlist, Signal,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The names of faults as Yosys and mcy have them, and the free value.
pub const FAULTS: [(&str, Criterion); 6] = [
    ("free", Criterion::Nondet),
    ("const0", Criterion::Zero),
    ("const1", Criterion::One),
    ("inv", Criterion::Inverted),
    ("cnot1", Criterion::Xor),
    ("cnot0", Criterion::Xnor),
];

/// The name of a fault.
pub fn fault_name(criterion: Criterion) -> &'static str {
    let mut rows = FAULTS.iter();
    let row = rows.find(|(_, known)| *known == criterion);
    row.map_or("", |(name, _)| name)
}

/// The nodes that can be faulty: every latch, and every gate that a latch or an output reads.
pub fn faulty_nodes(netlist: &Netlist) -> Vec<u32> {
    let mut read = vec![false; netlist.graph.len()];
    let mut stack: Vec<u32> = netlist.latches.iter().map(|one| one.next.node()).collect();
    let is_bad = |signal: Signal| netlist.bads.iter().any(|bad| bad.signal == signal);
    let outputs = netlist.outputs.iter().map(|one| one.signal);
    stack.extend(outputs.filter(|one| !is_bad(*one)).map(|one| one.node()));
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut read[node as usize], true) {
            continue;
        }
        if let Kind::And(a, b) = netlist.graph.kind(node) {
            stack.extend([a.node(), b.node()]);
        }
    }
    let latches = netlist.latches.iter().map(|one| one.node);
    let gates = netlist.graph.and_gates().map(|(gate, _)| gate);
    latches
        .chain(gates.filter(|gate| read[*gate as usize]))
        .collect()
}

/// The sites of these nodes, one each. The partner of a latch is the next bit of its word, as the names have it,
/// or else what it holds itself; that of a gate is its first fanin.
pub fn fault_sites(netlist: &Netlist, nodes: &[u32]) -> CutSites {
    let groups = nodes.iter().map(|node| vec![*node]).collect();
    CutSites::new(netlist, CutPlace::Next, groups).with_partners(partners(netlist, nodes))
}

fn partners(netlist: &Netlist, nodes: &[u32]) -> FxHashMap<u32, Signal> {
    let of_latches = latch_partners(netlist);
    let partner = |node: &u32| match netlist.graph.kind(*node) {
        Kind::Latch(position) => Some((*node, of_latches[position as usize])),
        Kind::And(a, _) => Some((*node, a)),
        Kind::Constant | Kind::Input(_) => None,
    };
    nodes.iter().filter_map(partner).collect()
}

fn latch_partners(netlist: &Netlist) -> Vec<Signal> {
    let mut words: FxHashMap<String, BTreeMap<u32, usize>> = FxHashMap::default();
    let bits: Vec<Option<(String, u32)>> = netlist
        .latches
        .iter()
        .map(|latch| bit_of(&netlist.name(latch.node)))
        .collect();
    for (position, bit) in bits.iter().enumerate() {
        if let Some((word, index)) = bit {
            words
                .entry(word.clone())
                .or_default()
                .insert(*index, position);
        }
    }
    let partner = |(position, bit): (usize, &Option<(String, u32)>)| {
        let own = Signal::of(netlist.latches[position].node);
        let Some((word, index)) = bit else {
            return own;
        };
        let word = &words[word];
        let next = word
            .range(index + 1..)
            .next()
            .or_else(|| word.iter().next());
        match next.filter(|(_, other)| **other != position) {
            Some((_, other)) => netlist.latches[*other].next,
            None => own,
        }
    };
    bits.iter().enumerate().map(partner).collect()
}

/// The word and the index of `word[3]`.
fn bit_of(name: &str) -> Option<(String, u32)> {
    let (word, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((word.to_string(), index.parse().ok()?))
}

/// What is asked.
pub struct FaultQuestion<'a> {
    /// The netlist; its outputs are what is observed.
    pub netlist: &'a Netlist,
    /// What can be faulty.
    pub sites: &'a CutSites,
    /// The faults of each site that are asked about.
    pub wanted: Vec<Criteria>,
    /// The bad signals, by position.
    pub bads: Vec<usize>,
    /// How properties are proved; the time is for everything.
    pub limits: BitLimits,
    /// What one audit may take at least.
    pub audit: Duration,
    /// A fault gets no more than this from the engines, each time.
    pub budget: Duration,
    /// Whether survivors are compared with the original.
    pub compares: bool,
    /// What a former session knows to survive, and has not compared.
    pub survives: FxHashSet<Cut>,
    /// Hears what becomes of a fault as soon as that is known; of one that survives, before it is compared and
    /// after it.
    pub listener: &'a dyn Fn(Cut, &DecidedFault),
}

/// A property of the netlist without faults.
pub struct FaultProperty {
    /// The bad signal, by position.
    pub bad: usize,
    /// What is known of it.
    pub verdict: NetlistVerdict,
    /// Whether the proof is audited.
    pub audited: bool,
    /// What that took.
    pub time: Duration,
}

/// What became of a fault.
#[derive(Clone, Debug)]
pub struct DecidedFault {
    /// Noticed or not.
    pub fate: FaultFate,
    /// The test that decided that.
    pub by: Option<Test>,
    /// What it took.
    pub cost: Duration,
}

/// What became of a fault.
#[derive(Clone, Debug)]
pub enum FaultFate {
    /// A property notices: a run of the faulty netlist shows its bad signal.
    Killed {
        /// The bad signal, by position.
        bad: usize,
        /// The run.
        trace: BitTrace,
    },
    /// The constraints block every run of the faulty netlist.
    Vacuous {
        /// In words.
        why: String,
    },
    /// No property notices.
    Survived {
        /// What the comparison with the original came to, if there was one.
        comparison: Option<FaultComparison>,
        /// Clauses that with the property are inductive on the faulty netlist, for one of the properties.
        proof: Option<BitProof>,
    },
    /// Not decided in time.
    Unknown,
}

/// What the outputs say of a fault that no property notices.
#[derive(Clone, Debug)]
pub enum FaultComparison {
    /// They never differ.
    Equivalent,
    /// They do.
    Different(FaultDifference),
    /// Not decided in time.
    Unknown,
}

/// Two runs with the same inputs.
#[derive(Clone, Debug)]
pub struct FaultDifference {
    /// The first step at which they differ.
    pub step: usize,
    /// The outputs that differ there, by position; none when only one of the runs is accepted.
    pub outputs: Vec<usize>,
    /// A run of the original.
    pub original: BitTrace,
    /// A run of the faulty netlist.
    pub faulty: BitTrace,
}

/// What was found.
pub struct FaultCampaign {
    /// The properties that were asked about.
    pub properties: Vec<FaultProperty>,
    /// What became of each fault; nothing when no property was proved.
    pub decided: FxHashMap<Cut, DecidedFault>,
    /// What audits have taken.
    pub audit_time: Duration,
}

/// Decides the faults.
pub fn decide_faults(question: &FaultQuestion<'_>) -> Result<FaultCampaign, VerifyError> {
    let mut campaign = Decider {
        question,
        begin: Instant::now(),
        killed: question.wanted.iter().map(|_| Criteria::NONE).collect(),
        open: question.wanted.iter().map(|_| Criteria::NONE).collect(),
        survivors: FxHashMap::default(),
        invariants: Vec::new(),
        found: FaultCampaign {
            properties: Vec::new(),
            decided: FxHashMap::default(),
            audit_time: Duration::ZERO,
        },
    };
    for at in 0..question.bads.len() {
        campaign.ask(at)?;
    }
    let is_proved = |one: &FaultProperty| matches!(one.verdict, NetlistVerdict::Valid { .. });
    if campaign.found.properties.iter().any(is_proved) {
        campaign.settle()?;
    }
    Ok(campaign.found)
}

struct Decider<'q, 'a> {
    question: &'q FaultQuestion<'a>,
    begin: Instant,
    /// For each site the faults that a property noticed, and those of which a property does not know.
    killed: Vec<Criteria>,
    open: Vec<Criteria>,
    /// The last proof of each that survived.
    survivors: FxHashMap<Cut, (Test, Duration, BitProof)>,
    /// Clauses that hold in every state of the original.
    invariants: Vec<Vec<Signal>>,
    found: FaultCampaign,
}

impl Decider<'_, '_> {
    /// The time that is left, divided by what there is still to do.
    fn limits(&self, parts: usize) -> BitLimits {
        let limits = self.question.limits.clone();
        let left = |time: Duration| time.saturating_sub(self.begin.elapsed()) / parts as u32;
        BitLimits {
            time: limits.time.map(left),
            ..limits
        }
    }

    /// What is asked of the next property: what nobody has noticed, and nobody knows to survive.
    fn unnoticed(&self) -> Vec<Criteria> {
        let mut unnoticed = vec![Criteria::NONE; self.killed.len()];
        for cut in self.asked() {
            let is_killed = self.killed[cut.site].has(cut.criterion);
            if !is_killed && !self.question.survives.contains(&cut) {
                unnoticed[cut.site] = unnoticed[cut.site].with(cut.criterion);
            }
        }
        unnoticed
    }

    /// One property, on what no property before it has noticed.
    fn ask(&mut self, at: usize) -> Result<(), VerifyError> {
        let question = self.question;
        let wanted = self.unnoticed();
        let parts = question.bads.len() - at + usize::from(question.compares);
        let is_last = at + 1 == question.bads.len();
        let open = self.open.clone();
        let hear = |news: &News<'_>| {
            let (site, criterion) = (news.cut.site, news.cut.criterion);
            let settles = is_last && !open[site].has(criterion);
            if wanted[site].has(criterion)
                && let Some(fate) = early_fate(news, settles)
            {
                let (by, cost) = (Some(news.decision.test), news.decision.cost);
                (question.listener)(news.cut, &DecidedFault { fate, by, cost });
            }
        };
        let asked = CoverageQuestion {
            netlist: question.netlist,
            method: Method::Cascade,
            sites: question.sites,
            wanted: wanted.iter().map(|one| with_free(*one)).collect(),
            bads: vec![question.bads[at]],
            limits: self.limits(parts),
            audit: question.audit,
            budget: question.budget,
            accuracy: 1.0,
            recalled: Vec::new(),
            certificates: Vec::new(),
            listener: &hear,
        };
        for one in cover(&asked)? {
            self.take(&one);
            if let NetlistVerdict::Valid { proof, .. } = &one.verdict
                && proof.k == 1
            {
                self.invariants.extend(proof.clauses.iter().cloned());
            }
            self.found.properties.push(FaultProperty {
                bad: one.bad,
                audited: !one.board.certificates.is_empty(),
                time: one.proof_time,
                verdict: one.verdict,
            });
        }
        Ok(())
    }

    /// What one property says of the faults.
    fn take(&mut self, coverage: &PropertyCoverage<'_>) {
        let board = &coverage.board;
        self.found.audit_time += board.audit_time();
        for cut in self.asked().filter(|_| coverage.is_proved()) {
            let is_known = self.question.survives.contains(&cut);
            if is_known || self.killed[cut.site].has(cut.criterion) {
                continue;
            }
            let Some(decision) = board.decision(cut) else {
                self.open[cut.site] = self.open[cut.site].with(cut.criterion);
                continue;
            };
            match decision.evidence {
                Evidence::Run(run) => {
                    self.killed[cut.site] = self.killed[cut.site].with(cut.criterion);
                    let (bad, trace) = (coverage.bad, board.runs[run].trace.clone());
                    let decided = DecidedFault {
                        fate: FaultFate::Killed { bad, trace },
                        by: Some(decision.test),
                        cost: decision.cost,
                    };
                    self.found.decided.insert(cut, decided);
                }
                Evidence::Certificate(at) => {
                    let proof = board.certificates[at].proof.clone();
                    let known = (decision.test, decision.cost, proof);
                    self.survivors.insert(cut, known);
                }
            }
        }
    }

    /// The faults that are asked about.
    fn asked(&self) -> impl Iterator<Item = Cut> + use<> {
        let wanted = self.question.wanted.clone();
        wanted.into_iter().enumerate().flat_map(|(site, wanted)| {
            let all = Criterion::ALL.into_iter();
            let own = all.filter(move |one| wanted.has(*one));
            own.map(move |criterion| Cut { site, criterion })
        })
    }

    fn tell(&mut self, cut: Cut, fate: FaultFate, by: Option<Test>, cost: Duration) {
        let decided = DecidedFault { fate, by, cost };
        (self.question.listener)(cut, &decided);
        self.found.decided.insert(cut, decided);
    }

    /// What all properties have said: the faults that are not killed survive, or are not decided.
    fn settle(&mut self) -> Result<(), VerifyError> {
        let mut waiting = vec![Criteria::NONE; self.question.wanted.len()];
        let constrained = self.constrained();
        for cut in self.asked() {
            if self.killed[cut.site].has(cut.criterion) {
                continue;
            }
            if self.open[cut.site].has(cut.criterion) {
                self.tell(cut, FaultFate::Unknown, None, Duration::ZERO);
            } else if let Some(why) = self.blocked(cut, &constrained) {
                self.tell(cut, FaultFate::Vacuous { why }, None, Duration::ZERO);
            } else {
                waiting[cut.site] = waiting[cut.site].with(cut.criterion);
            }
        }
        let compares = self.question.compares && !self.question.netlist.outputs.is_empty();
        match compares {
            true => self.compare(waiting),
            false => {
                for cut in self.asked() {
                    if waiting[cut.site].has(cut.criterion) {
                        let decided = self.survivor(cut, None);
                        self.found.decided.insert(cut, decided);
                    }
                }
                Ok(())
            }
        }
    }

    fn survivor(&self, cut: Cut, comparison: Option<FaultComparison>) -> DecidedFault {
        let known = self.survivors.get(&cut);
        let proof = known.map(|(_, _, proof)| proof.clone());
        DecidedFault {
            fate: FaultFate::Survived { comparison, proof },
            by: known.map(|(test, ..)| *test),
            cost: known.map_or(Duration::ZERO, |(_, cost, _)| *cost),
        }
    }

    /// The nodes that the constraints depend on, through any number of steps.
    fn constrained(&self) -> Vec<bool> {
        let netlist = self.question.netlist;
        let mut needed = vec![false; netlist.graph.len()];
        let mut stack: Vec<u32> = netlist.constraints.iter().map(|one| one.node()).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut needed[node as usize], true) {
                continue;
            }
            match netlist.graph.kind(node) {
                Kind::And(a, b) => stack.extend([a.node(), b.node()]),
                Kind::Latch(at) => stack.push(netlist.latches[at as usize].next.node()),
                Kind::Constant | Kind::Input(_) => {}
            }
        }
        needed
    }

    /// Why no run of a faulty netlist is accepted, if that is so.
    fn blocked(&self, cut: Cut, constrained: &[bool]) -> Option<String> {
        let mut nodes = self.question.sites.nodes(cut.site).iter();
        if !nodes.any(|node| constrained[*node as usize]) {
            return None;
        }
        let sites = [cut.site];
        let faulty = self
            .question
            .sites
            .cut(self.question.netlist, &sites, cut.criterion);
        constraints_block(&faulty, &self.question.limits)
    }

    /// Original and faulty netlist side by side, for all that survive at once.
    fn compare(&mut self, waiting: Vec<Criteria>) -> Result<(), VerifyError> {
        if waiting.iter().all(|one| one.is_empty()) {
            return Ok(());
        }
        let question = self.question;
        let product = Product::new(question.netlist, question.sites);
        let proof = product.proof(&self.invariants);
        let limits = self.limits(1);
        let compared = |cut: Cut, verdict: CutVerdict, run: Option<&BitTrace>| match (verdict, run)
        {
            (CutVerdict::Covered, Some(run)) => {
                let found = product.difference(question.netlist, question.sites, cut, run);
                found.map(FaultComparison::Different)
            }
            _ => Some(FaultComparison::Equivalent),
        };
        let hear = |news: &News<'_>| {
            let (cut, run) = (news.cut, news.run.map(|run| &run.trace));
            if waiting[cut.site].has(cut.criterion)
                && let Some(comparison) = compared(cut, news.decision.verdict, run)
            {
                (question.listener)(cut, &self.survivor(cut, Some(comparison)));
            }
        };
        let asked = CoverageQuestion {
            netlist: &product.netlist,
            method: Method::Cascade,
            sites: &product.sites,
            wanted: waiting.iter().map(|one| with_free(*one)).collect(),
            bads: vec![0],
            limits,
            audit: question.audit,
            budget: question.budget,
            accuracy: 1.0,
            recalled: Vec::new(),
            certificates: Vec::new(),
            listener: &hear,
        };
        let found = cover_proved(&asked, 0, proof)?;
        let mut settled = Vec::new();
        for cut in self.asked() {
            if !waiting[cut.site].has(cut.criterion) {
                continue;
            }
            let comparison = match found.board.decision(cut) {
                None => FaultComparison::Unknown,
                Some(decision) => {
                    let run = match decision.evidence {
                        Evidence::Run(run) => Some(&found.board.runs[run].trace),
                        Evidence::Certificate(_) => None,
                    };
                    let compared = compared(cut, decision.verdict, run);
                    compared.ok_or_else(|| VerifyError::Audit {
                        property: "the outputs are the same".into(),
                        what: format!("site {}: the runs do not differ", cut.site),
                    })?
                }
            };
            let is_open = matches!(comparison, FaultComparison::Unknown);
            let decided = self.survivor(cut, Some(comparison));
            if is_open {
                (question.listener)(cut, &decided);
            }
            settled.push((cut, decided));
        }
        self.found.audit_time += found.board.audit_time();
        self.found.decided.extend(settled);
        Ok(())
    }
}

/// What a decision on one property already says of a fault: that it is noticed, or, of the last property that knows
/// of it, that it survives.
fn early_fate(news: &News<'_>, settles: bool) -> Option<FaultFate> {
    match (news.run, news.certificate) {
        (Some(run), _) => Some(FaultFate::Killed {
            bad: news.bad,
            trace: run.trace.clone(),
        }),
        (None, Some((_, certificate))) => settles.then(|| FaultFate::Survived {
            comparison: None,
            proof: Some(certificate.proof.clone()),
        }),
        (None, None) => None,
    }
}

/// A free value takes in every fault: what it does not change, no fault does.
fn with_free(wanted: Criteria) -> Criteria {
    match wanted.is_empty() {
        true => wanted,
        false => wanted.with(Criterion::Nondet),
    }
}
