//! Cores of netlist proofs: which registers and gates does a proof need?
//!
//! A set of sites is a core when the property holds with all other sites cut free. That of a proof is what CORE
//! leaves over; a minimal one is found by cutting one site after the other, with what is left of the last proof
//! tried first and the engines last. What every core has is what coverage calls covered by the free value, and is
//! decided by its tests. All minimal cores are enumerated with a map of the sets that are still open (Liffiton
//! and others, "Fast, flexible MUS enumeration", 2016; Ghassabani, Whalen and Gacek, 2017).
//!
//! Every core is audited on the netlist that it is, and every run that shows a site to be needed is replayed.

use super::board::Board;
use super::{CoverageQuestion, Cut, CutVerdict, Method, Test, cover_proved, outside};
use crate::analysis::Request;
use crate::netlist::{NetlistQuestion, NetlistVerdict, verify_netlist};
use crate::verify::VerifyError;
use proofmark_audit::cuts::CutProver;
use proofmark_audit::{Audit, audit_bit_proof, audit_bit_trace};
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad_knowing};
use proofmark_model::graph::{BitProof, Criteria, Criterion, CutSites, Netlist};
use proofmark_solve::Budget;
use proofmark_solve::sat::{Answer, Lit, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

type Sites = BTreeSet<usize>;

/// What one question of what is left of a proof may cost, in conflicts.
const EFFORT: u64 = 20_000;

/// Which cores of a property are asked for.
pub struct NetlistCoreQuestion<'a> {
    /// The netlist.
    pub netlist: &'a Netlist,
    /// What is removed as one; removed is what has any next value, or any value.
    pub sites: &'a CutSites,
    /// The bad signal, by position.
    pub bad: usize,
    /// How it is proved; the time is for everything.
    pub limits: BitLimits,
    /// What one audit may take at least.
    pub audit: Duration,
    /// What the engines may take, each time that they are asked about a removal.
    pub budget: Duration,
    /// Which cores.
    pub request: Request,
}

/// A core in sites.
#[derive(Clone, Debug)]
pub struct NetlistCore {
    /// The sites that suffice.
    pub sites: Sites,
    /// Those of which it is not known whether the others suffice; nothing when nobody asked.
    pub undecided: Option<Sites>,
    /// Whether the auditor agrees that they suffice.
    pub audited: bool,
}

/// What was found of one property.
pub struct NetlistCores {
    /// What became of the property.
    pub verdict: NetlistVerdict,
    /// What its proof took.
    pub proof_time: Duration,
    /// What the cores took after it.
    pub time: Duration,
    /// The sites that the property does not depend on.
    pub outside: Sites,
    /// The cores; none unless the property is proved.
    pub cores: Vec<NetlistCore>,
    /// What every core has, and of which sites that is not known, if it was asked for.
    pub must: Option<(Sites, Sites)>,
    /// Whether all minimal cores are known, if they were asked for.
    pub complete: Option<bool>,
    /// How many questions each test decided.
    pub decided: BTreeMap<&'static str, u64>,
    /// What audits took.
    pub audit_time: Duration,
}

/// Proves the property and finds cores of it.
pub fn netlist_cores(question: &NetlistCoreQuestion<'_>) -> Result<NetlistCores, VerifyError> {
    let begin = Instant::now();
    let asked = NetlistQuestion {
        netlist: question.netlist,
        bads: vec![question.bad],
        limits: question.limits.clone(),
        audit: None,
        accept_unaudited: true,
    };
    let mut judgements = verify_netlist(&asked, &mut |_, _| ())?.judgements;
    let verdict = match judgements.pop() {
        Some(judgement) => judgement.verdict,
        None => unreachable!("one signal was asked about"),
    };
    let outside = outside::outside(question.netlist, question.sites, question.bad);
    let mut found = NetlistCores {
        verdict,
        proof_time: begin.elapsed(),
        time: Duration::ZERO,
        outside: outside.into_iter().collect(),
        cores: Vec::new(),
        must: None,
        complete: None,
        decided: BTreeMap::new(),
        audit_time: Duration::ZERO,
    };
    if let NetlistVerdict::Valid { proof, .. } = &found.verdict {
        let proof = proof.clone();
        let mut finder = Finder {
            question,
            end: question.limits.time.map(|time| begin + time),
            proof,
            found: &mut found,
        };
        finder.find()?;
        found.time = begin.elapsed().saturating_sub(found.proof_time);
    }
    Ok(found)
}

