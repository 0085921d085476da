//! Variables that depend on themselves within one step.
//!
//! Every cycle gets an equation that is read as a relation, so that all others are definitions that
//! can be computed one after the other, and a warning, or an error for whoever is strict.
//!
//! Looked at after inlining, so that a call whose output does not need one of its inputs may be part
//! of a loop through that input, and for the first step and the later ones apart: of `a -> b` each
//! reads one side, and `pre` reads nothing of the present.

use super::order::walk;
use proofmark_model::{Equation, Expr, Model, Operator, Phase, Reading, Symbol};
use proofmark_source::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

/// More steps of a cycle are not shown.
const LONGEST: usize = 20;

pub(super) fn check(model: &mut Model, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
    let mut definers: FxHashMap<Symbol, u32> = FxHashMap::default();
    for (index, equation) in model.equations.iter().enumerate() {
        if let Some(target) = equation.target {
            definers.insert(target, index as u32);
        }
    }
    let mut reported: FxHashSet<Vec<u32>> = FxHashSet::default();
    for phase in [Phase::Step, Phase::Init] {
        let mut graph = vec![Vec::new(); model.equations.len()];
        for (equation, needs) in model.equations.iter().zip(&mut graph) {
            if equation.target.is_some() && equation.reading == Reading::Definition {
                collect(&equation.tree, phase, &definers, needs);
            }
        }
        let walk = walk(&graph);
        for cycle in walk.cycles {
            let mut members = cycle.clone();
            members.sort_unstable();
            if reported.insert(members) {
                diagnostics.extend(report(model, &cycle, phase, strict));
            }
        }
        for cut in walk.cuts {
            model.equations[cut as usize].reading = Reading::Relation;
        }
    }
}

/// The equations that define what a tree reads in this phase.
fn collect(tree: &Expr, phase: Phase, definers: &FxHashMap<Symbol, u32>, needs: &mut Vec<u32>) {
    let mut seen: FxHashSet<*const Expr> = FxHashSet::default();
    let mut stack = vec![tree];
    while let Some(node) = stack.pop() {
        match (node.operator(), node.args(), phase) {
            (Operator::Variable(name), _, _) => needs.extend(definers.get(name)),
            (Operator::Pre, _, _) => {}
            (Operator::Arrow, [left, _], Phase::Init) => stack.push(left),
            (Operator::Arrow, [_, right], Phase::Step) => stack.push(right),
            (_, [], _) => {}
            (_, args, _) => {
                // A dynamic index shares its parts; where arguments lie tells nodes apart.
                if seen.insert(args.as_ptr()) {
                    stack.extend(args);
                }
            }
        }
    }
}

fn report(model: &Model, cycle: &[u32], phase: Phase, strict: bool) -> Option<Diagnostic> {
    let equation = |at: u32| -> &Equation { &model.equations[at as usize] };
    let name = |at: u32| equation(at).target.map_or("", Symbol::as_str);
    let when = match phase {
        Phase::Init => "at the first step",
        Phase::Step => "within one step",
    };
    let round = cycle.iter().chain(cycle.first()).take(LONGEST + 1);
    let chain: Vec<String> = round.map(|at| format!("`{}`", name(*at))).collect();
    let more = if cycle.len() > LONGEST { " …" } else { "" };
    let first = equation(*cycle.first()?);
    let message = format!(
        "`{}` depends on itself {when}: {}{more}",
        name(cycle[0]),
        chain.join(" needs ")
    );
    let span = first.origin.span()?;
    let mut report = match strict {
        true => Diagnostic::error(span, message)
            .with_hint("break the cycle with `pre`: an earlier value may be used"),
        false => Diagnostic::warning(span, message).with_hint(
            "its value is any that satisfies the equations, if there is one; break the cycle with \
             `pre`; --strict makes this an error",
        ),
    };
    for (position, at) in cycle.iter().enumerate().take(LONGEST) {
        let next = name(cycle[(position + 1) % cycle.len()]);
        if let Some(span) = equation(*at).origin.span() {
            report = report.with_label(span, format!("`{}` needs `{next}`", name(*at)));
        }
    }
    Some(report)
}
