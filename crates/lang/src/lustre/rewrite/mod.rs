//! A mutation as edits of the text.
//!
//! The file is read again, up to the checked syntax tree; an expression or an equation is known by
//! its place. The edited text must mean what the flattened trees mean after the same change, in all
//! instances. That takes more than replacing words:
//! - parentheses, where an operand would be read otherwise ([`layout`]);
//! - a call whose result is dropped still makes an instance when its node has assertions, properties
//!   or ranges, so that the call is moved into an equation of its own ([`equation`]);
//! - a constant that some uses must keep gets a second name for the others ([`definition`]);
//! - what an equation no longer defines becomes an input, of every caller as well ([`equation`]);
//! - an input whose range is no longer assumed is declared anew, with another type ([`declaration`]).
//!
//! Under a clock some changes of the text mean something else than those of the trees: an arrow
//! counts the instance's own steps, and what `pre` reads is kept by variables that nobody wrote.
//! These have no text.

mod declaration;
mod definition;
mod equation;
mod layout;
mod literal;

use self::declaration::Choices;
use self::definition::Definitions;
use self::layout::Layout;
pub(super) use self::layout::{Shape, Slot};
use super::check::{self, Checked, Reference};
use super::lexer::{self, Tokens};
use super::order::walk;
use super::syntax::{Binary, ExpressionId, Kind, Program, Statement, StatementKind, Unary};
use super::types::{Type, TypeId};
use super::{Options, has_errors, parser};
use proofmark_model::{Operator, Rewrite, Rewriter, Rewritten, Value};
use proofmark_source::{Edit, Edits, FileId, Sources, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// Reads a file to write mutations into it; nothing when it has errors.
pub fn rewriter(sources: &Sources, file: FileId, options: &Options) -> Option<Box<dyn Rewriter>> {
    let text = sources.file(file).text().to_string();
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokenize(&text, file, &mut diagnostics);
    let program = parser::parse(&text, &tokens, &mut diagnostics);
    let checked = check::check(&program, options.nonlinear, &mut diagnostics);
    let end = Span::new(file, text.len() as u32, text.len() as u32);
    let main = check::select_main(&program, options.main.as_deref(), end, &mut diagnostics);
    if has_errors(&diagnostics) {
        return None;
    }
    let mut writer = Writer::new(text, tokens, program, checked, main?);
    writer.options = options.clone();
    Some(Box::new(writer))
}

/// Whose expression one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Constant(usize),
    /// A node and one of its statements.
    Statement(usize, usize),
}

struct Writer {
    text: String,
    tokens: Tokens,
    program: Program,
    checked: Checked,
    layout: Layout,
    /// Expressions by their places: no two have the same.
    places: FxHashMap<Span, ExpressionId>,
    statements: FxHashMap<Span, (usize, usize)>,
    /// The last expression of each root, in order, and whose it is.
    owners: Vec<(ExpressionId, Owner)>,
    definitions: Definitions,
    /// Nodes that run under a clock somewhere below the main node.
    clocked: Vec<bool>,
    /// Nodes with assertions, properties or ranges, or that call such.
    binding: Vec<bool>,
    /// Nodes, each after those that it calls.
    order: Vec<u32>,
    /// Every word of the file, which no new name may be.
    words: FxHashSet<String>,
    /// How the file was read.
    options: Options,
    main: usize,
    /// The choices of the file that have bounds, once they are known.
    bounded_choices: OnceLock<Choices>,
}

/// A change of one expression, before it is looked at from outside.
struct Change {
    edits: Vec<Edit>,
    /// What it is shown on.
    place: Span,
    at: u32,
    /// What the text no longer has.
    dropped: Vec<ExpressionId>,
    /// A call that is read by name from now on, and its names.
    named: Option<(ExpressionId, Vec<String>)>,
}

