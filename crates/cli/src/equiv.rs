//! `proofmark equiv`: are two models the same, and if not, which run tells them apart?

use crate::arguments::{Acceptable, Equiv, EquivMethod, Subject};
use crate::exit::Exit;
use crate::session::{self, Opened};
use crate::{audits, outputs, terminal};
use proofmark_audit::default_auditor;
use proofmark_engine::Limits;
use proofmark_engine::bits::BitLimits;
use proofmark_engine::diagrams::DiagramLimits;
use proofmark_lang::{Design, Languages, Merging, Observable, Options};
use proofmark_model::System;
use proofmark_model::graph::Netlist;
use proofmark_quality::equiv::{
    Difference, Equivalence, EquivalenceLimits, EquivalenceVerdict, SequentialError, Side,
    VariableDifference, compare_netlists, compare_sequential, compare_structure,
    decide_by_formulas, observed,
};
use proofmark_quality::{
    Audited, Auditor, NetlistQuestion, Question, Smoothing, VerifiedNetlist, VerifyError, verify,
    verify_netlist,
};
use proofmark_report::{
    DeclarationDifference, EquivalenceFinding, EquivalenceWord, Findings, FormulasFinding, Outcome,
    RunDifference, ShownTrace, equivalence_text,
};
use proofmark_solve::Interrupt;
use proofmark_source::{Sources, sha256};
use std::time::{Duration, Instant};

pub fn run(arguments: &Equiv, languages: Languages) -> Exit {
    match attempt(arguments, languages) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn attempt(arguments: &Equiv, languages: Languages) -> Result<Exit, Exit> {
    outputs::check(&[("emit-merged", arguments.emit_merged.as_ref())])?;
    let comparison = Comparison::open(arguments, languages)?;
    let pair = comparison.load()?;
    let merged = comparison.merged()?;
    let findings = match (arguments.method, &merged) {
        (EquivMethod::Paper, Some(merging)) => {
            let finding = comparison.by_formulas(merging)?;
            comparison.findings(finding)
        }
        _ => {
            let found = comparison.compare(&pair)?;
            comparison.findings(comparison.finding(&pair, &found))
        }
    };
    let text = equivalence_text(&findings, &session::page(arguments.quiet));
    match arguments.json {
        true => session::print_json(&findings)?,
        false => session::print(&text)?,
    }
    Ok(exit(arguments, &findings))
}

fn exit(arguments: &Equiv, findings: &Findings) -> Exit {
    let accepted = arguments.accept.contains(&Acceptable::Unknown);
    match findings.outcome {
        Outcome::Holds => Exit::Fine,
        Outcome::Found => Exit::Found,
        Outcome::Inconclusive if accepted => Exit::Fine,
        Outcome::Inconclusive => Exit::Inconclusive,
    }
}

/// Two models that can be compared.
enum Pair {
    Structures([System; 2]),
    BlackBoxes([System; 2]),
    Netlists([Netlist; 2]),
}

struct Comparison<'a> {
    arguments: &'a Equiv,
    opened: [Opened; 2],
    interrupt: Interrupt,
    deadline: Option<Instant>,
}

