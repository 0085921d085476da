//! `proofmark mutate` on a netlist: which faults in gates and registers does no property notice?
//!
//! The findings are those of every campaign, so that journals, parts, scores and reports are the same; what a
//! mutation is, is different. A gate has no text: a mutant is told by the name of its node.

use crate::arguments::Mutate;
use crate::ending;
use crate::exit::Exit;
use crate::glob::matches;
use crate::journal::Journal;
use crate::models::Examined;
use crate::session::{self, Opened};
use crate::settings::Suppressions;
use crate::{audits, cover, listing, recheck, terminal};
use proofmark_engine::EngineName;
use proofmark_engine::bits::BitLimits;
use proofmark_model::graph::{Criteria, Criterion, CutSites, NamedSignal, Netlist, Signal};
use proofmark_quality::Audited;
use proofmark_quality::cover::Cut;
use proofmark_quality::faults::{
    DecidedFault, FAULTS, FaultCampaign, FaultComparison, FaultDifference, FaultFate,
    FaultProperty, FaultQuestion, decide_faults, fault_name, fault_sites, faulty_nodes,
};
use proofmark_report::{
    AuditSummary, ElementFinding, Findings, MutantFinding, MutantVerdict, Origin, OutputFinding,
    PropertyFinding, PropertyVerdict, Score, Shard, ShownSpan, ShownTrace, list_text, mutant_text,
};
use proofmark_source::nearest;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The faults that a list of names stands for: those of Yosys, and the free value.
pub fn selection(text: &str) -> Result<Criteria, String> {
    let named = |name: &str| -> Result<Criteria, String> {
        if let "all" | "default" = name {
            return Ok(all_faults());
        }
        let known = FAULTS.iter().find(|(known, _)| *known == name);
        let fault = known.map(|(_, criterion)| Criteria::NONE.with(*criterion));
        fault.ok_or_else(|| {
            let names = FAULTS.map(|(name, _)| name);
            let hint = match nearest(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", names.join(", ")),
            };
            format!("netlists have no fault `{name}`; {hint}")
        })
    };
    let text = text.trim();
    let mut chosen = match text.starts_with(['+', '-']) {
        true => all_faults(),
        false => Criteria::NONE,
    };
    for item in text.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        let (name, adds) = match item.strip_prefix('-') {
            Some(name) => (name, false),
            None => (item.strip_prefix('+').unwrap_or(item), true),
        };
        let meant = named(name)?;
        for criterion in Criterion::ALL.into_iter().filter(|one| meant.has(*one)) {
            chosen = match adds {
                true => chosen.with(criterion),
                false => chosen.without(criterion),
            };
        }
    }
    match chosen.is_empty() {
        true => Err("no fault is selected".into()),
        false => Ok(chosen),
    }
}

fn all_faults() -> Criteria {
    Criterion::ALL
        .into_iter()
        .fold(Criteria::NONE, Criteria::with)
}

/// Makes the faults of a netlist and decides them.
pub fn examine(
    arguments: &Mutate,
    suppressions: &Suppressions,
    opened: Opened,
    netlist: Netlist,
) -> Result<Examined, Exit> {
    refuse(arguments)?;
    let selection = selection(&arguments.mutators).map_err(|error| {
        terminal::error(&format!("--mutators: {error}"));
        Exit::Usage
    })?;
    let netlist = observed(arguments, netlist)?;
    let nodes = faulty_nodes(&netlist);
    let mut elements = cover::netlist_elements(&opened, &netlist, &nodes);
    for (element, node) in elements.iter_mut().zip(&nodes) {
        element.text = netlist.definition(*node);
    }
    let run = FaultRun {
        arguments,
        opened: &opened,
        netlist: &netlist,
        elements,
        sites: fault_sites(&netlist, &nodes),
        nodes,
    };
    let (findings, text) = run.examine(selection, suppressions)?;
    let file = opened.sources.file(opened.file);
    let is_text = std::str::from_utf8(file.bytes()).is_ok();
    Ok(Examined {
        findings,
        page: None,
        text,
        model: is_text.then_some((opened.sources, opened.file)),
        written: Ok(()),
    })
}

