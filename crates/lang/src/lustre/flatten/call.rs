//! Calls of nodes, and what it takes to run one at some steps only.
//!
//! `condact(clock, node(…), default, …)` runs an instance at the steps where the clock is true; at
//! the others its memory and its outputs stay as they are, and until the first such step the outputs
//! are the defaults. Nothing else than `->` and `pre` remembers, so it is enough to change these in
//! the instance, and in what it calls:
//! - `a -> b` becomes `if first then a else b`, where `first` is true until the instance has run;
//! - `pre e` becomes `pre kept`, where `kept = if active then e else pre kept`.
//!
//! Between runs the instance's other variables follow the inputs, which nobody sees. Its assertions
//! and properties count only while it is active. A `pre` keeps its place in the source, since
//! `kept` is `e` whenever it is seen; a `->` does not, since a conditional has other operands than
//! an arrow, and what mutates arrows must not meet it.

use super::expression::{Flat, Writing};
use super::{Clock, Flattener, Instance, Scalar, Stop};
use crate::lustre::check::Reference;
use crate::lustre::syntax::{ExpressionId, Kind};
use crate::lustre::{EquationKind, VariableFacts, VariableKind};
use proofmark_model::{Bounds, Category, Expr, Operator, Origin, Role, Sort, Symbol};
use proofmark_source::Span;

