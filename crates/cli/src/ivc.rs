//! `proofmark ivc`: which elements of a model do its proofs need?

use crate::arguments::{Acceptable, Cores, Ivc, Printing};
use crate::check::outcome;
use crate::elements;
use crate::exit::Exit;
use crate::models::{Examination, Examined, Report, Scope};
use crate::session::{self, Asked, Opened, Session};
use crate::settings::Suppressions;
use crate::{audits, netlist_ivc, outputs, page, terminal};
use proofmark_lang::{Design, Languages};
use proofmark_model::Proof;
use proofmark_quality::{
    Analysis, CoreQuestion, Counts, Elements, FoundCore, OracleError, Request, Resources, Verified,
    analyze_units, joint_proof,
};
use proofmark_report::{
    CoreFinding, ElementFinding, Findings, Outcome, Properties, ivc_text, jkind_xml, lcov,
    matrix_csv, matrix_text, proofs_text,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

impl Examination for Ivc {
    fn printing(&self) -> &Printing {
        &self.printing
    }

    fn of_one_model(&self) -> Vec<(&'static str, bool)> {
        vec![("use-proof", self.proving.use_proof.is_some())]
    }

    fn prepare(&self) -> Result<(), Exit> {
        let named = [
            ("html", self.printing.html.as_ref()),
            ("csv", self.csv.as_ref()),
            ("lcov", self.lcov.as_ref()),
            ("jkind-xml", self.jkind_xml.as_ref()),
        ];
        outputs::check(&[&named[..], &self.exports.outputs()].concat())
    }

    fn examine(&self, _: &Suppressions, languages: Languages) -> Result<Examined, Exit> {
        examine(self, languages)
    }

    fn write(&self, report: &Report<'_>, _: Languages) -> Result<(), Exit> {
        let (findings, tolerance) = (report.findings, self.printing.tolerance(None));
        outputs::all([
            page::write(&self.printing, report),
            outputs::write(self.csv.as_ref(), || Ok(matrix_csv(findings))),
            outputs::write(self.lcov.as_ref(), || Ok(lcov(findings))),
            outputs::write(self.jkind_xml.as_ref(), || Ok(jkind_xml(findings))),
            self.exports.write(findings, &tolerance),
        ])
    }

    fn exit(&self, findings: &Findings, scope: Scope) -> Exit {
        match scope {
            Scope::All => Exit::Fine,
            Scope::Alone | Scope::OneOfSeveral => exit(self, findings),
        }
    }
}

/// Proves the properties, and looks for the cores of the proofs.
fn examine(arguments: &Ivc, languages: Languages) -> Result<Examined, Exit> {
    let opened = Opened::read(languages, &arguments.subject, &arguments.proving.solver)?;
    let loaded = match opened.load()? {
        Design::Netlist(netlist) => return netlist_ivc::examine(arguments, opened, &netlist),
        Design::Words(loaded) => loaded,
    };
    if arguments.gates {
        terminal::error("--gates is for netlists; the elements of this model are its equations");
        return Err(Exit::Usage);
    }
    let mut session = Session::new(opened, loaded, &arguments.subject, &arguments.proving)?;
    session.accept_unaudited = arguments.printing.accepts(Acceptable::Unaudited);
    let verified = session.verify(&Asked {
        quiet: arguments.printing.quiet,
        ..Asked::default()
    })?;
    let (model, grain) = (session.annotated(), arguments.cores.grain.into());
    let counted = match arguments.cores.keep_assertions {
        true => Elements::without_assumptions(&model, grain),
        false => Elements::of(&model, grain),
    };
    let mut elements = elements::findings(&session, &counted);
    let mut cores = Vec::new();
    let mut audited_by = Vec::new();
    let mut audit_time = Duration::ZERO;
    let subjects = match arguments.joint {
        true => Subject::together(&session, &verified),
        false => Subject::each(&session, &verified),
    };
    for subject in subjects {
        let analysis = subject.analyze(arguments, &session, &counted)?;
        audit_time += analysis.audit_time;
        audited_by.extend(analysis.audit.by.iter().cloned());
        cores.extend(subject.findings(&session, &counted, &mut elements, &analysis));
    }
    let properties = session.property_findings(&verified, session::shown(arguments.all_vars));
    let outcome = match outcome(&properties) {
        Outcome::Holds if cores.iter().any(is_open) => Outcome::Inconclusive,
        other => other,
    };
    let mut audit = session.audit_summary(&verified);
    if let Some(audit) = &mut audit {
        audit.seconds += audit_time.as_secs_f64();
        audited_by.retain(|one| !audit.by.contains(one));
        audited_by.dedup();
        audit.by.extend(audited_by);
    }
    let findings = Findings {
        audit,
        deadlock: session.deadlock(&verified),
        properties,
        elements,
        cores,
        ..session.findings("ivc", options(arguments), outcome)
    };
    let file = session.file();
    Ok(Examined {
        text: text(arguments, &findings),
        findings,
        page: None,
        model: Some((session.sources, file)),
        written: Ok(()),
    })
}

/// Properties whose cores are looked for as one, and their proof.
pub struct Subject {
    name: Properties,
    properties: Vec<usize>,
    proof: Proof,
}

impl Subject {
    /// Each property that was proved.
    pub fn each(session: &Session<'_>, verified: &Verified) -> Vec<Subject> {
        let each = verified.proved().map(|(at, proof)| Subject {
            name: Properties::One(session.system().properties()[at].name.clone()),
            properties: vec![at],
            proof: proof.clone(),
        });
        each.collect()
    }

    /// All properties that were proved, if any, as one.
    fn together(session: &Session<'_>, verified: &Verified) -> Vec<Subject> {
        let proved: Vec<(usize, &Proof)> = verified.proved().collect();
        if proved.is_empty() {
            return Vec::new();
        }
        let name = |at: usize| session.system().properties()[at].name.clone();
        let names = proved.iter().map(|(at, _)| name(*at)).collect();
        vec![Subject {
            name: Properties::Together(names),
            properties: proved.iter().map(|(at, _)| *at).collect(),
            proof: joint_proof(proved.iter().map(|(_, proof)| *proof)),
        }]
    }

    fn analyze(
        &self,
        arguments: &Ivc,
        session: &Session<'_>,
        elements: &Elements,
    ) -> Result<Analysis, Exit> {
        let names = &elements.names;
        let stream = arguments.cores.all && !arguments.printing.json && !arguments.printing.quiet;
        let mut count = 0;
        let mut found = |core: &FoundCore| {
            count += 1;
            if stream {
                let names: Vec<&str> = core
                    .units
                    .iter()
                    .map(|at| names[*at].name.as_str())
                    .collect();
                let line = format!("{}: core {count}: {}\n", self.name.key(), names.join(", "));
                // A closed pipe is reported when the findings are printed.
                let _ = session::print(&line);
            }
        };
        let question = self.question(session, elements, request(&arguments.cores));
        ask(
            session,
            &question,
            patience(session, &arguments.cores),
            &mut found,
        )
    }

    fn question<'q>(
        &'q self,
        session: &'q Session<'_>,
        elements: &'q Elements,
        request: Request,
    ) -> CoreQuestion<'q> {
        CoreQuestion {
            system: session.system(),
            properties: &self.properties,
            proof: &self.proof,
            units: &elements.units,
            request,
        }
    }

    /// A minimal core and what every core has, as far as that is known at the deadline.
    pub fn roles(
        &self,
        session: &Session<'_>,
        counted: &Elements,
        elements: &mut [ElementFinding],
        patience: Patience,
    ) -> Result<Vec<CoreFinding>, Exit> {
        let request = Request {
            minimal: true,
            must: true,
            ..Request::default()
        };
        let question = self.question(session, counted, request);
        let analysis = ask(session, &question, patience, &mut |_| ())?;
        Ok(self.findings(session, counted, elements, &analysis))
    }

    /// Tells the elements their roles, and returns the cores.
    fn findings(
        &self,
        session: &Session<'_>,
        counted: &Elements,
        elements: &mut [ElementFinding],
        analysis: &Analysis,
    ) -> Vec<CoreFinding> {
        let (system, key) = (session.system(), self.name.key());
        let roles = counted.roles(system, &self.properties, analysis);
        for (element, role) in elements.iter_mut().zip(roles) {
            element.role.insert(key.clone(), elements::role(role));
        }
        let ids = |units: &std::collections::BTreeSet<usize>| -> Vec<String> {
            units
                .iter()
                .map(|at| counted.names[*at].id.clone())
                .collect()
        };
        let count = analysis.cores.len().max(1) as f64;
        let cores = analysis.cores.iter().map(|core| CoreFinding {
            property: self.name.clone(),
            elements: ids(&core.units),
            minimal: core.is_minimal(),
            undecided: core.undecided.as_ref().map(ids).unwrap_or_default(),
            must_undecided: analysis
                .must
                .as_ref()
                .map(|must| ids(&must.1))
                .unwrap_or_default(),
            complete: analysis.complete,
            smallest: analysis.smallest,
            vacuous: counted
                .vacuous(&session.annotated(), &self.properties, core)
                .map(String::from),
            audit: audits::mark(analysis.audit.passed()),
            unaudited: (!analysis.audit.open.is_empty()).then(|| analysis.audit.open.join("; ")),
            decided: decided(&analysis.counts),
            seconds: analysis.time.as_secs_f64() / count,
        });
        cores.collect()
    }
}

