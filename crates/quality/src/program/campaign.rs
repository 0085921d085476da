//! Which mutants of a program some check notices: all of them in one formula.
//!
//! The interpreter comes first: random inputs kill most, and inputs that kill one are tried on all others. What is left goes into
//! one formula with a selector a mutant, of which at most one holds. A model names the mutant and the inputs that
//! kill it; one answer that there is none proves all that are left at once. Where that takes too long, they
//! are asked about one by one.
//!
//! Falsification-Driven Verification (Groce, Ahmed, Jensen and McKenney, 2015) runs a model checker for each mutant; here they
//! share everything but what differs.

use super::check::{CheckedProgram, ProgramVerdict, check_here, encode_program};
use super::cofactor::same_as_original;
use super::question::{Found, Question};
use super::random::Answers;
use super::{ProgramError, ProgramOptions, on_a_large_stack, replay};
use proofmark_audit::program::{Record, Run, RunOptions, run_program};
use proofmark_engine::program::Formula;
use proofmark_model::graph::Signal;
use proofmark_model::program::{Check, MutantId, Program};
use proofmark_solve::sat::Lit;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// A mutant that is decided.
#[derive(Clone, Copy, Debug)]
pub enum SubjectMutant<'a> {
    /// Variants in the common program.
    Variant(MutantId),
    /// A program of its own.
    Alone(&'a Program),
}

/// What becomes of a mutant.
#[derive(Clone, Debug)]
pub enum ProgramFate {
    /// This run of it fails checks that hold of the original; found by random inputs, by those of another mutant, or
    /// by the formula.
    Killed {
        /// The run, with its steps.
        run: Box<Run>,
        /// Who found it.
        by: &'static str,
    },
    /// No run of it within the bound fails a check that holds of the original.
    Survived,
    /// Within the bound it is the same program.
    Equivalent,
    /// Nobody knows, for this reason.
    Unknown(String),
}

/// A campaign that was run.
#[derive(Clone, Debug)]
pub struct ProgramCampaign {
    /// What holds of the original.
    pub original: CheckedProgram,
    /// In the order of the mutants, with the time at which each was known.
    pub fates: Vec<(ProgramFate, Duration)>,
    /// The gates of the common formula.
    pub gates: usize,
}

/// Random runs of each mutant. They are cheap beside a question to the formula, and whoever dies here is not in it.
const ROUNDS: u64 = 600;

/// The most statements of all random runs, for programs whose runs are long.
const ALL_RANDOM_STEPS: u64 = 40_000_000;

/// The most statements of a random run.
const RANDOM_STEPS: u64 = 200_000;

/// Decides mutants; `hear` is told of each as soon as it is known.
pub fn decide_mutants(
    program: &Program,
    mutants: &[SubjectMutant<'_>],
    options: &ProgramOptions,
    hear: &mut (dyn FnMut(usize, &ProgramFate) + Send),
) -> Result<ProgramCampaign, ProgramError> {
    on_a_large_stack(|| decide_here(program, mutants, options, hear))
}

fn decide_here(
    program: &Program,
    mutants: &[SubjectMutant<'_>],
    options: &ProgramOptions,
    hear: &mut dyn FnMut(usize, &ProgramFate),
) -> Result<ProgramCampaign, ProgramError> {
    let begin = Instant::now();
    let original = check_here(program, options)?;
    let mut campaign = Campaign {
        program,
        mutants,
        options,
        broken: original.broken(),
        doubt: doubt(&original),
        open: (0..mutants.len()).collect(),
        fates: vec![None; mutants.len()],
        gates: 0,
        begin,
        hear,
    };
    campaign.random();
    campaign.variants()?;
    campaign.alone()?;
    Ok(ProgramCampaign {
        fates: campaign.take(),
        gates: campaign.gates,
        original,
    })
}

/// Why nothing can be said to survive.
fn doubt(original: &CheckedProgram) -> Option<String> {
    original
        .properties
        .iter()
        .find_map(|one| match &one.verdict {
            ProgramVerdict::Unknown(why) => Some(format!("the original is not decided: {why}")),
            ProgramVerdict::Bound(_) => Some("the bound is too small for the original".into()),
            _ => None,
        })
}

struct Campaign<'a> {
    program: &'a Program,
    mutants: &'a [SubjectMutant<'a>],
    options: &'a ProgramOptions,
    /// Checks that the original fails: nothing is killed by them.
    broken: FxHashSet<Check>,
    doubt: Option<String>,
    /// Mutants that are not decided, by position.
    open: Vec<usize>,
    fates: Vec<Option<(ProgramFate, Duration)>>,
    gates: usize,
    begin: Instant,
    hear: &'a mut dyn FnMut(usize, &ProgramFate),
}

