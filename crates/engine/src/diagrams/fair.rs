//! Fixpoints: what can reach a set, and where fair runs begin.
//!
//! Fair states as in Kesten, Pnueli and Raviv (Algorithmic verification of linear temporal logic
//! specifications, 1998), which is Emerson's and Lei's algorithm with compassion: the greatest set in which
//! every state has a successor, can reach every justice condition and, if it satisfies the first of a
//! compassion pair, can reach the second, all within the set. From each of its states a fair run begins
//! that stays in it (go to a terminal component), and every fair run ends up in it.

use super::encode::Encoder;
use super::space::{Condition, Space};
use super::store::{Answer, Diagram, and, is_empty, minus, or};

impl Space<'_> {
    /// The states from which some path within a set leads to a target; the target need not be within.
    pub(super) fn until(
        &self,
        encoder: &Encoder,
        within: &Diagram,
        target: &Diagram,
    ) -> Answer<Diagram> {
        let store = &encoder.store;
        let mut all = target.clone();
        let mut frontier = target.clone();
        while !is_empty(&frontier) {
            store.check()?;
            let before = and(&self.relation.preimage(store, &frontier)?, within)?;
            frontier = minus(&before, &all)?;
            all = or(&all, &frontier)?;
        }
        Ok(all)
    }

    /// The states of a set that fair runs within it visit for ever, or can: see above.
    pub(super) fn core(&self, encoder: &Encoder, within: &Diagram) -> Answer<Diagram> {
        let store = &encoder.store;
        let mut core = within.clone();
        loop {
            store.check()?;
            let before = core.clone();
            for condition in &self.justice {
                let meets = self.meets(encoder, condition, &core)?;
                core = self.until(encoder, &core, &meets)?;
            }
            for (first, second) in &self.compassion {
                let answered = self.until(encoder, &core, &and(&core, second)?)?;
                core = or(&minus(&core, first)?, &answered)?;
            }
            loop {
                store.check()?;
                let stays = and(&core, &self.relation.preimage(store, &core)?)?;
                if stays == core {
                    break;
                }
                core = stays;
            }
            if core == before {
                return Ok(core);
            }
        }
    }

    /// The states of a set that meet a justice condition, by themselves or by a step within the set.
    pub(super) fn meets(
        &self,
        encoder: &Encoder,
        condition: &Condition,
        set: &Diagram,
    ) -> Answer<Diagram> {
        if !condition.labelled {
            return and(set, &condition.set);
        }
        let by_step = self
            .relation
            .preimage_with(&encoder.store, set, &condition.set)?;
        and(set, &by_step)
    }

    /// The states of a set from which a fair run begins that stays in it.
    pub(super) fn fair_within(&self, encoder: &Encoder, within: &Diagram) -> Answer<Diagram> {
        let core = self.core(encoder, within)?;
        self.until(encoder, within, &core)
    }
}
