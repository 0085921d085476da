//! `proofmark.toml`: options that a project has settled, and gaps that it lives with.
//!
//! Any option of the command line has the same name here. What stands on top is for every command,
//! a table such as `[mutate]` for one, a `[[file]]` for the models that its `match` names; later and
//! more special wins, and the command line wins over all. A `[[suppress]]` names a mutant by its
//! stable id and has to give a reason. Whatever is not understood is an error with its place: a
//! setting that is silently ignored would be worse than none.

use crate::exit::Exit;
use crate::{glob, input, terminal};
use proofmark_source::{Diagnostic, FileId, Sources, Span, nearest};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of the file.
pub const NAME: &str = "proofmark.toml";

/// A configuration, read and understood.
pub struct Config {
    pub sources: Sources,
    folder: PathBuf,
    settings: Vec<Setting>,
    suppressions: Vec<Suppression>,
}

/// One option, and what it is for.
#[derive(Clone, Debug)]
pub struct Setting {
    command: Option<String>,
    /// Only for models with such a path.
    models: Option<String>,
    pub name: String,
    pub value: Setpoint,
    pub span: Span,
}

/// What an option is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setpoint {
    Flag(bool),
    Text(String),
}

/// A mutant that may stay unnoticed.
#[derive(Clone, Debug)]
pub struct Suppression {
    pub mutant: String,
    pub reason: String,
    models: Option<String>,
    /// Of the id.
    pub span: Span,
}

/// A command and the options that may be set for it.
pub struct Known {
    pub command: String,
    pub options: Vec<String>,
}

impl Config {
    /// Reads a file. What is wrong with it has been printed.
    pub fn read(path: &Path, known: &[Known]) -> Result<Config, Exit> {
        let mut sources = Sources::default();
        let file = input::read_text(&path.to_string_lossy(), &mut sources)?;
        let mut reader = Reader {
            file,
            known,
            settings: Vec::new(),
            suppressions: Vec::new(),
            faults: Vec::new(),
        };
        reader.read(sources.file(file).text());
        if !reader.faults.is_empty() {
            let faults = reader.faults.iter();
            faults.for_each(|fault| terminal::diagnostic(fault, &sources));
            return Err(Exit::Input);
        }
        let (settings, suppressions) = (reader.settings, reader.suppressions);
        let folder = path.canonicalize().unwrap_or_else(|_| path.into());
        Ok(Config {
            sources,
            folder: folder.parent().map(Path::to_path_buf).unwrap_or_default(),
            settings,
            suppressions,
        })
    }

    /// What is set for a command on a model: the last word on each option.
    pub fn settings(&self, command: &str, model: Option<&str>) -> Vec<&Setting> {
        // Special after general; among equals the order of the file.
        let mut settings: Vec<&Setting> = self.settings.iter().collect();
        settings.sort_by_key(|one| (one.models.is_some(), one.command.is_some()));
        let mut last: Vec<&Setting> = Vec::new();
        for setting in settings {
            let here = setting.command.as_deref().is_none_or(|one| one == command);
            if here && self.is_for(setting.models.as_deref(), model) {
                last.retain(|one| one.name != setting.name);
                last.push(setting);
            }
        }
        last
    }

    /// The suppressions for a model.
    pub fn suppressions(&self, model: &str) -> Vec<Suppression> {
        let all = self.suppressions.iter();
        let here = all.filter(|one| self.is_for(one.models.as_deref(), Some(model)));
        here.cloned().collect()
    }

    /// A path that it sets, which is relative to its folder; nothing when that leads out of it.
    pub fn path_below(&self, text: &str) -> Option<PathBuf> {
        let inside = |one: Component<'_>| matches!(one, Component::Normal(_) | Component::CurDir);
        if !Path::new(text).components().all(inside) {
            return None;
        }
        let whole = self.folder.join(text);
        // What is there must not be a link to elsewhere.
        let there = whole.ancestors().find_map(|one| one.canonicalize().ok())?;
        there.starts_with(&self.folder).then_some(())?;
        Some(self.path(text))
    }

    /// A path that it sets, which is relative to its folder.
    pub fn path(&self, text: &str) -> PathBuf {
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        match here.is_ok_and(|here| here == self.folder) {
            true => text.into(),
            false => self.folder.join(text),
        }
    }

