//! `proofmark check`: proves or refutes the properties of a model.

use crate::arguments::{Acceptable, Check, Printing};
use crate::exit::Exit;
use crate::models::{Examination, Examined, Report, Scope};
use crate::session::{self, Opened, Session};
use crate::settings::Suppressions;
use crate::{advice, certificates, interrupt, netlist, outputs, page, programs, runs, terminal};
use proofmark_audit::{Certified, write_certificate};
use proofmark_lang::{Design, Languages, Loaded};
use proofmark_quality::{Smoothing, Verified};
use proofmark_report::{
    Findings, Outcome, PropertyFinding, PropertyVerdict, check_text, jkind_xml, proofs_text,
};
use std::collections::BTreeMap;

impl Examination for Check {
    fn printing(&self) -> &Printing {
        &self.printing
    }

    fn of_one_model(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("certificate", self.certificate.is_some()),
            ("save-proof", self.save_proof.is_some()),
            ("use-proof", self.proving.use_proof.is_some()),
            ("trace", self.trace.is_some()),
            ("export-test", self.export_test.is_some()),
        ]
    }

    fn prepare(&self) -> Result<(), Exit> {
        let named = [
            ("html", self.printing.html.as_ref()),
            ("save-proof", self.save_proof.as_ref()),
            ("jkind-xml", self.jkind_xml.as_ref()),
            ("trace", self.trace.as_ref()),
        ];
        outputs::check(&[&named[..], &self.exports.outputs()].concat())?;
        outputs::check_folder("certificate", self.certificate.as_ref())?;
        outputs::check_folder("export-test", self.export_test.as_ref())
    }

    fn examine(&self, _: &Suppressions, languages: Languages) -> Result<Examined, Exit> {
        if let Some(language) = programs::language(languages, &self.subject) {
            return programs::check::examine(self, language);
        }
        let opened = Opened::read(languages, &self.subject, &self.proving.solver)?;
        match opened.load()? {
            Design::Words(loaded) => examine_words(self, opened, loaded),
            Design::Netlist(netlist) => netlist::examine(self, opened, &netlist),
        }
    }

    fn write(&self, report: &Report<'_>, _: Languages) -> Result<(), Exit> {
        let (findings, tolerance) = (report.findings, self.printing.tolerance(None));
        outputs::all([
            self.exports.write(findings, &tolerance),
            outputs::write(self.jkind_xml.as_ref(), || Ok(jkind_xml(findings))),
            page::write(&self.printing, report),
        ])
    }

    fn exit(&self, findings: &Findings, scope: Scope) -> Exit {
        if scope == Scope::All {
            return Exit::Fine;
        }
        let mut properties = findings.properties.iter();
        let open = properties.any(|one| one.verdict == PropertyVerdict::Unknown);
        let (interrupt, _) = interrupt::of_run();
        match interrupt.is_set() && open {
            true => Exit::Inconclusive,
            false => exit(self, findings),
        }
    }
}

/// Proves or refutes the properties of a model of equations.
fn examine_words(arguments: &Check, opened: Opened, loaded: Loaded) -> Result<Examined, Exit> {
    runs::refuse(arguments, &opened)?;
    let mut session = Session::new(opened, loaded, &arguments.subject, &arguments.proving)?;
    session.accept_unaudited = arguments.printing.accepts(Acceptable::Unaudited);
    let asked = session::Asked {
        smoothing: match arguments.smooth {
            true => Smoothing::Thorough,
            false => Smoothing::Brief,
        },
        explain_inductions: arguments.inductive_counterexample,
        claims: session::Claims::All,
        statistics: arguments.stats,
        quiet: arguments.printing.quiet,
    };
    let verified = session.verify(&asked)?;
    let states = session.states(&verified);
    match &states {
        Some(states) if !states.total && !verified.specifications.is_empty() => terminal::warning(
            "a state without successor is reached: what is said of whole runs is about the runs that \
             go on; --stats shows one",
        ),
        None if arguments.stats => terminal::warning("the states are too many to count"),
        _ => {}
    }
    let findings = findings(arguments, &session, &verified);
    let written = outputs::all([
        write_certificates(arguments, &verified, &session),
        save_proof(arguments, &verified),
        runs::write_witnesses(arguments, &session, &verified),
        runs::write_tests(arguments, &session, &verified),
    ]);
    let file = session.file();
    Ok(Examined {
        text: text(arguments, &findings),
        findings,
        page: None,
        model: Some((session.sources, file)),
        written,
    })
}

