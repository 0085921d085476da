//! The external solvers that are known: how each is started, what it can do, how it tells its
//! version. A new one is a new row.

use crate::solver::Capabilities;

/// How a solver is asked which assumptions made a check unsatisfiable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cores {
    /// By `check-sat-assuming` and `get-unsat-assumptions`.
    Assumptions,
    /// By assertions with names in a scope of their own, and `get-unsat-core`.
    Named,
}

/// A known solver.
pub struct Profile {
    /// Its name, which is also the name of its program.
    pub name: &'static str,
    /// Makes it read commands from its standard input, one at a time.
    pub arguments: &'static [&'static str],
    /// Makes it print its version and end.
    pub version: &'static [&'static str],
    /// The logic that holds all it can do; empty when it is better not to set one.
    pub logic: &'static str,
    pub cores: Cores,
    /// Whether it knows `declare-datatypes`, for enumerations.
    pub datatypes: bool,
    pub capabilities: Capabilities,
}

const EVERYTHING: Capabilities = Capabilities {
    arithmetic: true,
    nonlinear: true,
    functions: true,
    bit_vectors: true,
    cores: true,
    effort: false,
};

/// Proofmark itself, for tests of both ends of a conversation. It is not among the known ones: the
/// embedded solver is the same without a process.
pub const OWN: Profile = Profile {
    name: "proofmark",
    arguments: &["smt", "-"],
    version: &["--version"],
    logic: "ALL",
    cores: Cores::Assumptions,
    datatypes: true,
    capabilities: Capabilities {
        nonlinear: false,
        ..EVERYTHING
    },
};

pub const PROFILES: &[Profile] = &[
    Profile {
        name: "z3",
        arguments: &["-in", "-smt2"],
        version: &["--version"],
        logic: "ALL",
        cores: Cores::Assumptions,
        datatypes: true,
        capabilities: EVERYTHING,
    },
    Profile {
        name: "yices-smt2",
        arguments: &["--incremental"],
        version: &["--version"],
        logic: "ALL",
        cores: Cores::Assumptions,
        datatypes: false,
        capabilities: Capabilities {
            nonlinear: false,
            ..EVERYTHING
        },
    },
    Profile {
        name: "cvc5",
        arguments: &["--incremental", "--lang=smt2"],
        version: &["--version"],
        logic: "ALL",
        cores: Cores::Assumptions,
        datatypes: true,
        capabilities: EVERYTHING,
    },
    Profile {
        name: "mathsat",
        arguments: &["-input=smt2"],
        version: &["-version"],
        logic: "",
        cores: Cores::Named,
        datatypes: false,
        capabilities: EVERYTHING,
    },
    Profile {
        name: "opensmt",
        arguments: &["-p"],
        version: &["--version"],
        logic: "QF_AUFLIRA",
        cores: Cores::Named,
        datatypes: false,
        capabilities: Capabilities {
            nonlinear: false,
            bit_vectors: false,
            ..EVERYTHING
        },
    },
    Profile {
        name: "bitwuzla",
        arguments: &["--lang=smt2"],
        version: &["--version"],
        logic: "QF_UFBV",
        cores: Cores::Assumptions,
        datatypes: false,
        capabilities: Capabilities {
            arithmetic: false,
            nonlinear: false,
            ..EVERYTHING
        },
    },
];
