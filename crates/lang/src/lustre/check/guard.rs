//! Warns of a `pre` that is read at the first step, where it has an arbitrary value.
//!
//! What is read at the first step is found from the roots down: of `a -> b` only `a`, of all other
//! operators every operand. Under a `pre` the walk begins anew, since what was read a step ago may
//! have been the first. An argument of a node that remembers is read at the first step whenever the
//! output is.

use super::{Checker, Memory, Reference};
use crate::lustre::syntax::{Binary, ExpressionId, Kind, Root, Unary};
use proofmark_source::Diagnostic;

/// When an expression is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Never,
    Later,
    /// At the first step too.
    First,
}

impl Checker<'_> {
    pub(super) fn guards(&mut self) {
        let program = self.program;
        for node in &program.nodes {
            for statement in &node.statements {
                self.guard(statement.value);
            }
        }
    }

    fn guard(&mut self, root: Root) {
        let program = self.program;
        let base = root.first.index();
        let mut reads = vec![Read::Never; root.root.index() + 1 - base];
        reads[root.root.index() - base] = Read::First;
        for index in (base..=root.root.index()).rev() {
            let read = reads[index - base];
            // Parts of names with dots are expressions that nobody reads.
            if read == Read::Never {
                continue;
            }
            let id = ExpressionId(index as u32);
            let kind = &program.expressions[index].kind;
            let mut mark = |operand: ExpressionId, read| reads[operand.index() - base] = read;
            match kind {
                Kind::Unary(Unary::Pre, operand) => {
                    if read == Read::First {
                        self.unguarded(id);
                    }
                    mark(*operand, Read::First);
                }
                Kind::Binary(Binary::Arrow, left, right) => {
                    mark(*left, read);
                    mark(*right, Read::Later);
                }
                Kind::Binary(Binary::FollowedBy, left, right) => {
                    mark(*left, read);
                    mark(*right, Read::First);
                }
                kind => {
                    let read = self.argument_read(id, read);
                    kind.operands(|operand| mark(operand, read));
                }
            }
        }
    }

    fn argument_read(&self, id: ExpressionId, read: Read) -> Read {
        let reference = self.checked.references[id.index()];
        let (Reference::Node(callee) | Reference::Clocked(callee)) = reference else {
            return read;
        };
        match self.checked.nodes[callee as usize].memory {
            Memory::With => Read::First,
            Memory::Without => read,
        }
    }

    fn unguarded(&mut self, id: ExpressionId) {
        let message = "this `pre` is read at the first step, where its value is arbitrary";
        let hint = "write `initial -> pre …`";
        let warning = Diagnostic::warning(self.program.span(id), message).with_hint(hint);
        self.diagnostics.push(warning);
    }
}
