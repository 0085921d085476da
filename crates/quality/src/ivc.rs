//! Inductive validity cores: the parts of a model that a proof needs.
//!
//! A set of units *suffices* when it proves the goal by itself; sufficing is monotone. A minimal
//! such set is a minimal inductive validity core (Ghassabani, Gacek and Whalen 2016). A unit is MUST
//! when it is in every core, which is to say when all the others do not suffice; it is MAY when it
//! is in some minimal core.
//!
//! - [`from_proof`] is IVC_UC: the core of the proof at hand, such that the proof does not go through
//!   with any unit less.
//! - [`minimize`] is IVC_UCBF: no unit less suffices, whatever the proof.
//! - [`brute_force`] is IVC_BF: every removal is put to the engines, and nothing is reused.
//! - [`must`] asks of each unit of a core whether the others suffice. A new core that an answer
//!   brings takes the units that it lacks off the list.
//! - [`enumerate`] finds every minimal core, and [`smallest`] one of the least size. Both keep a
//!   *map* of all sets, as clauses in a solver: nothing that contains a known core is left in it, nor
//!   anything that a stored run refutes. A set that is left is made as large as the known cores
//!   allow; then it either contains a new core, or what it lacks has to be hit by every core. An
//!   empty map means that all are found.

use crate::goal::Set;
use crate::oracle::{Decision, Oracle, OracleError};
use proofmark_engine::Verdict;
use proofmark_model::{Sort, Term, Value};
use proofmark_solve::{Answer, SolveError, Solver};

/// A set of units with which the goal holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core {
    pub units: Set,
    /// The proof that goes through with them, by its position in the oracle.
    pub proof: usize,
    pub minimality: Minimality,
}

impl Core {
    /// A core of which each unit was tried; of some nothing was found out.
    fn tried(units: Set, proof: usize, undecided: Set) -> Core {
        let minimality = match undecided.is_clear() {
            true => Minimality::Minimal,
            false => Minimality::Undecided(undecided),
        };
        Core {
            units,
            proof,
            minimality,
        }
    }
}

/// What is known of a core's minimality.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Minimality {
    /// Nobody asked.
    Untried,
    /// Without any one of its units it does not suffice.
    Minimal,
    /// Of these units it is not known whether the others suffice.
    Undecided(Set),
}

/// The units that every core has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Must {
    pub units: Set,
    /// Of these it is not known.
    pub undecided: Set,
}

/// Minimal cores, and whether they are all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    pub cores: Vec<Core>,
    pub complete: bool,
}

/// The core of the proof at hand.
pub fn from_proof(oracle: &mut Oracle<'_>) -> Result<Core, OracleError> {
    const PROOF: usize = 0;
    let all = oracle.goal.units.all();
    let mut units = oracle.proves(PROOF, &all)?.unwrap_or(all);
    for unit in units.clone().ones() {
        if !units.contains(unit) || oracle.exhausted() {
            continue;
        }
        let rest = without(&units, unit);
        if oracle.broken_by(&rest).is_some() {
            continue;
        }
        if let Some(smaller) = oracle.proves(PROOF, &rest)? {
            units = smaller;
        }
    }
    Ok(Core {
        units,
        proof: PROOF,
        minimality: Minimality::Untried,
    })
}

/// A minimal core inside a core. The engines are asked last: by then the set is smaller, and some of
/// the hard questions have become easy.
pub fn minimize(oracle: &mut Oracle<'_>, core: Core) -> Result<Core, OracleError> {
    let Core {
        mut units,
        mut proof,
        ..
    } = core;
    let mut hard = oracle.goal.units.none();
    let mut undecided = oracle.goal.units.none();
    for (unit, easily) in easily_and_at_last(&units) {
        if !units.contains(unit) || !(easily || hard.contains(unit)) {
            continue;
        }
        let rest = without(&units, unit);
        let decision = match easily {
            true => oracle.decide_cheaply(&rest)?,
            false => Some(oracle.decide_at_last(&rest)?),
        };
        match decision {
            Some(Decision::Suffices {
                core,
                proof: better,
            }) => (units, proof) = (core, better),
            Some(Decision::Fails { run }) => oracle.rotate(run, &units),
            Some(Decision::Unknown { .. }) => undecided.insert(unit),
            None => hard.insert(unit),
        }
    }
    // What failed for a larger set may be clear for the smaller one that is left.
    undecided.intersect_with(&units);
    let still = undecided.clone();
    for unit in still.ones() {
        let rest = without(&units, unit);
        if oracle.broken_by(&rest).is_some() {
            undecided.remove(unit);
        }
    }
    Ok(Core::tried(units, proof, undecided))
}

