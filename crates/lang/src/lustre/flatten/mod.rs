//! The checked tree to a model: calls inlined, compound values taken apart.
//!
//! Each call makes an [`Instance`], which waits in a queue until its body is written out, so that
//! the model has the main node's equations first and no recursion follows the calls. Expressions
//! are written in [`expression`], calls and clocks in [`call`].
//!
//! A place in the source has one [`NodeId`], whichever instance or scalar it is written out for.
//! What is made up gets a new one each time, and an origin of the category `Generated`.

mod call;
mod expression;

use super::check::{Checked, DeclarationKind};
use super::syntax::{ExpressionId, Program, Statement, StatementKind};
use super::types::Leaf;
use super::{EquationKind, FlattenLimits, GoalKind, Loaded, Options, VariableFacts, VariableKind};
use proofmark_model::{
    Bounds, Category, Equation, Expr, Goal, InstancePath, Model, NodeId, Operator, Origin,
    Rational, Reading, Role, Sort, SortError, Symbol, Value, Variable, When,
};
use proofmark_source::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Longer texts of properties are cut.
const LONGEST_NAME: usize = 60;

/// Why no model can be made.
#[derive(Debug)]
enum Stop {
    TooManyNodes,
    TooDeep(Span),
    Collision(Symbol, Span),
    /// The checker let something through.
    IllSorted(Span, SortError),
    Unresolved(Span),
}

impl Stop {
    fn diagnostic(self, limits: &FlattenLimits, main: Span) -> Diagnostic {
        match self {
            Stop::TooManyNodes => {
                let most = limits.nodes;
                let message = format!("the model unfolds to more than {most} nodes");
                Diagnostic::error(main, message)
                    .with_hint("its calls and arrays multiply; make fewer or smaller ones")
            }
            Stop::TooDeep(span) => {
                let most = limits.calls;
                Diagnostic::error(span, format!("calls are nested more than {most} deep"))
                    .with_hint("join some of the nodes")
            }
            Stop::Collision(name, span) => {
                let message = format!(
                    "the parts of this variable include `{name}`, and there is another variable of that name"
                );
                Diagnostic::error(span, message).with_hint("rename one of the two")
            }
            Stop::IllSorted(span, error) => Diagnostic::error(
                span,
                format!("this cannot be put into the model: {}", error.0),
            ),
            Stop::Unresolved(span) => {
                Diagnostic::error(span, "this cannot be put into the model: it has no value")
            }
        }
    }
}

/// A scalar variable of the model.
#[derive(Clone, Copy, Debug)]
struct Scalar {
    name: Symbol,
    sort: Sort,
}

/// The clock that an instance runs under.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// Whether the instance runs at this step.
    active: Symbol,
    /// Whether it has not run before.
    first: Symbol,
}

/// A node written out for one call.
#[derive(Debug)]
struct Instance {
    node: usize,
    path: InstancePath,
    /// Goes before the names of its variables: empty, or the path and a dot.
    prefix: String,
    depth: usize,
    clock: Option<Clock>,
    scalars: Vec<Scalar>,
    /// Where the scalars of each variable begin, and where those of the last end.
    offsets: Vec<usize>,
    /// How many variables keep expressions.
    kept_expressions: usize,
}

impl Instance {
    fn scalars(&self, variable: usize) -> &[Scalar] {
        &self.scalars[self.offsets[variable]..self.offsets[variable + 1]]
    }

    fn origin(&self, span: Span, category: Category) -> Origin {
        Origin {
            path: self.path.clone(),
            ..Origin::new(span, category)
        }
    }
}

struct Flattener<'a> {
    program: &'a Program,
    checked: Checked,
    text: &'a str,
    limits: &'a FlattenLimits,
    /// The identity of each expression of the program.
    ids: Vec<NodeId>,
    /// The number of each call among those of its callee in its caller.
    ordinals: FxHashMap<ExpressionId, u32>,
    /// The scalars of each constant's definition.
    constants: Vec<Vec<Expr>>,
    model: Model,
    variables: Vec<VariableFacts>,
    equations: Vec<EquationKind>,
    goals: Vec<GoalKind>,
    ivc: Option<Vec<Symbol>>,
    names: FxHashSet<Symbol>,
    /// The variables whose types have bounds.
    bounds: FxHashMap<Symbol, Bounds>,
    goal_names: FxHashSet<String>,
    functions: FxHashSet<proofmark_model::Function>,
    waiting: VecDeque<Instance>,
    /// The variables that keep what `pre` reads under a clock, by the variable that they keep and
    /// the clock's `active`.
    kept: FxHashMap<(Symbol, Symbol), Symbol>,
    /// Nodes that may still be made.
    budget: usize,
    /// Assertions in called nodes that have been warned of.
    warned: FxHashSet<Span>,
    warnings: Vec<Diagnostic>,
}

