//! Functions and nodes: signatures, statements, and that everything is defined once.

use super::expressions::counted;
use super::{Checker, DeclarationKind, NodeInfo, Reference, Signature, VariableInfo};
use crate::lustre::syntax::{
    Body, Declaration, ExpressionId, Kind, Name, NodeDefinition, Statement, StatementKind,
};
use crate::lustre::types::{Type, TypeId};
use proofmark_model::Symbol;
use proofmark_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

impl Checker<'_> {
    pub(super) fn nodes(&mut self) {
        let program = self.program;
        for function in &program.functions {
            let signature = self.function(&function.inputs, &function.outputs);
            self.checked.functions.push(signature);
        }
        for node in &program.nodes {
            let info = self.declare(node);
            self.checked.nodes.push(info);
        }
        for (at, node) in program.nodes.iter().enumerate() {
            self.body(at, node);
        }
    }

    fn function(&mut self, inputs: &[Declaration], outputs: &[Declaration]) -> Signature {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for declaration in inputs.iter().chain(outputs) {
            let name = declaration.name;
            if let Some(first) = seen.insert(name.text, name.span) {
                self.duplicate("variable", name, first);
            }
        }
        let signature = Signature {
            inputs: inputs.iter().map(|d| self.resolve(&d.of)).collect(),
            outputs: outputs.iter().map(|d| self.resolve(&d.of)).collect(),
        };
        for (of, declaration) in signature.outputs.iter().zip(outputs) {
            // Only a subrange makes a type differ from its plain form.
            if self.checked.types.plain(*of) != *of {
                let message = "an output of a function cannot have a subrange type";
                let hint = "declare it `int` and state the range by an `assert` where it is called";
                self.error(declaration.of.span, message, hint);
            }
        }
        signature
    }

    fn declare(&mut self, node: &NodeDefinition) -> NodeInfo {
        let mut info = NodeInfo::default();
        let groups = [
            (&node.inputs, DeclarationKind::Input),
            (&node.outputs, DeclarationKind::Output),
            (&node.locals, DeclarationKind::Local),
        ];
        for (declarations, kind) in groups {
            for declaration in declarations {
                self.declare_variable(declaration, kind, &mut info);
            }
        }
        info
    }

    fn declare_variable(
        &mut self,
        declaration: &Declaration,
        kind: DeclarationKind,
        info: &mut NodeInfo,
    ) {
        let of = self.resolve(&declaration.of);
        match kind {
            DeclarationKind::Input => info.signature.inputs.push(of),
            DeclarationKind::Output => info.signature.outputs.push(of),
            DeclarationKind::Local => {}
        }
        let name = declaration.name;
        if let Some((_, first)) = self.globals.get(&name.text) {
            let first = *first;
            let message = format!("`{}` is a constant or a value already", name.text);
            let error = Diagnostic::error(name.span, message)
                .with_hint("rename one of the two")
                .with_label(first, "defined here");
            self.diagnostics.push(error);
        }
        let position = info.variables.len() as u32;
        match info.names.get(&name.text) {
            Some(first) => {
                let first = info.variables[*first as usize].span;
                self.duplicate("variable", name, first);
            }
            None => {
                info.names.insert(name.text, position);
            }
        }
        info.variables.push(VariableInfo {
            name: name.text,
            span: name.span,
            of,
            kind,
        });
    }

    fn body(&mut self, at: usize, node: &NodeDefinition) {
        // Where each variable is defined.
        let mut defined: Vec<Option<Span>> = vec![None; self.checked.nodes[at].variables.len()];
        let mut properties: FxHashMap<Symbol, Span> = FxHashMap::default();
        for statement in &node.statements {
            let found = self.expression(statement.value, Some(at));
            let span = self.program.span(statement.value.root);
            match &statement.kind {
                StatementKind::Equation(targets) => {
                    self.equation(at, statement, targets, found, &mut defined);
                }
                StatementKind::Assert => {
                    self.expect("an assertion", TypeId::BOOL, found, span);
                }
                StatementKind::Check(name) => {
                    self.expect("a property", TypeId::BOOL, found, span);
                    self.property(statement, *name, &mut properties);
                }
            }
        }
        if node.body == Body::Whole {
            self.missing(at, node, &defined);
        }
        self.check_ivc(at, node);
        self.collect_calls(at, node);
    }

    fn property(
        &mut self,
        statement: &Statement,
        name: Option<Name>,
        properties: &mut FxHashMap<Symbol, Span>,
    ) {
        let root = statement.value.root;
        let path = || {
            let text = Symbol::new(&self.program.path(root)?);
            let span = self.program.span(root);
            Some(Name { text, span })
        };
        let Some(name) = name.or_else(path) else {
            return;
        };
        if let Some(first) = properties.insert(name.text, name.span) {
            self.duplicate("property", name, first);
        }
    }

    fn equation(
        &mut self,
        at: usize,
        statement: &Statement,
        targets: &[Name],
        found: TypeId,
        defined: &mut [Option<Span>],
    ) {
        let positions: Vec<Option<u32>> = targets
            .iter()
            .map(|target| self.target(at, *target, defined))
            .collect();
        let parts = match self.checked.types.get(found) {
            Type::Tuple(parts) => parts.clone(),
            Type::Unknown => return,
            _ => vec![found],
        };
        let span = self.program.span(statement.value.root);
        if parts.len() != targets.len() {
            let message = format!(
                "{} on the left, {} on the right",
                counted(targets.len(), "variable"),
                counted(parts.len(), "value")
            );
            let hint = "write one variable for each value: (a, b) = …;";
            self.error(statement.span, message, hint);
            return;
        }
        for ((target, position), part) in targets.iter().zip(positions).zip(parts) {
            let Some(position) = position else { continue };
            let of = self.checked.nodes[at].variables[position as usize].of;
            let wanted = self.checked.types.plain(of);
            let what = format!("the value of `{}`", target.text);
            self.expect(&what, wanted, part, span);
        }
    }

    /// The variable that an equation defines, once it is found that it may.
    fn target(&mut self, at: usize, target: Name, defined: &mut [Option<Span>]) -> Option<u32> {
        let info = &self.checked.nodes[at];
        let Some(position) = info.names.get(&target.text).copied() else {
            self.unknown_target(at, target);
            return None;
        };
        let variable = &info.variables[position as usize];
        if variable.kind == DeclarationKind::Input {
            let message = format!("`{}` is an input and cannot be defined", target.text);
            let error = Diagnostic::error(target.span, message)
                .with_hint("remove the equation, or declare it as an output or a local")
                .with_label(variable.span, "declared here");
            self.diagnostics.push(error);
            return Some(position);
        }
        let slot = &mut defined[position as usize];
        if let Some(first) = *slot {
            self.duplicate("variable", target, first);
        } else {
            *slot = Some(target.span);
        }
        Some(position)
    }

    fn unknown_target(&mut self, at: usize, target: Name) {
        let text = target.text.as_str();
        let whole = text.split(['.', '[']).next().unwrap_or(text);
        let known = self.checked.nodes[at]
            .names
            .contains_key(&Symbol::new(whole));
        if whole != text && known {
            let message = format!("`{text}` cannot be defined alone: `{whole}` is one variable");
            let hint = format!("define all of it: {whole} = …;");
            self.error(target.span, message, hint);
            return;
        }
        self.unknown_variable(target, Some(at));
    }

    fn missing(&mut self, at: usize, node: &NodeDefinition, defined: &[Option<Span>]) {
        let variables = &self.checked.nodes[at].variables;
        let mut errors = Vec::new();
        for (variable, defined) in variables.iter().zip(defined) {
            if defined.is_some() || variable.kind == DeclarationKind::Input {
                continue;
            }
            // A second declaration of a name has been reported.
            let position = self.checked.nodes[at].names.get(&variable.name);
            if position.is_some_and(|p| variables[*p as usize].span != variable.span) {
                continue;
            }
            let what = match variable.kind {
                DeclarationKind::Output => "output",
                _ => "variable",
            };
            let message = format!("the {what} `{}` is never defined", variable.name);
            let hint = format!(
                "add an equation to node `{}`, or make it an input",
                node.name.text
            );
            errors.push(Diagnostic::error(variable.span, message).with_hint(hint));
        }
        self.diagnostics.extend(errors);
    }

    fn check_ivc(&mut self, at: usize, node: &NodeDefinition) {
        for name in node.ivc.iter().flatten() {
            let info = &self.checked.nodes[at];
            let Some(position) = info.names.get(&name.text) else {
                self.unknown_variable(*name, Some(at));
                continue;
            };
            if info.variables[*position as usize].kind == DeclarationKind::Input {
                let message = format!("`{}` is an input, which no equation defines", name.text);
                let hint = "--%IVC names locals and outputs";
                self.error(name.span, message, hint);
            }
        }
    }

    /// Notes the calls of nodes, in the order of the text.
    fn collect_calls(&mut self, at: usize, node: &NodeDefinition) {
        let program = self.program;
        let mut calls = Vec::new();
        for statement in &node.statements {
            for id in statement.value.first.0..=statement.value.root.0 {
                let id = ExpressionId(id);
                if let Reference::Node(callee) | Reference::Clocked(callee) =
                    self.checked.references[id.index()]
                {
                    calls.push((id, callee));
                }
            }
        }
        calls.sort_by_key(|(id, _)| match &program.expression(*id).kind {
            Kind::Call { callee, .. } => callee.span.start,
            _ => program.span(*id).start,
        });
        self.checked.nodes[at].calls = calls;
    }
}
