//! The command line, completed by what the configuration sets.
//!
//! An option that the command line does not have is written into it, as if somebody had typed it; so
//! the configuration knows every option, and every option is checked in one place. When clap does
//! not like the outcome, the setting that it does not like is found and shown.

use crate::arguments::Arguments;
use crate::config::{Config, Known, NAME, Setpoint, Setting, Suppression, find};
use crate::exit::Exit;
use crate::files::{self, Models};
use crate::terminal;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use proofmark_lang::Languages;
use proofmark_source::{Diagnostic, Sources};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The commands that a configuration is for.
const COMMANDS: [&str; 5] = ["check", "ivc", "mutate", "merge", "slice"];
/// Options that decide whether there is a configuration, or are no settings.
const NOT_SETTINGS: [&str; 7] = [
    "config",
    "no-config",
    "explain",
    "help",
    "version",
    "list",
    "patch",
];
/// Options that ask for something else than the command does by itself; settings that do not go with
/// them say how that is to be done, and are left out.
const INSTEAD: [&str; 2] = ["list", "patch"];

/// Mutants that may stay unnoticed, with the places where that is said.
#[derive(Default)]
pub struct Suppressions {
    pub list: Vec<Suppression>,
    pub sources: Sources,
}

/// What is about the run as a whole and not about one of its models: the same for all of them, by the
/// ids of the options.
const OF_THE_RUN: [&str; 16] = [
    "json",
    "quiet",
    "html",
    "accept",
    "list",
    "matrix",
    "csv",
    "lcov",
    "jkind_xml",
    "stryker",
    "sarif",
    "junit",
    "vcd",
    "fst",
    "github",
    "min_score",
];

/// A command line for one model, or one that is about none.
pub struct Run {
    pub arguments: Arguments,
    pub suppressions: Suppressions,
}

/// What a command line asks for.
pub enum Parsed {
    One(Box<Run>),
    /// Models that are told as several, with one summary and one report.
    Several(Vec<Run>),
}

/// The arguments and the suppressions for each model. What is wrong has been printed.
pub fn parse(words: Vec<OsString>, languages: Languages) -> Result<Parsed, Exit> {
    let words = explanation(words);
    let typed = matches(&words).map_err(|error| complain(&error))?;
    let names = named(&typed, "models");
    if names.is_empty() {
        let file = named(&typed, "file");
        let (_, run) = complete(&words, typed, file.first().map(String::as_str))?;
        return Ok(Parsed::One(Box::new(run)));
    }
    let files = match files::expand(&names, languages)? {
        Models::One(file) => {
            let (_, run) = complete(&words, typed, Some(&file))?;
            return Ok(Parsed::One(Box::new(run)));
        }
        Models::Program(files) => {
            let (_, mut run) = complete(&words, typed, files.first().map(String::as_str))?;
            run.arguments.command.set_files(files);
            return Ok(Parsed::One(Box::new(run)));
        }
        Models::Several(files) => files,
    };
    let completed = files
        .iter()
        .map(|file| complete(&words, typed.clone(), Some(file)));
    let completed: Vec<(ArgMatches, Run)> = completed.collect::<Result<_, Exit>>()?;
    let all: Vec<&ArgMatches> = completed.iter().map(|(matches, _)| matches).collect();
    agree(&files, &all)?;
    let runs = completed.into_iter().map(|(_, run)| run);
    Ok(Parsed::Several(runs.collect()))
}

/// The command line with what the configuration sets for a model.
fn complete(
    words: &[OsString],
    typed: ArgMatches,
    model: Option<&str>,
) -> Result<(ArgMatches, Run), Exit> {
    let arguments = Arguments::from_arg_matches(&typed).map_err(|error| complain(&error))?;
    let inner = typed.subcommand();
    let path = inner.and_then(|(name, _)| path(&arguments, name, model));
    let Some(((name, inner), path)) = inner.zip(path) else {
        let run = Run::new(arguments, Suppressions::default(), model);
        return Ok((typed, run));
    };
    let config = Config::read(&path, &known())?;
    let settings = config.settings(name, model);
    let added: Vec<(&Setting, OsString)> = settings
        .into_iter()
        .filter_map(|one| Some((one, word(one, name, inner, &config)?)))
        .map(|(one, word)| word.map(|word| (one, word)))
        .collect::<Result<_, Exit>>()?;
    let all: Vec<OsString> = added.iter().map(|(_, word)| word.clone()).collect();
    tell_settings(&path, &all);
    let completed = insert(words, name, &all).and_then(|words| matches(&words));
    let completed = completed.and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((matches, arguments))
    });
    let completed = completed.map_err(|error| blame(&error, words, name, &added, &config));
    let (matches, arguments) = completed?;
    let list = model.map_or(Vec::new(), |model| config.suppressions(model));
    let sources = config.sources;
    let run = Run::new(arguments, Suppressions { list, sources }, model);
    Ok((matches, run))
}

