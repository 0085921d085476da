//! Where jumps may lead.
//!
//! Blocks that are no body of an `if` or a loop are part of the list around them, so that labels in them can be
//! jumped to. The variables of a block are declared at its beginning: a jump from outside would pass that by.

use super::{Lowered, Lowerer};
use proofmark_model::program::{LabelId, Statement, StatementKind};
use proofmark_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

impl Lowerer<'_> {
    /// Jumps have to lead to a label in their list or one around it, past no declaration of what lives there.
    pub(super) fn check_jumps(&mut self) {
        let jumps = std::mem::take(&mut self.current.jumps);
        let mut wrong = Vec::new();
        let out = std::mem::take(&mut self.out);
        let mut open = FxHashSet::default();
        unreachable_jumps(&out, &mut open, &mut wrong);
        let mut past = Vec::new();
        jumps_past_declarations(&out, &mut past);
        self.out = out;
        for place in past {
            let _: Lowered<()> = self.refuse(place, "a jump into a block past its declarations");
        }
        for jump in jumps {
            if !self.current.placed.contains(&jump.label) {
                let message = format!("there is no label `{}`", jump.name);
                let _: Lowered<()> = self.error(jump.place, message, "place it");
            } else if wrong.contains(&jump.label) {
                let _: Lowered<()> =
                    self.refuse(jump.place, "a `goto` into a block of an `if` or a loop");
            }
        }
    }
}

/// Labels that are jumped to from where they cannot be reached.
fn unreachable_jumps(
    list: &[Statement],
    around: &mut FxHashSet<LabelId>,
    wrong: &mut Vec<LabelId>,
) {
    let here: Vec<LabelId> = list
        .iter()
        .filter_map(|one| match one.kind {
            StatementKind::Label(label) => Some(label),
            _ => None,
        })
        .collect();
    let added: Vec<LabelId> = here.into_iter().filter(|one| around.insert(*one)).collect();
    for statement in list {
        match &statement.kind {
            StatementKind::Goto(label) if !around.contains(label) => wrong.push(*label),
            StatementKind::If(_, then, other) => {
                unreachable_jumps(then, around, wrong);
                unreachable_jumps(other, around, wrong);
            }
            StatementKind::Loop(_, body) => unreachable_jumps(body, around, wrong),
            _ => {}
        }
    }
    for label in added {
        around.remove(&label);
    }
}

/// Places of jumps past the declaration of a variable that lives at their label.
fn jumps_past_declarations(list: &[Statement], past: &mut Vec<Span>) {
    let declared = last_declarations(list);
    for (at, statement) in list.iter().enumerate() {
        let mut check = |label: LabelId, place: Span| {
            if declared.get(&label).is_some_and(|declared| at < *declared) {
                past.push(place);
            }
        };
        each_jump(statement, &mut check);
        match &statement.kind {
            StatementKind::If(_, then, other) => {
                jumps_past_declarations(then, past);
                jumps_past_declarations(other, past);
            }
            StatementKind::Loop(_, body) => jumps_past_declarations(body, past),
            _ => {}
        }
    }
}

/// For each label of a list, where in it the last variable is declared that lives at the label.
fn last_declarations(list: &[Statement]) -> FxHashMap<LabelId, usize> {
    let mut ends = FxHashMap::default();
    // What ends at a label was left by jumps to it, or is used no more.
    let mut at_label = false;
    for (at, statement) in list.iter().enumerate() {
        match statement.kind {
            StatementKind::End(_) if at_label => {}
            StatementKind::End(id) => {
                ends.insert(id, at);
            }
            StatementKind::Label(_) => at_label = true,
            _ => at_label = false,
        }
    }
    // Where the variables that live are declared, and where they end; blocks are within each other.
    let mut alive: Vec<(usize, usize)> = Vec::new();
    let mut declared = FxHashMap::default();
    for (at, statement) in list.iter().enumerate() {
        alive.retain(|(_, end)| at < *end);
        match statement.kind {
            StatementKind::Declare(id) => alive.extend(ends.get(&id).map(|end| (at, *end))),
            StatementKind::Label(label) => {
                declared.extend(alive.last().map(|(begin, _)| (label, *begin)));
            }
            _ => {}
        }
    }
    declared
}

/// Every jump in a statement, with its place.
fn each_jump(of: &Statement, found: &mut dyn FnMut(LabelId, Span)) {
    match &of.kind {
        StatementKind::Goto(label) => found(*label, of.place),
        StatementKind::If(_, then, other) => {
            for one in then.iter().chain(other) {
                each_jump(one, found);
            }
        }
        StatementKind::Loop(_, body) => body.iter().for_each(|one| each_jump(one, found)),
        _ => {}
    }
}
