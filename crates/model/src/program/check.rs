//! What may not happen in a run: assertions, and the checks that come with every access and operation.
//!
//! A check is known by what it is about and its place in the source, not by where it was met: a loop that is
//! unwound, or an expression that a front end evaluates twice, has one.

use proofmark_source::Span;
use std::collections::BTreeSet;

/// What a check is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CheckKind {
    /// A property that the source states.
    Assertion,
    /// The index of an array is within it.
    Bounds,
    /// A pointer leads to a living object, and what is accessed lies within it.
    Pointer,
    /// No division by zero.
    Division,
    /// No signed number overflows.
    Overflow,
    /// When a run ends, everything that it allocated is free.
    Leak,
    /// A loop ends within its bound, or a function within its depth of recursion.
    Unwinding,
}

impl CheckKind {
    /// All of them.
    pub const ALL: [CheckKind; 7] = [
        CheckKind::Assertion,
        CheckKind::Bounds,
        CheckKind::Pointer,
        CheckKind::Division,
        CheckKind::Overflow,
        CheckKind::Leak,
        CheckKind::Unwinding,
    ];

    /// One word for it, as names of properties have it.
    pub fn word(self) -> &'static str {
        match self {
            CheckKind::Assertion => "assertion",
            CheckKind::Bounds => "bounds",
            CheckKind::Pointer => "pointer",
            CheckKind::Division => "division",
            CheckKind::Overflow => "overflow",
            CheckKind::Leak => "leak",
            CheckKind::Unwinding => "unwinding",
        }
    }
}

/// One check: everything of its kind at its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Check {
    /// Where it is.
    pub place: Span,
    /// What it is about.
    pub kind: CheckKind,
}

impl Check {
    /// A check of a kind at a place.
    pub fn new(kind: CheckKind, place: Span) -> Check {
        Check { place, kind }
    }
}

/// Which kinds of checks count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checks(BTreeSet<CheckKind>);

impl Default for Checks {
    /// All but overflow and leaks.
    fn default() -> Checks {
        let off = [CheckKind::Overflow, CheckKind::Leak];
        let on = CheckKind::ALL
            .into_iter()
            .filter(|kind| !off.contains(kind));
        Checks(on.collect())
    }
}

impl Checks {
    /// Whether a kind counts.
    pub fn has(&self, kind: CheckKind) -> bool {
        self.0.contains(&kind)
    }

    /// A kind counts from now on.
    pub fn add(&mut self, kind: CheckKind) {
        self.0.insert(kind);
    }

    /// A kind does not count any longer.
    pub fn remove(&mut self, kind: CheckKind) {
        self.0.remove(&kind);
    }
}
