//! One line on a terminal that says where the engines are, or a campaign, and goes when they are done.

use proofmark_engine::Report;
use proofmark_quality::mutate::News;
use proofmark_report::{MutantFinding, Score};
use proofmark_source::printable;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// A run shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often the line changes.
const PERIOD: Duration = Duration::from_millis(100);

/// The line itself.
struct Line {
    start: Instant,
    drawn: Option<Instant>,
    wanted: bool,
}

impl Line {
    fn new(quiet: bool) -> Line {
        Line {
            start: Instant::now(),
            drawn: None,
            wanted: !quiet && std::io::stderr().is_terminal(),
        }
    }

    /// Draws what is to be said when it is time to say something.
    fn show(&mut self, text: impl FnOnce(Duration) -> String) {
        let due = match self.drawn {
            None => self.start.elapsed() >= PATIENCE,
            Some(drawn) => drawn.elapsed() >= PERIOD,
        };
        if self.wanted && due {
            self.drawn = Some(Instant::now());
            draw(&text(self.start.elapsed()));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            draw("");
        }
    }
}

/// Where the engines are.
pub struct Progress {
    properties: usize,
    settled: usize,
    depths: BTreeMap<&'static str, u32>,
    line: Line,
}

impl Progress {
    pub fn new(properties: usize, quiet: bool) -> Progress {
        Progress {
            properties,
            settled: 0,
            depths: BTreeMap::new(),
            line: Line::new(quiet),
        }
    }

    pub fn hear(&mut self, report: &Report) {
        match report {
            Report::Depth { engine, depth } => {
                self.depths.insert(engine, *depth);
            }
            Report::Settled { .. } => self.settled += 1,
        }
        let (settled, properties, depths) = (self.settled, self.properties, &self.depths);
        self.line.show(|time| {
            let seconds = time.as_secs();
            let mut line = format!("{seconds} s   {settled} of {properties} settled");
            for (engine, depth) in depths {
                // Writing to a string does not fail.
                let _ = write!(line, "   {engine} {depth}");
            }
            line
        });
    }
}

/// Where a campaign is. What a former run decided costs no time, and says nothing of what is left.
pub struct Campaign {
    known: usize,
    /// Survivors that are still to be compared with the original, and how many there were in all.
    waiting: FxHashSet<usize>,
    survivors: usize,
    /// What is done after the verdicts, and since when.
    stage: Option<(&'static str, Instant)>,
    line: Line,
}

impl Campaign {
    pub fn new(known: usize, quiet: bool) -> Campaign {
        Campaign {
            known,
            waiting: FxHashSet::default(),
            survivors: 0,
            stage: None,
            line: Line::new(quiet),
        }
    }

    /// Whether anybody sees it.
    pub fn is_shown(&self) -> bool {
        self.line.wanted
    }

    /// What is known of the mutants, after news of the one at this position.
    pub fn hear(&mut self, mutants: &[Option<MutantFinding>], at: usize, news: &News<'_>) {
        match news {
            News::Survives(_) => self.survivors += usize::from(self.waiting.insert(at)),
            News::Decided(_) if self.waiting.remove(&at) => {
                let (left, all) = (self.waiting.len(), self.survivors);
                // The first comparison comes after all verdicts.
                return self.step("comparing", all - left, all);
            }
            News::Decided(_) => {}
        }
        let known = self.known;
        self.line.show(|time| state(mutants, known, time));
    }

    /// Where the present stage of the run is: so many of so many are done.
    pub fn step(&mut self, stage: &'static str, done: usize, all: usize) {
        let since = match self.stage {
            Some((known, since)) if known == stage => since,
            _ => {
                let now = Instant::now();
                self.stage = Some((stage, now));
                now
            }
        };
        let time = since.elapsed();
        self.line.show(|_| stage_line(stage, done, all, time));
    }
}

/// `comparing 120 of 205, about 4 s`
fn stage_line(stage: &str, done: usize, all: usize, time: Duration) -> String {
    let mut line = format!("{stage} {done} of {all}");
    if done > 0 && done < all {
        let left = time.mul_f64((all - done) as f64 / done as f64);
        // Writing to a string does not fail.
        let _ = write!(line, ", about {}", clock(left));
    }
    line
}

fn state(mutants: &[Option<MutantFinding>], known: usize, time: Duration) -> String {
    let all = mutants.len();
    let score = Score::of(mutants.iter().flatten());
    let done = mutants.iter().flatten().count();
    let left = time.mul_f64((all - done) as f64 / (done - known).max(1) as f64);
    let (killed, survived) = (
        score.killed,
        score.gap + score.survived + score.not_observed + score.equivalent,
    );
    let (unknown, time, left) = (score.unknown, clock(time), clock(left));
    // It has to fit on one line of a narrow terminal, or it could not be taken back.
    format!(
        "{done} of {all}: {killed} killed, {survived} survived, {unknown} unknown; {time}, {left} left"
    )
}

/// About how long.
fn clock(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// Replaces the line. Errors of standard error are ignored.
fn draw(line: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{}", printable(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(verdict: &str) -> Option<MutantFinding> {
        let finding = serde_json::json!({
            "id": "m/x#or2xor#1", "mutator": "or2xor", "label": "or2xor", "element": "m/x",
            "origin": { "file": "m.lus", "line": 1, "column": 1, "end_line": 1, "end_column": 2 },
            "at": { "line": 1, "column": 1 }, "original": "a or b", "replacement": "a xor b",
            "verdict": verdict, "decided_by": "full", "queries": 1, "seconds": 0.5,
        });
        Some(serde_json::from_value(finding).unwrap())
    }

    #[test]
    fn a_campaign_tells_counts_and_the_time_that_is_left() {
        let decided = ["killed", "vacuous", "gap", "equivalent", "unknown"].map(mutant);
        let mutants = [&decided[..], &vec![None; 15]].concat();
        // Three of five in a minute; two are of a former run, and cost nothing now.
        let line = state(&mutants, 2, Duration::from_secs(60));
        assert_eq!(
            line,
            "5 of 20: 2 killed, 2 survived, 1 unknown; 60 s, 5 min left"
        );
        assert_eq!(clock(Duration::from_secs(9000)), "2 h");
    }

    #[test]
    fn a_stage_tells_how_far_it_is_and_about_how_long_it_takes() {
        let line = |done, all| stage_line("comparing", done, all, Duration::from_secs(6));
        assert_eq!(line(120, 200), "comparing 120 of 200, about 4 s");
        assert_eq!(line(0, 200), "comparing 0 of 200");
        assert_eq!(line(200, 200), "comparing 200 of 200");
    }
}
