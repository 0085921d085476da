//! The states of a system for the second computation: where runs begin, what follows what, which runs
//! are fair, and the fixpoints over them.
//!
//! Inputs and choices that no claim speaks of label steps and are quantified with them, unless a step reads
//! one on both sides. The relation is a list of parts; a variable is quantified with the last
//! part that reads it.

use super::diagram::{Answer, Column, Set};
use super::meaning::{Meanings, Reading};
use proofmark_model::{Claim, Phase, Role, Term};
use rustc_hash::FxHashSet;

/// A relation or a condition with the levels that it reads.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) set: Set,
    pub(super) reads: Vec<u32>,
}

impl Part {
    pub(super) fn new(set: Set) -> Part {
        let (reads, _) = set.support();
        Part { set, reads }
    }
}

/// What a system demands, before anything is quantified.
pub(super) struct Demands {
    pub(super) init: Set,
    pub(super) steps: Vec<Part>,
    /// Where a definition gives a variable a value that it cannot have.
    beyond: Vec<Set>,
    pub(super) justice: Vec<Set>,
    pub(super) compassion: Vec<(Set, Set)>,
    /// The present levels of labels that claims of branching time do not speak of, and of those also
    /// that claims of linear time do not.
    labels: Vec<u32>,
    plain_labels: Vec<u32>,
}

/// Parts are joined up to so many nodes.
const JOINED: usize = 3_000;

impl Demands {
    pub(super) fn new(meanings: &mut Meanings<'_>) -> Answer<Demands> {
        let mut init = meanings.diagrams.yes();
        let mut beyond = Vec::new();
        for (definition, term) in meanings.equations(Phase::Init) {
            init = init.and(&meanings.truth(term, Reading::State)?)?;
            if let Some((variable, value)) = definition {
                beyond.push(meanings.beyond(variable, value, Reading::State)?);
            }
        }
        let mut steps = Vec::new();
        for (definition, term) in meanings.equations(Phase::Step) {
            conjuncts(term, &mut |term| {
                let set = meanings.truth(term, Reading::Step)?;
                if !set.is_all() {
                    steps.push(Part::new(set));
                }
                Ok(())
            })?;
            if let Some((variable, value)) = definition {
                beyond.push(meanings.beyond(variable, value, Reading::Step)?);
            }
        }
        beyond.retain(|set| !set.is_empty());
        let fairness = meanings.system.fairness();
        let mut condition = |term: &Term| meanings.truth(*term, Reading::State);
        let justice: Answer<Vec<Set>> = fairness.justice.iter().map(&mut condition).collect();
        let pairs = fairness.compassion.iter();
        let compassion: Answer<Vec<(Set, Set)>> = pairs
            .map(|(first, second)| Ok((condition(first)?, condition(second)?)))
            .collect();
        let mut demands = Demands {
            init,
            steps,
            beyond,
            justice: justice?,
            compassion: compassion?,
            labels: Vec::new(),
            plain_labels: Vec::new(),
        };
        demands.find_labels(meanings)?;
        demands.join()?;
        Ok(demands)
    }

    fn find_labels(&mut self, meanings: &mut Meanings<'_>) -> Answer<()> {
        let (mut asked, mut said) = (FxHashSet::default(), FxHashSet::default());
        for specification in meanings.system.specifications() {
            let linear = matches!(specification.claim, Claim::Linear(_) | Claim::Justice(_));
            for atom in specification.claim.atoms() {
                let (reads, _) = meanings.truth(*atom, Reading::State)?.support();
                match linear {
                    true => said.extend(reads),
                    false => asked.extend(reads),
                }
            }
        }
        for (first, second) in &self.compassion {
            asked.extend(first.support().0);
            asked.extend(second.support().0);
        }
        let often: FxHashSet<u32> = self
            .justice
            .iter()
            .flat_map(|one| one.support().0)
            .collect();
        let read: FxHashSet<u32> = self
            .steps
            .iter()
            .flat_map(|one| &one.reads)
            .copied()
            .collect();
        let at_first: FxHashSet<u32> = self.init.support().0.into_iter().collect();
        for variable in meanings.system.variables() {
            let Some(levels) = meanings.levels.get(&variable.current) else {
                continue;
            };
            let is = |among: &FxHashSet<u32>| levels.iter().any(|level| among.contains(level));
            let now = is(&at_first) || levels.iter().any(|level| read.contains(&(level + 1)));
            let before = is(&read);
            let free = matches!(variable.role, Role::Input | Role::Choice);
            if free && !is(&asked) && !(now && (before || is(&often))) {
                self.labels.extend(levels);
                if !is(&said) && !is(&often) {
                    self.plain_labels.extend(levels);
                }
            }
        }
        Ok(())
    }

