//! Random terms over all theories and their mixtures.
//!
//! The vocabulary is fixed (a few variables of every sort, a few functions), so that assertions
//! speak of the same things and a rival process can declare it once. Parts of earlier terms are used
//! again, as real formulas share. Constants are small for the most part, with a few that leave the
//! machine word.

use super::Random;
use proofmark_model::{EnumSort, Function, Op, Rational, Sort, Term, Value};

/// A named mixture of theories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theory {
    pub name: &'static str,
    pub integers: bool,
    pub reals: bool,
    pub bit_vectors: bool,
    pub enumerations: bool,
    pub functions: bool,
}

const BOOLEANS: Theory = Theory {
    name: "bool",
    integers: false,
    reals: false,
    bit_vectors: false,
    enumerations: false,
    functions: false,
};

/// The mixtures that are tried, one row each. Booleans are in all of them.
pub const THEORIES: &[Theory] = &[
    BOOLEANS,
    Theory {
        name: "int",
        integers: true,
        ..BOOLEANS
    },
    Theory {
        name: "real",
        reals: true,
        ..BOOLEANS
    },
    Theory {
        name: "mixed",
        integers: true,
        reals: true,
        ..BOOLEANS
    },
    Theory {
        name: "bits",
        bit_vectors: true,
        ..BOOLEANS
    },
    Theory {
        name: "enum",
        enumerations: true,
        functions: true,
        ..BOOLEANS
    },
    Theory {
        name: "functions",
        integers: true,
        reals: true,
        functions: true,
        ..BOOLEANS
    },
    Theory {
        name: "bit-functions",
        bit_vectors: true,
        functions: true,
        ..BOOLEANS
    },
    Theory {
        name: "all",
        integers: true,
        reals: true,
        bit_vectors: true,
        enumerations: true,
        functions: true,
    },
];

/// What random terms look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub theory: Theory,
    /// The greatest depth of a formula.
    pub depth: u32,
    /// How many variables of each sort, at most [`MOST_VARIABLES`].
    pub variables: usize,
    /// Constants go from minus this to this, with few exceptions.
    pub constants: i64,
}

pub const MOST_VARIABLES: usize = 4;
/// How many Boolean variables there are besides, for clauses.
pub const MOST_PLAIN: usize = 60;
/// Widths of bit-vector variables go from one to this.
pub const WIDEST: u32 = 8;

/// The enumerations of the vocabulary: one with a single value, one that fills its bits, two that
/// do not.
pub fn enumerations() -> Vec<EnumSort> {
    let sort = |name: &str, values: &[&str]| {
        EnumSort::new(name, values.iter().map(ToString::to_string).collect())
    };
    vec![
        sort("Single", &["only"]),
        sort("Side", &["left", "right"]),
        sort("Color", &["red", "green", "blue"]),
        sort(
            "Day",
            &["monday", "tuesday", "wednesday", "thursday", "friday"],
        ),
    ]
}

/// All sorts of a theory.
pub fn sorts(theory: &Theory) -> Vec<Sort> {
    let mut sorts = vec![Sort::Bool];
    sorts.extend(theory.integers.then_some(Sort::Int));
    sorts.extend(theory.reals.then_some(Sort::Real));
    if theory.bit_vectors {
        sorts.extend((1..=WIDEST).map(Sort::BitVec));
    }
    if theory.enumerations {
        sorts.extend(enumerations().into_iter().map(Sort::Enum));
    }
    sorts
}

