//! `proofmark mutate`: which faults would the properties not notice?

use crate::arguments::{Acceptable, Mutate, Printing};
use crate::ending::{Found, exit, findings, text};
use crate::exit::Exit;
use crate::exports::write_stryker;
use crate::glob::matches;
use crate::ivc::{report_oracle_error, warn_unaudited};
use crate::journal::Journal;
use crate::models::{Examination, Examined, Report, Scope};
use crate::mutants::{Mutants, position};
use crate::record::{Recorder, survivors};
use crate::reuse::former;
use crate::session::{self, Asked, Opened, Session};
use crate::settings::Suppressions;
use crate::{diff, elements, faults, listing, outputs, page, programs, recheck, terminal};
use proofmark_lang::{Design, LANGUAGES, Languages};
use proofmark_model::{Role, Term};
use proofmark_quality::mutate::{
    Campaign, CampaignError, MutableModel, Mutation, Observed, Selection,
};
use proofmark_quality::{Elements, Grain, Resources, Verified};
use proofmark_report::{
    Findings, Outcome, Shard, ShownSpan, assumption_text, kills_csv, kills_text, list_text,
    mutant_text,
};
use proofmark_source::nearest;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

impl Examination for Mutate {
    fn printing(&self) -> &Printing {
        &self.printing
    }

    fn of_one_model(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("patch", self.patch.is_some()),
            ("line", !self.line.is_empty()),
            ("in-diff", self.in_diff.is_some()),
            ("shard", self.shard.is_some()),
            ("run-dir", self.run_dir.is_some()),
            ("reuse", self.reuse.is_some()),
            ("use-proof", self.proving.use_proof.is_some()),
        ]
    }

    fn prepare(&self) -> Result<(), Exit> {
        // Netlists and programs have mutators of their own, and which are meant the model tells.
        let is_of_programs = programs::sets(LANGUAGES).any(|name| name == self.mutators);
        if !is_of_programs && faults::selection(&self.mutators).is_err() {
            selection(self)?;
        }
        let named = [
            ("html", self.printing.html.as_ref()),
            ("csv", self.csv.as_ref()),
            ("stryker", self.stryker.as_ref()),
        ];
        outputs::check(&[&named[..], &self.exports.outputs()].concat())?;
        outputs::check_folder("run-dir", self.run_dir.as_ref())
    }

    fn examine(&self, suppressions: &Suppressions, languages: Languages) -> Result<Examined, Exit> {
        match programs::language(languages, &self.subject) {
            Some(language) => programs::mutate::examine(self, language, suppressions),
            None => examine(self, suppressions, languages),
        }
    }

    fn write(&self, report: &Report<'_>, languages: Languages) -> Result<(), Exit> {
        if self.shows_only() {
            return Ok(());
        }
        let findings = report.findings;
        let tolerance = self.printing.tolerance(least(self, findings));
        outputs::all([
            outputs::write(self.csv.as_ref(), || Ok(kills_csv(findings))),
            page::write(&self.printing, report),
            write_stryker(self.stryker.as_ref(), findings, languages),
            self.exports.write(findings, &tolerance),
        ])
    }

    fn exit(&self, findings: &Findings, scope: Scope) -> Exit {
        let least = least(self, findings);
        match scope {
            // Nothing was decided.
            _ if self.shows_only() => Exit::Fine,
            Scope::Alone => exit(&self.printing, least, findings),
            // The threshold is for the score of all models, which no single mutant fails.
            Scope::OneOfSeveral => exit(&self.printing, least.map(|_| 0.0), findings),
            Scope::All if least.is_some() => exit(&self.printing, least, findings),
            Scope::All => Exit::Fine,
        }
    }
}

/// The mutators that are asked for; what is wrong with them has been printed.
fn selection(arguments: &Mutate) -> Result<Selection, Exit> {
    arguments.mutators.parse().map_err(|error| {
        terminal::error(&format!("--mutators: {error}"));
        Exit::Usage
    })
}

/// So many names are told.
const NAMED: usize = 12;

/// The first names, and whether there are more.
fn few(names: &[&str]) -> String {
    let more = if names.len() > NAMED { ", ..." } else { "" };
    let shown = &names[..names.len().min(NAMED)];
    format!("{}{more}", shown.join(", "))
}

/// The least score, if one is asked for. A part of a campaign has no score of its own.
fn least(arguments: &Mutate, findings: &Findings) -> Option<f64> {
    arguments.min_score.filter(|_| findings.shard.is_none())
}

