//! Evidence: paths and lassos through sets of states, and how much of a formula a path can show.

use super::branching::Universe;
use super::encode::Encoder;
use super::space::Space;
use super::store::{Answer, Bit, Diagram, GaveUp, and, is_empty, minus, or};
use proofmark_model::{Binary, Formula, Node, Quantifier, Subformula, Term, Trace, Unary, Value};

/// States one after the other.
#[derive(Clone, Default)]
pub(super) struct Path {
    states: Vec<State>,
    /// The state that follows the last, if the path goes on for ever.
    back: Option<usize>,
}

impl Path {
    /// The states, one after the other.
    pub(super) fn sets(&self) -> impl Iterator<Item = &Diagram> {
        self.states.iter().map(|one| &one.set)
    }
}

#[derive(Clone)]
struct State {
    values: Vec<bool>,
    set: Diagram,
    /// What the labels of the step out of it must satisfy.
    demand: Option<Diagram>,
}

/// A path as people see it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The variables of the states, and what labels the steps; the simulator computes the rest.
    pub trace: Trace,
    /// The step that follows the last, if the run goes on for ever.
    pub back: Option<usize>,
    /// Whether the path shows all there is to show; otherwise what it ends in has to be believed.
    pub complete: bool,
}

fn missing() -> GaveUp {
    // A set that was found not to be empty, or reachable, is not.
    unreachable!("a path through fixpoints always goes on")
}

