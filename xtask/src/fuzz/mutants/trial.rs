//! A campaign on a model, and every answer of it examined.
//!
//! A mutant is a text of its own. The verdict must be that of a check of this text; a run that
//! killed must be one of this text; a survivor that is called equivalent, or not, must be so when it is put
//! beside the original in one model, and that model is checked.
//!
//! Values that nothing determines (an unguarded `pre`, what a removed equation defined) are chosen
//! by each of the two alone. A proof that they show the same whatever they choose contradicts a gap; a
//! run that shows a difference contradicts nothing by itself, unless the run of one is shown to be none
//! of the other.

use super::subject::{Subject, check, open, position};
use super::texts::{Case, Flat, Last, Run, impossible, pair, printed_name};
use proofmark_engine::EngineName;
use proofmark_model::Trace;
use proofmark_quality::mutate::{
    Campaign, Comparison, Decided, Distinction, Fate, Mutation, Observed, Selection, Side,
};
use proofmark_quality::{Auditor, Resources, Verdict, joint_proof};
use proofmark_solve::Interrupt;
use proofmark_solve::random::Random;
use std::collections::BTreeMap;
use std::time::Duration;

/// For each mutant in the campaign, and each check of a text.
const BUDGET: Duration = Duration::from_secs(2);
/// No more mutants of one model are decided: many models show more than many mutants of one.
const MOST_MUTANTS: usize = 40;

/// What was found, by name.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub mutants: usize,
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Answers that were compared, by what was compared.
    pub compared: BTreeMap<&'static str, usize>,
    /// Answers that were not, by the reason.
    pub open: BTreeMap<&'static str, usize>,
    pub contradictions: Vec<Contradiction>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.mutants += other.mutants;
        let maps = [
            (&mut self.verdicts, other.verdicts),
            (&mut self.compared, other.compared),
            (&mut self.open, other.open),
        ];
        for (into, from) in maps {
            for (name, count) in from {
                *into.entry(name).or_default() += count;
            }
        }
        self.contradictions.extend(other.contradictions);
    }
}

/// Two answers of which one is wrong.
#[derive(Clone, Debug)]
pub struct Contradiction {
    pub kind: Kind,
    pub what: String,
    /// What was put to the checker.
    pub text: String,
    /// The mutation, if it is about one: its id and its mutator.
    pub mutation: Option<(String, &'static str)>,
}

/// What a contradiction is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Verdict,
    Run,
    Equivalence,
    Gap,
    /// Something went wrong where nothing may.
    Error,
}

