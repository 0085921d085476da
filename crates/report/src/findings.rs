//! What a run found: the only types that are serialized, and the contract with scripts.
//!
//! What is written can be read back: a campaign of mutants may be spread over runs, and two runs may
//! be compared. The JSON Schema is made from these types, so that it cannot tell anything else.

use crate::assumptions::AssumptionFinding;
use crate::coverage::{CoverageFinding, CoverageSuggestion, CoverageSummary};
use crate::equivalence::EquivalenceFinding;
use crate::path::ShownPath;
use crate::score::Score;
use crate::trace::ShownTrace;
use proofmark_model::Location;
use proofmark_source::Sources;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the contract.
pub const SCHEMA: &str = "proofmark/1";

/// What a run of Proofmark found.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Findings {
    /// The version of this contract; fields may be added to it, none changes its meaning.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// The command that ran, such as `check`.
    pub command: String,
    /// What made these findings.
    pub tool: Tool,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// Files that were named beside others and could not be looked at; standard error says why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// What the command line asked for, by the names of the options.
    pub options: BTreeMap<String, serde_json::Value>,
    /// Of the whole run.
    pub seconds: f64,
    /// What the run comes to.
    pub outcome: Outcome,
    /// Absent when nothing was audited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditSummary>,
    /// Whether the assumptions block a run that they accepted. Absent when nothing was proved that this
    /// could make empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadlock: Option<DeadlockFinding>,
    /// How many states there are. Absent unless it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<StatesFinding>,
    /// One for each property that was asked about, in the order of the source.
    pub properties: Vec<PropertyFinding>,
    /// The parts of the model that are counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<ElementFinding>,
    /// The sets of elements that were found, with which properties hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<CoreFinding>,
    /// Which part of a campaign this is, if it is not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The faults that were tried, in the order of the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutants: Vec<MutantFinding>,
    /// Changes of assumptions, which are never part of the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<AssumptionFinding>,
    /// What cuts of elements do to properties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<CoverageFinding>,
    /// What that comes to, for each property and for all together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage_summary: Vec<CoverageSummary>,
    /// Properties that would cover what is not covered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage_suggestions: Vec<CoverageSuggestion>,
    /// How many of the mutants the properties notice. Absent unless a campaign ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The score of each observed output, the weakest first: of the mutants that can reach it. A mutant
    /// that reaches several outputs is counted at each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputFinding>,
    /// What each property adds to the score, when every one was put to every mutant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<Worth>,
    /// Whether two models are the same, when that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<EquivalenceFinding>,
}

impl Findings {
    /// The file that a name or an id is of: with several, each has its file before it.
    pub fn file_of(&self, name: &str) -> &str {
        let files = self.inputs.iter().map(|input| input.file.as_str());
        let is_before = |file: &&str| {
            let rest = name.strip_prefix(file);
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        let first = || self.inputs.first().map_or("", |input| input.file.as_str());
        let longest = files.filter(is_before).max_by_key(|file| file.len());
        match self.inputs.len() {
            0 | 1 => first(),
            _ => longest.unwrap_or_else(first),
        }
    }
}

/// How the mutants fared that can reach an observed output.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[schemars(rename = "Output")]
pub struct OutputFinding {
    /// The output; with several inputs, the file and a colon before it.
    pub name: String,
    /// The score of the mutants that can reach it.
    pub score: Score,
}

impl OutputFinding {
    /// The outputs that mutants reach, the weakest first. An output that no mutant reaches has no score.
    pub fn of(mutants: &[MutantFinding]) -> Vec<OutputFinding> {
        let mut names: Vec<&str> = Vec::new();
        let mut reached: FxHashMap<&str, Vec<&MutantFinding>> = FxHashMap::default();
        for mutant in mutants {
            for name in &mutant.reaches {
                let all = reached.entry(name).or_insert_with(|| {
                    names.push(name);
                    Vec::new()
                });
                all.push(mutant);
            }
        }
        let mut outputs: Vec<OutputFinding> = names
            .into_iter()
            .map(|name| OutputFinding {
                name: name.into(),
                score: Score::of(reached[name].iter().copied()),
            })
            .collect();
        outputs.sort_by(|one, other| one.score.low.total_cmp(&other.score.low));
        outputs
    }
}

/// The program that made the findings.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Tool {
    /// Of Proofmark.
    pub version: String,
    /// The solver that proves and refutes.
    pub solver: String,
}

