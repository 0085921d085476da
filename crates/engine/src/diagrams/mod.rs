//! Decision diagrams: reachable states, branching time with fairness, linear time by the tableau.
//!
//! ```text
//!  system ─▶ expansion ─▶ encode ─▶ space: init, relation, fairness ─▶ reach ─▶ branching, fair ─▶ paths
//!            definitions   terms to         early quantification
//!            that cost     diagrams
//!            nothing
//! ```
//!
//! A computation that outgrows its limits says so; what is found is for others to audit.

mod branching;
mod compare;
mod encode;
mod fair;
mod paths;
mod readback;
mod relation;
mod space;
mod store;

pub use compare::{Side, StructureComparison, StructureDifference, compare_structures};
pub use paths::Evidence;
pub use store::{DiagramLimits, GaveUp};

use branching::Universe;
use encode::Encoder;
use num_bigint::BigUint;
use proofmark_model::{Claim, Distance, System, SystemError, Term, violations};
use space::{Reached, Space};
use store::{Store, and, is_empty, minus};

/// What a specification came to.
#[derive(Clone, Debug)]
pub enum Found {
    /// It holds.
    Holds,
    /// It holds, since no fair run begins in an initial state.
    Vacuous,
    /// It does not.
    Fails(Evidence),
    /// What was asked for.
    Distance(Distance),
}

/// What people ask of the states of a system.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// How many states finite runs reach.
    pub reachable: BigUint,
    /// How many rings of states there are around the initial ones, these included.
    pub diameter: usize,
    /// How many valuations of the state's bits there are.
    pub bits: usize,
    /// A shortest path to a state without successor, if one is reached.
    pub deadlock: Option<Evidence>,
    /// Whether some fair run begins in an initial state.
    pub fair: bool,
}

/// The stack of a computation: the package recurs once a variable.
const STACK: usize = 1 << 28;

/// Answers about some specifications of a system, by position, each by itself; `hear` is told of each as
/// soon as it is known. Returns what is known of the states besides. Works on a thread of its own, for the
/// sake of its stack.
pub fn explore(
    system: &System,
    specifications: &[usize],
    limits: &DiagramLimits,
    hear: &mut (dyn FnMut(usize, Result<Found, GaveUp>) + Send),
) -> Result<Statistics, GaveUp> {
    on_a_large_stack(|| {
        let mut session = match Session::new(system, limits) {
            Ok(session) => session,
            Err(why) => {
                specifications
                    .iter()
                    .for_each(|at| hear(*at, Err(why.clone())));
                return Err(why);
            }
        };
        for at in specifications {
            let found = session.check(&system.specifications()[*at].claim);
            hear(*at, found);
        }
        session.statistics()
    })
}

/// The statistics of a system.
pub fn statistics(system: &System, limits: &DiagramLimits) -> Result<Statistics, GaveUp> {
    on_a_large_stack(|| Session::new(system, limits)?.statistics())
}

pub(in crate::diagrams) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => panic!("no thread for decision diagrams: {error}"),
        }
    })
}

/// One system and its reachable states; linear claims add to its diagrams.
struct Session<'s> {
    system: &'s System,
    encoder: Encoder,
    space: Space<'s>,
    reached: Reached,
    universe: Universe,
}

impl<'s> Session<'s> {
    fn new(system: &'s System, limits: &DiagramLimits) -> Result<Session<'s>, GaveUp> {
        let mut encoder = Encoder::new(Store::new(limits.clone()));
        let space = Space::new(&mut encoder, system)?;
        let reached = space.reach(&mut encoder)?;
        let fair = space.fair_within(&encoder, &reached.all)?;
        let universe = Universe {
            all: reached.all.clone(),
            fair,
        };
        Ok(Session {
            system,
            encoder,
            space,
            reached,
            universe,
        })
    }

    fn check(&mut self, claim: &Claim<Term>) -> Result<Found, GaveUp> {
        let begin = and(&self.space.init, &self.universe.fair)?;
        if is_empty(&begin) && !matches!(claim, Claim::Distance { .. }) {
            return Ok(Found::Vacuous);
        }
        match claim {
            Claim::Branching(formula) => {
                let sets = self
                    .space
                    .branching(&mut self.encoder, &self.universe, formula)?;
                let Some(holds) = sets.last() else {
                    return Ok(Found::Holds);
                };
                let bad = minus(&begin, holds)?;
                if is_empty(&bad) {
                    return Ok(Found::Holds);
                }
                let path = self.space.begin(&self.encoder, &bad)?;
                let (path, complete) =
                    self.space
                        .explain(&self.encoder, &self.universe, formula, &sets, path)?;
                let evidence = self.space.evidence(&mut self.encoder, path, complete)?;
                Ok(Found::Fails(evidence))
            }
            Claim::Distance { longest, from, to } => {
                let (space, encoder, universe) =
                    (&mut self.space, &mut self.encoder, &self.universe);
                let from = space.branching(encoder, universe, from)?;
                let to = space.branching(encoder, universe, to)?;
                let (Some(from), Some(to)) = (from.last(), to.last()) else {
                    return Ok(Found::Distance(Distance::Undefined));
                };
                Ok(Found::Distance(match longest {
                    true => space.longest(encoder, universe, from, to)?,
                    false => space.shortest(encoder, universe, from, to)?,
                }))
            }
            Claim::Linear(_) | Claim::Justice(_) => self.linear(claim),
        }
    }

    /// A violation is a fair run of the product with the tableau.
    fn linear(&mut self, claim: &Claim<Term>) -> Result<Found, GaveUp> {
        let product = violations(self.system, claim).map_err(|error| not_a_product(&error))?;
        let Some(product) = product else {
            return Ok(Found::Holds);
        };
        let encoder = &mut self.encoder;
        let space = Space::new(encoder, &product)?;
        // The product reaches no states but those of the system; where a state has more variables than
        // there, all values of these are looked at.
        let fair = space.fair_within(encoder, &self.reached.all)?;
        let begin = and(&space.init, &fair)?;
        if is_empty(&begin) {
            return Ok(Found::Holds);
        }
        let mut path = space.begin(encoder, &begin)?;
        space.close(encoder, &mut path, &self.reached.all)?;
        let evidence = space.evidence(encoder, path, true)?;
        Ok(Found::Fails(evidence))
    }

    fn statistics(&mut self) -> Result<Statistics, GaveUp> {
        let (space, encoder) = (&self.space, &mut self.encoder);
        let alive = space
            .relation
            .preimage(&encoder.store, &encoder.store.yes)?;
        let dead = minus(&self.reached.all, &alive)?;
        let path = space.path_by_rings(encoder, &self.reached.rings, &dead)?;
        let deadlock = match path {
            Some(path) => Some(space.evidence(encoder, path, true)?),
            None => None,
        };
        Ok(Statistics {
            reachable: space.count(encoder, &self.reached.all),
            diameter: self.reached.rings.len(),
            bits: space.present.len(),
            deadlock,
            fair: !is_empty(&and(&space.init, &self.universe.fair)?),
        })
    }
}

fn not_a_product(error: &SystemError) -> GaveUp {
    let why = format!("has no tableau: {error}");
    GaveUp::NotFinite(proofmark_model::graph::NotFinite {
        variable: None,
        why,
    })
}
