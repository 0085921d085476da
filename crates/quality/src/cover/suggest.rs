//! Suggestions: a property that would cover a register.
//!
//! What a register is at first and after each step is a property of the design, and the simplest one that nobody
//! can satisfy with another value there. It is shown when it is proved to hold and to cover the register, by the
//! same tests and audits as everything else.

use super::{CoverageQuestion, Cut, CutVerdict, Method, cover};
use proofmark_engine::EngineName;
use proofmark_engine::bits::BitLimits;
use proofmark_model::graph::{Criteria, Criterion, CutPlace, CutSites, bit_blast};
use proofmark_model::{Equation, Expr, Goal, Model, Operator, Symbol, Value, When, lower};
use proofmark_solve::Interrupt;
use std::time::Duration;

/// What one suggestion may take.
const TIME: Duration = Duration::from_secs(2);

/// A property that holds and covers the register, if it is found.
pub fn suggest(
    model: &Model,
    register: Symbol,
    place: CutPlace,
    interrupt: &Interrupt,
) -> Option<Expr> {
    let own = |one: &&Equation| one.target == Some(register);
    let equation = model.equations.iter().find(own)?.clone();
    let mut changed = model.clone();
    let tree = relation(&mut changed, register, &equation)?;
    changed.goals = vec![Goal {
        name: register.to_string(),
        tree: tree.clone(),
        origin: equation.origin,
    }];
    changed.specifications.clear();
    covers(&changed, register, place, interrupt).then_some(tree)
}

/// That the register is what its equation says.
fn relation(model: &mut Model, register: Symbol, equation: &Equation) -> Option<Expr> {
    let origin = equation.origin.clone();
    let ids = &mut model.node_ids;
    let sort = equation.tree.sort();
    let variable = Expr::variable(ids.fresh(), register.as_str(), sort, origin.clone());
    let args = vec![variable, equation.tree.clone()];
    let equal = Expr::new(ids.fresh(), Operator::Equal, args, origin.clone()).ok()?;
    match equation.when {
        When::Always => Some(equal),
        When::First => None,
        When::Later => {
            let yes = Expr::constant(ids.fresh(), Value::Bool(true), origin.clone());
            Expr::new(ids.fresh(), Operator::Arrow, vec![yes, equal], origin).ok()
        }
    }
}

/// Whether the only property of a model holds and notices when the register is cut.
fn covers(model: &Model, register: Symbol, place: CutPlace, interrupt: &Interrupt) -> bool {
    let Ok(lowered) = lower(model) else {
        return false;
    };
    let Ok(blasted) = bit_blast(&lowered.system) else {
        return false;
    };
    let words = blasted.map.words();
    let is_own = |term| {
        let variable = lowered.system.variable(term);
        variable.is_some_and(|one| one.name == register)
    };
    let Some((_, latches)) = words.iter().find(|(term, _)| is_own(*term)) else {
        return false;
    };
    if blasted.map.may_overflow() {
        return false;
    }
    let netlist = &blasted.netlist;
    let nodes = latches.iter().map(|at| netlist.latches[*at].node);
    let sites = CutSites::new(netlist, place, vec![nodes.collect()]);
    let question = CoverageQuestion {
        netlist,
        method: Method::Cascade,
        sites: &sites,
        wanted: vec![Criteria::COVERAGE],
        bads: vec![0],
        limits: BitLimits {
            engines: EngineName::BITS.to_vec(),
            jobs: 1,
            time: Some(TIME),
            interrupt: interrupt.clone(),
        },
        audit: TIME,
        budget: TIME,
        accuracy: 1.0,
        recalled: Vec::new(),
        certificates: Vec::new(),
        listener: &|_| (),
    };
    let Ok(found) = cover(&question) else {
        return false;
    };
    let cut = Cut {
        site: 0,
        criterion: Criterion::Nondet,
    };
    let covered = |one: &super::PropertyCoverage<'_>| {
        let decision = one.board.decision(cut);
        one.is_proved() && decision.is_some_and(|one| one.verdict == CutVerdict::Covered)
    };
    found.first().is_some_and(covered)
}
