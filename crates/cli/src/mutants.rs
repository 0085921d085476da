//! Mutants as they are reported: where a mutation stands, as people point at it, how it reads in its
//! language, and what became of it.

use crate::session::Session;
use crate::{advice, audits};
use proofmark_model::{Location, Term};
use proofmark_quality::Audited;
use proofmark_quality::mutate::{
    Campaign, Comparison, Decided, Distinction, Fate, MutableModel, Mutation, Side,
};
use proofmark_report::{
    MutantAudit, MutantFinding, MutantVerdict, Origin, Position, Shown, ShownTrace, View,
};
use proofmark_source::{Place, Sources, Span};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Makes findings of what a campaign decides.
pub struct Mutants<'a> {
    session: &'a Session<'a>,
    campaign: &'a Campaign<'a>,
    /// Which variables runs show.
    shown: Shown,
    /// What runs show that kill by a property.
    views: OnceCell<BTreeMap<usize, View>>,
}

impl<'a> Mutants<'a> {
    pub fn new(session: &'a Session<'a>, campaign: &'a Campaign<'a>, shown: Shown) -> Mutants<'a> {
        Mutants {
            session,
            campaign,
            shown,
            views: OnceCell::new(),
        }
    }

    /// What is reported of a mutation.
    pub fn finding(&self, mutation: &Mutation, decided: &Decided) -> MutantFinding {
        let mut finding = undecided(mutation, &self.campaign.mutable, self.session);
        finding.decided_by = decided.by.as_str().into();
        finding.audit = self.audit(&decided.fate);
        let proof = decided.proof.as_ref();
        finding.certificate = proof.map(|proof| advice::document(std::iter::once(proof)));
        finding.queries = decided.queries;
        finding.seconds = decided.time.as_secs_f64();
        self.tell(mutation, &decided.fate, &mut finding);
        if let (None, Some(Audited::NoAnswer { why })) = (&finding.reason, decided.fate.audit()) {
            finding.reason = Some(format!("not audited: {why}"));
        }
        finding
    }

    /// What became of the audit of a verdict, where there is something to audit.
    fn audit(&self, fate: &Fate) -> Option<MutantAudit> {
        let audit = fate.audit()?;
        Some(audits::write(match self.session.audits() {
            true => &audit,
            false => &Audited::NotAskedFor,
        }))
    }

    /// What a run shows that kills by a property, given by its position.
    fn view(&self, property: usize) -> Option<&View> {
        let system = self.session.system();
        let views = self.views.get_or_init(|| {
            let properties = self.campaign.properties.iter();
            let views = properties.map(|at| (*at, View::of_kills(system, *at, self.shown)));
            views.collect()
        });
        views.get(&property)
    }

    fn tell(&self, mutation: &Mutation, fate: &Fate, finding: &mut MutantFinding) {
        let system = self.session.system();
        let name = |at: &usize| system.properties()[*at].name.clone();
        match fate {
            Fate::Killed { by, refutation } => {
                finding.verdict = MutantVerdict::Killed;
                finding.killed_by = by.iter().map(name).collect();
                finding.step = Some(refutation.step);
                let model = &self.session.loaded.model;
                let changed = mutation.elements();
                let changed = changed.iter().filter_map(|id| model.target(*id, system));
                let changed: Vec<Term> = changed.collect();
                let (run, step) = (&refutation.trace, refutation.step as usize);
                let view = by.first().and_then(|at| self.view(*at));
                finding.trace =
                    view.map(|view| ShownTrace::seen(system, run, step, view, &changed));
            }
            Fate::Vacuous { why, .. } => {
                finding.verdict = MutantVerdict::Vacuous;
                finding.reason = Some(why.clone());
            }
            Fate::NotValid { why } => {
                finding.verdict = MutantVerdict::NotValid;
                finding.reason = Some(why.clone());
            }
            Fate::Unknown { steps, why, .. } => {
                finding.step = Some(*steps);
                finding.reason = Some(format!("{why}; no kill in {steps} steps"));
            }
            Fate::Unaudited { why, .. } => {
                finding.reason = Some(format!("proved, not audited: {why}"));
            }
            Fate::Survived { comparison, .. } => match comparison {
                None => {
                    let assumption = mutation.is_of_assumption(system);
                    finding.verdict = match self.campaign.observes_nothing() && !assumption {
                        true => MutantVerdict::NotObserved,
                        false => MutantVerdict::Survived,
                    };
                }
                Some(Comparison::Equivalent { .. }) => finding.verdict = MutantVerdict::Equivalent,
                Some(Comparison::Different(distinction)) => self.gap(distinction, finding),
                Some(Comparison::Unknown { why }) => {
                    finding.verdict = MutantVerdict::Survived;
                    finding.reason = Some(format!("not known whether it is equivalent: {why}"));
                }
            },
        }
    }

    /// Shows a gap by two runs.
    pub fn gap(&self, distinction: &Distinction, finding: &mut MutantFinding) {
        let system = self.session.system();
        finding.verdict = MutantVerdict::Gap;
        finding.step = Some(distinction.step as u32);
        let names = distinction.variables.iter();
        let names = names.filter_map(|term| Some(system.variable(*term)?.name.to_string()));
        finding.differs = names.collect();
        if finding.differs.is_empty() {
            finding.differs.push("whether the run is accepted".into());
        }
        finding.reason = distinction.alone.map(|alone| {
            let (one, other) = match alone {
                Side::Original => ("original", "mutant"),
                Side::Mutant => ("mutant", "original"),
            };
            format!("the {other} has no run like the {one}'s, whatever it chooses")
        });
        let runs = [&distinction.original, &distinction.mutant];
        let [original, mutant] = ShownTrace::pair(system, runs, &distinction.variables, self.shown);
        finding.original_trace = Some(original);
        finding.trace = Some(mutant);
    }
}

