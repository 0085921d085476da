//! Mutants of the same elements, decided together: solvers are told of the rest once, and what is
//! proved with a place havocked (any value there, at every step) is proved of every mutation there.

use crate::mutate::campaign::{Decided, Fate, Outbox, PutOff, Round, Step, Test};
use crate::mutate::decide::base_context::{BaseContext, Inserted};
use crate::mutate::decide::cascade::{Candidate, Extent, MOST_CREDIT, Worker, unknown};
use crate::mutate::decide::havoc::{OriginalElements, TermPlaces};
use crate::mutate::mutant::Mutant;
use crate::oracle::OracleError;
use proofmark_model::{Element, ElementId, Term, slice};
use std::time::{Duration, Instant};

/// What the mutants of one group share.
#[derive(Default)]
pub(crate) struct Group<'s> {
    /// What is open for all neighbours.
    pub replaceable: Vec<ElementId>,
    pub core: Option<BaseContext<'s>>,
    pub working: Option<BaseContext<'s>>,
    abstractions: Abstractions,
}

/// Abstractions on which the proof of the original goes through, and the mutants that each covers.
#[derive(Default)]
struct Abstractions {
    originals: Option<OriginalElements>,
    list: Vec<Abstraction>,
    /// Places that cannot be open, not even alone.
    closed: Vec<TermPlaces>,
}

#[derive(Default)]
struct Abstraction {
    open: TermPlaces,
    covers: Vec<Covered>,
}

/// A mutant that survives once the abstraction that covers it is audited.
pub(crate) struct Covered {
    pub at: usize,
    pub time: Duration,
    pub queries: u64,
}

impl Abstractions {
    /// The position of an abstraction that covers these places.
    fn covering(&self, places: &TermPlaces) -> Option<usize> {
        let mut list = self.list.iter();
        list.position(|abstraction| places.are_within(&abstraction.open))
    }
}

/// A mutant, or elements with places open, on which the properties are proved on some part.
#[derive(Clone)]
pub(crate) struct Proved {
    pub extent: Extent,
    pub mutant: Mutant,
    /// The invariants, where they are not those of the original's proof.
    pub own: Option<Vec<Term>>,
}

/// What a look at a mutant came to.
pub(crate) enum Looked {
    Decided(Fate, Test),
    /// It survives if an abstraction, given by its position, does.
    Covered(usize),
    /// It survives if that passes an audit.
    Proved(Proved),
    PutOff {
        safe: u32,
        /// What is proved of it, where the audit of that takes longer than it could.
        proved: Option<Proved>,
    },
}

impl<'s> Worker<'s> {
    /// The cheap tests on some groups that share base contexts.
    pub fn neighbours(
        &mut self,
        groups: &[Vec<usize>],
        sender: &Outbox,
    ) -> Result<(), OracleError> {
        let members = groups.iter().flatten();
        let mutants = members.filter_map(|at| self.shared.mutants[at].as_ref().ok());
        let mut group = Group {
            replaceable: mutants.flat_map(Mutant::ids).collect(),
            ..Group::default()
        };
        for members in groups {
            group.abstractions = Abstractions::default();
            self.group(members, &mut group, sender)?;
        }
        Ok(())
    }

    /// The cheap tests on mutants of the same elements.
    fn group(
        &mut self,
        members: &[usize],
        group: &mut Group<'s>,
        sender: &Outbox,
    ) -> Result<(), OracleError> {
        for &at in members {
            let start = Instant::now();
            self.queries = 0;
            let looked = match &self.shared.mutants[&at] {
                Ok(mutant) => self.look_at(at, mutant, group)?,
                Err(error) => not_valid(error.to_string()),
            };
            let looked = match (looked, &self.shared.mutants[&at]) {
                (Looked::PutOff { safe, .. }, Ok(mutant)) => self.try_at_once(at, mutant, safe)?,
                (looked, _) => looked,
            };
            let (time, queries) = (start.elapsed(), self.queries);
            match looked {
                Looked::Covered(abstraction) => {
                    let covered = Covered { at, time, queries };
                    group.abstractions.list[abstraction].covers.push(covered);
                    self.batch.begin();
                }
                Looked::Proved(proved) => {
                    let covers = vec![Covered { at, time, queries }];
                    self.batch.add(proved, covers);
                }
                _ => self.tell(at, looked, time, sender),
            }
            if self.batch.is_late() {
                self.hand_over(&mut group.abstractions);
                self.settle(sender)?;
            }
        }
        self.hand_over(&mut group.abstractions);
        match self.batch.is_full() {
            true => self.settle(sender),
            false => Ok(()),
        }
    }

