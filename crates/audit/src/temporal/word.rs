//! A formula of linear time on a run that goes round, by its meaning.
//!
//! What looks ahead comes back from the end of the loop to its beginning. What looks back has settled
//! after some rounds: since and its kin remember one bit, whose value at the beginning of a round is the
//! same from the second round on, and what counts steps back sees no further than it counts. So the loop
//! is written out as often as that, and the last round is the one that goes on for ever.

use proofmark_model::{Binary, Formula, Node, Steps, Term, Unary};

/// The places of a run: so many, of which those from `back` on come again and again.
pub(super) struct Word {
    length: usize,
    back: usize,
    /// How many places there are with all rounds written out, and where the last round begins.
    count: usize,
    last: usize,
}

/// More truth values than this are not computed.
const MANY: usize = 50_000_000;

impl Word {
    /// A word long enough for a formula; none where that is too long.
    pub(super) fn new(formula: &Formula<Term>, length: usize, back: usize) -> Option<Word> {
        let round = length.checked_sub(back).filter(|round| *round > 0)?;
        let mut rounds = 0usize;
        for node in formula.nodes() {
            let steps = match node {
                Node::Unary(_, Unary::Once(steps) | Unary::Historically(steps), _) => *steps,
                Node::Unary(_, Unary::Yesterday | Unary::WeakYesterday, _) => None,
                Node::Binary(_, Binary::Since | Binary::Trigger, ..) => None,
                _ => continue,
            };
            let far = steps.map_or(0, |steps| steps.high.unwrap_or(steps.low) as usize);
            rounds = rounds.checked_add(2 + far / round)?;
        }
        let count = rounds.checked_mul(round)?.checked_add(length)?;
        let all = count.checked_mul(formula.nodes().len())?;
        (all <= MANY).then_some(Word {
            length,
            back,
            count,
            last: count - round,
        })
    }

    /// The place of the run that a place of the word is.
    fn place(&self, at: usize) -> usize {
        match at < self.length {
            true => at,
            false => self.back + (at - self.back) % (self.length - self.back),
        }
    }

    /// The place so many steps on.
    fn ahead(&self, at: usize, steps: usize) -> usize {
        let far = at + steps;
        match far < self.count {
            true => far,
            false => self.last + (far - self.last) % (self.count - self.last),
        }
    }

    /// Whether a formula is true at the first place; `atom` tells of atoms at places of the run.
    pub(super) fn satisfies(
        &self,
        formula: &Formula<Term>,
        mut atom: impl FnMut(Term, usize) -> Option<bool>,
    ) -> Option<bool> {
        let mut truth: Vec<Vec<bool>> = Vec::new();
        for node in formula.nodes() {
            let of = |one: &proofmark_model::Subformula| &truth[one.index()];
            let map = |value: &dyn Fn(usize) -> bool| (0..self.count).map(value).collect();
            let set: Vec<bool> = match node {
                Node::Atom(term) => {
                    let run: Option<Vec<bool>> =
                        (0..self.length).map(|at| atom(*term, at)).collect();
                    let run = run?;
                    map(&|at| run[self.place(at)])
                }
                Node::Not(a) => map(&|at| !of(a)[at]),
                Node::And(a, b) => map(&|at| of(a)[at] && of(b)[at]),
                Node::Or(a, b) => map(&|at| of(a)[at] || of(b)[at]),
                Node::Iff(a, b) => map(&|at| of(a)[at] == of(b)[at]),
                Node::Unary(_, operator, a) => self.unary(*operator, of(a)),
                Node::Binary(_, operator, a, b) => self.binary(*operator, of(a), of(b)),
            };
            truth.push(set);
        }
        truth.last()?.first().copied()
    }

    fn unary(&self, operator: Unary, a: &[bool]) -> Vec<bool> {
        let not_a = || -> Vec<bool> { a.iter().map(|one| !one).collect() };
        let flip = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|one| !one).collect() };
        let places = 0..self.count;
        match operator {
            Unary::Next => places.map(|at| a[self.ahead(at, 1)]).collect(),
            Unary::Yesterday => places.map(|at| at > 0 && a[at - 1]).collect(),
            Unary::WeakYesterday => places.map(|at| at == 0 || a[at - 1]).collect(),
            Unary::Eventually(steps) => self.later(steps, a),
            Unary::Always(steps) => flip(self.later(steps, &not_a())),
            Unary::Once(steps) => self.earlier(steps, a),
            Unary::Historically(steps) => flip(self.earlier(steps, &not_a())),
        }
    }

    fn binary(&self, operator: Binary, a: &[bool], b: &[bool]) -> Vec<bool> {
        let not = |set: &[bool]| -> Vec<bool> { set.iter().map(|one| !one).collect() };
        match operator {
            Binary::Until(_) => self.until(a, b),
            Binary::Release => not(&self.until(&not(a), &not(b))),
            Binary::Since => self.since(a, b),
            Binary::Trigger => not(&self.since(&not(a), &not(b))),
        }
    }

    /// The least solution of "b, or a and so at the next place": two rounds from behind find it.
    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut set = vec![false; self.count];
        for _ in 0..2 {
            for at in (0..self.count).rev() {
                set[at] = b[at] || (a[at] && set[self.ahead(at, 1)]);
            }
        }
        set
    }

    fn since(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut set: Vec<bool> = Vec::with_capacity(self.count);
        for at in 0..self.count {
            let before = set.last().copied().unwrap_or(false);
            set.push(b[at] || (a[at] && before));
        }
        set
    }

    fn later(&self, steps: Option<Steps>, a: &[bool]) -> Vec<bool> {
        let yes = vec![true; self.count];
        let Some(steps) = steps else {
            return self.until(&yes, a);
        };
        let low = steps.low as usize;
        let near = match steps.high {
            None => self.until(&yes, a),
            Some(high) => {
                // So many steps to the next place at which it is true.
                let mut distance = vec![usize::MAX; self.count];
                for _ in 0..2 {
                    for at in (0..self.count).rev() {
                        let beyond = distance[self.ahead(at, 1)].saturating_add(1);
                        distance[at] = if a[at] { 0 } else { beyond };
                    }
                }
                let width = (high as usize).checked_sub(low);
                let within = |one: &usize| width.is_some_and(|width| *one <= width);
                distance.iter().map(within).collect()
            }
        };
        let places = 0..self.count;
        places.map(|at| near[self.ahead(at, low)]).collect()
    }

    fn earlier(&self, steps: Option<Steps>, a: &[bool]) -> Vec<bool> {
        let (low, high) = match steps {
            None => (0, None),
            Some(steps) => (steps.low as usize, steps.high.map(|high| high as usize)),
        };
        // The last place so far at which it is true.
        let mut latest = None;
        let mut seen = Vec::with_capacity(self.count);
        for (at, holds) in a.iter().enumerate() {
            latest = if *holds { Some(at) } else { latest };
            seen.push(latest);
        }
        let near = |at: usize| {
            let found = at.checked_sub(low).and_then(|upto| seen[upto]);
            found.is_some_and(|found| high.is_none_or(|high| at - found <= high))
        };
        (0..self.count).map(near).collect()
    }
}