/// Options that say nothing about a netlist are refused, so that nobody waits for their effect.
fn refuse(arguments: &Mutate) -> Result<(), Exit> {
    let proving = &arguments.proving;
    let options = [
        ("--patch", arguments.patch.is_some(), "a gate has no text"),
        (
            "--line",
            !arguments.line.is_empty(),
            "a gate has no line; --mutant takes patterns",
        ),
        (
            "--in-diff",
            arguments.in_diff.is_some(),
            "a gate has no line",
        ),
        (
            "--in-core",
            arguments.in_core,
            "what is in no core costs next to nothing here",
        ),
        ("--witness", arguments.witness, "a netlist has no branches"),
        (
            "--matrix",
            arguments.matrix,
            "the first property that notices is told",
        ),
        (
            "--csv",
            arguments.csv.is_some(),
            "the first property that notices is told",
        ),
        (
            "--reuse",
            arguments.reuse.is_some(),
            "evidence of bits is not carried over; --resume goes on",
        ),
        (
            "--use-proof",
            proving.use_proof.is_some(),
            "proofs of words are not used on bits",
        ),
        (
            "--no-audit",
            proving.no_audit,
            "everything is audited, always",
        ),
        (
            "--audit-solver",
            proving.audit_solver.is_some(),
            "the LRAT checker audits, always",
        ),
    ];
    match options.iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((option, _, why)) => {
            terminal::error(&format!(
                "{option} does not work on netlists: {why}; leave it out"
            ));
            Err(Exit::Usage)
        }
    }
}

/// The netlist whose outputs are what is observed: those that are no properties, or what the user names.
fn observed(arguments: &Mutate, mut netlist: Netlist) -> Result<Netlist, Exit> {
    let outputs = std::mem::take(&mut netlist.outputs);
    let is_bad = |signal: Signal| netlist.bads.iter().any(|bad| bad.signal == signal);
    if arguments.observe.is_empty() {
        let shown = outputs.into_iter().filter(|one| !is_bad(one.signal));
        netlist.outputs = shown.collect();
        return Ok(netlist);
    }
    let latches = netlist.latches.iter().map(|latch| latch.node);
    let gates = netlist.graph.and_gates().map(|(gate, _)| gate);
    let nodes = latches.chain(gates).map(|node| NamedSignal {
        name: netlist.name(node),
        signal: Signal::of(node),
        origin: netlist.origin(node),
    });
    let mut known: BTreeMap<String, NamedSignal> = BTreeMap::new();
    for one in nodes.chain(outputs) {
        known.insert(one.name.clone(), one);
    }
    for name in &arguments.observe {
        let Some(one) = known.get(name) else {
            let near = nearest(name, known.keys().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?"));
            let hint = hint.unwrap_or_default();
            terminal::error(&format!(
                "--observe: the netlist has no output, register or gate `{name}`{hint}"
            ));
            return Err(Exit::Usage);
        };
        netlist.outputs.push(one.clone());
    }
    Ok(netlist)
}

/// A campaign on a netlist.
struct FaultRun<'a> {
    arguments: &'a Mutate,
    opened: &'a Opened,
    netlist: &'a Netlist,
    nodes: Vec<u32>,
    elements: Vec<ElementFinding>,
    sites: CutSites,
}