impl Campaign<'_> {
    fn decide(&mut self, at: usize, fate: ProgramFate) {
        (self.hear)(at, &fate);
        self.fates[at] = Some((fate, self.begin.elapsed()));
        self.open.retain(|one| *one != at);
    }

    fn take(&mut self) -> Vec<(ProgramFate, Duration)> {
        let late = || {
            (
                ProgramFate::Unknown("the run was stopped".into()),
                Duration::ZERO,
            )
        };
        let fates = std::mem::take(&mut self.fates);
        fates
            .into_iter()
            .map(|one| one.unwrap_or_else(late))
            .collect()
    }

    fn subject(&self, at: usize) -> (&Program, Option<MutantId>) {
        match self.mutants[at] {
            SubjectMutant::Variant(mutant) => (self.program, Some(mutant)),
            SubjectMutant::Alone(program) => (program, None),
        }
    }

    /// Whether a run fails what holds of the original.
    fn kills(&self, run: &Run) -> bool {
        run.violations
            .iter()
            .any(|check| !self.broken.contains(check))
    }

    /// Kills mutants with random inputs.
    fn random(&mut self) {
        let mut steps = 0;
        for round in 0..ROUNDS {
            if self.options.interrupt.is_set() || steps > ALL_RANDOM_STEPS {
                return;
            }
            for at in self.open.clone() {
                if self.fates[at].is_some() {
                    continue;
                }
                let run = self.random_run(at, round);
                steps += run.statements;
                if self.kills(&run) {
                    let inputs = inputs_of(&run);
                    self.kill(at, &inputs, "random inputs");
                    self.spread(&inputs);
                }
            }
        }
    }

    fn random_run(&self, at: usize, round: u64) -> Run {
        let (program, mutant) = self.subject(at);
        let mut answers = Answers::new(round + 1);
        let options = RunOptions {
            checks: &self.options.checks,
            bounds: &self.options.bounds,
            mutant,
            most_steps: RANDOM_STEPS,
            record: Record::Outcome,
        };
        run_program(program, &options, &mut |asked| answers.answer(asked))
    }

    /// Tries inputs that killed a mutant on all others.
    fn spread(&mut self, inputs: &[Vec<u8>]) {
        for at in self.open.clone() {
            let (program, mutant) = self.subject(at);
            let run = replay(program, self.options, mutant, inputs, Record::Outcome);
            if self.kills(&run) {
                self.kill(at, inputs, "inputs of another mutant");
            }
        }
    }

    fn kill(&mut self, at: usize, inputs: &[Vec<u8>], by: &'static str) {
        let (program, mutant) = self.subject(at);
        let run = replay(program, self.options, mutant, inputs, Record::Steps);
        let run = Box::new(run);
        self.decide(at, ProgramFate::Killed { run, by });
    }

    fn survive(&mut self, at: usize) {
        let fate = match &self.doubt {
            Some(why) => ProgramFate::Unknown(why.clone()),
            None => ProgramFate::Survived,
        };
        self.decide(at, fate);
    }

    /// Decides all mutants of the common program.
    fn variants(&mut self) -> Result<(), ProgramError> {
        let of = |at: &usize| match self.mutants[*at] {
            SubjectMutant::Variant(mutant) => Some((mutant, *at)),
            SubjectMutant::Alone(_) => None,
        };
        let open: Vec<(MutantId, usize)> = self.open.iter().filter_map(of).collect();
        if open.is_empty() {
            return Ok(());
        }
        let selected = open.iter().map(|(mutant, _)| *mutant).collect();
        let formula = match encode_program(self.program, self.options, &selected) {
            Ok(formula) => formula,
            Err(why) => return self.give_up(open, &why),
        };
        self.gates = formula.netlist.graph.gates();
        for mutant in same_as_original(&formula) {
            if let Some((_, at)) = open.iter().find(|(one, _)| *one == mutant) {
                self.decide(*at, ProgramFate::Equivalent);
            }
        }
        let mut search = Search::new(&formula, &open, self);
        search.together(self)?;
        search.one_by_one(self)
    }

    /// Too large a formula for all: one for each half, down to one for each.
    fn give_up(&mut self, open: Vec<(MutantId, usize)>, why: &str) -> Result<(), ProgramError> {
        for (_, at) in open {
            self.decide(at, ProgramFate::Unknown(why.to_string()));
        }
        Ok(())
    }

    /// Decides the mutants that are programs of their own.
    fn alone(&mut self) -> Result<(), ProgramError> {
        for at in self.open.clone() {
            let SubjectMutant::Alone(program) = self.mutants[at] else {
                continue;
            };
            let formula = match encode_program(program, self.options, &FxHashSet::default()) {
                Ok(formula) => formula,
                Err(why) => {
                    self.decide(at, ProgramFate::Unknown(why));
                    continue;
                }
            };
            let mut search = Search::new(&formula, &[], self);
            search.ask_alone(at, self)?;
        }
        Ok(())
    }
}

