//! `proofmark mutate`: which faults would the properties not notice?

use crate::advice;
use crate::arguments::{Acceptable, Mutate, Printing};
use crate::diff;
use crate::exit::Exit;
use crate::exports::write_stryker;
use crate::ivc::{Patience, analyze_units, report_oracle_error};
use crate::journal::Journal;
use crate::kills;
use crate::mutants::{element_ids, position};
use crate::page;
use crate::progress::Campaign;
use crate::reuse::FormerRun;
use crate::session::{self, Asked, Session};
use crate::settings::Suppressions;
use crate::suggest;
use crate::terminal;
use proofmark_lang::Languages;
use proofmark_model::{ElementId, Location, Proof, Role, Term};
use proofmark_quality::mutate::{
    Comparison, Decided, Distinction, Fate, Former, Mutation, MutationChange, News, Plan,
    Selection, Test, campaign, generate, witness,
};
use proofmark_quality::{Request, Resources, Verdict as Judged, joint_proof};
use proofmark_report::{
    Covers, Findings, MutantFinding, MutantVerdict, Origin, Outcome, Position, PropertyFinding,
    Score, Shard, Shown, Span, Trace, Verdict, View, kills_csv, kills_text, mutate_text,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

pub fn run(arguments: &Mutate, suppressions: &Suppressions, languages: Languages) -> Exit {
    match attempt(arguments, suppressions, languages) {
        Ok(exit) | Err(exit) => exit,
    }
}

/// What ends a run early has been printed.
fn attempt(
    arguments: &Mutate,
    suppressions: &Suppressions,
    languages: Languages,
) -> Result<Exit, Exit> {
    let selection: Selection = arguments.mutators.parse().map_err(|error| {
        terminal::error(&format!("--mutators: {error}"));
        Exit::Usage
    })?;
    let mut session = Session::open(languages, &arguments.subject, &arguments.proving)?;
    session.lowered.remember(&session.loaded.model);
    let touched = arguments.in_diff.as_ref().map(|name| {
        let model = session.sources.file(session.file());
        diff::read(name, model)
    });
    let touched = touched.transpose()?;
    let asked = session.findings("mutate", options(arguments, &touched), Outcome::Holds);
    let mut journal = match &arguments.run_dir {
        Some(folder) => Journal::open(folder, arguments.resume, &asked)?,
        None => Journal::default(),
    };
    let verified = session.verify(&Asked {
        quiet: arguments.printing.quiet,
        ..Asked::default()
    })?;
    let roles = page::roles(&arguments.printing, &session, &verified)?;
    let proved = verified.judgements.iter();
    let proved = proved.filter_map(|judgement| match &judgement.verdict {
        Judged::Valid { proof, .. } => Some((judgement.property, proof)),
        _ => None,
    });
    let proved: Vec<(usize, &Proof)> = proved.collect();
    let (mut mutants, mut shard) = (Vec::new(), None);
    if proved.is_empty() {
        terminal::warning("no property was proved, so there is nothing that could notice a fault");
    } else {
        let properties: Vec<usize> = proved.iter().map(|(at, _)| *at).collect();
        let proof = joint_proof(proved.iter().map(|(_, proof)| *proof));
        let case = Case {
            touched: touched.as_ref(),
            ..Case::new(arguments, &session, properties, &proof)?
        };
        (mutants, shard) = case.run(&selection, suppressions, &mut journal)?;
        suppressions.apply(&mut mutants);
    }
    let asked = Findings {
        seconds: session.seconds(),
        shard,
        ..asked
    };
    let findings = findings(asked, &session, &verified, mutants);
    if let Some(path) = &arguments.csv {
        session::write_file(path, kills_csv(&findings))?;
    }
    page::write_campaign(&arguments.printing, &findings, &session, roles)?;
    write_stryker(arguments.stryker.as_ref(), &findings, languages)?;
    arguments.exports.write(&findings)?;
    print(&arguments.printing, arguments.verbose, &findings)?;
    if arguments.matrix && !arguments.printing.json {
        session::print(&kills_text(&findings))?;
    }
    // A part of a campaign has no score of its own.
    let min_score = arguments.min_score.filter(|_| findings.shard.is_none());
    Ok(exit(&arguments.printing, min_score, &findings))
}

/// Which part of the time may go into a core of the proof.
const CORE_SHARE: u32 = 10;

/// A campaign to be run.
struct Case<'a> {
    arguments: &'a Mutate,
    session: &'a Session<'a>,
    properties: Vec<usize>,
    proof: Proof,
    core: FxHashSet<ElementId>,
    /// The id of the element that each equation belongs to.
    elements: FxHashMap<ElementId, String>,
    /// The lines to look at, if a diff says which.
    touched: Option<&'a BTreeSet<u32>>,
    /// What runs show that kill by a property.
    views: OnceCell<BTreeMap<usize, View>>,
}