impl Run {
    fn new(mut arguments: Arguments, suppressions: Suppressions, model: Option<&str>) -> Run {
        if let Some(model) = model {
            arguments.command.set_model(model);
        }
        Run {
            arguments,
            suppressions,
        }
    }
}

/// Whether the models agree in what is about the run as a whole; what they do not has been printed.
fn agree(files: &[String], all: &[&ArgMatches]) -> Result<(), Exit> {
    let value = |matches: &ArgMatches, id: &str| -> Vec<OsString> {
        let inner = matches.subcommand().map(|(_, inner)| inner);
        let values = inner.and_then(|inner| inner.try_get_raw(id).ok().flatten());
        values.into_iter().flatten().map(OsString::from).collect()
    };
    for id in OF_THE_RUN {
        let differs = |other: &&ArgMatches| value(all[0], id) != value(other, id);
        if let Some(at) = all.iter().position(differs) {
            let (option, first, other) = (id.replace('_', "-"), &files[0], &files[at]);
            terminal::error(&format!(
                "--{option} is one for all models, and the configuration sets it differently for \
                 {first} and {other}; type it on the command line, or run the two apart"
            ));
            return Err(Exit::Usage);
        }
    }
    Ok(())
}

/// `--explain WORD`, wherever it stands, is the command of that name: no model is needed to ask.
fn explanation(words: Vec<OsString>) -> Vec<OsString> {
    let mut asked = words.iter().take_while(|word| *word != "--");
    let place = asked.position(|word| {
        let word = word.to_string_lossy();
        word == "--explain" || word.starts_with("--explain=")
    });
    let Some(place) = place else {
        return words;
    };
    let whole = words[place].to_string_lossy().into_owned();
    let word = match whole.strip_prefix("--explain=") {
        Some(word) => Some(OsString::from(word)),
        None => words.get(place + 1).cloned(),
    };
    let command = [words[0].clone(), "explain".into()];
    command.into_iter().chain(word).collect()
}

fn matches(words: &[OsString]) -> Result<ArgMatches, clap::Error> {
    Arguments::command().try_get_matches_from(words)
}

/// Help and version come as errors, too; they belong on standard output and are fine.
fn complain(error: &clap::Error) -> Exit {
    // Errors of the standard streams are ignored.
    let _ = error.print();
    match error.use_stderr() {
        true => Exit::Usage,
        false => Exit::Fine,
    }
}

/// The models that a command is about, as they are named under the id of an argument.
fn named(matches: &ArgMatches, id: &str) -> Vec<String> {
    let inner = matches.subcommand().map(|(_, inner)| inner);
    let names = inner.and_then(|inner| inner.try_get_many::<String>(id).ok().flatten());
    names.into_iter().flatten().cloned().collect()
}

/// Where the configuration is, if there is one.
fn path(arguments: &Arguments, command: &str, model: Option<&str>) -> Option<PathBuf> {
    if arguments.no_config || !COMMANDS.contains(&command) {
        return None;
    }
    // Without a model, that of the folder where we are.
    let near = || find(Path::new(model.unwrap_or(NAME)));
    arguments.config.clone().or_else(near)
}

/// The options of each command.
fn known() -> Vec<Known> {
    let whole = Arguments::command();
    let commands = whole.get_subcommands();
    let mine = commands.filter(|one| COMMANDS.contains(&one.get_name()));
    mine.map(|command| {
        let names = command.get_arguments().filter_map(|one| one.get_long());
        let names = names.filter(|name| !NOT_SETTINGS.contains(name));
        Known {
            command: command.get_name().into(),
            options: names.map(str::to_string).collect(),
        }
    })
    .collect()
}

