//! `proofmark mutate` on a program: which mutants would its checks not notice within the bound?

use super::check::{audit, fail, property};
use super::path::Shower;
use super::{OpenedProgram, options_of};
use crate::arguments::Mutate;
use crate::ending::{outcome, text};
use crate::exit::Exit;
use crate::glob::matches;
use crate::journal::Journal;
use crate::models::Examined;
use crate::settings::Suppressions;
use crate::{audits, diff, kills, listing, session, terminal};
use proofmark_lang::{Language, MutantForm, ProgramMutant};
use proofmark_model::program::{CheckKind, NamedCheck, Program, checks_of};
use proofmark_quality::program::{
    ProgramFate, ProgramOptions, ProgramRun, SubjectMutant, decide_mutants,
};
use proofmark_report::{
    Findings, MutantAudit, MutantFinding, MutantVerdict, Origin, Outcome, Position,
    PropertyFinding, PropertyVerdict, Score, Shard, ShownSpan, kills_text, list_text, mutant_text,
};
use proofmark_source::{FileId, sha256};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How many steps of the run that kills a mutant are kept, the last ones.
const KEPT: usize = 200;

/// Makes the mutants of a program and decides them. What ends that early has been printed.
pub fn examine(
    arguments: &Mutate,
    language: &'static Language,
    suppressions: &Suppressions,
) -> Result<Examined, Exit> {
    refuse(arguments)?;
    let set = mutators(arguments, language)?;
    let (subject, program) = (&arguments.subject, &arguments.program);
    let opened = OpenedProgram::read(language, subject, program, Some(set))?;
    let options = opened.options(program, &arguments.proving)?;
    let campaign = Campaign {
        arguments,
        opened: &opened,
        options: &options,
        ids: ids(&opened),
        named: checks_of(&opened.loaded.program, &options.checks),
    };
    if !suppressions.list.is_empty() {
        suppressions.check(&campaign.ids.iter().cloned().collect())?;
    }
    let (findings, text) = match arguments.shows_only() {
        true => campaign.show(set)?,
        false => campaign.run(set, suppressions)?,
    };
    Ok(Examined {
        findings,
        page: None,
        text,
        model: Some((opened.sources, opened.file)),
        written: Ok(()),
    })
}

/// The set of mutators that is asked for.
fn mutators(arguments: &Mutate, language: &Language) -> Result<&'static str, Exit> {
    let known = language.program.map_or(&[][..], |reader| reader.mutators);
    let found = known.iter().find(|(name, _)| *name == arguments.mutators);
    found.map(|(name, _)| *name).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        terminal::error(&format!(
            "--mutators: programs have no set `{}`; there are: {}",
            arguments.mutators,
            names.join(", ")
        ));
        Exit::Usage
    })
}

/// Options that say nothing about a program are refused, so that nobody waits for their effect.
fn refuse(arguments: &Mutate) -> Result<(), Exit> {
    let options = [
        ("--use-proof", arguments.proving.use_proof.is_some()),
        ("--audit-solver", arguments.proving.audit_solver.is_some()),
        ("--engines", !arguments.proving.engines.is_empty()),
        ("--in-core", arguments.in_core),
        ("--observe", !arguments.observe.is_empty()),
        ("--witness", arguments.witness),
        ("--reuse", arguments.reuse.is_some()),
        ("--matrix", arguments.matrix),
        ("--csv", arguments.csv.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            terminal::error(&format!("{option} does not work on programs; leave it out"));
            Err(Exit::Usage)
        }
    }
}

/// Names of mutants: the function, the mutator, and which of its mutants there.
fn ids(opened: &OpenedProgram) -> Vec<String> {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mutants = opened.loaded.mutants.iter();
    let id = |mutant: &ProgramMutant| {
        let scope = match mutant.function.is_empty() {
            true => opened.sources.file(mutant.place.file).name(),
            false => &mutant.function,
        };
        let stem = format!("{scope}#{}", mutant.mutator);
        let count = counts.entry(stem.clone()).or_default();
        *count += 1;
        format!("{stem}#{count}")
    };
    mutants.map(id).collect()
}

/// A campaign on a program.
struct Campaign<'a> {
    arguments: &'a Mutate,
    opened: &'a OpenedProgram,
    options: &'a ProgramOptions,
    /// Of all mutants.
    ids: Vec<String>,
    /// The checks of the original.
    named: Vec<NamedCheck>,
}