/// The functions of the vocabulary that a theory has the sorts for.
pub fn functions(theory: &Theory) -> Vec<Function> {
    use Sort::{Bool, Int, Real};
    let enumeration = |at: usize| Sort::Enum(enumerations()[at]);
    let (side, color, day) = (enumeration(1), enumeration(2), enumeration(3));
    let bits = Sort::BitVec(3);
    let all: Vec<(&str, Vec<Sort>, Sort)> = vec![
        ("f", vec![Int], Int),
        ("g", vec![Int, Int], Int),
        ("even", vec![Int], Bool),
        ("h", vec![Real], Real),
        ("near", vec![Real, Real], Bool),
        ("round", vec![Real], Int),
        ("scale", vec![Bool, Int], Real),
        ("flip", vec![Bool], Bool),
        ("both", vec![Bool, Bool], Bool),
        ("mix", vec![bits], bits),
        ("join", vec![bits, Bool], Sort::BitVec(2)),
        ("weight", vec![bits], Int),
        ("pack", vec![Int], bits),
        ("next", vec![day], day),
        ("paint", vec![color, side], color),
        ("warm", vec![color], Bool),
        ("number", vec![color], Int),
        ("choose", vec![Int, Bool], color),
    ];
    if !theory.functions {
        return Vec::new();
    }
    let known = sorts(theory);
    all.into_iter()
        .filter(|(_, domain, range)| {
            domain
                .iter()
                .chain([range])
                .all(|sort| known.contains(sort))
        })
        .map(|(name, domain, range)| Function::new(name, domain, range))
        .collect()
}

/// The variable of a sort with a number.
pub fn variable(sort: Sort, number: usize) -> Term {
    let name = match sort {
        Sort::Bool => format!("b{number}"),
        Sort::Int => format!("i{number}"),
        Sort::Real => format!("r{number}"),
        Sort::BitVec(width) => format!("v{width}_{number}"),
        Sort::Enum(sort) => format!("{}{number}", sort.name().to_lowercase()),
    };
    Term::var(&name, sort)
}

fn unit(sort: Sort) -> Term {
    match sort {
        Sort::Int => Term::int(1),
        _ => Term::real(Rational::ONE),
    }
}

/// One of the Boolean variables for clauses.
pub fn plain(number: usize) -> Term {
    Term::var(&format!("p{number}"), Sort::Bool)
}

/// Makes random terms of one shape.
pub struct Terms {
    pub random: Random,
    shape: Shape,
    sorts: Vec<Sort>,
    functions: Vec<Function>,
    /// Parts of earlier terms, with their depth.
    pool: Vec<(Term, u32)>,
}

impl Terms {
    pub fn new(random: Random, shape: Shape) -> Terms {
        Terms {
            random,
            shape,
            sorts: sorts(&shape.theory),
            functions: functions(&shape.theory),
            pool: Vec::new(),
        }
    }

    /// A random Boolean term, of the kinds that assertions are made of.
    pub fn formula(&mut self) -> Term {
        let depth = 1 + self.random.below(self.shape.depth as usize) as u32;
        match self.random.below(10) {
            0 | 1 => self.definition(depth),
            2 | 3 if self.has_numbers() => self.linear(),
            4 => {
                let literals: Vec<Term> = (0..2 + self.random.below(3))
                    .map(|_| self.literal(depth))
                    .collect();
                Term::or(&literals)
            }
            5 => self.literal(depth),
            _ => self.term(Sort::Bool, depth),
        }
    }

    /// A constraint without inner structure: these meet as facts, and contradict each other soon.
    pub fn constraint(&mut self) -> Term {
        match self.random.below(20) {
            0 => self.definition(1),
            1 => self.literal(1),
            _ if self.has_numbers() => self.linear(),
            _ => self.literal(1),
        }
    }

    /// A short Boolean term, of the kinds that assumptions are made of.
    pub fn literal(&mut self, depth: u32) -> Term {
        let literal = if self.random.chance(40) {
            self.leaf(Sort::Bool)
        } else {
            self.comparison(depth.min(2))
        };
        if self.random.chance(40) {
            literal.not()
        } else {
            literal
        }
    }

    /// A term of any sort.
    pub fn any(&mut self) -> Term {
        let sort = self.sort();
        self.term(sort, 2)
    }

    fn has_numbers(&self) -> bool {
        self.shape.theory.integers || self.shape.theory.reals
    }

    fn sort(&mut self) -> Sort {
        self.random.pick(&self.sorts)
    }

    /// A number sort, when there is one.
    fn number_sort(&mut self) -> Sort {
        match (self.shape.theory.integers, self.shape.theory.reals) {
            (true, true) => self.random.pick(&[Sort::Int, Sort::Real]),
            (true, false) => Sort::Int,
            (false, true) => Sort::Real,
            (false, false) => Sort::Bool,
        }
    }

