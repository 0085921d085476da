//! Prove or refute: one algorithm a file, each a machine that takes small steps, and the portfolio
//! that runs them together.
//!
//! ```
//! use proofmark_engine::{EngineVerdict, Limits, check};
//! use proofmark_lang::{Design, LANGUAGES, Options};
//! use proofmark_model::{Program, lower};
//! use proofmark_source::Sources;
//!
//! let mut sources = Sources::default();
//! let text = "node up() returns (n: int); let n = 0 -> pre n + 1; check n >= 0; check n <> 2; tel;";
//! let file = sources.add("up.lus", text.into()).unwrap();
//! let language = LANGUAGES.choose("up.lus", None).unwrap();
//! let (design, _) = (language.load)(&sources, file, &Options::default());
//! let loaded = design.and_then(Design::words).unwrap();
//! let system = lower(&loaded.model).unwrap().system;
//! let program = Program::compile(&system).unwrap();
//! let open = || proofmark_solve::open(proofmark_solve::EMBEDDED);
//! let outcomes = check(&system, &program, &Limits::default(), &open, &mut |_| ())?;
//! assert!(matches!(&outcomes[0].verdict, EngineVerdict::Valid { .. }));
//! assert!(matches!(&outcomes[1].verdict, EngineVerdict::Invalid { refutation, .. } if refutation.step == 2));
//! # Ok::<(), proofmark_solve::SolveError>(())
//! ```

pub mod bits;
mod bmc;
pub mod diagrams;
mod engine;
mod extend;
mod finite;
mod frames;
mod invgen;
mod kind;
mod pdr;
mod portfolio;
pub mod program;
mod reduce;
mod smooth;

pub use engine::{MakeSolver, PropertyId};
pub use extend::{Extension, extend};
pub use frames::Frames;
pub use invgen::simple_invariants;
pub use portfolio::{CheckResult, EngineName, EngineVerdict, Limits, Report, check};
pub use reduce::Reducer;
pub use smooth::smooth;
