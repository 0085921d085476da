//! A small package of decision diagrams, for the second computation: reduced and ordered, with
//! complement edges (Brace, Rudell, Bryant: Efficient implementation of a BDD package, 1990).
//!
//! An edge is the place of a node and, in its lowest bit, whether it is complemented; the node at place 0
//! is `true`. The high edge of a node is never complemented, so that a set has one diagram. What a
//! [`Set`] holds on to stays; the rest is collected between operations, never within one.

use proofmark_solve::Interrupt;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// What the second computation may take.
#[derive(Clone, Debug)]
pub struct RecountLimits {
    /// How many nodes there may be at once; each takes some thirty bytes.
    pub nodes: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Who may stop it.
    pub interrupt: Interrupt,
}

impl Default for RecountLimits {
    fn default() -> RecountLimits {
        RecountLimits {
            nodes: 1 << 24,
            deadline: None,
            interrupt: Interrupt::default(),
        }
    }
}

/// Why there is no second answer, in words.
pub(super) type Answer<T> = Result<T, String>;

type Edge = u32;
const TRUE: Edge = 0;
const FALSE: Edge = 1;
const NONE: u32 = u32::MAX;
/// The level of `true`, below all others.
const BOTTOM: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    level: u32,
    low: Edge,
    high: Edge,
    /// The next node of the same bucket, or the next free place.
    next: u32,
}

/// What a result is remembered by: the operation, and up to three operands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u8, Edge, Edge, Edge);

const AND: u8 = 1;
const AND_EXISTS: u8 = 2;
const SHIFT: u8 = 3;

struct Table {
    nodes: Vec<Node>,
    /// How many sets hold on to a node.
    held: Vec<u32>,
    buckets: Vec<u32>,
    free: u32,
    live: usize,
    /// Nodes are collected when there are so many.
    threshold: usize,
    cache: Vec<(Key, Edge)>,
    limits: RecountLimits,
    /// Counts operations until the next look at the clock.
    patience: u32,
}

/// So many operations between looks at the clock.
const PATIENCE: u32 = 1 << 14;
const FIRST_THRESHOLD: usize = 1 << 16;

impl Table {
    fn new(limits: RecountLimits) -> Table {
        let top = Node {
            level: BOTTOM,
            low: TRUE,
            high: TRUE,
            next: NONE,
        };
        Table {
            nodes: vec![top],
            held: vec![1],
            buckets: vec![NONE; FIRST_THRESHOLD],
            free: NONE,
            live: 1,
            threshold: FIRST_THRESHOLD,
            cache: vec![(Key(0, 0, 0, 0), 0); FIRST_THRESHOLD],
            limits,
            patience: PATIENCE,
        }
    }

    fn bucket(&self, level: u32, low: Edge, high: Edge) -> usize {
        mix(level, low, high) as usize & (self.buckets.len() - 1)
    }

    fn make(&mut self, level: u32, low: Edge, high: Edge) -> Answer<Edge> {
        if low == high {
            return Ok(low);
        }
        let turned = high & 1;
        let (low, high) = (low ^ turned, high ^ turned);
        let bucket = self.bucket(level, low, high);
        let mut at = self.buckets[bucket];
        while at != NONE {
            let node = &self.nodes[at as usize];
            if (node.level, node.low, node.high) == (level, low, high) {
                return Ok(at << 1 | turned);
            }
            at = node.next;
        }
        if self.live >= self.limits.nodes {
            return Err("its decision diagrams grew too large".into());
        }
        let next = self.buckets[bucket];
        let node = Node {
            level,
            low,
            high,
            next,
        };
        let place = match self.free {
            NONE => {
                self.nodes.push(node);
                self.held.push(0);
                (self.nodes.len() - 1) as u32
            }
            free => {
                self.free = self.nodes[free as usize].next;
                self.nodes[free as usize] = node;
                free
            }
        };
        self.live += 1;
        self.buckets[bucket] = place;
        Ok(place << 1 | turned)
    }

    fn level(&self, edge: Edge) -> u32 {
        self.nodes[(edge >> 1) as usize].level
    }

    /// The two halves of a set at a level that is not below its first.
    fn split(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        let node = self.nodes[(edge >> 1) as usize];
        match node.level == level {
            true => (node.low ^ (edge & 1), node.high ^ (edge & 1)),
            false => (edge, edge),
        }
    }