pub(super) fn flatten(
    program: &Program,
    checked: Checked,
    main: usize,
    text: &str,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    let mut flattener = Flattener::new(program, checked, text, &options.limits);
    let result = flattener.run(main);
    diagnostics.append(&mut flattener.warnings);
    if let Err(stop) = result {
        let main = program.nodes[main].name.span;
        diagnostics.push(stop.diagnostic(&options.limits, main));
        return None;
    }
    Some(Loaded {
        model: flattener.model,
        main: program.nodes[main].name.text.to_string(),
        variables: flattener.variables,
        equations: flattener.equations,
        goals: flattener.goals,
        ivc: flattener.ivc,
    })
}

impl<'a> Flattener<'a> {
    fn new(
        program: &'a Program,
        checked: Checked,
        text: &'a str,
        limits: &'a FlattenLimits,
    ) -> Flattener<'a> {
        let mut model = Model::default();
        let places = program.expressions.iter();
        let ids = places.map(|_| model.node_ids.fresh()).collect();
        let mut ordinals = FxHashMap::default();
        for node in &checked.nodes {
            let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
            for (call, callee) in &node.calls {
                let count = counts.entry(*callee).or_default();
                ordinals.insert(*call, *count);
                *count += 1;
            }
        }
        Flattener {
            program,
            text,
            limits,
            ids,
            ordinals,
            constants: vec![Vec::new(); checked.constants.len()],
            checked,
            model,
            variables: Vec::new(),
            equations: Vec::new(),
            goals: Vec::new(),
            ivc: None,
            names: FxHashSet::default(),
            bounds: FxHashMap::default(),
            goal_names: FxHashSet::default(),
            functions: FxHashSet::default(),
            waiting: VecDeque::new(),
            kept: FxHashMap::default(),
            budget: limits.nodes,
            warned: FxHashSet::default(),
            warnings: Vec::new(),
        }
    }

    fn run(&mut self, main: usize) -> Result<(), Stop> {
        // Better to know at once than after a minute.
        if self.checked.nodes[main].unfolded > self.limits.nodes {
            return Err(Stop::TooManyNodes);
        }
        self.define_constants()?;
        let root = self.open(main, InstancePath::default(), 0, None)?;
        self.waiting.push_back(root);
        while let Some(mut instance) = self.waiting.pop_front() {
            self.write(&mut instance)?;
        }
        Ok(())
    }

    fn define_constants(&mut self) -> Result<(), Stop> {
        for at in self.checked.constant_order.clone() {
            let value = self.program.constants[at as usize].value;
            self.constants[at as usize] = self.constant(value)?;
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<(), Stop> {
        self.spend_many(1)
    }

    fn spend_many(&mut self, count: usize) -> Result<(), Stop> {
        self.budget = self.budget.checked_sub(count).ok_or(Stop::TooManyNodes)?;
        Ok(())
    }

    /// Declares the variables of a new instance.
    fn open(
        &mut self,
        node: usize,
        path: InstancePath,
        depth: usize,
        clock: Option<Clock>,
    ) -> Result<Instance, Stop> {
        let prefix = match depth {
            0 => String::new(),
            _ => format!("{path}."),
        };
        let mut instance = Instance {
            node,
            path,
            prefix,
            depth,
            clock,
            scalars: Vec::new(),
            offsets: vec![0],
            kept_expressions: 0,
        };
        for at in 0..self.checked.nodes[node].variables.len() {
            self.declare(&mut instance, at)?;
        }
        Ok(instance)
    }

    /// Declares the scalars of a variable.
    fn declare(&mut self, instance: &mut Instance, at: usize) -> Result<(), Stop> {
        let variable = self.checked.nodes[instance.node].variables[at].clone();
        let leaves = self.checked.types.leaves(variable.of);
        let is_main = instance.depth == 0;
        let (kind, role) = match variable.kind {
            DeclarationKind::Input if is_main => (VariableKind::Input, Role::Input),
            DeclarationKind::Output if is_main => (VariableKind::Output, Role::Output),
            DeclarationKind::Input => (VariableKind::Input, Role::Local),
            DeclarationKind::Output => (VariableKind::Output, Role::Local),
            DeclarationKind::Local => (VariableKind::Local, Role::Local),
        };
        let facts = VariableFacts {
            declared: variable.name,
            node: self.program.nodes[instance.node].name.text,
            kind,
            span: variable.span,
        };
        let origin = instance.origin(variable.span, Category::Declaration);
        for leaf in leaves.iter() {
            let name = format!("{}{}{}", instance.prefix, variable.name, leaf.suffix);
            let scalar = self.add_variable(&name, leaf.sort, role, facts.clone(), &origin)?;
            let range = leaf.range.clone();
            self.bound(scalar, range.map(|(low, high)| Bounds { low, high }));
            instance.scalars.push(scalar);
            self.range(instance, scalar, leaf, role, variable.span)?;
        }
        instance.offsets.push(instance.scalars.len());
        Ok(())
    }

    fn add_variable(
        &mut self,
        name: &str,
        sort: Sort,
        role: Role,
        facts: VariableFacts,
        origin: &Origin,
    ) -> Result<Scalar, Stop> {
        // The names of deep instances are what takes the room.
        self.spend_many(1 + name.len() / 32)?;
        let variable = Variable::new(name, sort, role, origin.clone());
        let name = variable.name;
        if !self.names.insert(name) {
            return Err(Stop::Collision(name, facts.span));
        }
        self.model.variables.push(variable);
        self.variables.push(facts);
        Ok(Scalar { name, sort })
    }

    /// Says what the type of the variable that was added last allows.
    fn bound(&mut self, scalar: Scalar, bounds: Option<Bounds>) {
        if let (Some(variable), Some(bounds)) = (self.model.variables.last_mut(), bounds) {
            variable.bounds = Some(bounds.clone());
            self.bounds.insert(scalar.name, bounds);
        }
    }

    /// What a subrange says of a scalar: an assumption on an input of the main node, an obligation
    /// on everything that an equation defines.
    fn range(
        &mut self,
        instance: &Instance,
        scalar: Scalar,
        leaf: &Leaf,
        role: Role,
        span: Span,
    ) -> Result<(), Stop> {
        let Some((low, high)) = &leaf.range else {
            return Ok(());
        };
        let origin = instance.origin(span, Category::Generated);
        let low_tree = self.integer(low, &origin)?;
        let high_tree = self.integer(high, &origin)?;
        let value = self.read(scalar, &origin)?;
        let above = self.generate(Operator::LessEqual, vec![low_tree, value.clone()], &origin)?;
        let below = self.generate(Operator::LessEqual, vec![value, high_tree], &origin)?;
        let tree = self.generate(Operator::And, vec![above, below], &origin)?;
        if role == Role::Input {
            let origin = instance.origin(span, Category::Assertion);
            self.add_equation(None, tree, origin, EquationKind::Range);
            return Ok(());
        }
        let tree = self.when_active(instance, tree, &origin)?;
        let name = format!("{} in [{low}, {high}]", scalar.name);
        self.add_goal(name, tree, origin, GoalKind::Range);
        Ok(())
    }

    fn add_equation(
        &mut self,
        target: Option<Symbol>,
        tree: Expr,
        origin: Origin,
        kind: EquationKind,
    ) {
        self.model.equations.push(Equation {
            target,
            reading: Reading::Definition,
            when: When::Always,
            tree,
            origin,
        });
        self.equations.push(kind);
    }

    /// Adds a goal; of a name that is taken, a number makes another.
    fn add_goal(&mut self, name: String, tree: Expr, origin: Origin, kind: GoalKind) {
        let mut unique = name.clone();
        let mut number = 2;
        while !self.goal_names.insert(unique.clone()) {
            unique = format!("{name} ({number})");
            number += 1;
        }
        self.model.goals.push(Goal {
            name: unique,
            tree,
            origin,
        });
        self.goals.push(kind);
    }

    /// Writes out the statements of an instance.
    fn write(&mut self, instance: &mut Instance) -> Result<(), Stop> {
        let program = self.program;
        let node = &program.nodes[instance.node];
        for statement in &node.statements {
            let values = self.flatten_root(statement.value, instance)?;
            match &statement.kind {
                StatementKind::Equation(targets) => {
                    let names = &self.checked.nodes[instance.node].names;
                    let positions: Vec<usize> = targets
                        .iter()
                        .filter_map(|target| names.get(&target.text).map(|at| *at as usize))
                        .collect();
                    let scalars = positions.iter().flat_map(|at| instance.scalars(*at));
                    for (scalar, tree) in scalars.zip(values) {
                        let origin = instance.origin(statement.span, Category::Equation);
                        let kind = EquationKind::Equation;
                        self.add_equation(Some(scalar.name), tree, origin, kind);
                    }
                }
                StatementKind::Assert => self.write_assertion(statement, values, instance)?,
                StatementKind::Check(name) => {
                    let name = name.map(|name| name.text.to_string());
                    let name = name.unwrap_or_else(|| self.property_name(statement));
                    let name = format!("{}{name}", instance.prefix);
                    let origin = instance.origin(statement.span, Category::Property);
                    for tree in values {
                        let tree = self.when_active(instance, tree, &origin.serving())?;
                        self.add_goal(name.clone(), tree, origin.clone(), GoalKind::Property);
                    }
                }
            }
        }
        self.write_ivc(instance);
        Ok(())
    }

    fn write_assertion(
        &mut self,
        statement: &Statement,
        values: Vec<Expr>,
        instance: &Instance,
    ) -> Result<(), Stop> {
        let origin = instance.origin(statement.span, Category::Assertion);
        for tree in values {
            let tree = self.when_active(instance, tree, &origin.serving())?;
            self.add_equation(None, tree, origin.clone(), EquationKind::Assertion);
        }
        if instance.depth > 0 && self.warned.insert(statement.span) {
            let name = self.program.nodes[instance.node].name.text;
            let message = format!("this assert is assumed wherever `{name}` is called");
            let hint =
                "nothing checks it there; to have it checked, make it a property: `check …;`";
            let warning = Diagnostic::warning(statement.span, message).with_hint(hint);
            self.warnings.push(warning);
        }
        Ok(())
    }

    /// What a property without a name is called: the variable that it is, or its text.
    fn property_name(&self, statement: &Statement) -> String {
        let root = statement.value.root;
        if let Some(path) = self.program.path(root) {
            return path;
        }
        let span = self.program.span(root);
        let text = &self.text[span.start as usize..span.end as usize];
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut name = words.join(" ");
        if let Some((cut, _)) = name.char_indices().nth(LONGEST_NAME) {
            name.truncate(cut);
            name.push('…');
        }
        name
    }

    fn write_ivc(&mut self, instance: &Instance) {
        let Some(names) = &self.program.nodes[instance.node].ivc else {
            return;
        };
        let known = &self.checked.nodes[instance.node].names;
        let positions = names.iter().filter_map(|name| known.get(&name.text));
        let scalars = positions.flat_map(|at| instance.scalars(*at as usize));
        let list = self.ivc.get_or_insert_default();
        list.extend(scalars.map(|scalar| scalar.name));
    }

    /// The constraint as it holds under the instance's clock.
    fn when_active(
        &mut self,
        instance: &Instance,
        tree: Expr,
        origin: &Origin,
    ) -> Result<Expr, Stop> {
        let Some(clock) = instance.clock else {
            return Ok(tree);
        };
        let active = self.read_boolean(clock.active, origin)?;
        self.generate(Operator::Implies, vec![active, tree], origin)
    }

    /// A node of a place in the source.
    fn make(
        &mut self,
        id: NodeId,
        operator: Operator,
        args: Vec<Expr>,
        origin: Origin,
    ) -> Result<Expr, Stop> {
        self.spend()?;
        let span = origin.span();
        Expr::new(id, operator, args, origin).map_err(|error| match span {
            Some(span) => Stop::IllSorted(span, error),
            None => Stop::TooManyNodes,
        })
    }

    /// A node that nobody wrote.
    fn generate(
        &mut self,
        operator: Operator,
        args: Vec<Expr>,
        origin: &Origin,
    ) -> Result<Expr, Stop> {
        let id = self.model.node_ids.fresh();
        self.make(id, operator, args, origin.serving())
    }

    fn integer(&mut self, number: &Rational, origin: &Origin) -> Result<Expr, Stop> {
        self.generate(
            Operator::Constant(Value::Int(number.clone())),
            Vec::new(),
            origin,
        )
    }

    fn boolean(&mut self, value: bool, origin: &Origin) -> Result<Expr, Stop> {
        self.generate(Operator::Constant(Value::Bool(value)), Vec::new(), origin)
    }

    /// A use of a variable that nobody wrote.
    fn read(&mut self, scalar: Scalar, origin: &Origin) -> Result<Expr, Stop> {
        self.spend()?;
        let id = self.model.node_ids.fresh();
        let name = scalar.name.as_str();
        Ok(Expr::variable(id, name, scalar.sort, origin.serving()))
    }

    fn read_boolean(&mut self, name: Symbol, origin: &Origin) -> Result<Expr, Stop> {
        let sort = Sort::Bool;
        self.read(Scalar { name, sort }, origin)
    }
}