/// A setting as a word of the command line, unless that has it already or asks for something else,
/// or it changes nothing.
fn word(
    setting: &Setting,
    command: &str,
    matches: &ArgMatches,
    config: &Config,
) -> Option<Result<OsString, Exit>> {
    let whole = Arguments::command();
    let command: &Command = whole.find_subcommand(command)?;
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|one| one.get_long() == Some(&setting.name))?;
    let is_typed =
        |one: &Arg| matches.value_source(one.get_id().as_str()) == Some(ValueSource::CommandLine);
    let excludes = |one: &Arg| {
        let others = command.get_arg_conflicts_with(one);
        others
            .iter()
            .any(|other| other.get_id() == argument.get_id())
    };
    let mut instead = command.get_arguments().filter(|one| {
        let name = one.get_long();
        name.is_some_and(|name| INSTEAD.contains(&name)) && is_typed(one)
    });
    if is_typed(argument) || instead.any(excludes) {
        return None;
    }
    let name = &setting.name;
    let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
    match (&setting.value, is_flag) {
        (Setpoint::Flag(false), true) => None,
        (Setpoint::Flag(true), true) => Some(Ok(format!("--{name}").into())),
        (Setpoint::Text(text), false) if is_path(argument) => {
            Some(path_word(setting, text, matches, config))
        }
        (Setpoint::Text(text), false) => Some(Ok(format!("--{name}={text}").into())),
        (_, is_flag) => {
            let expected = match is_flag {
                true => "true or false",
                false => "a text, a number or a list",
            };
            let fault =
                Diagnostic::error(setting.span, format!("expected {expected} for `{name}`"))
                    .with_hint(format!(
                        "`proofmark help {}` tells more",
                        command.get_name()
                    ));
            terminal::diagnostic(&fault, &config.sources);
            Some(Err(Exit::Input))
        }
    }
}

/// Whether an option names a file or a folder.
fn is_path(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names
        .iter()
        .any(|name| ["FILE", "DIR"].contains(&name.as_str()))
}

/// A path, relative to the configuration. One that is found, and not named by hand, comes with the model from
/// wherever that is: it must not write into other folders.
fn path_word(
    setting: &Setting,
    text: &str,
    matches: &ArgMatches,
    config: &Config,
) -> Result<OsString, Exit> {
    let by_hand = matches.contains_id("config") && matches.value_source("config").is_some();
    let path = match by_hand {
        true => Some(config.path(text)),
        false => config.path_below(text),
    };
    let Some(path) = path else {
        let message = format!("expected a path below the folder of {NAME}, found `{text}`");
        let fault = Diagnostic::error(setting.span, message).with_hint(format!(
            "type --{} on the command line, or name the file with --config",
            setting.name
        ));
        terminal::diagnostic(&fault, &config.sources);
        return Err(Exit::Input);
    };
    let mut word = OsString::from(format!("--{}=", setting.name));
    word.push(path);
    Ok(word)
}

/// Says in one line what a configuration sets, once: it may switch off audits, and comes with the model.
fn tell_settings(path: &Path, words: &[OsString]) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if words.is_empty() {
        return;
    }
    let words = words.iter().map(|word| word.to_string_lossy());
    let words: Vec<String> = words
        .map(|word| word.trim_start_matches('-').to_string())
        .collect();
    let line = format!("{} sets {}", path.display(), words.join(" "));
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert(line.clone()) {
        terminal::note(&line);
    }
}

/// The words with others behind the name of the command.
fn insert(
    words: &[OsString],
    command: &str,
    added: &[OsString],
) -> Result<Vec<OsString>, clap::Error> {
    let is_value = |at: usize| words[at - 1] == "--config";
    let mut places = 1..words.len();
    let place = places.find(|at| words[*at] == command && !is_value(*at));
    let (before, after) = words.split_at(place.map_or(words.len(), |at| at + 1));
    Ok([before, added, after].concat())
}

/// Says which setting is wrong: one that is so by itself, or all that do not go together.
fn blame(
    error: &clap::Error,
    words: &[OsString],
    command: &str,
    added: &[(&Setting, OsString)],
    config: &Config,
) -> Exit {
    for (setting, word) in added {
        let alone = insert(words, command, std::slice::from_ref(word));
        let Err(error) = alone.and_then(|words| matches(&words)) else {
            continue;
        };
        let text = error.to_string();
        let first = text.lines().next().unwrap_or("it is not understood");
        let message = first.strip_prefix("error: ").unwrap_or(first);
        let hint =
            format!("`proofmark help {command}` tells more; --no-config ignores all settings");
        let fault = Diagnostic::error(setting.span, message).with_hint(hint);
        terminal::diagnostic(&fault, &config.sources);
        return Exit::Input;
    }
    let _ = error.print();
    terminal::error("some of these options are set by the configuration; --no-config ignores it");
    Exit::Usage
}