fn decided(counts: &Counts) -> BTreeMap<String, u64> {
    let counts = [
        ("known", counts.known),
        ("proof", counts.proof),
        ("run", counts.run),
        ("filtered", counts.filtered),
        ("engines", counts.engines),
        ("unknown", counts.unknown),
        ("queries", counts.queries),
    ];
    let named = counts.map(|(name, count)| (name.to_string(), count));
    BTreeMap::from(named)
}

/// Which cores the command line asks for.
pub fn request(cores: &Cores) -> Request {
    Request {
        minimal: cores.minimal,
        brute_force: cores.brute_force,
        all: cores.all,
        limit: cores.limit.map(|limit| limit as usize),
        must: cores.must,
        smallest: cores.smallest,
    }
}

/// How long the command line lets the search for cores take.
pub fn patience(session: &Session<'_>, cores: &Cores) -> Patience {
    Patience {
        budget: Duration::from_secs_f64(cores.budget),
        deadline: session.deadline(),
    }
}

/// How long an analysis may take.
#[derive(Clone, Copy)]
pub struct Patience {
    /// For the engines, each time that something is put to them.
    pub budget: Duration,
    /// When all of it has to be done.
    pub deadline: Option<Instant>,
}

/// Looks for cores; what goes wrong has been printed.
pub fn ask(
    session: &Session<'_>,
    question: &CoreQuestion<'_>,
    patience: Patience,
    found: &mut dyn FnMut(&FoundCore),
) -> Result<Analysis, Exit> {
    let open = || session.open_solver();
    let open_auditor = || session.open_stoppable_auditor();
    let engines = session.engines();
    let resources = Resources {
        open: &open,
        engines: &engines,
        jobs: session.jobs(),
        budget: patience.budget,
        deadline: patience.deadline,
        interrupt: &session.interrupt,
    };
    let auditor = session.auditor(&open_auditor);
    let analysis = analyze_units(question, resources, auditor, found);
    let analysis = analysis.map_err(|error| report_oracle_error(session, &error))?;
    warn_unaudited(&analysis.audit.open);
    Ok(analysis)
}