    /// Quantifies labels that a single part reads, and joins neighbours while they stay small.
    fn join(&mut self) -> Answer<()> {
        let plain: FxHashSet<u32> = self
            .plain_labels
            .iter()
            .flat_map(|level| [*level, level + 1])
            .collect();
        let mut readers = rustc_hash::FxHashMap::<u32, usize>::default();
        for level in self.steps.iter().flat_map(|part| &part.reads) {
            *readers.entry(*level).or_default() += 1;
        }
        let mut joined: Vec<Part> = Vec::new();
        for part in std::mem::take(&mut self.steps) {
            let alone = |level: &&u32| plain.contains(*level) && readers.get(*level) == Some(&1);
            let alone: Vec<u32> = part.reads.iter().filter(alone).copied().collect();
            let part = match alone.is_empty() {
                true => part,
                false => {
                    let cube = part.set.diagrams().cube(alone)?;
                    Part::new(part.set.exists(&cube)?)
                }
            };
            if let Some(last) = joined.last_mut() {
                let both = last.set.and(&part.set)?;
                if both.support().1 <= JOINED {
                    *last = Part::new(both);
                    continue;
                }
            }
            joined.push(part);
        }
        self.steps = joined;
        Ok(())
    }
}

fn conjuncts(term: Term, work: &mut dyn FnMut(Term) -> Answer<()>) -> Answer<()> {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match term.op() {
            proofmark_model::Op::And => stack.extend(term.args().iter().rev()),
            _ => work(term)?,
        }
    }
    Ok(())
}

/// What a state consists of, for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Labels are no part of it.
    Branching,
    /// The labels that claims speak of are.
    Linear,
}

/// States with a relation; sets of states are over present levels.
pub(super) struct States {
    pub(super) init: Set,
    forward: Vec<(Set, Set)>,
    backward: Vec<(Set, Set)>,
    idle_forward: Set,
    idle_backward: Set,
    /// Each with whether it speaks of labels.
    justice: Vec<(Set, bool)>,
    compassion: Vec<(Set, Set)>,
}

/// What linear time adds to a system.
pub(super) struct Additions {
    pub(super) init: Set,
    pub(super) steps: Vec<Set>,
    pub(super) justice: Vec<Set>,
}

impl States {
    pub(super) fn new(
        meanings: &Meanings<'_>,
        demands: &Demands,
        kind: Kind,
        more: &Additions,
    ) -> Answer<States> {
        let diagrams = &meanings.diagrams;
        let labels = match kind {
            Kind::Branching => &demands.labels,
            // A condition on the step out of a state is one on a state with its label.
            Kind::Linear => &demands.plain_labels,
        };
        let quantified: FxHashSet<u32> = labels.iter().copied().collect();
        let present: Vec<u32> = (0..meanings.height)
            .step_by(2)
            .filter(|level| !quantified.contains(level))
            .collect();
        let both: Vec<u32> = labels
            .iter()
            .flat_map(|level| [*level, level + 1])
            .collect();
        let ahead = |next: u32| -> Vec<u32> {
            let own = present.iter().map(|level| level + next);
            own.chain(both.iter().copied()).collect()
        };
        let mut parts = demands.steps.clone();
        parts.extend(more.steps.iter().cloned().map(Part::new));
        let (forward, idle_forward) = schedule(meanings, &parts, ahead(0))?;
        let (backward, idle_backward) = schedule(meanings, &parts, ahead(1))?;
        let init = demands
            .init
            .and_exists(&more.init, &diagrams.cube(labels.iter().copied())?)?;
        let justice = demands.justice.iter().chain(&more.justice);
        let justice = justice.map(|set| {
            let labelled = set
                .support()
                .0
                .iter()
                .any(|level| quantified.contains(level));
            (set.clone(), labelled)
        });
        Ok(States {
            init,
            forward,
            backward,
            idle_forward,
            idle_backward,
            justice: justice.collect(),
            compassion: demands.compassion.clone(),
        })
    }

