//! Exact rational numbers with a machine-word fast path.
//!
//! Almost every number a model checker meets is a small integer. A [`Rational`] is therefore
//! sixteen bytes: a 64-bit numerator and a 32-bit denominator, and only when a result does not
//! fit a boxed big rational. The representation is canonical (lowest terms, small whenever it
//! fits), so equality and hashing are structural. Integers are rationals with denominator 1;
//! one number type serves the evaluator, the simulator and the simplex tableau alike.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

type BigRational = Ratio<BigInt>;

/// An exact rational number of unbounded size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// Invariants: a small number is in lowest terms with `den >= 1` and `num > i64::MIN`;
/// a big one does not fit the small form.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small { num: i64, den: u32 },
    Big(Box<BigRational>),
}
use Repr::{Big, Small};

impl Rational {
    /// The number 0.
    pub const ZERO: Rational = Rational(Small { num: 0, den: 1 });
    /// The number 1.
    pub const ONE: Rational = Rational(Small { num: 1, den: 1 });
    /// The number -1.
    pub const MINUS_ONE: Rational = Rational(Small { num: -1, den: 1 });

    /// The fraction `num / den`. Panics when `den` is zero.
    pub fn new(num: i64, den: i64) -> Rational {
        assert!(den != 0, "a rational needs a denominator other than zero");
        reduce(num as i128, den as i128)
    }

    /// The fraction `num / den`. Panics when `den` is zero.
    pub fn from_big(num: BigInt, den: BigInt) -> Rational {
        assert!(
            !den.is_zero(),
            "a rational needs a denominator other than zero"
        );
        shrink(BigRational::new(num, den))
    }

    /// Whether it is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small { num: 0, .. })
    }

    /// Whether it is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small { num: 1, den: 1 })
    }

    /// Whether it is -1.
    #[inline]
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Small { num: -1, den: 1 })
    }

    /// Whether it is below 0.
    #[inline]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small { num, .. } => *num < 0,
            Big(big) => big.is_negative(),
        }
    }

    /// Whether it is above 0.
    #[inline]
    pub fn is_positive(&self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// Whether the denominator is 1.
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small { den, .. } => *den == 1,
            Big(big) => big.is_integer(),
        }
    }

    /// The number as a machine integer, when it is one.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small { num, den: 1 } => Some(num),
            _ => None,
        }
    }

    /// Of the reduced fraction; it has the sign.
    pub fn numerator(&self) -> BigInt {
        match &self.0 {
            Small { num, .. } => BigInt::from(*num),
            Big(big) => big.numer().clone(),
        }
    }

    /// Of the reduced fraction; always positive.
    pub fn denominator(&self) -> BigInt {
        match &self.0 {
            Small { den, .. } => BigInt::from(*den),
            Big(big) => big.denom().clone(),
        }
    }

    /// The greatest integer not above.
    #[inline]
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Small { den: 1, .. } => self.clone(),
            Small { num, den } => Rational::from(num.div_euclid(i64::from(*den))),
            Big(big) => shrink(big.floor()),
        }
    }

    /// The least integer not below.
    #[inline]
    pub fn ceil(&self) -> Rational {
        -(-self).floor()
    }

    /// The number without its sign.
    pub fn abs(&self) -> Rational {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// `1 / self`. Panics on zero.
    pub fn recip(&self) -> Rational {
        match &self.0 {
            Small { num: 1, den: 1 } | Small { num: -1, den: 1 } => self.clone(),
            Small { num, den } => {
                assert!(*num != 0, "division by zero");
                reduce(i128::from(*den), i128::from(*num))
            }
            Big(big) => shrink(big.recip()),
        }
    }

    /// `self += factor * other`, the inner loop of every tableau operation.
    #[inline]
    pub fn add_mul(&mut self, factor: &Rational, other: &Rational) {
        if let (Small { num: a, den: 1 }, Small { num: f, den: 1 }, Small { num: b, den: 1 }) =
            (&mut self.0, &factor.0, &other.0)
            && let Some(product) = f.checked_mul(*b)
            && let Some(sum) = a.checked_add(product)
            && sum != i64::MIN
        {
            *a = sum;
            return;
        }
        *self += &(factor * other);
    }

    /// Euclidean quotient of two integers: the remainder is never negative. Panics on a zero divisor.
    pub fn div_euclid(&self, divisor: &Rational) -> Rational {
        let quotient = (self / &divisor.abs()).floor();
        if divisor.is_negative() {
            -quotient
        } else {
            quotient
        }
    }

    /// Euclidean remainder of two integers, in `0 .. |divisor|`. Panics on a zero divisor.
    pub fn rem_euclid(&self, divisor: &Rational) -> Rational {
        self - &(&self.div_euclid(divisor) * divisor)
    }

    /// Greatest common divisor of the numerators over the least common multiple of the
    /// denominators: the largest number of which both are integer multiples.
    pub fn gcd(&self, other: &Rational) -> Rational {
        if let (Small { num: a, den: 1 }, Small { num: b, den: 1 }) = (&self.0, &other.0) {
            return Rational::from(a.gcd(b));
        }
        let num = self.numerator().gcd(&other.numerator());
        let den = self.denominator().lcm(&other.denominator());
        Rational::from_big(num, den)
    }

    /// Rough size of a number that is on the heap, in bits; zero on the fast path.
    pub fn heap_bits(&self) -> u64 {
        match &self.0 {
            Small { .. } => 0,
            Big(big) => big.numer().bits() + big.denom().bits(),
        }
    }

    fn big(&self) -> BigRational {
        match &self.0 {
            Small { num, den } => BigRational::new_raw((*num).into(), (*den).into()),
            Big(big) => (**big).clone(),
        }
    }
}

