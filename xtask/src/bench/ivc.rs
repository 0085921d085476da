//! `cargo xtask bench ivc`: the cores of `proofmark ivc` beside published ones.
//!
//! For each model a file of published results has the sizes of its cores, its minimal cores by the
//! names of variables, and the names that are in all of them (`must`). It is known to contradict
//! itself in places, where time ran out. So a difference is no verdict: it is *settled*, by an answer
//! of ours that was audited (a core comes with a proof, a needed element with a run), or by putting
//! the published set to the engines once more, as the model without everything else. What that shows
//! is counted for us or against us; anything against us fails the bench.
//!
//! Times are of whole processes, `check` and `ivc` in turn, and of the parts of an answer: the proof,
//! and the cores.

use super::lustre::{Answer, Options, ask, ask_command, models, name};
use super::milliseconds;
use proofmark_engine::{EngineName, Limits};
use proofmark_lang::lustre::{self, EquationKind};
use proofmark_model::{ElementId, System, lower};
use proofmark_quality::{Auditor, Question, Smoothing, Verdict, verify};
use proofmark_source::Sources;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "bench ivc [--models DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
    [--kind uc|minimal|must|all] [--every N] [--binary PATH]";

/// What the published cores keep and count.
const COUNTED: [&str; 4] = ["--keep-assertions", "--grain", "scalar", "--jobs"];
/// For a published set that is put to the engines.
const EXAMINATION: Duration = Duration::from_secs(20);
const SLOWEST: usize = 10;

type Names = BTreeSet<String>;

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The core of a proof.
    Uc,
    Minimal,
    Must,
    All,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Uc, Kind::Minimal, Kind::Must, Kind::All];

    fn name(self) -> &'static str {
        match self {
            Kind::Uc => "uc",
            Kind::Minimal => "minimal",
            Kind::Must => "must",
            Kind::All => "all",
        }
    }

    fn flag(self) -> Option<&'static str> {
        match self {
            Kind::Uc => None,
            Kind::Minimal => Some("--minimal"),
            Kind::Must => Some("--must"),
            Kind::All => Some("--all"),
        }
    }
}

/// The published results for one model.
struct Published {
    /// The size of the core of a proof.
    uc: usize,
    cores: Vec<Names>,
    /// Without the numbers of instances.
    must: Names,
}

/// What `proofmark ivc` says of one model.
struct Ours {
    cores: Vec<Names>,
    /// Of these cores it is known that no element less suffices.
    minimal: Vec<bool>,
    must: Names,
    /// Whether everything that was asked is answered.
    settled: bool,
    audited: bool,
    proof: f64,
    /// Beyond the proof.
    beyond: f64,
}

/// What a comparison comes to; the greater, the worse.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Comparison {
    Agrees,
    /// We differ, and are right.
    ForUs(&'static str),
    Open(String),
    AgainstUs(String),
}

#[derive(Default)]
struct Tally {
    agree: usize,
    for_us: BTreeMap<&'static str, usize>,
    open: usize,
    against: usize,
    parts: Vec<f64>,
    processes: Vec<f64>,
    times: Vec<(Duration, String)>,
    settled: usize,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let mut options = Options::new("60");
    let (mut kinds, mut every) = (Kind::ALL.to_vec(), 1);
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if options.take(flag, value) => {}
            [flag, value] if flag == "--kind" => {
                kinds.retain(|kind| kind.name() == value);
                if kinds.is_empty() {
                    return Err(format!("usage: cargo xtask {USAGE}"));
                }
            }
            [flag, value] if flag == "--every" => {
                every = value
                    .parse()
                    .map_err(|_| format!("--every takes a number, not {value}"))?;
            }
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    let published = read_published(&options)?;
    let binary = options.binary()?;
    let mut tallies: Vec<(Kind, Tally)> = Vec::new();
    tallies.extend(kinds.into_iter().map(|kind| (kind, Tally::default())));
    let mut unproved = Vec::new();
    for path in models(&options)?.iter().step_by(every.max(1)) {
        let Some(theirs) = published.get(&name(path)) else {
            continue;
        };
        for (kind, tally) in &mut tallies {
            let bench = Bench {
                binary: &binary,
                options: &options,
                path,
                theirs,
                kind: *kind,
            };
            if !bench.run(tally)? {
                unproved.push(name(path));
                break;
            }
        }
    }
    println!("\nnot proved: {} {unproved:?}", unproved.len());
    tallies
        .iter_mut()
        .for_each(|(kind, tally)| summarise(*kind, tally));
    match tallies.iter().map(|(_, tally)| tally.against).sum() {
        0 => Ok(()),
        against => Err(format!("{against} answers are contradicted")),
    }
}