/// A file that was read.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Input {
    /// Its path, as the command line gave it.
    pub file: String,
    /// SHA-256 of the text.
    pub hash: String,
}

/// What a run comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every property holds; of a campaign, every fault that matters is noticed.
    Holds,
    /// A property is false, or a fault is not noticed.
    Found,
    /// Nothing was found, and not everything has an answer.
    Inconclusive,
}

/// Who audited, and what it cost.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct AuditSummary {
    /// Solvers by name, and the simulator.
    pub by: Vec<String>,
    /// How the solver that audits proofs differs from the one that found them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
    /// Wall clock of all audits.
    pub seconds: f64,
}

/// What is known of runs that the assumptions of a model accept and then block.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct DeadlockFinding {
    /// Whether they accept a run for some steps and then block it.
    pub verdict: DeadlockVerdict,
    /// Who confirmed it, by name; nobody where nothing had to be proved or no audit was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audited_by: Vec<String>,
    /// Why it is not decided, or where the run is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is known of the states of a model.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[schemars(rename = "States")]
pub struct StatesFinding {
    /// How many states runs reach, as exact text.
    pub reachable: String,
    /// How many bits a state has.
    pub bits: usize,
    /// How many steps it takes at most to reach a state, and one for the initial ones.
    pub diameter: usize,
    /// Whether every reached state has a successor.
    pub total: bool,
    /// Whether some fair run begins in an initial state.
    pub fair: bool,
    /// A run to a state without successor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadlock: Option<ShownTrace>,
}

/// Whether a run that the assumptions accept can get stuck.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeadlockVerdict {
    /// Every accepted run has another step.
    Absent,
    /// An accepted run has no next step; it is the trace of the properties that are vacuous.
    Found,
    /// Neither was proved in time.
    Undecided,
}

/// What kind of claim a property is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PropertyKind {
    /// True in every state that a run reaches.
    #[default]
    Invariant,
    /// No fair run has some conditions infinitely often.
    Justice,
    /// A formula of linear time.
    Ltl,
    /// A formula of branching time.
    Ctl,
    /// A number is asked for.
    Compute,
}

impl From<proofmark_model::Kind> for PropertyKind {
    fn from(kind: proofmark_model::Kind) -> PropertyKind {
        use proofmark_model::Kind;
        match kind {
            Kind::Invariant => PropertyKind::Invariant,
            Kind::Justice => PropertyKind::Justice,
            Kind::Linear => PropertyKind::Ltl,
            Kind::Branching => PropertyKind::Ctl,
            Kind::Distance => PropertyKind::Compute,
        }
    }
}

/// What became of a property.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct PropertyFinding {
    /// The name, as the source has it; with several inputs, the file and a colon before it.
    pub name: String,
    /// What kind of claim it is.
    #[serde(default)]
    pub kind: PropertyKind,
    /// Where it is in the source. Absent where there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<ShownSpan>,
    /// What is known of it.
    pub verdict: PropertyVerdict,
    /// The number that it asks for, or `infinity` or `undefined`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The engine that proved or refuted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The depth of the induction that proved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    /// What was proved along with it: together they are inductive.
    pub invariants: Vec<String>,
    /// Whether the verdict was checked again.
    pub audit: AuditMark,
    /// Where an invalid property is false; how many steps an unknown one is known to hold; the last
    /// step of the run that makes a property vacuous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// A run that violates it, or one that the assumptions accept and then block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<ShownTrace>,
    /// States on which the last induction failed. The first need not be reachable: this is no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inductive_counterexample: Option<ShownTrace>,
    /// Why there is no better verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of a check that the tool adds to a program, what it is about; `assertion` for one that the program states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// How often loops go round at most: the verdict is about runs within this bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<u32>,
    /// A run of a program that violates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ShownPath>,
    /// Until the verdict.
    pub seconds: f64,
}