/// Makes the mutants and decides them. What ends that early has been printed.
fn examine(
    arguments: &Mutate,
    suppressions: &Suppressions,
    languages: Languages,
) -> Result<Examined, Exit> {
    let opened = Opened::read(languages, &arguments.subject, &arguments.proving.solver)?;
    let loaded = match opened.load()? {
        Design::Netlist(netlist) => {
            return faults::examine(arguments, suppressions, opened, netlist);
        }
        Design::Words(loaded) => loaded,
    };
    let selection = selection(arguments)?;
    let mut session = Session::new(opened, loaded, &arguments.subject, &arguments.proving)?;
    if let Some(why) = session.language.unmutated {
        let help = "`check`, `ivc` and `cover` work on this one";
        terminal::error(&format!("{why}; {help}"));
        return Err(Exit::Input);
    }
    session.accept_unaudited = arguments.printing.accepts(Acceptable::Unaudited);
    session.lowered.remember(&session.loaded.model);
    let touched = arguments.in_diff.as_ref().map(|name| {
        let model = session.sources.file(session.file());
        diff::read(name, model)
    });
    let touched = touched.transpose()?;
    let asked = session.findings("mutate", options(arguments, &touched), Outcome::Holds);
    let request = MutationRun {
        arguments,
        session: &session,
        selection: &selection,
        suppressions,
        touched: touched.as_ref(),
    };
    let (findings, page, text) = match arguments.shows_only() {
        true => {
            let (findings, text) = request.show(asked)?;
            (findings, None, text)
        }
        false => request.campaign(asked)?,
    };
    let file = session.file();
    Ok(Examined {
        findings,
        page,
        text,
        model: Some((session.sources, file)),
        written: Ok(()),
    })
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
        ("mutant", arguments.mutant.clone().into()),
        ("in_diff", serde_json::json!(touched)),
        ("equivalence", (!arguments.no_equivalence).into()),
        ("budget", arguments.budget.into()),
        ("observe", arguments.observe.clone().into()),
        ("witness", arguments.witness.into()),
        // What the elements are that mutants are in.
        ("grain", "source".into()),
        ("shard", arguments.shard.map(|part| part.to_string()).into()),
    ])
}

/// What is to be mutated, and how.
struct MutationRun<'a> {
    arguments: &'a Mutate,
    session: &'a Session<'a>,
    selection: &'a Selection,
    suppressions: &'a Suppressions,
    /// The lines to look at, if a diff says which.
    touched: Option<&'a BTreeSet<u32>>,
}