/// Brings a fraction of machine numbers into canonical form.
#[inline]
fn reduce(mut num: i128, mut den: i128) -> Rational {
    if den < 0 {
        (num, den) = (-num, -den);
    }
    if den != 1 {
        let gcd = gcd_u128(num.unsigned_abs(), den as u128) as i128;
        if gcd > 1 {
            (num, den) = (num / gcd, den / gcd);
        }
    }
    match (i64::try_from(num), u32::try_from(den)) {
        (Ok(num), Ok(den)) if num != i64::MIN => Rational(Small { num, den }),
        _ => Rational(Big(Box::new(BigRational::new_raw(num.into(), den.into())))),
    }
}

fn gcd_u128(a: u128, b: u128) -> u128 {
    if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
        return u128::from(a.gcd(&b));
    }
    a.gcd(&b)
}

/// Brings a reduced big fraction into canonical form.
#[cold]
fn shrink(big: BigRational) -> Rational {
    match (big.numer().to_i64(), big.denom().to_u32()) {
        (Some(num), Some(den)) if num != i64::MIN => Rational(Small { num, den }),
        _ => Rational(Big(Box::new(big))),
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(num: i64) -> Rational {
        if num == i64::MIN {
            return Rational(Big(Box::new(BigRational::from_integer(num.into()))));
        }
        Rational(Small { num, den: 1 })
    }
}

impl From<BigInt> for Rational {
    fn from(num: BigInt) -> Rational {
        shrink(BigRational::from_integer(num))
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::ZERO
    }
}

#[inline]
fn add(a: &Rational, b: &Rational) -> Rational {
    match (&a.0, &b.0) {
        (Small { num: a, den: 1 }, Small { num: b, den: 1 }) => match a.checked_add(*b) {
            Some(sum) => Rational::from(sum),
            None => reduce(i128::from(*a) + i128::from(*b), 1),
        },
        (Small { num: a, den: d }, Small { num: b, den: e }) => {
            let (d, e) = (i128::from(*d), i128::from(*e));
            reduce(i128::from(*a) * e + i128::from(*b) * d, d * e)
        }
        // The greatest common divisor of a long number and one is not worth its time.
        _ if a.is_integer() && b.is_integer() => Rational::from(a.numerator() + b.numerator()),
        _ => shrink(a.big() + b.big()),
    }
}

#[inline]
fn mul(a: &Rational, b: &Rational) -> Rational {
    match (&a.0, &b.0) {
        (Small { num: a, den: 1 }, Small { num: b, den: 1 }) => match a.checked_mul(*b) {
            Some(product) => Rational::from(product),
            None => reduce(i128::from(*a) * i128::from(*b), 1),
        },
        (Small { num: a, den: d }, Small { num: b, den: e }) => reduce(
            i128::from(*a) * i128::from(*b),
            i128::from(*d) * i128::from(*e),
        ),
        _ if a.is_integer() && b.is_integer() => Rational::from(a.numerator() * b.numerator()),
        _ => shrink(a.big() * b.big()),
    }
}

#[inline]
fn neg(a: &Rational) -> Rational {
    match &a.0 {
        Small { num, den } => Rational(Small {
            num: -num,
            den: *den,
        }),
        Big(big) => shrink(-(**big).clone()),
    }
}

macro_rules! binary {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl $trait for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: Rational) -> Rational {
                let ($a, $b) = (&self, &other);
                $body
            }
        }
    };
}
binary!(Add, add, |a, b| add(a, b));
binary!(Sub, sub, |a, b| add(a, &neg(b)));
binary!(Mul, mul, |a, b| mul(a, b));
binary!(Div, div, |a, b| mul(a, &b.recip()));

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        neg(self)
    }
}

