//! Exit codes: the contract with scripts and CI, stated once.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Everything that was asked for was done, and holds.
    Fine = 0,
    /// The command line is wrong.
    Usage = 1,
    /// An input is wrong or cannot be read; diagnostics are on standard error.
    Input = 2,
    /// Something has no answer: unknown, vacuous, nothing tested, interrupted, out of budget.
    Inconclusive = 5,
    /// The tool, or a solver it relies on, failed; an audit did not pass.
    Internal = 6,
    /// Something was found: a property is invalid.
    Found = 10,
    /// A formula is unsatisfiable, as SAT competitions have it.
    Unsatisfiable = 20,
}

impl Exit {
    /// The worse of two, for a run on several models: what failed comes before what was found, and
    /// that before what has no answer.
    pub fn worse(self, other: Exit) -> Exit {
        const WORST_FIRST: [Exit; 7] = [
            Exit::Internal,
            Exit::Usage,
            Exit::Input,
            Exit::Found,
            Exit::Unsatisfiable,
            Exit::Inconclusive,
            Exit::Fine,
        ];
        let mut all = WORST_FIRST.into_iter();
        let worse = all.find(|one| *one == self || *one == other);
        worse.unwrap_or(self)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
