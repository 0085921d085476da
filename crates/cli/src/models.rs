//! The commands that examine models: one, or several with one summary and one report.
//!
//! Each model is examined as if it were alone, with the settings and suppressions that the
//! configuration has for it. Of several, what each command prints is a block under the name of the
//! model; then comes a line for all. A model that cannot be examined is told, and the others go on.

use crate::arguments::{Command, Printing};
use crate::exit::Exit;
use crate::settings::{Run, Suppressions};
use crate::{interrupt, outputs, session, terminal};
use proofmark_lang::Languages;
use proofmark_report::{Findings, Style, combine, combined_text};
use proofmark_source::{FileId, SourceFile, Sources};

/// A command that examines a model.
pub trait Examination {
    fn printing(&self) -> &Printing;

    /// The options that are about one model, and whether they are given.
    fn of_one_model(&self) -> Vec<(&'static str, bool)>;

    /// Whether the run can begin: what is wrong before any model is read has been printed.
    fn prepare(&self) -> Result<(), Exit>;

    /// Examines the model. What ends that early has been printed.
    fn examine(&self, suppressions: &Suppressions, languages: Languages) -> Result<Examined, Exit>;

    /// Writes the files that are named, each whatever becomes of the others.
    fn write(&self, report: &Report<'_>, languages: Languages) -> Result<(), Exit>;

    /// How a run with these findings ends.
    fn exit(&self, findings: &Findings, scope: Scope) -> Exit;
}

/// What findings are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The only model.
    Alone,
    /// One model among others.
    OneOfSeveral,
    /// All of several models, each of which has been judged.
    All,
}

/// What became of one model.
pub struct Examined {
    pub findings: Findings,
    /// What the page shows, if that is more than what was found.
    pub page: Option<Findings>,
    /// What is printed where no document is.
    pub text: String,
    /// The model; nothing where it is no text.
    pub model: Option<(Sources, FileId)>,
    /// Whether the files were written that only the examination could write.
    pub written: Result<(), Exit>,
}

/// What is written to files.
pub struct Report<'r> {
    pub findings: &'r Findings,
    /// What the page shows.
    pub page: &'r Findings,
    /// The models that are text.
    pub sources: &'r [&'r SourceFile],
}

/// Examines the only model.
pub fn run_alone(
    command: &dyn Examination,
    suppressions: &Suppressions,
    languages: Languages,
) -> Exit {
    let attempt = || {
        command.prepare()?;
        let examined = command.examine(suppressions, languages)?;
        let findings = &examined.findings;
        let report = Report {
            findings,
            page: examined.page.as_ref().unwrap_or(findings),
            sources: &Vec::from_iter(source(&examined)),
        };
        let written = [examined.written, command.write(&report, languages)];
        match command.printing().json {
            true => session::print_json(findings)?,
            false => session::print(&examined.text)?,
        }
        outputs::all(written)?;
        Ok(command.exit(findings, Scope::Alone))
    };
    match attempt() {
        Ok(exit) | Err(exit) => exit,
    }
}

fn source(examined: &Examined) -> Option<&SourceFile> {
    let (sources, file) = examined.model.as_ref()?;
    Some(sources.file(*file))
}

/// Examines several models.
pub fn run_all(runs: &[Run], languages: Languages) -> Exit {
    let attempt = || {
        let models: Vec<Model<'_>> = runs.iter().filter_map(Model::of).collect();
        let Some(first) = models.first() else {
            return Ok(Exit::Fine);
        };
        first.command.prepare()?;
        models.iter().try_for_each(|one| refuse(one.command))?;
        let examined = examine_all(&models, languages)?;
        examined.tell(first.command, languages)
    };
    match attempt() {
        Ok(exit) | Err(exit) => exit,
    }
}

/// A model, and what is asked about it.
struct Model<'r> {
    file: &'r str,
    command: &'r dyn Examination,
    suppressions: &'r Suppressions,
}