impl Rewriter for Writer {
    fn rewrite(&self, place: Span, rewrite: &Rewrite, keep: &[Span]) -> Option<Rewritten> {
        if let Rewrite::Equal(_) | Rewrite::Init(_) | Rewrite::Remove = rewrite {
            if !keep.is_empty() {
                return None;
            }
            return match self.statements.get(&place) {
                Some((node, statement)) => self.rewrite_equation(*node, *statement, rewrite),
                None => self.rewrite_declaration(place, rewrite),
            };
        }
        let id = *self.places.get(&place)?;
        match self.owner(id)? {
            Owner::Constant(at) => {
                let change = self.change(id, rewrite, &mut FxHashSet::default())?;
                self.redefine(at, change, keep)
            }
            Owner::Statement(node, statement) => {
                if !keep.is_empty() || self.clocked[node] && self.is_clock_bound(id, rewrite) {
                    return None;
                }
                let mut taken = FxHashSet::default();
                let mut change = self.change(id, rewrite, &mut taken)?;
                let mut edits = std::mem::take(&mut change.edits);
                self.keep_calls(node, statement, &change, &mut taken, &mut edits);
                let note = change.named.as_ref().map(|named| self.name_note(named));
                let rewritten = self.finish(edits, change.place, change.at, note)?;
                (!self.is_in_index(id) || self.is_correct(&rewritten)).then_some(rewritten)
            }
        }
    }

    fn show(&self, rewritten: &Rewritten) -> (String, String) {
        let Span { file, start, end } = rewritten.place;
        let before = &self.text[start as usize..end as usize];
        let after = match &rewritten.shown {
            Some(shown) => shown.clone(),
            None => rewritten.edits.apply_within(&self.text, rewritten.place),
        };
        (one_line(before, file), one_line(&after, file))
    }
}

impl Writer {
    fn new(
        text: String,
        tokens: Tokens,
        program: Program,
        checked: Checked,
        main: usize,
    ) -> Writer {
        let layout = Layout::new(&program, &tokens);
        let expressions = program.expressions.iter().enumerate();
        let places = expressions.map(|(at, one)| (one.span, ExpressionId(at as u32)));
        let places = places.collect();
        let (mut statements, mut owners) = (FxHashMap::default(), Vec::new());
        for (at, constant) in program.constants.iter().enumerate() {
            owners.push((constant.value.root, Owner::Constant(at)));
        }
        for (at, node) in program.nodes.iter().enumerate() {
            for (number, statement) in node.statements.iter().enumerate() {
                owners.push((statement.value.root, Owner::Statement(at, number)));
                statements.insert(statement.span, (at, number));
            }
        }
        owners.sort_by_key(|(root, _)| *root);
        let nodes = checked.nodes.iter();
        let callees = nodes.map(|node| node.calls.iter().map(|(_, callee)| *callee).collect());
        let graph: Vec<Vec<u32>> = callees.collect();
        let order = walk(&graph).order;
        let words = tokens.spans.iter();
        let words = words.map(|span| text[span.start as usize..span.end as usize].to_string());
        Writer {
            definitions: Definitions::new(&program, &checked, &layout),
            clocked: clocked(&checked, main),
            binding: binding(&program, &checked, &order),
            words: words.collect(),
            options: Options::default(),
            bounded_choices: OnceLock::new(),
            main,
            order,
            text,
            tokens,
            program,
            checked,
            layout,
            places,
            statements,
            owners,
        }
    }

    fn owner(&self, id: ExpressionId) -> Option<Owner> {
        let at = self.owners.partition_point(|(root, _)| *root < id);
        self.owners.get(at).map(|(_, owner)| *owner)
    }

    fn kind(&self, id: ExpressionId) -> &Kind {
        &self.program.expression(id).kind
    }

