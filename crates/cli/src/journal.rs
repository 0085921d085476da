//! The journal of a campaign: what is decided stays decided, whatever becomes of the process.
//!
//! `journal.jsonl` in the folder of a run is one JSON value a line: what the run was asked, what it
//! set out to decide, then each mutant as soon as it is decided, each with a checksum. One that survives and is still to be
//! compared with the original has a line that says so, and another one later. A line is one write with the end of
//! the line last, so a process that is killed leaves at most one torn line, which is dropped. A
//! resumed run must ask the same of the same model. What was cut short (Ctrl-C, a timeout) is not
//! written, and so is tried again.
//!
//! The mutants of the run are written down because with `--in-core` they depend on the proof, and
//! the next proof may be another one.

use crate::exit::Exit;
use crate::lock::{self, Lock};
use crate::terminal;
use proofmark_report::{Findings, MutantFinding, read_json};
use proofmark_source::sha256;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "proofmark-journal/1";
const NAME: &str = "journal.jsonl";

/// Options that decide how long a run takes and not what it finds.
pub const INDIFFERENT: [&str; 2] = ["jobs", "timeout"];

/// The journal of a run; without a folder nothing is written.
#[derive(Default)]
pub struct Journal {
    out: Option<(PathBuf, File)>,
    /// What the run set out to decide, if it got that far.
    plan: Option<Value>,
    decided: FxHashMap<String, MutantFinding>,
    /// What is known to survive, and not more than that.
    survives: FxHashMap<String, MutantFinding>,
    cuts: Vec<CutLine>,
    certificates: Vec<CertificateLine>,
    /// As long as it is written.
    lock: Option<Lock>,
}

/// A mutant that survives and is to be compared, as it stands in a journal.
#[derive(Serialize, Deserialize)]
struct Survives<F> {
    survives: F,
}

/// A decided cut of `cover`, as it stands in a journal, with the run that shows that it is covered or the
/// number of the certificate that it is not: who goes on examines them again and takes nobody's word.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CutLine {
    pub cut: String,
    pub property: String,
    pub criterion: String,
    pub covered: bool,
    pub test: String,
    pub seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<usize>,
}

/// A run of a cut netlist: a digit a latch, and step by step a digit an input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunLine {
    pub latches: String,
    pub inputs: Vec<String>,
}

/// A proof that elements are not covered, which stands before the first cut that it decides. A literal is
/// twice the number of a node, plus one for its complement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertificateLine {
    /// By number, counted for each property.
    pub proof: usize,
    pub property: String,
    pub cuts: Vec<String>,
    pub criterion: String,
    pub k: u32,
    pub clauses: Vec<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionLine>,
}

/// A set of states: the latches that the inputs of a function stand for, its gates, and its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegionLine {
    pub latches: Vec<u32>,
    pub gates: Vec<[u32; 2]>,
    pub holds: u32,
}

/// What a line says of a mutant or of a cut.
enum Line {
    Decided(MutantFinding),
    Survives(MutantFinding),
    Cut(CutLine),
    Certificate(CertificateLine),
    Plan(Value),
}

/// How the line begins that says what the run sets out to decide.
const PLAN: &str = "{\"mutants\":";

/// The name of the checksum, and what stands before it at the end of a line.
const SUM: &str = "sum";
const SEAL: &str = ",\"sum\":\"";
const SUM_DIGITS: usize = 16;

/// The checksum of what stands before it, which finds accidents; whoever forges a line forges it as well.
fn sum(body: &str) -> String {
    let mut sum = sha256(body.as_bytes());
    sum.truncate(SUM_DIGITS);
    sum
}

/// A line of JSON with its checksum.
fn sealed(mut line: String) -> String {
    if line.pop() == Some('}') {
        let sum = sum(&line);
        line.push_str(SEAL);
        line.push_str(&sum);
        line.push('"');
    }
    line.push('}');
    line
}

/// What was sealed, if the checksum is that of what stands before it.
fn unsealed(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (body, end) = line.rsplit_once(SEAL)?;
    let is_its = end.strip_suffix("\"}")? == sum(body);
    is_its.then(|| format!("{body}}}"))
}