/// A minimal core by removing one unit after the other, each time from scratch.
pub fn brute_force(oracle: &mut Oracle<'_>) -> Result<Core, OracleError> {
    let mut units = oracle.goal.units.all();
    let mut undecided = oracle.goal.units.none();
    for unit in oracle.goal.units.all().ones() {
        let rest = without(&units, unit);
        if oracle.exhausted() {
            undecided.insert(unit);
            continue;
        }
        let part = oracle.goal.part(&rest);
        match oracle.engines(&part, Vec::new())? {
            Verdict::Valid { .. } => units = rest,
            Verdict::Invalid { .. } => {}
            Verdict::Unknown { .. } => undecided.insert(unit),
        }
    }
    // The proof, and the runs that show minimality, for whoever audits.
    let proof = match oracle.decide(&units)? {
        Decision::Suffices { proof, .. } => proof,
        Decision::Fails { .. } | Decision::Unknown { .. } => 0,
    };
    for unit in units.ones() {
        let rest = without(&units, unit);
        if !matches!(oracle.decide(&rest)?, Decision::Fails { .. }) {
            undecided.insert(unit);
        }
    }
    undecided.intersect_with(&units);
    Ok(Core::tried(units, proof, undecided))
}

/// The units that every core has; they are among those of any one. What is hard to tell is first
/// asked of the core alone: if that suffices without the unit, the unit is not needed; if not, the
/// run that shows it may be one of all the others, too.
pub fn must(oracle: &mut Oracle<'_>, core: &Core) -> Result<Must, OracleError> {
    let all = oracle.goal.units.all();
    let mut candidates = core.units.clone();
    let mut hard = oracle.goal.units.none();
    let mut undecided = oracle.goal.units.none();
    for (unit, easily) in easily_and_at_last(&candidates) {
        if !candidates.contains(unit) || !(easily || hard.contains(unit)) {
            continue;
        }
        let decision = match easily {
            true => oracle.decide_cheaply(&without(&all, unit))?,
            false => Some(is_needed(oracle, &core.units, unit)?),
        };
        match decision {
            Some(Decision::Suffices { core, .. }) => candidates.intersect_with(&core),
            Some(Decision::Fails { run }) => oracle.rotate(run, &all),
            Some(Decision::Unknown { .. }) => undecided.insert(unit),
            None => hard.insert(unit),
        }
    }
    undecided.intersect_with(&candidates);
    candidates.difference_with(&undecided);
    Ok(Must {
        units: candidates,
        undecided,
    })
}

/// Whether all units but one suffice, put to the engines, about a part of them first.
fn is_needed(oracle: &mut Oracle<'_>, core: &Set, unit: usize) -> Result<Decision, OracleError> {
    let rest = without(&oracle.goal.units.all(), unit);
    if let Some(run) = oracle.broken_by(&rest) {
        return Ok(Decision::Fails { run });
    }
    match oracle.decide(&without(core, unit))? {
        suffices @ Decision::Suffices { .. } => return Ok(suffices),
        Decision::Fails { run } => {
            if let Some(run) = oracle.complete(run, &rest)? {
                return Ok(Decision::Fails { run });
            }
        }
        Decision::Unknown { .. } => {}
    }
    oracle.decide_at_last(&rest)
}

/// Every unit twice: first all of them for the cheap tests, then again for those that it takes more.
fn easily_and_at_last(units: &Set) -> Vec<(usize, bool)> {
    let easily = units.ones().map(|unit| (unit, true));
    easily
        .chain(units.ones().map(|unit| (unit, false)))
        .collect()
}

fn without(set: &Set, unit: usize) -> Set {
    let mut rest = set.clone();
    rest.remove(unit);
    rest
}