fn write_certificates(
    arguments: &Check,
    verified: &Verified,
    session: &Session<'_>,
) -> Result<(), Exit> {
    let certified: Vec<Certified<'_>> = verified
        .proofs()
        .map(|(property, proof)| Certified { property, proof })
        .collect();
    let bytes = session.sources.file(session.file()).bytes();
    certificates::write(arguments, bytes, certified.is_empty(), |folder, model| {
        write_certificate(folder, model, &verified.slice.system, &certified)
    })
}

fn save_proof(arguments: &Check, verified: &Verified) -> Result<(), Exit> {
    let Some(path) = &arguments.save_proof else {
        return Ok(());
    };
    if verified.proofs().next().is_none() {
        terminal::warning("nothing was proved, so there is no proof to save");
        return Ok(());
    }
    let proofs = verified.proofs().map(|(_, proof)| proof);
    session::write_file(path, advice::write(proofs))
}

fn findings(arguments: &Check, session: &Session<'_>, verified: &Verified) -> Findings {
    let mut properties = session.property_findings(verified, session::shown(arguments.all_vars));
    let claims = session.specification_findings(verified, session::shown(arguments.all_vars));
    if !claims.is_empty() {
        properties.extend(claims);
        // In the order of the source.
        let place =
            |one: &PropertyFinding| one.origin.as_ref().map(|span| (span.line, span.column));
        properties.sort_by_key(place);
    }
    let outcome = outcome(&properties);
    let options = BTreeMap::from([("use_proof", arguments.proving.use_proof.clone().into())]);
    Findings {
        audit: session.audit_summary(verified),
        deadlock: session.deadlock(verified),
        states: session.states(verified).filter(|_| arguments.stats),
        properties,
        ..session.findings("check", options, outcome)
    }
}

/// What the verdicts on properties come to.
pub fn outcome(properties: &[PropertyFinding]) -> Outcome {
    let has = |verdict| properties.iter().any(|one| one.verdict == verdict);
    if has(PropertyVerdict::Invalid) {
        Outcome::Found
    } else if properties.is_empty()
        || has(PropertyVerdict::Unknown)
        || has(PropertyVerdict::Vacuous)
    {
        Outcome::Inconclusive
    } else {
        Outcome::Holds
    }
}

fn exit(arguments: &Check, findings: &Findings) -> Exit {
    let accepts = |what| arguments.printing.accepts(what);
    let properties = findings.properties.iter();
    let rest: Vec<PropertyFinding> = properties
        .filter(|property| match property.verdict {
            PropertyVerdict::Unknown => !accepts(Acceptable::Unknown),
            PropertyVerdict::Vacuous => !accepts(Acceptable::Vacuous),
            PropertyVerdict::Valid | PropertyVerdict::Invalid => true,
        })
        .cloned()
        .collect();
    match outcome(&rest) {
        Outcome::Holds => Exit::Fine,
        Outcome::Found => Exit::Found,
        Outcome::Inconclusive if rest.len() < findings.properties.len() && rest.is_empty() => {
            Exit::Fine
        }
        Outcome::Inconclusive => Exit::Inconclusive,
    }
}

/// What was found, for people.
pub fn text(arguments: &Check, findings: &Findings) -> String {
    let mut text = check_text(findings, &session::style(&arguments.printing));
    if arguments.verbose {
        text.push_str(&proofs_text(findings));
    }
    text
}
