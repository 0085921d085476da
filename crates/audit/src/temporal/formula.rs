//! Formulas by sets of states: branching time by fixpoints, linear time by a tableau, distances.
//!
//! The tableau gives each temporal subformula a bit that says whether it is true here, which the step to
//! the next state ties to what is true there (Lichtenstein, Pnueli: Checking that finite state concurrent
//! programs satisfy their linear specification, 1985). It is written for this computation, and shares
//! nothing with the reduction that the engines use.

use super::diagram::{Answer, Column, Set};
use super::meaning::{Meanings, Reading};
use super::states::{Additions, States};
use proofmark_model::{
    Binary, Distance, Formula, Node, Quantifier, Steps, Subformula, Term, Unary,
};

/// The states that are reached, and those of them from which fair runs begin.
pub(super) struct Reached {
    pub(super) all: Set,
    pub(super) fair: Set,
}

/// The reached states that satisfy a formula of branching time.
pub(super) fn branching(
    meanings: &mut Meanings<'_>,
    states: &States,
    reached: &Reached,
    formula: &Formula<Term>,
) -> Answer<Set> {
    let tree = Tree { states, reached };
    let mut sets: Vec<Set> = Vec::new();
    for node in formula.nodes() {
        let of = |one: &Subformula| &sets[one.index()];
        let set = match node {
            Node::Atom(term) => meanings.truth(*term, Reading::State)?.and(&reached.all)?,
            Node::Not(a) => tree.not(of(a))?,
            Node::And(a, b) => of(a).and(of(b))?,
            Node::Or(a, b) => of(a).or(of(b))?,
            Node::Iff(a, b) => of(a).iff(of(b))?.and(&reached.all)?,
            Node::Unary(quantifier, operator, a) => {
                tree.unary(*quantifier == Some(Quantifier::All), *operator, of(a))?
            }
            Node::Binary(quantifier, Binary::Until(steps), a, b) => {
                let all = *quantifier == Some(Quantifier::All);
                tree.until(all, *steps, of(a), of(b))?
            }
            Node::Binary(..) => return Err("an operator that is not of branching time".into()),
        };
        sets.push(set);
    }
    sets.pop().ok_or_else(|| "an empty formula".into())
}

struct Tree<'a> {
    states: &'a States,
    reached: &'a Reached,
}

impl Tree<'_> {
    fn not(&self, set: &Set) -> Answer<Set> {
        self.reached.all.minus(set)
    }

    /// Some fair run goes on in a set.
    fn some_next(&self, set: &Set) -> Answer<Set> {
        let fair = set.and(&self.reached.fair)?;
        self.states.preimage(&fair)?.and(&self.reached.all)
    }

    /// Every fair run goes on in a set.
    fn all_next(&self, set: &Set) -> Answer<Set> {
        self.not(&self.some_next(&self.not(set)?)?)
    }

    fn next(&self, all: bool, set: &Set) -> Answer<Set> {
        match all {
            true => self.all_next(set),
            false => self.some_next(set),
        }
    }

    fn unary(&self, all: bool, operator: Unary, a: &Set) -> Answer<Set> {
        let reached = &self.reached.all;
        match operator {
            Unary::Next => self.next(all, a),
            Unary::Eventually(steps) => self.until(all, steps, reached, a),
            Unary::Always(None) if !all => self.states.fair(a),
            Unary::Always(steps) => {
                let violated = self.not(a)?;
                let broken = self.until(!all, steps, reached, &violated)?;
                self.not(&broken)
            }
            _ => Err("an operator that is not of branching time".into()),
        }
    }

    /// The second at a distance in the range, the first until then.
    fn until(&self, all: bool, steps: Option<Steps>, a: &Set, b: &Set) -> Answer<Set> {
        let (low, high) = match steps {
            None => (0, None),
            Some(steps) => (steps.low, steps.high),
        };
        let mut set = match high {
            None => self.unlimited(all, a, b)?,
            Some(high) => {
                let mut near = self.here(all, b)?;
                for _ in low..high {
                    let wider = near.or(&a.and(&self.next(all, &near)?)?)?;
                    if wider == near {
                        break;
                    }
                    near = wider;
                }
                near
            }
        };
        for _ in 0..low {
            let before = a.and(&self.next(all, &set)?)?;
            if before == set {
                break;
            }
            set = before;
        }
        Ok(set)
    }

    /// What a state has to be for a path to end in it.
    fn here(&self, all: bool, b: &Set) -> Answer<Set> {
        match all {
            true => b.or(&self.not(&self.reached.fair)?),
            false => b.and(&self.reached.fair),
        }
    }

    fn unlimited(&self, all: bool, a: &Set, b: &Set) -> Answer<Set> {
        if !all {
            return self.states.until(a, &self.here(false, b)?);
        }
        // Violated by a fair run without the second, or one that leaves the first before it.
        let without = self.not(b)?;
        let leaves = without.minus(a)?.and(&self.reached.fair)?;
        let broken = self.states.until(&without, &leaves)?;
        self.not(&broken.or(&self.states.fair(&without)?)?)
    }
}