impl<'a> Comparison<'a> {
    fn open(arguments: &'a Equiv, languages: Languages) -> Result<Comparison<'a>, Exit> {
        let proving = &arguments.proving;
        if proving.use_proof.is_some() {
            terminal::error("--use-proof is for the properties of one model, and `equiv` has two");
            return Err(Exit::Usage);
        }
        let open = |file: &str| {
            let subject = Subject {
                file: file.into(),
                files: Vec::new(),
                language: arguments.language.clone(),
                main: arguments.main.clone(),
                include: arguments.include.clone(),
                strict: false,
                property: None,
            };
            Opened::read(languages, &subject, &proving.solver)
        };
        let opened = [open(&arguments.first)?, open(&arguments.second)?];
        let interrupt = opened[0].interrupt.clone();
        let time = proving.timeout.map(Duration::from_secs_f64);
        let deadline = time.and_then(|time| opened[0].begin.checked_add(time));
        Ok(Comparison {
            arguments,
            opened,
            interrupt,
            deadline,
        })
    }

    /// What both files describe. What is wrong has been printed.
    fn load(&self) -> Result<Pair, Exit> {
        let [first, second] = &self.opened;
        let observable = [first, second].map(|one| one.language().observable);
        let (one, other) = (first.load()?, second.load()?);
        let system = |design: &Design, opened: &Opened| match design {
            Design::Words(loaded) => {
                let lowered = session::lower_model(&loaded.model, &opened.sources)?;
                Ok(Some(lowered.system))
            }
            Design::Netlist(_) => Ok(None),
        };
        let systems = (system(&one, first)?, system(&other, second)?);
        self.check_observed(observable, &systems)?;
        match (systems, one, other) {
            ((Some(one), Some(other)), ..) if observable == [Observable::States; 2] => {
                Ok(Pair::Structures([one, other]))
            }
            ((Some(one), Some(other)), ..) if observable == [Observable::Outputs; 2] => {
                Ok(Pair::BlackBoxes([one, other]))
            }
            (_, Design::Netlist(one), Design::Netlist(other)) => Ok(Pair::Netlists([one, other])),
            _ => {
                let languages = [first, second].map(|one| one.language().name);
                terminal::error(&format!(
                    "a model of {} and one of {} are not compared; convert one of them first",
                    languages[0], languages[1]
                ));
                Err(Exit::Usage)
            }
        }
    }

    /// The merged model, if one is asked for; it is written where it should be.
    fn merged(&self) -> Result<Option<Merging>, Exit> {
        let arguments = self.arguments;
        if arguments.emit_merged.is_none() && arguments.method == EquivMethod::Exact {
            return Ok(None);
        }
        let [first, second] = &self.opened;
        let Some(merge) = first
            .language()
            .merge
            .filter(|_| second.language().merge.is_some())
        else {
            let name = first.language().name;
            terminal::error(&format!(
                "models of {name} are not merged: the published method is for states and assignments"
            ));
            return Err(Exit::Usage);
        };
        let merging = merge((&first.sources, first.file), (&second.sources, second.file));
        let merging = merging.map_err(|why| {
            terminal::error(&format!("the models cannot be merged: {why}"));
            Exit::Input
        })?;
        outputs::write(arguments.emit_merged.as_ref(), || Ok(merging.text.clone()))?;
        Ok(Some(merging))
    }

    /// The published method.
    fn by_formulas(&self, merging: &Merging) -> Result<EquivalenceFinding, Exit> {
        let mut sources = Sources::default();
        let name = "the merged model";
        let file = sources.add(name, merging.text.clone());
        let file = file.map_err(|_| fail("the merged model is too large"))?;
        let load = self.opened[0].language().load;
        let (design, diagnostics) = load(&sources, file, &Options::default());
        let Some(Design::Words(loaded)) = design else {
            session::tell(&diagnostics, &sources);
            return Err(Exit::Input);
        };
        let lowered = session::lower_model(&loaded.model, &sources)?;
        let limits = self.limits().diagrams;
        let answer = decide_by_formulas(&lowered.system, merging.tuples, &limits);
        if let Some(why) = &merging.wrong {
            terminal::warning(&format!(
                "the formulas may be false although the models are the same: {why}; `--method exact` is right"
            ));
        }
        let mut finding = EquivalenceFinding {
            verdict: EquivalenceWord::Unknown,
            audit: audits::write(&Audited::NotAskedFor),
            structures: true,
            states: None,
            variables: Vec::new(),
            difference: None,
            formulas: None,
            reason: merging.wrong.clone(),
        };
        match answer {
            Err(why) => finding.reason = Some(why.to_string()),
            Ok(answer) => {
                finding.verdict = match answer.failing {
                    Some(_) => EquivalenceWord::Different,
                    None => EquivalenceWord::Equivalent,
                };
                finding.formulas = Some(FormulasFinding {
                    initial_needed: answer.initial.0,
                    initial_total: answer.initial.1,
                    steps_true: answer.steps.0,
                    steps_total: answer.steps.1,
                    failing: answer.failing,
                });
            }
        }
        Ok(finding)
    }

    /// Whether what is to be observed can be, and is declared by somebody.
    fn check_observed(
        &self,
        observable: [Observable; 2],
        systems: &(Option<System>, Option<System>),
    ) -> Result<(), Exit> {
        let wanted = &self.arguments.observe;
        if wanted.is_empty() {
            return Ok(());
        }
        let by_outputs = observable == [Observable::Outputs; 2];
        let (Some(first), Some(second), true) = (&systems.0, &systems.1, by_outputs) else {
            terminal::error(
                "--observe is for models of equations that are compared by their outputs; of others, all \
                 that they have is compared",
            );
            return Err(Exit::Usage);
        };
        let unknown = wanted.iter().find(|name| {
            let mut systems = [first, second].into_iter();
            systems.all(|one| observed(one, std::slice::from_ref(*name)).is_empty())
        });
        match unknown {
            None => Ok(()),
            Some(name) => {
                terminal::error(&format!("--observe: neither model has `{name}`"));
                Err(Exit::Usage)
            }
        }
    }

    fn compare(&self, pair: &Pair) -> Result<Equivalence, Exit> {
        let found = match pair {
            Pair::Structures([first, second]) => compare_structure(first, second, &self.limits())
                .map_err(|failed| fail(&failed.0))?,
            Pair::BlackBoxes([first, second]) => {
                let check = &mut |product: &System| self.verify(product);
                compare_sequential([first, second], &self.arguments.observe, check).map_err(
                    |error| match error {
                        SequentialError::Audit(failed) => fail(&failed.0),
                        SequentialError::Product(error) => fail(&error.to_string()),
                        SequentialError::Verify(error) => fail(&error.to_string()),
                    },
                )?
            }
            Pair::Netlists([first, second]) => {
                let check = &mut |product: &Netlist| self.verify_netlist(product);
                let found = compare_netlists(first, second, check);
                let found = found.map_err(|error| fail(&error.to_string()))?;
                found.map_err(|failed| fail(&failed.0))?
            }
        };
        Ok(self.confirmed(found))
    }

    /// A verdict on which the auditor has no answer is none.
    fn confirmed(&self, found: Equivalence) -> Equivalence {
        let accepted = self.arguments.accept.contains(&Acceptable::Unaudited);
        let why = match &found.audit {
            Audited::NoAnswer { why } if !accepted => why,
            _ => return found,
        };
        let word = word(&found.verdict).as_str();
        let why = format!("{word}, and not audited: {why}");
        let verdict = EquivalenceVerdict::Unknown { why };
        Equivalence { verdict, ..found }
    }

    fn audit_time(&self) -> Option<Duration> {
        let proving = &self.arguments.proving;
        (!proving.no_audit).then(|| Duration::from_secs_f64(proving.audit_time))
    }

    fn limits(&self) -> EquivalenceLimits {
        EquivalenceLimits {
            diagrams: DiagramLimits {
                deadline: self.deadline,
                interrupt: self.interrupt.clone(),
                ..DiagramLimits::default()
            },
            audit: self.audit_time(),
        }
    }

    fn verify(&self, product: &System) -> Result<proofmark_quality::Verified, VerifyError> {
        let proving = &self.arguments.proving;
        let open = || proofmark_solve::open(&proving.solver);
        let named = proving.audit_solver.as_deref();
        let named = named.or_else(|| default_auditor(product, &proving.solver));
        let open_auditor = || proofmark_audit::auditor(named);
        let auditor = self.audit_time().map(|time| Auditor {
            open: &open_auditor,
            time,
            accept_unaudited: self.arguments.accept.contains(&Acceptable::Unaudited),
        });
        let question = Question {
            limits: Limits {
                engines: session::engines(proving),
                jobs: proving.jobs.into(),
                time: proving.timeout.map(Duration::from_secs_f64),
                interrupt: self.interrupt.clone(),
                ..Limits::default()
            },
            auditor,
            smoothing: Smoothing::Off,
            deadlocks: false,
            ..Question::new(product, &open)
        };
        verify(&question, &mut |_| ())
    }

    fn verify_netlist(&self, product: &Netlist) -> Result<VerifiedNetlist, VerifyError> {
        let proving = &self.arguments.proving;
        let question = NetlistQuestion {
            netlist: product,
            bads: vec![0],
            limits: BitLimits {
                engines: session::engines(proving),
                jobs: proving.jobs.into(),
                time: proving.timeout.map(Duration::from_secs_f64),
                interrupt: self.interrupt.clone(),
            },
            audit: self.audit_time(),
            accept_unaudited: self.arguments.accept.contains(&Acceptable::Unaudited),
        };
        verify_netlist(&question, &mut |_, _| ())
    }

    // ---- what was found ----

    fn findings(&self, finding: EquivalenceFinding) -> Findings {
        let (arguments, proving) = (self.arguments, &self.arguments.proving);
        let [first, second] = &self.opened;
        let file = first.sources.file(first.file);
        let method = match arguments.method {
            EquivMethod::Exact => "exact",
            EquivMethod::Paper => "paper",
        };
        let options = [
            ("method", method.into()),
            ("timeout", proving.timeout.into()),
            ("audit_time", proving.audit_time.into()),
            ("no_audit", proving.no_audit.into()),
        ];
        let blank = session::blank_findings("equiv", file, &proving.solver, options.into());
        let file = second.sources.file(second.file);
        let mut inputs = blank.inputs.clone();
        inputs.push(proofmark_report::Input {
            file: file.name().to_string(),
            hash: sha256(file.bytes()),
        });
        let outcome = match finding.verdict {
            EquivalenceWord::Equivalent => Outcome::Holds,
            EquivalenceWord::Different => Outcome::Found,
            EquivalenceWord::Unknown => Outcome::Inconclusive,
        };
        Findings {
            inputs,
            outcome,
            equivalence: Some(finding),
            seconds: first.begin.elapsed().as_secs_f64(),
            ..blank
        }
    }

    fn finding(&self, pair: &Pair, found: &Equivalence) -> EquivalenceFinding {
        let mut finding = EquivalenceFinding {
            verdict: word(&found.verdict),
            audit: audits::write(&found.audit),
            structures: matches!(pair, Pair::Structures(_)),
            states: found.states.clone(),
            variables: Vec::new(),
            difference: None,
            formulas: None,
            reason: None,
        };
        match &found.verdict {
            EquivalenceVerdict::Equivalent => {}
            EquivalenceVerdict::Unknown { why } => finding.reason = Some(why.clone()),
            EquivalenceVerdict::Different(difference) => match &**difference {
                Difference::Variables(rows) => {
                    finding.variables = rows.iter().map(declaration).collect();
                }
                difference => finding.difference = Some(self.difference(pair, difference)),
            },
        }
        finding
    }

    fn difference(&self, pair: &Pair, difference: &Difference) -> RunDifference {
        let file = |side: Side| match side {
            Side::First => self.arguments.first.clone(),
            Side::Second => self.arguments.second.clone(),
        };
        let trace = |side: Side, run| match pair {
            Pair::Structures(systems) | Pair::BlackBoxes(systems) => {
                ShownTrace::declared(&systems[side as usize], run)
            }
            Pair::Netlists(_) => unreachable!("runs of netlists are bits"),
        };
        match difference {
            Difference::Step { run, only } => RunDifference {
                trace: trace(*only, run),
                other: None,
                only_in: Some(file(*only)),
                step: run.len().saturating_sub(1),
                back: None,
                shows: Vec::new(),
            },
            Difference::Fair { run, back, only } => RunDifference {
                trace: trace(*only, run),
                other: None,
                only_in: Some(file(*only)),
                step: run.len().saturating_sub(1),
                back: Some(*back),
                shows: Vec::new(),
            },
            Difference::Observed {
                step,
                names,
                first,
                second,
                accepted,
            } => RunDifference {
                trace: trace(Side::First, first),
                other: Some(trace(Side::Second, second)),
                only_in: alone(*accepted).map(file),
                step: *step,
                back: None,
                shows: names.clone(),
            },
            Difference::Bits {
                step,
                names,
                first,
                second,
                accepted,
            } => {
                let shown = |side: Side, run| match pair {
                    Pair::Netlists(netlists) => {
                        let netlist = &netlists[side as usize];
                        let signals = [&netlist.outputs[..], &netlist.bads].concat();
                        ShownTrace::of_signals(netlist, run, &signals)
                    }
                    _ => unreachable!("only netlists have runs of bits"),
                };
                RunDifference {
                    trace: shown(Side::First, first),
                    other: Some(shown(Side::Second, second)),
                    only_in: alone(*accepted).map(file),
                    step: *step,
                    back: None,
                    shows: names.clone(),
                }
            }
            Difference::Variables(_) => unreachable!("declarations are no run"),
        }
    }
}

fn alone(accepted: [bool; 2]) -> Option<Side> {
    match accepted {
        [true, false] => Some(Side::First),
        [false, true] => Some(Side::Second),
        _ => None,
    }
}

fn declaration(row: &VariableDifference) -> DeclarationDifference {
    DeclarationDifference {
        name: row.name.clone(),
        first: row.first.as_ref().map(ToString::to_string),
        second: row.second.as_ref().map(ToString::to_string),
    }
}

fn word(verdict: &EquivalenceVerdict) -> EquivalenceWord {
    match verdict {
        EquivalenceVerdict::Equivalent => EquivalenceWord::Equivalent,
        EquivalenceVerdict::Different(_) => EquivalenceWord::Different,
        EquivalenceVerdict::Unknown { .. } => EquivalenceWord::Unknown,
    }
}

fn fail(what: &str) -> Exit {
    terminal::error(&format!("internal error: {what}"));
    Exit::Internal
}
