//! A system unrolled in a solver, step by step.

use proofmark_model::{
    Op, Phase, Program, Rational, Refutation, System, Term, Trace, Unroller, Value, Variable,
    division_by_zero,
};
use proofmark_solve::{SolveError, Solver};
use rustc_hash::FxHashSet;

/// The steps of a system that a solver has been told of.
pub struct Frames<'s> {
    /// What is unrolled.
    pub system: &'s System,
    /// The solver that holds the steps; callers set its budget, open scopes and ask it.
    pub solver: Box<dyn Solver>,
    unroller: Unroller,
}

impl<'s> Frames<'s> {
    /// No step yet: the solver is told of a step when it is asserted.
    pub fn new(system: &'s System, solver: Box<dyn Solver>) -> Frames<'s> {
        Frames {
            system,
            solver,
            unroller: Unroller::new(system),
        }
    }

    /// A term over current (and previous) variables at a step.
    pub fn at(&mut self, term: Term, step: u32) -> Term {
        self.unroller.at(term, step)
    }

    /// Asserts that step 0 is a first step.
    pub fn assert_init(&mut self) -> Result<(), SolveError> {
        self.assert_part(Phase::Init, 0)
    }

    /// Asserts that step 0 is some state: what every state satisfies by itself.
    pub fn assert_state(&mut self) -> Result<(), SolveError> {
        for fact in self.system.timeless() {
            self.assert_at(fact, 0)?;
        }
        Ok(())
    }

    /// Asserts that a step follows from the one before.
    pub fn assert_step(&mut self, step: u32) -> Result<(), SolveError> {
        self.assert_part(Phase::Step, step)
    }

    fn assert_part(&mut self, phase: Phase, step: u32) -> Result<(), SolveError> {
        for element in self.system.elements() {
            let part = self.unroller.at(element.part(phase), step);
            self.solver.assert(part)?;
        }
        Ok(())
    }

    /// Asserts a term over current (and previous) variables at a step.
    pub fn assert_at(&mut self, term: Term, step: u32) -> Result<(), SolveError> {
        let term = self.at(term, step);
        self.solver.assert(term)
    }

    /// Does a term hold at a step of the solver's model?
    pub fn holds(&mut self, term: Term, step: u32) -> Result<bool, SolveError> {
        let term = self.at(term, step);
        Ok(self.solver.value(term)? == Value::Bool(true))
    }

    /// The value of a term at a step of the solver's model; only after a satisfiable check.
    pub fn value(&mut self, term: Term, step: u32) -> Result<Value, SolveError> {
        let term = self.at(term, step);
        self.solver.value(term)
    }

    /// Takes in a variable that the system does not have, such as one of a mutant.
    pub fn declare(&mut self, variable: &Variable) {
        self.unroller.declare(variable);
    }

    /// The run in the solver's model, from step 0 to `last`: the values of everything.
    pub fn trace(&mut self, last: u32) -> Result<Trace, SolveError> {
        self.trace_of(self.system, last)
    }

    /// The same for another system of which the solver has been told, such as a mutant.
    pub fn trace_of(&mut self, system: &System, last: u32) -> Result<Trace, SolveError> {
        let mut trace = self.states_of(system, last)?;
        self.function_values(system, last, &mut trace)?;
        Ok(trace)
    }

    /// The states in the solver's model, from step 0 to `last`, without the values of functions.
    pub fn states(&mut self, last: u32) -> Result<Trace, SolveError> {
        self.states_of(self.system, last)
    }

    fn states_of(&mut self, system: &System, last: u32) -> Result<Trace, SolveError> {
        let columns: Vec<Term> = system
            .variables()
            .iter()
            .map(|variable| variable.current)
            .collect();
        let mut trace = Trace::new(columns.clone());
        for step in 0..=last {
            let row: Result<Vec<Value>, SolveError> = columns
                .iter()
                .map(|column| self.value(*column, step))
                .collect();
            trace
                .push(row?)
                .map_err(|error| SolveError::Misuse(format!("{error:?}")))?;
        }
        Ok(trace)
    }

    /// The points of uninterpreted functions that the run uses.
    fn function_values(
        &mut self,
        system: &System,
        last: u32,
        trace: &mut Trace,
    ) -> Result<(), SolveError> {
        for (phase, application) in applications(system) {
            let steps = match phase {
                Phase::Init => 0..=0,
                Phase::Step => 1..=last,
            };
            for step in steps {
                let application = self.at(application, step);
                let (function, args) = match (application.op(), application.args()) {
                    (Op::Apply(function), args) => (*function, args),
                    (op, [dividend, divisor]) => {
                        let divisor = self.solver.value(*divisor)?;
                        if !divisor.as_number().is_some_and(Rational::is_zero) {
                            continue;
                        }
                        (division_by_zero(op), std::slice::from_ref(dividend))
                    }
                    _ => continue,
                };
                let args = args.iter().map(|arg| self.solver.value(*arg));
                let args: Result<Vec<Value>, SolveError> = args.collect();
                let value = self.solver.value(application)?;
                let inserted = trace.functions.insert(function, args?, value);
                inserted.map_err(|error| SolveError::Misuse(format!("{error:?}")))?;
            }
        }
        Ok(())
    }

    /// The run in the solver's model as a refutation, shown by the simulator or not believed.
    pub fn refutation(
        &mut self,
        program: &Program,
        property: usize,
        last: u32,
    ) -> Result<Option<Refutation>, SolveError> {
        let trace = self.trace(last)?;
        let (trace, outcome) = program.machine().run(&trace);
        let step = outcome
            .refuted_at(property)
            .and_then(|step| u32::try_from(step).ok());
        Ok(step.map(|step| Refutation { trace, step }))
    }
}

/// Where a system applies functions, by phase; what a division by zero gives is a function, too.
fn applications(system: &System) -> Vec<(Phase, Term)> {
    let mut found = Vec::new();
    for phase in [Phase::Init, Phase::Step] {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Term> = system
            .elements()
            .iter()
            .map(|element| element.part(phase))
            .collect();
        stack.extend(system.properties().iter().map(|property| property.term));
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                stack.extend(term.args());
                let divides = matches!(term.op(), Op::Div | Op::IntDiv | Op::Mod);
                let by_unknown = divides && term.args()[1].as_const().is_none();
                if by_unknown || matches!(term.op(), Op::Apply(_)) {
                    found.push((phase, term));
                }
            }
        }
    }
    found
}