/// The number that is asked for.
pub(super) fn distance(
    states: &States,
    reached: &Reached,
    longest: bool,
    from: &Set,
    to: &Set,
) -> Answer<Distance> {
    let from = from.and(&reached.fair)?;
    if from.is_empty() {
        return Ok(Distance::Undefined);
    }
    let mut steps = 0;
    if !longest {
        let to = to.and(&reached.fair)?;
        let (mut front, mut all) = (from.clone(), from);
        while front.and(&to)?.is_empty() {
            front = states.image(&front)?.and(&reached.fair)?.minus(&all)?;
            if front.is_empty() {
                return Ok(Distance::Infinite);
            }
            all = all.or(&front)?;
            steps += 1;
        }
        return Ok(Distance::Steps(steps));
    }
    let elsewhere = reached.fair.minus(to)?;
    let first = from.and(&elsewhere)?;
    let (mut circling, mut new) = (first.clone(), first.clone());
    while !new.is_empty() {
        new = states.image(&new)?.and(&elsewhere)?.minus(&circling)?;
        circling = circling.or(&new)?;
    }
    // What is left when states without a predecessor go is what a circle leads to.
    loop {
        let follows = circling.and(&states.image(&circling)?)?;
        if follows == circling {
            break;
        }
        circling = follows;
    }
    if !circling.is_empty() {
        return Ok(Distance::Infinite);
    }
    let mut front = first;
    while !front.is_empty() {
        front = states.image(&front)?.and(&elsewhere)?;
        steps += 1;
    }
    Ok(Distance::Steps(steps))
}

/// Bits that say what is true of the rest of a run, and of what came before.
pub(super) struct Tableau<'m, 's> {
    meanings: &'m mut Meanings<'s>,
    additions: Additions,
}

impl<'m, 's> Tableau<'m, 's> {
    /// What has to be added to a system for its fair runs to be those that violate a formula.
    pub(super) fn violating(
        meanings: &'m mut Meanings<'s>,
        formula: &Formula<Term>,
    ) -> Answer<Additions> {
        let init = meanings.diagrams.yes();
        let mut tableau = Tableau {
            meanings,
            additions: Additions {
                init,
                steps: Vec::new(),
                justice: Vec::new(),
            },
        };
        let mut sets: Vec<Set> = Vec::new();
        for node in formula.nodes() {
            let of = |one: &Subformula| sets[one.index()].clone();
            let set = match node {
                Node::Atom(term) => tableau.meanings.truth(*term, Reading::State)?,
                Node::Not(a) => of(a).not(),
                Node::And(a, b) => of(a).and(&of(b))?,
                Node::Or(a, b) => of(a).or(&of(b))?,
                Node::Iff(a, b) => of(a).iff(&of(b))?,
                Node::Unary(_, operator, a) => tableau.unary(*operator, of(a))?,
                Node::Binary(_, operator, a, b) => tableau.binary(*operator, &of(a), &of(b))?,
            };
            sets.push(set);
        }
        let holds = sets.pop().ok_or("an empty formula")?;
        let mut additions = tableau.additions;
        additions.init = additions.init.minus(&holds)?;
        Ok(additions)
    }

    /// A new bit, here and at the next state.
    fn bit(&mut self) -> Answer<(Set, Set)> {
        let level = self.meanings.fresh();
        let diagrams = &self.meanings.diagrams;
        Ok((diagrams.bit(level)?, diagrams.bit(level + 1)?))
    }

    fn ahead(set: &Set) -> Answer<Set> {
        set.moved(Column::Next)
    }