/// What the examination of an answer came to.
enum Examined {
    /// Both agree on what is named.
    Agrees(&'static str),
    /// Nothing can be said, for this reason.
    Open(&'static str),
    Contradicts {
        kind: Kind,
        what: String,
        text: String,
    },
}

/// How a campaign is run.
#[derive(Clone)]
pub struct Setup {
    pub selection: Selection,
    /// Whether a core of the proof is looked for first.
    pub with_core: bool,
    pub jobs: usize,
    /// Decides which mutants are left out where there are many.
    pub random: Random,
}

impl Setup {
    pub fn draw(random: &mut Random) -> Setup {
        let selection = match random.below(6) {
            0 => "paper",
            1 => "default",
            2 => "jkind",
            _ => "all",
        };
        Setup {
            selection: selection.parse().unwrap_or_else(|_| Selection::all()),
            with_core: random.chance(70),
            jobs: 1 + random.below(2),
            random: Random::new(random.word()),
        }
    }
}

/// Runs a campaign and examines all that it says.
pub fn examine(subject: &Subject, mut setup: Setup) -> Result<Tally, String> {
    let (case, interrupt) = (&subject.case, Interrupt::default());
    let resources = Resources {
        open: &open,
        engines: &EngineName::ALL,
        jobs: setup.jobs,
        budget: BUDGET,
        deadline: None,
        interrupt: &interrupt,
    };
    let rewriter = case.rewriter();
    let model = case.annotated(rewriter.as_deref());
    let campaign = Campaign::prepare(
        model,
        &subject.verified,
        Observed::Outputs,
        resources,
        Some(Auditor::default()),
    );
    let campaign = campaign.map_err(|error| error.to_string())?;
    let mut campaign = campaign.ok_or("nothing is proved")?;
    if !setup.with_core {
        campaign.core = case.lowered.system.ids().collect();
        campaign.proof = joint_proof(subject.verified.proved().map(|(_, proof)| proof));
        campaign.proof_audit = subject.verified.audit_of_proofs();
    }
    let mut mutations = campaign.mutations(&setup.selection).mutations;
    while mutations.len() > MOST_MUTANTS {
        mutations.remove(setup.random.below(mutations.len()));
    }
    let decided = campaign.run(&mutations, &mut |_, _| ());
    let decided = decided.map_err(|error| error.to_string())?;
    let (original, observed) = (Flat::new(case), observed(&campaign));
    let mut tally = Tally::default();
    for (mutation, decided) in mutations.iter().zip(&decided) {
        let decided = decided.as_ref().ok_or("a mutant was forgotten")?;
        let examiner = Examiner {
            case,
            campaign: &campaign,
            original: &original,
            observed: &observed,
            mutation,
            decided,
        };
        examiner.run(&mut tally);
    }
    Ok(tally)
}

/// What is observed, by printed names.
fn observed(campaign: &Campaign<'_>) -> Vec<String> {
    let system = campaign.mutable.model.system();
    let terms = campaign.observed.iter().flatten();
    let variables = terms.filter_map(|term| system.variable(*term));
    variables
        .map(|one| printed_name(one.name.as_str()))
        .collect()
}

/// What a check of a text says of all properties together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Truth {
    Holds,
    Fails,
    Vacuous,
    Unknown,
}

struct Examiner<'a> {
    case: &'a Case,
    campaign: &'a Campaign<'a>,
    original: &'a Flat,
    /// What is observed, by printed names.
    observed: &'a [String],
    mutation: &'a Mutation,
    decided: &'a Decided,
}