impl PropertyFinding {
    /// A property of which nothing is known yet.
    pub fn new(name: &str, origin: Option<ShownSpan>) -> PropertyFinding {
        PropertyFinding {
            name: name.into(),
            kind: PropertyKind::Invariant,
            origin,
            verdict: PropertyVerdict::Unknown,
            value: None,
            engine: None,
            k: None,
            invariants: Vec::new(),
            audit: AuditMark::Missing,
            step: None,
            trace: None,
            inductive_counterexample: None,
            reason: None,
            check: None,
            bound: None,
            path: None,
            seconds: 0.0,
        }
    }
}

/// What is known of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Verdict")]
pub enum PropertyVerdict {
    /// It holds in every run.
    Valid,
    /// A run violates it.
    Invalid,
    /// Neither was found in time.
    Unknown,
    /// The assumptions cannot be met, or not for ever: the property says nothing.
    Vacuous,
}

impl PropertyVerdict {
    /// The word in reports, in capitals.
    pub fn as_str(self) -> &'static str {
        match self {
            PropertyVerdict::Valid => "VALID",
            PropertyVerdict::Invalid => "INVALID",
            PropertyVerdict::Unknown => "UNKNOWN",
            PropertyVerdict::Vacuous => "VACUOUS",
        }
    }
}

/// Whether a verdict was checked again. A verdict that does not pass is never shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditMark {
    /// The auditor agrees.
    Passed,
    /// No audit was asked for, or the auditor has no answer.
    #[serde(rename = "none", alias = "skipped")]
    Missing,
}

impl AuditMark {
    /// The word in findings.
    pub fn as_str(self) -> &'static str {
        match self {
            AuditMark::Passed => "passed",
            AuditMark::Missing => "none",
        }
    }
}

/// Who checked the verdict on a mutant again: the simulator a run, a solver a proof.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MutantAudit {
    /// Whether it was.
    pub result: AuditMark,
    /// By name; absent when nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The reason for which a verdict has no audit that stands in a file, and that nobody has shown again.
pub const FROM_A_FILE: &str = "from a file";

/// A part of the model that is counted.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ElementFinding {
    /// The main node and the name; with several inputs, the file and a colon before them.
    pub id: String,
    /// The variable that it defines, with the instance it is in.
    pub name: String,
    /// What kind of part it is, in the words of the language, as `equation`.
    pub category: String,
    /// Where it is in its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The first line of its text.
    pub text: String,
    /// What it is to each property.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub role: BTreeMap<String, CoreRole>,
}

/// What an element is to the proofs of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Role")]
pub enum CoreRole {
    /// In every core.
    Must,
    /// In some minimal core.
    May,
    /// In a core that is not known to be minimal.
    Used,
    /// In no core that was found.
    Unused,
    /// The property does not depend on it, not even by way of assumptions.
    Outside,
}

impl CoreRole {
    /// The word in reports, in capitals.
    pub fn as_str(self) -> &'static str {
        match self {
            CoreRole::Must => "MUST",
            CoreRole::May => "MAY",
            CoreRole::Used => "USED",
            CoreRole::Unused => "UNUSED",
            CoreRole::Outside => "OUTSIDE",
        }
    }
}

/// A set of elements with which properties hold.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CoreFinding {
    /// What holds with these elements.
    pub property: Properties,
    /// By id.
    pub elements: Vec<String>,
    /// Whether no element less suffices; null when that is not known.
    pub minimal: Option<bool>,
    /// Elements of which it is not known whether the others suffice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// When it was asked what every core has: elements of which that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_undecided: Vec<String>,
    /// Whether the list of minimal cores of this property is known to be all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// Whether no core has fewer elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<bool>,
    /// Why the property says nothing of the model, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vacuous: Option<String>,
    /// Whether it was checked again that they suffice.
    pub audit: AuditMark,
    /// On what the auditor has no answer, if an audit was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unaudited: Option<String>,
    /// How many questions each test decided, over all cores of these properties.
    pub decided: BTreeMap<String, u64>,
    /// What finding it took beyond the proof.
    pub seconds: f64,
}

