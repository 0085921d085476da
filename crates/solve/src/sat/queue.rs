//! The other order of decisions: variables that took part in the last conflict come first (variable
//! move to front, VMTF; Ryan 2004, Biere and Fröhlich 2015, "Evaluating CDCL variable scoring
//! schemes"). It follows the search closely, which suits frequent restarts.

use super::literal::Var;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    previous: u32,
    next: u32,
    /// When the variable came to its place: the greater, the later.
    stamp: u64,
}

#[derive(Debug)]
pub(super) struct Queue {
    links: Vec<Link>,
    last: u32,
    /// No variable behind this one is open.
    search: u32,
    stamp: u64,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            links: Vec::new(),
            last: NONE,
            search: NONE,
            stamp: 0,
        }
    }
}

impl Queue {
    /// Takes in the next variable, behind all others: it is decided first.
    pub(super) fn grow(&mut self) {
        self.links.push(Link {
            previous: NONE,
            next: NONE,
            stamp: 0,
        });
        self.append(self.links.len() as u32 - 1);
        self.search = self.last;
    }

    fn append(&mut self, var: u32) {
        self.stamp += 1;
        self.links[var as usize] = Link {
            previous: self.last,
            next: NONE,
            stamp: self.stamp,
        };
        if self.last != NONE {
            self.links[self.last as usize].next = var;
        }
        self.last = var;
    }

    pub(super) fn stamp(&self, var: Var) -> u64 {
        self.links[var.index()].stamp
    }

    /// Moves a variable to where decisions begin. An assigned one is not searched for there.
    pub(super) fn bump(&mut self, var: Var, is_open: bool) {
        let link = self.links[var.index()];
        if link.next == NONE {
            return;
        }
        if self.search == var.0 {
            self.search = if link.previous == NONE {
                link.next
            } else {
                link.previous
            };
        }
        self.links[link.next as usize].previous = link.previous;
        if link.previous != NONE {
            self.links[link.previous as usize].next = link.next;
        }
        self.append(var.0);
        if is_open {
            self.search = var.0;
        }
    }

    /// A variable is open again.
    #[inline]
    pub(super) fn reopen(&mut self, var: Var) {
        if self.links[var.index()].stamp > self.links[self.search as usize].stamp {
            self.search = var.0;
        }
    }

    /// The variable of the greatest stamp that may be decided.
    pub(super) fn find(&mut self, may_decide: impl Fn(Var) -> bool) -> Option<Var> {
        while self.search != NONE {
            let var = Var(self.search);
            if may_decide(var) {
                return Some(var);
            }
            let previous = self.links[var.index()].previous;
            if previous == NONE {
                return None;
            }
            self.search = previous;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_bumped_last_is_found_first() {
        let mut queue = Queue::default();
        (0..4).for_each(|_| queue.grow());
        let find = |queue: &mut Queue, closed: &[u32]| {
            let found = queue.find(|var| !closed.contains(&var.0));
            found.map(|var| var.0)
        };
        assert_eq!(find(&mut queue, &[]), Some(3));
        queue.bump(Var(1), true);
        assert_eq!(find(&mut queue, &[]), Some(1));
        assert_eq!(find(&mut queue, &[1, 3]), Some(2));
        assert_eq!(find(&mut queue, &[0, 1, 2, 3]), None);
        queue.reopen(Var(3));
        assert_eq!(find(&mut queue, &[1]), Some(3));
    }
}
