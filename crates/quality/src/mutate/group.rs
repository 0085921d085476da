//! Mutants of the same elements, looked at together: solvers are told of the rest once, and what
//! is proved of a place left open is proved of every mutation there.

use super::campaign::{Decided, Fate, Outbox, PutOff, Round, Step, Test};
use super::mutant::Mutant;
use super::opening::{Opening, Standing};
use super::sketch::{Canvas, Places};
use super::worker::{Candidate, Extent, MOST_CREDIT, Worker, unknown};
use crate::oracle::OracleError;
use proofmark_model::{Element, ElementId, Term, slice};
use std::time::{Duration, Instant};

/// What the mutants of one group share.
#[derive(Default)]
pub(super) struct Group<'s> {
    /// What is open for all neighbours.
    pub hole: Vec<ElementId>,
    pub core: Option<Opening<'s>>,
    pub working: Option<Opening<'s>>,
    drawing: Drawing,
}

/// Sketches on which the proof of the original goes through, and who is covered by them.
#[derive(Default)]
struct Drawing {
    canvas: Option<Canvas>,
    sketches: Vec<Sketch>,
    /// Places that cannot be open, not even alone.
    closed: Vec<Places>,
}

#[derive(Default)]
struct Sketch {
    open: Places,
    covers: Vec<Covered>,
}

/// A mutant that survives once the sketch that covers it is audited.
pub(super) struct Covered {
    pub at: usize,
    pub time: Duration,
    pub queries: u64,
}

impl Drawing {
    /// The position of a sketch that covers these places.
    fn covering(&self, places: &Places) -> Option<usize> {
        let mut sketches = self.sketches.iter();
        sketches.position(|sketch| places.are_within(&sketch.open))
    }
}

/// A mutant, or elements with places open, on which the properties are proved on some part.
pub(super) struct Proved {
    pub extent: Extent,
    pub mutant: Mutant,
    /// The invariants, where they are not those of the original's proof.
    pub own: Option<Vec<Term>>,
}

/// What a look at a mutant came to.
pub(super) enum Looked {
    Decided(Fate, Test),
    /// It survives if a sketch, given by its position, does.
    Covered(usize),
    /// It survives if that passes an audit.
    Proved(Proved),
    PutOff {
        safe: u32,
    },
}

