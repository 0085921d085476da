//! What Proofmark is here for: how much is a proof worth?
//!
//! One question a file. [`verify()`] asks whether the properties hold, and has the answer audited;
//! [`ivc`] asks which parts of a model a proof needs; its answers come from an
//! [`Oracle`] that decides whether a set of parts suffices, cheap tests first. [`mutate`] makes the
//! small faults that a proof should notice.
//!
//! A property is proved, a core of its proof found, and a campaign run on it:
//!
//! ```
//! use proofmark_lang::{Design, LANGUAGES, Options};
//! use proofmark_model::lower;
//! use proofmark_quality::mutate::{Campaign, Comparison, Fate, Observed};
//! use proofmark_quality::{AnnotatedModel, CoreQuestion, Elements, Grain};
//! use proofmark_quality::{Question, Request, Resources, analyze_units, verify};
//! use proofmark_source::Sources;
//!
//! let text = "node up(a: int) returns (n, m: int);
//!     let n = 0 -> pre n + 1; m = n + a; check \"p\" n >= 0; tel;";
//! let (mut sources, options) = (Sources::default(), Options::default());
//! let file = sources.add("up.lus", text.into())?;
//! let language = LANGUAGES.choose("up.lus", None)?;
//! let design = (language.load)(&sources, file, &options).0;
//! let loaded = design.and_then(Design::words).ok_or("the text has errors")?;
//! let rewriter = language.rewriter.and_then(|open| open(&sources, file, &options));
//! let lowered = lower(&loaded.model).map_err(|errors| errors[0].to_string())?;
//! let (sources, lowered, rewriter) = (&sources, &lowered, rewriter.as_deref());
//! let (model, facts) = (&loaded.model, &loaded.facts);
//! let model = AnnotatedModel { sources, model, facts, lowered, rewriter };
//!
//! // The engines prove the property, and the auditor agrees.
//! let open = || proofmark_solve::open(proofmark_solve::EMBEDDED);
//! let question = Question::new(model.system(), &open);
//! let verified = verify(&question, &mut |_| ())?;
//! let (property, proof) = verified.proved().next().ok_or("nothing is proved")?;
//!
//! // A minimal core of the proof is the equation of `n`; the one of `m` is not needed.
//! let resources = Resources::new(&open, &question.limits);
//! let elements = Elements::of(&model, Grain::Equation);
//! let request = Request { minimal: true, ..Request::default() };
//! let (system, units, properties) = (model.system(), &elements.units, &[property]);
//! let cores = CoreQuestion { system, properties, proof, units, request };
//! let analysis = analyze_units(&cores, resources, question.auditor, &mut |_| ())?;
//! let core = analysis.cores[0].units.iter().map(|unit| elements.names[*unit].id.as_str());
//! assert_eq!(core.collect::<Vec<_>>(), ["up/n"]);
//!
//! // A campaign: who counts down is caught, who subtracts `a` is not, and gives other outputs.
//! let auditor = question.auditor;
//! let campaign = Campaign::prepare(model, &verified, Observed::Outputs, resources, auditor)?;
//! let campaign = campaign.ok_or("nothing is proved")?;
//! let mutations = campaign.mutations(&"plus2minus".parse()?).mutations;
//! let decided = campaign.run(&mutations, &mut |_, _| ())?;
//! assert_eq!(mutations.len(), 2);
//! for (mutation, decided) in mutations.iter().zip(decided) {
//!     match (campaign.id(mutation).as_str(), decided.map(|one| one.fate)) {
//!         ("up/n#plus2minus#1", Some(Fate::Killed { .. })) => {}
//!         ("up/m#plus2minus#1", Some(Fate::Survived { comparison, .. })) => {
//!             assert!(matches!(comparison, Some(Comparison::Different(_))));
//!         }
//!         other => panic!("{other:?}"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
mod auditor;
pub mod cover;
mod deadlock;
mod elements;
pub mod equiv;
pub mod faults;
mod goal;
mod guarded;
mod invert;
pub mod ivc;
mod liveness;
pub mod mutate;
mod netlist;
mod notary;
mod oracle;
mod parallel;
pub mod program;
mod rotate;
mod run;
mod simulate;
mod specification;
mod stop;
mod verify;

pub use analysis::{
    Analysis, CoreQuestion, FoundCore, Request, analyze, analyze_units, joint_proof,
};
pub use auditor::{Audited, Auditor};
pub use deadlock::Deadlock;
pub use elements::{AnnotatedModel, ElementRole, Elements, Grain, NamedElement, element_ids};
pub use goal::{ProofGoal, Set, Units};
pub use netlist::{
    NetlistJudgement, NetlistQuestion, NetlistVerdict, VerifiedNetlist, verify_netlist,
};
pub use notary::{CoreAudit, audit_cores};
pub use oracle::{Counts, Decision, OpenSolver, Oracle, OracleError, Resources};
pub use run::Run;
pub use simulate::{SimulatedRun, SimulationRequest, simulate};
pub use specification::{SpecificationJudgement, SpecificationVerdict, ViolatingRun};
pub use stop::Stopper;
pub use verify::{Judgement, Question, Smoothing, Verdict, Verified, VerifyError, verify};
