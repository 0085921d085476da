//! Branching time: the states that satisfy a formula, and distances.

use super::encode::Encoder;
use super::space::Space;
use super::store::{Answer, Diagram, and, is_empty, minus, or};
use proofmark_model::{Binary, Distance, Formula, Node, Quantifier, Steps, Term, Unary};

/// Where the states are looked for, and from which of them fair runs begin.
pub(super) struct Universe {
    /// The states that are reached.
    pub(super) all: Diagram,
    pub(super) fair: Diagram,
}

impl Space<'_> {
    /// For every node of a formula the states that satisfy it.
    pub(super) fn branching(
        &mut self,
        encoder: &mut Encoder,
        universe: &Universe,
        formula: &Formula<Term>,
    ) -> Answer<Vec<Diagram>> {
        let mut sets: Vec<Diagram> = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            encoder.store.check()?;
            let all = &universe.all;
            let set = match *node {
                Node::Atom(term) => and(&self.set(encoder, term)?, all)?,
                Node::Not(a) => minus(all, &sets[a.index()])?,
                Node::And(a, b) => and(&sets[a.index()], &sets[b.index()])?,
                Node::Or(a, b) => or(&sets[a.index()], &sets[b.index()])?,
                Node::Iff(a, b) => {
                    let (a, b) = (&sets[a.index()], &sets[b.index()]);
                    minus(all, &or(&minus(a, b)?, &minus(b, a)?)?)?
                }
                Node::Unary(quantifier, operator, a) => {
                    let operand = sets[a.index()].clone();
                    self.unary(encoder, universe, quantifier, operator, &operand)?
                }
                Node::Binary(quantifier, operator, a, b) => {
                    let (a, b) = (sets[a.index()].clone(), sets[b.index()].clone());
                    self.binary(encoder, universe, quantifier, operator, &a, &b)?
                }
            };
            sets.push(set);
        }
        Ok(sets)
    }

    fn unary(
        &self,
        encoder: &Encoder,
        universe: &Universe,
        quantifier: Option<Quantifier>,
        operator: Unary,
        a: &Diagram,
    ) -> Answer<Diagram> {
        let all = &universe.all;
        // What holds on all runs is what no run violates.
        if quantifier == Some(Quantifier::All) {
            let violated = minus(all, a)?;
            let dual = match operator {
                Unary::Eventually(steps) => Unary::Always(steps),
                Unary::Always(steps) => Unary::Eventually(steps),
                other => other,
            };
            let some = self.unary(encoder, universe, Some(Quantifier::Exists), dual, &violated)?;
            return minus(all, &some);
        }
        let good = and(a, &universe.fair)?;
        match operator {
            Unary::Eventually(None) => self.until(encoder, all, &good),
            Unary::Always(None) => self.fair_within(encoder, a),
            Unary::Eventually(Some(steps)) => {
                let start = match steps.high {
                    Some(_) => good.clone(),
                    None => self.until(encoder, all, &good)?,
                };
                let near =
                    self.repeat(encoder, width(steps), start, |before| or(&good, &before))?;
                self.repeat(encoder, steps.low, near, |before| and(&before, all))
            }
            Unary::Always(Some(steps)) => {
                let start = match steps.high {
                    Some(_) => good.clone(),
                    None => self.fair_within(encoder, a)?,
                };
                let near = self.repeat(encoder, width(steps), start, |before| and(a, &before))?;
                self.repeat(encoder, steps.low, near, |before| and(&before, all))
            }
            // Formulas of branching time have no other.
            _ => and(&self.relation.preimage(&encoder.store, &good)?, all),
        }
    }

    fn binary(
        &self,
        encoder: &Encoder,
        universe: &Universe,
        quantifier: Option<Quantifier>,
        operator: Binary,
        a: &Diagram,
        b: &Diagram,
    ) -> Answer<Diagram> {
        let all = &universe.all;
        let steps = match operator {
            Binary::Until(steps) => steps,
            _ => None,
        };
        match (quantifier, steps) {
            (Some(Quantifier::All), None) => {
                let (not_a, not_b) = (minus(all, a)?, minus(all, b)?);
                let neither = and(&and(&not_a, &not_b)?, &universe.fair)?;
                let broken = self.until(encoder, &not_b, &neither)?;
                let never = self.fair_within(encoder, &not_b)?;
                minus(all, &or(&broken, &never)?)
            }
            (_, None) => self.until(encoder, a, &and(b, &universe.fair)?),
            (Some(Quantifier::All), Some(steps)) => {
                // All successors from which fair runs begin.
                let forall = |set: &Diagram| -> Answer<Diagram> {
                    let bad = minus(&universe.fair, set)?;
                    minus(all, &self.relation.preimage(&encoder.store, &bad)?)
                };
                let mut set = match steps.high {
                    Some(_) => b.clone(),
                    None => {
                        self.binary(encoder, universe, quantifier, Binary::Until(None), a, b)?
                    }
                };
                for _ in 0..width(steps) {
                    encoder.store.check()?;
                    let next = or(b, &and(a, &forall(&set)?)?)?;
                    if next == set {
                        break;
                    }
                    set = next;
                }
                for _ in 0..steps.low {
                    encoder.store.check()?;
                    let next = and(a, &forall(&set)?)?;
                    if next == set {
                        break;
                    }
                    set = next;
                }
                Ok(set)
            }
            (_, Some(steps)) => {
                let good = and(b, &universe.fair)?;
                let start = match steps.high {
                    Some(_) => good.clone(),
                    None => self.until(encoder, a, &good)?,
                };
                let near = self.repeat(encoder, width(steps), start, |before| {
                    or(&good, &and(a, &before)?)
                })?;
                self.repeat(encoder, steps.low, near, |before| and(a, &before))
            }
        }
    }

    /// Goes back so many steps, or until nothing changes.
    fn repeat(
        &self,
        encoder: &Encoder,
        times: u32,
        mut set: Diagram,
        mut combine: impl FnMut(Diagram) -> Answer<Diagram>,
    ) -> Answer<Diagram> {
        for _ in 0..times {
            encoder.store.check()?;
            let next = combine(self.relation.preimage(&encoder.store, &set)?)?;
            if next == set {
                break;
            }
            set = next;
        }
        Ok(set)
    }

    /// The least number of steps from one set to another.
    pub(super) fn shortest(
        &self,
        encoder: &Encoder,
        universe: &Universe,
        from: &Diagram,
        to: &Diagram,
    ) -> Answer<Distance> {
        let store = &encoder.store;
        let from = and(from, &universe.fair)?;
        let to = and(to, &universe.fair)?;
        if is_empty(&from) || is_empty(&to) {
            return Ok(if is_empty(&from) {
                Distance::Undefined
            } else {
                Distance::Infinite
            });
        }
        let (mut all, mut frontier) = (from.clone(), from);
        let mut steps = 0;
        loop {
            store.check()?;
            if !is_empty(&and(&frontier, &to)?) {
                return Ok(Distance::Steps(steps));
            }
            let next = and(&self.relation.image(store, &frontier)?, &universe.fair)?;
            frontier = minus(&next, &all)?;
            if is_empty(&frontier) {
                return Ok(Distance::Infinite);
            }
            all = or(&all, &frontier)?;
            steps += 1;
        }
    }

    /// The greatest number of steps from one set before another is reached.
    pub(super) fn longest(
        &self,
        encoder: &Encoder,
        universe: &Universe,
        from: &Diagram,
        to: &Diagram,
    ) -> Answer<Distance> {
        let store = &encoder.store;
        let from = and(from, &universe.fair)?;
        if is_empty(&from) {
            return Ok(Distance::Undefined);
        }
        let elsewhere = minus(&universe.fair, to)?;
        // The states from which so many states outside can follow each other.
        let mut long = elsewhere.clone();
        let mut steps = 0;
        loop {
            store.check()?;
            if is_empty(&and(&from, &long)?) {
                return Ok(Distance::Steps(steps));
            }
            let longer = and(&elsewhere, &self.relation.preimage(store, &long)?)?;
            if longer == long {
                return Ok(Distance::Infinite);
            }
            long = longer;
            steps += 1;
        }
    }
}

fn width(steps: Steps) -> u32 {
    steps.high.map_or(0, |high| high.saturating_sub(steps.low))
}
