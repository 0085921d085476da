//! A thin layer over the package of decision diagrams: what the rest of this folder asks of it, within
//! limits of memory and time. Running out of either is an error, and never a wrong set.

use num_bigint::BigUint;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{OptBool, SatCountCache};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager,
    ManagerRef, Subst, VarNo,
};
use proofmark_model::graph::NotFinite;
use proofmark_solve::Interrupt;
use rustc_hash::FxBuildHasher;
use std::fmt;
use std::time::Instant;

/// A set of states, or a relation.
pub(super) type Diagram = BCDDFunction;

/// A variable of diagrams.
pub(super) type Bit = VarNo;

/// Why a computation was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GaveUp {
    /// The diagrams grew beyond their limit.
    Memory,
    /// The time is over.
    Time,
    /// Somebody stopped it.
    Interrupted,
    /// The system has no fixed number of bits.
    NotFinite(NotFinite),
    /// A variable may leave the bounds of its type, which nothing in the system forbids.
    Bounds(String),
    /// A formula asks what a state does not say.
    Label(String),
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GaveUp::Memory => f.write_str("the decision diagrams grew too large"),
            GaveUp::Time => f.write_str("the time is over"),
            GaveUp::Interrupted => f.write_str("interrupted"),
            GaveUp::NotFinite(why) => why.fmt(f),
            GaveUp::Bounds(name) => write!(f, "`{name}` may leave its bounds"),
            GaveUp::Label(name) => {
                write!(
                    f,
                    "the input `{name}` is no part of a state of branching time"
                )
            }
        }
    }
}
impl std::error::Error for GaveUp {}

impl From<oxidd::util::OutOfMemory> for GaveUp {
    fn from(_: oxidd::util::OutOfMemory) -> GaveUp {
        GaveUp::Memory
    }
}

impl From<NotFinite> for GaveUp {
    fn from(why: NotFinite) -> GaveUp {
        GaveUp::NotFinite(why)
    }
}

/// What a computation with diagrams may take.
#[derive(Clone, Debug)]
pub struct DiagramLimits {
    /// How many nodes there may be at once; each takes some twenty bytes.
    pub nodes: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Who may stop it.
    pub interrupt: Interrupt,
}

impl Default for DiagramLimits {
    fn default() -> DiagramLimits {
        DiagramLimits {
            nodes: 1 << 25,
            deadline: None,
            interrupt: Interrupt::default(),
        }
    }
}

pub(super) type Answer<T> = Result<T, GaveUp>;

/// The diagrams of one computation.
pub(super) struct Store {
    manager: BCDDManagerRef,
    limits: DiagramLimits,
    pub(super) no: Diagram,
    pub(super) yes: Diagram,
}

/// Results that are remembered at most; a power of two. A few nodes need fewer.
const CACHE: usize = 1 << 21;

impl Store {
    pub(super) fn new(limits: DiagramLimits) -> Store {
        let cache = (limits.nodes / 8).clamp(1 << 12, CACHE);
        let manager = new_manager(limits.nodes, cache, 1);
        let (no, yes) = manager
            .with_manager_shared(|manager| (BCDDFunction::f(manager), BCDDFunction::t(manager)));
        Store {
            manager,
            limits,
            no,
            yes,
        }
    }

    /// To be asked between operations.
    pub(super) fn check(&self) -> Answer<()> {
        if self.limits.interrupt.is_set() {
            return Err(GaveUp::Interrupted);
        }
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(GaveUp::Time),
            _ => Ok(()),
        }
    }

    /// New variables, below all others.
    pub(super) fn add_bits(&self, count: usize) -> std::ops::Range<Bit> {
        self.manager
            .with_manager_exclusive(|manager| manager.add_vars(count as Bit))
    }

    pub(super) fn bits(&self) -> usize {
        self.manager
            .with_manager_shared(|manager| manager.num_vars() as usize)
    }

    pub(super) fn bit(&self, bit: Bit) -> Answer<Diagram> {
        let manager = &self.manager;
        Ok(manager.with_manager_shared(|manager| BCDDFunction::var(manager, bit))?)
    }

    /// The conjunction of some variables, for quantifiers. Built from the last to the first, so that
    /// every step costs one node.
    pub(super) fn cube(&self, bits: &[Bit]) -> Answer<Diagram> {
        let mut sorted = bits.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let mut cube = self.yes.clone();
        for bit in sorted {
            cube = self.bit(bit)?.and(&cube)?;
        }
        Ok(cube)
    }

    pub(super) fn renaming(&self, from: &[Bit], to: &[Bit]) -> Answer<Renaming> {
        let to: Answer<Vec<Diagram>> = to.iter().map(|bit| self.bit(*bit)).collect();
        Ok(Renaming(Subst::new(from.to_vec(), to?)))
    }

    pub(super) fn rename(&self, set: &Diagram, renaming: &Renaming) -> Answer<Diagram> {
        Ok(set.substitute(&renaming.0)?)
    }

    /// How many valuations of so many variables are in a set that reads no others.
    pub(super) fn count(&self, set: &Diagram, bits: usize) -> BigUint {
        let all = self.bits();
        let mut cache: SatCountCache<BigUint, FxBuildHasher> = SatCountCache::default();
        let count = set.sat_count(all as u32, &mut cache);
        count >> (all - bits)
    }

    /// One valuation of some variables in a set that reads no others: the values, and the set of it.
    pub(super) fn pick(&self, set: &Diagram, bits: &[Bit]) -> Answer<Option<(Vec<bool>, Diagram)>> {
        let Some(cube) = set.pick_cube(|_, _, _| false) else {
            return Ok(None);
        };
        let is_true = |bit: &Bit| cube[*bit as usize] == OptBool::True;
        let values: Vec<bool> = bits.iter().map(is_true).collect();
        let one = self.valuation(bits, &values)?;
        Ok(Some((values, one)))
    }

    /// The set of one valuation.
    pub(super) fn valuation(&self, bits: &[Bit], values: &[bool]) -> Answer<Diagram> {
        let mut sorted: Vec<(Bit, bool)> =
            bits.iter().copied().zip(values.iter().copied()).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let mut one = self.yes.clone();
        for (bit, value) in sorted {
            let literal = self.bit(bit)?;
            let literal = if value { literal } else { literal.not()? };
            one = literal.and(&one)?;
        }
        Ok(one)
    }
}

pub(super) struct Renaming(Subst<Diagram>);

/// Operations on sets.
pub(super) fn and(a: &Diagram, b: &Diagram) -> Answer<Diagram> {
    Ok(a.and(b)?)
}

pub(super) fn or(a: &Diagram, b: &Diagram) -> Answer<Diagram> {
    Ok(a.or(b)?)
}

pub(super) fn not(a: &Diagram) -> Answer<Diagram> {
    Ok(a.not()?)
}

/// The first without the second.
pub(super) fn minus(a: &Diagram, b: &Diagram) -> Answer<Diagram> {
    Ok(a.and(&b.not()?)?)
}

pub(super) fn exists(a: &Diagram, cube: &Diagram) -> Answer<Diagram> {
    Ok(a.exists(cube)?)
}

/// The conjunction, without some variables.
pub(super) fn and_exists(a: &Diagram, b: &Diagram, cube: &Diagram) -> Answer<Diagram> {
    Ok(a.apply_exists(BooleanOperator::And, b, cube)?)
}

pub(super) fn is_empty(set: &Diagram) -> bool {
    !set.satisfiable()
}

pub(super) fn size(set: &Diagram) -> usize {
    set.node_count()
}
