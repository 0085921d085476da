//! The order in which variables are decided: a binary heap by activity.
//!
//! Activities are integers. A bump adds a growing increment, which makes old bumps fade (VSIDS,
//! Moskewicz et al. 2001, in the exponential form of MiniSat), and all are shifted down before one
//! can overflow: the same run on every machine, and no floating point in any decision.

use super::literal::Var;

#[derive(Default)]
pub(super) struct Heap {
    activity: Vec<u64>,
    heap: Vec<Var>,
    /// Where a variable is in the heap, or `ABSENT`.
    position: Vec<u32>,
    increment: u64,
}

const ABSENT: u32 = u32::MAX;
const FIRST_INCREMENT: u64 = 1 << 20;
const LARGEST: u64 = 1 << 60;

impl Heap {
    pub(super) fn new() -> Heap {
        Heap {
            increment: FIRST_INCREMENT,
            ..Heap::default()
        }
    }

    /// Takes in a variable, new or used anew, with no activity.
    pub(super) fn renew(&mut self, var: Var) {
        if var.index() == self.position.len() {
            self.activity.push(0);
            self.position.push(ABSENT);
        }
        self.activity[var.index()] = 0;
        self.insert(var);
    }

    pub(super) fn remove(&mut self, var: Var) {
        let at = self.position[var.index()];
        if at == ABSENT {
            return;
        }
        self.position[var.index()] = ABSENT;
        let Some(last) = self.heap.pop() else { return };
        if last != var {
            self.put(at as usize, last);
            self.up(at as usize);
            self.down(self.position[last.index()] as usize);
        }
    }

    pub(super) fn insert(&mut self, var: Var) {
        if self.position[var.index()] != ABSENT {
            return;
        }
        self.position[var.index()] = self.heap.len() as u32;
        self.heap.push(var);
        self.up(self.heap.len() - 1);
    }

    pub(super) fn pop(&mut self) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.position[top.index()] = ABSENT;
        if let Some(first) = self.heap.first_mut() {
            *first = last;
            self.position[last.index()] = 0;
            self.down(0);
        }
        Some(top)
    }

    pub(super) fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var.index()];
        *activity += self.increment;
        let rescale = *activity >= LARGEST;
        let position = self.position[var.index()];
        if position != ABSENT {
            self.up(position as usize);
        }
        if rescale {
            self.rescale();
        }
    }

    /// One conflict later, every bump so far counts for a twentieth less.
    pub(super) fn decay(&mut self) {
        self.increment += self.increment / 20;
        if self.increment >= LARGEST {
            self.rescale();
        }
    }

    /// Shifting is monotone, so that the heap stays a heap.
    fn rescale(&mut self) {
        for activity in &mut self.activity {
            *activity >>= 40;
        }
        self.increment = (self.increment >> 40).max(FIRST_INCREMENT >> 10);
    }

    fn before(&self, a: Var, b: Var) -> bool {
        self.activity[a.index()] > self.activity[b.index()]
    }

    fn up(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.before(var, self.heap[parent]) {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        self.put(at, var);
    }

    fn down(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], var) {
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