    fn step(&mut self, bit: &Set, is: &Set) -> Answer<()> {
        self.additions.steps.push(bit.iff(is)?);
        Ok(())
    }

    fn first(&mut self, bit: &Set, is: &Set) -> Answer<()> {
        self.additions.init = self.additions.init.and(&bit.iff(is)?)?;
        Ok(())
    }

    fn unary(&mut self, operator: Unary, a: Set) -> Answer<Set> {
        let yes = self.meanings.diagrams.yes();
        let no = yes.not();
        match operator {
            Unary::Next => self.next(&a),
            Unary::Yesterday => self.yesterday(&a, &no),
            Unary::WeakYesterday => self.yesterday(&a, &yes),
            Unary::Eventually(None) => self.until(&yes, &a),
            Unary::Always(None) => self.release(&no, &a),
            Unary::Once(None) => self.since(&yes, &a),
            Unary::Historically(None) => self.trigger(&no, &a),
            Unary::Eventually(Some(steps)) => self.later(steps, &a),
            Unary::Always(Some(steps)) => Ok(self.later(steps, &a.not())?.not()),
            Unary::Once(Some(steps)) => self.earlier(steps, &a),
            Unary::Historically(Some(steps)) => Ok(self.earlier(steps, &a.not())?.not()),
        }
    }

    fn binary(&mut self, operator: Binary, a: &Set, b: &Set) -> Answer<Set> {
        match operator {
            Binary::Until(_) => self.until(a, b),
            Binary::Release => self.release(a, b),
            Binary::Since => self.since(a, b),
            Binary::Trigger => self.trigger(a, b),
        }
    }

    fn next(&mut self, a: &Set) -> Answer<Set> {
        let (here, _) = self.bit()?;
        self.step(&here, &Self::ahead(a)?)?;
        Ok(here)
    }

    fn until(&mut self, a: &Set, b: &Set) -> Answer<Set> {
        let (here, there) = self.bit()?;
        self.step(&here, &b.or(&a.and(&there)?)?)?;
        self.additions.justice.push(here.not().or(b)?);
        Ok(here)
    }

    fn release(&mut self, a: &Set, b: &Set) -> Answer<Set> {
        let (here, there) = self.bit()?;
        self.step(&here, &b.and(&a.or(&there)?)?)?;
        self.additions.justice.push(here.or(&b.not())?);
        Ok(here)
    }

    fn yesterday(&mut self, a: &Set, first: &Set) -> Answer<Set> {
        let (here, there) = self.bit()?;
        self.first(&here, first)?;
        self.step(&there, a)?;
        Ok(here)
    }

    fn since(&mut self, a: &Set, b: &Set) -> Answer<Set> {
        let (here, there) = self.bit()?;
        self.first(&here, b)?;
        let (a, b) = (Self::ahead(a)?, Self::ahead(b)?);
        self.step(&there, &b.or(&a.and(&here)?)?)?;
        Ok(here)
    }

    fn trigger(&mut self, a: &Set, b: &Set) -> Answer<Set> {
        let (here, there) = self.bit()?;
        self.first(&here, b)?;
        let (a, b) = (Self::ahead(a)?, Self::ahead(b)?);
        self.step(&there, &b.and(&a.or(&here)?)?)?;
        Ok(here)
    }

    fn later(&mut self, steps: Steps, a: &Set) -> Answer<Set> {
        let yes = self.meanings.diagrams.yes();
        let mut set = match steps.high {
            None => self.until(&yes, a)?,
            Some(high) if high < steps.low => return Ok(yes.not()),
            Some(high) => {
                let mut set = a.clone();
                for _ in steps.low..high {
                    set = self.next(&set)?.or(a)?;
                }
                set
            }
        };
        for _ in 0..steps.low {
            set = self.next(&set)?;
        }
        Ok(set)
    }

    fn earlier(&mut self, steps: Steps, a: &Set) -> Answer<Set> {
        let yes = self.meanings.diagrams.yes();
        let no = yes.not();
        let mut set = match steps.high {
            None => self.since(&yes, a)?,
            Some(high) if high < steps.low => return Ok(no),
            Some(high) => {
                let mut set = a.clone();
                for _ in steps.low..high {
                    set = self.yesterday(&set, &no)?.or(a)?;
                }
                set
            }
        };
        for _ in 0..steps.low {
            set = self.yesterday(&set, &no)?;
        }
        Ok(set)
    }
}