    /// Adds the abstractions to what waits for an audit.
    fn hand_over(&mut self, abstractions: &mut Abstractions) {
        for abstraction in abstractions.list.drain(..) {
            // These places could be havocked when the abstraction was made.
            if let Some(open) = abstractions
                .originals
                .as_ref()
                .and_then(|one| one.open(&abstraction.open))
            {
                let proved = Proved {
                    extent: self.first_extent(),
                    mutant: open,
                    own: None,
                };
                self.batch.add(proved, abstraction.covers);
            }
        }
    }

    /// Gives the engines a short time for a mutant that would be put off, as long as that has been
    /// worth it: what one leaves, above all a long run that kills, may save many others from that.
    fn try_at_once(
        &mut self,
        at: usize,
        mutant: &Mutant,
        safe: u32,
    ) -> Result<Looked, OracleError> {
        let resources = &self.shared.plan.resources;
        if self.credit == 0 || resources.exhausted() {
            return Ok(put_off(safe));
        }
        match self.look_again(at, mutant, safe, Round::trial(self.shared.plan))? {
            Looked::Decided(Fate::Unknown { steps, .. }, _) => {
                self.credit -= 1;
                Ok(put_off(steps))
            }
            Looked::Decided(Fate::Unaudited { .. }, _) => Ok(put_off(safe)),
            looked => {
                self.credit = MOST_CREDIT.min(self.credit + 1);
                Ok(looked)
            }
        }
    }

    /// Looks again at a mutant that was put off; after the last time it stays unknown.
    pub fn put_off(
        &mut self,
        at: usize,
        former: &PutOff,
        round: Round,
        sender: &Outbox,
    ) -> Result<(), OracleError> {
        let start = Instant::now();
        self.queries = former.queries;
        let exhausted = || self.shared.plan.resources.exhausted();
        let looked = match (&self.shared.mutants[&at], &former.proved) {
            (Ok(mutant), Some(proved)) => self.audit_again(mutant, proved, former.safe)?,
            (Ok(mutant), None) if !exhausted() => {
                self.look_again(at, mutant, former.safe, round)?
            }
            _ => Looked::Decided(unknown(former.safe, "the time is up".into()), Test::Full),
        };
        let looked = match looked {
            Looked::Decided(Fate::Unaudited { .. }, _) if !round.last => put_off(former.safe),
            Looked::Decided(Fate::Unknown { steps, why, .. }, by) => match round.last {
                true => {
                    let cut = round.cut || self.shared.plan.resources.exhausted();
                    Looked::Decided(Fate::Unknown { steps, why, cut }, by)
                }
                false => put_off(steps),
            },
            looked => looked,
        };
        let time = former.time + start.elapsed();
        if let Looked::Proved(proved) = looked {
            let queries = self.queries;
            self.batch.add(proved, vec![Covered { at, time, queries }]);
        } else {
            self.tell(at, looked, time, sender);
        }
        match self.batch.is_full() {
            true => self.settle(sender),
            false => Ok(()),
        }
    }

    /// Sends what is known of a mutant.
    pub(crate) fn tell(&mut self, at: usize, looked: Looked, time: Duration, sender: &Outbox) {
        let queries = self.queries;
        let step = match looked {
            Looked::Decided(fate, by) => Step::Decided(Decided {
                fate,
                by,
                time,
                queries,
                proof: self.proof.take(),
            }),
            // These are told of when they are audited.
            Looked::Covered(_) | Looked::Proved(..) => return,
            Looked::PutOff { safe, proved } => Step::PutOff(PutOff {
                safe,
                proved,
                time,
                queries,
            }),
        };
        // A closed channel means that the campaign has ended; the result is dropped.
        let _ = sender.send(Ok((at, step)));
    }

    fn look_at(
        &mut self,
        at: usize,
        mutant: &Mutant,
        group: &mut Group<'s>,
    ) -> Result<Looked, OracleError> {
        let shared = self.shared;
        if shared.plan.resources.exhausted() {
            return Ok(put_off(0));
        }
        let outside = match self.is_outside(mutant) {
            Ok(outside) => outside,
            Err(error) => return Ok(not_valid(error)),
        };
        let in_core = mutant.ids().iter().any(|id| shared.plan.core.contains(id));
        if outside || !in_core {
            let by = if outside { Test::Outside } else { Test::Core };
            return self.survived(mutant, by, shared.plan.proof_audit.clone());
        }
        let proving = self.part(self.first_extent());
        let part = mutant.within(&proving.positions);
        let originals = &mut group.abstractions.originals;
        let originals =
            originals.get_or_insert_with(|| OriginalElements::new(&proving.system, &part.ids()));
        let places = originals.places(&part).filter(|places| !places.is_empty());
        if let Some(places) = &places
            && let Some(abstraction) = group.abstractions.covering(places)
        {
            return Ok(Looked::Covered(abstraction));
        }
        let candidate = match Candidate::new(shared, mutant) {
            Ok(candidate) => candidate,
            Err(error) => return Ok(not_valid(error.to_string())),
        };
        if let Some(fate) = self.replay(at, &candidate)? {
            return Ok(Looked::Decided(fate, Test::Replay));
        }
        let looked = self.prove_or_kill(&candidate, group)?;
        // A proof that goes through may cover the neighbours: try it with the place havocked.
        if let (Looked::Proved(proved), Some(places)) = (&looked, &places)
            && proved.own.is_none()
            && proved.extent == self.first_extent()
            && let Some(abstraction) = self.generalize(places, group)?
        {
            return Ok(Looked::Covered(abstraction));
        }
        Ok(looked)
    }