/// What a removal does.
enum Removal {
    /// The property still holds: a proof of it.
    Holds(BitProof),
    /// A run shows that it does not.
    Fails,
    Undecided,
}

struct Finder<'q, 'f> {
    question: &'q NetlistCoreQuestion<'q>,
    end: Option<Instant>,
    /// The proof of the property.
    proof: BitProof,
    found: &'f mut NetlistCores,
}

impl Finder<'_, '_> {
    fn find(&mut self) -> Result<(), VerifyError> {
        let request = self.question.request;
        let all: Sites = (0..self.question.sites.len()).collect();
        let proof = self.proof.clone();
        let (core, proof) = self.needed(&all, proof)?;
        let enumerates = request.all || request.smallest;
        let must = match request.must || request.minimal || enumerates {
            true => self.must(&core)?,
            false => (Sites::new(), Sites::new()),
        };
        if enumerates {
            self.enumerate(&must.0)?;
        }
        if self.found.cores.is_empty() {
            let core = match request.minimal || enumerates {
                true => self.shrink(core, proof, &must.0)?,
                false => self.audited(core, None, &proof)?,
            };
            self.found.cores.push(core);
        }
        if request.smallest {
            let smallest = self.found.cores.iter().min_by_key(|core| core.sites.len());
            self.found.cores = smallest.cloned().into_iter().collect();
        }
        // Where all cores are known, what they share is known for nothing.
        let asked = request.must || self.found.complete == Some(true) || request.minimal;
        self.found.must = asked.then_some(must);
        Ok(())
    }

    fn count(&mut self, test: &'static str) {
        *self.found.decided.entry(test).or_default() += 1;
    }

    fn left(&self) -> Option<Duration> {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.end.map(left)
    }

    fn is_over(&self) -> bool {
        self.question.limits.interrupt.is_set() || self.left().is_some_and(|left| left.is_zero())
    }

    /// The netlist with all sites cut that are not kept.
    fn part(&self, kept: &Sites) -> Netlist {
        let others = (0..self.question.sites.len()).filter(|site| !kept.contains(site));
        let others: Vec<usize> = others.collect();
        self.question
            .sites
            .cut(self.question.netlist, &others, Criterion::Nondet)
    }

    fn prover<'n>(&'n self, part: &'n Netlist, proof: &BitProof) -> CutProver<'n> {
        let bad = part.bads[self.question.bad].signal;
        let mut prover = CutProver::new(part, self.question.sites, bad, proof);
        prover.set_interrupt(&self.question.limits.interrupt);
        prover.set_budget(Budget {
            effort: Some(EFFORT),
            time: self.left(),
        });
        prover
    }

    fn fault(&self, error: &proofmark_audit::lrat::Unconfirmed) -> VerifyError {
        VerifyError::Audit {
            property: self.question.netlist.bads[self.question.bad].name.clone(),
            what: format!("the solver's own proof is wrong: {error}"),
        }
    }

    /// What a proof of the property on a part needs of it.
    fn needed(&mut self, kept: &Sites, proof: BitProof) -> Result<(Sites, BitProof), VerifyError> {
        let part = self.part(kept);
        let mut prover = self.prover(&part, &proof);
        let sustained = prover.sustain(&[]).map_err(|error| self.fault(&error))?;
        Ok(match sustained {
            Some(one) => {
                let needed = one.sites.intersection(kept).copied().collect();
                (needed, prover.proof(&one.claims))
            }
            None => (kept.clone(), proof),
        })
    }