/// What is known of a mutation before anything is decided.
pub fn undecided(
    mutation: &Mutation,
    mutable: &MutableModel<'_>,
    session: &Session<'_>,
) -> MutantFinding {
    let place = position(mutation, &session.sources);
    let (origin, original, replacement) = shown(mutation, session);
    MutantFinding {
        mutator: mutation.mutator.into(),
        label: mutation.label.clone(),
        element: mutable.element(mutation).into(),
        node: mutable.scope(mutation).into(),
        at: place.map(|place| Position {
            line: place.line,
            column: place.column,
        }),
        original,
        replacement,
        note: mutation.rewritten.as_ref().and_then(|one| one.note.clone()),
        ..MutantFinding::undecided(mutable.id(mutation), origin)
    }
}

/// The line and column of a mutation, where there is a text.
pub fn position(mutation: &Mutation, sources: &Sources) -> Option<Place> {
    let Span { file, start, .. } = mutation.location.span()?;
    let byte = mutation.rewritten.as_ref().map_or(start, |one| one.at);
    Some(sources.place(Span::new(file, byte, byte)))
}

/// What a mutation is shown as: its place in the source, and what is there before and after.
fn shown(mutation: &Mutation, session: &Session<'_>) -> (Origin, String, String) {
    let sources = &session.sources;
    let rewriter = session.mutable().rewriter;
    if let (Some(rewriter), Some(rewritten)) = (rewriter, &mutation.rewritten) {
        let (before, after) = rewriter.show(rewritten);
        let place = Location::Span(rewritten.place);
        return (Origin::new(place, sources), before, after);
    }
    let write = session.language.expression;
    let after = mutation.after.as_ref().map(write);
    let after = after.unwrap_or_else(|| "nothing: any value".into());
    let before = match mutation.location {
        Location::Span(_) => write(&mutation.before),
        Location::Name { name, index } => format!("{name} {index}"),
    };
    (Origin::new(mutation.location, sources), before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_lang::lustre;
    use proofmark_model::{ElementId, lower};
    use proofmark_quality::mutate::generate;

    /// Positions and labels of the mutations of all that is not a property.
    fn listed(text: &str, selection: &str) -> Vec<String> {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string()).unwrap();
        let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
        let model = loaded.unwrap_or_else(|| panic!("{diagnostics:?}")).model;
        let lowered = lower(&model).unwrap();
        let properties = lowered.system.properties();
        let mutable = |id: ElementId| {
            let target = lowered.system.element(id).target();
            properties.iter().all(|one| Some(one.term) != target)
        };
        let options = lustre::Options::default();
        let rewriter = lustre::rewriter(&sources, file, &options);
        let selection = selection.parse().unwrap();
        let rewriter = rewriter.as_deref();
        let generated = generate(&model, &lowered, &mutable, &selection, rewriter, 1);
        let mutations = generated.mutations.iter();
        let list = mutations.map(|one| {
            let place = position(one, &sources).unwrap();
            format!("{place} {}", one.label)
        });
        list.collect()
    }

    /// Figures 4 and 5 of the paper.
    #[test]
    fn the_mutants_of_demo2_stand_where_the_paper_has_them() {
        let demo2 = "node demo2 ( a1 , a2 : int )
returns ( Prop1 : bool ; b : int );
var
  d : bool;
let
  d = (a1 > 0);
  b = if d or (a2 < 0) then a1 else a2;
  Prop1 = (b = a1 or b = a2);
  --%PROPERTY Prop1;
tel;
";
        let mut found = listed(demo2, "paper");
        found.sort();
        let mut wanted = [
            "6:3 equal_false",
            "6:3 equation_remove",
            "6:3 init_false",
            "6:11 g2l",
            "6:13 const int 0 -> 1",
            "7:3 init_-1",
            "7:3 equal_5",
            "7:3 equal_-2",
            "7:3 equation_remove",
            "7:3 init_5",
            "7:7 ifelsethen",
            "7:7 ifelse",
            "7:12 or2right",
            "7:12 or2xor",
            "6:3 init_true",
            "6:3 equal_true",
            "6:11 g2ge",
            "7:7 ifthen",
            "7:12 or2left",
            "7:19 l2g",
            "7:19 l2le",
            "7:21 const int 0 -> 1",
        ];
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_comparison_of_compound_values_stands_at_its_operator_and_is_negated_as_a_whole() {
        let model = "type pair = struct {l: int; r: int};
node main(p, q: pair; v, w: int[2]) returns (o: bool);
let
  assert p = q;
  assert pair {r = 1; l = 2} = q;
  assert (v[0], v[1]) = (w[0], w[1]);
  o = v <> [1, 2];
tel;
";
        let wanted = ["4:12 eq2neq", "5:30 eq2neq", "6:23 eq2neq", "7:9 neq2eq"];
        assert_eq!(listed(model, "eq2neq,neq2eq,and2or,rm_not"), wanted);
    }

    #[test]
    fn an_operator_is_found_behind_parentheses_comments_and_fields() {
        let model = "type pair = struct {l: int; r: int};
node id(p: pair) returns (q: pair);
let
  q = p;
tel;
node main(p: pair; orange, b: bool) returns (o: bool; x: int);
let
  o = ((orange) -- or not
    (* or *) or b);
  x = 1 fby id(p).l - 2;
tel;
";
        let found = listed(model, "or2xor,minus2plus,arrow_left");
        assert_eq!(
            found,
            ["9:14 or2xor", "10:9 arrow_left", "10:21 minus2plus"]
        );
    }
}