impl Neg for Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        neg(&self)
    }
}

impl AddAssign<&Rational> for Rational {
    #[inline]
    fn add_assign(&mut self, other: &Rational) {
        *self = add(self, other);
    }
}

impl SubAssign<&Rational> for Rational {
    #[inline]
    fn sub_assign(&mut self, other: &Rational) {
        *self = add(self, &neg(other));
    }
}

impl MulAssign<&Rational> for Rational {
    #[inline]
    fn mul_assign(&mut self, other: &Rational) {
        *self = mul(self, other);
    }
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Small { num: a, den: d }, Small { num: b, den: e }) if d == e => a.cmp(b),
            (Small { num: a, den: d }, Small { num: b, den: e }) => {
                (i128::from(*a) * i128::from(*e)).cmp(&(i128::from(*b) * i128::from(*d)))
            }
            _ => self.big().cmp(&other.big()),
        }
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small { num, den: 1 } => write!(f, "{num}"),
            Small { num, den } => write!(f, "{num}/{den}"),
            Big(big) if big.denom().is_one() => write!(f, "{}", big.numer()),
            Big(big) => write!(f, "{}/{}", big.numer(), big.denom()),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interesting() -> Vec<Rational> {
        let ints = [
            0,
            1,
            -1,
            2,
            -3,
            7,
            i64::MAX,
            -i64::MAX,
            i64::MIN,
            1 << 40,
            u32::MAX as i64 + 1,
        ];
        let mut all = Vec::new();
        for num in ints {
            for den in [
                1,
                2,
                3,
                1 << 31,
                u32::MAX as i64,
                u32::MAX as i64 + 1,
                i64::MAX,
            ] {
                all.push(Rational::new(num, den));
            }
        }
        all
    }

    #[test]
    fn the_fast_path_agrees_with_big_rationals_at_the_edges() {
        for a in interesting() {
            assert_eq!(shrink(a.big()), a);
            assert_eq!((-&a).big(), -a.big());
            assert_eq!(a.floor().big(), a.big().floor());
            assert_eq!(a.ceil().big(), a.big().ceil());
            for b in interesting() {
                assert_eq!((&a + &b).big(), a.big() + b.big());
                assert_eq!((&a - &b).big(), a.big() - b.big());
                assert_eq!((&a * &b).big(), a.big() * b.big());
                assert_eq!(a.cmp(&b), a.big().cmp(&b.big()));
                assert_eq!(a == b, a.big() == b.big());
                let mut c = Rational::new(5, 3);
                c.add_mul(&a, &b);
                assert_eq!(c, &Rational::new(5, 3) + &(&a * &b));
                if !b.is_zero() {
                    assert_eq!((&a / &b).big(), a.big() / b.big());
                }
            }
        }
    }

    #[test]
    fn division_and_remainder_are_euclidean() {
        for (a, b, q, r) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -3, 1),
            (-7, -2, 4, 1),
            (6, 3, 2, 0),
        ] {
            let (a, b) = (Rational::from(a), Rational::from(b));
            assert_eq!(a.div_euclid(&b), Rational::from(q));
            assert_eq!(a.rem_euclid(&b), Rational::from(r));
        }
    }

    #[test]
    fn a_rational_is_sixteen_bytes() {
        assert_eq!(size_of::<Rational>(), 16);
    }
}