impl Space<'_> {
    fn pick(&self, encoder: &Encoder, set: &Diagram) -> Answer<State> {
        let (values, set) = encoder
            .store
            .pick(set, &self.present)?
            .ok_or_else(missing)?;
        Ok(State {
            values,
            set,
            demand: None,
        })
    }

    /// A path that begins with some state of a set.
    pub(super) fn begin(&self, encoder: &Encoder, set: &Diagram) -> Answer<Path> {
        let states = vec![self.pick(encoder, set)?];
        Ok(Path { states, back: None })
    }

    /// Goes on to a target by a shortest path within a set; the first state may be the target unless a
    /// step is asked for.
    fn extend(
        &self,
        encoder: &Encoder,
        path: &mut Path,
        within: &Diagram,
        target: &Diagram,
        step: bool,
    ) -> Answer<bool> {
        let store = &encoder.store;
        let start = path.states[path.states.len() - 1].set.clone();
        if !step && !is_empty(&and(&start, target)?) {
            return Ok(true);
        }
        let mut rings = vec![start];
        let mut seen: Option<Diagram> = None;
        let hit = loop {
            store.check()?;
            let next = self.relation.image(store, &rings[rings.len() - 1])?;
            let hit = and(&next, target)?;
            if !is_empty(&hit) {
                break hit;
            }
            let inside = and(&next, within)?;
            let fresh = match &seen {
                None => inside,
                Some(seen) => minus(&inside, seen)?,
            };
            if is_empty(&fresh) {
                return Ok(false);
            }
            seen = Some(match seen {
                None => fresh.clone(),
                Some(seen) => or(&seen, &fresh)?,
            });
            rings.push(fresh);
        };
        let mut tail = vec![self.pick(encoder, &hit)?];
        for ring in rings[1..].iter().rev() {
            let before = self.relation.preimage(store, &tail[tail.len() - 1].set)?;
            tail.push(self.pick(encoder, &and(ring, &before)?)?);
        }
        path.states.extend(tail.into_iter().rev());
        Ok(true)
    }

    /// The shortest path from an initial state to a set that is reached, by the rings of the search.
    pub(super) fn path_by_rings(
        &self,
        encoder: &Encoder,
        rings: &[Diagram],
        target: &Diagram,
    ) -> Answer<Option<Path>> {
        let mut found = None;
        for (at, ring) in rings.iter().enumerate() {
            let hit = and(ring, target)?;
            if !is_empty(&hit) {
                found = Some((at, hit));
                break;
            }
        }
        let Some((at, hit)) = found else {
            return Ok(None);
        };
        let mut states = vec![self.pick(encoder, &hit)?];
        for ring in rings[..at].iter().rev() {
            let before = self
                .relation
                .preimage(&encoder.store, &states[states.len() - 1].set)?;
            states.push(self.pick(encoder, &and(ring, &before)?)?);
        }
        states.reverse();
        Ok(Some(Path { states, back: None }))
    }

    /// Goes on for ever within a set, on a fair run: to the core of the set, then around a cycle that meets
    /// every condition, further down whenever there is no way back.
    pub(super) fn close(&self, encoder: &Encoder, path: &mut Path, within: &Diagram) -> Answer<()> {
        let core = self.core(encoder, within)?;
        if !self.extend(encoder, path, within, &core, false)? {
            return Err(missing());
        }
        loop {
            encoder.store.check()?;
            let first = path.states.len() - 1;
            for condition in &self.justice {
                let meets = self.meets(encoder, condition, &core)?;
                if !self.extend(encoder, path, &core, &meets, false)? {
                    return Err(missing());
                }
                if condition.labelled {
                    self.demand(encoder, path, &core, &condition.set)?;
                }
            }
            for (_, second) in &self.compassion {
                // Where the second cannot be reached any more, the first does not come again.
                self.extend(encoder, path, &core, &and(&core, second)?, false)?;
            }
            let target = path.states[first].set.clone();
            if self.extend(encoder, path, &core, &target, true)? {
                path.states.pop();
                path.back = Some(first);
                return Ok(());
            }
            // No way back: the next round begins further down.
            if path.states.len() - 1 == first && !self.extend(encoder, path, &core, &core, true)? {
                return Err(missing());
            }
        }
    }

    /// Takes a step within a set whose labels satisfy a condition.
    fn demand(
        &self,
        encoder: &Encoder,
        path: &mut Path,
        within: &Diagram,
        demand: &Diagram,
    ) -> Answer<()> {
        let last = path.states.len() - 1;
        let steps = self
            .relation
            .steps(&encoder.store, &path.states[last].set, within)?;
        let steps = and(&steps, demand)?;
        let (values, _) = encoder
            .store
            .pick(&steps, &self.next)?
            .ok_or_else(missing)?;
        let set = encoder.store.valuation(&self.present, &values)?;
        path.states[last].demand = Some(demand.clone());
        path.states.push(State {
            values,
            set,
            demand: None,
        });
        Ok(())
    }

    /// A path from a state in which a formula is not true that shows why, as far as a path can.
    pub(super) fn explain(
        &self,
        encoder: &Encoder,
        universe: &Universe,
        formula: &Formula<Term>,
        sets: &[Diagram],
        mut path: Path,
    ) -> Answer<(Path, bool)> {
        let Some(root) = formula.root() else {
            return Ok((path, true));
        };
        let temporal = temporal(formula);
        let mut complete = true;
        let mut goal = Some((root, false));
        while let Some((place, wanted)) = goal.take() {
            let here = path.states[path.states.len() - 1].set.clone();
            let truth = |place: Subformula| -> Answer<bool> {
                Ok(!is_empty(&and(&here, &sets[place.index()])?))
            };
            let where_it = |place: Subformula, wanted: bool| -> Answer<Diagram> {
                match wanted {
                    true => Ok(sets[place.index()].clone()),
                    false => minus(&universe.all, &sets[place.index()]),
                }
            };
            if !temporal[place.index()] {
                break;
            }
            match *formula.node(place) {
                Node::Atom(_) => {}
                Node::Not(a) => goal = Some((a, !wanted)),
                Node::Iff(..) => complete = false,
                Node::And(a, b) | Node::Or(a, b) => {
                    let both = matches!(formula.node(place), Node::And(..)) == wanted;
                    if both {
                        complete &= !(temporal[a.index()] && temporal[b.index()]);
                        goal = Some((if temporal[a.index()] { a } else { b }, wanted));
                    } else {
                        // One is enough: the plain one if it does.
                        let first = truth(a)? == wanted;
                        let second = truth(b)? == wanted;
                        let plain =
                            (first && !temporal[a.index()]) || (second && !temporal[b.index()]);
                        if !plain {
                            goal = Some((if first { a } else { b }, wanted));
                        }
                    }
                }
                Node::Unary(quantifier, operator, a) => {
                    if (quantifier == Some(Quantifier::Exists)) != wanted {
                        complete = false;
                        continue;
                    }
                    let target = where_it(a, wanted)?;
                    let good = and(&target, &universe.fair)?;
                    // On one path, "not always" is "eventually not".
                    let eventually = matches!(operator, Unary::Eventually(_)) == wanted;
                    match operator {
                        Unary::Next => {
                            self.extend(encoder, &mut path, &good, &good, true)?;
                            goal = Some((a, wanted));
                        }
                        Unary::Eventually(Some(_)) | Unary::Always(Some(_)) => complete = false,
                        _ if eventually => {
                            self.extend(encoder, &mut path, &universe.all, &good, false)?;
                            goal = Some((a, wanted));
                        }
                        _ => {
                            complete &= !temporal[a.index()];
                            self.close(encoder, &mut path, &target)?;
                        }
                    }
                }
                Node::Binary(quantifier, operator, a, b) => {
                    if (quantifier == Some(Quantifier::Exists)) != wanted
                        || operator != Binary::Until(None)
                    {
                        complete = false;
                        continue;
                    }
                    if wanted {
                        complete &= !temporal[a.index()];
                        let good = and(&sets[b.index()], &universe.fair)?;
                        self.extend(encoder, &mut path, &sets[a.index()], &good, false)?;
                        goal = Some((b, true));
                        continue;
                    }
                    let (not_a, not_b) = (where_it(a, false)?, where_it(b, false)?);
                    let neither = and(&and(&not_a, &not_b)?, &universe.fair)?;
                    complete &= !temporal[a.index()] && !temporal[b.index()];
                    if !self.extend(encoder, &mut path, &not_b, &neither, false)? {
                        self.close(encoder, &mut path, &not_b)?;
                    }
                }
            }
        }
        Ok((path, complete))
    }

    /// The path in the system's own values, with labels for its steps.
    pub(super) fn evidence(
        &self,
        encoder: &mut Encoder,
        mut path: Path,
        complete: bool,
    ) -> Answer<Evidence> {
        if let (Some(back), false) = (path.back, self.late.is_empty()) {
            // The step back has labels of its own, which belong to the state it leads to: the loop begins
            // one round later.
            let again: Vec<State> = path.states[back..].to_vec();
            path.back = Some(path.states.len());
            path.states.extend(again);
        }
        let columns: Vec<Term> = self
            .state
            .iter()
            .chain(&self.labels)
            .map(|one| one.current)
            .collect();
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for state in &path.states {
            let bit = |bit: Bit| {
                let at = self.present.iter().position(|one| *one == bit);
                at.is_some_and(|at| state.values[at])
            };
            let values = self
                .state
                .iter()
                .filter_map(|one| encoder.decode(one.current, bit, false));
            let mut row: Vec<Value> = values.collect();
            row.extend(self.labels.iter().map(|one| Value::default_of(one.sort())));
            rows.push(row);
        }
        self.label(encoder, &path, &mut rows)?;
        let mut trace = Trace::new(columns);
        for row in rows {
            if trace.push(row).is_err() {
                unreachable!("values have the sorts of their variables");
            }
        }
        Ok(Evidence {
            trace,
            back: path.back,
            complete,
        })
    }

    /// Finds labels for all steps: those that are read early belong to the state that a step leaves, the
    /// others to the one that it leads to.
    fn label(&self, encoder: &Encoder, path: &Path, rows: &mut [Vec<Value>]) -> Answer<()> {
        if self.labels.is_empty() || path.states.is_empty() {
            return Ok(());
        }
        let count = path.states.len();
        let first = and(&self.labelled_init, &path.states[0].set)?;
        self.write_labels(encoder, &first, &mut rows[0], |_| Some(false))?;
        for (at, state) in path.states.iter().enumerate() {
            let to = if at + 1 < count {
                Some(at + 1)
            } else {
                path.back
            };
            let Some(to) = to else {
                let early = |late: bool| (!late).then_some(false);
                self.write_labels(encoder, &self.domain, &mut rows[at], early)?;
                break;
            };
            let mut steps =
                self.relation
                    .steps(&encoder.store, &state.set, &path.states[to].set)?;
            if let Some(demand) = &state.demand {
                steps = and(&steps, demand)?;
            }
            let early = |late: bool| (!late).then_some(false);
            self.write_labels(encoder, &steps, &mut rows[at], early)?;
            let late = |late: bool| late.then_some(true);
            self.write_labels(encoder, &steps, &mut rows[to], late)?;
        }
        Ok(())
    }

    /// Writes labels of a valuation into a row: `column` says, by whether a label is read late, which of
    /// its columns to take, if any. The same set gives the same valuation every time.
    fn write_labels(
        &self,
        encoder: &Encoder,
        set: &Diagram,
        row: &mut [Value],
        column: impl Fn(bool) -> Option<bool>,
    ) -> Answer<()> {
        let bits: Vec<Bit> = (0..encoder.store.bits() as Bit).collect();
        let (values, _) = encoder.store.pick(set, &bits)?.ok_or_else(missing)?;
        for (place, label) in self.labels.iter().enumerate() {
            if let Some(next) = column(self.late.contains(&label.current)) {
                let bit = |bit: Bit| values[bit as usize];
                let value = encoder.decode(label.current, bit, next);
                row[self.state.len() + place] = value.ok_or_else(missing)?;
            }
        }
        Ok(())
    }
}

/// Which nodes of a formula are more than Boolean.
fn temporal(formula: &Formula<Term>) -> Vec<bool> {
    let mut temporal: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        let own = matches!(node, Node::Unary(..) | Node::Binary(..));
        let inner = node.operands().any(|one| temporal[one.index()]);
        temporal.push(own || inner);
    }
    temporal
}