fn inputs_of(run: &Run) -> Vec<Vec<u8>> {
    run.inputs.iter().map(|input| input.bytes.clone()).collect()
}

/// The common formula in a solver.
struct Search<'f> {
    question: Question<'f>,
    /// A literal a mutant, and its position.
    selectors: Vec<(usize, Lit, Signal)>,
}

impl<'f> Search<'f> {
    fn new(formula: &'f Formula, open: &[(MutantId, usize)], campaign: &Campaign<'_>) -> Self {
        let mut question = Question::new(formula, campaign.options);
        let counted = |check: &Check| !campaign.broken.contains(check);
        let mut fails = Vec::new();
        for violation in formula.violations.iter().filter(|one| counted(&one.check)) {
            let signal = question.literal(violation.signal);
            // Only what the original fails may end a run that goes on to fail something else.
            fails.push(if campaign.broken.is_empty() {
                signal
            } else {
                let over = question.literal(violation.over);
                both(&mut question, signal, !over)
            });
        }
        // A run beyond the room of the formula kills nobody, and nobody survives where there is one.
        for (beyond, _) in &formula.limits {
            fails.push(question.literal(*beyond));
        }
        question.require(&fails);
        let selectors = formula.selectors.iter().filter_map(|(mutant, selector)| {
            let (_, at) = open.iter().find(|(one, _)| one == mutant)?;
            Some((*at, question.literal(*selector), *selector))
        });
        let selectors: Vec<(usize, Lit, Signal)> = selectors.collect();
        at_most_one(&mut question, &selectors);
        let inputs = formula.inputs.iter().flat_map(|input| input.bits.clone());
        question.prefer_false(inputs);
        Search {
            question,
            selectors,
        }
    }

