//! Solvers that stop when a run is interrupted.

use proofmark_solve::{Interrupt, Listener, Solver};
use std::sync::{Arc, Mutex, PoisonError};

/// Stops the solvers that it knows when an interrupt is set, for as long as it lives.
pub struct Stopper {
    interrupt: Interrupt,
    listeners: Mutex<Vec<Arc<Listener>>>,
}

impl Stopper {
    /// Knows no solver yet; [`Stopper::attach`] adds them.
    pub fn new(interrupt: Interrupt) -> Stopper {
        Stopper {
            interrupt,
            listeners: Mutex::default(),
        }
    }

    /// From now on the solver stops with the run.
    pub fn attach(&self, solver: &dyn Solver) {
        let stop = solver.interrupt();
        let listener: Arc<Listener> = Arc::new(move || stop.set());
        self.interrupt.on_set(&listener);
        if self.interrupt.is_set() {
            listener();
        }
        // A list of pointers is whole even after a panic.
        let listeners = self.listeners.lock();
        let mut listeners = listeners.unwrap_or_else(PoisonError::into_inner);
        listeners.push(listener);
    }
}