impl<'s> Worker<'s> {
    /// The cheap tests on some groups, whose solvers have openings for all of them.
    pub fn neighbours(
        &mut self,
        groups: &[Vec<usize>],
        sender: &Outbox,
    ) -> Result<(), OracleError> {
        let members = groups.iter().flatten();
        let mutants = members.filter_map(|at| self.shared.mutants[at].as_ref().ok());
        let mut group = Group {
            hole: mutants.flat_map(Mutant::ids).collect(),
            ..Group::default()
        };
        for members in groups {
            group.drawing = Drawing::default();
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
                (Looked::PutOff { safe }, Ok(mutant)) => self.try_at_once(at, mutant, safe)?,
                (looked, _) => looked,
            };
            let (time, queries) = (start.elapsed(), self.queries);
            match looked {
                Looked::Covered(sketch) => {
                    let covered = Covered { at, time, queries };
                    group.drawing.sketches[sketch].covers.push(covered);
                    self.batch.begin();
                }
                Looked::Proved(proved) => {
                    let covers = vec![Covered { at, time, queries }];
                    self.batch.add(proved, covers);
                }
                _ => self.tell(at, looked, time, sender),
            }
            if self.batch.is_late() {
                self.hand_over(&mut group.drawing);
                self.settle(sender)?;
            }
        }
        self.hand_over(&mut group.drawing);
        match self.batch.is_full() {
            true => self.settle(sender),
            false => Ok(()),
        }
    }

    /// Puts sketches among what waits for an audit.
    fn hand_over(&mut self, drawing: &mut Drawing) {
        for sketch in drawing.sketches.drain(..) {
            // It could be opened when it was drawn.
            if let Some(open) = drawing
                .canvas
                .as_ref()
                .and_then(|one| one.open(&sketch.open))
            {
                let proved = Proved {
                    extent: self.first_extent(),
                    mutant: open,
                    own: None,
                };
                self.batch.add(proved, sketch.covers);
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
            return Ok(Looked::PutOff { safe });
        }
        match self.look_again(at, mutant, safe, Round::trial(resources.budget))? {
            Looked::Decided(Fate::Unknown { steps, .. }, _) => {
                self.credit -= 1;
                Ok(Looked::PutOff { safe: steps })
            }
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
        let looked = match &self.shared.mutants[&at] {
            Ok(mutant) if !exhausted() => self.look_again(at, mutant, former.safe, round)?,
            _ => Looked::Decided(unknown(former.safe, "the time is up".into()), Test::Full),
        };
        let looked = match looked {
            Looked::Decided(Fate::Unknown { steps, why, .. }, by) => match round.last {
                true => {
                    let cut = round.cut || self.shared.plan.resources.exhausted();
                    Looked::Decided(Fate::Unknown { steps, why, cut }, by)
                }
                false => Looked::PutOff { safe: steps },
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
    pub(super) fn tell(&mut self, at: usize, looked: Looked, time: Duration, sender: &Outbox) {
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
            Looked::PutOff { safe } => Step::PutOff(PutOff {
                safe,
                time,
                queries,
            }),
        };
        // With nobody left to hear there is nothing left to do.
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
            return Ok(Looked::PutOff { safe: 0 });
        }
        let outside = match self.is_outside(mutant) {
            Ok(outside) => outside,
            Err(error) => return Ok(not_valid(error)),
        };
        let in_core = mutant.ids().iter().any(|id| shared.plan.core.contains(id));
        if outside || !in_core {
            let by = if outside { Test::Outside } else { Test::Core };
            return self.survived(mutant, by);
        }
        let proving = self.part(self.first_extent());
        let part = mutant.within(&proving.positions);
        let canvas = &mut group.drawing.canvas;
        let canvas = canvas.get_or_insert_with(|| Canvas::new(&proving.system, &part.ids()));
        let places = canvas.places(&part).filter(|places| !places.is_empty());
        if let Some(places) = &places
            && let Some(sketch) = group.drawing.covering(places)
        {
            return Ok(Looked::Covered(sketch));
        }
        let candidate = match Candidate::new(shared, mutant) {
            Ok(candidate) => candidate,
            Err(error) => return Ok(not_valid(error.to_string())),
        };
        if let Some(fate) = self.replay(at, &candidate)? {
            return Ok(Looked::Decided(fate, Test::Replay));
        }
        let looked = self.prove_or_kill(&candidate, group)?;
        // What goes well may go well for others, too.
        if let (Looked::Proved(proved), Some(places)) = (&looked, &places)
            && proved.own.is_none()
            && proved.extent == self.first_extent()
            && let Some(sketch) = self.draw(places, group)?
        {
            return Ok(Looked::Covered(sketch));
        }
        Ok(looked)
    }

    /// Looks at a mutant that no sketch may cover.
    pub(super) fn look_alone(
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

    /// Opens places, and as much around them as the proof allows: in the last sketch where that
    /// goes well, in one of their own otherwise.
    fn draw(
        &mut self,
        places: &Places,
        group: &mut Group<'s>,
    ) -> Result<Option<usize>, OracleError> {
        let mut closed = group.drawing.closed.iter();
        if closed.any(|one| one.are_within(places)) {
            return Ok(None);
        }
        let last = group.drawing.sketches.last();
        let mut base = last.map_or_else(Places::default, |sketch| sketch.open.clone());
        let mut fresh = base.is_empty();
        if !fresh && !self.is_open(&base.and(places), group)? {
            (base, fresh) = (Places::default(), true);
        }
        if fresh && !self.is_open(places, group)? {
            group.drawing.closed.push(places.clone());
            return Ok(None);
        }
        let (mut holds, mut fails) = (0, places.depth() + 1);
        while holds + 1 < fails {
            let middle = holds + (fails - holds) / 2;
            match self.is_open(&base.and(&places.above(middle)), group)? {
                true => holds = middle,
                false => fails = middle,
            }
        }
        let open = base.and(&places.above(holds));
        let sketches = &mut group.drawing.sketches;
        match sketches.last_mut().filter(|_| !fresh) {
            Some(sketch) => sketch.open = open,
            None => sketches.push(Sketch {
                open,
                covers: Vec::new(),
            }),
        }
        Ok(Some(sketches.len() - 1))
    }

    /// Whether the proof of the original goes through with these places open.
    fn is_open(&mut self, places: &Places, group: &mut Group<'s>) -> Result<bool, OracleError> {
        let canvas = group.drawing.canvas.as_ref();
        let Some(open) = canvas.and_then(|canvas| canvas.open(places)) else {
            return Ok(false);
        };
        let part = self.part(self.first_extent());
        let system = open.of(&part.system)?;
        let standing = Standing {
            mutant: &open,
            system: &system,
        };
        let opening = match self.shared.core {
            Some(_) => &mut group.core,
            None => &mut group.working,
        };
        let opening = opening.get_or_insert_with(|| self.open(part, &open, &group.hole));
        let before = opening.queries;
        let holds = self.proof_holds(&standing, opening);
        self.queries += opening.queries - before;
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

fn not_valid(why: String) -> Looked {
    Looked::Decided(Fate::NotValid { why }, Test::Outside)
}
