//! `proofmark ivc` on a netlist: which registers and gates do its proofs need?

use crate::arguments::Ivc;
use crate::check::outcome;
use crate::exit::Exit;
use crate::models::Examined;
use crate::session::{self, Opened};
use crate::{audits, cover, ivc, terminal};
use proofmark_engine::EngineName;
use proofmark_engine::bits::BitLimits;
use proofmark_model::graph::{CutPlace, CutSites, Netlist};
use proofmark_quality::NetlistVerdict;
use proofmark_quality::cover::{NetlistCore, NetlistCoreQuestion, NetlistCores, netlist_cores};
use proofmark_report::{
    AuditSummary, CoreFinding, CoreRole, ElementFinding, Findings, Outcome, Properties,
    PropertyFinding, ShownSpan,
};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Proves the bad signals, and looks for the cores of the proofs.
pub fn examine(arguments: &Ivc, opened: Opened, netlist: &Netlist) -> Result<Examined, Exit> {
    refuse(arguments)?;
    let names: Vec<&str> = netlist.bads.iter().map(|bad| bad.name.as_str()).collect();
    let bads = session::choose(&arguments.subject, &names)?;
    let mut nodes: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
    if arguments.gates {
        nodes.extend(netlist.graph.and_gates().map(|(gate, _)| gate));
    }
    let mut elements = cover::netlist_elements(&opened, netlist, &nodes);
    for (element, node) in elements.iter_mut().zip(&nodes) {
        element.text = netlist.definition(*node);
    }
    let groups = nodes.into_iter().map(|node| vec![node]).collect();
    let sites = CutSites::new(netlist, CutPlace::Next, groups);
    opened.started.store(true, Ordering::SeqCst);
    let (mut properties, mut cores, mut audit_time) = (Vec::new(), Vec::new(), Duration::ZERO);
    for (at, &bad) in bads.iter().enumerate() {
        let asked = question(arguments, &opened, netlist, (&sites, bad), bads.len() - at);
        let found = netlist_cores(&asked).map_err(|error| {
            terminal::error(&error.to_string());
            Exit::Internal
        })?;
        audit_time += found.audit_time;
        properties.push(property(&opened, netlist, bad, &found));
        cores.extend(told(&netlist.bads[bad].name, &found, &mut elements));
    }
    let found = match outcome(&properties) {
        Outcome::Holds if cores.iter().any(ivc::is_open) => Outcome::Inconclusive,
        other => other,
    };
    let proving = &arguments.proving;
    let mut options = session::options_of(&arguments.subject, proving, &engines(arguments));
    options.extend(ivc::options(arguments));
    options.insert("gates", arguments.gates.into());
    let file = opened.sources.file(opened.file);
    let findings = Findings {
        outcome: found,
        audit: Some(AuditSummary {
            by: vec!["lrat checker".into(), "simulator".into()],
            differs: Some(
                "each core is encoded anew as the netlist that it is, and a checker that knows no solver \
                 follows every step of every answer"
                    .into(),
            ),
            seconds: audit_time.as_secs_f64(),
        }),
        properties,
        elements,
        cores,
        seconds: opened.begin.elapsed().as_secs_f64(),
        ..session::blank_findings("ivc", file, &proving.solver, options)
    };
    let is_text = std::str::from_utf8(file.bytes()).is_ok();
    Ok(Examined {
        text: ivc::text(arguments, &findings),
        findings,
        page: None,
        model: is_text.then_some((opened.sources, opened.file)),
        written: Ok(()),
    })
}