    fn recall(&self, key: Key) -> Option<Edge> {
        let entry = self.cache[self.slot(key)];
        (entry.0 == key).then_some(entry.1)
    }

    fn slot(&self, Key(operation, a, b, c): Key) -> usize {
        let hash = mix(a, b, c.wrapping_add(u32::from(operation) << 29));
        hash as usize & (self.cache.len() - 1)
    }

    fn remember(&mut self, key: Key, result: Edge) {
        let slot = self.slot(key);
        self.cache[slot] = (key, result);
    }

    fn tick(&mut self) -> Answer<()> {
        self.patience -= 1;
        if self.patience > 0 {
            return Ok(());
        }
        self.patience = PATIENCE;
        if self.limits.interrupt.is_set() {
            return Err("interrupted".into());
        }
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err("the time is over".into()),
            _ => Ok(()),
        }
    }

    fn and(&mut self, a: Edge, b: Edge) -> Answer<Edge> {
        let (a, b) = (a.min(b), a.max(b));
        if a == TRUE || a == b {
            return Ok(b);
        }
        if a == FALSE || a == b ^ 1 {
            return Ok(FALSE);
        }
        let key = Key(AND, a, b, 0);
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.tick()?;
        let level = self.level(a).min(self.level(b));
        let ((a0, a1), (b0, b1)) = (self.split(a, level), self.split(b, level));
        let low = self.and(a0, b0)?;
        let high = self.and(a1, b1)?;
        let result = self.make(level, low, high)?;
        self.remember(key, result);
        Ok(result)
    }

    /// The conjunction without the variables of a cube.
    fn and_exists(&mut self, a: Edge, b: Edge, cube: Edge) -> Answer<Edge> {
        let (a, b) = (a.min(b), a.max(b));
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return Ok(FALSE);
        }
        if a == TRUE && b == TRUE {
            return Ok(TRUE);
        }
        let level = self.level(a).min(self.level(b));
        let mut cube = cube;
        while self.level(cube) < level {
            cube = self.split(cube, self.level(cube)).1;
        }
        if cube == TRUE {
            return self.and(a, b);
        }
        let key = Key(AND_EXISTS, a, b, cube);
        if let Some(known) = self.recall(key) {
            return Ok(known);
        }
        self.tick()?;
        let ((a0, a1), (b0, b1)) = (self.split(a, level), self.split(b, level));
        let result = if self.level(cube) == level {
            let rest = self.split(cube, level).1;
            let low = self.and_exists(a0, b0, rest)?;
            if low == TRUE {
                TRUE
            } else {
                let high = self.and_exists(a1, b1, rest)?;
                self.and(low ^ 1, high ^ 1)? ^ 1
            }
        } else {
            let low = self.and_exists(a0, b0, cube)?;
            let high = self.and_exists(a1, b1, cube)?;
            self.make(level, low, high)?
        };
        self.remember(key, result);
        Ok(result)
    }

    /// The set with every variable moved by one level; with `down` by one level up.
    fn shift(&mut self, a: Edge, up: u32) -> Answer<Edge> {
        if a >> 1 == 0 {
            return Ok(a);
        }
        let (plain, turned) = (a & !1, a & 1);
        let key = Key(SHIFT, plain, up, 0);
        if let Some(known) = self.recall(key) {
            return Ok(known ^ turned);
        }
        self.tick()?;
        let node = self.nodes[(plain >> 1) as usize];
        let low = self.shift(node.low, up)?;
        let high = self.shift(node.high, up)?;
        let level = node.level + 1 - 2 * up;
        let result = self.make(level, low, high)?;
        self.remember(key, result);
        Ok(result ^ turned)
    }

    /// Forgets what nobody holds on to, once there is much of it.
    fn collect(&mut self) {
        if self.live < self.threshold {
            return;
        }
        let mut marked = vec![false; self.nodes.len()];
        let held = (0..self.nodes.len()).filter(|at| self.held[*at] > 0);
        let mut stack: Vec<usize> = held.collect();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut marked[at], true) {
                let node = self.nodes[at];
                stack.extend([(node.low >> 1) as usize, (node.high >> 1) as usize]);
            }
        }
        self.live = marked.iter().filter(|one| **one).count();
        while self.threshold < 2 * self.live {
            self.threshold *= 2;
        }
        self.buckets = vec![NONE; self.threshold];
        self.cache = vec![(Key(0, 0, 0, 0), 0); self.threshold.min(1 << 21)];
        self.free = NONE;
        for (at, marked) in marked.iter().enumerate().skip(1) {
            if *marked {
                let Node {
                    level, low, high, ..
                } = self.nodes[at];
                let bucket = self.bucket(level, low, high);
                self.nodes[at].next = self.buckets[bucket];
                self.buckets[bucket] = at as u32;
            } else {
                self.nodes[at].next = self.free;
                self.free = at as u32;
            }
        }
    }
}

