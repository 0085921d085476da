//! The operators of the format as trees of the model.
//!
//! A bit-vector of one bit is a Boolean: logical operators of the model take its place, and where an
//! operator wants a vector it becomes one. The node that stands for the line has the line's origin; what
//! is made up around it serves the line and is never mutated.

use num_bigint::BigUint;
use proofmark_model::{BitVec, Expr, NodeIds, Operator, Origin, Sort, Value};

/// Makes the nodes of one line.
pub(super) struct Maker<'a> {
    pub(super) ids: &'a mut NodeIds,
    pub(super) origin: Origin,
}

impl Maker<'_> {
    /// A node that the line stands for.
    fn own(&mut self, operator: Operator, args: Vec<Expr>) -> Expr {
        let origin = self.origin.clone();
        self.make(operator, args, origin)
    }

    /// A node that is made up.
    pub(super) fn extra(&mut self, operator: Operator, args: Vec<Expr>) -> Expr {
        let origin = self.origin.serving();
        self.make(operator, args, origin)
    }

    fn make(&mut self, operator: Operator, args: Vec<Expr>, origin: Origin) -> Expr {
        let id = self.ids.fresh();
        match Expr::new(id, operator, args, origin) {
            Ok(expr) => expr,
            Err(error) => unreachable!("the sorts were checked: {error}"),
        }
    }

    /// A constant of so many bits that the line does not have.
    pub(super) fn number(&mut self, width: u32, number: BigUint) -> Expr {
        let id = self.ids.fresh();
        Expr::constant(id, value(width, number), self.origin.serving())
    }

    /// The constant that the line is.
    pub(super) fn constant(&mut self, width: u32, number: BigUint) -> Expr {
        let id = self.ids.fresh();
        Expr::constant(id, value(width, number), self.origin.clone())
    }

    /// One bit as a vector; other vectors as they are.
    pub(super) fn vector(&mut self, bits: Expr) -> Expr {
        if bits.sort() != Sort::Bool {
            return bits;
        }
        let [one, zero] = [1u32, 0].map(|number| {
            let (id, origin) = (self.ids.fresh(), self.origin.serving());
            let value = Value::BitVec(BitVec::new(1, number.into()));
            Expr::constant(id, value, origin)
        });
        self.extra(Operator::IfThenElse, vec![bits, one, zero])
    }

    /// A vector of one bit as a Boolean; other vectors as they are.
    fn boolean(&mut self, bits: Expr) -> Expr {
        if bits.sort() != Sort::BitVec(1) {
            return bits;
        }
        let (id, origin) = (self.ids.fresh(), self.origin.serving());
        let one = Value::BitVec(BitVec::new(1, 1u32.into()));
        let one = Expr::constant(id, one, origin);
        self.extra(Operator::Equal, vec![bits, one])
    }

    /// An operator on vectors, whatever they come as.
    fn on_vectors(&mut self, operator: Operator, args: Vec<Expr>) -> Expr {
        let args: Vec<Expr> = args.into_iter().map(|arg| self.vector(arg)).collect();
        let result = self.own(operator, args);
        self.boolean(result)
    }

    fn extra_on_vectors(&mut self, operator: Operator, args: Vec<Expr>) -> Expr {
        let args: Vec<Expr> = args.into_iter().map(|arg| self.vector(arg)).collect();
        let result = self.extra(operator, args);
        self.boolean(result)
    }

    /// One operator for Booleans, another for vectors.
    fn either(&mut self, logical: Operator, bitwise: Operator, args: Vec<Expr>) -> Expr {
        match args[0].sort() {
            Sort::Bool => self.own(logical, args),
            _ => self.own(bitwise, args),
        }
    }

    /// The complement.
    pub(super) fn not(&mut self, arg: Expr) -> Expr {
        match arg.sort() {
            Sort::Bool => self.extra(Operator::Not, vec![arg]),
            _ => self.extra(Operator::BitNot, vec![arg]),
        }
    }

    /// Bits `high` to `low`.
    pub(super) fn slice(&mut self, arg: Expr, high: u32, low: u32) -> Expr {
        match arg.sort() {
            Sort::Bool => arg,
            _ => self.on_vectors(Operator::Extract { high, low }, vec![arg]),
        }
    }

    pub(super) fn extend(&mut self, arg: Expr, more: u32, signed: bool) -> Expr {
        match (more, signed) {
            (0, _) => arg,
            (_, true) => self.on_vectors(Operator::SignExtend(more), vec![arg]),
            (_, false) => self.on_vectors(Operator::ZeroExtend(more), vec![arg]),
        }
    }

    pub(super) fn unary(&mut self, name: &str, arg: Expr) -> Expr {
        let width = width(arg.sort());
        match name {
            "not" => self.either(Operator::Not, Operator::BitNot, vec![arg]),
            "neg" => self.on_vectors(Operator::Negate, vec![arg]),
            "inc" | "dec" => {
                let one = self.number(width, 1u32.into());
                let operator = if name == "inc" {
                    Operator::Plus
                } else {
                    Operator::Minus
                };
                self.on_vectors(operator, vec![arg, one])
            }
            _ if width == 1 => arg,
            "redand" => {
                let ones = self.number(width, ones(width));
                self.own(Operator::Equal, vec![arg, ones])
            }
            "redor" => {
                let zero = self.number(width, 0u32.into());
                self.own(Operator::Different, vec![arg, zero])
            }
            _ => self.parity(&arg, width),
        }
    }

    fn parity(&mut self, arg: &Expr, width: u32) -> Expr {
        let mut parity = self.bit(arg, 0);
        for at in 1..width {
            let bit = self.bit(arg, at);
            let last = at + 1 == width;
            let args = vec![parity, bit];
            parity = match last {
                true => self.own(Operator::Xor, args),
                false => self.extra(Operator::Xor, args),
            };
        }
        parity
    }

    pub(super) fn bit(&mut self, arg: &Expr, at: u32) -> Expr {
        match arg.sort() {
            Sort::Bool => arg.clone(),
            _ => self.extra_on_vectors(Operator::Extract { high: at, low: at }, vec![arg.clone()]),
        }
    }

    pub(super) fn binary(&mut self, name: &str, a: Expr, b: Expr) -> Expr {
        let args = vec![a, b];
        let (logical, bitwise) = match name {
            "and" | "nand" => (Operator::And, Operator::BitAnd),
            "or" | "nor" => (Operator::Or, Operator::BitOr),
            "xor" | "xnor" => (Operator::Xor, Operator::BitXor),
            _ => return self.arithmetic(name, args),
        };
        let inner = self.either(logical, bitwise, args);
        match name {
            "nand" | "nor" | "xnor" => self.not(inner),
            _ => inner,
        }
    }

    fn arithmetic(&mut self, name: &str, args: Vec<Expr>) -> Expr {
        let operator = match name {
            "iff" | "eq" => return self.own(Operator::Equal, args),
            "neq" => return self.own(Operator::Different, args),
            "implies" => return self.own(Operator::Implies, args),
            "ult" => Operator::Less,
            "ulte" => Operator::LessEqual,
            "ugt" => Operator::Greater,
            "ugte" => Operator::GreaterEqual,
            "slt" => Operator::SignedLess,
            "slte" => Operator::SignedLessEqual,
            "sgt" => Operator::SignedGreater,
            "sgte" => Operator::SignedGreaterEqual,
            "add" => Operator::Plus,
            "sub" => Operator::Minus,
            "mul" => Operator::Times,
            "udiv" => Operator::IntDivide,
            "urem" => Operator::Modulo,
            "sdiv" => Operator::SignedDivide,
            "srem" => Operator::SignedRemainder,
            "smod" => Operator::SignedModulo,
            "sll" => Operator::ShiftLeft,
            "srl" => Operator::ShiftRight,
            "sra" => Operator::ArithmeticShiftRight,
            "concat" => Operator::Concat,
            "rol" | "ror" => return self.rotate(name, args),
            _ => return self.overflow(name, args),
        };
        self.on_vectors(operator, args)
    }

    /// By the distance modulo the width: what goes out on one side comes in on the other.
    fn rotate(&mut self, name: &str, args: Vec<Expr>) -> Expr {
        let width = width(args[0].sort());
        if width == 1 {
            return args[0].clone();
        }
        let size = self.number(width, width.into());
        let (value, distance) = (args[0].clone(), args[1].clone());
        // From two bits on, a vector has room for its own width.
        let distance = self.extra(Operator::Modulo, vec![distance, size.clone()]);
        let rest = self.extra(Operator::Minus, vec![size, distance.clone()]);
        let (forth, back) = match name {
            "rol" => (Operator::ShiftLeft, Operator::ShiftRight),
            _ => (Operator::ShiftRight, Operator::ShiftLeft),
        };
        let moved = self.extra(forth, vec![value.clone(), distance]);
        let around = self.extra(back, vec![value, rest]);
        self.own(Operator::BitOr, vec![moved, around])
    }

    /// Whether a result does not fit: it is computed wider and compared.
    fn overflow(&mut self, name: &str, args: Vec<Expr>) -> Expr {
        let args: Vec<Expr> = args.into_iter().map(|arg| self.vector(arg)).collect();
        let width = width(args[0].sort());
        if name == "usubo" {
            return self.own(Operator::Less, args);
        }
        if name == "sdivo" {
            let least = self.bits(width, BigUint::from(1u32) << (width - 1));
            let minus = self.bits(width, ones(width));
            let dividend = self.extra(Operator::Equal, vec![args[0].clone(), least]);
            let divisor = self.extra(Operator::Equal, vec![args[1].clone(), minus]);
            return self.own(Operator::And, vec![dividend, divisor]);
        }
        let (operator, more) = match name {
            "uaddo" | "saddo" => (Operator::Plus, 1),
            "ssubo" => (Operator::Minus, 1),
            _ => (Operator::Times, width),
        };
        let extend = match name.starts_with('s') {
            true => Operator::SignExtend as fn(u32) -> Operator,
            false => Operator::ZeroExtend,
        };
        let wide: Vec<Expr> = args
            .into_iter()
            .map(|arg| self.extra(extend(more), vec![arg]))
            .collect();
        let result = self.extra(operator, wide);
        let low = Operator::Extract {
            high: width - 1,
            low: 0,
        };
        let kept = self.extra(low, vec![result.clone()]);
        let kept = self.extra(extend(more), vec![kept]);
        self.own(Operator::Different, vec![result, kept])
    }

    /// A vector, also of one bit.
    fn bits(&mut self, width: u32, number: BigUint) -> Expr {
        let (id, origin) = (self.ids.fresh(), self.origin.serving());
        Expr::constant(id, Value::BitVec(BitVec::new(width, number)), origin)
    }

    pub(super) fn choose(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        self.own(Operator::IfThenElse, vec![condition, a, b])
    }
}

pub(super) fn width(sort: Sort) -> u32 {
    match sort {
        Sort::BitVec(width) => width,
        _ => 1,
    }
}

pub(super) fn ones(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

fn value(width: u32, number: BigUint) -> Value {
    match width {
        1 => Value::Bool(number.bit(0)),
        _ => Value::BitVec(BitVec::new(width, number)),
    }
}

/// The sort of the model for a width.
pub(super) fn sort(width: u32) -> Sort {
    match width {
        1 => Sort::Bool,
        _ => Sort::BitVec(width),
    }
}
