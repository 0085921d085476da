//! Statements: bodies, loops, and jumps that go forward.
//!
//! A loop is left by a jump to a label behind it, and goes on by one to a label at its end. What a `switch`
//! does is a chain of jumps to labels in its body, which is no list of its own: labels are in the lists of
//! the C source's `if` and loops only, so that a jump into one of these from outside is found and refused.

use super::operand::{Location, Operand, address, dereference};
use super::{
    Current, Entity, Jump, Lowered, Lowerer, Scope, Target, constant_of, load, variable_place,
};
use crate::c::syntax::{Block, Definition, Expr, For, Name, Stmt, StmtKind};
use crate::c::types::CType;
use proofmark_model::program::{
    Binary, Expression, LabelId, Scalar, Statement, StatementKind, Unary, VariableId,
};
use proofmark_source::Span;
use rustc_hash::FxHashSet;

/// A `switch` that is being lowered.
pub(super) struct Switch {
    /// The type that its value has.
    sort: CType,
    cases: Vec<(u64, u64, LabelId, Span)>,
    default: Option<LabelId>,
}

/// How many values one `case` may have that is written as a range.
const SIGN: u64 = 1 << 63;

impl Lowerer<'_> {
    /// Lowers the body of a function.
    pub(super) fn body(&mut self, at: usize, definition: &Definition) {
        let known = self.functions[at].clone();
        let Some(id) = known.id else { return };
        self.current = Current {
            name: known.name.to_string(),
            result: Some(known.signature.result.clone()),
            ..Current::default()
        };
        self.out.clear();
        self.scopes.push(Scope::default());
        let parameters = self.parameters(&known, definition);
        if let Ok(parameters) = parameters {
            let from = self.out.len();
            for item in &definition.body.items {
                let _ = self.item(item);
            }
            self.declare_first(from);
            self.check_jumps();
            let result = self.types.scalar(&known.signature.result);
            let function = &mut self.program.functions[id.0 as usize];
            function.parameters = parameters;
            function.result = result;
        }
        let body = std::mem::take(&mut self.out);
        self.program.functions[id.0 as usize].body = Some(body);
        self.scopes.truncate(1);
    }

    /// The variables of the parameters, declared.
    fn parameters(
        &mut self,
        known: &super::Known,
        definition: &Definition,
    ) -> Lowered<Vec<proofmark_model::program::VariableId>> {
        let mut ids = Vec::new();
        let result = &known.signature.result;
        match result {
            CType::Void => {}
            CType::Record(_) => {
                let layout = self.types.layout(&CType::pointer(result.clone()));
                let id = self.variable("", layout, known.place);
                self.current.result_at = Some(id);
                ids.push(id);
            }
            other => {
                self.scalar_of(&other.clone(), known.place)?;
            }
        }
        let names = Self::parameter_names(definition);
        for (sort, name) in known.signature.parameters.iter().zip(names) {
            let place = name.map_or(known.place, |name| name.span);
            let text = name.map_or("", |name| name.text.as_str());
            let id = match sort {
                CType::Record(_) => self.record_parameter(sort, text, place, &mut ids)?,
                _ => {
                    self.scalar_of(sort, place)?;
                    let layout = self.types.layout(sort);
                    let id = self.variable(text, layout, place);
                    ids.push(id);
                    id
                }
            };
            if let Some(name) = name {
                self.declare(name.text, Entity::Variable(id, sort.clone()));
            }
        }
        Ok(ids)
    }

    /// A record comes by its address, and is copied.
    fn record_parameter(
        &mut self,
        sort: &CType,
        name: &str,
        place: Span,
        ids: &mut Vec<proofmark_model::program::VariableId>,
    ) -> Lowered<proofmark_model::program::VariableId> {
        let size = self.size_of(sort, place)?;
        let layout = self.types.layout(&CType::pointer(sort.clone()));
        let pointer = self.variable("", layout, place);
        ids.push(pointer);
        let layout = self.types.layout(sort);
        let own = self.variable(name, layout, place);
        self.emit(StatementKind::Declare(own), place);
        let to = address(variable_place(own, place), place);
        let from = load(variable_place(pointer, place), Scalar::Pointer);
        let size = constant_of(size, Scalar::unsigned(64), place);
        self.emit(StatementKind::CopyBytes { to, from, size }, place);
        Ok(own)
    }

    pub(super) fn statement(&mut self, of: &Stmt) -> Lowered<()> {
        let span = of.span;
        match &of.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(value) => self.effects(value),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(condition, then, other) => {
                let condition = self.condition(condition)?;
                let (one, then) = self.apart(|lowerer| lowerer.statement(then));
                let (two, other) = self.apart(|lowerer| match other {
                    Some(other) => lowerer.statement(other),
                    None => Ok(()),
                });
                self.emit(StatementKind::If(condition, then, other), span);
                one.and(two)
            }
            StmtKind::While(condition, body) => self.while_loop(condition, body, span),
            StmtKind::Do(body, condition) => self.do_loop(body, condition, span),
            StmtKind::For(of) => self.for_loop(of, span),
            StmtKind::Switch(value, body) => self.switch(value, body, span),
            StmtKind::Case(low, high, of) => {
                self.case(low, high.as_ref())?;
                self.statement(of)
            }
            StmtKind::Default(of) => {
                self.default(span)?;
                self.statement(of)
            }
            StmtKind::Label(name, of) => {
                let label = self.named_label(*name);
                if !self.current.placed.insert(label) {
                    let message = format!("label `{}` is there twice", name.text);
                    return self.error(name.span, message, "take another name");
                }
                self.emit(StatementKind::Label(label), name.span);
                self.end_left(label, name.span);
                self.statement(of)
            }
            StmtKind::Goto(name) => {
                let label = self.named_label(*name);
                if self.current.placed.contains(&label) {
                    return self.refuse(name.span, "a `goto` to what comes before it");
                }
                self.current.jumps.push(Jump {
                    label,
                    place: name.span,
                    name: name.text,
                    depth: self.scopes.len(),
                    leaves: Vec::new(),
                });
                self.emit(StatementKind::Goto(label), span);
                Ok(())
            }
            StmtKind::Break => self.jump(self.current.breaks.last().copied(), "break", span),
            StmtKind::Continue => {
                self.jump(self.current.continues.last().copied(), "continue", span)
            }
            StmtKind::Return(value) => self.return_value(value.as_ref(), span),
            StmtKind::Refused(what) => self.refuse(span, what),
        }
    }

    fn block(&mut self, block: &Block) -> Lowered<()> {
        self.scopes.push(Scope::default());
        let from = self.out.len();
        let mut all = Ok(());
        for item in &block.items {
            let one = self.item(item);
            all = all.and(one);
        }
        self.declare_first(from);
        self.leave_scope(block.span);
        all
    }

    /// Ends the variables of the innermost scope. Jumps out of it to labels that are still to come leave
    /// them, too.
    fn leave_scope(&mut self, span: Span) {
        let depth = self.scopes.len() - 1;
        self.end_scopes(depth, span);
        let locals = self.scopes.pop().unwrap_or_default().locals;
        let Current { jumps, placed, .. } = &mut self.current;
        for jump in jumps.iter_mut().filter(|jump| jump.depth > depth) {
            if !placed.contains(&jump.label) {
                jump.leaves.extend(&locals);
                jump.depth = depth;
            }
        }
    }

    /// Ends what jumps to a label have left. Runs that come there otherwise have ended it before.
    fn end_left(&mut self, label: LabelId, span: Span) {
        let jumps = self.current.jumps.iter().filter(|jump| jump.label == label);
        let left: Vec<VariableId> = jumps.flat_map(|jump| jump.leaves.clone()).collect();
        for id in left {
            self.emit(StatementKind::End(id), span);
        }
    }

    /// Ends the variables of all scopes from a depth on.
    fn end_scopes(&mut self, from: usize, span: Span) {
        let scopes = self.scopes.iter().skip(from).rev();
        let locals = scopes.flat_map(|scope| scope.locals.iter().rev().copied());
        let locals: Vec<_> = locals.collect();
        for id in locals {
            self.emit(StatementKind::End(id), span);
        }
    }

    fn jump(&mut self, target: Option<Target>, word: &str, span: Span) -> Lowered<()> {
        let Some(target) = target else {
            let message = format!("`{word}` is in no loop");
            return self.error(span, message, "remove it");
        };
        self.end_scopes(target.scopes, span);
        self.emit(StatementKind::Goto(target.label), span);
        Ok(())
    }

    fn named_label(&mut self, name: Name) -> LabelId {
        if let Some(label) = self.current.labels.get(&name.text) {
            return *label;
        }
        let label = self.label();
        self.current.labels.insert(name.text, label);
        label
    }

    /// Leaves the loop when a condition does not hold.
    fn leave_unless(&mut self, condition: Expression, label: LabelId) {
        let place = condition.place;
        let not = super::operand::unary(Unary::Not, condition, place);
        let kind = StatementKind::Goto(label);
        let leave = vec![Statement { kind, place }];
        self.emit(StatementKind::If(not, leave, Vec::new()), place);
    }

    /// The body of a loop, with the label at its end.
    fn loop_body(&mut self, body: &Stmt, exit: LabelId) -> Lowered<()> {
        let next = self.label();
        let scopes = self.scopes.len();
        self.current.breaks.push(Target {
            label: exit,
            scopes,
        });
        self.current.continues.push(Target {
            label: next,
            scopes,
        });
        let found = self.statement(body);
        self.current.breaks.pop();
        self.current.continues.pop();
        self.emit(StatementKind::Label(next), body.span);
        found
    }

    /// Makes a loop of statements and the label behind it.
    fn finish_loop(&mut self, body: Vec<Statement>, exit: LabelId, span: Span) {
        let name = format!("{}.{}", self.current.name, self.current.loops);
        self.current.loops += 1;
        let id = self.program.add_loop(&name, span);
        self.emit(StatementKind::Loop(id, body), span);
        self.emit(StatementKind::Label(exit), span);
    }

    fn while_loop(&mut self, condition: &Expr, body: &Stmt, span: Span) -> Lowered<()> {
        let exit = self.label();
        let (found, list) = self.apart(|lowerer| {
            let left = lowerer.condition(condition);
            let left = left.map(|condition| lowerer.leave_unless(condition, exit));
            lowerer.loop_body(body, exit).and(left)
        });
        self.finish_loop(list, exit, span);
        found
    }

    fn do_loop(&mut self, body: &Stmt, condition: &Expr, span: Span) -> Lowered<()> {
        let exit = self.label();
        let (found, list) = self.apart(|lowerer| {
            lowerer.loop_body(body, exit)?;
            let condition = lowerer.condition(condition)?;
            lowerer.leave_unless(condition, exit);
            Ok(())
        });
        self.finish_loop(list, exit, span);
        found
    }

    fn for_loop(&mut self, of: &For, span: Span) -> Lowered<()> {
        self.scopes.push(Scope::default());
        let from = self.out.len();
        let first = match &of.first {
            Some(item) => self.item(item),
            None => Ok(()),
        };
        let exit = self.label();
        let (found, list) = self.apart(|lowerer| {
            if let Some(condition) = &of.condition {
                let condition = lowerer.condition(condition)?;
                lowerer.leave_unless(condition, exit);
            }
            lowerer.loop_body(&of.body, exit)?;
            match &of.step {
                Some(step) => lowerer.effects(step),
                None => Ok(()),
            }
        });
        self.finish_loop(list, exit, span);
        self.declare_first(from);
        self.leave_scope(span);
        first.and(found)
    }

    fn switch(&mut self, value: &Expr, body: &Stmt, span: Span) -> Lowered<()> {
        let of = value;
        let value = self.rvalue(value)?;
        let Some(promoted) = self.types.promoted(&value.sort) else {
            return self.error(
                of.span,
                "`switch` takes an integer",
                "take a value of another type",
            );
        };
        let sort = CType::Integer(promoted);
        let value = self.converted(value, &sort, of.span)?;
        let value = self.kept(value, of.span);
        let exit = self.label();
        let scopes = self.scopes.len();
        self.current.breaks.push(Target {
            label: exit,
            scopes,
        });
        self.current.switches.push(Switch {
            sort,
            cases: Vec::new(),
            default: None,
        });
        let (found, list) = self.apart(|lowerer| lowerer.statement(body));
        self.current.breaks.pop();
        let Some(switch) = self.current.switches.pop() else {
            return found;
        };
        self.check_cases(&switch, &list, span)?;
        // The jumps go past what is declared first in the body.
        let declares = |one: &Statement| matches!(one.kind, StatementKind::Declare(_));
        let first = list.iter().position(|one| !declares(one));
        let mut list = list;
        let rest = list.split_off(first.unwrap_or(list.len()));
        self.out.extend(list);
        self.dispatch(&switch, &value.expression, exit, of.span);
        self.out.extend(rest);
        self.emit(StatementKind::Label(exit), span);
        found
    }

    fn dispatch(&mut self, switch: &Switch, value: &Expression, exit: LabelId, span: Span) {
        for (low, high, label, place) in &switch.cases {
            let sort = value.sort;
            let truth = |operator, one: Expression, other: Expression| {
                super::operand::binary(operator, one, other, Scalar::BOOLEAN, *place)
            };
            let bound = |number: u64| constant_of(number, sort, *place);
            let condition = match low == high {
                true => truth(Binary::Equal, value.clone(), bound(*low)),
                false => {
                    let above = truth(Binary::LessOrEqual, bound(*low), value.clone());
                    let below = truth(Binary::LessOrEqual, value.clone(), bound(*high));
                    truth(Binary::BitAnd, above, below)
                }
            };
            let kind = StatementKind::Goto(*label);
            let jump = vec![Statement {
                kind,
                place: *place,
            }];
            self.emit(StatementKind::If(condition, jump, Vec::new()), *place);
        }
        let rest = switch.default.unwrap_or(exit);
        self.emit(StatementKind::Goto(rest), span);
    }

    /// The labels of a `switch` are in the list of its body.
    fn check_cases(&mut self, switch: &Switch, list: &[Statement], span: Span) -> Lowered<()> {
        let here = list.iter().filter_map(|one| match one.kind {
            StatementKind::Label(label) => Some(label),
            _ => None,
        });
        let here: FxHashSet<LabelId> = here.collect();
        let cases = switch
            .cases
            .iter()
            .map(|(_, _, label, place)| (*label, *place));
        let default = switch.default.map(|label| (label, span));
        let mut hidden = cases
            .chain(default)
            .filter(|(label, _)| !here.contains(label));
        match hidden.next() {
            Some((_, place)) => self.refuse(place, "a `case` within a statement of its `switch`"),
            None => Ok(()),
        }
    }

    fn case(&mut self, low: &Expr, high: Option<&Expr>) -> Lowered<()> {
        let Some(sort) = self.current.switches.last().map(|one| one.sort.clone()) else {
            return self.error(low.span, "`case` is in no `switch`", "remove it");
        };
        let scalar = self.scalar_of(&sort, low.span)?;
        let mut value = |of: &Expr| -> Lowered<u64> {
            let value = self.constant(of)? as u64;
            let masked =
                super::operand::cast(constant_of(value, Scalar::signed(64), of.span), scalar);
            Ok(super::constant::number(&masked).unwrap_or(0))
        };
        let from = value(low)?;
        let to = match high {
            Some(high) => value(high)?,
            None => from,
        };
        let signed = scalar.is_signed();
        let order = |number: u64| if signed { number ^ SIGN } else { number };
        let cases = self.current.switches.last().map(|one| one.cases.as_slice());
        let again = cases
            .unwrap_or_default()
            .iter()
            .any(|(one, other, ..)| order(*one) <= order(to) && order(from) <= order(*other));
        if again {
            return self.error(low.span, "this value has a `case` already", "remove one");
        }
        let label = self.label();
        self.emit(StatementKind::Label(label), low.span);
        if let Some(switch) = self.current.switches.last_mut() {
            switch.cases.push((from, to, label, low.span));
        }
        Ok(())
    }

    fn default(&mut self, span: Span) -> Lowered<()> {
        let label = self.label();
        let Some(switch) = self.current.switches.last_mut() else {
            return self.error(span, "`default` is in no `switch`", "remove it");
        };
        if switch.default.replace(label).is_some() {
            return self.error(span, "there is a `default` already", "remove one");
        }
        self.emit(StatementKind::Label(label), span);
        Ok(())
    }

    fn return_value(&mut self, value: Option<&Expr>, span: Span) -> Lowered<()> {
        let result = self.current.result.clone().unwrap_or(CType::Void);
        let Some(value) = value else {
            // Without a value, anything is returned.
            self.emit(StatementKind::Return(None), span);
            return Ok(());
        };
        if result == CType::Void {
            // GNU C takes `return f();` of nothing, and drops a value with a warning.
            self.effects(value)?;
            self.emit(StatementKind::Return(None), span);
            return Ok(());
        }
        let operand = self.operand(value)?;
        if let (CType::Record(_), Some(at)) = (&result, self.current.result_at) {
            let pointer = load(variable_place(at, span), Scalar::Pointer);
            let to = Location {
                at: dereference(pointer, span),
                sort: result,
                bits: None,
            };
            self.assign_operand(&to, operand, span)?;
            self.emit(StatementKind::Return(None), span);
            return Ok(());
        }
        if matches!(operand, Operand::Nothing) {
            let message = "this function returns a value, and none is given";
            return self.error(span, message, "return one");
        }
        let found = self.value(operand, value.span)?;
        let found = self.assigned(found, &result, value.span)?;
        self.emit(StatementKind::Return(Some(found.expression)), span);
        Ok(())
    }
}