impl Line {
    /// A line that is what was written, as far as its checksum tells.
    fn read(line: &[u8]) -> Option<Line> {
        if line.starts_with(PLAN.as_bytes()) {
            // What is to be decided is compared with what is asked for, and says nothing of what was found.
            let mut plan: Value = serde_json::from_slice(line).ok()?;
            plan.as_object_mut()?.remove(SUM);
            return Some(Line::Plan(plan));
        }
        let line = unsealed(line)?;
        let line = line.as_str();
        let survives = || {
            let line: Survives<MutantFinding> = read_json(line).ok()?;
            Some(Line::Survives(line.survives))
        };
        let cut = || read_json(line).ok().map(Line::Cut);
        let certificate = || read_json(line).ok().map(Line::Certificate);
        let decided = read_json(line).ok();
        let mutant = decided.map(Line::Decided).or_else(survives);
        mutant.or_else(cut).or_else(certificate)
    }
}

impl Journal {
    /// Begins a journal, or goes on with one when that is asked for and there is one. What is wrong
    /// has been printed.
    pub fn open(folder: &Path, resume: bool, asked: &Findings) -> Result<Journal, Exit> {
        let path = folder.join(NAME);
        if !resume && is_occupied(folder) {
            terminal::error(&format!(
                "the run directory {} is not empty; go on with --resume, or name another",
                folder.display()
            ));
            return Err(Exit::Usage);
        }
        let header = header(asked);
        let mut journal = Journal::default();
        fs::create_dir_all(folder).map_err(|error| {
            unwritable(folder, &error);
            Exit::Usage
        })?;
        let lock = lock::take(folder)?;
        let opened = {
            let mut options = OpenOptions::new();
            let file = options.create(true).append(true).open(&path);
            file.and_then(|file| Ok((file, fs::read(&path)?)))
        };
        let (file, bytes) = opened.map_err(|error| {
            unwritable(&path, &error);
            Exit::Usage
        })?;
        let whole = journal.read(&path, &bytes, &header)?;
        file.set_len(whole as u64)
            .map_err(|error| unwritable(&path, &error))?;
        journal.out = Some((path, file));
        journal.lock = Some(lock);
        if whole == 0 {
            journal.write(&header)?;
        }
        Ok(journal)
    }

    /// Takes what is written; a line that is damaged loses itself only. The length of all whole lines.
    fn read(&mut self, path: &Path, bytes: &[u8], header: &Value) -> Result<usize, Exit> {
        let mut length = 0;
        let mut damaged = Vec::new();
        for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if !line.ends_with(b"\n") {
                break;
            }
            length += line.len();
            if !self.take(at, line, header, path)? {
                damaged.push(at + 1);
            }
        }
        if let Some(first) = damaged.first() {
            let (count, path) = (damaged.len(), path.display());
            let others = match count {
                1 => String::new(),
                _ => format!(", and so are {} others", count - 1),
            };
            terminal::warning(&format!(
                "line {first} of {path} is damaged{others}; what it said is decided again"
            ));
        }
        Ok(length)
    }

    /// Whether a line is what it should be.
    fn take(&mut self, at: usize, line: &[u8], header: &Value, path: &Path) -> Result<bool, Exit> {
        if at > 0 {
            let Some(line) = Line::read(line) else {
                return Ok(false);
            };
            match line {
                Line::Decided(one) => drop(self.decided.insert(one.id.clone(), one)),
                Line::Survives(one) => drop(self.survives.insert(one.id.clone(), one)),
                Line::Cut(one) => self.cuts.push(one),
                Line::Certificate(one) => self.certificates.push(one),
                Line::Plan(plan) => self.plan = Some(plan),
            }
            return Ok(true);
        }
        let value = unsealed(line).and_then(|line| serde_json::from_str::<Value>(&line).ok());
        let Some(value) = value else {
            terminal::error(&format!(
                "{} does not begin as a journal of this version; name another directory",
                path.display()
            ));
            return Err(Exit::Usage);
        };
        let differences = differences(&value, header);
        if differences.is_empty() {
            return Ok(true);
        }
        terminal::error(&format!(
            "{} belongs to another run: {}; give the same options again, or name another directory",
            path.display(),
            differences.join(", ")
        ));
        Err(Exit::Usage)
    }

    /// The ids of the mutants that the run set out to decide, if that is written.
    pub fn planned(&self) -> Option<FxHashSet<&str>> {
        let ids = self.plan.as_ref()?.get("mutants")?.as_array()?;
        Some(ids.iter().filter_map(Value::as_str).collect())
    }

    /// Writes what the run sets out to decide, or compares it with what is written.
    pub fn begin(&mut self, properties: &[&str], mutants: &[String]) -> Result<(), Exit> {
        // What is known of one mutant must not be taken for another's.
        let mut seen = FxHashSet::default();
        if let Some(twice) = mutants.iter().find(|id| !seen.insert(id.as_str())) {
            terminal::error(&format!(
                "two mutants have the id {twice}; please report this"
            ));
            return Err(Exit::Internal);
        }
        let plan = json!({ "properties": properties, "mutants": mutants });
        let Some(written) = &self.plan else {
            self.write(&plan)?;
            self.plan = Some(plan);
            return Ok(());
        };
        if *written == plan {
            return Ok(());
        }
        if written["properties"] == plan["properties"] {
            terminal::error("the earlier run had mutants that this version does not make");
            return Err(Exit::Usage);
        }
        terminal::error(&format!(
            "the earlier run had proofs of {}, this one has proofs of {}; does it need more time?",
            written["properties"], plan["properties"]
        ));
        Err(Exit::Inconclusive)
    }

    /// What was found of a mutant.
    pub fn decided(&self, id: &str) -> Option<&MutantFinding> {
        self.decided.get(id)
    }

    /// All mutants of which something is known, each once.
    pub fn findings(&self) -> Vec<&MutantFinding> {
        let survivors = self.survives.values();
        let open = survivors.filter(|one| !self.decided.contains_key(&one.id));
        self.decided.values().chain(open).collect()
    }

    /// What was found of a mutant that survives, before it was compared.
    pub fn survives(&self, id: &str) -> Option<&MutantFinding> {
        self.survives.get(id)
    }

    /// The cuts that were decided.
    pub fn cuts(&self) -> &[CutLine] {
        &self.cuts
    }

    /// The proofs that they refer to.
    pub fn certificates(&self) -> &[CertificateLine] {
        &self.certificates
    }

    /// Whether anybody writes.
    pub fn is_kept(&self) -> bool {
        self.out.is_some()
    }

    /// Writes down that a mutant survives and is to be compared.
    pub fn write_survivor(&mut self, finding: &MutantFinding) -> Result<(), Exit> {
        self.write(&Survives { survives: finding })
    }

    /// Writes a line at once.
    pub fn write(&mut self, line: &impl Serialize) -> Result<(), Exit> {
        let Some((path, file)) = &mut self.out else {
            return Ok(());
        };
        let text = serde_json::to_string(line).map_err(io::Error::from);
        let written = text.and_then(|text| {
            let line = sealed(text) + "\n";
            file.write_all(line.as_bytes())
        });
        written.map_err(|error| unwritable(path, &error))
    }
}