    /// Whether a pattern, seen from the folder of the configuration, names a model.
    fn is_for(&self, pattern: Option<&str>, model: Option<&str>) -> bool {
        let Some(pattern) = pattern else {
            return true;
        };
        let Some(model) = model.map(Path::new) else {
            return false;
        };
        let whole = model.canonicalize().unwrap_or_else(|_| model.into());
        let path = whole.strip_prefix(&self.folder).unwrap_or(&whole);
        glob::matches(pattern, &path.to_string_lossy().replace('\\', "/"))
    }
}

/// What marks the root of a repository.
const REPOSITORIES: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// The configuration of a model: in its folder, or in one above that belongs to the same project. That is the
/// repository or, outside of one, the folder where we are; what lies above is somebody else's.
pub fn find(model: &Path) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    find_from(&std::path::absolute(model).ok()?, &here)
}

fn find_from(model: &Path, here: &Path) -> Option<PathBuf> {
    let is_root = |folder: &&Path| REPOSITORIES.iter().any(|name| folder.join(name).exists());
    let own = model.parent()?;
    let root = own.ancestors().find(is_root);
    let root = root.or_else(|| own.ancestors().find(|folder| *folder == here));
    let root = root.unwrap_or(own);
    let folders = own
        .ancestors()
        .take_while(|folder| folder.starts_with(root));
    let mut paths = folders.map(|folder| folder.join(NAME));
    paths.find(|path| path.is_file())
}

struct Reader<'k> {
    file: FileId,
    known: &'k [Known],
    settings: Vec<Setting>,
    suppressions: Vec<Suppression>,
    faults: Vec<Diagnostic>,
}

/// What settings are for.
#[derive(Clone, Copy, Default)]
struct Scope<'t> {
    command: Option<&'t str>,
    models: Option<&'t str>,
}

type Table<'t> = DeTable<'t>;