    fn span(&self, id: ExpressionId) -> Span {
        self.program.span(id)
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn reference(&self, id: ExpressionId) -> Reference {
        self.checked.references[id.index()]
    }

    fn type_of(&self, id: ExpressionId) -> TypeId {
        self.checked.expression_types[id.index()]
    }

    fn parent(&self, id: ExpressionId) -> Option<ExpressionId> {
        self.layout.parents[id.index()]
    }

    fn statement(&self, node: usize, statement: usize) -> &Statement {
        &self.program.nodes[node].statements[statement]
    }

    /// A name that the file does not have.
    fn fresh(&self, base: &str, taken: &mut FxHashSet<String>) -> String {
        let base: String = base
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "_~!$".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let mut name = base.clone();
        let mut number = 1;
        while self.words.contains(&name) || !taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }

    /// What the names stand for by which a call is read.
    fn name_note(&self, (call, names): &(ExpressionId, Vec<String>)) -> String {
        let Span { file, start, end } = self.span(*call);
        let call = one_line(&self.text[start as usize..end as usize], file);
        let are = if names.len() == 1 { "is" } else { "are" };
        format!("`{}` {are} `{call}`", names.join("`, `"))
    }

    /// Puts edits together, with spaces where words or signs would run into each other.
    fn finish(
        &self,
        edits: Vec<Edit>,
        place: Span,
        at: u32,
        note: Option<String>,
    ) -> Option<Rewritten> {
        let mut edits: Vec<Edit> = Edits::new(edits)?.iter().cloned().collect();
        let bytes = self.text.as_bytes();
        // The last byte before an edit, and where the edits so far end.
        let (mut last, mut done) = (None, 0);
        for at in 0..edits.len() {
            let next = edits.get(at + 1).map(|next| next.span.start);
            let Edit { span, text } = &mut edits[at];
            if span.start > done {
                last = bytes.get(span.start as usize - 1).copied();
            }
            if runs_together(last, text.bytes().next()) {
                text.insert(0, ' ');
            }
            last = text.bytes().last().or(last);
            let after = bytes.get(span.end as usize).copied();
            if next != Some(span.end) && runs_together(last, after) {
                text.push(' ');
            }
            done = span.end;
        }
        Some(Rewritten {
            edits: Edits::new(edits)?,
            place,
            shown: None,
            at,
            note,
        })
    }

    /// Whether an expression is part of an index: it may become constant, and then be out of range.
    fn is_in_index(&self, id: ExpressionId) -> bool {
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            if self.is_computed_index(at) {
                return true;
            }
            at = parent;
        }
        false
    }

    /// Whether the edited text has no errors.
    fn is_correct(&self, rewritten: &Rewritten) -> bool {
        let text = rewritten.edits.apply(&self.text);
        let mut diagnostics = Vec::new();
        let tokens = lexer::tokenize(&text, rewritten.place.file, &mut diagnostics);
        let program = parser::parse(&text, &tokens, &mut diagnostics);
        check::check(&program, self.options.nonlinear, &mut diagnostics);
        !has_errors(&diagnostics)
    }

    /// Whether a change means something else where `->` and `pre` follow a clock: there, an arrow is
    /// no arrow, and has no place.
    fn is_clock_bound(&self, id: ExpressionId, rewrite: &Rewrite) -> bool {
        let is_arrow = matches!(
            self.kind(id),
            Kind::Binary(Binary::Arrow | Binary::FollowedBy, ..)
        );
        is_arrow || *rewrite == Rewrite::Delay || self.is_kept(id)
    }