/// One property, or several taken together.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Properties {
    /// A property by name.
    One(String),
    /// Several by name: the core serves all of them.
    Together(Vec<String>),
}

impl Properties {
    /// The key of these properties among an element's roles.
    pub fn key(&self) -> String {
        match self {
            Properties::One(name) => name.clone(),
            Properties::Together(names) => names.join(", "),
        }
    }
}

/// A small fault, and whether the properties notice it.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct MutantFinding {
    /// The element, the mutator, and which of its mutations this is; with several inputs, the file and
    /// a colon before them.
    pub id: String,
    /// The name of the mutator, as `proofmark mutators` lists it.
    pub mutator: String,
    /// What people see of the mutator: for a constant, what became of it.
    pub label: String,
    /// By id.
    pub element: String,
    /// What that element is written in: a node, a module, a function.
    #[serde(default)]
    pub node: String,
    /// What is replaced.
    pub origin: Origin,
    /// Where to point: at the operator. Absent where there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Position>,
    /// What the mutation replaces, in the language of the source.
    pub original: String,
    /// What takes its place, in the language of the source; in words where nothing does.
    pub replacement: String,
    /// What the change does besides, as a second constant that the properties do not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What became of it.
    pub verdict: MutantVerdict,
    /// The test that decided.
    pub decided_by: String,
    /// Who checked the verdict again; absent where there is nothing to check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<MutantAudit>,
    /// The properties that notice it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub killed_by: Vec<String>,
    /// The step at which the trace violates a property, or shows the difference; of an unknown one,
    /// how many steps no run of it violates a property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// A run of the mutant: one that violates properties, or one that shows a gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<ShownTrace>,
    /// A run of a mutant of a program that a check notices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ShownPath>,
    /// The original on the same inputs, where the mutant differs and nothing notices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_trace: Option<ShownTrace>,
    /// What differs first, where nothing notices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
    /// The observed outputs that depend on what it changes, whether or not their values ever differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<String>,
    /// How much of the mutant the run that shows a gap goes through, when that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// What each property says of it, when that was asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub matrix: BTreeMap<String, Cell>,
    /// Properties that would notice, proved on the original, as text to paste into the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// What proves that it survives, where that is not the proof of the original: invariants, as
    /// `--save-proof` writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<serde_json::Value>,
    /// Why there is no better verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why somebody decided that it may stay unnoticed; then it is no gap, and not in the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    /// How many queries solvers answered.
    pub queries: u64,
    /// Wall clock that the decision took.
    pub seconds: f64,
}

impl MutantFinding {
    /// A mutant of which nothing is known but its id and where it is.
    pub fn undecided(id: String, origin: Origin) -> MutantFinding {
        MutantFinding {
            id,
            origin,
            mutator: String::new(),
            label: String::new(),
            element: String::new(),
            node: String::new(),
            at: None,
            original: String::new(),
            replacement: String::new(),
            note: None,
            verdict: MutantVerdict::Unknown,
            decided_by: String::new(),
            audit: None,
            killed_by: Vec::new(),
            step: None,
            trace: None,
            path: None,
            original_trace: None,
            differs: Vec::new(),
            reaches: Vec::new(),
            covers: None,
            matrix: BTreeMap::new(),
            suggestions: Vec::new(),
            certificate: None,
            reason: None,
            suppressed: None,
            queries: 0,
            seconds: 0.0,
        }
    }
}

/// How many branches of a model a run takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Covers {
    /// How many it takes at some step.
    pub taken: usize,
    /// How many there are: every condition of a case distinction, both ways.
    pub branches: usize,
}

