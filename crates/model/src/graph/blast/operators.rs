//! Operators of terms as circuits.

use super::{Blaster, Code, Context, NotFinite, enum_width};
use crate::graph::number::{Number, WIDEST};
use crate::graph::signal::Signal;
use crate::graph::words::constant;
use crate::sort::Sort;
use crate::term::{Op, Term};
use crate::value::Value;
use std::sync::Arc;

impl Blaster<'_> {
    fn known(&self, context: Context, term: Term) -> &Code {
        &self.known[&(context, term)]
    }

    fn bit(&self, context: Context, term: Term) -> Signal {
        self.known(context, term).signals()[0]
    }

    fn bits(&self, context: Context, term: Term) -> Arc<[Signal]> {
        match self.known(context, term) {
            Code::Bits(bits) => bits.clone(),
            other => other.signals().into(),
        }
    }

    fn number(&self, context: Context, term: Term) -> Arc<Number> {
        match self.known(context, term) {
            Code::Number(number) => number.clone(),
            _ => unreachable!("{term:?} is an integer"),
        }
    }

    /// An operator whose arguments are known.
    pub(super) fn operator(&mut self, context: Context, term: Term) -> Result<Code, NotFinite> {
        let args = term.args();
        match term.op() {
            Op::Const(value) => constant_code(value).ok_or_else(|| no_bits(term)),
            Op::Not => Ok(Code::Bit(!self.bit(context, args[0]))),
            Op::And | Op::Or => {
                let bits: Vec<Signal> = args.iter().map(|arg| self.bit(context, *arg)).collect();
                let graph = &mut self.netlist.graph;
                Ok(Code::Bit(match term.op() {
                    Op::And => graph.and_all(&bits),
                    _ => graph.or_all(&bits),
                }))
            }
            Op::Eq => Ok(Code::Bit(self.equality(context, args[0], args[1]))),
            Op::Ite => Ok(self.conditional(context, args)),
            Op::Le if args[0].sort() == Sort::Int => {
                let (a, b) = (self.number(context, args[0]), self.number(context, args[1]));
                Ok(Code::Bit(self.netlist.graph.number_le(&a, &b)))
            }
            Op::BvUle | Op::BvSle => {
                let (a, b) = (self.bits(context, args[0]), self.bits(context, args[1]));
                let graph = &mut self.netlist.graph;
                Ok(Code::Bit(match term.op() {
                    Op::BvUle => graph.unsigned_le(&a, &b),
                    _ => graph.signed_le(&a, &b),
                }))
            }
            Op::Add | Op::Mul | Op::IntDiv | Op::Mod if term.sort() == Sort::Int => {
                let number = self.arithmetic(context, term)?;
                Ok(Code::Number(Arc::new(number)))
            }
            _ if term.sort().is_bits() && !matches!(term.op(), Op::Apply(_) | Op::Var(_)) => {
                Ok(Code::Bits(self.bit_operator(context, term).into()))
            }
            _ => Err(no_bits(term)),
        }
    }

    fn equality(&mut self, context: Context, a: Term, b: Term) -> Signal {
        let (a, b) = (
            self.known(context, a).clone(),
            self.known(context, b).clone(),
        );
        let graph = &mut self.netlist.graph;
        match (&a, &b) {
            (Code::Number(a), Code::Number(b)) => graph.number_equal(a, b),
            _ => graph.equal(a.signals(), b.signals()),
        }
    }

    fn conditional(&mut self, context: Context, args: &[Term]) -> Code {
        let condition = self.bit(context, args[0]);
        let (a, b) = (
            self.known(context, args[1]).clone(),
            self.known(context, args[2]).clone(),
        );
        let graph = &mut self.netlist.graph;
        match (&a, &b) {
            _ if condition == Signal::TRUE => a,
            _ if condition == Signal::FALSE => b,
            (Code::Bit(a), Code::Bit(b)) => Code::Bit(graph.mux(condition, *a, *b)),
            (Code::Number(a), Code::Number(b)) => {
                Code::Number(Arc::new(graph.choose_number(condition, a, b)))
            }
            _ => Code::Bits(graph.choose(condition, a.signals(), b.signals()).into()),
        }
    }

    fn arithmetic(&mut self, context: Context, term: Term) -> Result<Number, NotFinite> {
        let args = term.args();
        let numbers: Vec<Arc<Number>> = args.iter().map(|arg| self.number(context, *arg)).collect();
        let graph = &mut self.netlist.graph;
        let result = match term.op() {
            Op::Add => {
                let mut sum = Some(Number::constant(0));
                for number in &numbers {
                    sum = sum.and_then(|sum| graph.add_numbers(&sum, number));
                }
                sum
            }
            Op::Mul => graph.multiply_numbers(&numbers[0], &numbers[1]),
            op => {
                let divisor = args[1].as_const().and_then(Value::as_number);
                let divisor = divisor.and_then(|number| number.to_i64());
                let Some(divisor) = divisor.filter(|divisor| *divisor != 0) else {
                    return Err(NotFinite {
                        variable: None,
                        why: format!("a division by something else than a constant: {term:?}"),
                    });
                };
                let divided = graph.divide_number(&numbers[0], divisor.into());
                divided.map(|(quotient, remainder)| match op {
                    Op::Mod => remainder,
                    _ => quotient,
                })
            }
        };
        result.ok_or_else(|| NotFinite {
            variable: None,
            why: format!("integers of more than {WIDEST} bits: {term:?}"),
        })
    }

    fn bit_operator(&mut self, context: Context, term: Term) -> Vec<Signal> {
        let args = term.args();
        let a = self.bits(context, args[0]);
        let b = args.get(1).map_or_else(
            || Arc::new([]) as Arc<[Signal]>,
            |arg| self.bits(context, *arg),
        );
        let graph = &mut self.netlist.graph;
        match term.op() {
            Op::Concat => b.iter().chain(a.iter()).copied().collect(),
            Op::Extract { high, low } => a[*low as usize..=*high as usize].to_vec(),
            Op::BvNot => a.iter().map(|bit| !*bit).collect(),
            Op::BvNeg => graph.negate(&a),
            Op::BvAnd => graph.bitwise_and(&a, &b),
            Op::BvOr => graph.bitwise_or(&a, &b),
            Op::BvXor => graph.bitwise_xor(&a, &b),
            Op::BvAdd => graph.add(&a, &b, Signal::FALSE),
            Op::BvMul => graph.multiply(&a, &b),
            Op::BvUdiv => graph.divide(&a, &b).0,
            Op::BvUrem => graph.divide(&a, &b).1,
            Op::BvShl => graph.shift_up(&a, &b, Signal::FALSE),
            Op::BvLshr => graph.shift_down(&a, &b, Signal::FALSE),
            Op::BvAshr => graph.shift_down(&a, &b, a[a.len() - 1]),
            op => unreachable!("{op:?} yields no bit-vector"),
        }
    }
}

fn no_bits(term: Term) -> NotFinite {
    NotFinite {
        variable: None,
        why: format!("a value that has no bits: {term:?}"),
    }
}

pub(super) fn constant_code(value: &Value) -> Option<Code> {
    Some(match value {
        Value::Bool(value) => Code::Bit(Signal::constant(*value)),
        Value::Int(number) => Code::Number(Arc::new(Number::constant(number.to_i64()?.into()))),
        Value::Real(_) => return None,
        Value::BitVec(bits) => {
            let bits = (0..bits.width()).map(|at| Signal::constant(bits.bit(at)));
            Code::Bits(bits.collect())
        }
        Value::Enum(sort, index) => {
            let width = enum_width(sort.values().len());
            Code::Bits(constant(i128::from(*index), width).into())
        }
    })
}