    /// Whether a `pre` reads the variable that an expression stands for: under a clock it reads
    /// another one, which keeps it.
    fn is_kept(&self, id: ExpressionId) -> bool {
        if !matches!(
            self.kind(id),
            Kind::Name(_)
                | Kind::Field(..)
                | Kind::Index { .. }
                | Kind::Call { .. }
                | Kind::Condact(_)
        ) {
            return false;
        }
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            match self.kind(parent) {
                Kind::Unary(Unary::Pre, _) => return true,
                Kind::Binary(Binary::FollowedBy, _, right) => return *right == at,
                Kind::Field(..)
                | Kind::Index { .. }
                | Kind::UpdateField { .. }
                | Kind::UpdateIndex { .. }
                | Kind::Tuple(_)
                | Kind::Array(_)
                | Kind::Record { .. } => at = parent,
                _ => return false,
            }
        }
        false
    }

    /// The expression of which all that remains is what another one yields: `v[1].f` of `v`.
    fn widen(&self, id: ExpressionId) -> ExpressionId {
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            let projects = match (self.kind(parent), self.reference(parent)) {
                (Kind::Field(..), Reference::None) => true,
                (Kind::Index { base, .. }, Reference::Index(_)) => *base == at,
                // A clock that is always true leaves nothing but the call.
                (Kind::Condact(items), _) => {
                    items[1] == at && matches!(self.reference(at), Reference::Node(_))
                }
                _ => false,
            };
            if !projects {
                break;
            }
            at = parent;
        }
        at
    }

    /// Where an operation has its operator.
    fn operator_span(&self, left: ExpressionId) -> Span {
        self.tokens.spans[self.tokens.at(self.span(left).end)]
    }

    fn parenthesize(&self, span: Span, edits: &mut Vec<Edit>) {
        edits.push(Edit::insert(span, span.start, "("));
        edits.push(Edit::insert(span, span.end, ")"));
    }

    /// Puts parentheses around an operand of a new operator where it needs them; returns its shape.
    fn fit(&self, id: ExpressionId, slot: Slot, edits: &mut Vec<Edit>) -> Shape {
        let shape = self.layout.shape(id);
        if slot.fits(shape) {
            return shape;
        }
        self.parenthesize(self.span(id), edits);
        Shape::CLOSED
    }

    fn change(
        &self,
        id: ExpressionId,
        rewrite: &Rewrite,
        taken: &mut FxHashSet<String>,
    ) -> Option<Change> {
        let mut change = Change {
            edits: Vec::new(),
            place: self.span(id),
            at: match self.kind(id) {
                Kind::Binary(_, left, _) => self.operator_span(*left).start,
                _ => self.span(id).start,
            },
            dropped: Vec::new(),
            named: None,
        };
        match (rewrite, self.kind(id)) {
            (Rewrite::Operator(operator), Kind::Binary(_, left, right)) => {
                self.change_operator(id, binary(operator)?, [*left, *right], &mut change);
            }
            (Rewrite::Argument(at), _) => self.keep_argument(id, *at, &mut change)?,
            (Rewrite::Condition(value), Kind::If([condition, ..])) => {
                let edit = Edit::new(self.span(*condition), value.to_string());
                change.edits.push(edit);
                change.dropped.push(*condition);
            }
            (Rewrite::Branches, Kind::If([_, then, other])) => {
                self.swap(*then, *other, &mut change.edits);
            }
            (Rewrite::Constant(value), _) => self.put_constant(id, value, &mut change)?,
            (Rewrite::Variable(declared), _) => self.put_variable(id, *declared, &mut change)?,
            (Rewrite::Delay, _) => self.delay(id, &mut change, taken)?,
            (Rewrite::Index(by), _) => self.move_index(id, *by, &mut change)?,
            _ => return None,
        }
        // Parentheses around it that stay need not be shown.
        let (inner, mut edits) = (self.layout.bare(id), change.edits.iter());
        if edits.all(|edit| edit.span.start >= inner.start && edit.span.end <= inner.end) {
            change.place = inner;
        }
        Some(change)
    }

    fn change_operator(
        &self,
        id: ExpressionId,
        operator: Binary,
        [left, right]: [ExpressionId; 2],
        change: &mut Change,
    ) {
        let own = operator.precedence();
        let edits = &mut change.edits;
        edits.push(Edit::new(self.operator_span(left), operator.text()));
        let left = self.fit(left, Slot::between(None, Some(own)), edits);
        let right = self.fit(right, Slot::between(Some(own), None), edits);
        let is_bare = self.layout.bare(id) == self.span(id);
        if is_bare && !self.layout.slot(id).fits(Shape::infix(left, own, right)) {
            self.parenthesize(self.span(id), edits);
        }
    }

    fn keep_argument(&self, id: ExpressionId, at: usize, change: &mut Change) -> Option<()> {
        let (kept, word) = match self.kind(id) {
            Kind::Unary(_, operand) => (*operand, ""),
            Kind::Binary(operator, left, right) => {
                let operands = [*left, *right];
                change.dropped.push(*operands.get(1 - at)?);
                // The second argument of `fby` is what it was one step before.
                let before = *operator == Binary::FollowedBy && at == 1;
                (operands[at], if before { "pre " } else { "" })
            }
            _ => return None,
        };
        let (whole, inner) = (self.span(id), self.span(kept));
        let mut shape = self.layout.shape(kept);
        let (mut open, mut close) = (word.to_string(), String::new());
        if !word.is_empty() {
            let own = Unary::Pre.precedence();
            if !Slot::between(own, None).fits(shape) {
                open.push('(');
                close.push(')');
                shape = Shape::CLOSED;
            }
            shape = Shape::prefix(own?, shape);
        }
        if !self.layout.slot(id).fits(shape) {
            open.insert(0, '(');
            close.push(')');
        }
        let file = whole.file;
        change
            .edits
            .push(Edit::new(Span::new(file, whole.start, inner.start), open));
        change
            .edits
            .push(Edit::new(Span::new(file, inner.end, whole.end), close));
        Some(())
    }

    fn swap(&self, then: ExpressionId, other: ExpressionId, edits: &mut Vec<Edit>) {
        for (place, new) in [(then, other), (other, then)] {
            let mut text = self.slice(self.span(new)).to_string();
            if !self.layout.slot(place).fits(self.layout.shape(new)) {
                text = format!("({text})");
            }
            edits.push(Edit::new(self.span(place), text));
        }
    }

    /// Replaces an expression by a text of a shape.
    fn put(&self, id: ExpressionId, text: String, shape: Shape, change: &mut Change) {
        let text = match self.layout.slot(id).fits(shape) {
            true => text,
            false => format!("({text})"),
        };
        change.place = self.span(id);
        change.edits.push(Edit::new(self.span(id), text));
    }

    fn put_constant(&self, id: ExpressionId, value: &Value, change: &mut Change) -> Option<()> {
        let whole = self.widen(id);
        let (mut text, mut shape) =
            literal::literal(&self.checked.types, self.type_of(whole), value)?;
        // `a - -1` is read as it should be, but not by people.
        if !shape.is_closed() && !self.layout.slot(whole).begins() {
            (text, shape) = (format!("({text})"), Shape::CLOSED);
        }
        self.put(whole, text, shape, change);
        change.dropped.push(whole);
        Some(())
    }

    fn put_variable(&self, id: ExpressionId, declared: Span, change: &mut Change) -> Option<()> {
        let Reference::Variable(was) = self.reference(id) else {
            return None;
        };
        let Owner::Statement(node, _) = self.owner(id)? else {
            return None;
        };
        let variables = &self.checked.nodes[node].variables;
        let new = variables.iter().find(|one| one.span == declared)?;
        let plain = |of| self.checked.types.plain(of);
        if plain(variables[was as usize].of) != plain(new.of) {
            return None;
        }
        change
            .edits
            .push(Edit::new(self.layout.bare(id), new.name.as_str()));
        Some(())
    }

    fn delay(
        &self,
        id: ExpressionId,
        change: &mut Change,
        taken: &mut FxHashSet<String>,
    ) -> Option<()> {
        let whole = self.widen(id);
        let own = Binary::Arrow.precedence();
        let shape = Shape::infix(Shape::CLOSED, own, Shape::CLOSED);
        let text = match self.kind(id) {
            Kind::Call { .. } | Kind::Condact(_) => {
                let names = self.names_for(whole, taken);
                let text = names.join(", ");
                change.named = Some((whole, names));
                match text.contains(',') {
                    true => format!("({text})"),
                    false => text,
                }
            }
            _ => self.slice(self.layout.bare(whole)).to_string(),
        };
        self.put(whole, format!("{text} -> pre {text}"), shape, change);
        Some(())
    }

    fn move_index(&self, id: ExpressionId, by: i64, change: &mut Change) -> Option<()> {
        let whole = self.widen(id);
        change.place = self.span(whole);
        if self.is_computed_index(whole) {
            let (operator, by) = match by < 0 {
                true => (Binary::Minus, -by),
                false => (Binary::Plus, by),
            };
            let slot = Slot::between(None, Some(operator.precedence()));
            self.fit(whole, slot, &mut change.edits);
            let text = format!(" {} {by}", operator.text());
            let span = self.span(whole);
            change.edits.push(Edit::insert(span, span.end, text));
            return Some(());
        }
        let (mut at, mut last) = (id, None);
        while at != whole {
            at = self.parent(at)?;
            if let (Kind::Index { base, index }, Reference::Index(number)) =
                (self.kind(at), self.reference(at))
            {
                last = Some((*base, *index, number));
            }
        }
        let (base, index, number) = last?;
        let moved = i64::from(number).checked_add(by)?;
        let Type::Array(_, length) = self.checked.types.get(self.type_of(base)) else {
            return None;
        };
        if moved < 0 || moved >= i64::from(*length) {
            return None;
        }
        change
            .edits
            .push(Edit::new(self.span(index), moved.to_string()));
        Some(())
    }

    /// Whether an expression is an index that is not constant.
    fn is_computed_index(&self, id: ExpressionId) -> bool {
        let Some(parent) = self.parent(id) else {
            return false;
        };
        let computed = matches!(self.reference(parent), Reference::None);
        match self.kind(parent) {
            Kind::Index { index, .. } | Kind::UpdateIndex { index, .. } => computed && *index == id,
            _ => false,
        }
    }
}