    /// What every core has: the sites that the tests of coverage find covered.
    fn must(&mut self, core: &Sites) -> Result<(Sites, Sites), VerifyError> {
        let question = self.question;
        let wanted = (0..question.sites.len()).map(|site| match core.contains(&site) {
            true => Criteria::NONE.with(Criterion::Nondet),
            false => Criteria::NONE,
        });
        let asked = CoverageQuestion {
            netlist: question.netlist,
            method: Method::Cascade,
            sites: question.sites,
            wanted: wanted.collect(),
            bads: vec![question.bad],
            limits: BitLimits {
                time: self.left(),
                ..question.limits.clone()
            },
            audit: question.audit,
            budget: question.budget,
            accuracy: 1.0,
            recalled: Vec::new(),
            certificates: Vec::new(),
            listener: &|_| (),
        };
        let coverage = cover_proved(&asked, question.bad, self.proof.clone())?;
        let board: &Board<'_> = &coverage.board;
        self.found.audit_time += board.audit_time();
        let (mut must, mut open) = (Sites::new(), Sites::new());
        for &site in core {
            let criterion = Criterion::Nondet;
            let decision = board.decision(Cut { site, criterion });
            match decision.map(|one| (one.verdict, one.test)) {
                None => drop(open.insert(site)),
                Some((verdict, test)) => {
                    if verdict == CutVerdict::Covered {
                        must.insert(site);
                    }
                    self.count(kind(test));
                }
            }
        }
        Ok((must, open))
    }

    /// A minimal core within a part that suffices.
    fn shrink(
        &mut self,
        mut kept: Sites,
        mut proof: BitProof,
        must: &Sites,
    ) -> Result<NetlistCore, VerifyError> {
        // A site that a part cannot do without, no smaller part can.
        let mut needed = must.clone();
        let mut undecided = Sites::new();
        'smaller: loop {
            (kept, proof) = self.needed(&kept, proof)?;
            let part = self.part(&kept);
            let waiting = kept.iter().copied();
            let waiting: Vec<usize> = waiting
                .filter(|site| !needed.contains(site) && !undecided.contains(site))
                .collect();
            for site in waiting {
                match self.remove(&part, &proof, site)? {
                    Removal::Holds(other) => {
                        kept.remove(&site);
                        proof = other;
                        continue 'smaller;
                    }
                    Removal::Fails => drop(needed.insert(site)),
                    Removal::Undecided => drop(undecided.insert(site)),
                }
            }
            break;
        }
        undecided.retain(|site| kept.contains(site));
        self.audited(kept, Some(undecided), &proof)
    }

    /// Whether a part can do without one of its sites.
    fn remove(
        &mut self,
        part: &Netlist,
        proof: &BitProof,
        site: usize,
    ) -> Result<Removal, VerifyError> {
        if self.is_over() {
            return Ok(Removal::Undecided);
        }
        let cut = Cut {
            site,
            criterion: Criterion::Nondet,
        };
        let known = {
            let mut prover = self.prover(part, proof);
            let sustained = prover.sustain(&[cut]).map_err(|error| self.fault(&error))?;
            if let Some(sustained) = sustained {
                let proof = prover.proof(&sustained.claims);
                self.count("proof");
                return Ok(Removal::Holds(proof));
            }
            match prover.is_simple() {
                true => {
                    let claims = prover
                        .inductive(&[cut])
                        .map_err(|error| self.fault(&error))?;
                    prover.clauses(&claims)
                }
                false => Vec::new(),
            }
        };
        let smaller = self.question.sites.cut(part, &[site], Criterion::Nondet);
        self.ask(&smaller, &known)
    }

    /// The engines on a part.
    fn ask(
        &mut self,
        part: &Netlist,
        known: &[Vec<proofmark_model::graph::Signal>],
    ) -> Result<Removal, VerifyError> {
        let budget = self.question.budget;
        let limits = BitLimits {
            time: Some(self.left().map_or(budget, |left| left.min(budget))),
            ..self.question.limits.clone()
        };
        let bad = self.question.bad;
        let found = check_bad_knowing(part, bad, known, &limits, &mut |_, _| ());
        match found.verdict {
            BitVerdict::Valid { proof, .. } => {
                self.count("engines");
                Ok(Removal::Holds(proof))
            }
            BitVerdict::Invalid { trace, .. } => match audit_bit_trace(part, bad, &trace) {
                Audit::Failed { what } => Err(VerifyError::Audit {
                    property: part.bads[bad].name.clone(),
                    what: format!("with sites removed: {what}"),
                }),
                Audit::Passed { .. } | Audit::Unknown { .. } => {
                    self.count("engines");
                    Ok(Removal::Fails)
                }
            },
            BitVerdict::Unknown { .. } => {
                self.count("unknown");
                Ok(Removal::Undecided)
            }
        }
    }

    /// A core with its audit.
    fn audited(
        &mut self,
        sites: Sites,
        undecided: Option<Sites>,
        proof: &BitProof,
    ) -> Result<NetlistCore, VerifyError> {
        let part = self.part(&sites);
        let begin = Instant::now();
        let time = self.left().map(|left| left.max(self.question.audit));
        let audit = audit_bit_proof(&part, self.question.bad, proof, time);
        self.found.audit_time += begin.elapsed();
        match audit {
            Audit::Failed { what } => Err(VerifyError::Audit {
                property: part.bads[self.question.bad].name.clone(),
                what: format!("with {} sites left: {what}", sites.len()),
            }),
            audit => Ok(NetlistCore {
                sites,
                undecided,
                audited: matches!(audit, Audit::Passed { .. }),
            }),
        }
    }

    /// Every minimal core, with a map of the sets of which nothing is known.
    fn enumerate(&mut self, must: &Sites) -> Result<(), VerifyError> {
        let universe =
            (0..self.question.sites.len()).filter(|site| !self.found.outside.contains(site));
        let mut map = Map::new(universe, must);
        let limit = self.question.request.limit.unwrap_or(usize::MAX);
        while let Some(seed) = map.largest() {
            if self.is_over() || self.found.cores.len() >= limit {
                self.found.complete = Some(false);
                return Ok(());
            }
            let part = self.part(&seed);
            let sustained = {
                let proof = self.proof.clone();
                let mut prover = self.prover(&part, &proof);
                let sustained = prover.sustain(&[]).map_err(|error| self.fault(&error))?;
                sustained.map(|one| prover.proof(&one.claims))
            };
            let removal = match sustained {
                Some(proof) => Removal::Holds(proof),
                None => self.ask(&part, &[])?,
            };
            match removal {
                Removal::Fails => map.lacks_something(&seed),
                Removal::Undecided => {
                    self.found.complete = Some(false);
                    return Ok(());
                }
                Removal::Holds(proof) => {
                    let core = self.shrink(seed, proof, must)?;
                    map.is_known(&core.sites);
                    let open = core.undecided.as_ref().is_some_and(|open| !open.is_empty());
                    self.found.cores.push(core);
                    if open {
                        self.found.complete = Some(false);
                        return Ok(());
                    }
                }
            }
        }
        self.found.complete = Some(true);
        Ok(())
    }
}