impl Model<'_> {
    fn of(run: &Run) -> Option<Model<'_>> {
        let (file, command): (&str, &dyn Examination) = match &run.arguments.command {
            Command::Check(one) => (&one.subject.file, &**one),
            Command::Ivc(one) => (&one.subject.file, &**one),
            Command::Mutate(one) => (&one.subject.file, &**one),
            Command::Cover(one) => (&one.subject.file, &**one),
            _ => return None,
        };
        Some(Model {
            file,
            command,
            suppressions: &run.suppressions,
        })
    }
}

/// Options that are about one model are refused, so that none is applied to the wrong one.
fn refuse(command: &dyn Examination) -> Result<(), Exit> {
    let options = command.of_one_model();
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            terminal::error(&format!(
                "--{option} is for one model, and several are named; run it with one of them"
            ));
            Err(Exit::Usage)
        }
    }
}

/// What became of all models.
struct ExaminedModels {
    examined: Vec<Examined>,
    /// Those that could not be examined.
    failed: Vec<String>,
    /// The worst of the models.
    exit: Exit,
}

/// Examines the models one after the other, and prints what was found unless that is one document.
fn examine_all(models: &[Model<'_>], languages: Languages) -> Result<ExaminedModels, Exit> {
    let mut all = ExaminedModels {
        examined: Vec::new(),
        failed: Vec::new(),
        exit: Exit::Fine,
    };
    let (interrupt, _) = interrupt::of_run();
    for (at, model) in models.iter().enumerate() {
        let Model { file, command, .. } = model;
        if interrupt.is_set() {
            all.failed.push(file.to_string());
            all.exit = all.exit.worse(Exit::Inconclusive);
            terminal::error(&format!("{file} was not examined: the run was interrupted"));
            continue;
        }
        let json = command.printing().json;
        if !json {
            session::print(&heading(at, file, &session::style(command.printing())))?;
        }
        let exit = match command.examine(model.suppressions, languages) {
            Ok(one) => {
                if !json {
                    session::print(&one.text)?;
                }
                let exit = command.exit(&one.findings, Scope::OneOfSeveral);
                all.examined.push(one);
                exit
            }
            Err(exit) => {
                // Not every message before it says which model it is about.
                terminal::error(&format!("{file} was not examined"));
                all.failed.push(file.to_string());
                exit
            }
        };
        all.exit = all.exit.worse(exit);
    }
    Ok(all)
}

/// Stands above what is told of a model.
fn heading(at: usize, file: &str, style: &Style) -> String {
    let between = if at == 0 { "" } else { "\n" };
    match style.colour {
        true => format!("{between}\x1b[1m{file}:\x1b[0m\n"),
        false => format!("{between}{file}:\n"),
    }
}

impl ExaminedModels {
    /// Prints and writes what was found of all together.
    fn tell(self, command: &dyn Examination, languages: Languages) -> Result<Exit, Exit> {
        let (mut found, mut pages, mut models, mut written) = (vec![], vec![], vec![], vec![]);
        for one in self.examined {
            found.push(one.findings);
            pages.push(one.page);
            models.extend(one.model);
            written.push(one.written);
        }
        let Some(whole) = combine(found, &self.failed) else {
            return Ok(self.exit);
        };
        let pages: Option<Vec<Findings>> = pages.into_iter().collect();
        let page = pages.and_then(|pages| combine(pages, &self.failed));
        let models = models.iter();
        let sources: Vec<&SourceFile> = models.map(|(all, file)| all.file(*file)).collect();
        let report = Report {
            findings: &whole,
            page: page.as_ref().unwrap_or(&whole),
            sources: &sources,
        };
        written.push(command.write(&report, languages));
        let printing = command.printing();
        if printing.json {
            session::print_json(&whole)?;
        } else if !printing.quiet || whole.score.is_some() {
            session::print(&format!("\n{}", combined_text(&whole)))?;
        }
        outputs::all(written)?;
        Ok(self.exit.worse(command.exit(&whole, Scope::All)))
    }
}
