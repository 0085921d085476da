//! One line on a terminal that says where the engines are, and goes when they are done.

use proofmark_engine::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// Who waits less than this need not be told why.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often the line changes.
const PERIOD: Duration = Duration::from_millis(100);

pub struct Progress {
    properties: usize,
    settled: usize,
    depths: BTreeMap<&'static str, u32>,
    start: Instant,
    drawn: Option<Instant>,
    wanted: bool,
}

impl Progress {
    pub fn new(properties: usize, quiet: bool) -> Progress {
        Progress {
            properties,
            settled: 0,
            depths: BTreeMap::new(),
            start: Instant::now(),
            drawn: None,
            wanted: !quiet && std::io::stderr().is_terminal(),
        }
    }

    pub fn hear(&mut self, report: &Report) {
        match report {
            Report::Depth { engine, depth } => {
                self.depths.insert(engine, *depth);
            }
            Report::Settled { .. } => self.settled += 1,
        }
        let due = match self.drawn {
            None => self.start.elapsed() >= PATIENCE,
            Some(drawn) => drawn.elapsed() >= PERIOD,
        };
        if self.wanted && due {
            self.drawn = Some(Instant::now());
            draw(&self.line());
        }
    }

    fn line(&self) -> String {
        let seconds = self.start.elapsed().as_secs();
        let mut line = format!(
            "{seconds} s   {} of {} settled",
            self.settled, self.properties
        );
        for (engine, depth) in &self.depths {
            // Writing to a string does not fail.
            let _ = write!(line, "   {engine} {depth}");
        }
        line
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            draw("");
        }
    }
}

/// Replaces the line. With standard error gone there is nobody to tell.
fn draw(line: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
}