impl Campaign<'_> {
    /// What was asked.
    fn asked(&self, set: &str, touched: Option<&Touched>) -> Findings {
        let arguments = self.arguments;
        let mut options = options_of(&arguments.program, self.options);
        let lines = touched.map(|touched| touched.values().flatten().copied().collect::<Vec<_>>());
        options.extend([
            ("mutators", set.into()),
            ("line", arguments.line.clone().into()),
            ("mutant", arguments.mutant.clone().into()),
            ("in_diff", serde_json::json!(lines)),
            ("timeout", arguments.proving.timeout.into()),
            ("shard", arguments.shard.map(|part| part.to_string()).into()),
        ]);
        let file = self.opened.sources.file(self.opened.file);
        let mut findings = session::blank_findings("mutate", file, "sat", options);
        findings.inputs = self.inputs();
        findings
    }

    fn inputs(&self) -> Vec<proofmark_report::Input> {
        let subject = &self.arguments.subject;
        let names = match subject.files.is_empty() {
            true => std::slice::from_ref(&subject.file),
            false => &subject.files[..],
        };
        let sources = &self.opened.sources;
        let all = names.iter().chain(&self.arguments.program.harness);
        let files = all.filter_map(|name| Some(sources.file(sources.find(name)?)));
        let input = files.map(|file| proofmark_report::Input {
            file: file.name().to_string(),
            hash: sha256(file.bytes()),
        });
        input.collect()
    }

    /// The mutants that are asked for, by position.
    fn wanted(&self, touched: Option<&Touched>) -> Result<Vec<usize>, Exit> {
        let patterns = &self.arguments.mutant;
        if !patterns.is_empty() {
            listing::check_patterns(patterns, &self.ids.iter().cloned().collect())?;
        }
        let all = 0..self.opened.loaded.mutants.len();
        Ok(all.filter(|at| self.wants(*at, touched)).collect())
    }

    fn wants(&self, at: usize, touched: Option<&Touched>) -> bool {
        let mutant = &self.opened.loaded.mutants[at];
        let span = ShownSpan::new(mutant.place, &self.opened.sources);
        let lines = &self.arguments.line;
        let patterns = &self.arguments.mutant;
        let is_named = || patterns.iter().any(|one| matches(one, &self.ids[at]));
        let touches = |touched: &Touched| {
            let lines = touched.get(&mutant.place.file);
            lines.is_some_and(|lines| lines.range(span.line..=span.end_line).next().is_some())
        };
        (lines.is_empty() || lines.contains(&span.line))
            && (patterns.is_empty() || is_named())
            && touched.is_none_or(touches)
    }

    /// The lines that a diff touches, in each file of the program.
    fn touched(&self) -> Result<Option<Touched>, Exit> {
        let Some(name) = &self.arguments.in_diff else {
            return Ok(None);
        };
        let mutants = self.opened.loaded.mutants.iter();
        let files: BTreeSet<FileId> = mutants.map(|one| one.place.file).collect();
        let read = |file: FileId| {
            let lines = diff::read(name, self.opened.sources.file(file))?;
            Ok((file, lines))
        };
        files
            .into_iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Mutants without deciding anything.
    fn show(&self, set: &str) -> Result<(Findings, String), Exit> {
        let touched = self.touched()?;
        let asked = self.asked(set, touched.as_ref());
        if let Some(id) = &self.arguments.patch {
            let Some(at) = self.ids.iter().position(|one| one == id) else {
                listing::check_patterns(
                    std::slice::from_ref(id),
                    &self.ids.iter().cloned().collect(),
                )?;
                return Err(Exit::Usage);
            };
            return Ok((asked, self.patch(at)));
        }
        let mut wanted = self.wanted(touched.as_ref())?;
        if let Some(part) = self.arguments.shard {
            wanted = self.part(&wanted, &part.of(&self.names(&wanted)));
        }
        let findings = Findings {
            mutants: wanted.iter().map(|at| self.undecided(*at)).collect(),
            outcome: Outcome::Holds,
            seconds: self.opened.begin.elapsed().as_secs_f64(),
            ..asked
        };
        let text = list_text(&findings);
        Ok((findings, text))
    }

    fn names(&self, positions: &[usize]) -> Vec<String> {
        positions.iter().map(|at| self.ids[*at].clone()).collect()
    }

    fn part(&self, wanted: &[usize], shard: &Shard) -> Vec<usize> {
        shard.positions.iter().map(|at| wanted[*at]).collect()
    }

    fn patch(&self, at: usize) -> String {
        let mutant = &self.opened.loaded.mutants[at];
        let file = self.opened.sources.file(mutant.place.file);
        mutant.edits.unified(file.name(), file.text())
    }

    /// Decides the mutants that are asked for.
    fn run(&self, set: &str, suppressions: &Suppressions) -> Result<(Findings, String), Exit> {
        let touched = self.touched()?;
        let asked = self.asked(set, touched.as_ref());
        let mut journal = match &self.arguments.run_dir {
            Some(folder) => Journal::open(folder, self.arguments.resume, &asked)?,
            None => Journal::default(),
        };
        let mut wanted = self.wanted(touched.as_ref())?;
        let checks: Vec<&str> = self.named.iter().map(|one| &*one.name).collect();
        let names = self.names(&wanted);
        journal.begin(&checks, &names)?;
        let shard = self.arguments.shard.map(|part| part.of(&names));
        if let Some(shard) = &shard {
            wanted = self.part(&wanted, shard);
        }
        self.opened.started.store(true, Ordering::SeqCst);
        let (properties, mut mutants) = self.decide(&wanted, &mut journal)?;
        suppressions.apply(&mut mutants);
        let proved = properties
            .iter()
            .filter(|one| one.verdict == PropertyVerdict::Valid);
        let proved: Vec<String> = proved.map(|one| one.name.clone()).collect();
        let findings = Findings {
            audit: Some(audit()),
            outcome: outcome(&properties, &mutants, &[]),
            score: (!mutants.is_empty()).then(|| Score::of(&mutants)),
            worth: kills::summary(&proved, &mutants),
            seconds: self.opened.begin.elapsed().as_secs_f64(),
            properties,
            mutants,
            shard,
            ..asked
        };
        let text = self.text(&findings);
        Ok((findings, text))
    }

    fn text(&self, findings: &Findings) -> String {
        let Mutate {
            printing, verbose, ..
        } = self.arguments;
        if printing.json {
            return String::new();
        }
        let in_full = self.arguments.is_about_named() && !printing.quiet;
        if !in_full || findings.mutants.is_empty() {
            let mut text = text(printing, *verbose, findings);
            if self.arguments.matrix {
                text.push_str(&kills_text(findings));
            }
            return text;
        }
        let style = session::style(printing);
        let patch = |id: &str| {
            let at = self.ids.iter().position(|one| one == id)?;
            Some(self.patch(at))
        };
        let mutants = findings.mutants.iter();
        let texts = mutants.map(|one| mutant_text(one, patch(&one.id).as_deref(), &style));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Decides mutants by position, but for those that the journal knows.
    fn decide(
        &self,
        wanted: &[usize],
        journal: &mut Journal,
    ) -> Result<(Vec<PropertyFinding>, Vec<MutantFinding>), Exit> {
        let mut found: Vec<Option<MutantFinding>> = wanted
            .iter()
            .map(|at| match journal.decided(&self.ids[*at]) {
                Some(known) => Some(known.clone()),
                None => self.decided_by_text(*at),
            })
            .collect();
        let mutants = &self.opened.loaded.mutants;
        let mut open = Vec::new();
        let mut subjects = Vec::new();
        for (place, at) in wanted.iter().enumerate() {
            let subject = match &mutants[*at].form {
                MutantForm::Variant(id) => SubjectMutant::Variant(*id),
                MutantForm::Alone(program) => SubjectMutant::Alone(program),
                MutantForm::Same | MutantForm::Invalid(_) => continue,
            };
            if found[place].is_none() {
                open.push(place);
                subjects.push(subject);
            }
        }
        let program = &self.opened.loaded.program;
        let mut written = Ok(());
        let mut last = Instant::now();
        let mut hear = |at: usize, fate: &ProgramFate| {
            let position = wanted[open[at]];
            let mut finding = self.finding(position, fate);
            finding.seconds = last.elapsed().as_secs_f64();
            last = Instant::now();
            if written.is_ok() && !matches!(fate, ProgramFate::Unknown(_)) {
                written = journal.write(&finding);
            }
            found[open[at]] = Some(finding);
        };
        let campaign = decide_mutants(program, &subjects, self.options, &mut hear);
        let campaign = campaign.map_err(|error| fail(&error))?;
        written?;
        let shower = self.shower(program);
        let properties = campaign.original.properties.iter();
        let properties = properties.map(|one| property(&shower, self.options, one));
        let undecided = |(place, finding): (usize, Option<MutantFinding>)| {
            finding.unwrap_or_else(|| self.undecided(wanted[place]))
        };
        let found = found.into_iter().enumerate().map(undecided);
        Ok((properties.collect(), found.collect()))
    }

    fn shower<'s>(&'s self, program: &'s Program) -> Shower<'s> {
        Shower {
            program,
            sources: &self.opened.sources,
            named: self.named.clone(),
        }
    }

    /// What the text of a mutant alone decides.
    fn decided_by_text(&self, at: usize) -> Option<MutantFinding> {
        let mut finding = self.undecided(at);
        match &self.opened.loaded.mutants[at].form {
            MutantForm::Same => {
                finding.verdict = MutantVerdict::Equivalent;
                finding.decided_by = "text".into();
            }
            MutantForm::Invalid(why) => {
                finding.verdict = MutantVerdict::NotValid;
                finding.decided_by = "compiler".into();
                finding.reason = Some(why.clone());
            }
            MutantForm::Variant(_) | MutantForm::Alone(_) => return None,
        }
        Some(finding)
    }

    fn finding(&self, at: usize, fate: &ProgramFate) -> MutantFinding {
        let mut finding = self.undecided(at);
        match fate {
            ProgramFate::Killed { run, by } => self.killed(at, run, by, &mut finding),
            ProgramFate::Survived => {
                finding.verdict = MutantVerdict::Survived;
                finding.decided_by = "formula".into();
                finding.audit = passed("LRAT");
            }
            ProgramFate::Equivalent => {
                finding.verdict = MutantVerdict::Equivalent;
                finding.decided_by = "same formula".into();
            }
            ProgramFate::Unknown(why) => {
                finding.reason = Some(why.clone());
            }
        }
        finding
    }

    fn killed(&self, at: usize, run: &ProgramRun, by: &str, finding: &mut MutantFinding) {
        let program = match &self.opened.loaded.mutants[at].form {
            MutantForm::Alone(program) => program,
            _ => &self.opened.loaded.program,
        };
        let shower = self.shower(program);
        finding.verdict = MutantVerdict::Killed;
        finding.decided_by = by.into();
        finding.audit = passed("interpreter");
        for check in &run.violations {
            let name = match check.kind {
                CheckKind::Unwinding => "unwinding".to_string(),
                _ => shower.name(*check),
            };
            if !finding.killed_by.contains(&name) {
                finding.killed_by.push(name);
            }
        }
        let mut path = shower.path(run, run.violations.first().copied());
        let left_out = path.steps.len().saturating_sub(KEPT);
        path.steps.drain(..left_out);
        finding.path = Some(path);
    }

    /// What is known of a mutant before anything is decided.
    fn undecided(&self, at: usize) -> MutantFinding {
        let mutant = &self.opened.loaded.mutants[at];
        let span = ShownSpan::new(mutant.place, &self.opened.sources);
        let scope = match mutant.function.is_empty() {
            true => span.file.clone(),
            false => mutant.function.clone(),
        };
        let at_operator = Some(Position {
            line: span.line,
            column: span.column,
        });
        MutantFinding {
            mutator: mutant.mutator.into(),
            label: mutant.mutator.into(),
            element: scope.clone(),
            node: scope,
            at: at_operator,
            original: mutant.original.clone(),
            replacement: mutant.replacement.clone(),
            ..MutantFinding::undecided(self.ids[at].clone(), Origin::Span(span))
        }
    }
}

/// The lines that a diff adds, by file.
type Touched = BTreeMap<FileId, BTreeSet<u32>>;

fn passed(by: &str) -> Option<MutantAudit> {
    Some(MutantAudit {
        result: audits::mark(true),
        by: Some(by.into()),
        reason: None,
    })
}