impl MutantFinding {
    /// Where people look for it: line and column, or the name of what has no text.
    pub fn place(&self) -> String {
        self.origin.place(self.at.as_ref())
    }

    /// Whether there may be more to know: it is unknown, or whether it is equivalent.
    pub fn is_open(&self) -> bool {
        matches!(
            self.verdict,
            MutantVerdict::Unknown | MutantVerdict::Survived
        )
    }

    /// Whether it is unknown only because the auditor has no answer.
    pub fn is_unaudited(&self) -> bool {
        self.verdict == MutantVerdict::Unknown && self.audit.is_some()
    }

    /// Whether its verdict stands in a file, and nobody has shown it again.
    pub fn is_from_a_file(&self) -> bool {
        let reason = self
            .audit
            .as_ref()
            .and_then(|audit| audit.reason.as_deref());
        reason == Some(FROM_A_FILE)
    }

    /// Whether no property notices it, for all that is known it may do something else, and nobody
    /// says that this is fine.
    pub fn is_gap(&self) -> bool {
        use MutantVerdict::{Gap, NotObserved, Survived};
        matches!(self.verdict, Gap | Survived | NotObserved) && self.suppressed.is_none()
    }
}

/// What became of a mutant.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Deserialize, JsonSchema, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum MutantVerdict {
    /// A property is false on it.
    Killed,
    /// Its assumptions contradict each other, which counts as noticed.
    Vacuous,
    /// The properties hold, and so does everything else that is observed: no fault.
    Equivalent,
    /// The properties hold, and the mutant does something else than the original.
    Gap,
    /// The properties hold; whether it is equivalent is not known, or nobody asked.
    Survived,
    /// The properties hold, and nothing but properties is observed: whether it does something else
    /// has no meaning. It counts as not noticed.
    NotObserved,
    /// Nobody could tell in time, or the auditor has no answer.
    Unknown,
    /// It is no model.
    NotValid,
}

impl MutantVerdict {
    /// The word in reports, in capitals.
    pub fn as_str(self) -> &'static str {
        match self {
            MutantVerdict::Killed => "KILLED",
            MutantVerdict::Vacuous => "VACUOUS",
            MutantVerdict::Equivalent => "EQUIVALENT",
            MutantVerdict::Gap => "GAP",
            MutantVerdict::Survived => "SURVIVED",
            MutantVerdict::NotObserved => "NOT-OBSERVED",
            MutantVerdict::Unknown => "UNKNOWN",
            MutantVerdict::NotValid => "NOT-VALID",
        }
    }

    /// Whether the properties hold on the mutant, whatever else is known of it.
    pub fn survives(self) -> bool {
        use MutantVerdict::{Equivalent, Gap, NotObserved, Survived};
        matches!(self, Gap | NotObserved | Survived | Equivalent)
    }
}

/// What one property says of one mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// It is false on the mutant.
    Killed,
    /// It holds on the mutant, too.
    Holds,
    /// Nobody could tell in time.
    Unknown,
}

impl Cell {
    /// The word in findings.
    pub fn as_str(self) -> &'static str {
        match self {
            Cell::Killed => "killed",
            Cell::Holds => "holds",
            Cell::Unknown => "unknown",
        }
    }
}

/// What the properties are worth beside each other.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Worth {
    /// Each of these could be left out, alone, without losing a kill.
    pub redundant: Vec<String>,
    /// These together kill all that is killed.
    pub smallest: Vec<String>,
    /// Whether no fewer do, for all that is known.
    pub exact: bool,
    /// How many cells of the matrix are not known.
    pub unknown: usize,
}

/// A part of a campaign.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
    /// How many mutants the whole campaign has, those of assumptions among them.
    pub all: usize,
    /// Where the mutants of this part are in the whole campaign, from 0.
    pub positions: Vec<usize>,
    /// Where the changes of assumptions of this part are in the whole campaign, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<usize>,
}