/// Published results, by the name of the model.
fn read_published(options: &Options) -> Result<BTreeMap<String, Published>, String> {
    let folder = options.models.join("..");
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let cores: BTreeMap<String, Value> =
        serde_json::from_str(&read("cores.json")?).map_err(|error| error.to_string())?;
    let mut published = BTreeMap::new();
    for line in read("truth.csv")?.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [model, .., uc, _, _, _, _] = cells.as_slice() else {
            return Err(format!("truth.csv has too few columns: {line}"));
        };
        let sets = cores.get(*model).unwrap_or(&Value::Null);
        let all = sets["cores"].as_array().into_iter().flatten();
        published.insert(
            (*model).to_owned(),
            Published {
                uc: uc.parse().map_err(|_| format!("truth.csv: {line}"))?,
                cores: all.map(names).collect(),
                must: names(&sets["must"]),
            },
        );
    }
    Ok(published)
}

fn names(list: &Value) -> Names {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|name| Some(name.as_str()?.to_owned()))
        .collect()
}

/// A name without the numbers of instances: `a~0.b` is `a.b`.
fn without_instances(name: &str) -> String {
    let mut parts = name.split('~');
    let mut short = parts.next().unwrap_or("").to_owned();
    for part in parts {
        short.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    short
}

/// One question about one model.
struct Bench<'b> {
    binary: &'b Path,
    options: &'b Options,
    path: &'b PathBuf,
    theirs: &'b Published,
    kind: Kind,
}