    /// Looks at a mutant that no abstraction may cover.
    pub(crate) fn look_alone(
        &mut self,
        at: usize,
        mutant: &Mutant,
        group: &mut Group<'s>,
    ) -> Result<Looked, OracleError> {
        let candidate = match Candidate::new(self.shared, mutant) {
            Ok(candidate) => candidate,
            Err(error) => return Ok(not_valid(error.to_string())),
        };
        match self.replay(at, &candidate)? {
            Some(fate) => Ok(Looked::Decided(fate, Test::Replay)),
            None => self.prove_or_kill(&candidate, group),
        }
    }

    /// Havocs places, and as much around them as the proof allows: in the last abstraction where
    /// the proof still goes through, in a new one otherwise.
    fn generalize(
        &mut self,
        places: &TermPlaces,
        group: &mut Group<'s>,
    ) -> Result<Option<usize>, OracleError> {
        let mut closed = group.abstractions.closed.iter();
        if closed.any(|one| one.are_within(places)) {
            return Ok(None);
        }
        let last = group.abstractions.list.last();
        let mut base =
            last.map_or_else(TermPlaces::default, |abstraction| abstraction.open.clone());
        let mut fresh = base.is_empty();
        if !fresh && !self.holds_with_havoc(&base.and(places), group)? {
            (base, fresh) = (TermPlaces::default(), true);
        }
        if fresh && !self.holds_with_havoc(places, group)? {
            group.abstractions.closed.push(places.clone());
            return Ok(None);
        }
        let (mut holds, mut fails) = (0, places.depth() + 1);
        while holds + 1 < fails {
            let middle = holds + (fails - holds) / 2;
            match self.holds_with_havoc(&base.and(&places.above(middle)), group)? {
                true => holds = middle,
                false => fails = middle,
            }
        }
        let open = base.and(&places.above(holds));
        let list = &mut group.abstractions.list;
        match list.last_mut().filter(|_| !fresh) {
            Some(abstraction) => abstraction.open = open,
            None => list.push(Abstraction {
                open,
                covers: Vec::new(),
            }),
        }
        Ok(Some(list.len() - 1))
    }

    /// Whether the proof of the original goes through with these places open.
    fn holds_with_havoc(
        &mut self,
        places: &TermPlaces,
        group: &mut Group<'s>,
    ) -> Result<bool, OracleError> {
        let originals = group.abstractions.originals.as_ref();
        let Some(open) = originals.and_then(|originals| originals.open(places)) else {
            return Ok(false);
        };
        let part = self.part(self.first_extent());
        let system = open.of(&part.system)?;
        let inserted = Inserted {
            mutant: &open,
            system: &system,
        };
        let context = match self.shared.core {
            Some(_) => &mut group.core,
            None => &mut group.working,
        };
        let context = context.get_or_insert_with(|| self.open(part, &open, &group.replaceable));
        let before = context.queries;
        let holds = self.proof_holds(&inserted, context);
        self.queries += context.queries - before;
        holds
    }

    /// Whether no property depends on the mutant's elements, before and after.
    fn is_outside(&self, mutant: &Mutant) -> Result<bool, String> {
        let shared = self.shared;
        let ids = mutant.ids();
        if ids.iter().any(|id| shared.cone.contains(id)) {
            return Ok(false);
        }
        if shared.assumptions.is_none() {
            return Ok(true);
        }
        let nothing_new = |(id, element): &(ElementId, Element)| {
            let before = shared.system().element(*id).mentions();
            element.mentions().variables.is_subset(&before.variables)
        };
        if mutant.elements.iter().all(nothing_new) {
            return Ok(true);
        }
        // What it reads now may tie it to an assumption about the properties.
        let whole = mutant.of(shared.system());
        let whole = whole.map_err(|error| error.to_string())?;
        let after = slice(&whole, shared.plan.properties);
        Ok(ids.iter().all(|id| after.elements.position(*id).is_none()))
    }
}

/// A mutant to look at again.
pub(crate) fn put_off(safe: u32) -> Looked {
    Looked::PutOff { safe, proved: None }
}

fn not_valid(why: String) -> Looked {
    Looked::Decided(Fate::NotValid { why }, Test::Outside)
}