    /// The states that follow some.
    pub(super) fn image(&self, set: &Set) -> Answer<Set> {
        let mut result = set.exists(&self.idle_forward)?;
        for (part, gone) in &self.forward {
            result = result.and_exists(part, gone)?;
        }
        result.moved(Column::Present)
    }

    /// The states that some follow, by steps whose present state and labels are in another set.
    fn preimage_by(&self, set: &Set, by: &Set) -> Answer<Set> {
        let mut result = set
            .moved(Column::Next)?
            .and_exists(by, &self.idle_backward)?;
        for (part, gone) in &self.backward {
            result = result.and_exists(part, gone)?;
        }
        Ok(result)
    }

    pub(super) fn preimage(&self, set: &Set) -> Answer<Set> {
        self.preimage_by(set, &set.diagrams().yes())
    }

    /// All states that finite runs reach.
    pub(super) fn reach(&self, demands: &Demands) -> Answer<Set> {
        let (mut all, mut new) = (self.init.clone(), self.init.clone());
        while !new.is_empty() {
            new = self.image(&new)?.minus(&all)?;
            all = all.or(&new)?;
        }
        for beyond in &demands.beyond {
            if !all.and(beyond)?.is_empty() {
                return Err("a variable may leave its bounds".into());
            }
        }
        Ok(all)
    }

    /// The states from which a path within a set leads to a target.
    pub(super) fn until(&self, within: &Set, target: &Set) -> Answer<Set> {
        let (mut all, mut new) = (target.clone(), target.clone());
        while !new.is_empty() {
            new = self.preimage(&new)?.and(within)?.minus(&all)?;
            all = all.or(&new)?;
        }
        Ok(all)
    }

    /// The states from which a fair run begins that stays in a set: those that reach, within it, the
    /// greatest set in which each state has a successor, reaches every justice condition and, from the
    /// first of a compassion pair, the second.
    pub(super) fn fair(&self, within: &Set) -> Answer<Set> {
        let mut core = within.clone();
        loop {
            let before = core.clone();
            core = core.and(&self.preimage(&core)?)?;
            for (condition, labelled) in &self.justice {
                let meets = match labelled {
                    true => self.preimage_by(&core, condition)?.and(&core)?,
                    false => core.and(condition)?,
                };
                core = self.until(&core, &meets)?;
            }
            for (first, second) in &self.compassion {
                let answered = self.until(&core, &core.and(second)?)?;
                core = core.minus(first)?.or(&answered)?;
            }
            if core == before {
                return self.until(within, &core);
            }
        }
    }
}

/// Parts in an order, each with what is quantified after it, and what no part reads.
fn schedule(
    meanings: &Meanings<'_>,
    parts: &[Part],
    quantified: Vec<u32>,
) -> Answer<(Vec<(Set, Set)>, Set)> {
    let mut open: FxHashSet<u32> = quantified.into_iter().collect();
    let read: FxHashSet<u32> = parts.iter().flat_map(|part| &part.reads).copied().collect();
    let idle = open.iter().filter(|level| !read.contains(level)).copied();
    let idle = meanings.diagrams.cube(idle)?;
    let mut left: Vec<&Part> = parts.iter().collect();
    let mut readers = rustc_hash::FxHashMap::<u32, usize>::default();
    for level in parts.iter().flat_map(|part| &part.reads) {
        *readers.entry(*level).or_default() += 1;
    }
    let mut ordered = Vec::new();
    while !left.is_empty() {
        // The part that quantifies most, and among these the one that reads least else.
        let score = |part: &Part| {
            let gone = |level: &&u32| open.contains(*level) && readers[*level] == 1;
            let gone = part.reads.iter().filter(gone).count() as i64;
            2 * gone - part.reads.len() as i64
        };
        let best = (0..left.len()).max_by_key(|at| (score(left[*at]), std::cmp::Reverse(*at)));
        let Some(best) = best else { break };
        let part = left.remove(best);
        let mut gone = Vec::new();
        for level in &part.reads {
            let count = readers.entry(*level).or_default();
            *count -= 1;
            if *count == 0 && open.remove(level) {
                gone.push(*level);
            }
        }
        ordered.push((part.set.clone(), meanings.diagrams.cube(gone)?));
    }
    Ok((ordered, idle))
}