impl Bench<'_> {
    /// Asks, compares, notes; false when the property is not proved.
    fn run(&self, tally: &mut Tally) -> Result<bool, String> {
        let Options { timeout, jobs, .. } = self.options;
        let check = ask(
            self.binary,
            self.path,
            &["--timeout", timeout, "--jobs", jobs],
        )?;
        let mut arguments = COUNTED.to_vec();
        arguments.extend([jobs, "--timeout", timeout]);
        arguments.extend(self.kind.flag());
        let answer = ask_command(self.binary, "ivc", self.path, &arguments)?;
        let Some(ours) = Ours::read(&answer, self.kind)? else {
            return Ok(false);
        };
        let comparison = match ours.audited {
            true => self.compare(&ours)?,
            false => Comparison::Open("not audited".into()),
        };
        let model = name(self.path);
        match &comparison {
            Comparison::Agrees => tally.agree += 1,
            Comparison::ForUs(why) => {
                *tally.for_us.entry(why).or_default() += 1;
                println!("{:<8} for us   {model}: {why}", self.kind.name());
            }
            Comparison::Open(why) => {
                tally.open += 1;
                println!("{:<8} open     {model}: {why}", self.kind.name());
            }
            Comparison::AgainstUs(why) => {
                tally.against += 1;
                println!("{:<8} AGAINST  {model}: {why}", self.kind.name());
            }
        }
        tally.settled += usize::from(ours.settled && ours.audited);
        tally.parts.push((ours.proof + ours.beyond) / ours.proof);
        let ratio = answer.time.as_secs_f64() / check.time.as_secs_f64();
        tally.processes.push(ratio);
        tally.times.push((answer.time, model));
        Ok(true)
    }

    fn compare(&self, ours: &Ours) -> Result<Comparison, String> {
        let mut comparisons = match self.kind {
            Kind::Uc => self.compare_size(ours),
            Kind::Minimal => self.compare_minimal(ours)?,
            Kind::Must => self.compare_must(ours)?,
            Kind::All => self.compare_all(ours)?,
        };
        if !ours.settled {
            comparisons.push(Comparison::Open("we have no complete answer".into()));
        }
        Ok(comparisons.into_iter().max().unwrap_or(Comparison::Agrees))
    }

    /// The core of a proof is one of many; a larger one is no error.
    fn compare_size(&self, ours: &Ours) -> Vec<Comparison> {
        let size = ours.cores.first().map_or(0, BTreeSet::len);
        match size.cmp(&self.theirs.uc) {
            std::cmp::Ordering::Equal => vec![],
            std::cmp::Ordering::Less => vec![Comparison::ForUs("our core is smaller")],
            std::cmp::Ordering::Greater => {
                let sizes = format!("our core has {size} elements, theirs {}", self.theirs.uc);
                vec![Comparison::Open(sizes)]
            }
        }
    }

    fn compare_minimal(&self, ours: &Ours) -> Result<Vec<Comparison>, String> {
        let mut found = Vec::new();
        for (core, minimal) in ours.cores.iter().zip(&ours.minimal) {
            let mut theirs = self.theirs.cores.iter();
            if theirs.clone().any(|known| known == core) {
                continue;
            }
            for known in theirs.clone().filter(|known| known.is_subset(core)) {
                if *minimal {
                    found.push(self.examine(known, "what they call a core does not suffice")?);
                }
            }
            found.push(match theirs.any(|known| core.is_subset(known)) {
                true => Comparison::ForUs("a core of theirs is not minimal"),
                false => Comparison::ForUs("they miss a core of ours"),
            });
        }
        Ok(found)
    }

    fn compare_must(&self, ours: &Ours) -> Result<Vec<Comparison>, String> {
        let mut found = Vec::new();
        for core in &self.theirs.cores {
            if !ours.must.is_subset(core) {
                found.push(self.examine(core, "what they call a core does not suffice")?);
            }
        }
        let short: Names = ours.must.iter().map(|one| without_instances(one)).collect();
        if short.difference(&self.theirs.must).next().is_some() {
            // A run of the model without it shows each of ours.
            found.push(Comparison::ForUs("they miss an element that is needed"));
        }
        if !ours.settled {
            return Ok(found);
        }
        for needed in self.theirs.must.difference(&short) {
            found.push(self.examine_needed(needed)?);
        }
        Ok(found)
    }

    fn compare_all(&self, ours: &Ours) -> Result<Vec<Comparison>, String> {
        let mut found = self.compare_minimal(ours)?;
        if !ours.settled {
            return Ok(found);
        }
        for theirs in &self.theirs.cores {
            let inside = ours.cores.iter().find(|core| core.is_subset(theirs));
            found.push(match inside {
                Some(core) if core == theirs => Comparison::Agrees,
                Some(_) => Comparison::ForUs("a core of theirs is not minimal"),
                None => self.examine(theirs, "what they call a core does not suffice")?,
            });
        }
        Ok(found)
    }

    /// Whether a set of theirs suffices; if it does, we are wrong.
    fn examine(&self, theirs: &Names, if_not: &'static str) -> Result<Comparison, String> {
        let kept = |name: &str| theirs.contains(name);
        Ok(match suffices(self.path, &kept)? {
            Some(true) => Comparison::AgainstUs("their smaller core suffices".into()),
            Some(false) => Comparison::ForUs(if_not),
            None => Comparison::Open("whether a core of theirs suffices is unknown".into()),
        })
    }

    /// Whether the model without an element that they call needed suffices; if not, we are wrong.
    fn examine_needed(&self, needed: &str) -> Result<Comparison, String> {
        let kept = |name: &str| without_instances(name) != needed;
        Ok(match suffices(self.path, &kept)? {
            Some(true) => Comparison::ForUs("what they call needed is not"),
            Some(false) => Comparison::AgainstUs(format!("{needed} is needed")),
            None => Comparison::Open(format!("whether {needed} is needed is unknown")),
        })
    }
}