/// Every minimal core, the given one first; `found` hears of each at once and says whether to go on.
pub fn enumerate(
    oracle: &mut Oracle<'_>,
    first: Core,
    solver: Box<dyn Solver>,
    found: &mut dyn FnMut(&Oracle<'_>, &Core) -> bool,
) -> Result<Enumeration, OracleError> {
    strengthen(oracle, &first)?;
    let mut map = Map::new(oracle, solver)?;
    let mut complete = true;
    let mut next = Some(first);
    loop {
        if let Some(core) = next.take() {
            complete &= core.minimality == Minimality::Minimal;
            let go_on = found(oracle, &core);
            map.add_core(core)?;
            if !go_on {
                break;
            }
        }
        let Some(seed) = map.seed()? else {
            let cores = map.cores;
            return Ok(Enumeration { cores, complete });
        };
        let grown = map.grow(seed);
        match oracle.decide(&grown)? {
            Decision::Suffices { core, proof } => {
                let core = Core {
                    units: core,
                    proof,
                    minimality: Minimality::Untried,
                };
                next = Some(minimize(oracle, core)?);
            }
            Decision::Fails { run } => map.hit(&oracle.run(run).breaks)?,
            Decision::Unknown { .. } if oracle.exhausted() => break,
            Decision::Unknown { .. } => {
                complete = false;
                map.hit(&complement(&grown))?;
            }
        }
    }
    let cores = map.cores;
    let complete = false;
    Ok(Enumeration { cores, complete })
}

/// A core of the least size, and whether that is known. The given core is an upper bound.
pub fn smallest(
    oracle: &mut Oracle<'_>,
    first: Core,
    solver: Box<dyn Solver>,
) -> Result<(Core, bool), OracleError> {
    strengthen(oracle, &first)?;
    let mut map = Map::new(oracle, solver)?;
    let mut best = first.clone();
    map.add_core(first)?;
    let mut proved = true;
    while let Some(seed) = map.small_seed(best.units.count_ones(..) - 1)? {
        let grown = map.grow(seed);
        match oracle.decide(&grown)? {
            Decision::Suffices { core, proof } => {
                let core = Core {
                    units: core,
                    proof,
                    minimality: Minimality::Untried,
                };
                let core = minimize(oracle, core)?;
                if core.units.count_ones(..) < best.units.count_ones(..) {
                    best = core.clone();
                }
                map.add_core(core)?;
            }
            Decision::Fails { run } => map.hit(&oracle.run(run).breaks)?,
            Decision::Unknown { .. } if oracle.exhausted() => return Ok((best, false)),
            Decision::Unknown { .. } => {
                proved = false;
                map.hit(&complement(&grown))?;
            }
        }
        if best.units.is_clear() {
            break;
        }
    }
    Ok((best, proved))
}

/// A run that shows that a core needs a unit may, with the rest of the model added, show that every
/// core does; then no larger set without it is ever asked about.
fn strengthen(oracle: &mut Oracle<'_>, core: &Core) -> Result<(), OracleError> {
    let all = oracle.goal.units.all();
    for unit in core.units.ones() {
        let rest = without(&all, unit);
        if oracle.exhausted() {
            break;
        }
        if oracle.broken_by(&rest).is_some() {
            continue;
        }
        if let Some(run) = oracle.broken_by(&without(&core.units, unit))
            && let Some(run) = oracle.complete(run, &rest)?
        {
            oracle.rotate(run, &all);
        }
    }
    Ok(())
}

fn complement(set: &Set) -> Set {
    let mut complement = set.clone();
    complement.toggle_range(..);
    complement
}

/// The sets about which nothing is known yet.
struct Map {
    solver: Box<dyn Solver>,
    literals: Vec<Term>,
    cores: Vec<Core>,
    /// How many of its units a set lacks, as a term; made when it is first needed.
    size: Option<Term>,
}

impl Map {
    /// A map in which what the oracle has seen fail is no more.
    fn new(oracle: &Oracle<'_>, solver: Box<dyn Solver>) -> Result<Map, SolveError> {
        let literal = |unit| Term::var(&format!("%in{unit}"), Sort::Bool);
        let mut map = Map {
            solver,
            literals: (0..oracle.goal.units.len()).map(literal).collect(),
            cores: Vec::new(),
            size: None,
        };
        for literal in map.literals.clone() {
            map.solver.declare(literal)?;
        }
        for run in oracle.stored_runs() {
            map.hit(&run.breaks)?;
        }
        Ok(map)
    }

    /// Every core has one of these.
    fn hit(&mut self, units: &Set) -> Result<(), SolveError> {
        let literals: Vec<Term> = units.ones().map(|unit| self.literals[unit]).collect();
        self.solver.assert(Term::or(&literals))
    }

    /// No other minimal core contains this one.
    fn add_core(&mut self, core: Core) -> Result<(), SolveError> {
        let literals = core.units.ones().map(|unit| self.literals[unit].not());
        let literals: Vec<Term> = literals.collect();
        self.solver.assert(Term::or(&literals))?;
        self.cores.push(core);
        Ok(())
    }

    fn seed(&mut self) -> Result<Option<Set>, SolveError> {
        match self.solver.check(&[])? {
            Answer::Sat => Ok(Some(self.model()?)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(SolveError::Misuse(format!("the map: {why}"))),
        }
    }

    /// A set of at most so many units.
    fn small_seed(&mut self, most: usize) -> Result<Option<Set>, SolveError> {
        let literals = &self.literals;
        let size = *self.size.get_or_insert_with(|| {
            let ones = literals.iter();
            let ones = ones.map(|one| Term::ite(*one, Term::int(1), Term::int(0)));
            Term::add(&ones.collect::<Vec<Term>>())
        });
        let few = size.le(Term::int(most as i64));
        match self.solver.check(&[few])? {
            Answer::Sat => Ok(Some(self.model()?)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(SolveError::Misuse(format!("the map: {why}"))),
        }
    }

    fn model(&mut self) -> Result<Set, SolveError> {
        let mut set = Set::with_capacity(self.literals.len());
        for (unit, literal) in self.literals.iter().enumerate() {
            if self.solver.value(*literal)? == Value::Bool(true) {
                set.insert(unit);
            }
        }
        Ok(set)
    }

    /// The set with as many more units as no known core allows for.
    fn grow(&self, mut set: Set) -> Set {
        let mut lacking: Vec<usize> = Vec::new();
        for core in &self.cores {
            let lacks = core.units.difference(&set);
            lacking.push(lacks.count());
        }
        for unit in 0..self.literals.len() {
            if set.contains(unit) {
                continue;
            }
            let with = |at: &usize| self.cores[*at].units.contains(unit);
            let concerned: Vec<usize> = (0..self.cores.len()).filter(with).collect();
            if concerned.iter().all(|at| lacking[*at] > 1) {
                concerned.iter().for_each(|at| lacking[*at] -= 1);
                set.insert(unit);
            }
        }
        set
    }
}