impl FaultRun<'_> {
    fn examine(
        &self,
        selection: Criteria,
        suppressions: &Suppressions,
    ) -> Result<(Findings, String), Exit> {
        let asked = self.asked();
        let mut cuts = self.cuts(selection)?;
        let ids = |cuts: &[Cut]| {
            cuts.iter()
                .map(|cut| self.id(*cut))
                .collect::<Vec<String>>()
        };
        if self.arguments.list {
            if let Some(part) = self.arguments.shard {
                let ours = part.of(&ids(&cuts)).positions.into_iter();
                cuts = ours.map(|at| cuts[at]).collect();
            }
            return Ok(self.list(asked, &cuts));
        }
        if !suppressions.list.is_empty() {
            suppressions.check(&ids(&self.cuts(all_faults())?).into_iter().collect())?;
        }
        let names: Vec<&str> = self
            .netlist
            .bads
            .iter()
            .map(|bad| bad.name.as_str())
            .collect();
        let bads = session::choose(&self.arguments.subject, &names)?;
        let mut journal = match &self.arguments.run_dir {
            Some(folder) => Journal::open(folder, self.arguments.resume, &asked)?,
            None => Journal::default(),
        };
        let chosen: Vec<&str> = bads.iter().map(|bad| names[*bad]).collect();
        let all = ids(&cuts);
        journal.begin(&chosen, &all)?;
        let shard = self.arguments.shard.map(|part| part.of(&all));
        if let Some(shard) = &shard {
            cuts = shard.positions.iter().map(|at| cuts[*at]).collect();
        }
        let (campaign, mut mutants) = self.decide(&cuts, bads, journal)?;
        suppressions.apply(&mut mutants);
        let findings = self.findings(asked, &campaign, mutants, shard);
        let text = self.text(&findings);
        Ok((findings, text))
    }

    /// A campaign in short, or the mutants that are named in full; nothing where a document is printed.
    fn text(&self, findings: &Findings) -> String {
        let printing = &self.arguments.printing;
        if printing.json {
            return String::new();
        }
        let in_full = self.arguments.is_about_named() && !printing.quiet;
        match in_full && !findings.mutants.is_empty() {
            true => {
                let style = session::style(printing);
                let mutants = findings.mutants.iter();
                let texts = mutants.map(|one| mutant_text(one, None, &style));
                texts.collect::<Vec<_>>().join("\n")
            }
            false => ending::text(printing, self.arguments.verbose, findings),
        }
    }

    /// The findings before anything is found: what is asked.
    fn asked(&self) -> Findings {
        let arguments = self.arguments;
        let proving = &arguments.proving;
        let mut options = session::options_of(&arguments.subject, proving, &self.engines());
        options.extend([
            ("mutators", arguments.mutators.clone().into()),
            ("mutant", arguments.mutant.clone().into()),
            ("equivalence", (!arguments.no_equivalence).into()),
            ("budget", arguments.budget.into()),
            ("observe", arguments.observe.clone().into()),
            ("shard", arguments.shard.map(|part| part.to_string()).into()),
        ]);
        let file = self.opened.sources.file(self.opened.file);
        session::blank_findings("mutate", file, &proving.solver, options)
    }

    fn engines(&self) -> Vec<EngineName> {
        match self.arguments.proving.engines.is_empty() {
            true => EngineName::BITS.to_vec(),
            false => self.arguments.proving.engines.clone(),
        }
    }

    fn id(&self, cut: Cut) -> String {
        format!(
            "{}#{}#1",
            self.elements[cut.site].id,
            fault_name(cut.criterion)
        )
    }

    /// The faults that are asked for. A pattern that names none is told.
    fn cuts(&self, selection: Criteria) -> Result<Vec<Cut>, Exit> {
        let sites = 0..self.nodes.len();
        let all = sites.flat_map(|site| {
            let wanted = FAULTS.iter().filter(|(_, one)| selection.has(*one));
            wanted.map(move |(_, criterion)| Cut {
                site,
                criterion: *criterion,
            })
        });
        let all: Vec<Cut> = all.collect();
        let patterns = &self.arguments.mutant;
        if patterns.is_empty() {
            return Ok(all);
        }
        let ids: BTreeSet<String> = all.iter().map(|cut| self.id(*cut)).collect();
        listing::check_patterns(patterns, &ids)?;
        let is_named = |cut: &Cut| {
            let id = self.id(*cut);
            patterns.iter().any(|pattern| matches(pattern, &id))
        };
        Ok(all.into_iter().filter(is_named).collect())
    }

    fn list(&self, asked: Findings, cuts: &[Cut]) -> (Findings, String) {
        let listed = cuts.iter().map(|cut| MutantFinding {
            reason: Some("listed, not decided".into()),
            ..self.undecided(*cut)
        });
        let mut findings = Findings {
            mutants: listed.collect(),
            seconds: self.opened.begin.elapsed().as_secs_f64(),
            ..asked
        };
        findings.options.insert("list".into(), true.into());
        let text = list_text(&findings);
        (findings, text)
    }

    /// Decides what the journal does not know.
    fn decide(
        &self,
        cuts: &[Cut],
        bads: Vec<usize>,
        journal: Journal,
    ) -> Result<(FaultCampaign, Vec<MutantFinding>), Exit> {
        let proving = &self.arguments.proving;
        let mut wanted = vec![Criteria::NONE; self.nodes.len()];
        let mut survives = FxHashSet::default();
        let mut known: FxHashMap<Cut, MutantFinding> = FxHashMap::default();
        let rechecked = recheck::choose(self.arguments.recheck, &journal);
        for cut in cuts {
            let id = self.id(*cut);
            let again = rechecked.contains(&id);
            match journal.decided(&id).filter(|_| !again) {
                Some(finding) => drop(known.insert(*cut, recheck::unshown(finding.clone()))),
                None => wanted[cut.site] = wanted[cut.site].with(cut.criterion),
            }
            if journal.survives(&id).is_some() && !again {
                survives.insert(*cut);
            }
        }
        let compares = !self.arguments.no_equivalence && !self.netlist.outputs.is_empty();
        if self.netlist.outputs.is_empty() && !self.arguments.no_equivalence {
            terminal::warning(
                "the netlist has no outputs but properties, so that nothing tells what else a survivor does: \
                 it is NOT OBSERVED and counts as not noticed; name what matters with `--observe`",
            );
        }
        self.opened.started.store(true, Ordering::SeqCst);
        let keeper = RefCell::new((journal, Ok(())));
        let listener = |cut: Cut, decided: &DecidedFault| {
            let (journal, written) = &mut *keeper.borrow_mut();
            let is_wanted = wanted[cut.site].has(cut.criterion);
            if is_wanted && written.is_ok() && journal.is_kept() {
                *written = self.record(journal, cut, decided, compares);
                if written.is_err() {
                    self.opened.interrupt.set();
                }
            }
        };
        let question = FaultQuestion {
            netlist: self.netlist,
            sites: &self.sites,
            wanted: wanted.clone(),
            bads,
            limits: BitLimits {
                engines: self.engines(),
                jobs: proving.jobs.into(),
                time: proving.timeout.map(Duration::from_secs_f64),
                interrupt: self.opened.interrupt.clone(),
            },
            audit: Duration::from_secs_f64(proving.audit_time),
            budget: Duration::from_secs_f64(self.arguments.budget),
            compares,
            survives,
            listener: &listener,
        };
        let campaign = decide_faults(&question).map_err(|error| {
            terminal::error(&error.to_string());
            Exit::Internal
        })?;
        let (journal, written) = keeper.into_inner();
        written?;
        let mutants = cuts.iter().filter_map(|cut| {
            let decided = || Some(self.finding(*cut, campaign.decided.get(cut)?, &journal));
            known.get(cut).cloned().or_else(decided)
        });
        let mutants = mutants.collect();
        Ok((campaign, mutants))
    }

    /// Writes what is known of a fault. What is open may come to more with more time.
    fn record(
        &self,
        journal: &mut Journal,
        cut: Cut,
        decided: &DecidedFault,
        compares: bool,
    ) -> Result<(), Exit> {
        let finding = self.finding(cut, decided, journal);
        match &decided.fate {
            FaultFate::Survived {
                comparison: None, ..
            } if compares => match journal.survives(&finding.id) {
                Some(_) => Ok(()),
                None => journal.write_survivor(&finding),
            },
            FaultFate::Unknown
            | FaultFate::Survived {
                comparison: Some(FaultComparison::Unknown),
                ..
            } => Ok(()),
            _ => journal.write(&finding),
        }
    }

    /// What is known of a fault before anything is decided.
    fn undecided(&self, cut: Cut) -> MutantFinding {
        let element = &self.elements[cut.site];
        let node = self.nodes[cut.site];
        let name = fault_name(cut.criterion);
        let (original, replacement) = self.change(cut);
        let origin = self.netlist.origin(node).location;
        let origin = match (origin, &element.origin) {
            (Some(location), _) => Origin::new(location, &self.opened.sources),
            (None, Some(origin)) => origin.clone(),
            (None, None) => Origin::Name {
                name: element.name.clone(),
                index: node,
            },
        };
        MutantFinding {
            mutator: name.into(),
            label: name.into(),
            element: element.id.clone(),
            node: format!("{}s", element.category),
            original,
            replacement,
            ..MutantFinding::undecided(self.id(cut), origin)
        }
    }

    /// What readers see before and after.
    fn change(&self, cut: Cut) -> (String, String) {
        let node = self.nodes[cut.site];
        let name = |signal: Signal| self.netlist.clause(&[signal]);
        let given = self.netlist.given(node);
        let partner = self.sites.partner(node).map(name).unwrap_or_default();
        let whole = match given.contains(' ') {
            true => format!("({given})"),
            false => given.clone(),
        };
        let after = match cut.criterion {
            Criterion::Nondet => "any value".into(),
            Criterion::Zero => "0".into(),
            Criterion::One => "1".into(),
            Criterion::Inverted => format!("!{whole}"),
            Criterion::Xor => format!("{whole} ^ {partner}"),
            Criterion::Xnor => format!("!({whole} ^ {partner})"),
        };
        (given, after)
    }

    fn finding(&self, cut: Cut, decided: &DecidedFault, journal: &Journal) -> MutantFinding {
        let mut finding = self.undecided(cut);
        let known = journal.survives(&finding.id);
        let test = decided.by.map(|test| test.as_str().to_string());
        finding.decided_by = test
            .or_else(|| known.map(|one| one.decided_by.clone()))
            .unwrap_or_default();
        finding.seconds = decided.cost.as_secs_f64();
        let passed = |by: &str| {
            let by = vec![by.to_string()];
            Some(audits::write(&Audited::Passed { by }))
        };
        let shown = session::shown(self.arguments.all_vars);
        match &decided.fate {
            FaultFate::Killed { bad, trace } => {
                finding.verdict = MutantVerdict::Killed;
                finding.killed_by = vec![self.netlist.bads[*bad].name.clone()];
                finding.step = Some(trace.inputs.len().saturating_sub(1) as u32);
                let faulty = self.sites.cut(self.netlist, &[cut.site], cut.criterion);
                let faulty = cover::with_cut_names(faulty, self.netlist, &[self.nodes[cut.site]]);
                finding.trace = Some(ShownTrace::of_netlist(&faulty, trace, *bad, shown));
                finding.audit = passed("simulator");
            }
            FaultFate::Vacuous { why } => {
                finding.verdict = MutantVerdict::Vacuous;
                finding.reason = Some(why.clone());
            }
            FaultFate::Unknown => finding.reason = Some("not decided in time".into()),
            FaultFate::Survived { comparison, proof } => {
                finding.audit = passed("lrat checker");
                let clauses = proof.as_ref().map(|proof| {
                    let clauses = proof.clauses.iter();
                    let clauses: Vec<String> =
                        clauses.map(|clause| self.netlist.clause(clause)).collect();
                    serde_json::json!({ "k": proof.k, "invariants": clauses })
                });
                finding.certificate = clauses.or_else(|| known?.certificate.clone());
                match comparison {
                    None if self.netlist.outputs.is_empty() => {
                        finding.verdict = MutantVerdict::NotObserved;
                    }
                    None => finding.verdict = MutantVerdict::Survived,
                    Some(FaultComparison::Equivalent) => {
                        finding.verdict = MutantVerdict::Equivalent;
                    }
                    Some(FaultComparison::Unknown) => {
                        finding.verdict = MutantVerdict::Survived;
                        finding.reason =
                            Some("not known whether it is equivalent: not decided in time".into());
                    }
                    Some(FaultComparison::Different(difference)) => {
                        self.gap(cut, difference, &mut finding);
                    }
                }
            }
        }
        finding
    }

    /// Shows a gap by two runs with the same inputs.
    fn gap(&self, cut: Cut, difference: &FaultDifference, finding: &mut MutantFinding) {
        let outputs = &self.netlist.outputs;
        finding.verdict = MutantVerdict::Gap;
        finding.step = Some(difference.step as u32);
        let names = difference
            .outputs
            .iter()
            .map(|at| outputs[*at].name.clone());
        finding.differs = names.collect();
        if finding.differs.is_empty() {
            finding.differs.push("whether the run is accepted".into());
        }
        let faulty = self.sites.cut(self.netlist, &[cut.site], cut.criterion);
        let faulty = cover::with_cut_names(faulty, self.netlist, &[self.nodes[cut.site]]);
        let shown = session::shown(self.arguments.all_vars);
        let pairs = [
            (self.netlist, &difference.original),
            (&faulty, &difference.faulty),
        ];
        let [original, mutant] =
            pairs.map(|(netlist, run)| ShownTrace::of_outputs(netlist, run, shown));
        finding.original_trace = Some(original);
        finding.trace = Some(mutant);
    }

    fn findings(
        &self,
        asked: Findings,
        campaign: &FaultCampaign,
        mutants: Vec<MutantFinding>,
        shard: Option<Shard>,
    ) -> Findings {
        let properties: Vec<PropertyFinding> = campaign
            .properties
            .iter()
            .map(|one| self.property(one))
            .collect();
        let is_proved = |one: &PropertyFinding| one.verdict == PropertyVerdict::Valid;
        if !properties.iter().any(is_proved) {
            terminal::warning(
                "no property was proved, so there is nothing that could notice a fault",
            );
        }
        let faulty: FxHashSet<&str> = mutants.iter().map(|one| one.element.as_str()).collect();
        let elements = self
            .elements
            .iter()
            .filter(|one| faulty.contains(one.id.as_str()));
        Findings {
            outcome: ending::outcome(&properties, &mutants, &[]),
            audit: Some(AuditSummary {
                by: vec!["lrat checker".into(), "simulator".into()],
                differs: Some(
                    "every run is replayed on the faulty netlist, and a checker that knows no solver \
                     follows every step of every answer that a proof rests on"
                        .into(),
                ),
                seconds: campaign.audit_time.as_secs_f64(),
            }),
            properties,
            elements: elements.cloned().collect(),
            outputs: OutputFinding::of(&mutants),
            score: (!mutants.is_empty()).then(|| Score::of(&mutants)),
            shard,
            mutants,
            seconds: self.opened.begin.elapsed().as_secs_f64(),
            ..asked
        }
    }

    fn property(&self, one: &FaultProperty) -> PropertyFinding {
        let bad = &self.netlist.bads[one.bad];
        let span = bad.origin.span();
        let origin = span.map(|span| ShownSpan::new(span, &self.opened.sources));
        let mut finding = PropertyFinding {
            audit: audits::mark(one.audited),
            seconds: one.time.as_secs_f64(),
            ..PropertyFinding::new(&bad.name, origin)
        };
        cover::tell_verdict(self.netlist, one.bad, &one.verdict, &mut finding);
        finding
    }
}
