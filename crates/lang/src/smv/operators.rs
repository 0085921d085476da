//! The operators on single values: Booleans, integers and words.
//!
//! `/` and `mod` on integers truncate, those of the model do not: the difference is written out, unless
//! the signs of the operands are known. Where both operands of a product or a quotient vary, the one of
//! fewer values is taken by cases, so that what is left is linear.

use super::elaborate::{Elaborated, Elaborator, Mode, Told, plain};
use super::maker::Place;
use super::parser::WIDEST;
use super::syntax::{Expression, Function, Kind, Operation};
use super::value::{One, Value};
use num_bigint::BigUint;
use proofmark_model::{Expr, Operator, Sort};
use proofmark_source::Span;

/// The most values of an operand that is taken by cases.
const MOST_CASES: i128 = 300;

impl Elaborator<'_> {
    /// Operators and functions of expressions that are no chains.
    pub(super) fn operator(
        &mut self,
        scope: usize,
        mode: Mode,
        expression: &Expression,
        place: &Place,
    ) -> Elaborated<One> {
        match &expression.kind {
            Kind::Not(inner) => {
                let one = self.one(scope, mode, inner)?;
                let operator = match one.sort() {
                    Sort::Bool => Operator::Not,
                    Sort::BitVec(_) => Operator::BitNot,
                    _ => return self.wrong_operand("!", &[&one], inner.span),
                };
                let tree = self.maker.node(place, operator, vec![one.tree.clone()]);
                Ok(One { tree, ..one })
            }
            Kind::Negate(inner) => {
                let one = self.one(scope, mode, inner)?;
                if !matches!(one.sort(), Sort::Int | Sort::BitVec(_)) {
                    return self.wrong_operand("-", &[&one], inner.span);
                }
                let tree = self
                    .maker
                    .node(place, Operator::Negate, vec![one.tree.clone()]);
                let range = (-one.range.1, -one.range.0);
                Ok(One { tree, range, ..one })
            }
            Kind::Implies(parts) => self.implies(scope, mode, parts),
            Kind::Bits(base, high, low) => {
                let word = self.one(scope, mode, base)?;
                let (high, low) = (
                    self.constant(scope, mode, high)?,
                    self.constant(scope, mode, low)?,
                );
                let Sort::BitVec(width) = word.sort() else {
                    return self.wrong_operand("[:]", &[&word], base.span);
                };
                if low < 0 || high < low || high >= i128::from(width) {
                    let message = format!("bits {high}:{low} of a word of {width}");
                    return self.tell(expression.span, message, "the high bit comes first");
                }
                let (high, low) = (high as u32, low as u32);
                let tree = self.maker.node(
                    place,
                    Operator::Extract { high, low },
                    vec![word.tree.clone()],
                );
                Ok(One {
                    tree,
                    signed: false,
                    ..word
                })
            }
            Kind::Call(function, arguments) => self.call(scope, mode, *function, arguments, place),
            _ => self.tell(expression.span, "this cannot stand here", "write a value"),
        }
    }

    fn constant(&mut self, scope: usize, mode: Mode, expression: &Expression) -> Elaborated<i128> {
        let one = self.one(scope, mode, expression)?;
        match one.constant() {
            Some(value) => Ok(value),
            None => self.tell(
                expression.span,
                "expected a constant integer",
                "write a number",
            ),
        }
    }

    pub(super) fn wrong_operand<T>(
        &mut self,
        operator: &str,
        values: &[&One],
        span: Span,
    ) -> Elaborated<T> {
        let kinds: Vec<String> = values.iter().map(|one| one.kind()).collect();
        let wanted = match operator {
            "!" | "&" | "|" | "xor" | "xnor" | "->" | "<->" => "truth values, or words of one type",
            "-" | "+" | "*" | "/" | "mod" | "<" | ">" | "<=" | ">=" => {
                "integers, or words of one type"
            }
            "=" | "!=" => "two values of one type",
            "<<" | ">>" => "a word, and how far",
            _ => "words",
        };
        let mut hint = format!("it takes {wanted}");
        if kinds.iter().any(|kind| kind == "boolean") && kinds.iter().any(|kind| kind == "integer")
        {
            hint.push_str("; write TRUE and FALSE for truth values");
        }
        let message = format!("`{operator}` does not take {}", kinds.join(" and "));
        self.tell(span, message, hint)
    }

    fn implies(&mut self, scope: usize, mode: Mode, parts: &[Expression]) -> Elaborated<One> {
        let values: Elaborated<Vec<One>> = parts
            .iter()
            .map(|part| self.one(scope, mode, part))
            .collect();
        let mut values = values?;
        let mut whole = values.pop().ok_or(Told)?;
        let end = parts[parts.len() - 1].span;
        for (value, part) in values.into_iter().zip(parts).rev() {
            let place = Place {
                key: self.place(part, scope).key ^ 1,
                span: part.span.to(end),
                path: self.world.scopes[scope].path.clone(),
            };
            whole = self.implication(value, whole, &place)?;
        }
        Ok(whole)
    }

    fn implication(&mut self, a: One, b: One, place: &Place) -> Elaborated<One> {
        match (a.sort(), b.sort()) {
            (Sort::Bool, Sort::Bool) => {
                let args = vec![a.tree.clone(), b.tree.clone()];
                let tree = self.maker.node(place, Operator::Implies, args);
                let not = self.maker.not(&b.tree);
                Ok(self.lazy(tree, &a, &not, &b, &a.tree.clone()))
            }
            (Sort::BitVec(x), Sort::BitVec(y)) if x == y && a.signed == b.signed => {
                let not = self.maker.serve(Operator::BitNot, vec![a.tree.clone()]);
                let tree = self
                    .maker
                    .node(place, Operator::BitOr, vec![not, b.tree.clone()]);
                Ok(self.joined(tree, a, b))
            }
            _ => self.wrong_operand("->", &[&a, &b], place.span),
        }
    }

    /// A value of two operands, either of which may settle it: faults of one count where the other does
    /// not.
    fn lazy(&mut self, tree: Expr, a: &One, a_counts: &Expr, b: &One, b_counts: &Expr) -> One {
        let mut made = plain(tree);
        self.add_faults(&mut made, a.faults.clone(), Some(a_counts));
        self.add_faults(&mut made, b.faults.clone(), Some(b_counts));
        made
    }

    /// A value of two operands, both of which it needs.
    fn joined(&mut self, tree: Expr, a: One, b: One) -> One {
        let mut made = One { tree, ..a };
        self.add_faults(&mut made, b.faults, None);
        made
    }

    pub(super) fn binary(
        &mut self,
        operation: Operation,
        a: One,
        b: One,
        place: &Place,
    ) -> Elaborated<One> {
        use Operation as O;
        match operation {
            O::And | O::Or | O::Xor | O::Xnor | O::Iff => self.logic(operation, a, b, place),
            O::Equal | O::Different => {
                let same = match self.fits(&a, &b) {
                    true => {
                        let operator = match operation {
                            O::Equal => Operator::Equal,
                            _ => Operator::Different,
                        };
                        self.maker
                            .node(place, operator, vec![a.tree.clone(), b.tree.clone()])
                    }
                    false => {
                        let same = self.equality(&a, &b, place.span)?;
                        match operation {
                            O::Equal => same,
                            _ => self.maker.not(&same),
                        }
                    }
                };
                let mut made = plain(same);
                self.add_faults(&mut made, a.faults, None);
                self.add_faults(&mut made, b.faults, None);
                Ok(made)
            }
            O::Less | O::Greater | O::LessEqual | O::GreaterEqual => {
                self.comparison(operation, a, b, place)
            }
            O::Plus | O::Minus | O::Times | O::Divide | O::Modulo => {
                self.arithmetic(operation, a, b, place)
            }
            O::Concat => match (a.sort(), b.sort()) {
                (Sort::BitVec(x), Sort::BitVec(y)) if x + y <= WIDEST => {
                    let args = vec![a.tree.clone(), b.tree.clone()];
                    let tree = self.maker.node(place, Operator::Concat, args);
                    let made = self.joined(tree, a, b);
                    Ok(One {
                        signed: false,
                        ..made
                    })
                }
                _ => self.wrong_operand("::", &[&a, &b], place.span),
            },
            O::ShiftLeft | O::ShiftRight => self.shift(operation, a, b, place),
            _ => {
                let message = format!("`{}` cannot stand here", operation.text());
                self.tell(
                    place.span,
                    message,
                    "temporal operators stand in specifications",
                )
            }
        }
    }

    fn fits(&self, a: &One, b: &One) -> bool {
        a.sort() == b.sort() && a.signed == b.signed
    }

    fn logic(&mut self, operation: Operation, a: One, b: One, place: &Place) -> Elaborated<One> {
        use Operation as O;
        let words = a.sort().is_bits() && self.fits(&a, &b);
        let truths = a.sort() == Sort::Bool && b.sort() == Sort::Bool;
        if !words && !truths {
            return self.wrong_operand(operation.text(), &[&a, &b], place.span);
        }
        let args = vec![a.tree.clone(), b.tree.clone()];
        let operator = match (operation, words) {
            (O::And, false) => Operator::And,
            (O::Or, false) => Operator::Or,
            (O::Xor, false) => Operator::Xor,
            (O::Xnor | O::Iff, false) => Operator::Equal,
            (O::And, true) => Operator::BitAnd,
            (O::Or, true) => Operator::BitOr,
            _ => Operator::BitXor,
        };
        let mut tree = self.maker.node(place, operator, args);
        if words && matches!(operation, O::Xnor | O::Iff) {
            tree = self.maker.serve(Operator::BitNot, vec![tree]);
        }
        match operation {
            O::And if truths => {
                let (x, y) = (a.tree.clone(), b.tree.clone());
                Ok(self.lazy(tree, &a, &y, &b, &x))
            }
            O::Or if truths => {
                let (x, y) = (self.maker.not(&a.tree), self.maker.not(&b.tree));
                Ok(self.lazy(tree, &a, &y, &b, &x))
            }
            _ => Ok(self.joined(tree, a, b)),
        }
    }

    fn comparison(
        &mut self,
        operation: Operation,
        a: One,
        b: One,
        place: &Place,
    ) -> Elaborated<One> {
        use Operation as O;
        let numbers = matches!(a.sort(), Sort::Int | Sort::BitVec(_));
        if !numbers || !self.fits(&a, &b) {
            return self.wrong_operand(operation.text(), &[&a, &b], place.span);
        }
        let operator = match (operation, a.signed) {
            (O::Less, false) => Operator::Less,
            (O::Greater, false) => Operator::Greater,
            (O::LessEqual, false) => Operator::LessEqual,
            (_, false) => Operator::GreaterEqual,
            (O::Less, true) => Operator::SignedLess,
            (O::Greater, true) => Operator::SignedGreater,
            (O::LessEqual, true) => Operator::SignedLessEqual,
            (_, true) => Operator::SignedGreaterEqual,
        };
        let tree = self
            .maker
            .node(place, operator, vec![a.tree.clone(), b.tree.clone()]);
        let made = self.joined(tree, a, b);
        Ok(One {
            signed: false,
            range: (0, 0),
            ..made
        })
    }

    fn arithmetic(
        &mut self,
        operation: Operation,
        a: One,
        b: One,
        place: &Place,
    ) -> Elaborated<One> {
        use Operation as O;
        let numbers = matches!(a.sort(), Sort::Int | Sort::BitVec(_));
        if !numbers || !self.fits(&a, &b) {
            return self.wrong_operand(operation.text(), &[&a, &b], place.span);
        }
        let mut made = match a.sort() {
            Sort::Int => self.integers(operation, &a, &b, place)?,
            _ => {
                let operator = match (operation, a.signed) {
                    (O::Plus, _) => Operator::Plus,
                    (O::Minus, _) => Operator::Minus,
                    (O::Times, _) => Operator::Times,
                    (O::Divide, false) => Operator::IntDivide,
                    (_, false) => Operator::Modulo,
                    (O::Divide, true) => Operator::SignedDivide,
                    (_, true) => Operator::SignedRemainder,
                };
                let tree = self
                    .maker
                    .node(place, operator, vec![a.tree.clone(), b.tree.clone()]);
                One { tree, ..a.clone() }
            }
        };
        made.faults.clear();
        if matches!(operation, O::Divide | O::Modulo) {
            self.no_zero(&mut made, &b, place);
        }
        self.add_faults(&mut made, a.faults, None);
        self.add_faults(&mut made, b.faults, None);
        Ok(made)
    }

    /// A quotient is wrong where the divisor is zero.
    fn no_zero(&mut self, made: &mut One, divisor: &One, place: &Place) {
        let zero = match divisor.sort() {
            Sort::BitVec(width) => self.maker.bits(width, BigUint::from(0u32)),
            _ if divisor.range.0 > 0 || divisor.range.1 < 0 => return,
            _ => self.maker.int(0),
        };
        let fault = self.fault(
            place,
            "this may divide by zero",
            "guard it, as `x != 0 ? a / x : 0`",
        );
        let when = self.maker.equal(&divisor.tree, &zero);
        self.faults[fault].alone.push(when.clone());
        self.add_faults(made, vec![(fault, when)], None);
    }

    fn integers(
        &mut self,
        operation: Operation,
        a: &One,
        b: &One,
        place: &Place,
    ) -> Elaborated<One> {
        use Operation as O;
        let args = vec![a.tree.clone(), b.tree.clone()];
        let (x, y) = (a.range, b.range);
        let corners = |f: fn(i128, i128) -> i128| {
            let all = [f(x.0, y.0), f(x.0, y.1), f(x.1, y.0), f(x.1, y.1)];
            (
                all.into_iter().min().unwrap_or(0),
                all.into_iter().max().unwrap_or(0),
            )
        };
        let (tree, range) = match operation {
            O::Plus => (
                self.maker.node(place, Operator::Plus, args),
                (x.0 + y.0, x.1 + y.1),
            ),
            O::Minus => (
                self.maker.node(place, Operator::Minus, args),
                (x.0 - y.1, x.1 - y.0),
            ),
            O::Times => {
                let range = corners(i128::saturating_mul);
                (self.product(a, b, place), range)
            }
            O::Divide => {
                let most = x.0.abs().max(x.1.abs());
                let range = match x.0 >= 0 && y.0 >= 0 {
                    true => (x.0 / y.1.max(1), x.1 / y.0.max(1)),
                    false => (-most, most),
                };
                (self.quotient(a, b, place, true), range)
            }
            _ => {
                let most =
                    x.0.abs()
                        .max(x.1.abs())
                        .min((y.0.abs().max(y.1.abs()) - 1).max(0));
                let range = (
                    if x.0 >= 0 { 0 } else { -most },
                    if x.1 <= 0 { 0 } else { most },
                );
                let range = match (a.constant(), b.constant()) {
                    (Some(a), Some(b)) if b != 0 => (a % b, a % b),
                    _ => range,
                };
                (self.quotient(a, b, place, false), range)
            }
        };
        let range = match (operation, a.constant(), b.constant()) {
            (O::Divide, Some(a), Some(b)) if b != 0 => (a / b, a / b),
            _ => range,
        };
        const LARGEST: i128 = 1 << 62;
        if range.0 < -LARGEST || range.1 > LARGEST {
            return self.tell(
                place.span,
                "the numbers become too large here",
                "narrow the ranges",
            );
        }
        Ok(One {
            tree,
            range,
            ..plain_int(a)
        })
    }

    fn product(&mut self, a: &One, b: &One, place: &Place) -> Expr {
        let width = |one: &One| one.range.1 - one.range.0;
        let (few, many) = if width(a) <= width(b) { (a, b) } else { (b, a) };
        if few.constant().is_some() || width(few) >= MOST_CASES {
            return self
                .maker
                .node(place, Operator::Times, vec![a.tree.clone(), b.tree.clone()]);
        }
        let many = many.tree.clone();
        self.by_cases(few, |elaborator, value| {
            let factor = elaborator.maker.int(value);
            elaborator
                .maker
                .serve(Operator::Times, vec![many.clone(), factor])
        })
    }

    /// A tree for each value of an operand, chosen by it.
    fn by_cases(&mut self, few: &One, mut tree: impl FnMut(&mut Self, i128) -> Expr) -> Expr {
        let mut whole = tree(self, few.range.1);
        for value in (few.range.0..few.range.1).rev() {
            let constant = self.maker.int(value);
            let is = self.maker.equal(&few.tree, &constant);
            let here = tree(self, value);
            whole = self.maker.choose(&is, &here, &whole);
        }
        whole
    }

    /// The quotient or the remainder that truncates.
    fn quotient(&mut self, a: &One, b: &One, place: &Place, divide: bool) -> Expr {
        let operator = if divide {
            Operator::IntDivide
        } else {
            Operator::Modulo
        };
        if let Some(divisor) = b.constant() {
            let unsigned = a.range.0 >= 0 && divisor > 0;
            if unsigned || divisor == 0 {
                return self
                    .maker
                    .node(place, operator, vec![a.tree.clone(), b.tree.clone()]);
            }
            return self.truncated(a, divisor, divide);
        }
        if b.range.1 - b.range.0 >= MOST_CASES {
            return self
                .maker
                .node(place, operator, vec![a.tree.clone(), b.tree.clone()]);
        }
        self.by_cases(b, |elaborator, divisor| match divisor {
            0 => elaborator.maker.int(0),
            _ => elaborator.truncated(a, divisor, divide),
        })
    }

    /// The magnitude is that of the magnitudes; the sign of a quotient is that of both, the sign of a
    /// remainder that of the dividend.
    fn truncated(&mut self, a: &One, divisor: i128, divide: bool) -> Expr {
        let operator = if divide {
            Operator::IntDivide
        } else {
            Operator::Modulo
        };
        let size = self.maker.int(divisor.abs());
        let zero = self.maker.int(0);
        let negated = self.maker.serve(Operator::Negate, vec![a.tree.clone()]);
        let up = self
            .maker
            .serve(operator.clone(), vec![a.tree.clone(), size.clone()]);
        let down = self.maker.serve(operator, vec![negated, size]);
        let (minus_up, minus_down) = (
            self.maker.serve(Operator::Negate, vec![up.clone()]),
            self.maker.serve(Operator::Negate, vec![down.clone()]),
        );
        let (positive, negative) = match (divide, divisor > 0) {
            (true, false) => (minus_up, down),
            _ => (up, minus_down),
        };
        if a.range.0 >= 0 {
            return positive;
        }
        let sign = self
            .maker
            .serve(Operator::GreaterEqual, vec![a.tree.clone(), zero]);
        self.maker.choose(&sign, &positive, &negative)
    }

    fn shift(&mut self, operation: Operation, a: One, b: One, place: &Place) -> Elaborated<One> {
        let left = operation == Operation::ShiftLeft;
        let operator = match (left, a.signed) {
            (true, _) => Operator::ShiftLeft,
            (false, false) => Operator::ShiftRight,
            (false, true) => Operator::ArithmeticShiftRight,
        };
        let Sort::BitVec(width) = a.sort() else {
            return self.wrong_operand(operation.text(), &[&a, &b], place.span);
        };
        match b.sort() {
            Sort::Int => {
                let far = i128::from(width);
                if b.range.1 < 0 || b.range.0 > far {
                    return self.tell(place.span, "the shift is too far", "shift by less");
                }
                let inside = One {
                    range: (b.range.0.max(0), b.range.1.min(far)),
                    ..b.clone()
                };
                let word = a.tree.clone();
                let mut first = true;
                let tree = self.by_cases(&inside, |elaborator, distance| {
                    let distance = elaborator
                        .maker
                        .bits(width.max(32), BigUint::from(distance as u64));
                    let wide = elaborator.extended(&word, a.signed, width.max(32));
                    let shifted = match std::mem::take(&mut first) {
                        true => {
                            elaborator
                                .maker
                                .node(place, operator.clone(), vec![wide, distance])
                        }
                        false => elaborator
                            .maker
                            .serve(operator.clone(), vec![wide, distance]),
                    };
                    elaborator.narrowed(&shifted, width)
                });
                let mut made = One { tree, ..a };
                if b.range.0 < 0 || b.range.1 > far {
                    let fault = self.fault(place, "the shift may be too far", "limit the distance");
                    let (low, high) = (self.maker.int(0), self.maker.int(far));
                    let below = self.maker.serve(Operator::Less, vec![b.tree.clone(), low]);
                    let above = self
                        .maker
                        .serve(Operator::Greater, vec![b.tree.clone(), high]);
                    let when = self.maker.or(&below, &above);
                    self.faults[fault].alone.push(when.clone());
                    self.add_faults(&mut made, vec![(fault, when)], None);
                }
                self.add_faults(&mut made, b.faults, None);
                Ok(made)
            }
            Sort::BitVec(other) => {
                let wide = width.max(other) + 1;
                let word = self.extended(&a.tree, a.signed, wide);
                let distance = self.extended(&b.tree, false, wide);
                let shifted = self.maker.node(place, operator, vec![word, distance]);
                let tree = self.narrowed(&shifted, width);
                Ok(self.joined(tree, a, b))
            }
            _ => self.wrong_operand(operation.text(), &[&a, &b], place.span),
        }
    }

    fn extended(&mut self, tree: &Expr, signed: bool, width: u32) -> Expr {
        let Sort::BitVec(own) = tree.sort() else {
            return tree.clone();
        };
        match (width.saturating_sub(own), signed) {
            (0, _) => tree.clone(),
            (more, true) => self
                .maker
                .serve(Operator::SignExtend(more), vec![tree.clone()]),
            (more, false) => self
                .maker
                .serve(Operator::ZeroExtend(more), vec![tree.clone()]),
        }
    }

    fn narrowed(&mut self, tree: &Expr, width: u32) -> Expr {
        match tree.sort() {
            Sort::BitVec(own) if own > width => {
                let extract = Operator::Extract {
                    high: width - 1,
                    low: 0,
                };
                self.maker.serve(extract, vec![tree.clone()])
            }
            _ => tree.clone(),
        }
    }

    /// `w[i]` of a word is a word of one bit.
    pub(super) fn bit(
        &mut self,
        word: One,
        at: &One,
        span: Span,
        place: &Place,
    ) -> Elaborated<Value> {
        let Sort::BitVec(width) = word.sort() else {
            return Err(Told);
        };
        let Some(bit) = at.constant() else {
            return self.tell(
                span,
                "the bit of a word is a constant",
                "shift the word instead",
            );
        };
        if bit < 0 || bit >= i128::from(width) {
            let message = format!("there is no bit {bit} in a word of {width}");
            return self.tell(span, message, "bits count from 0");
        }
        let (high, low) = (bit as u32, bit as u32);
        let tree = self.maker.node(
            place,
            Operator::Extract { high, low },
            vec![word.tree.clone()],
        );
        Ok(Value::One(One {
            tree,
            signed: false,
            ..word
        }))
    }

    /// The number that a word stands for.
    pub(super) fn number_of(&mut self, word: &One) -> One {
        let Sort::BitVec(width) = word.sort() else {
            return word.clone();
        };
        let mut sum = self.maker.int(0);
        let (mut low, mut high) = (0i128, 0i128);
        for bit in 0..width.min(62) {
            let negative = word.signed && bit + 1 == width;
            let weight = (1i128 << bit) * if negative { -1 } else { 1 };
            (low, high) = (low + weight.min(0), high + weight.max(0));
            let extract = Operator::Extract {
                high: bit,
                low: bit,
            };
            let digit = self.maker.serve(extract, vec![word.tree.clone()]);
            let one = self.maker.bits(1, BigUint::from(1u32));
            let is = self.maker.equal(&digit, &one);
            let (weight, zero) = (self.maker.int(weight), self.maker.int(0));
            let part = self.maker.choose(&is, &weight, &zero);
            sum = match bit {
                0 => part,
                _ => self.maker.serve(Operator::Plus, vec![sum, part]),
            };
        }
        One {
            tree: sum,
            signed: false,
            range: (low, high),
            faults: word.faults.clone(),
        }
    }

    fn call(
        &mut self,
        scope: usize,
        mode: Mode,
        function: Function,
        arguments: &[Expression],
        place: &Place,
    ) -> Elaborated<One> {
        let values: Elaborated<Vec<One>> = arguments
            .iter()
            .map(|one| self.one(scope, mode, one))
            .collect();
        let values = values?;
        let wrong = |elaborator: &mut Self, message: &str| {
            elaborator.tell(place.span, message, "see the manual of the language")
        };
        match (function, &values[..]) {
            (Function::Count, _) => self.count(&values, place),
            (Function::Word1, [b]) if b.sort() == Sort::Bool => {
                let (one, zero) = (
                    self.maker.bits(1, 1u32.into()),
                    self.maker.bits(1, 0u32.into()),
                );
                let args = vec![b.tree.clone(), one, zero];
                let tree = self.maker.node(place, Operator::IfThenElse, args);
                Ok(One { tree, ..b.clone() })
            }
            (Function::Bool, [w]) => {
                let zero = match w.sort() {
                    Sort::BitVec(1) => self.maker.bits(1, 0u32.into()),
                    Sort::Int => self.maker.int(0),
                    Sort::Bool => return Ok(w.clone()),
                    _ => return self.wrong_operand("bool", &[w], place.span),
                };
                let args = vec![w.tree.clone(), zero];
                let tree = self.maker.node(place, Operator::Different, args);
                Ok(One {
                    tree,
                    signed: false,
                    range: (0, 0),
                    faults: w.faults.clone(),
                })
            }
            (Function::Toint, [w]) => match w.sort() {
                Sort::BitVec(width) if width <= 62 => Ok(self.number_of(w)),
                Sort::Int => Ok(w.clone()),
                Sort::Bool => self.count(&values, place),
                _ => self.wrong_operand("toint", &[w], place.span),
            },
            (Function::Signed | Function::Unsigned, [w]) if w.sort().is_bits() => Ok(One {
                signed: function == Function::Signed,
                ..w.clone()
            }),
            (Function::Sizeof, [w]) => match w.sort() {
                Sort::BitVec(width) => {
                    let tree = self.maker.int(width.into());
                    Ok(One {
                        range: (width.into(), width.into()),
                        ..plain(tree)
                    })
                }
                _ => self.wrong_operand("sizeof", &[w], place.span),
            },
            (Function::Extend | Function::Resize, [w, by]) => self.resize(function, w, by, place),
            (Function::Uwconst | Function::Swconst, [value, width]) => {
                let (Some(value), Some(width)) = (value.constant(), width.constant()) else {
                    return wrong(self, "the arguments are constants");
                };
                let Some(width) = u32::try_from(width)
                    .ok()
                    .filter(|width| (1..=WIDEST).contains(width))
                else {
                    return wrong(self, "the width is out of bounds");
                };
                let signed = function == Function::Swconst;
                let half = width.min(100) - u32::from(signed);
                let fits = if signed {
                    value >= -(1i128 << half) && value < 1i128 << half
                } else {
                    value >= 0 && value < 1i128 << half
                };
                if !fits {
                    return wrong(self, &format!("{value} does not fit {width} bits"));
                }
                let whole = BigUint::from(1u32) << width;
                let bits = match value < 0 {
                    true => whole - BigUint::from(value.unsigned_abs()),
                    false => BigUint::from(value.unsigned_abs()),
                };
                let tree = self.maker.bits(width, bits);
                Ok(One {
                    signed,
                    ..plain(tree)
                })
            }
            (Function::Abs, [a]) if a.sort() == Sort::Int => {
                let zero = self.maker.int(0);
                let sign = self
                    .maker
                    .serve(Operator::GreaterEqual, vec![a.tree.clone(), zero]);
                let negated = self.maker.serve(Operator::Negate, vec![a.tree.clone()]);
                let args = vec![sign, a.tree.clone(), negated];
                let tree = self.maker.node(place, Operator::IfThenElse, args);
                let (low, high) = a.range;
                let least = if low <= 0 && high >= 0 {
                    0
                } else {
                    low.abs().min(high.abs())
                };
                let range = (least, low.abs().max(high.abs()));
                Ok(One {
                    tree,
                    range,
                    ..a.clone()
                })
            }
            (Function::Min | Function::Max, [a, b])
                if a.sort() == Sort::Int && b.sort() == Sort::Int =>
            {
                let less = self
                    .maker
                    .serve(Operator::LessEqual, vec![a.tree.clone(), b.tree.clone()]);
                let (small, large) = (a.tree.clone(), b.tree.clone());
                let minimum = function == Function::Min;
                let args = if minimum {
                    vec![less, small, large]
                } else {
                    vec![less, large, small]
                };
                let tree = self.maker.node(place, Operator::IfThenElse, args);
                let pick = |x: i128, y: i128| if minimum { x.min(y) } else { x.max(y) };
                let range = (pick(a.range.0, b.range.0), pick(a.range.1, b.range.1));
                let made = self.joined(tree, a.clone(), b.clone());
                Ok(One { range, ..made })
            }
            _ => {
                let kinds: Vec<String> = values.iter().map(One::kind).collect();
                let message = format!("this function does not take ({})", kinds.join(", "));
                wrong(self, &message)
            }
        }
    }

    fn count(&mut self, values: &[One], place: &Place) -> Elaborated<One> {
        if let Some(other) = values.iter().find(|value| value.sort() != Sort::Bool) {
            return self.wrong_operand("count", &[other], place.span);
        }
        let mut made = plain(self.maker.int(0));
        for (position, value) in values.iter().enumerate() {
            let (one, zero) = (self.maker.int(1), self.maker.int(0));
            let part = self.maker.choose(&value.tree, &one, &zero);
            made.tree = match position {
                0 => part,
                _ => self
                    .maker
                    .serve(Operator::Plus, vec![made.tree.clone(), part]),
            };
            self.add_faults(&mut made, value.faults.clone(), None);
        }
        made.range = (0, values.len() as i128);
        Ok(made)
    }

    /// `extend(w, by)` and `resize(w, to)`. A signed word that becomes narrower keeps its sign.
    fn resize(
        &mut self,
        function: Function,
        word: &One,
        by: &One,
        place: &Place,
    ) -> Elaborated<One> {
        let (Sort::BitVec(width), Some(by)) = (word.sort(), by.constant()) else {
            return self.tell(
                place.span,
                "this takes a word and a constant",
                "as extend(w, 2)",
            );
        };
        let to = match function {
            Function::Extend => i128::from(width) + by,
            _ => by,
        };
        let Some(to) = u32::try_from(to)
            .ok()
            .filter(|to| *to >= 1 && *to <= WIDEST && by >= 0)
        else {
            return self.tell(place.span, "the width is out of bounds", "change it");
        };
        let tree = if to >= width {
            self.extended(&word.tree, word.signed, to)
        } else if word.signed {
            let sign = Operator::Extract {
                high: width - 1,
                low: width - 1,
            };
            let sign = self.maker.serve(sign, vec![word.tree.clone()]);
            match to {
                1 => sign,
                _ => {
                    let rest = self.narrowed(&word.tree, to - 1);
                    self.maker.serve(Operator::Concat, vec![sign, rest])
                }
            }
        } else {
            self.narrowed(&word.tree, to)
        };
        Ok(One {
            tree,
            ..word.clone()
        })
    }
}

fn plain_int(like: &One) -> One {
    One {
        faults: Vec::new(),
        ..like.clone()
    }
}