impl Reader<'_> {
    fn read(&mut self, text: &str) {
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let span = self.span(error.span().unwrap_or(0..0));
            let message = error.message().replace('\n', "; ");
            let hint = "see https://toml.io, or `proofmark init` for an example";
            self.faults
                .push(Diagnostic::error(span, message).with_hint(hint));
        }
        if errors.is_empty() {
            self.read_table(table.get_ref(), Scope::default());
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start as u32, range.end as u32)
    }

    fn fault(&mut self, range: Range<usize>, message: String, hint: String) {
        let span = self.span(range);
        self.faults
            .push(Diagnostic::error(span, message).with_hint(hint));
    }

    fn read_table(&mut self, table: &Table<'_>, scope: Scope<'_>) {
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            match value.get_ref() {
                DeValue::Array(files) if name == "file" && scope.models.is_none() => {
                    files.iter().for_each(|one| self.read_file(one));
                }
                DeValue::Array(all) if name == "suppress" && scope.models.is_none() => {
                    all.iter().for_each(|one| self.read_suppression(one));
                }
                DeValue::String(_) if name == "match" && scope.models.is_some() => {}
                DeValue::Table(inner) if scope.command.is_none() => {
                    if self.known.iter().any(|one| one.command == name) {
                        let command = Some(name);
                        self.read_table(inner, Scope { command, ..scope });
                    } else {
                        self.unknown(key, "command", &self.commands());
                    }
                }
                _ => self.read_setting(key, value, scope),
            }
        }
    }

    fn commands(&self) -> Vec<String> {
        self.known.iter().map(|one| one.command.clone()).collect()
    }

    fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, what: &str, known: &[String]) {
        let name = key.get_ref().as_ref();
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are: {}", known.join(", ")),
        };
        self.fault(key.span(), format!("no {what} is named `{name}`"), hint);
    }

    fn read_file(&mut self, value: &Spanned<DeValue<'_>>) {
        let hint = || "[[file]] needs match = \"models/*.lus\", seen from this file".to_string();
        let DeValue::Table(table) = value.get_ref() else {
            return self.fault(value.span(), "expected a table".into(), hint());
        };
        let Some(DeValue::String(models)) = table.get("match").map(Spanned::get_ref) else {
            let message = "it does not say which models it is for";
            return self.fault(value.span(), message.into(), hint());
        };
        let models = Some(models.as_ref());
        let scope = Scope {
            models,
            ..Scope::default()
        };
        self.read_table(table, scope);
    }

    fn read_setting(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        scope: Scope<'_>,
    ) {
        let name = key.get_ref().as_ref();
        let commands = self.known.iter();
        let commands = commands.filter(|one| scope.command.is_none_or(|name| one.command == name));
        let mut options: Vec<String> = commands.flat_map(|one| one.options.clone()).collect();
        if !options.iter().any(|one| one == name) {
            options.sort();
            options.dedup();
            return self.unknown(key, "option", &options);
        }
        let Some(value) = setpoint(value.get_ref()) else {
            let message = format!("expected a text, a number, true, false or a list for `{name}`");
            let hint = format!("`proofmark help` tells what --{name} takes");
            return self.fault(value.span(), message, hint);
        };
        self.settings.push(Setting {
            command: scope.command.map(str::to_string),
            models: scope.models.map(str::to_string),
            name: name.into(),
            value,
            span: self.span(key.span()),
        });
    }

    fn read_suppression(&mut self, value: &Spanned<DeValue<'_>>) {
        const KEYS: [&str; 3] = ["mutant", "reason", "file"];
        let hint = || "[[suppress]] needs mutant = \"...\" and reason = \"...\"".to_string();
        let DeValue::Table(table) = value.get_ref() else {
            return self.fault(value.span(), "expected a table".into(), hint());
        };
        for key in table.keys() {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                return self.unknown(key, "part of a suppression", &KEYS.map(String::from));
            }
        }
        let text = |name: &str| match table.get(name).map(|one| (one.span(), one.get_ref())) {
            Some((span, DeValue::String(text))) if !text.trim().is_empty() => {
                Some((span, text.to_string()))
            }
            _ => None,
        };
        let Some((span, mutant)) = text("mutant") else {
            let message = "it does not say which mutant is suppressed";
            return self.fault(value.span(), message.into(), hint());
        };
        let Some((_, reason)) = text("reason") else {
            let message = format!("the suppression of {mutant} has no reason");
            return self.fault(span, message, "reason = \"why it may stay\"".into());
        };
        let models = text("file").map(|(_, text)| text);
        let span = self.span(span);
        let mut others = self.suppressions.iter();
        if let Some(other) = others.find(|one| one.mutant == mutant && one.models == models) {
            let twice = Diagnostic::error(span, format!("{mutant} is suppressed twice"))
                .with_hint("leave out one of them")
                .with_label(other.span, "the first time");
            return self.faults.push(twice);
        }
        self.suppressions.push(Suppression {
            mutant,
            reason,
            models,
            span,
        });
    }
}

/// A value as the command line would have it.
fn setpoint(value: &DeValue<'_>) -> Option<Setpoint> {
    Some(match value {
        DeValue::Boolean(flag) => Setpoint::Flag(*flag),
        DeValue::String(text) => Setpoint::Text(text.to_string()),
        DeValue::Integer(number) => Setpoint::Text(number.to_string()),
        DeValue::Float(number) => Setpoint::Text(number.to_string()),
        DeValue::Array(values) => {
            let texts = values.iter().map(|one| match setpoint(one.get_ref())? {
                Setpoint::Text(text) => Some(text),
                Setpoint::Flag(_) => None,
            });
            Setpoint::Text(texts.collect::<Option<Vec<String>>>()?.join(","))
        }
        DeValue::Datetime(_) | DeValue::Table(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_configuration_is_looked_for_within_the_project_only() {
        let name = format!("proofmark-project-{}", std::process::id());
        let top = std::env::temp_dir().join(name);
        let deep = top.join("repository/models/deep");
        fs::create_dir_all(&deep).unwrap();
        fs::write(top.join(NAME), "").unwrap();
        let elsewhere = Path::new("/nowhere");
        let model = deep.join("m.lus");
        // Without a repository the folder where we are is the limit.
        assert_eq!(find_from(&model, elsewhere), None);
        assert_eq!(find_from(&model, &top), Some(top.join(NAME)));
        // A repository is, wherever we are.
        fs::create_dir(top.join("repository/.git")).unwrap();
        assert_eq!(find_from(&model, &top), None);
        let own = top.join("repository").join(NAME);
        fs::write(&own, "").unwrap();
        assert_eq!(find_from(&model, elsewhere), Some(own));
        fs::remove_dir_all(&top).unwrap();
    }
}