impl Flattener<'_> {
    pub(super) fn write_call(
        &mut self,
        id: ExpressionId,
        arguments: &[ExpressionId],
        instance: &mut Instance,
        writing: &mut Writing,
    ) -> Result<Flat, Stop> {
        let origin = instance.origin(self.program.span(id), Category::Expression);
        match self.reference(id) {
            Reference::Function(function) => {
                let arguments = arguments.iter().flat_map(|a| writing.take(*a)).collect();
                self.write_application(id, function as usize, arguments, &origin)
            }
            Reference::Node(callee) => {
                let arguments = self.arguments(arguments, writing);
                let clock = instance.clock;
                let outputs = self.enter(id, callee as usize, arguments, instance, clock)?;
                self.uses(id, &outputs, &origin)
            }
            // Its `condact` makes the call.
            _ => Ok(Flat::Empty),
        }
    }

    /// The scalars of arguments, each with the place of its argument.
    fn arguments(&self, arguments: &[ExpressionId], writing: &mut Writing) -> Vec<(Expr, Span)> {
        let mut scalars = Vec::new();
        for argument in arguments {
            let span = self.program.span(*argument);
            let parts = writing.take(*argument).into_iter();
            scalars.extend(parts.map(|part| (part, span)));
        }
        scalars
    }

    /// Makes an instance and binds its inputs; returns the scalars of its outputs.
    fn enter(
        &mut self,
        call: ExpressionId,
        callee: usize,
        arguments: Vec<(Expr, Span)>,
        caller: &Instance,
        clock: Option<Clock>,
    ) -> Result<Vec<Scalar>, Stop> {
        let span = self.program.span(call);
        let depth = caller.depth + 1;
        if depth > self.limits.calls {
            return Err(Stop::TooDeep(span));
        }
        let path = caller
            .path
            .enter(&self.instance_name(call, callee), Some(span));
        let instance = self.open(callee, path, depth, clock)?;
        let node = &self.program.nodes[callee];
        let (inputs, outputs) = (node.inputs.len(), node.outputs.len());
        let formals = &instance.scalars[..instance.offsets[inputs]];
        for (formal, (actual, span)) in formals.iter().zip(arguments) {
            let origin = caller.origin(span, Category::Generated);
            self.add_equation(Some(formal.name), actual, origin, EquationKind::Binding);
        }
        let range = instance.offsets[inputs]..instance.offsets[inputs + outputs];
        let outputs = instance.scalars[range].to_vec();
        self.waiting.push_back(instance);
        Ok(outputs)
    }

    fn instance_name(&self, call: ExpressionId, callee: usize) -> String {
        let ordinal = self.ordinals.get(&call).copied().unwrap_or(0);
        format!("{}~{ordinal}", self.program.nodes[callee].name.text)
    }

    pub(super) fn write_condact(
        &mut self,
        id: ExpressionId,
        items: &[ExpressionId],
        instance: &mut Instance,
        writing: &mut Writing,
    ) -> Result<Flat, Stop> {
        let (clock, call) = (items[0], items[1]);
        let Reference::Clocked(callee) = self.reference(call) else {
            // The clock is always true: the call stands for itself.
            return Ok(Flat::new(writing.take(call)));
        };
        let origin = instance.origin(self.program.span(id), Category::Expression);
        let Kind::Call { arguments, .. } = &self.program.expression(call).kind else {
            return Err(Stop::Unresolved(self.program.span(call)));
        };
        let arguments = self.arguments(arguments, writing);
        let Some(clock) = writing.take(clock).pop() else {
            return Err(Stop::Unresolved(self.program.span(clock)));
        };
        let defaults: Vec<Expr> = items[2..].iter().flat_map(|i| writing.take(*i)).collect();
        let name = self.instance_name(call, callee as usize);
        let prefix = format!("{}{name}.", instance.prefix);
        let inner = self.make_clock(&prefix, clock, instance, &origin)?;
        let outputs = self.enter(call, callee as usize, arguments, instance, Some(inner))?;
        let held = self.hold_outputs(outputs, defaults, inner, instance, &origin)?;
        self.uses(id, &held, &origin)
    }

    /// A variable that nobody declared.
    fn made_up(&mut self, name: &str, sort: Sort, origin: &Origin) -> Result<Scalar, Stop> {
        let Some(span) = origin.span() else {
            return Err(Stop::TooManyNodes);
        };
        let facts = VariableFacts {
            declared: Symbol::new(name),
            node: Symbol::new(""),
            kind: VariableKind::Generated,
            span,
        };
        self.add_variable(name, sort, Role::Local, facts, &origin.serving())
    }

    fn define_made_up(&mut self, scalar: Scalar, tree: Expr, origin: &Origin) {
        let origin = origin.serving();
        self.add_equation(Some(scalar.name), tree, origin, EquationKind::Clock);
    }

    /// The variables that say when a clocked instance runs and whether it has.
    fn make_clock(
        &mut self,
        prefix: &str,
        clock: Expr,
        outer: &Instance,
        origin: &Origin,
    ) -> Result<Clock, Stop> {
        // An `@` cannot be in a name of the source.
        let active = self.made_up(&format!("{prefix}@active"), Sort::Bool, origin)?;
        let first = self.made_up(&format!("{prefix}@first_run"), Sort::Bool, origin)?;
        let tree = match outer.clock {
            None => clock,
            Some(outer) => {
                let outer = self.read_boolean(outer.active, origin)?;
                self.generate(Operator::And, vec![outer, clock], origin)?
            }
        };
        self.define_made_up(active, tree, origin);
        // first = true -> if pre active then false else pre first
        let was_active = self.pre_of(active, origin)?;
        let was_first = self.pre_of(first, origin)?;
        let (yes, no) = (self.boolean(true, origin)?, self.boolean(false, origin)?);
        let later = vec![was_active, no, was_first];
        let later = self.generate(Operator::IfThenElse, later, origin)?;
        let tree = self.generate(Operator::Arrow, vec![yes, later], origin)?;
        self.define_made_up(first, tree, origin);
        Ok(Clock {
            active: active.name,
            first: first.name,
        })
    }

    fn pre_of(&mut self, scalar: Scalar, origin: &Origin) -> Result<Expr, Stop> {
        let now = self.read(scalar, origin)?;
        self.generate(Operator::Pre, vec![now], origin)
    }

    /// What the caller sees: `held = if active then output else (default -> pre held)`.
    fn hold_outputs(
        &mut self,
        outputs: Vec<Scalar>,
        defaults: Vec<Expr>,
        clock: Clock,
        outer: &Instance,
        origin: &Origin,
    ) -> Result<Vec<Scalar>, Stop> {
        let mut held = Vec::with_capacity(outputs.len());
        for (output, default) in outputs.iter().zip(defaults) {
            let scalar = self.made_up(&format!("{}@held", output.name), output.sort, origin)?;
            let before = self.pre_of(scalar, origin)?;
            let idle = match outer.clock {
                None => self.generate(Operator::Arrow, vec![default, before], origin)?,
                // The first step of the caller's own time.
                Some(outer) => {
                    let first = self.read_boolean(outer.first, origin)?;
                    let args = vec![first, default, before];
                    self.generate(Operator::IfThenElse, args, origin)?
                }
            };
            let active = self.read_boolean(clock.active, origin)?;
            let now = self.read(*output, origin)?;
            let tree = self.generate(Operator::IfThenElse, vec![active, now, idle], origin)?;
            self.define_made_up(scalar, tree, origin);
            held.push(scalar);
        }
        Ok(held)
    }

    pub(super) fn write_arrow(
        &mut self,
        id: ExpressionId,
        left: Vec<Expr>,
        right: Vec<Expr>,
        instance: &Instance,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let mut exprs = Vec::with_capacity(left.len());
        for (first, later) in left.into_iter().zip(right) {
            exprs.push(match instance.clock {
                None => {
                    let node_id = self.ids[id.index()];
                    let args = vec![first, later];
                    self.make(node_id, Operator::Arrow, args, origin.clone())?
                }
                Some(clock) => {
                    let test = self.read_boolean(clock.first, origin)?;
                    let args = vec![test, first, later];
                    self.generate(Operator::IfThenElse, args, origin)?
                }
            });
        }
        Ok(Flat::new(exprs))
    }

    pub(super) fn write_pre(
        &mut self,
        id: ExpressionId,
        operand: Vec<Expr>,
        instance: &mut Instance,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let mut exprs = Vec::with_capacity(operand.len());
        for scalar in operand {
            let scalar = self.kept(scalar, instance, origin)?;
            let node_id = self.ids[id.index()];
            exprs.push(self.make(node_id, Operator::Pre, vec![scalar], origin.clone())?);
        }
        Ok(Flat::new(exprs))
    }

    /// The `pre` of a `fby`, which has no place of its own.
    pub(super) fn generated_pre(
        &mut self,
        operand: Vec<Expr>,
        instance: &mut Instance,
        origin: &Origin,
    ) -> Result<Vec<Expr>, Stop> {
        let mut exprs = Vec::with_capacity(operand.len());
        for scalar in operand {
            let scalar = self.kept(scalar, instance, origin)?;
            exprs.push(self.generate(Operator::Pre, vec![scalar], origin)?);
        }
        Ok(exprs)
    }

    /// What a `pre` reads: the operand, or under a clock the variable that keeps it.
    fn kept(
        &mut self,
        operand: Expr,
        instance: &mut Instance,
        origin: &Origin,
    ) -> Result<Expr, Stop> {
        let Some(clock) = instance.clock else {
            return Ok(operand);
        };
        let sort = operand.sort();
        // One variable is kept once, however often it is read: equal memories would have to be
        // proved equal.
        let variable = match operand.operator() {
            Operator::Variable(name) => Some(*name),
            _ => None,
        };
        // A caller and what it calls under the same clock share the memory of an output.
        let known = variable.and_then(|name| self.kept.get(&(name, clock.active)).copied());
        if let Some(name) = known {
            return self.read(Scalar { name, sort }, origin);
        }
        let name = match variable {
            Some(name) => format!("{name}@kept"),
            None => {
                instance.kept_expressions += 1;
                format!("{}@kept{}", instance.prefix, instance.kept_expressions)
            }
        };
        let keeper = self.made_up(&name, sort, origin)?;
        let bounds = Bounds::of_tree(&operand, |name| self.bounds.get(&name).cloned());
        self.bound(keeper, bounds);
        let operand = match variable {
            Some(name) => {
                self.kept.insert((name, clock.active), keeper.name);
                self.read(Scalar { name, sort }, origin)?
            }
            None => operand,
        };
        let active = self.read_boolean(clock.active, origin)?;
        let before = self.pre_of(keeper, origin)?;
        let tree = self.generate(Operator::IfThenElse, vec![active, operand, before], origin)?;
        self.define_made_up(keeper, tree, origin);
        self.read(keeper, origin)
    }
}
