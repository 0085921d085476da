//! What has to be true for a proof to be one, as formulas.
//!
//! With `C` for the conjunction of the properties and the invariants of a proof:
//!
//! - *base*: in every run, `C` holds at the steps `0 .. k-1`. Step `i` is asked about in runs of
//!   `i + 1` steps: one step more might rule out, by an assumption that cannot be met there, the
//!   very run that violates `C`.
//! - *step*: when `k` states in a row satisfy `C`, each following from the one before, the state
//!   that follows next satisfies `C`. The first of them is a state of a run that came from
//!   somewhere, so what the system says of *every* state, at the first step as at later ones, and
//!   without looking at the state before, holds in it too. That is all that is assumed of it.
//! - *implication*: `C` says that the properties hold.
//!
//! From base and step `C` holds in every state of every run, by induction on the step.

use proofmark_model::{Phase, System, Term, Unroller};

/// The parts of a proof by induction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ObligationPart {
    /// The first steps of every run.
    Base,
    /// A step after others.
    Step,
    /// From what is inductive to the property.
    Implication,
}

impl ObligationPart {
    /// All parts, in the order in which they are checked.
    pub const ALL: [ObligationPart; 3] = [
        ObligationPart::Base,
        ObligationPart::Step,
        ObligationPart::Implication,
    ];

    /// The word for people and for names of files.
    pub fn as_str(self) -> &'static str {
        match self {
            ObligationPart::Base => "base",
            ObligationPart::Step => "step",
            ObligationPart::Implication => "implication",
        }
    }
}

/// Facts, and what has to follow from them and from all facts and goals of the stages before.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Each with a line that says what the terms are.
    pub facts: Vec<(String, Vec<Term>)>,
    /// What has to follow from the facts.
    pub goal: Term,
    /// What it would mean if the goal did not follow.
    pub otherwise: String,
}

/// One part of a proof: a list of stages.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Which part of the induction it is.
    pub part: ObligationPart,
    /// The goals, each with the facts that come with it.
    pub stages: Vec<Stage>,
}

/// What has to be true for properties to hold by induction of depth `k` (at least 1), together with
/// invariants; all are terms over the current state.
pub fn obligations(
    system: &System,
    properties: &[Term],
    invariants: &[Term],
    k: u32,
) -> [Obligation; 3] {
    let mut writer = Writer {
        system,
        unroller: Unroller::new(system),
        conjunction: Term::and(&[properties, invariants].concat()),
    };
    [
        writer.base(k),
        writer.step(k),
        writer.implication(properties),
    ]
}

struct Writer<'s> {
    system: &'s System,
    unroller: Unroller,
    conjunction: Term,
}

impl Writer<'_> {
    fn base(&mut self, k: u32) -> Obligation {
        let stages = (0..k).map(|step| {
            let facts = match step {
                0 => ("Step 0 is a first step.".into(), self.part(Phase::Init, 0)),
                _ => self.transition(step),
            };
            Stage {
                facts: vec![facts],
                goal: self.unroller.at(self.conjunction, step),
                otherwise: format!("a run violates the property or an invariant at step {step}"),
            }
        });
        Obligation {
            part: ObligationPart::Base,
            stages: stages.collect(),
        }
    }

    fn step(&mut self, k: u32) -> Obligation {
        let mut facts = vec![self.timeless()];
        for step in 0..k {
            let assumed = self.unroller.at(self.conjunction, step);
            let what = format!("The property and the invariants hold at step {step}.");
            facts.push((what, vec![assumed]));
            facts.push(self.transition(step + 1));
        }
        let stage = Stage {
            facts,
            goal: self.unroller.at(self.conjunction, k),
            otherwise: format!(
                "a state that violates the property or an invariant follows {k} that do not"
            ),
        };
        Obligation {
            part: ObligationPart::Step,
            stages: vec![stage],
        }
    }

    fn implication(&mut self, properties: &[Term]) -> Obligation {
        let proved = self.unroller.at(self.conjunction, 0);
        let what = "What was proved by induction holds.".to_string();
        let stage = Stage {
            facts: vec![self.timeless(), (what, vec![proved])],
            goal: self.unroller.at(Term::and(properties), 0),
            otherwise: "what was proved does not imply the property".into(),
        };
        Obligation {
            part: ObligationPart::Implication,
            stages: vec![stage],
        }
    }

    fn transition(&mut self, step: u32) -> (String, Vec<Term>) {
        let what = format!("Step {step} follows from step {}.", step - 1);
        (what, self.part(Phase::Step, step))
    }

    fn part(&mut self, phase: Phase, step: u32) -> Vec<Term> {
        let elements = self.system.elements().iter();
        elements
            .map(|element| self.unroller.at(element.part(phase), step))
            .collect()
    }

    /// What the system says of every state, at step 0.
    fn timeless(&mut self) -> (String, Vec<Term>) {
        let terms = self.system.timeless();
        let at_zero = terms.iter().map(|term| self.unroller.at(*term, 0));
        let what = "Step 0 is any step: what holds at every step, whatever came before.".into();
        (what, at_zero.collect())
    }
}
