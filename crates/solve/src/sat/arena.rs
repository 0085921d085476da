//! Where clauses live: one vector of words, three of header and then the literals.
//!
//! Every clause of two or more literals is here, binary ones as well. A watch says by a bit that its
//! clause is binary, so that propagation need not come here for them; everybody else then has one
//! kind of clause to deal with, and each has a number in the proof.

use super::literal::Lit;

/// A clause: where it starts. Zero is no clause.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ClauseRef(pub(super) u32);

impl ClauseRef {
    pub(super) const NONE: ClauseRef = ClauseRef(0);

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// The most words; the bit above is for watches.
const MOST: usize = 1 << 31;

const FLAGS: usize = 1;
const ID: usize = 2;
pub(super) const HEADER: usize = 3;

const LEARNED: u32 = 1;
const GARBAGE: u32 = 2;
/// Where a moved clause went is written in the place of its number in the proof.
const MOVED: u32 = 4;
const VIVIFIED: u32 = 8;
/// Not yet tried as the one that subsumes others.
const FRESH: u32 = 16;
const USED: u32 = 3 << USED_SHIFT;
const USED_SHIFT: u32 = 6;
const GLUE_SHIFT: u32 = 8;
const MOST_GLUE: u32 = (1 << 24) - 1;

pub(super) struct Arena {
    words: Vec<u32>,
    wasted: usize,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena {
            // No clause starts at zero.
            words: vec![0],
            wasted: 0,
        }
    }
}

/// What is known of a clause besides its literals.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseInfo {
    pub(super) id: u32,
    pub(super) learned: bool,
    /// How many levels its literals were on when it was learned, or later.
    pub(super) glue: u32,
}

impl Arena {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn store(&mut self, lits: &[Lit], info: ClauseInfo) -> ClauseRef {
        assert!(self.words.len() < MOST, "the clauses take more than 8 GB");
        let clause = ClauseRef(self.words.len() as u32);
        let learned = if info.learned { LEARNED } else { 0 };
        self.words.push(lits.len() as u32);
        self.words
            .push(learned | FRESH | info.glue.min(MOST_GLUE) << GLUE_SHIFT);
        self.words.push(info.id);
        self.words.extend(lits.iter().map(|lit| lit.0));
        clause
    }

    #[inline]
    pub(super) fn size(&self, clause: ClauseRef) -> usize {
        self.words[clause.0 as usize] as usize
    }

    /// The literals as words.
    #[inline]
    pub(super) fn words(&self, clause: ClauseRef) -> &[u32] {
        let start = clause.0 as usize;
        let size = self.words[start] as usize;
        &self.words[start + HEADER..start + HEADER + size]
    }

    #[inline]
    pub(super) fn words_mut(&mut self, clause: ClauseRef) -> &mut [u32] {
        let start = clause.0 as usize;
        let size = self.words[start] as usize;
        &mut self.words[start + HEADER..start + HEADER + size]
    }

    pub(super) fn lits(&self, clause: ClauseRef) -> impl DoubleEndedIterator<Item = Lit> + '_ {
        self.words(clause).iter().map(|&word| Lit(word))
    }

    #[inline]
    pub(super) fn lit(&self, clause: ClauseRef, at: usize) -> Lit {
        Lit(self.words[clause.0 as usize + HEADER + at])
    }

    fn flags(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + FLAGS]
    }

    fn flags_mut(&mut self, clause: ClauseRef) -> &mut u32 {
        &mut self.words[clause.0 as usize + FLAGS]
    }

    pub(super) fn id(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + ID]
    }

    pub(super) fn is_learned(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & LEARNED != 0
    }

    pub(super) fn is_garbage(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & GARBAGE != 0
    }

    /// The clause is gone as soon as the watches are flushed.
    pub(super) fn set_garbage(&mut self, clause: ClauseRef) {
        self.wasted += HEADER + self.size(clause);
        *self.flags_mut(clause) |= GARBAGE;
    }

    pub(super) fn is_vivified(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & VIVIFIED != 0
    }

    pub(super) fn set_vivified(&mut self, clause: ClauseRef) {
        *self.flags_mut(clause) |= VIVIFIED;
    }

    pub(super) fn set_unvivified(&mut self, clause: ClauseRef) {
        *self.flags_mut(clause) &= !VIVIFIED;
    }

    pub(super) fn is_fresh(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & FRESH != 0
    }

    pub(super) fn set_stale(&mut self, clause: ClauseRef) {
        *self.flags_mut(clause) &= !FRESH;
    }

    #[inline]
    pub(super) fn glue(&self, clause: ClauseRef) -> u32 {
        self.flags(clause) >> GLUE_SHIFT
    }

    pub(super) fn set_glue(&mut self, clause: ClauseRef, glue: u32) {
        let flags = self.flags_mut(clause);
        *flags = *flags & ((1 << GLUE_SHIFT) - 1) | glue.min(MOST_GLUE) << GLUE_SHIFT;
    }

    /// How many reductions the clause survives by having been used.
    pub(super) fn used(&self, clause: ClauseRef) -> u32 {
        (self.flags(clause) & USED) >> USED_SHIFT
    }

    pub(super) fn set_used(&mut self, clause: ClauseRef, used: u32) {
        let flags = self.flags_mut(clause);
        *flags = *flags & !USED | used << USED_SHIFT;
    }

    /// Leaves only the first `size` literals, under a new number in the proof.
    pub(super) fn shrink(&mut self, clause: ClauseRef, size: usize, id: u32) {
        self.wasted += self.size(clause) - size;
        self.words[clause.0 as usize] = size as u32;
        self.words[clause.0 as usize + ID] = id;
        *self.flags_mut(clause) |= FRESH;
        *self.flags_mut(clause) &= !VIVIFIED;
        if self.glue(clause) >= size as u32 {
            self.set_glue(clause, size as u32 - 1);
        }
    }

    /// Is so much waste that moving the rest together pays?
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted > 1 << 12 && self.wasted * 4 > self.words.len()
    }

    /// Copies a clause to the arena that takes this one's place, once.
    pub(super) fn move_to(&mut self, clause: ClauseRef, to: &mut Arena) -> ClauseRef {
        let start = clause.0 as usize;
        if self.words[start + FLAGS] & MOVED != 0 {
            return ClauseRef(self.words[start + ID]);
        }
        let end = start + HEADER + self.words[start] as usize;
        let moved = ClauseRef(to.words.len() as u32);
        to.words.extend_from_slice(&self.words[start..end]);
        self.words[start + FLAGS] |= MOVED;
        self.words[start + ID] = moved.0;
        moved
    }

    pub(super) fn with_capacity_of(other: &Arena) -> Arena {
        let mut words = Vec::with_capacity(other.words.len().saturating_sub(other.wasted) + 1);
        words.push(0);
        Arena { words, wasted: 0 }
    }
}