impl MutationRun<'_> {
    /// Proves the properties and decides the mutants: what was found, what the page shows, and the text.
    fn campaign(&self, asked: Findings) -> Result<(Findings, Option<Findings>, String), Exit> {
        let (arguments, session) = (self.arguments, self.session);
        let mut journal = match &arguments.run_dir {
            Some(folder) => Journal::open(folder, arguments.resume, &asked)?,
            None => Journal::default(),
        };
        let verified = session.verify(&Asked {
            quiet: arguments.printing.quiet,
            ..Asked::default()
        })?;
        let roles = page::roles(&arguments.printing, session, &verified)?;
        let found = self.run(&verified, &mut journal)?;
        let counted = Elements::of(&session.annotated(), Grain::Source);
        let asked = Findings {
            seconds: session.seconds(),
            elements: elements::findings(session, &counted),
            ..asked
        };
        let findings = findings(asked, session, &verified, found);
        let page = roles.page(&arguments.printing, &findings);
        let text = self.text(&findings);
        Ok((findings, page, text))
    }

    /// A campaign in short, or the mutants that are named in full; nothing where a document is printed.
    fn text(&self, findings: &Findings) -> String {
        let Mutate {
            printing, verbose, ..
        } = self.arguments;
        if printing.json {
            return String::new();
        }
        let in_full = self.arguments.is_about_named() && !printing.quiet;
        let mut text = match findings.mutants.is_empty() && findings.assumptions.is_empty() {
            false if in_full => self.full_text(findings),
            _ => text(printing, *verbose, findings),
        };
        if self.arguments.matrix {
            text.push_str(&kills_text(findings));
        }
        text
    }

    /// Every mutant in full.
    fn full_text(&self, findings: &Findings) -> String {
        let mutable = MutableModel::new(self.session.mutable());
        let style = session::style(&self.arguments.printing);
        let patch = |id: &str| listing::patch_of(id, self.session, &mutable);
        let mutants = findings.mutants.iter();
        let mutants = mutants.map(|one| mutant_text(one, patch(&one.id).as_deref(), &style));
        let assumptions = findings.assumptions.iter();
        let assumptions =
            assumptions.map(|one| assumption_text(one, patch(&one.id).as_deref(), &style));
        let texts: Vec<String> = mutants.chain(assumptions).collect();
        texts.join("\n")
    }

    /// Mutants without deciding anything: no property has to be proved for that.
    fn show(&self, asked: Findings) -> Result<(Findings, String), Exit> {
        let (session, jobs) = (self.session, self.session.jobs());
        let mutable = MutableModel::new(session.mutable());
        if let Some(id) = &self.arguments.patch {
            let patch = listing::patch(id, self.selection, session, &mutable)?;
            return Ok((asked, patch));
        }
        let mut mutations = mutable.mutations(self.selection, jobs).mutations;
        self.check_patterns(&mutable, &mutations)?;
        mutations.retain(|mutation| self.wants(&mutable, mutation));
        if let Some(part) = self.arguments.shard {
            let ids: Vec<String> = mutations.iter().map(|one| mutable.id(one)).collect();
            let ours = part.of(&ids).positions.into_iter();
            mutations = ours.map(|at| mutations[at].clone()).collect();
        }
        let findings = listing::list(session, &mutable, &mutations, asked);
        let text = list_text(&findings);
        Ok((findings, text))
    }

    /// Whether every pattern of `--mutant` names a mutant; those that do not have been printed.
    fn check_patterns(
        &self,
        mutable: &MutableModel<'_>,
        mutations: &[Mutation],
    ) -> Result<(), Exit> {
        let patterns = &self.arguments.mutant;
        match patterns.is_empty() {
            true => Ok(()),
            false => listing::check_patterns(patterns, &listing::ids(mutable, mutations)),
        }
    }

    /// Prepares the campaign and runs it; without a proved property there is none.
    fn run(&self, verified: &Verified, journal: &mut Journal) -> Result<Found, Exit> {
        let session = self.session;
        let open = || session.open_solver();
        let open_auditor = || session.open_stoppable_auditor();
        let engines = session.engines();
        let resources = Resources {
            open: &open,
            engines: &engines,
            jobs: session.jobs(),
            budget: Duration::from_secs_f64(self.arguments.budget),
            deadline: session.deadline(),
            interrupt: &session.interrupt,
        };
        let auditor = session.auditor(&open_auditor);
        let observed = match self.arguments.observe.as_slice() {
            [] => Observed::Outputs,
            names => Observed::Variables(names),
        };
        let model = session.mutable();
        let campaign = Campaign::prepare(model, verified, observed, resources, auditor);
        let campaign = campaign.map_err(|error| self.fail(&error))?;
        let Some(mut campaign) = campaign else {
            terminal::warning(
                "no property was proved, so there is nothing that could notice a fault",
            );
            return Ok(Found::default());
        };
        warn_unaudited(&campaign.unaudited);
        if self.arguments.no_equivalence {
            campaign.observed = None;
        }
        self.decide(&campaign, journal)
    }

    fn fail(&self, error: &CampaignError) -> Exit {
        match error {
            CampaignError::NoVariable(name) => {
                let variables = self.session.system().variables().iter();
                let names: Vec<&str> = variables.map(|one| one.name.as_str()).collect();
                let hint = match nearest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", few(&names)),
                };
                terminal::error(&format!("--observe: {error}; {hint}"));
                Exit::Usage
            }
            CampaignError::Oracle(error) => report_oracle_error(self.session, error),
        }
    }

    /// Makes the mutants that are asked for, and decides them.
    fn decide(&self, campaign: &Campaign<'_>, journal: &mut Journal) -> Result<Found, Exit> {
        let generated = campaign.mutations(self.selection);
        if !self.suppressions.list.is_empty() {
            // What this run leaves out is a mutant all the same.
            let every = "all".parse().unwrap_or_else(|_| self.selection.clone());
            let every = campaign.mutations(&every);
            let all = generated.mutations.iter().chain(&every.mutations);
            let ids = all.map(|one| campaign.id(one)).collect();
            self.suppressions.check(&ids)?;
        }
        let all = generated.mutations.len();
        let (mutations, shard) = self.select(campaign, generated.mutations, journal)?;
        if mutations.is_empty() && all > 0 && shard.is_none() {
            terminal::warning(&format!(
                "the model has {all} mutants, and the options leave out all of them; `proofmark mutate \
                 --list` shows them"
            ));
        }
        if campaign.observes_nothing() {
            self.warn_unobserved();
        }
        let effects = campaign.assumption_effects(&mutations);
        let effects = effects.map_err(|error| report_oracle_error(self.session, &error))?;
        let rechecked = recheck::choose(self.arguments.recheck, journal);
        let evidence = (&*journal, &rechecked);
        let mut former = former(self.arguments, campaign, &mutations, evidence)?;
        former.survivors = survivors(campaign, &mutations, evidence);
        let recorder = Recorder {
            arguments: self.arguments,
            session: self.session,
            campaign,
            mutants: Mutants::new(
                self.session,
                campaign,
                session::shown(self.arguments.all_vars),
            ),
            effects: &effects,
            rechecked: &rechecked,
        };
        let mut findings = recorder.decide(&campaign.plan(&former), &mutations, journal)?;
        let reached = campaign.reached(&mutations);
        for (finding, reached) in findings.iter_mut().zip(reached) {
            finding.reaches = self.names(&reached);
        }
        self.suppressions.apply(&mut findings);
        let ids = mutations.iter().map(|one| campaign.id(one));
        let effects = ids.zip(effects).filter_map(|(id, one)| Some((id, one?)));
        Ok(Found::new(findings, &effects.collect(), shard))
    }

    /// The names of variables.
    fn names(&self, variables: &[Term]) -> Vec<String> {
        let system = self.session.system();
        let known = variables.iter().filter_map(|one| system.variable(*one));
        known.map(|one| one.name.to_string()).collect()
    }

    /// Says that nothing but properties is observed, and what to do about it.
    fn warn_unobserved(&self) {
        let system = self.session.system();
        let properties = system.properties();
        let is_property = |term| properties.iter().any(|one| one.term == term);
        let mut variables = system.variables().iter();
        let example = variables.find(|one| {
            one.role == Role::Local
                && one.origin.path.is_root()
                && one.origin.is_source()
                && !is_property(one.current)
        });
        let example = example.map(|one| format!(", for example `--observe {}`", one.name));
        terminal::warning(&format!(
            "the main node has no outputs but properties, so that nothing tells what else a survivor \
             does: it is NOT OBSERVED and counts as not noticed; name what matters{}",
            example.unwrap_or_else(|| " with `--observe`".into())
        ));
    }

    /// The mutations that are asked for, or those that a former run set out with, and which part of
    /// them is ours.
    fn select(
        &self,
        campaign: &Campaign<'_>,
        mut mutations: Vec<Mutation>,
        journal: &mut Journal,
    ) -> Result<(Vec<Mutation>, Option<Shard>), Exit> {
        let planned = journal.planned();
        if planned.is_none() {
            self.check_patterns(&campaign.mutable, &mutations)?;
        }
        mutations.retain(|mutation| match &planned {
            Some(ids) => ids.contains(campaign.id(mutation).as_str()),
            None => {
                self.wants(&campaign.mutable, mutation)
                    && (!self.arguments.in_core || campaign.is_in_core(mutation))
            }
        });
        let ids: Vec<String> = mutations.iter().map(|one| campaign.id(one)).collect();
        let names = campaign.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        journal.begin(&names, &ids)?;
        let shard = self.arguments.shard.map(|part| part.of(&ids));
        if let Some(shard) = &shard {
            let ours = shard.positions.iter();
            mutations = ours.map(|at| mutations[*at].clone()).collect();
        }
        Ok((mutations, shard))
    }

    /// Whether a mutation is asked for.
    fn wants(&self, mutable: &MutableModel<'_>, mutation: &Mutation) -> bool {
        let arguments = self.arguments;
        let place = position(mutation, &self.session.sources);
        let on_line = place.is_some_and(|place| arguments.line.contains(&place.line));
        let touches = |lines: &BTreeSet<u32>| {
            let span = mutation.location.span();
            let span = span.map(|span| ShownSpan::new(span, &self.session.sources));
            span.is_some_and(|span| lines.range(span.line..=span.end_line).next().is_some())
        };
        let id = mutable.id(mutation);
        let is_named = || arguments.mutant.iter().any(|pattern| matches(pattern, &id));
        (arguments.line.is_empty() || on_line)
            && (arguments.mutant.is_empty() || is_named())
            && self.touched.is_none_or(touches)
    }
}