impl<'a> Case<'a> {
    /// A core of the proof decides many mutants; it is audited like any other.
    fn new(
        arguments: &'a Mutate,
        session: &'a Session<'a>,
        properties: Vec<usize>,
        proof: &Proof,
    ) -> Result<Case<'a>, Exit> {
        let units: Vec<Vec<ElementId>> = session.system().ids().map(|id| vec![id]).collect();
        // A smaller core decides more mutants; the search for it must not take what they need.
        let now = Instant::now();
        let share = |end: Instant| now + end.saturating_duration_since(now) / CORE_SHARE;
        let patience = Patience {
            budget: Duration::from_secs_f64(arguments.budget),
            deadline: session.deadline().map(share),
        };
        let request = Request::default();
        let analysis = analyze_units(
            session,
            &properties,
            proof,
            &units,
            &request,
            patience,
            &mut |_| (),
        )?;
        let found = analysis.cores.into_iter().next();
        let (proof, core) = match found {
            Some(core) => {
                let ids = core.units.iter().map(|at| ElementId(*at as u32));
                (core.proof, ids.collect())
            }
            None => (proof.clone(), session.system().ids().collect()),
        };
        Ok(Case {
            arguments,
            session,
            properties,
            proof,
            core,
            elements: element_ids(session),
            touched: None,
            views: OnceCell::new(),
        })
    }

    fn run(
        &self,
        selection: &Selection,
        suppressions: &Suppressions,
        journal: &mut Journal,
    ) -> Result<(Vec<MutantFinding>, Option<Shard>), Exit> {
        let session = self.session;
        let goals: FxHashSet<Term> = session
            .system()
            .properties()
            .iter()
            .map(|property| property.term)
            .collect();
        let mutable = |id: ElementId| {
            let target = session.loaded.model.target(id, session.system());
            target.is_none_or(|target| !goals.contains(&target))
        };
        let (model, lowered) = (&session.loaded.model, &session.lowered);
        let generate = |selection| generate(model, lowered, &mutable, selection, session.jobs());
        let generated = generate(selection);
        if !suppressions.list.is_empty() {
            // What this run leaves out is a mutant all the same.
            let every = "all".parse().unwrap_or_else(|_| selection.clone());
            let every = generate(&every);
            let all = generated.mutations.iter().chain(&every.mutations);
            suppressions.check(&all.map(|one| self.id(one)).collect())?;
        }
        let (mutations, shard) = self.select(generated.mutations, journal)?;
        let open = || session.open_solver();
        let open_auditor = || session.open_auditor();
        let engines = session.engines();
        let observed = self.observed()?;
        let mut former = self.former(&mutations)?;
        former.survivors = self.survivors(&mutations, journal);
        let plan = Plan {
            former: &former,
            lowered: &session.lowered,
            properties: &self.properties,
            proof: &self.proof,
            core: &self.core,
            observed: (!self.arguments.no_equivalence).then_some(&observed[..]),
            resources: Resources {
                open: &open,
                engines: &engines,
                jobs: session.jobs(),
                budget: Duration::from_secs_f64(self.arguments.budget),
                deadline: session.deadline(),
                interrupt: &session.interrupt,
            },
            auditor: session.audits().then_some(&open_auditor),
        };
        let findings = self.decide(&plan, &mutations, journal)?;
        Ok((findings, shard))
    }

    /// What a former run leaves to try first, if one is named.
    fn former(&self, mutations: &[Mutation]) -> Result<Former, Exit> {
        let Some(path) = &self.arguments.reuse else {
            return Ok(Former::default());
        };
        let (run, system) = (FormerRun::read(path)?, self.session.system());
        let numbered = mutations.iter().enumerate();
        let runs = numbered.filter_map(|(at, one)| Some((at, run.run(&self.id(one), system)?)));
        Ok(Former {
            runs: runs.collect(),
            lemmas: run.lemmas(system, &self.arguments.proving.solver),
            ..Former::default()
        })
    }

    /// The mutations that the run, before it was interrupted, knew to survive.
    fn survivors(&self, mutations: &[Mutation], journal: &Journal) -> FxHashMap<usize, Decided> {
        let numbered = mutations.iter().enumerate();
        let known = numbered.filter_map(|(at, mutation)| {
            let finding = journal.survives(&self.id(mutation))?;
            let decided = Decided {
                fate: Fate::Survived { comparison: None },
                by: Test::named(&finding.decided_by)?,
                time: Duration::try_from_secs_f64(finding.seconds).ok()?,
                queries: finding.queries,
                proof: None,
            };
            Some((at, decided))
        });
        known.collect()
    }

    /// The mutations that are asked for, or those that a former run set out with, and which part of
    /// them is ours.
    fn select(
        &self,
        mut mutations: Vec<Mutation>,
        journal: &mut Journal,
    ) -> Result<(Vec<Mutation>, Option<Shard>), Exit> {
        let planned = journal.planned();
        mutations.retain(|mutation| match &planned {
            Some(ids) => ids.contains(self.id(mutation).as_str()),
            None => self.wants(mutation),
        });
        let ids: Vec<String> = mutations.iter().map(|one| self.id(one)).collect();
        let properties = self.session.system().properties();
        let proved = self
            .properties
            .iter()
            .map(|at| properties[*at].name.as_str());
        journal.begin(&proved.collect::<Vec<_>>(), &ids)?;
        let shard = self.arguments.shard.map(|part| part.of(&ids));
        if let Some(shard) = &shard {
            let ours = shard.positions.iter();
            mutations = ours.map(|at| mutations[*at].clone()).collect();
        }
        Ok((mutations, shard))
    }

    /// Decides what a former run has not decided.
    fn decide(
        &self,
        plan: &Plan<'_>,
        mutations: &[Mutation],
        journal: &mut Journal,
    ) -> Result<Vec<MutantFinding>, Exit> {
        let former = |one: &Mutation| journal.decided(&self.id(one)).cloned();
        let mut findings: Vec<Option<MutantFinding>> = mutations.iter().map(former).collect();
        let known: Vec<bool> = findings.iter().map(Option::is_some).collect();
        let count = known.iter().filter(|known| **known).count();
        let mut progress = Campaign::new(count, self.arguments.printing.quiet);
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
            progress.hear(&findings);
        });
        let decided = decided.map_err(|error| report_oracle_error(self.session, &error))?;
        written?;
        self.witnesses(plan, mutations, &decided, &mut findings, journal)?;
        let rows = kills::rows(self.arguments, self.session, plan, mutations, &decided)?;
        let suggestions = suggest::texts(self.arguments, self.session, plan, mutations, &decided)?;
        for (finding, texts) in findings.iter_mut().zip(suggestions) {
            if let Some(finding) = finding.as_mut().filter(|_| !texts.is_empty()) {
                finding.suggestions = texts;
                // The later line is the better one.
                journal.write(finding)?;
            }
        }
        let names = self.names();
        for (at, row) in rows.iter().flatten().enumerate() {
            // What a former run decided has no cells.
            if let (false, Some(finding)) = (known[at], &mut findings[at]) {
                kills::tell(row, &names, finding);
            }
        }
        Ok(findings.into_iter().flatten().collect())
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
        let mut finding = self.finding(mutation, decided);
        let known = journal.survives(&finding.id);
        if let Some(known) = known {
            finding.certificate.clone_from(&known.certificate);
        }
        let written = match news {
            News::Survives(_) if known.is_some() => Ok(()),
            News::Survives(_) => journal.write_survivor(&finding),
            News::Decided(_) => {
                // With more time it may come to something else.
                let resources = &plan.resources;
                let short = matches!(decided.fate, Fate::Unknown { cut: true, .. });
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

    /// Shows each gap by a run that goes through as much as it can, when that is asked for.
    fn witnesses(
        &self,
        plan: &Plan<'_>,
        mutations: &[Mutation],
        decided: &[Option<Decided>],
        findings: &mut [Option<MutantFinding>],
        journal: &mut Journal,
    ) -> Result<(), Exit> {
        if !self.arguments.witness {
            return Ok(());
        }
        for (at, finding) in findings.iter_mut().enumerate() {
            let Some(Fate::Survived {
                comparison: Some(Comparison::Different(distinction)),
            }) = decided[at].as_ref().map(|one| &one.fate)
            else {
                continue;
            };
            if plan.resources.exhausted() {
                break;
            }
            let found = witness(plan, &mutations[at], distinction);
            let found = found.map_err(|error| report_oracle_error(self.session, &error))?;
            if let (Some(found), Some(finding)) = (found, finding) {
                self.gap(&found.distinction, finding);
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

    /// The element, the mutator, and which of its mutations this is.
    fn id(&self, mutation: &Mutation) -> String {
        let element = self.element(mutation);
        format!("{element}#{}#{}", mutation.mutator, mutation.ordinal)
    }

    fn element(&self, mutation: &Mutation) -> &str {
        let element = self.elements.get(&mutation.element);
        element.unwrap_or(&self.session.loaded.facts.main)
    }

    /// The names of the properties.
    fn names(&self) -> Vec<String> {
        let all = self.session.system().properties();
        let properties = self.properties.iter();
        properties.map(|at| all[*at].name.clone()).collect()
    }

    /// Whether a mutation is asked for.
    fn wants(&self, mutation: &Mutation) -> bool {
        let arguments = self.arguments;
        let in_core = || mutation.elements().iter().any(|id| self.core.contains(id));
        let place = position(mutation, self.session.language, &self.session.sources);
        let on_line = place.is_some_and(|place| arguments.line.contains(&place.line));
        let touches = |lines: &BTreeSet<u32>| {
            let span = mutation.location.span();
            let span = span.map(|span| Span::new(span, &self.session.sources));
            span.is_some_and(|span| lines.range(span.line..=span.end_line).next().is_some())
        };
        (arguments.line.is_empty() || on_line)
            && (!arguments.in_core || in_core())
            && self.touched.is_none_or(touches)
    }

    /// What is observed: the outputs of the main node, or what the command line names.
    fn observed(&self) -> Result<Vec<Term>, Exit> {
        let system = self.session.system();
        if self.arguments.observe.is_empty() {
            let outputs = system.variables().iter();
            let outputs = outputs.filter(|one| one.role == Role::Output);
            let all = system.properties();
            let terms: FxHashSet<Term> = self.properties.iter().map(|at| all[*at].term).collect();
            // A proved property is always true, whoever looks.
            let seen = outputs.map(|one| one.current);
            let seen: Vec<Term> = seen.filter(|one| !terms.contains(one)).collect();
            if seen.is_empty() && !self.arguments.no_equivalence {
                terminal::warning(
                    "the main node has no outputs but properties, so that survivors count as equivalent \
                     unless assumptions accept other runs; --observe names variables that matter",
                );
            }
            return Ok(seen);
        }
        let mut observed = Vec::new();
        for name in &self.arguments.observe {
            let known = system
                .variables()
                .iter()
                .find(|one| one.name.as_str() == name);
            let Some(variable) = known else {
                terminal::error(&format!("--observe: the model has no variable `{name}`"));
                return Err(Exit::Usage);
            };
            observed.push(variable.current);
        }
        Ok(observed)
    }

    fn finding(&self, mutation: &Mutation, decided: &Decided) -> MutantFinding {
        let session = self.session;
        let place = position(mutation, session.language, &session.sources);
        let mut finding = MutantFinding {
            id: self.id(mutation),
            mutator: mutation.mutator.into(),
            label: mutation.label.clone(),
            element: self.element(mutation).into(),
            origin: Origin::new(mutation.location, &session.sources),
            at: place.map(|place| Position {
                line: place.line,
                column: place.column,
            }),
            original: self.original(mutation),
            replacement: self.replacement(mutation),
            verdict: MutantVerdict::Unknown,
            decided_by: decided.by.as_str().into(),
            killed_by: Vec::new(),
            step: None,
            trace: None,
            original_trace: None,
            differs: Vec::new(),
            covers: None,
            matrix: BTreeMap::new(),
            suggestions: Vec::new(),
            certificate: decided
                .proof
                .as_ref()
                .map(|proof| advice::document(std::iter::once(proof))),
            reason: None,
            suppressed: None,
            queries: decided.queries,
            seconds: decided.time.as_secs_f64(),
        };
        self.tell(mutation, &decided.fate, &mut finding);
        finding
    }

    /// What a run shows that kills by a property, given by its position.
    fn view(&self, property: usize) -> Option<&View> {
        let system = self.session.system();
        let views = self.views.get_or_init(|| {
            let properties = self.properties.iter();
            let views = properties.map(|at| (*at, View::of_kills(system, *at)));
            views.collect()
        });
        views.get(&property)
    }

    fn tell(&self, mutation: &Mutation, fate: &Fate, finding: &mut MutantFinding) {
        let system = self.session.system();
        let name = |at: &usize| system.properties()[*at].name.clone();
        match fate {
            Fate::Killed { by, refutation } => {
                finding.verdict = MutantVerdict::Killed;
                finding.killed_by = by.iter().map(name).collect();
                finding.step = Some(refutation.step);
                let model = &self.session.loaded.model;
                let changed = mutation.elements();
                let changed = changed.iter().filter_map(|id| model.target(*id, system));
                let changed: Vec<Term> = changed.collect();
                let (run, step) = (&refutation.trace, refutation.step as usize);
                let view = by.first().and_then(|at| self.view(*at));
                finding.trace = view.map(|view| Trace::seen(system, run, step, view, &changed));
            }
            Fate::Vacuous { why } => {
                finding.verdict = MutantVerdict::Vacuous;
                finding.reason = Some(why.clone());
            }
            Fate::NotValid { why } => {
                finding.verdict = MutantVerdict::NotValid;
                finding.reason = Some(why.clone());
            }
            Fate::Unknown { steps, why, .. } => {
                finding.step = Some(*steps);
                finding.reason = Some(format!("{why}; no kill in {steps} steps"));
            }
            Fate::Survived { comparison } => match comparison {
                None => finding.verdict = MutantVerdict::Survived,
                Some(Comparison::Equivalent) => finding.verdict = MutantVerdict::Equivalent,
                Some(Comparison::Different(distinction)) => self.gap(distinction, finding),
                Some(Comparison::Unknown { why }) => {
                    finding.verdict = MutantVerdict::Survived;
                    finding.reason = Some(format!("not known whether it is equivalent: {why}"));
                }
            },
        }
    }

    fn gap(&self, distinction: &Distinction, finding: &mut MutantFinding) {
        let system = self.session.system();
        finding.verdict = MutantVerdict::Gap;
        finding.step = Some(distinction.step as u32);
        let names = distinction.variables.iter();
        let names = names.filter_map(|term| Some(system.variable(*term)?.name.to_string()));
        finding.differs = names.collect();
        if finding.differs.is_empty() {
            finding.differs.push("whether the run is accepted".into());
        }
        let runs = [&distinction.original, &distinction.mutant];
        let [original, mutant] = Trace::pair(system, runs, &distinction.variables);
        finding.original_trace = Some(original);
        finding.trace = Some(mutant);
    }

    /// What stands in the source.
    fn original(&self, mutation: &Mutation) -> String {
        let span = match mutation.location {
            Location::Span(span) => span,
            Location::Name { name, index } => return format!("{name} {index}"),
        };
        let text = self.session.sources.file(span.file).text();
        let text = text.get(span.start as usize..span.end as usize);
        let words: Vec<&str> = text.unwrap_or("").split_whitespace().collect();
        words.join(" ")
    }

    fn replacement(&self, mutation: &Mutation) -> String {
        let Some(after) = &mutation.after else {
            return "nothing: any value".into();
        };
        let language = self.session.language;
        match &mutation.change {
            MutationChange::Replace(_)
                if mutation.place == proofmark_quality::mutate::MutationPlace::Equation =>
            {
                (language.element)(&self.original(mutation), after)
            }
            _ => (language.expression)(after),
        }
    }
}

/// What the command line asks for.
fn options(
    arguments: &Mutate,
    touched: &Option<BTreeSet<u32>>,
) -> BTreeMap<&'static str, serde_json::Value> {
    BTreeMap::from([
        ("mutators", arguments.mutators.clone().into()),
        ("in_core", arguments.in_core.into()),
        ("line", arguments.line.clone().into()),
        ("in_diff", serde_json::json!(touched)),
        ("equivalence", (!arguments.no_equivalence).into()),
        ("budget", arguments.budget.into()),
        ("observe", arguments.observe.clone().into()),
        ("witness", arguments.witness.into()),
        ("shard", arguments.shard.map(|part| part.to_string()).into()),
    ])
}

fn findings(
    asked: Findings,
    session: &Session<'_>,
    verified: &proofmark_quality::Verified,
    mutants: Vec<MutantFinding>,
) -> Findings {
    let properties = session.property_findings(verified, Shown::Relevant);
    let proved = properties
        .iter()
        .filter(|one| one.verdict == Verdict::Valid);
    let names: Vec<String> = proved.map(|one| one.name.clone()).collect();
    let worth = kills::summary(&names, &mutants);
    let mut audit = session::audit_summary(verified);
    if let Some(audit) = &mut audit
        && !audit.by.iter().any(|one| one == "simulator")
    {
        audit.by.push("simulator".into());
    }
    Findings {
        audit,
        outcome: outcome(&properties, &mutants),
        properties,
        score: (!mutants.is_empty()).then(|| Score::of(&mutants)),
        mutants,
        worth,
        ..asked
    }
}

/// What a campaign comes to.
pub fn outcome(properties: &[PropertyFinding], mutants: &[MutantFinding]) -> Outcome {
    if mutants.iter().any(MutantFinding::is_gap) {
        Outcome::Found
    } else if mutants.is_empty() || mutants.iter().any(is_unknown) {
        Outcome::Inconclusive
    } else {
        crate::check::outcome(properties)
    }
}

pub fn print(printing: &Printing, verbose: bool, findings: &Findings) -> Result<(), Exit> {
    if printing.json {
        return session::print_json(findings);
    }
    session::print(&mutate_text(findings, &session::style(printing), verbose))
}

fn is_unknown(mutant: &MutantFinding) -> bool {
    mutant.verdict == MutantVerdict::Unknown && mutant.suppressed.is_none()
}

/// How a campaign ends. With a threshold, the score decides and no single mutant; what is unknown
/// counts against it already.
pub fn exit(printing: &Printing, min_score: Option<f64>, findings: &Findings) -> Exit {
    let accepts = |what| printing.accepts(what);
    let mutants = &findings.mutants;
    let properties = crate::check::outcome(&findings.properties);
    let (found, unknown) = match (min_score, &findings.score) {
        (Some(least), Some(score)) => (is_below(score, least), false),
        _ => (
            mutants.iter().any(MutantFinding::is_gap) && !accepts(Acceptable::Gap),
            mutants.iter().any(is_unknown),
        ),
    };
    let unknown = unknown || properties == Outcome::Inconclusive;
    if found || properties == Outcome::Found {
        Exit::Found
    } else if mutants.is_empty() || (unknown && !accepts(Acceptable::Unknown)) {
        Exit::Inconclusive
    } else {
        Exit::Fine
    }
}

/// Whether a score is below a threshold, which is told.
fn is_below(score: &Score, least: f64) -> bool {
    let below = score.low < least;
    if below {
        let (low, least) = (100.0 * score.low, 100.0 * least);
        let unknown = match score.unknown + score.survived {
            0 => String::new(),
            count => format!("; {count} mutants that are not decided count as unnoticed"),
        };
        terminal::error(&format!(
            "the score is {low:.1} %, below the {least:.1} % of --min-score{unknown}"
        ));
    }
    below
}
