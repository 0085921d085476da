//! Specifications: what stands between temporal operators is one condition, and the rest a formula.

use super::elaborate::{Elaborated, Mode, children};
use super::flatten::Flattener;
use super::syntax::{Expression, Kind, Name, Operation, Paths, Question, Temporal, Window};
use proofmark_model::{
    Binary, Category, Claim, Expr, Formula, Goal, Node, Operator, Origin, Quantifier,
    Specification, Steps, Subformula, Unary, When,
};
use proofmark_source::{Span, printable};

type Built = Formula<Expr>;

impl Flattener<'_> {
    pub(super) fn specification(
        &mut self,
        scope: usize,
        name: Option<&Name>,
        question: &Question,
        span: Span,
    ) -> Elaborated<()> {
        let path = self.elaborator.world.scopes[scope].path.clone();
        let origin = Origin::new(span, Category::Property).within(&path);
        let name = self.specification_name(scope, name, span);
        if let Question::Invariant(tree) = question {
            let one = self.truth_of(scope, Mode::State, tree, "INVARSPEC")?;
            self.doubt_one(&one, When::Always);
            let tree = one.tree;
            self.model.goals.push(Goal { name, tree, origin });
            return Ok(());
        }
        let claim = match question {
            Question::Ctl(tree) => Claim::Branching(self.formula(scope, tree, true)?),
            Question::Ltl(tree) => Claim::Linear(self.formula(scope, tree, false)?),
            Question::Psl(tree) if is_branching(tree) => {
                Claim::Branching(self.formula(scope, tree, true)?)
            }
            Question::Psl(tree) => Claim::Linear(self.formula(scope, tree, false)?),
            Question::Compute { longest, from, to } => Claim::Distance {
                longest: *longest,
                from: self.formula(scope, from, true)?,
                to: self.formula(scope, to, true)?,
            },
            Question::Invariant(_) => return Ok(()),
        };
        let specification = Specification {
            name,
            claim,
            origin,
        };
        self.model.specifications.push(specification);
        Ok(())
    }

    /// Its name, or its text in one line, with the instance that it is in. Each is there once.
    fn specification_name(&mut self, scope: usize, name: Option<&Name>, span: Span) -> String {
        let text = match name {
            Some(name) => name.text.clone(),
            None => self.text[span.start as usize..span.end as usize].to_string(),
        };
        let lines = text
            .lines()
            .map(|line| line.split("--").next().unwrap_or(""));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let mut whole = printable(&words.join(" ")).into_owned();
        let prefix = self.elaborator.world.scopes[scope]
            .prefix
            .trim_end_matches('.')
            .to_string();
        if !prefix.is_empty() {
            whole = format!("{whole} IN {prefix}");
        }
        let mut unique = whole.clone();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{whole} ({number})");
        }
        unique
    }

    fn formula(&mut self, scope: usize, tree: &Expression, branching: bool) -> Elaborated<Built> {
        let mut formula = Formula::default();
        self.subformula(scope, tree, branching, &mut formula)?;
        Ok(formula)
    }

    fn atom(
        &mut self,
        scope: usize,
        tree: &Expression,
        branching: bool,
        into: &mut Built,
    ) -> Elaborated<Subformula> {
        let one = self.truth_of(scope, Mode::State, tree, "a condition")?;
        self.doubt_one(&one, When::Always);
        if branching && let Some(name) = self.reads_input(&one.tree) {
            let message = format!("`{name}` is an input, which no state has a value of");
            let hint = "CTL speaks of states; ask in LTL, or declare a variable of VAR";
            return self.elaborator.tell(tree.span, message, hint);
        }
        Ok(into.push(Node::Atom(one.tree)))
    }

    fn reads_input(&self, tree: &Expr) -> Option<String> {
        tree.nodes()
            .into_iter()
            .find_map(|node| match node.operator() {
                Operator::Variable(name) if self.inputs.contains(name) => Some(name.to_string()),
                _ => None,
            })
    }

    fn subformula(
        &mut self,
        scope: usize,
        tree: &Expression,
        branching: bool,
        into: &mut Built,
    ) -> Elaborated<Subformula> {
        if !is_temporal(tree) {
            return self.atom(scope, tree, branching, into);
        }
        match &tree.kind {
            Kind::Not(inner) => {
                let inner = self.subformula(scope, inner, branching, into)?;
                Ok(into.push(Node::Not(inner)))
            }
            Kind::Implies(parts) => {
                let mut whole = None;
                for part in parts.iter().rev() {
                    let here = self.subformula(scope, part, branching, into)?;
                    whole = Some(match whole {
                        None => here,
                        Some(right) => {
                            let not = into.push(Node::Not(here));
                            into.push(Node::Or(not, right))
                        }
                    });
                }
                whole.ok_or(super::elaborate::Told)
            }
            Kind::Chain(first, rest) => {
                let mut left = self.subformula(scope, first, branching, into)?;
                for (operation, right) in rest {
                    let right_side = self.subformula(scope, right, branching, into)?;
                    left =
                        self.connective(*operation, left, right_side, branching, right.span, into)?;
                }
                Ok(left)
            }
            Kind::Case {
                branches,
                otherwise: Some(last),
            } => {
                let mut whole = self.subformula(scope, last, branching, into)?;
                for (condition, value) in branches.iter().rev() {
                    let condition = self.subformula(scope, condition, branching, into)?;
                    let value = self.subformula(scope, value, branching, into)?;
                    let not = into.push(Node::Not(condition));
                    let then = into.push(Node::And(condition, value));
                    let otherwise = into.push(Node::And(not, whole));
                    whole = into.push(Node::Or(then, otherwise));
                }
                Ok(whole)
            }
            Kind::Temporal {
                paths,
                operator,
                window,
                operand,
            } => {
                let quantifier = self.quantifier(*paths, branching, tree.span)?;
                let steps = self.steps(scope, window.as_ref())?;
                let operand = self.subformula(scope, operand, branching, into)?;
                Ok(self.unary(quantifier, *operator, steps, operand, into))
            }
            Kind::Until {
                paths,
                window,
                left,
                right,
            } => {
                let quantifier = self.quantifier(*paths, branching, tree.span)?;
                let steps = self.steps(scope, window.as_ref())?;
                let left = self.subformula(scope, left, branching, into)?;
                let right = self.subformula(scope, right, branching, into)?;
                Ok(into.push(Node::Binary(quantifier, Binary::Until(steps), left, right)))
            }
            Kind::Forall(name, values, body) => {
                self.forall(scope, name, values, body, branching, into)
            }
            _ => {
                let hint =
                    "temporal operators stand under !, &, |, ->, <->, xor, xnor and each other";
                self.elaborator
                    .tell(tree.span, "a temporal operator cannot stand in here", hint)
            }
        }
    }

    fn quantifier(
        &mut self,
        paths: Paths,
        branching: bool,
        span: Span,
    ) -> Elaborated<Option<Quantifier>> {
        match (paths, branching) {
            (Paths::Linear, false) => Ok(None),
            (Paths::Some, true) => Ok(Some(Quantifier::Exists)),
            (Paths::All, true) => Ok(Some(Quantifier::All)),
            (Paths::Linear, true) => {
                let hint = "write AG, EF and so on, or ask in LTLSPEC";
                self.elaborator
                    .tell(span, "an operator of CTL has a path quantifier", hint)
            }
            (_, false) => {
                let hint = "write G, F and so on, or ask in CTLSPEC";
                self.elaborator
                    .tell(span, "an operator of LTL has no path quantifier", hint)
            }
        }
    }

    fn steps(&mut self, scope: usize, window: Option<&Window>) -> Elaborated<Option<Steps>> {
        let Some(window) = window else {
            return Ok(None);
        };
        let mut ends = [0, 0];
        let both = [Some(&window.low), window.high.as_ref()];
        for (end, given) in ends.iter_mut().zip(both) {
            let Some(given) = given else { continue };
            let number = self.elaborator.integer(scope, given)?;
            *end = match u32::try_from(number) {
                Ok(number) if number <= 100_000 => number,
                _ => {
                    let message = format!("{number} is no number of steps");
                    return self
                        .elaborator
                        .tell(given.span, message, "take 0 to 100000");
                }
            };
        }
        let high = window.high.is_some().then_some(ends[1]);
        if high.is_some_and(|high| high < ends[0]) {
            let message = "the steps end before they begin";
            return self
                .elaborator
                .tell(window.low.span, message, "exchange the two");
        }
        Ok(Some(Steps { low: ends[0], high }))
    }

    fn unary(
        &mut self,
        quantifier: Option<Quantifier>,
        operator: Temporal,
        steps: Option<Steps>,
        operand: Subformula,
        into: &mut Built,
    ) -> Subformula {
        let (operator, operand) = match operator {
            Temporal::Next => (Unary::Next, operand),
            Temporal::Eventually => (Unary::Eventually(steps), operand),
            Temporal::Always => (Unary::Always(steps), operand),
            Temporal::Yesterday => (Unary::Yesterday, operand),
            Temporal::WeakYesterday => (Unary::WeakYesterday, operand),
            Temporal::Once => (Unary::Once(steps), operand),
            Temporal::Historically => (Unary::Historically(steps), operand),
            Temporal::Never => (Unary::Always(None), into.push(Node::Not(operand))),
        };
        into.push(Node::Unary(quantifier, operator, operand))
    }

    fn connective(
        &mut self,
        operation: Operation,
        a: Subformula,
        b: Subformula,
        branching: bool,
        span: Span,
        into: &mut Built,
    ) -> Elaborated<Subformula> {
        if operation.is_temporal() && branching {
            let message = format!("`{}` has a path quantifier in CTL", operation.text());
            return self
                .elaborator
                .tell(span, message, "write E [p U q] or A [p U q]");
        }
        let binary = |operator| Node::Binary(None, operator, a, b);
        Ok(match operation {
            Operation::And => into.push(Node::And(a, b)),
            Operation::Or => into.push(Node::Or(a, b)),
            Operation::Iff | Operation::Xnor => into.push(Node::Iff(a, b)),
            Operation::Xor => {
                let same = into.push(Node::Iff(a, b));
                into.push(Node::Not(same))
            }
            Operation::Until => into.push(binary(Binary::Until(None))),
            Operation::Release => into.push(binary(Binary::Release)),
            Operation::Since => into.push(binary(Binary::Since)),
            Operation::Trigger => into.push(binary(Binary::Trigger)),
            // The first for ever, or until the second: the second releases both.
            Operation::WeakUntil => {
                let either = into.push(Node::Or(a, b));
                into.push(Node::Binary(None, Binary::Release, b, either))
            }
            other => {
                let message = format!("`{}` does not take temporal operands", other.text());
                return self
                    .elaborator
                    .tell(span, message, "write <-> for equality of formulas");
            }
        })
    }

    /// PSL's replicator: the conjunction over the values.
    fn forall(
        &mut self,
        scope: usize,
        name: &Name,
        values: &[Expression],
        body: &Expression,
        branching: bool,
        into: &mut Built,
    ) -> Elaborated<Subformula> {
        let mut numbers = Vec::new();
        for value in values {
            let (low, high) = match &value.kind {
                Kind::Range(low, high) => (
                    self.elaborator.integer(scope, low)?,
                    self.elaborator.integer(scope, high)?,
                ),
                _ => {
                    let number = self.elaborator.integer(scope, value)?;
                    (number, number)
                }
            };
            if high < low || high - low > 1000 {
                let hint = "take 1 to 1000 values";
                return self
                    .elaborator
                    .tell(value.span, "the range is empty or too large", hint);
            }
            numbers.extend(low..=high);
        }
        let mut whole = None;
        for number in numbers {
            self.elaborator.bound.push((name.text.clone(), number));
            let here = self.subformula(scope, body, branching, into);
            self.elaborator.bound.pop();
            let here = here?;
            whole = Some(match whole {
                None => here,
                Some(before) => into.push(Node::And(before, here)),
            });
        }
        whole.ok_or(super::elaborate::Told)
    }
}

/// Whether an operator of time is in it.
fn is_temporal(tree: &Expression) -> bool {
    let own = match &tree.kind {
        Kind::Temporal { .. } | Kind::Until { .. } | Kind::Forall(..) => true,
        Kind::Chain(_, rest) => rest.iter().any(|(operation, _)| operation.is_temporal()),
        _ => false,
    };
    let mut found = own;
    if !found {
        children(&tree.kind, &mut |child| found = found || is_temporal(child));
    }
    found
}

/// Whether a path quantifier is in it.
fn is_branching(tree: &Expression) -> bool {
    let own = match &tree.kind {
        Kind::Temporal { paths, .. } => *paths != Paths::Linear,
        Kind::Until { .. } => true,
        _ => false,
    };
    let mut found = own;
    if !found {
        children(&tree.kind, &mut |child| {
            found = found || is_branching(child)
        });
    }
    found
}