/// A line and a column, from 1.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, JsonSchema, Serialize,
)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// Where something is in its source.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Origin {
    /// In a source that is text.
    Span(ShownSpan),
    /// In a source without text: what it is called there, and its number.
    Name {
        /// What the source calls it.
        name: String,
        /// The number among those of that name.
        index: u32,
    },
}

impl Origin {
    /// Turns a location into lines and columns.
    pub fn new(location: Location, sources: &Sources) -> Origin {
        match location {
            Location::Span(span) => Origin::Span(ShownSpan::new(span, sources)),
            Location::Name { name, index } => Origin::Name {
                name: name.to_string(),
                index,
            },
        }
    }

    /// Where people look for it, or at a position within it: line and column, or the name of what has
    /// no text.
    pub fn place(&self, at: Option<&Position>) -> String {
        match (at, self) {
            (Some(at), _) => format!("{}:{}", at.line, at.column),
            (None, Origin::Span(span)) => format!("{}:{}", span.line, span.column),
            (None, Origin::Name { name, index }) => format!("{name}:{index}"),
        }
    }

    /// The place in the text, if there is one.
    pub fn span(&self) -> Option<&ShownSpan> {
        match self {
            Origin::Span(span) => Some(span),
            Origin::Name { .. } => None,
        }
    }
}

/// A place in a file: lines and columns from 1, the end exclusive.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[schemars(rename = "Span")]
pub struct ShownSpan {
    /// Its path, as the command line gave it.
    pub file: String,
    /// The first line.
    pub line: u32,
    /// The first column, in characters.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// The column after the last character.
    pub end_column: u32,
}

impl ShownSpan {
    /// Turns bytes into lines and columns.
    pub fn new(span: proofmark_source::Span, sources: &Sources) -> ShownSpan {
        let file = sources.file(span.file);
        let (start, end) = (file.place(span.start), file.place(span.end));
        ShownSpan {
            file: file.name().to_string(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::{Texts, Tolerance, annotations, junit, kills_csv, mutant_line, sarif, stryker};

    #[test]
    fn a_mutant_counts_at_every_output_that_it_reaches_and_the_weakest_comes_first() {
        let mutant = |verdict: &str, reaches: &[&str]| MutantFinding {
            reaches: reaches.iter().map(|one| one.to_string()).collect(),
            ..samples::mutant(verdict)
        };
        let mutants = [
            mutant("killed", &["a", "b"]),
            mutant("gap", &["b"]),
            mutant("equivalent", &["a"]),
            mutant("killed", &[]),
        ];
        let outputs = OutputFinding::of(&mutants);
        let found: Vec<(&str, usize, usize, usize)> = outputs
            .iter()
            .map(|one| {
                (
                    one.name.as_str(),
                    one.score.killed,
                    one.score.gap,
                    one.score.equivalent,
                )
            })
            .collect();
        assert_eq!(found, [("b", 1, 1, 0), ("a", 1, 0, 1)]);
    }

    #[test]
    fn a_mutant_of_what_has_no_text_is_in_every_report() {
        let mutant = MutantFinding {
            origin: Origin::Name {
                name: "latch".into(),
                index: 3,
            },
            at: None,
            ..samples::mutant("gap")
        };
        let written = serde_json::to_value(&mutant).unwrap();
        assert_eq!(
            written["origin"],
            serde_json::json!({ "name": "latch", "index": 3 })
        );
        assert!(written.get("at").is_none());
        let read: MutantFinding = serde_json::from_value(written).unwrap();
        assert_eq!(read.origin, mutant.origin);
        assert_eq!(
            mutant_line(&read),
            "GAP latch:3 or2xor [m/x#or2xor#1] (100% sure:\nno)"
        );
        let findings = samples::findings(&["valid"], vec![read]);
        let reports = [
            sarif(&findings, &Tolerance::default()),
            junit(&findings, &Tolerance::default()).unwrap(),
            kills_csv(&findings),
            annotations(&findings),
            stryker(&findings, &Texts::new(), &|_| "netlist"),
        ];
        for report in reports {
            assert!(report.contains("m/x#or2xor#1"), "{report}");
        }
    }
}