fn mix(a: u32, b: u32, c: u32) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let first = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(FACTOR);
    let all = (first ^ (first >> 29) ^ u64::from(c)).wrapping_mul(FACTOR);
    (all >> 32) as u32
}

/// All diagrams of one computation.
#[derive(Clone)]
pub(super) struct Diagrams(Rc<RefCell<Table>>);

/// A set of valuations.
pub(super) struct Set {
    edge: Edge,
    table: Rc<RefCell<Table>>,
}

impl Clone for Set {
    fn clone(&self) -> Set {
        Set::new(&self.table, self.edge)
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        self.table.borrow_mut().held[(self.edge >> 1) as usize] -= 1;
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.edge == other.edge
    }
}

impl Diagrams {
    pub(super) fn new(limits: RecountLimits) -> Diagrams {
        Diagrams(Rc::new(RefCell::new(Table::new(limits))))
    }

    pub(super) fn yes(&self) -> Set {
        Set::new(&self.0, TRUE)
    }

    pub(super) fn no(&self) -> Set {
        Set::new(&self.0, FALSE)
    }

    /// The valuations in which the variable of a level is true.
    pub(super) fn bit(&self, level: u32) -> Answer<Set> {
        let edge = self.0.borrow_mut().make(level, FALSE, TRUE)?;
        Ok(Set::new(&self.0, edge))
    }

    /// The valuations in which all variables of some levels are true.
    pub(super) fn cube(&self, levels: impl IntoIterator<Item = u32>) -> Answer<Set> {
        let mut levels: Vec<u32> = levels.into_iter().collect();
        levels.sort_unstable();
        let mut table = self.0.borrow_mut();
        let mut edge = TRUE;
        for level in levels.into_iter().rev() {
            edge = table.make(level, FALSE, edge)?;
        }
        drop(table);
        Ok(Set::new(&self.0, edge))
    }
}

/// Which column of variables a set is moved to.
#[derive(Clone, Copy)]
pub(super) enum Column {
    /// From odd levels to the even ones above them.
    Present,
    /// From even levels to the odd ones below them.
    Next,
}

impl Set {
    fn new(table: &Rc<RefCell<Table>>, edge: Edge) -> Set {
        table.borrow_mut().held[(edge >> 1) as usize] += 1;
        Set {
            edge,
            table: Rc::clone(table),
        }
    }

    fn by(&self, work: impl FnOnce(&mut Table) -> Answer<Edge>) -> Answer<Set> {
        let mut table = self.table.borrow_mut();
        table.collect();
        let edge = work(&mut table)?;
        drop(table);
        Ok(Set::new(&self.table, edge))
    }

    /// All diagrams that it is one of.
    pub(super) fn diagrams(&self) -> Diagrams {
        Diagrams(Rc::clone(&self.table))
    }

    pub(super) fn not(&self) -> Set {
        Set::new(&self.table, self.edge ^ 1)
    }

    pub(super) fn and(&self, other: &Set) -> Answer<Set> {
        self.by(|table| table.and(self.edge, other.edge))
    }

    pub(super) fn or(&self, other: &Set) -> Answer<Set> {
        Ok(self.not().and(&other.not())?.not())
    }

    pub(super) fn minus(&self, other: &Set) -> Answer<Set> {
        self.and(&other.not())
    }

    pub(super) fn iff(&self, other: &Set) -> Answer<Set> {
        self.and(other)?.or(&self.not().and(&other.not())?)
    }

    /// The valuations of the conjunction, with any values for the variables of a cube.
    pub(super) fn and_exists(&self, other: &Set, cube: &Set) -> Answer<Set> {
        self.by(|table| table.and_exists(self.edge, other.edge, cube.edge))
    }

    pub(super) fn exists(&self, cube: &Set) -> Answer<Set> {
        self.by(|table| table.and_exists(self.edge, TRUE, cube.edge))
    }

