//! Ctrl-C: the run ends within a tenth of a second, whatever it is doing.
//!
//! The solver is asked to stop, which normally lets the run end in its own way. What does not come
//! back in time, be it a long parse or a wait for input, is ended here. A second Ctrl-C has nothing
//! to add.

use crate::exit::Exit;
use proofmark_solve::Interrupt;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a check has to end by itself.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long an answer has to be written to its end. The rest of the tenth of a second belongs to
/// the system, which takes back the memory of a large script.
const LAST_WORDS: Duration = Duration::from_millis(10);

/// Connects Ctrl-C and termination with a solver. `checking` is set while a check runs that has to
/// be answered; who clears it, answers.
pub fn connect(interrupt: Interrupt, checking: Arc<AtomicBool>) {
    let handled = ctrlc::set_handler(move || {
        interrupt.set();
        let has_question = checking.load(Ordering::SeqCst);
        std::thread::sleep(if has_question { PATIENCE } else { LAST_WORDS });
        if checking.swap(false, Ordering::SeqCst) {
            let mut out = std::io::stdout();
            let _ = writeln!(out, "unknown").and_then(|()| out.flush());
        }
        std::process::exit(Exit::Inconclusive as i32);
    });
    // Without a handler Ctrl-C ends the process as it ends any other.
    if let Err(error) = handled {
        crate::terminal::warning(&format!("Ctrl-C cannot be handled: {error}"));
    }
}
