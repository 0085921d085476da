//! Runs of programs as reports have them.

use proofmark_model::program::{Check, NamedCheck, Program};
use proofmark_quality::program::{Action, End, ProgramRun, Step};
use proofmark_report::{PathStep, ShownPath, ShownSpan, StepKind};
use proofmark_source::Sources;

/// What is needed to show a run.
pub struct Shower<'a> {
    pub program: &'a Program,
    pub sources: &'a Sources,
    /// The checks of the original, with their names.
    pub named: Vec<NamedCheck>,
}

impl Shower<'_> {
    /// A run, up to the first failure of a check if one is named.
    pub fn path(&self, run: &ProgramRun, until: Option<Check>) -> ShownPath {
        let is_it =
            |step: &Step| matches!(step.action, Action::Violation(check) if Some(check) == until);
        let last = run.steps.iter().position(is_it);
        let shown = &run.steps[..last.map_or(run.steps.len(), |last| last + 1)];
        ShownPath {
            steps: shown.iter().map(|step| self.step(step)).collect(),
            log: run.log.clone(),
            inputs: run
                .inputs
                .iter()
                .map(|input| hexadecimal(&input.bytes))
                .collect(),
            end: self.end(run.end),
        }
    }

    /// The name of a check; of one that only a mutant has, its kind.
    pub fn name(&self, check: Check) -> String {
        let named = self.named.iter().find(|one| one.check == check);
        named.map_or_else(|| check.kind.word().to_string(), |one| one.name.to_string())
    }

    fn end(&self, end: End) -> String {
        match end {
            End::Finished => "finished".into(),
            End::Assumption(_) => "assumption".into(),
            End::Over(check) => self.name(check),
            End::Limit => "limit".into(),
        }
    }

    fn step(&self, step: &Step) -> PathStep {
        let function = self.program.function(step.function);
        let (kind, text) = match &step.action {
            Action::Store(name, value) => (StepKind::Store, format!("{name} = {value}")),
            Action::Call(callee) => {
                let name = &self.program.function(*callee).name;
                (StepKind::Call, format!("call {name}"))
            }
            Action::Return(None) => (StepKind::Return, "return".into()),
            Action::Return(Some(value)) => (StepKind::Return, format!("return {value}")),
            Action::Log(line) => (StepKind::Log, line.clone()),
            Action::Violation(check) => {
                let text = self.named.iter().find(|one| one.check == *check);
                let text = text.map_or("", |one| &one.text);
                let what = format!("{} fails: {text}", self.name(*check));
                (StepKind::Violation, what.trim_end_matches(": ").to_string())
            }
            Action::Blocked => (StepKind::Blocked, "assumption does not hold".into()),
        };
        PathStep {
            origin: ShownSpan::new(step.place, self.sources),
            function: function.name.to_string(),
            kind,
            text,
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