    pub(super) fn moved(&self, to: Column) -> Answer<Set> {
        self.by(|table| table.shift(self.edge, matches!(to, Column::Present).into()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edge == FALSE
    }

    pub(super) fn is_all(&self) -> bool {
        self.edge == TRUE
    }

    /// The levels that it depends on, and how many nodes it has.
    pub(super) fn support(&self) -> (Vec<u32>, usize) {
        let table = self.table.borrow();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut levels: FxHashSet<u32> = FxHashSet::default();
        let mut stack = vec![self.edge >> 1];
        while let Some(at) = stack.pop() {
            if at != 0 && seen.insert(at) {
                let node = table.nodes[at as usize];
                levels.insert(node.level);
                stack.extend([node.low >> 1, node.high >> 1]);
            }
        }
        let mut levels: Vec<u32> = levels.into_iter().collect();
        levels.sort_unstable();
        (levels, seen.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The truth table of a set over the first levels.
    fn table(set: &Set, levels: u32) -> Vec<bool> {
        let rows = 0..1u32 << levels;
        let truth = |row: u32| {
            let table = set.table.borrow();
            let mut edge = set.edge;
            while edge >> 1 != 0 {
                let level = table.level(edge);
                let (low, high) = table.split(edge, level);
                edge = if row >> level & 1 == 1 { high } else { low };
            }
            edge == TRUE
        };
        rows.map(truth).collect()
    }

    #[test]
    fn operations_agree_with_truth_tables() {
        const LEVELS: u32 = 6;
        let diagrams = Diagrams::new(RecountLimits::default());
        let mut sets: Vec<Set> = (0..LEVELS).map(|at| diagrams.bit(at).unwrap()).collect();
        let mut seed = 7u64;
        let mut random = |bound: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % bound
        };
        for _ in 0..400 {
            let (a, b) = (random(sets.len()), random(sets.len()));
            let (a, b) = (sets[a].clone(), sets[b].clone());
            let (x, y) = (table(&a, LEVELS), table(&b, LEVELS));
            let bits: Vec<u32> = (0..LEVELS).filter(|_| random(3) == 0).collect();
            let cube = diagrams.cube(bits.iter().copied()).unwrap();
            let any = |row: usize, of: &dyn Fn(usize) -> bool| {
                let free: usize = bits.iter().map(|bit| 1 << bit).sum();
                (0..1 << LEVELS).any(|other| (row ^ other) & !free == 0 && of(other))
            };
            let rows = || 0..1usize << LEVELS;
            let (set, expected): (Set, Vec<bool>) = match random(4) {
                0 => (
                    a.and(&b).unwrap(),
                    rows().map(|at| x[at] && y[at]).collect(),
                ),
                1 => (
                    a.iff(&b).unwrap(),
                    rows().map(|at| x[at] == y[at]).collect(),
                ),
                2 => (
                    a.and_exists(&b, &cube).unwrap(),
                    rows()
                        .map(|at| any(at, &|other| x[other] && y[other]))
                        .collect(),
                ),
                _ => (
                    a.exists(&cube).unwrap(),
                    rows().map(|at| any(at, &|other| x[other])).collect(),
                ),
            };
            assert_eq!(table(&set, LEVELS), expected);
            // Equal sets are the same diagram.
            let same = sets.iter().find(|one| table(one, LEVELS) == expected);
            assert!(same.is_none_or(|same| *same == set));
            sets.push(set);
        }
    }

    #[test]
    fn what_is_held_survives_a_collection() {
        let diagrams = Diagrams::new(RecountLimits::default());
        let even = |from: u32| diagrams.cube((0..40).map(|at| 2 * at + from)).unwrap();
        let set = even(0);
        let before = set.support();
        {
            let mut table = set.table.borrow_mut();
            table.threshold = 1;
            table.collect();
        }
        assert_eq!(set.support(), before);
        assert!(set == even(0));
        assert!(set.moved(Column::Next).unwrap() == even(1));
        assert!(even(1).moved(Column::Present).unwrap() == set);
    }

    #[test]
    fn too_many_nodes_are_an_error() {
        let limits = RecountLimits {
            nodes: 10,
            ..RecountLimits::default()
        };
        let diagrams = Diagrams::new(limits);
        assert!(diagrams.cube(0..20).is_err());
    }
}