impl Ours {
    /// Nothing when there is no proof to have cores of.
    fn read(answer: &Answer, kind: Kind) -> Result<Option<Ours>, String> {
        let findings = answer.findings.as_ref().map_err(Clone::clone)?;
        let property = &findings["properties"][0];
        if property["verdict"] != "valid" {
            return Ok(None);
        }
        let elements = findings["elements"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let named: BTreeMap<String, String> = elements
            .clone()
            .map(|element| (text(&element["id"]), text(&element["name"])))
            .collect();
        let key = text(&property["name"]);
        let must = elements.filter(|element| element["role"][&key] == "must");
        let cores: Vec<&Value> = findings["cores"].as_array().into_iter().flatten().collect();
        let translate = |core: &&Value| -> Names {
            let ids = names(&core["elements"]);
            ids.iter().filter_map(|id| named.get(id).cloned()).collect()
        };
        let minimal: Vec<bool> = cores.iter().map(|core| core["minimal"] == true).collect();
        let settled = match kind {
            Kind::Uc => !cores.is_empty(),
            Kind::Minimal => minimal.iter().all(|minimal| *minimal),
            Kind::Must => cores.iter().all(|core| core["must_undecided"].is_null()),
            Kind::All => cores.iter().all(|core| core["complete"] == true),
        };
        let seconds = |value: &Value| value["seconds"].as_f64().unwrap_or(0.0);
        Ok(Some(Ours {
            minimal,
            must: must.map(|element| text(&element["name"])).collect(),
            settled,
            audited: cores.iter().all(|core| core["audit"] == "passed"),
            proof: seconds(property),
            beyond: cores.iter().map(|core| seconds(core)).sum(),
            cores: cores.iter().map(translate).collect(),
        }))
    }
}

/// Whether a model holds with only those elements whose names are kept, audited.
fn suffices(path: &Path, kept: &dyn Fn(&str) -> bool) -> Result<Option<bool>, String> {
    let part = part(path, kept)?;
    let open = || proofmark_solve::open(proofmark_solve::EMBEDDED);
    let question = Question {
        system: &part,
        properties: vec![0],
        specifications: Vec::new(),
        limits: Limits {
            advice: Vec::new(),
            engines: EngineName::ALL.to_vec(),
            jobs: 2,
            time: Some(EXAMINATION),
            interrupt: proofmark_solve::Interrupt::default(),
            ..Limits::default()
        },
        open: &open,
        auditor: Some(Auditor::default()),
        smoothing: Smoothing::Off,
        deadlocks: false,
        statistics: false,
    };
    let verified = verify(&question, &mut |_| ()).map_err(|error| error.to_string())?;
    Ok(verified
        .judgements
        .first()
        .and_then(|one| match one.verdict {
            Verdict::Valid { .. } if one.is_audited() => Some(true),
            Verdict::Invalid { .. } if one.is_audited() => Some(false),
            _ => None,
        }))
}

/// A model without the equations and arguments whose names are not kept.
fn part(path: &Path, kept: &dyn Fn(&str) -> bool) -> Result<System, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut sources = Sources::default();
    let file = sources.add(name(path), text);
    let file = file.map_err(|error| error.to_string())?;
    let (loaded, _) = lustre::load(&sources, file, &lustre::Options::default());
    let loaded = loaded.ok_or("the model does not load")?;
    let lowered = lower(&loaded.model).map_err(|errors| errors[0].to_string())?;
    let kinds = loaded.equations.iter().enumerate();
    let removed = kinds.filter(|(at, kind)| {
        let counted = matches!(kind, EquationKind::Equation | EquationKind::Binding);
        let target = loaded.model.equations[*at].target;
        counted && target.is_some_and(|target| !kept(&target.to_string()))
    });
    let removed = removed.map(|(at, _)| ElementId(at as u32)).collect();
    Ok(lowered.system.without(&removed).0)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn summarise(kind: Kind, tally: &mut Tally) {
    let for_us: usize = tally.for_us.values().sum();
    println!(
        "\n{}: {} agree, {for_us} differ for us, {} open, {} against us",
        kind.name(),
        tally.agree,
        tally.open,
        tally.against
    );
    for (why, count) in &tally.for_us {
        println!("  {count:>5} {why}");
    }
    println!(
        "  {} of {} answered in full; with the proof {:.2} times the proof (median), whole process \
         {:.2} times check; the slowest:",
        tally.settled,
        tally.times.len(),
        median(&mut tally.parts),
        median(&mut tally.processes)
    );
    tally.times.sort_unstable();
    for (time, model) in tally.times.iter().rev().take(SLOWEST) {
        println!("    {model:<44} {:>9.1} ms", milliseconds(*time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_left_out_of_names() {
        assert_eq!(without_instances("A~0.B~12.c"), "A.B.c");
        assert_eq!(without_instances("x"), "x");
        assert_eq!(without_instances("~3"), "");
    }

    #[test]
    fn the_worst_of_several_comparisons_counts() {
        let against = Comparison::AgainstUs("a".into());
        let open = Comparison::Open("z".into());
        assert!(against > open);
        assert!(open > Comparison::ForUs("z"));
        assert!(Comparison::ForUs("a") > Comparison::Agrees);
    }

    #[test]
    fn a_part_has_only_what_is_kept() {
        let path = std::env::temp_dir().join(format!("proofmark-part-{}.lus", std::process::id()));
        let text = "node m(a: bool) returns (p: bool); var x, y: bool; let x = true; \
                    y = a; p = x or y; --%PROPERTY p;\n tel;";
        std::fs::write(&path, text).unwrap();
        let of = |names: &[&str]| suffices(&path, &|name| names.contains(&name)).unwrap();
        assert_eq!(of(&["x", "p"]), Some(true));
        assert_eq!(of(&["y", "p"]), Some(false));
        std::fs::remove_file(&path).unwrap();
    }
}