    fn variable(&mut self, sort: Sort) -> Term {
        variable(
            sort,
            self.random.below(self.shape.variables.min(MOST_VARIABLES)),
        )
    }

    fn definition(&mut self, depth: u32) -> Term {
        let sort = self.sort();
        let (left, right) = (self.variable(sort), self.term(sort, depth));
        if self.random.chance(50) {
            left.eq(right)
        } else {
            right.eq(left)
        }
    }

    /// A sum of variables compared with a constant.
    fn linear(&mut self) -> Term {
        let sort = self.number_sort();
        let summands: Vec<Term> = (0..1 + self.random.below(3))
            .map(|_| {
                let factor = if self.random.chance(50) {
                    self.constant(sort)
                } else {
                    unit(sort)
                };
                factor.mul(self.variable(sort))
            })
            .collect();
        let (left, right) = (Term::add(&summands), self.constant(sort));
        match self.random.below(12) {
            0 => left.eq(right),
            1 => left.eq(right).not(),
            2..=6 => left.le(right),
            _ => left.gt(right),
        }
    }

    fn leaf(&mut self, sort: Sort) -> Term {
        if self.random.chance(match sort {
            Sort::Bool => 3,
            _ => 25,
        }) {
            self.constant(sort)
        } else {
            self.variable(sort)
        }
    }

