//! What a specification comes to, by a second computation from the system alone.

use super::diagram::{Answer, Diagrams, RecountLimits};
use super::formula::{Reached, Tableau, branching, distance};
use super::meaning::{Meanings, Reading};
use super::states::{Additions, Demands, Kind, States};
use proofmark_model::{Claim, Distance, System, Term};

/// What the second computation says of a specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recount {
    /// Whether it holds.
    Holds(bool),
    /// The number that it asks for.
    Distance(Distance),
}

/// The computation recurs once a level of the diagrams.
const STACK: usize = 1 << 28;

/// Decides specifications, by position; `hear` is told of each, or why there is no answer. It works on a
/// thread of its own, for the sake of its stack.
pub fn recount(
    system: &System,
    specifications: &[usize],
    limits: &RecountLimits,
    hear: &mut (dyn FnMut(usize, Result<Recount, String>) + Send),
) {
    std::thread::scope(|scope| {
        let work = || {
            let mut session = Session::new(system, limits);
            for at in specifications {
                let claim = &system.specifications()[*at].claim;
                let answer = match &mut session {
                    Ok(session) => session.decide(claim),
                    Err(why) => Err(why.clone()),
                };
                hear(*at, answer);
            }
        };
        let thread = std::thread::Builder::new().stack_size(STACK);
        // Without a thread there is no second answer, and nobody hears of one.
        if let Ok(handle) = thread.spawn_scoped(scope, work)
            && let Err(panic) = handle.join()
        {
            std::panic::resume_unwind(panic);
        }
    });
}

struct Session<'s> {
    meanings: Meanings<'s>,
    demands: Demands,
    states: States,
    reached: Reached,
}

impl<'s> Session<'s> {
    fn new(system: &'s System, limits: &RecountLimits) -> Answer<Session<'s>> {
        let diagrams = Diagrams::new(limits.clone());
        let nothing = nothing(&diagrams);
        let mut meanings = Meanings::new(system, diagrams)?;
        let demands = Demands::new(&mut meanings)?;
        let states = States::new(&meanings, &demands, Kind::Branching, &nothing)?;
        let all = states.reach(&demands)?;
        let fair = states.fair(&all)?;
        Ok(Session {
            meanings,
            demands,
            states,
            reached: Reached { all, fair },
        })
    }

    fn decide(&mut self, claim: &Claim<Term>) -> Answer<Recount> {
        let (meanings, states, reached) = (&mut self.meanings, &self.states, &self.reached);
        match claim {
            Claim::Branching(formula) => {
                let holds = branching(meanings, states, reached, formula)?;
                let begin = states.init.and(&reached.fair)?;
                Ok(Recount::Holds(begin.minus(&holds)?.is_empty()))
            }
            Claim::Distance { longest, from, to } => {
                let from = branching(meanings, states, reached, from)?;
                let to = branching(meanings, states, reached, to)?;
                let found = distance(states, reached, *longest, &from, &to)?;
                Ok(Recount::Distance(found))
            }
            Claim::Linear(formula) => {
                let additions = Tableau::violating(meanings, formula)?;
                self.no_fair_run(&additions)
            }
            Claim::Justice(conditions) => {
                let mut additions = nothing(&meanings.diagrams);
                for condition in conditions {
                    let set = meanings.truth(*condition, Reading::State)?;
                    additions.justice.push(set);
                }
                self.no_fair_run(&additions)
            }
        }
    }

    fn no_fair_run(&self, additions: &Additions) -> Answer<Recount> {
        let states = States::new(&self.meanings, &self.demands, Kind::Linear, additions)?;
        let fair = states.fair(&self.reached.all)?;
        Ok(Recount::Holds(states.init.and(&fair)?.is_empty()))
    }
}

fn nothing(diagrams: &Diagrams) -> Additions {
    Additions {
        init: diagrams.yes(),
        steps: Vec::new(),
        justice: Vec::new(),
    }
}