/// Nodes that run under a clock, directly or within one that does.
fn clocked(checked: &Checked, main: usize) -> Vec<bool> {
    let mut clocked = vec![false; checked.nodes.len()];
    let mut seen = FxHashSet::default();
    let mut stack = vec![(main, false)];
    while let Some((node, under)) = stack.pop() {
        if !seen.insert((node, under)) {
            continue;
        }
        clocked[node] |= under;
        for (call, callee) in &checked.nodes[node].calls {
            let here = matches!(checked.references[call.index()], Reference::Clocked(_));
            stack.push((*callee as usize, under || here));
        }
    }
    clocked
}

/// Nodes of which an instance says more than what its outputs are.
fn binding(program: &Program, checked: &Checked, order: &[u32]) -> Vec<bool> {
    let mut binding = vec![false; program.nodes.len()];
    for at in order {
        let at = *at as usize;
        let info = &checked.nodes[at];
        let statements = &program.nodes[at].statements;
        let states = statements
            .iter()
            .any(|one| !matches!(one.kind, StatementKind::Equation(_)));
        let mut variables = info.variables.iter();
        let ranges = variables.any(|one| checked.types.plain(one.of) != one.of);
        let mut callees = info.calls.iter();
        binding[at] = states || ranges || callees.any(|(_, callee)| binding[*callee as usize]);
    }
    binding
}