    /// Asks for any mutant that is killed until there is none.
    fn together(&mut self, campaign: &mut Campaign<'_>) -> Result<(), ProgramError> {
        loop {
            let closed = |at: usize| campaign.fates[at].is_some();
            let closed: Vec<Lit> = self
                .selectors
                .iter()
                .filter(|(at, ..)| closed(*at))
                .map(|(_, literal, _)| !*literal)
                .collect();
            if closed.len() == self.selectors.len() {
                return Ok(());
            }
            // The original fails nothing that counts, so that some selector holds.
            let open = self.selectors.iter().map(|(_, literal, _)| *literal);
            let open: Vec<Lit> = open
                .filter(|literal| !closed.contains(&!*literal))
                .collect();
            match self.question.ask(&closed, &open, campaign.options.time)? {
                Found::Run(found) => {
                    let chosen = self.selectors.iter().find(|one| found.holds(one.2));
                    let Some((at, ..)) = chosen else {
                        return Err(ProgramError::Disagreement("no mutant is chosen".into()));
                    };
                    let inputs = found.inputs(self.question.formula);
                    self.confirm(*at, &inputs, campaign);
                }
                Found::Nothing => {
                    for (at, ..) in &self.selectors {
                        if campaign.fates[*at].is_none() {
                            campaign.survive(*at);
                        }
                    }
                    return Ok(());
                }
                Found::Unknown => return Ok(()),
            }
        }
    }

    /// A run of the formula is one of the interpreter, or nobody knows.
    fn confirm(&self, at: usize, inputs: &[Vec<u8>], campaign: &mut Campaign<'_>) {
        let (program, mutant) = campaign.subject(at);
        let run = replay(program, campaign.options, mutant, inputs, Record::Outcome);
        if campaign.kills(&run) {
            campaign.kill(at, inputs, "the formula");
            campaign.spread(inputs);
        } else {
            let why = format!(
                "a run was found that the interpreter ends with {:?}",
                run.end
            );
            campaign.decide(at, ProgramFate::Unknown(why));
        }
    }

    /// Asks about each mutant that is left.
    fn one_by_one(&mut self, campaign: &mut Campaign<'_>) -> Result<(), ProgramError> {
        for position in 0..self.selectors.len() {
            let (at, mine, _) = self.selectors[position];
            if campaign.fates[at].is_some() {
                continue;
            }
            let literal = |(other, literal, _): &(usize, Lit, Signal)| match *other == at {
                true => *literal,
                false => !*literal,
            };
            let assumed: Vec<Lit> = self.selectors.iter().map(literal).collect();
            match self
                .question
                .ask(&assumed, &[mine], campaign.options.time)?
            {
                Found::Run(found) => {
                    let inputs = found.inputs(self.question.formula);
                    self.confirm(at, &inputs, campaign);
                }
                Found::Nothing => campaign.survive(at),
                Found::Unknown => {
                    let why = "no answer in the time that it may take".into();
                    campaign.decide(at, ProgramFate::Unknown(why));
                }
            }
        }
        Ok(())
    }

    /// Asks about the only mutant of a formula.
    fn ask_alone(&mut self, at: usize, campaign: &mut Campaign<'_>) -> Result<(), ProgramError> {
        match self.question.ask(&[], &[], campaign.options.time)? {
            Found::Run(found) => {
                let inputs = found.inputs(self.question.formula);
                self.confirm(at, &inputs, campaign);
            }
            Found::Nothing => campaign.survive(at),
            Found::Unknown => {
                let why = "no answer in the time that it may take".into();
                campaign.decide(at, ProgramFate::Unknown(why));
            }
        }
        Ok(())
    }
}

/// A literal that holds only where both do.
fn both(question: &mut Question<'_>, a: Lit, b: Lit) -> Lit {
    let both = question.new_literal();
    question.require(&[!both, a]);
    question.require(&[!both, b]);
    both
}

/// No two literals hold: each implies the bits of its position.
fn at_most_one(question: &mut Question<'_>, selectors: &[(usize, Lit, Signal)]) {
    let width = usize::BITS - selectors.len().leading_zeros();
    let bits: Vec<Lit> = (0..width).map(|_| question.new_literal()).collect();
    for (position, (_, literal, _)) in selectors.iter().enumerate() {
        for (at, bit) in bits.iter().enumerate() {
            let bit = if position >> at & 1 == 1 { *bit } else { !*bit };
            question.require(&[!*literal, bit]);
        }
    }
}
