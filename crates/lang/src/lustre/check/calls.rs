//! Who calls whom: no node calls itself, one node is the main one.

use super::{Checker, Memory};
use crate::lustre::order::walk;
use crate::lustre::syntax::{Binary, Kind, Name, Program, Unary};
use proofmark_source::{Diagnostic, Span, nearest};

impl Checker<'_> {
    pub(super) fn calls(&mut self) {
        let nodes = self.checked.nodes.iter();
        let graph: Vec<Vec<u32>> = nodes
            .map(|node| node.calls.iter().map(|(_, callee)| *callee).collect())
            .collect();
        let walk = walk(&graph);
        for cycle in &walk.cycles {
            self.recursion(cycle);
        }
        for at in walk.order {
            self.memory(at as usize);
            self.unfolded(at as usize);
        }
        self.main_directives();
    }

    fn recursion(&mut self, cycle: &[u32]) {
        let name = |at: u32| self.program.nodes[at as usize].name;
        let first = name(cycle[0]);
        let message = format!("node `{}` calls itself: recursion has no end", first.text);
        let mut error = Diagnostic::error(first.span, message)
            .with_hint("remember what is needed with `pre` instead of calling again");
        for (position, caller) in cycle.iter().enumerate().take(20) {
            let callee = cycle[(position + 1) % cycle.len()];
            let calls = &self.checked.nodes[*caller as usize].calls;
            let call = calls.iter().find(|(_, called)| *called == callee);
            if let Some((id, _)) = call {
                let text = format!("`{}` calls `{}`", name(*caller).text, name(callee).text);
                error = error.with_label(self.program.span(*id), text);
            }
        }
        self.diagnostics.push(error);
    }

    /// A node remembers when it has `->` or `pre`, or calls one that does.
    fn memory(&mut self, at: usize) {
        let program = self.program;
        let info = &self.checked.nodes[at];
        let mut calls = info.calls.iter();
        let called =
            calls.any(|(_, callee)| self.checked.nodes[*callee as usize].memory == Memory::With);
        let statements = &program.nodes[at].statements;
        let own = || {
            statements.iter().any(|statement| {
                let range = statement.value.first.index()..=statement.value.root.index();
                program.expressions[range].iter().any(|expression| {
                    matches!(
                        expression.kind,
                        Kind::Unary(Unary::Pre, _)
                            | Kind::Binary(Binary::Arrow | Binary::FollowedBy, ..)
                            | Kind::Condact(_)
                    )
                })
            })
        };
        if called || own() {
            self.checked.nodes[at].memory = Memory::With;
        }
    }

    /// How many expressions an instance has, with the instances that it makes.
    fn unfolded(&mut self, at: usize) {
        let statements = self.program.nodes[at].statements.iter();
        let own = statements.map(|statement| {
            let range = statement.value.first.index()..=statement.value.root.index();
            range.count()
        });
        let info = &self.checked.nodes[at];
        let callees = info.calls.iter();
        let called = callees.map(|(_, callee)| self.checked.nodes[*callee as usize].unfolded);
        let count = own.chain(called).fold(1, usize::saturating_add);
        self.checked.nodes[at].unfolded = count;
    }

    fn main_directives(&mut self) {
        let nodes = self.program.nodes.iter();
        let mut mains = nodes.filter_map(|node| node.main);
        let Some(first) = mains.next() else { return };
        let errors: Vec<Diagnostic> = mains
            .map(|span| {
                Diagnostic::error(span, "a second node is declared the main one")
                    .with_hint("keep one `--%MAIN`; `--main` chooses another")
                    .with_label(first, "the first is here")
            })
            .collect();
        self.diagnostics.extend(errors);
    }
}

/// The main node: the one asked for, the one with `--%MAIN`, or the last.
pub(in crate::lustre) fn select_main(
    program: &Program,
    wanted: Option<&str>,
    end: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<usize> {
    let nodes = &program.nodes;
    let Some(last) = nodes.len().checked_sub(1) else {
        let error = Diagnostic::error(end, "there is no node in this file");
        diagnostics.push(error.with_hint("write one: node main(…) returns (…); let … tel;"));
        return None;
    };
    let Some(wanted) = wanted else {
        let declared = nodes.iter().position(|node| node.main.is_some());
        return Some(declared.unwrap_or(last));
    };
    let found = nodes
        .iter()
        .position(|node| node.name.text.as_str() == wanted);
    if found.is_none() {
        let names: Vec<Name> = nodes.iter().map(|node| node.name).collect();
        let known = names.iter().map(|name| name.text.as_str());
        let near = nearest(wanted, known.clone());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let known: Vec<&str> = known.take(20).collect();
                format!("the nodes are {}", known.join(", "))
            }
        };
        let message = format!("there is no node `{wanted}` to be the main one");
        diagnostics.push(Diagnostic::error(end, message).with_hint(hint));
    }
    found
}