/// Options that say nothing about a netlist are refused, so that nobody waits for their effect.
fn refuse(arguments: &Ivc) -> Result<(), Exit> {
    let (proving, cores) = (&arguments.proving, &arguments.cores);
    let audits = "every core is audited by the LRAT checker, always";
    let options = [
        (
            "--joint",
            arguments.joint,
            "a netlist has cores of single properties",
        ),
        (
            "--brute-force",
            cores.brute_force,
            "nothing of a netlist is proved from scratch",
        ),
        (
            "--use-proof",
            proving.use_proof.is_some(),
            "proofs of words are not used on bits",
        ),
        ("--no-audit", proving.no_audit, audits),
        ("--audit-solver", proving.audit_solver.is_some(), audits),
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

fn engines(arguments: &Ivc) -> Vec<EngineName> {
    match arguments.proving.engines.is_empty() {
        true => EngineName::BITS.to_vec(),
        false => arguments.proving.engines.clone(),
    }
}

fn question<'q>(
    arguments: &Ivc,
    opened: &Opened,
    netlist: &'q Netlist,
    (sites, bad): (&'q CutSites, usize),
    rest: usize,
) -> NetlistCoreQuestion<'q> {
    let proving = &arguments.proving;
    let left = |seconds: f64| {
        let time = Duration::from_secs_f64(seconds);
        time.saturating_sub(opened.begin.elapsed()) / rest as u32
    };
    NetlistCoreQuestion {
        netlist,
        sites,
        bad,
        limits: BitLimits {
            engines: engines(arguments),
            jobs: proving.jobs.into(),
            time: proving.timeout.map(left),
            interrupt: opened.interrupt.clone(),
        },
        audit: Duration::from_secs_f64(proving.audit_time),
        budget: Duration::from_secs_f64(arguments.cores.budget),
        request: ivc::request(&arguments.cores),
    }
}

fn property(
    opened: &Opened,
    netlist: &Netlist,
    bad: usize,
    found: &NetlistCores,
) -> PropertyFinding {
    let span = netlist.bads[bad].origin.span();
    let origin = span.map(|span| ShownSpan::new(span, &opened.sources));
    // A core that passes its audit is a proof that does.
    let audited = found.cores.iter().any(|core| core.audited);
    let mut finding = PropertyFinding {
        audit: audits::mark(audited),
        seconds: found.proof_time.as_secs_f64(),
        ..PropertyFinding::new(&netlist.bads[bad].name, origin)
    };
    cover::tell_verdict(netlist, bad, &found.verdict, &mut finding);
    if let NetlistVerdict::Valid { proof, .. } = &found.verdict {
        let clauses = proof.clauses.iter();
        finding.invariants = clauses.map(|clause| netlist.clause(clause)).collect();
    }
    finding
}

/// Tells the elements their roles, and returns the cores.
fn told(name: &str, found: &NetlistCores, elements: &mut [ElementFinding]) -> Vec<CoreFinding> {
    for (site, element) in elements.iter_mut().enumerate() {
        if let Some(role) = role(site, found) {
            element.role.insert(name.into(), role);
        }
    }
    let ids = |sites: &BTreeSet<usize>| -> Vec<String> {
        sites
            .iter()
            .map(|site| elements[*site].id.clone())
            .collect()
    };
    let count = found.cores.len().max(1) as f64;
    let decided = found.decided.iter();
    let decided = decided.map(|(name, count)| (name.to_string(), *count));
    let decided: std::collections::BTreeMap<String, u64> = decided.collect();
    let finding = |core: &NetlistCore| CoreFinding {
        property: Properties::One(name.into()),
        elements: ids(&core.sites),
        minimal: core.undecided.as_ref().map(|open| open.is_empty()),
        undecided: core.undecided.as_ref().map(ids).unwrap_or_default(),
        must_undecided: found
            .must
            .as_ref()
            .map(|must| ids(&must.1))
            .unwrap_or_default(),
        complete: found.complete,
        smallest: None,
        vacuous: None,
        audit: audits::mark(core.audited),
        unaudited: (!core.audited).then(|| "no answer in time".into()),
        decided: decided.clone(),
        seconds: found.time.as_secs_f64() / count,
    };
    found.cores.iter().map(finding).collect()
}

/// What an element is to the proofs of a property.
fn role(site: usize, found: &NetlistCores) -> Option<CoreRole> {
    if found.cores.is_empty() {
        return None;
    }
    let must = found
        .must
        .as_ref()
        .is_some_and(|must| must.0.contains(&site));
    let used = found.cores.iter().any(|core| core.sites.contains(&site));
    Some(match found.outside.contains(&site) {
        true => CoreRole::Outside,
        false if must => CoreRole::Must,
        false if used && found.complete == Some(true) => CoreRole::May,
        false if used => CoreRole::Used,
        false => CoreRole::Unused,
    })
}