impl Examiner<'_> {
    fn run(&self, tally: &mut Tally) {
        tally.mutants += 1;
        *tally
            .verdicts
            .entry(verdict(&self.decided.fate))
            .or_default() += 1;
        let examined = match self.examine() {
            Ok(examined) => examined,
            Err(what) => vec![Examined::Contradicts {
                kind: Kind::Error,
                what,
                text: String::new(),
            }],
        };
        for one in examined {
            match one {
                Examined::Agrees(what) => *tally.compared.entry(what).or_default() += 1,
                Examined::Open(why) => *tally.open.entry(why).or_default() += 1,
                Examined::Contradicts { kind, what, text } => {
                    let id = self.campaign.mutable.id(self.mutation);
                    tally.contradictions.push(Contradiction {
                        kind,
                        what,
                        text,
                        mutation: Some((id, self.mutation.mutator)),
                    });
                }
            }
        }
    }

    /// Every error is an internal one, and as bad as a contradiction.
    fn examine(&self) -> Result<Vec<Examined>, String> {
        let text = self.text()?;
        let mutant = Case::load(text.clone())
            .map_err(|error| format!("the mutant does not load: {error}\n{text}"))?;
        let mut examined = vec![self.verdict(&mutant)?];
        let flat = Flat::new(&mutant);
        match &self.decided.fate {
            Fate::Killed { by, refutation } => {
                for &property in by {
                    let last = self.last(&mutant, property)?;
                    let steps = refutation.step as usize + 1;
                    examined.push(self.replay(&flat, &refutation.trace, steps, last)?);
                }
            }
            Fate::Survived {
                comparison: Some(comparison),
                ..
            } => examined.push(self.compare(&flat, comparison)?),
            _ => {}
        }
        Ok(examined)
    }

    /// The text of the mutant: the original's, with the edits of the mutation.
    fn text(&self) -> Result<String, String> {
        let rewritten = self.mutation.rewritten.as_ref();
        let rewritten = rewritten.ok_or("the mutation has no text")?;
        Ok(rewritten.edits.apply(&self.case.text))
    }

    /// The properties of the mutant that are those of the original.
    fn positions(&self, mutant: &Case) -> Result<Vec<usize>, String> {
        let system = &mutant.lowered.system;
        let find = |name: &String| {
            let found = position(system, name);
            found.ok_or_else(|| format!("the mutant has no property {name}\n{}", mutant.text))
        };
        self.campaign.names().iter().map(find).collect()
    }

    fn verdict(&self, mutant: &Case) -> Result<Examined, String> {
        let verified = check(&mutant.lowered.system, self.positions(mutant)?, BUDGET)?;
        let mut truth = Truth::Holds;
        for judgement in &verified.judgements {
            truth = match (&judgement.verdict, truth) {
                (Verdict::Invalid { .. }, _) | (_, Truth::Fails) => Truth::Fails,
                (Verdict::Vacuous { .. }, _) | (_, Truth::Vacuous) => Truth::Vacuous,
                (Verdict::Unknown { .. }, _) | (_, Truth::Unknown) => Truth::Unknown,
                (Verdict::Valid { .. }, Truth::Holds) => Truth::Holds,
            };
        }
        let claimed = match &self.decided.fate {
            Fate::Killed { .. } => Truth::Fails,
            Fate::Survived { .. } => Truth::Holds,
            Fate::Vacuous { .. } => Truth::Vacuous,
            Fate::Unknown { .. } | Fate::Unaudited { .. } | Fate::NotValid { .. } => Truth::Unknown,
        };
        Ok(match (claimed, truth) {
            (Truth::Unknown, _) => Examined::Open("the campaign has no verdict"),
            (_, Truth::Unknown) => Examined::Open("the check of the mutant has no verdict"),
            _ if claimed == truth => Examined::Agrees("verdicts"),
            // The run is examined, and the beginning of a run is enough to kill.
            (Truth::Fails, Truth::Vacuous) => Examined::Open("killed before it is vacuous"),
            _ => Examined::Contradicts {
                kind: Kind::Verdict,
                what: format!(
                    "{} by {}, but a check says that it {truth:?}",
                    verdict(&self.decided.fate),
                    self.decided.by.as_str()
                ),
                text: mutant.text.clone(),
            },
        })
    }

    /// A property of the original as the last step of a run of the mutant violates it.
    fn last(&self, mutant: &Case, property: usize) -> Result<Last, String> {
        let positions = self.positions(mutant)?;
        let properties = self.campaign.properties.iter().zip(positions);
        let found = properties.into_iter().find(|(one, _)| **one == property);
        let found = found.map(|(_, position)| Last::Violates(position));
        found.ok_or_else(|| "killed by a property that was not proved".into())
    }

    /// A run that killed must be one of the mutant.
    fn replay(
        &self,
        mutant: &Flat,
        trace: &Trace,
        steps: usize,
        last: Last,
    ) -> Result<Examined, String> {
        let run = Run::new(trace, steps, self.case);
        let text = impossible(mutant, &run, &[], last);
        Ok(match truth(&text)?.0 {
            Truth::Fails => Examined::Agrees("runs that kill"),
            Truth::Unknown => Examined::Open("a run is not known to kill"),
            truth => Examined::Contradicts {
                kind: Kind::Run,
                what: format!("the run that kills is none of the mutant: {truth:?}"),
                text,
            },
        })
    }

    fn compare(&self, mutant: &Flat, comparison: &Comparison) -> Result<Examined, String> {
        let text = pair(self.original, mutant, self.observed);
        let (truth, run) = truth(&text)?;
        match (comparison, truth) {
            (Comparison::Unknown { .. }, _) => Ok(Examined::Open("the comparison has no result")),
            (Comparison::Equivalent { .. }, Truth::Holds) => Ok(Examined::Agrees("equivalences")),
            (Comparison::Different(_), Truth::Holds) => Ok(Examined::Contradicts {
                kind: Kind::Gap,
                what: "a gap, but a check says that both show the same".into(),
                text,
            }),
            (Comparison::Equivalent { .. }, Truth::Fails) => {
                let run = run.ok_or("a refutation without a run")?;
                self.refuted_equivalence(mutant, &run, text)
            }
            (Comparison::Different(distinction), _) => self.gap(mutant, distinction),
            _ => Ok(Examined::Open("the pair has no verdict")),
        }
    }

    /// A run of the pair shows a difference, and the campaign none.
    fn refuted_equivalence(
        &self,
        mutant: &Flat,
        run: &Run,
        text: String,
    ) -> Result<Examined, String> {
        // What only the mutant has as an input stands for a removed equation: it is a choice.
        let side = |prefix: &str| {
            let mut side = run.clone();
            for step in &mut side.steps {
                let results = step.clone();
                step.retain(|name, _| self.original.is_input(name));
                for (at, name) in self.observed.iter().enumerate() {
                    if let Some(value) = results.get(&format!("{prefix}_seen{at}")) {
                        step.insert(name.clone(), value.clone());
                    }
                }
            }
            side
        };
        let apart = self.told_apart(mutant, [Some(&side("o")), Some(&side("m"))])?;
        Ok(match apart {
            Truth::Holds => Examined::Contradicts {
                kind: Kind::Equivalence,
                what: "equivalent, but a check finds a run of one that is none of the other".into(),
                text,
            },
            _ if !self.original.chooses
                && !mutant.chooses
                && mutant.has_inputs_of(self.original) =>
            {
                Examined::Contradicts {
                    kind: Kind::Equivalence,
                    what: "equivalent, but a check finds a difference".into(),
                    text,
                }
            }
            _ => Examined::Open("equivalent, if the choices make up for the difference"),
        })
    }

    /// One of the two runs of a gap must be impossible on the other side.
    fn gap(&self, mutant: &Flat, distinction: &Distinction) -> Result<Examined, String> {
        let steps = distinction.step + 1;
        let original_run = Run::new(&distinction.original, steps, self.case);
        let mutant_run = Run::new(&distinction.mutant, steps, self.case);
        let runs = match distinction.alone {
            Some(Side::Original) => [Some(&original_run), None],
            Some(Side::Mutant) => [None, Some(&mutant_run)],
            None => [Some(&original_run), Some(&mutant_run)],
        };
        Ok(match self.told_apart(mutant, runs)? {
            Truth::Holds => Examined::Agrees("gaps"),
            Truth::Unknown => Examined::Open("a gap is not known to be one"),
            _ => Examined::Contradicts {
                kind: Kind::Gap,
                what: "a gap, but no run of one is shown that the other does not have".into(),
                text: pair(self.original, mutant, self.observed),
            },
        })
    }

    /// Whether one of the runs, of the original and of the mutant, is none of the other.
    fn told_apart(&self, mutant: &Flat, runs: [Option<&Run>; 2]) -> Result<Truth, String> {
        let observed = self.observed;
        let sides = [(self.original, mutant), (mutant, self.original)];
        let sides = sides.into_iter().zip(runs);
        let sides = sides.filter_map(|(side, run)| Some((side, run?)));
        let mut open = false;
        for ((own, foreign), run) in sides {
            let at_home = truth(&impossible(own, run, observed, Last::Accepted))?.0;
            let abroad = truth(&impossible(foreign, run, observed, Last::Accepted))?.0;
            match (at_home, abroad) {
                (Truth::Fails, Truth::Holds) => return Ok(Truth::Holds),
                (Truth::Unknown, _) | (_, Truth::Unknown) => open = true,
                _ => {}
            }
        }
        Ok(if open { Truth::Unknown } else { Truth::Fails })
    }
}