/// Tells why cores are not audited.
pub fn warn_unaudited(reasons: &[String]) {
    for why in reasons {
        terminal::warning(&format!("a core is not audited: {why}"));
    }
}

/// Says why an analysis has no result.
pub fn report_oracle_error(session: &Session<'_>, error: &OracleError) -> Exit {
    match error {
        OracleError::Solve(error) => session.fail_solver(error),
        other => {
            terminal::error(&other.to_string());
            Exit::Internal
        }
    }
}

/// Whether something that was asked about a core stayed open, or it is worth nothing.
pub fn is_open(core: &CoreFinding) -> bool {
    core.vacuous.is_some()
        || !core.undecided.is_empty()
        || !core.must_undecided.is_empty()
        || core.complete == Some(false)
        || core.smallest == Some(false)
        || core.unaudited.is_some()
}

pub fn options(arguments: &Ivc) -> BTreeMap<&'static str, serde_json::Value> {
    let cores = &arguments.cores;
    BTreeMap::from([
        ("minimal", cores.minimal.into()),
        ("brute_force", cores.brute_force.into()),
        ("all", cores.all.into()),
        ("limit", cores.limit.into()),
        ("must", cores.must.into()),
        ("smallest", cores.smallest.into()),
        ("joint", arguments.joint.into()),
        ("budget", cores.budget.into()),
        ("keep_assertions", cores.keep_assertions.into()),
        ("grain", format!("{:?}", cores.grain).to_lowercase().into()),
    ])
}

/// What was found, for people.
pub fn text(arguments: &Ivc, findings: &Findings) -> String {
    let streamed = arguments.cores.all && !arguments.printing.quiet;
    let style = session::style(&arguments.printing);
    let detail = session::detail(arguments.verbose);
    let mut text = ivc_text(findings, &style, detail, streamed);
    if arguments.verbose {
        text.push_str(&proofs_text(findings));
    }
    if arguments.matrix {
        text.push_str(&matrix_text(findings));
    }
    text
}

fn exit(arguments: &Ivc, findings: &Findings) -> Exit {
    use proofmark_report::PropertyVerdict;
    let accepts = |what| arguments.printing.accepts(what);
    let properties = &findings.properties;
    let has = |verdict| properties.iter().any(|one| one.verdict == verdict);
    let vacuous = findings.cores.iter().any(|core| core.vacuous.is_some());
    let undecided = |core: &CoreFinding| {
        let core = CoreFinding {
            unaudited: core
                .unaudited
                .clone()
                .filter(|_| !accepts(Acceptable::Unaudited)),
            ..core.clone()
        };
        core.vacuous.is_none() && is_open(&core)
    };
    let unknown = has(PropertyVerdict::Unknown) || findings.cores.iter().any(undecided);
    if has(PropertyVerdict::Invalid) {
        Exit::Found
    } else if properties.is_empty()
        || (unknown && !accepts(Acceptable::Unknown))
        || ((vacuous || has(PropertyVerdict::Vacuous)) && !accepts(Acceptable::Vacuous))
    {
        Exit::Inconclusive
    } else {
        Exit::Fine
    }
}
