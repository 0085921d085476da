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
use proofmark_engine::EngineVerdict;
use proofmark_model::{Sort, Term, Value};
use proofmark_solve::{Answer, SolveError, Solver};

/// A set of units with which the goal holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core {
    /// The units of the goal that it consists of.
    pub units: Set,
    /// The proof that goes through with them, by its position in the oracle.
    pub proof: usize,
    /// Whether it can be smaller, as far as that is known.
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
    /// Those of which it is known.
    pub units: Set,
    /// Of these it is not known.
    pub undecided: Set,
}

/// Minimal cores, and whether they are all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// In the order in which they were found.
    pub cores: Vec<Core>,
    /// Whether there are no other minimal cores.
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
            Some(Decision::Fails { run }) => oracle.rotate(run, &units, &units),
            Some(Decision::Unknown { .. }) => undecided.insert(unit),
            None => hard.insert(unit),
        }
    }
    // What was unknown of a larger set may be clear for the one that is left; what is not in doubt fails.
    undecided.intersect_with(&units);
    match undecided.is_clear() {
        true => Ok(Core::tried(units, proof, undecided)),
        false => Ok(examine(oracle, Core::tried(units, proof, undecided))),
    }
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
            EngineVerdict::Valid { .. } => units = rest,
            EngineVerdict::Invalid { .. } => {}
            EngineVerdict::Unknown { .. } => undecided.insert(unit),
        }
    }
    // The proof, and the runs that show minimality, for the audit.
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
            Some(Decision::Fails { run }) => oracle.rotate(run, &all, &candidates),
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

/// The first round of an enumeration lets a question have this part of its budget.
const FIRST_ROUND: u32 = 16;
/// How much more each further round lets it have.
const NEXT_ROUND: u32 = 4;

/// Every minimal core; `found` hears of each at once and says whether to go on.
///
/// A set that is not decided in a short time is put off: what is learned of others may settle it.
/// When no other is left, a new round begins, with more time for each question: up to the budget and,
/// where there is a deadline, beyond. A core that may not be minimal is told at the end; by then a
/// smaller one was found, or runs show that there is none.
pub fn enumerate(
    oracle: &mut Oracle<'_>,
    first: Core,
    solver: Box<dyn Solver>,
    found: &mut dyn FnMut(&Oracle<'_>, &Core) -> bool,
) -> Result<Enumeration, OracleError> {
    let mut patience = oracle.budget() / FIRST_ROUND;
    oracle.set_patience(patience);
    let first = match first.minimality {
        Minimality::Untried => minimize(oracle, first)?,
        Minimality::Minimal | Minimality::Undecided(_) => first,
    };
    strengthen(oracle, &first)?;
    let map = Map::new(oracle, solver)?;
    let mut search = Search {
        oracle,
        map,
        found,
        go_on: true,
    };
    search.add(first)?;
    search.round()?;
    while search.go_on && search.map.put_off > 0 {
        patience *= NEXT_ROUND;
        if !search.oracle.may_wait(patience) {
            break;
        }
        search.oracle.set_patience(patience);
        search.map.recall();
        search.round()?;
    }
    search.end()
}

/// An enumeration under way.
struct Search<'s, 'g> {
    oracle: &'s mut Oracle<'g>,
    map: Map,
    found: &'s mut dyn FnMut(&Oracle<'_>, &Core) -> bool,
    /// Whether more is wanted.
    go_on: bool,
}

impl Search<'_, '_> {
    /// Until the map has no set left but those that were put off.
    fn round(&mut self) -> Result<(), OracleError> {
        while self.go_on
            && !self.oracle.exhausted()
            && let Some(seed) = self.map.seed()?
        {
            let grown = self.map.grow(seed);
            match self.oracle.decide(&grown)? {
                Decision::Suffices { core, proof } => {
                    let core = Core {
                        units: core,
                        proof,
                        minimality: Minimality::Untried,
                    };
                    let core = minimize(self.oracle, core)?;
                    self.add(core)?;
                }
                Decision::Fails { run } => self.map.hit(&self.oracle.run(run).breaks)?,
                Decision::Unknown { .. } => self.map.put_off(&grown)?,
            }
        }
        Ok(())
    }

    fn add(&mut self, core: Core) -> Result<(), OracleError> {
        if core.minimality == Minimality::Minimal {
            self.go_on &= (self.found)(self.oracle, &core);
        }
        Ok(self.map.add_core(core)?)
    }

    /// The cores that are or may be minimal, and whether they are all.
    fn end(mut self) -> Result<Enumeration, OracleError> {
        let complete = self.go_on && !self.oracle.exhausted() && self.map.seed()?.is_none();
        let mut cores: Vec<Core> = Vec::new();
        for at in 0..self.map.cores.len() {
            let core = &self.map.cores[at];
            if core.minimality == Minimality::Minimal {
                cores.push(core.clone());
            } else if self.go_on && !self.map.has_smaller(core) {
                let core = examine(self.oracle, core.clone());
                self.go_on &= (self.found)(self.oracle, &core);
                cores.push(core);
            }
        }
        let complete = complete && self.map.put_off == 0;
        Ok(Enumeration { cores, complete })
    }
}

/// A core with what the runs at hand say of its minimality.
fn examine(oracle: &Oracle<'_>, core: Core) -> Core {
    let mut undecided = core.units.clone();
    for unit in core.units.ones() {
        if oracle.broken_by(&without(&core.units, unit)).is_some() {
            undecided.remove(unit);
        }
    }
    Core::tried(core.units, core.proof, undecided)
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
            oracle.rotate(run, &all, &core.units);
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
    /// How often sets were recalled, and how many were put off since.
    round: usize,
    put_off: usize,
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
            round: 0,
            put_off: 0,
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

    /// Nothing inside this set is asked about in this round.
    fn put_off(&mut self, set: &Set) -> Result<(), SolveError> {
        let mut literals = vec![self.this_round().not()];
        literals.extend(complement(set).ones().map(|unit| self.literals[unit]));
        self.put_off += 1;
        self.solver.assert(Term::or(&literals))
    }

    /// What was put off is to be asked about again.
    fn recall(&mut self) {
        self.round += 1;
        self.put_off = 0;
    }

    fn this_round(&self) -> Term {
        Term::var(&format!("%round{}", self.round), Sort::Bool)
    }

    /// Whether a known core is a part of this one.
    fn has_smaller(&self, core: &Core) -> bool {
        let mut cores = self.cores.iter();
        cores.any(|one| one.units != core.units && one.units.is_subset(&core.units))
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
        let round = self.this_round();
        match self.solver.check(&[round])? {
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
