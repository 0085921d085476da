//! The order in which variables are decided: a binary heap by activity.
//!
//! Activities are integers. A bump adds a growing increment, which makes old bumps fade (VSIDS,
//! Moskewicz et al. 2001, in the exponential form of MiniSat), and all are shifted down before one
//! can overflow: the same run on every machine, and no floating point in any decision.
//!
//! [`Activities`] are apart from the [`Order`] by them, because a solver may keep two orders: one of
//! all variables and one of those that the present question is about. [`Heap`] is the two as one.

use super::literal::Var;

const ABSENT: u32 = u32::MAX;
const FIRST_INCREMENT: u64 = 1 << 20;
const LARGEST: u64 = 1 << 60;

/// How much each variable took part in conflicts of late.
pub(crate) struct Activities {
    activity: Vec<u64>,
    increment: u64,
}

impl Default for Activities {
    fn default() -> Activities {
        Activities {
            activity: Vec::new(),
            increment: FIRST_INCREMENT,
        }
    }
}

impl Activities {
    /// Takes in a variable, new or used anew, with no activity.
    pub(crate) fn renew(&mut self, var: Var) {
        if var.index() == self.activity.len() {
            self.activity.push(0);
        }
        self.activity[var.index()] = 0;
    }

    /// The orders must hear of it ([`Order::raised`]).
    pub(crate) fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var.index()];
        *activity += self.increment;
        if *activity >= LARGEST {
            self.rescale();
        }
    }

    /// One conflict later, every bump so far counts for a twentieth less.
    pub(crate) fn decay(&mut self) {
        self.increment += self.increment / 20;
        if self.increment >= LARGEST {
            self.rescale();
        }
    }

    /// Shifting is monotone, so that a heap stays a heap.
    fn rescale(&mut self) {
        for activity in &mut self.activity {
            *activity >>= 40;
        }
        self.increment = (self.increment >> 40).max(FIRST_INCREMENT >> 10);
    }

    pub(crate) fn before(&self, a: Var, b: Var) -> bool {
        self.activity[a.index()] > self.activity[b.index()]
    }
}

/// Some variables, the most active one on top.
#[derive(Default)]
pub(crate) struct Order {
    heap: Vec<Var>,
    /// Where a variable is in the heap, or `ABSENT`.
    position: Vec<u32>,
}

impl Order {
    /// Takes in the numbers of variables up to this one, but not the variables.
    pub(crate) fn grow(&mut self, var: Var) {
        if var.index() >= self.position.len() {
            self.position.resize(var.index() + 1, ABSENT);
        }
    }

    pub(crate) fn clear(&mut self) {
        for var in self.heap.drain(..) {
            self.position[var.index()] = ABSENT;
        }
    }

    /// Takes in variables that are absent, all at once: cheaper than one by one.
    pub(crate) fn fill(&mut self, vars: impl Iterator<Item = Var>, by: &Activities) {
        for var in vars {
            debug_assert_eq!(self.position[var.index()], ABSENT);
            self.position[var.index()] = self.heap.len() as u32;
            self.heap.push(var);
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.down(at, by);
        }
    }

    pub(crate) fn insert(&mut self, var: Var, by: &Activities) {
        if self.position[var.index()] != ABSENT {
            return;
        }
        self.position[var.index()] = self.heap.len() as u32;
        self.heap.push(var);
        self.up(self.heap.len() - 1, by);
    }

    pub(crate) fn remove(&mut self, var: Var, by: &Activities) {
        let at = self.position[var.index()];
        if at == ABSENT {
            return;
        }
        self.position[var.index()] = ABSENT;
        let Some(last) = self.heap.pop() else { return };
        if last != var {
            self.put(at as usize, last);
            self.up(at as usize, by);
            self.down(self.position[last.index()] as usize, by);
        }
    }

    pub(crate) fn top(&self) -> Option<Var> {
        self.heap.first().copied()
    }

    pub(crate) fn pop(&mut self, by: &Activities) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.position[top.index()] = ABSENT;
        if let Some(first) = self.heap.first_mut() {
            *first = last;
            self.position[last.index()] = 0;
            self.down(0, by);
        }
        Some(top)
    }

    /// The variable has become more active.
    pub(crate) fn raised(&mut self, var: Var, by: &Activities) {
        let position = self.position[var.index()];
        if position != ABSENT {
            self.up(position as usize, by);
        }
    }

    fn up(&mut self, mut at: usize, by: &Activities) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !by.before(var, self.heap[parent]) {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        self.put(at, var);
    }

    fn down(&mut self, mut at: usize, by: &Activities) {
        let var = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && by.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !by.before(self.heap[child], var) {
                break;
            }
            self.put(at, self.heap[child]);
            at = child;
        }
        self.put(at, var);
    }

    fn put(&mut self, at: usize, var: Var) {
        self.heap[at] = var;
        self.position[var.index()] = at as u32;
    }
}

/// One order by activities of its own.
#[derive(Default)]
pub(crate) struct Heap {
    activities: Activities,
    order: Order,
}

impl Heap {
    pub(crate) fn new() -> Heap {
        Heap::default()
    }

    /// Takes in a variable, new or used anew, with no activity.
    pub(crate) fn renew(&mut self, var: Var) {
        self.activities.renew(var);
        self.order.grow(var);
        self.insert(var);
    }

    pub(crate) fn remove(&mut self, var: Var) {
        self.order.remove(var, &self.activities);
    }

    pub(crate) fn insert(&mut self, var: Var) {
        self.order.insert(var, &self.activities);
    }

    pub(crate) fn pop(&mut self) -> Option<Var> {
        self.order.pop(&self.activities)
    }

    pub(crate) fn bump(&mut self, var: Var) {
        self.activities.bump(var);
        self.order.raised(var, &self.activities);
    }

    /// One conflict later, every bump so far counts for a twentieth less.
    pub(crate) fn decay(&mut self) {
        self.activities.decay();
    }
}
