//! `cargo xtask fuzz mutants`: campaigns on random models, every answer examined.
//!
//! Model number n of a seed is the same whatever the count, so that a contradiction is found again
//! with `--seed` and `--skip`. Contradictions are shrunk and printed with the model; the exit code
//! tells whether there were any.

mod models;
mod shrink;
mod subject;
mod texts;
mod trial;

use proofmark_solve::random::Random;
use shrink::shrink;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use subject::Subject;
use trial::{Contradiction, Kind, Setup, Tally, examine};

pub const USAGE: &str =
    "fuzz mutants [--seed N] [--count MUTANTS] [--skip MODELS] [--models N] [--jobs N]";

/// Stop after so many.
const MOST_CONTRADICTIONS: usize = 5;

struct Options {
    seed: u64,
    /// Mutants, after which no further model is begun.
    count: usize,
    skip: u64,
    models: u64,
    jobs: usize,
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        seed: 1,
        count: 1000,
        skip: 0,
        models: u64::MAX / 2,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
    };
    for pair in args.chunks(2) {
        let number = |value: &String| value.parse::<u64>().map_err(|error| error.to_string());
        match pair {
            [flag, value] if flag == "--seed" => options.seed = number(value)?,
            [flag, value] if flag == "--count" => options.count = number(value)? as usize,
            [flag, value] if flag == "--skip" => options.skip = number(value)?,
            [flag, value] if flag == "--models" => options.models = number(value)?,
            [flag, value] if flag == "--jobs" => options.jobs = number(value)?.max(1) as usize,
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    Ok(options)
}

/// What all models came to.
#[derive(Default)]
struct Figures {
    models: usize,
    /// Models of which nothing was proved.
    without_property: usize,
    tally: Tally,
    slowest: (f64, u64),
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    // Panics are failures that are reported in their place.
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let figures = Mutex::new(Figures::default());
    let next = AtomicU64::new(options.skip);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| work(&options, &next, &figures));
        }
    });
    let figures = figures.into_inner().unwrap_or_default();
    print(&options, &figures, started.elapsed().as_secs_f64());
    match figures.tally.contradictions.len() {
        0 => Ok(()),
        _ => Err("an answer is wrong".into()),
    }
}

/// Takes one model after the other until there are enough mutants.
fn work(options: &Options, next: &AtomicU64, figures: &Mutex<Figures>) {
    let last = options.skip + options.models;
    let enough = |figures: &Figures| {
        figures.tally.mutants >= options.count
            || figures.tally.contradictions.len() >= MOST_CONTRADICTIONS
    };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= last || figures.lock().is_ok_and(|figures| enough(&figures)) {
            return;
        }
        let began = Instant::now();
        let trial = Trial::run(options.seed, number);
        let seconds = began.elapsed().as_secs_f64();
        if let Some(one) = trial.tally.contradictions.first() {
            trial.show(number, one);
        }
        if let Ok(mut figures) = figures.lock() {
            figures.models += 1;
            figures.without_property += usize::from(trial.tally.mutants == 0);
            if seconds > figures.slowest.0 {
                figures.slowest = (seconds, number);
            }
            figures.tally.add(trial.tally);
        }
    }
}

/// A model and what its campaign came to.
struct Trial {
    setup: Setup,
    text: String,
    tally: Tally,
}

/// A contradiction is shrunk for so long.
const SHRINKING: Duration = Duration::from_secs(60);

impl Trial {
    /// The trial of a number.
    fn run(seed: u64, number: u64) -> Trial {
        let mut random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
        // The numbers of neighbours overlap, unless each begins anew.
        let mut random = Random::new(random.word());
        let setup = Setup::draw(&mut random);
        let mut text = String::new();
        let tally = without_panic(|| match Subject::draw(&mut random)? {
            Some(subject) => {
                text.clone_from(&subject.case.text);
                examine(&subject, setup.clone())
            }
            None => Ok(Tally::default()),
        });
        Trial { setup, text, tally }
    }

    /// Prints a contradiction with the least model that still has one of its kind.
    fn show(&self, number: u64, contradiction: &Contradiction) {
        let again = |text: &str| {
            let (_, mutator) = contradiction.mutation.as_ref()?;
            let selection = mutator.parse().ok()?;
            let setup = Setup {
                selection,
                jobs: 1,
                ..self.setup.clone()
            };
            let tally = without_panic(|| match Subject::new(text.into())? {
                Some(subject) => examine(&subject, setup),
                None => Ok(Tally::default()),
            });
            let mut all = tally.contradictions.into_iter();
            all.find(|one| one.kind == contradiction.kind)
        };
        let small = shrink(&self.text, SHRINKING, &|text| again(text).is_some());
        let shown = again(&small);
        let (model, one) = match &shown {
            Some(one) => (&small, one),
            None => (&self.text, contradiction),
        };
        let mutation = one.mutation.as_ref().map(|(label, _)| label.as_str());
        println!(
            "model {number}: {}: {}",
            mutation.unwrap_or("no mutant"),
            one.what
        );
        println!(
            "--- the model\n{model}--- what was checked\n{}---",
            one.text
        );
    }
}

/// Errors and panics contradict the promise that there are none.
fn without_panic(what: impl FnOnce() -> Result<Tally, String>) -> Tally {
    let tried = catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("of an unknown kind")))
    });
    tried.unwrap_or_else(|what| Tally {
        contradictions: vec![Contradiction {
            kind: Kind::Error,
            what,
            text: String::new(),
            mutation: None,
        }],
        ..Tally::default()
    })
}

fn print(options: &Options, figures: &Figures, seconds: f64) {
    let Figures {
        models,
        without_property,
        tally,
        slowest,
    } = figures;
    println!(
        "seed {}, {models} models ({without_property} without a property), {} mutants, {seconds:.1} s",
        options.seed, tally.mutants
    );
    println!("slowest model {:.1} s, number {}", slowest.0, slowest.1);
    let list = |counts: &BTreeMap<&str, usize>| {
        let all = counts.iter().map(|(name, count)| format!("{count} {name}"));
        all.collect::<Vec<String>>().join(", ")
    };
    println!("verdicts: {}", list(&tally.verdicts));
    println!("compared: {}", list(&tally.compared));
    println!("not compared: {}", list(&tally.open));
    println!("{} contradictions", tally.contradictions.len());
}