    fn constant(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::Bool => Term::bool(self.random.chance(50)),
            Sort::Int => Term::int(self.number()),
            Sort::Real => {
                let denominator = self.random.pick(&[1, 1, 1, 2, 3, 4, 10]);
                Term::real(Rational::new(self.number(), denominator))
            }
            Sort::BitVec(width) => Term::bitvec(width, self.random.word()),
            Sort::Enum(sort) => {
                let index = self.random.below(sort.values().len());
                Term::constant(Value::Enum(sort, index as u32))
            }
        }
    }

    fn number(&mut self) -> i64 {
        match self.random.below(200) {
            0 => self.random.word() as i64,
            1..=4 => self.random.between(-1_000_000, 1_000_000),
            _ => self
                .random
                .between(-self.shape.constants, self.shape.constants),
        }
    }

    /// A random term of a sort, of at most this depth.
    pub fn term(&mut self, sort: Sort, depth: u32) -> Term {
        if depth == 0 {
            return self.leaf(sort);
        }
        if self.random.chance(12)
            && let Some(known) = self.known(sort, depth)
        {
            return known;
        }
        let term = self.fresh(sort, depth);
        self.pool.push((term, depth));
        term
    }

    fn known(&mut self, sort: Sort, depth: u32) -> Option<Term> {
        let fitting: Vec<Term> = self
            .pool
            .iter()
            .filter(|(term, deep)| term.sort() == sort && *deep <= depth)
            .map(|(term, _)| *term)
            .collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting))
    }

    fn fresh(&mut self, sort: Sort, depth: u32) -> Term {
        let depth = depth - 1;
        if self.random.chance(18)
            && let Some(application) = self.application(sort, depth)
        {
            return application;
        }
        if self.random.chance(12) {
            let condition = self.term(Sort::Bool, depth);
            return condition.ite(self.term(sort, depth), self.term(sort, depth));
        }
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::Int => self.integer(depth),
            Sort::Real => self.real(depth),
            Sort::BitVec(width) => self.bits(width, depth),
            Sort::Enum(_) => self.leaf(sort),
        }
    }

    fn application(&mut self, sort: Sort, depth: u32) -> Option<Term> {
        let fitting: Vec<Function> = self
            .functions
            .iter()
            .copied()
            .filter(|function| function.range() == sort)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.random.pick(&fitting);
        let domain = function.domain().iter();
        let args: Vec<Term> = domain.map(|sort| self.term(*sort, depth)).collect();
        Some(Term::apply(function, &args))
    }

    fn booleans(&mut self, depth: u32) -> Vec<Term> {
        (0..2 + self.random.below(2))
            .map(|_| self.term(Sort::Bool, depth))
            .collect()
    }

    fn boolean(&mut self, depth: u32) -> Term {
        match self.random.below(12) {
            0 => self.term(Sort::Bool, depth).not(),
            1 => Term::and(&self.booleans(depth)),
            2 | 3 => Term::or(&self.booleans(depth)),
            4 => {
                let left = self.term(Sort::Bool, depth);
                left.eq(self.term(Sort::Bool, depth))
            }
            5 => self.leaf(Sort::Bool),
            _ => self.comparison(depth),
        }
    }

    /// Two terms of a random sort, compared.
    fn comparison(&mut self, depth: u32) -> Term {
        let sort = self.sort();
        let (a, b) = (self.term(sort, depth), self.term(sort, depth));
        let kind = self.random.below(4);
        match sort {
            Sort::Int | Sort::Real => match kind {
                0 => a.eq(b),
                1 => a.lt(b),
                _ => a.le(b),
            },
            Sort::BitVec(_) => match kind {
                0 | 1 => a.eq(b),
                2 => Term::bv(Op::BvUle, &[a, b]),
                _ => Term::bv(Op::BvSle, &[a, b]),
            },
            Sort::Bool | Sort::Enum(_) => a.eq(b),
        }
    }

    fn sum(&mut self, sort: Sort, depth: u32) -> Term {
        let summands: Vec<Term> = (0..2 + self.random.below(2))
            .map(|_| self.term(sort, depth))
            .collect();
        Term::add(&summands)
    }

    fn integer(&mut self, depth: u32) -> Term {
        match self.random.below(10) {
            0..=2 => self.sum(Sort::Int, depth),
            3 => self.term(Sort::Int, depth).neg(),
            4 => {
                let left = self.term(Sort::Int, depth);
                left.sub(self.term(Sort::Int, depth))
            }
            5 => {
                let factor = self.constant(Sort::Int);
                factor.mul(self.term(Sort::Int, depth))
            }
            6 => {
                let dividend = self.term(Sort::Int, depth);
                dividend.int_div(self.constant(Sort::Int))
            }
            7 => {
                let dividend = self.term(Sort::Int, depth);
                dividend.modulo(self.constant(Sort::Int))
            }
            8 if self.shape.theory.reals => self.term(Sort::Real, depth).floor(),
            _ => self.leaf(Sort::Int),
        }
    }

    fn real(&mut self, depth: u32) -> Term {
        match self.random.below(10) {
            0..=2 => self.sum(Sort::Real, depth),
            3 => self.term(Sort::Real, depth).neg(),
            4 => {
                let left = self.term(Sort::Real, depth);
                left.sub(self.term(Sort::Real, depth))
            }
            5 => {
                let factor = self.constant(Sort::Real);
                factor.mul(self.term(Sort::Real, depth))
            }
            6 => {
                let dividend = self.term(Sort::Real, depth);
                dividend.div(self.constant(Sort::Real))
            }
            7 | 8 if self.shape.theory.integers => self.term(Sort::Int, depth).to_real(),
            _ => self.leaf(Sort::Real),
        }
    }

    fn bits(&mut self, width: u32, depth: u32) -> Term {
        const PAIRS: &[Op] = &[
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
        ];
        let sort = Sort::BitVec(width);
        match self.random.below(20) {
            0 => Term::bv(Op::BvNot, &[self.term(sort, depth)]),
            1 => Term::bv(Op::BvNeg, &[self.term(sort, depth)]),
            2 | 3 if width > 1 => {
                let low = 1 + self.random.below(width as usize - 1) as u32;
                let high = self.term(Sort::BitVec(width - low), depth);
                Term::bv(Op::Concat, &[high, self.term(Sort::BitVec(low), depth)])
            }
            4 | 5 if width < WIDEST => {
                let more = 1 + self.random.below((WIDEST - width) as usize) as u32;
                let low = self.random.below(more as usize + 1) as u32;
                let whole = self.term(Sort::BitVec(width + more), depth);
                let high = low + width - 1;
                Term::bv(Op::Extract { high, low }, &[whole])
            }
            6 => self.leaf(sort),
            _ => {
                let op = self.random.below(PAIRS.len());
                let left = self.term(sort, depth);
                Term::bv(PAIRS[op].clone(), &[left, self.term(sort, depth)])
            }
        }
    }
}
