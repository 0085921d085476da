//! Runs the program outside through which some languages are read, and takes in what it wrote.

use crate::exit::Exit;
use crate::{input, terminal};
use proofmark_lang::{Language, Languages, Translation, Translator};
use proofmark_source::{Diagnostic, FileId, Sources, Span};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the user asks of a file that is translated.
pub struct Request<'a> {
    pub file: &'a str,
    pub main: Option<&'a str>,
    pub includes: &'a [String],
}

/// The file to load and its language: the given ones, or what the language's translator made of them.
/// What is wrong has been printed.
pub fn resolve(
    languages: Languages,
    (language, file): (&'static Language, FileId),
    request: &Request<'_>,
    sources: &mut Sources,
) -> Result<(&'static Language, FileId), Exit> {
    let Some(translator) = language.translator else {
        return Ok((language, file));
    };
    if request.file == input::STANDARD_INPUT {
        terminal::error("a design that is translated has to be a file, not standard input");
        return Err(Exit::Usage);
    }
    let result = languages.choose(request.file, Some(translator.result));
    let result = result.map_err(|error| {
        terminal::error(&error.to_string());
        Exit::Usage
    })?;
    let bytes = translate(translator, request, sources)?;
    // The name tells that it is not the user's file.
    let name = format!("{}, translated", request.file);
    let translated = sources.add_bytes(name, bytes).map_err(|_| {
        terminal::error("the translation has 4 GiB or more");
        Exit::Input
    })?;
    Ok((result, translated))
}

/// Where the program runs: in the folder of the design, which it then calls by its own name. A program in
/// a sandbox, such as one of WebAssembly, sees the folder that it runs in wherever that is, and not all
/// others.
struct RunPlace {
    folder: PathBuf,
    file: String,
    includes: Vec<String>,
}

impl RunPlace {
    fn of(request: &Request<'_>) -> RunPlace {
        let path = Path::new(request.file);
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let name = path.file_name().unwrap_or(path.as_os_str());
        let folder = folder.unwrap_or(Path::new("."));
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let base = absolute(folder);
        let seen = |include: &String| {
            let include = absolute(Path::new(include));
            let below = include.strip_prefix(&base);
            let below = below.map(|below| Path::new(".").join(below));
            below.unwrap_or(include).display().to_string()
        };
        RunPlace {
            folder: folder.into(),
            file: name.to_string_lossy().into_owned(),
            includes: request.includes.iter().map(seen).collect(),
        }
    }
}

/// What the program writes.
fn translate(
    translator: &Translator,
    request: &Request<'_>,
    sources: &Sources,
) -> Result<Vec<u8>, Exit> {
    let place = RunPlace::of(request);
    let wanted = Translation {
        file: &place.file,
        main: request.main,
        includes: &place.includes,
    };
    let arguments = (translator.arguments)(&wanted).map_err(|error| {
        terminal::error(&error);
        Exit::Usage
    })?;
    for program in translator.programs {
        let Some(found) = proofmark_solve::external::find(program) else {
            continue;
        };
        let mut command = Command::new(found);
        match command.args(&arguments).current_dir(&place.folder).output() {
            Ok(ended) => {
                tell(program, &ended, sources)?;
                return Ok((translator.finish)(ended.stdout));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                terminal::error(&format!("cannot run {program}: {error}"));
                return Err(Exit::Internal);
            }
        }
    }
    let programs = translator.programs.join(" or ");
    let file = request.file;
    terminal::error(&format!(
        "{file} is read through {programs}, which is not on the search path; {}",
        translator.install
    ));
    Err(Exit::Input)
}

/// Shows what the program warned of, and why it failed.
fn tell(program: &str, ended: &Output, sources: &Sources) -> Result<(), Exit> {
    let text = String::from_utf8_lossy(&ended.stderr);
    let mut warnings: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("Warning:"))
        .collect();
    warnings.dedup();
    for warning in warnings {
        terminal::warning(&format!("{program}: {}", warning.trim()));
    }
    if ended.status.success() {
        return Ok(());
    }
    let mut errors = text.lines().filter(|line| line.contains("ERROR:"));
    match errors.next() {
        Some(line) => show(program, line, sources),
        None => terminal::error(&format!("{program} failed: {}", text.trim())),
    }
    Err(Exit::Input)
}

/// An error, at its place where that is in a file of ours: `NAME:LINE: ERROR: MESSAGE`.
fn show(program: &str, line: &str, sources: &Sources) {
    let (place, message) = line.split_once("ERROR:").unwrap_or(("", line));
    let message = format!("{program}: {}", message.trim());
    match find(place.trim().trim_end_matches(':'), sources) {
        Some(span) => terminal::diagnostic(&Diagnostic::error(span, message), sources),
        None => terminal::error(&message),
    }
}

fn find(place: &str, sources: &Sources) -> Option<Span> {
    let (name, line) = place.rsplit_once(':')?;
    let file = sources.find(name)?;
    let line: u32 = line.parse().ok()?;
    let start = sources.file(file).byte(line, 1)?;
    let length = sources.file(file).line(line).len() as u32;
    Some(Span::new(file, start, start + length))
}
