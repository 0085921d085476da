//! Operators as circuits.

use super::value::resize;
use proofmark_model::graph::{Graph, Signal, Word};

/// Sum and whether it overflows as signed numbers.
pub(super) fn add(graph: &mut Graph, a: &[Signal], b: &[Signal]) -> (Word, Signal) {
    let sum = graph.add(a, b, Signal::FALSE);
    let overflow = sign_lost(graph, sign(a), sign(b), sign(&sum));
    (sum, overflow)
}

/// Difference and whether it overflows as signed numbers.
pub(super) fn subtract(graph: &mut Graph, a: &[Signal], b: &[Signal]) -> (Word, Signal) {
    let inverted: Word = b.iter().map(|bit| !*bit).collect();
    let difference = graph.add(a, &inverted, Signal::TRUE);
    let overflow = sign_lost(graph, sign(a), !sign(b), sign(&difference));
    (difference, overflow)
}

fn sign(word: &[Signal]) -> Signal {
    word.last().copied().unwrap_or(Signal::FALSE)
}

/// Two numbers of one sign have a sum of the other.
fn sign_lost(graph: &mut Graph, a: Signal, b: Signal, sum: Signal) -> Signal {
    let same = graph.iff(a, b);
    let lost = graph.xor(a, sum);
    graph.and(same, lost)
}

/// Product and whether it overflows as signed numbers, which costs a product of twice the width: only where
/// somebody asks.
pub(super) fn multiply(graph: &mut Graph, a: &[Signal], b: &[Signal]) -> Word {
    // A row for each bit of the second factor that is not known to be zero.
    let zeros = |word: &[Signal]| word.iter().filter(|bit| **bit == Signal::FALSE).count();
    if zeros(a) > zeros(b) {
        graph.multiply(b, a)
    } else {
        graph.multiply(a, b)
    }
}

pub(super) fn multiply_overflows(graph: &mut Graph, a: &[Signal], b: &[Signal]) -> Signal {
    let width = a.len();
    let (wide_a, wide_b) = (resize(a, true, 2 * width), resize(b, true, 2 * width));
    let product = multiply(graph, &wide_a, &wide_b);
    let sign = product[width - 1];
    let differ: Word = product[width..]
        .iter()
        .map(|bit| graph.xor(*bit, sign))
        .collect();
    graph.or_all(&differ)
}

/// Quotient towards zero and remainder with the sign of the dividend.
pub(super) fn divide(graph: &mut Graph, a: &[Signal], b: &[Signal], signed: bool) -> (Word, Word) {
    if !signed {
        return graph.divide(a, b);
    }
    let (sign_a, sign_b) = (sign(a), sign(b));
    let size_a = negate_if(graph, sign_a, a);
    let size_b = negate_if(graph, sign_b, b);
    let (quotient, remainder) = graph.divide(&size_a, &size_b);
    let differ = graph.xor(sign_a, sign_b);
    let quotient = negate_if(graph, differ, &quotient);
    let remainder = negate_if(graph, sign_a, &remainder);
    (quotient, remainder)
}

fn negate_if(graph: &mut Graph, condition: Signal, word: &[Signal]) -> Word {
    let negated = graph.negate(word);
    graph.choose(condition, &negated, word)
}

/// Whether a number is the least of its width and another is -1: the one signed quotient that overflows.
pub(super) fn quotient_overflows(graph: &mut Graph, a: &[Signal], b: &[Signal]) -> Signal {
    let least = is_least(graph, a);
    let ones = graph.and_all(b);
    graph.and(least, ones)
}

/// Whether a number is the least of its width.
pub(super) fn is_least(graph: &mut Graph, a: &[Signal]) -> Signal {
    let (sign, rest) = a.split_last().expect("a number has bits");
    let zeros: Word = rest.iter().map(|bit| !*bit).collect();
    let zeros = graph.and_all(&zeros);
    graph.and(*sign, zeros)
}

pub(super) fn less_or_equal(graph: &mut Graph, a: &[Signal], b: &[Signal], signed: bool) -> Signal {
    if signed {
        graph.signed_le(a, b)
    } else {
        graph.unsigned_le(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::value::{constant_of, word};

    #[test]
    fn signed_operators_are_those_of_numbers() {
        let graph = &mut Graph::default();
        let value = |word: &[Signal]| constant_of(word).map(|bits| (bits << 59) as i64 >> 59);
        for a in -16i64..16 {
            for b in -16i64..16 {
                let (x, y) = (word(a as u64 & 31, 5), word(b as u64 & 31, 5));
                let fits = |number: i64| Signal::constant(!(-16..16).contains(&number));
                assert_eq!(add(graph, &x, &y).1, fits(a + b));
                assert_eq!(subtract(graph, &x, &y).1, fits(a - b));
                assert_eq!(multiply_overflows(graph, &x, &y), fits(a * b));
                if b != 0 && (a, b) != (-16, -1) {
                    let (quotient, remainder) = divide(graph, &x, &y, true);
                    assert_eq!(value(&quotient), Some(a / b));
                    assert_eq!(value(&remainder), Some(a % b));
                }
            }
        }
    }
}