/// A test of coverage in the words of cores.
fn kind(test: Test) -> &'static str {
    match test {
        Test::Outside | Test::Core | Test::Induction | Test::Restart | Test::Houdini => "proof",
        Test::Simulation | Test::Counterexample => "run",
        Test::Ic3 | Test::Interpolation | Test::Implied => "engines",
    }
}

/// The sets of sites of which it is not known whether they suffice, as clauses.
struct Map {
    solver: Solver,
    sites: Vec<(usize, Lit)>,
}

impl Map {
    fn new(universe: impl Iterator<Item = usize>, must: &Sites) -> Map {
        let mut solver = Solver::new();
        let sites = universe.map(|site| (site, solver.new_var().positive()));
        let sites: Vec<(usize, Lit)> = sites.collect();
        for (site, lit) in &sites {
            if must.contains(site) {
                solver.add_clause(&[*lit]);
            }
        }
        Map { solver, sites }
    }

    /// A set that is open and has no larger one that is.
    fn largest(&mut self) -> Option<Sites> {
        let mut inside: Vec<Lit> = Vec::new();
        if self.solver.solve(&inside) != Answer::Satisfiable {
            return None;
        }
        for at in 0..self.sites.len() {
            inside.push(self.sites[at].1);
            if self.solver.solve(&inside) != Answer::Satisfiable {
                inside.pop();
            }
        }
        let has = |(site, lit): &(usize, Lit)| inside.contains(lit).then_some(*site);
        Some(self.sites.iter().filter_map(has).collect())
    }

    /// A set does not suffice: another one has something that it has not.
    fn lacks_something(&mut self, set: &Sites) {
        let others = self.sites.iter().filter(|(site, _)| !set.contains(site));
        let clause: Vec<Lit> = others.map(|(_, lit)| *lit).collect();
        self.solver.add_clause(&clause);
    }

    /// A set is a core: no other minimal one has all of it.
    fn is_known(&mut self, core: &Sites) {
        let own = self.sites.iter().filter(|(site, _)| core.contains(site));
        let clause: Vec<Lit> = own.map(|(_, lit)| !*lit).collect();
        self.solver.add_clause(&clause);
    }
}