/// The operator between two operands.
fn binary(operator: &Operator) -> Option<Binary> {
    Some(match operator {
        Operator::Times => Binary::Times,
        Operator::Divide => Binary::Divide,
        Operator::IntDivide => Binary::IntDivide,
        Operator::Modulo => Binary::Modulo,
        Operator::Plus => Binary::Plus,
        Operator::Minus => Binary::Minus,
        Operator::Less => Binary::Less,
        Operator::LessEqual => Binary::LessEqual,
        Operator::Greater => Binary::Greater,
        Operator::GreaterEqual => Binary::GreaterEqual,
        Operator::Equal => Binary::Equal,
        Operator::Different => Binary::Different,
        Operator::And => Binary::And,
        Operator::Or => Binary::Or,
        Operator::Xor => Binary::Xor,
        Operator::Implies => Binary::Implies,
        Operator::Arrow => Binary::Arrow,
        _ => return None,
    })
}

/// Whether two characters that come together make one token, or begin a comment.
fn runs_together(before: Option<u8>, after: Option<u8>) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"_~!$".contains(&byte);
    match (before, after) {
        (Some(b'-'), Some(b'-')) | (Some(b'(' | b'/'), Some(b'*')) => true,
        (Some(before), Some(after)) => word(before) && word(after),
        _ => false,
    }
}

/// A text without comments and with one space for each gap.
fn one_line(text: &str, file: FileId) -> String {
    let tokens = lexer::tokenize(text, file, &mut Vec::new());
    let mut out = String::new();
    let mut end = 0;
    for span in &tokens.spans[..tokens.spans.len() - 1] {
        if span.start > end && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&text[span.start as usize..span.end as usize]);
        end = span.end;
    }
    out
}