/// Checks the only property of a text; a run that violates it comes with the answer.
fn truth(text: &str) -> Result<(Truth, Option<Run>), String> {
    let case = Case::load(text.into()).map_err(|error| format!("{error}\n{text}"))?;
    let verified = check(&case.lowered.system, vec![0], BUDGET)?;
    Ok(match &verified.judgements[0].verdict {
        Verdict::Valid { .. } => (Truth::Holds, None),
        Verdict::Invalid { refutation, .. } => {
            let run = Run::new(&refutation.trace, refutation.step as usize + 1, &case);
            (Truth::Fails, Some(run))
        }
        Verdict::Vacuous { .. } => (Truth::Vacuous, None),
        Verdict::Unknown { .. } => (Truth::Unknown, None),
    })
}

fn verdict(fate: &Fate) -> &'static str {
    match fate {
        Fate::Killed { .. } => "killed",
        Fate::Survived { comparison, .. } => match comparison {
            Some(Comparison::Equivalent { .. }) => "equivalent",
            Some(Comparison::Different(_)) => "gap",
            _ => "survived",
        },
        Fate::Vacuous { .. } => "vacuous",
        Fate::NotValid { .. } => "not valid",
        Fate::Unknown { .. } | Fate::Unaudited { .. } => "unknown",
    }
}