/// The mutants that a run, of whatever model, has decided; the later line on a mutant counts.
pub fn mutants(folder: &Path) -> Result<Vec<MutantFinding>, String> {
    let bytes = fs::read(folder.join(NAME)).map_err(|error| error.to_string())?;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let header: Option<Value> = lines
        .next()
        .and_then(|line| serde_json::from_str(&unsealed(line)?).ok());
    if header.is_none_or(|header| header["schema"] != SCHEMA) {
        return Err(format!("{NAME} is no journal"));
    }
    let mut found = Vec::new();
    for line in lines.skip(1).filter_map(Line::read) {
        if let Line::Decided(one) | Line::Survives(one) = line {
            found.push(one);
        }
    }
    Ok(found)
}

/// Whether there is something in a folder that a former run left.
fn is_occupied(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|one| one.file_name());
    names.any(|name| name != lock::NAME)
}

fn unwritable(path: &Path, error: &io::Error) -> Exit {
    terminal::error(&format!("cannot write {}: {error}", path.display()));
    Exit::Internal
}

/// What decides the verdicts.
fn header(asked: &Findings) -> Value {
    let mut options = asked.options.clone();
    options.retain(|name, _| !INDIFFERENT.contains(&name.as_str()));
    let hashes: Vec<&str> = asked.inputs.iter().map(|one| one.hash.as_str()).collect();
    json!({
        "schema": SCHEMA,
        "version": asked.tool.version,
        "solver": asked.tool.solver,
        "model": hashes.join(" "),
        "options": options,
    })
}

/// What differs between two headers, in words.
fn differences(was: &Value, is: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for name in ["schema", "version", "solver"] {
        compare(name, &was[name], &is[name], &mut found);
    }
    if was["model"] != is["model"] {
        found.push("the model has changed".into());
    }
    let (was, is) = (&was["options"], &is["options"]);
    let names = |options: &Value| options.as_object().cloned().unwrap_or_default();
    let mut all = names(was);
    all.extend(names(is));
    for name in all.keys() {
        compare(name, &was[name], &is[name], &mut found);
    }
    found
}

fn compare(name: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    if was != is {
        found.push(format!("{name} was {was} and is {is}"));
    }
}
