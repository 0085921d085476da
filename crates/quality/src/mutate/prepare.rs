//! A campaign from end to end: what is proved of a model becomes what is asked of its mutants.
//!
//! [`Campaign::prepare`] takes the properties that were proved as one goal, looks for a core of their
//! joint proof, which decides many mutants, and settles what is observed and what may be mutated.
//! Then [`Campaign::mutations`] makes the mutants, and [`Campaign::run`] decides them.

use crate::analysis::{CoreQuestion, Request, analyze_units, joint_proof};
use crate::auditor::{Audited, Auditor};
use crate::elements::{AnnotatedModel, element_ids, scopes};
use crate::mutate::assumption::{AssumptionEffect, assumption_effects};
use crate::mutate::campaign::{Decided, Former, News, Plan, campaign};
use crate::mutate::compare::product::{FanOut, readers};
use crate::mutate::generate::generate;
use crate::mutate::generate::selection::Selection;
use crate::mutate::{Generated, Mutation};
use crate::oracle::{OracleError, Resources};
use crate::verify::Verified;
use proofmark_model::{ElementId, Proof, Role, System, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::time::Instant;

/// Which part of the time may go into a core of the proof: a smaller core decides more mutants, but
/// the search for it must not take what they need.
const CORE_SHARE: u32 = 10;

/// What counts as observed when a survivor is compared with the original.
#[derive(Clone, Copy, Debug)]
pub enum Observed<'a> {
    /// Survivors are not compared.
    Nothing,
    /// The outputs, but for those that are properties: a proved property is always true.
    Outputs,
    /// The variables of these names.
    Variables(&'a [String]),
}

/// A model whose mutations have names.
pub struct MutableModel<'a> {
    /// What is mutated.
    pub model: AnnotatedModel<'a>,
    ids: FxHashMap<ElementId, String>,
    /// What each equation is written in.
    scopes: Vec<String>,
}

impl<'a> MutableModel<'a> {
    /// Gives every element of a model its name.
    pub fn new(model: AnnotatedModel<'a>) -> MutableModel<'a> {
        MutableModel {
            ids: element_ids(&model),
            scopes: scopes(&model),
            model,
        }
    }

    /// The mutations that the mutators of a selection make of everything but the properties.
    pub fn mutations(&self, selection: &Selection, jobs: usize) -> Generated {
        let AnnotatedModel {
            model,
            lowered,
            rewriter,
            ..
        } = self.model;
        let properties = lowered.system.properties().iter();
        let goals: FxHashSet<Term> = properties.map(|property| property.term).collect();
        let mutable = |id: ElementId| {
            let target = model.target(id, &lowered.system);
            target.is_none_or(|target| !goals.contains(&target))
        };
        generate(model, lowered, &mutable, selection, rewriter, jobs)
    }

    /// The id of a mutation: the element, the mutator, and which of its mutations this is.
    pub fn id(&self, mutation: &Mutation) -> String {
        let element = self.element(mutation);
        format!("{element}#{}#{}", mutation.mutator, mutation.ordinal)
    }

    /// The id of the element that a mutation is in.
    pub fn element(&self, mutation: &Mutation) -> &str {
        let element = self.ids.get(&mutation.element);
        element.unwrap_or(&self.model.facts.main)
    }

    /// What that element is written in: a node, a module, a function.
    pub fn scope(&self, mutation: &Mutation) -> &str {
        let scope = self.scopes.get(mutation.element.index());
        scope.unwrap_or(&self.model.facts.main)
    }
}

/// A campaign that is ready to run.
pub struct Campaign<'a> {
    /// What is mutated.
    pub mutable: MutableModel<'a>,
    /// The properties that were proved, by position.
    pub properties: Vec<usize>,
    /// A proof of all of them together, as far as the core goes.
    pub proof: Proof,
    /// The elements of a core of that proof.
    pub core: FxHashSet<ElementId>,
    /// What became of the audit of that proof.
    pub proof_audit: Audited,
    /// Why the core that was found is not audited, where it is not; then it is not used.
    pub unaudited: Vec<String>,
    /// What is observed, as current terms; `None` when survivors are not compared.
    pub observed: Option<Vec<Term>>,
    /// What may be used.
    pub resources: Resources<'a>,
    auditor: Option<Auditor<'a>>,
}

impl<'a> Campaign<'a> {
    /// Prepares a campaign on what was proved; there is none when nothing was.
    pub fn prepare(
        model: AnnotatedModel<'a>,
        verified: &Verified,
        observed: Observed<'_>,
        resources: Resources<'a>,
        auditor: Option<Auditor<'a>>,
    ) -> Result<Option<Campaign<'a>>, CampaignError> {
        let proved: Vec<(usize, &Proof)> = verified.proved().collect();
        if proved.is_empty() {
            return Ok(None);
        }
        let properties: Vec<usize> = proved.iter().map(|(at, _)| *at).collect();
        let observed = observe(model.system(), &properties, observed)?;
        let proof = joint_proof(proved.iter().map(|(_, proof)| *proof));
        let proof = AuditedProof {
            proof,
            audit: verified.audit_of_proofs(),
        };
        let core = Core::of(model.system(), &properties, proof, resources, auditor)?;
        Ok(Some(Campaign {
            mutable: MutableModel::new(model),
            properties,
            proof: core.proof.proof,
            proof_audit: core.proof.audit,
            core: core.elements,
            unaudited: core.unaudited,
            observed,
            resources,
            auditor,
        }))
    }

    /// The mutations that the mutators of a selection make of everything but the properties.
    pub fn mutations(&self, selection: &Selection) -> Generated {
        self.mutable.mutations(selection, self.resources.jobs)
    }

    /// The id of a mutation: the element, the mutator, and which of its mutations this is.
    pub fn id(&self, mutation: &Mutation) -> String {
        self.mutable.id(mutation)
    }

    /// Whether a mutation changes something that the proofs need.
    pub fn is_in_core(&self, mutation: &Mutation) -> bool {
        let elements = mutation.elements();
        elements.iter().any(|id| self.core.contains(id))
    }

    /// Whether survivors would be compared, and nothing but properties is there to compare them in.
    pub fn observes_nothing(&self) -> bool {
        self.observed.as_ref().is_some_and(Vec::is_empty)
    }

    /// The observed variables that each mutation can reach: those that depend, over any number of
    /// steps, on a variable that it defines anew. This is read off the equations, so that a mutation
    /// may reach a variable whose values it never changes.
    pub fn reached(&self, mutations: &[Mutation]) -> Vec<Vec<Term>> {
        let system = self.mutable.model.system();
        let observed = self.observed.as_deref().unwrap_or_default();
        let readers = readers(system);
        let mut known: FxHashMap<Vec<ElementId>, Vec<Term>> = FxHashMap::default();
        let mut reached = |mutation: &Mutation| {
            let elements = mutation.elements();
            let found = known.entry(elements).or_insert_with_key(|elements| {
                let fan_out = FanOut::of(system, &readers, elements.clone());
                let seen = observed.iter().copied();
                seen.filter(|one| fan_out.has(*one)).collect()
            });
            found.clone()
        };
        mutations.iter().map(&mut reached).collect()
    }

    /// What each mutation does to the assumption it changes; nothing for those that change what the
    /// model does.
    pub fn assumption_effects(
        &self,
        mutations: &[Mutation],
    ) -> Result<Vec<Option<AssumptionEffect>>, OracleError> {
        let lowered = self.mutable.model.lowered;
        assumption_effects(lowered, mutations, &self.resources, self.auditor.as_ref())
    }

    /// The names of the properties.
    pub fn names(&self) -> Vec<String> {
        let all = self.mutable.model.system().properties();
        let properties = self.properties.iter();
        properties.map(|at| all[*at].name.clone()).collect()
    }

    /// What each of the tests is told.
    pub fn plan<'p>(&'p self, former: &'p Former) -> Plan<'p> {
        Plan {
            former,
            lowered: self.mutable.model.lowered,
            properties: &self.properties,
            proof: &self.proof,
            core: &self.core,
            // Where nothing is observed there is nothing to compare.
            observed: self.observed.as_deref().filter(|seen| !seen.is_empty()),
            resources: self.resources,
            auditor: self.auditor,
            proof_audit: self.proof_audit.clone(),
        }
    }

    /// Decides mutations; `hear` is told of each, by position, as soon as something is known.
    pub fn run(
        &self,
        mutations: &[Mutation],
        hear: &mut dyn FnMut(usize, News<'_>),
    ) -> Result<Vec<Option<Decided>>, OracleError> {
        let former = Former::default();
        campaign(&self.plan(&former), mutations, &|_| false, hear)
    }
}

/// A proof, and what became of its audit.
struct AuditedProof {
    proof: Proof,
    audit: Audited,
}

/// A core of a proof.
struct Core {
    proof: AuditedProof,
    elements: FxHashSet<ElementId>,
    unaudited: Vec<String>,
}

impl Core {
    /// It is audited like any other. One on which the auditor has no answer is not used: then all
    /// elements are the core, with the proof that was audited before.
    fn of(
        system: &System,
        properties: &[usize],
        proof: AuditedProof,
        resources: Resources<'_>,
        auditor: Option<Auditor<'_>>,
    ) -> Result<Core, OracleError> {
        let units: Vec<Vec<ElementId>> = system.ids().map(|id| vec![id]).collect();
        let now = Instant::now();
        let share = |end: Instant| now + end.saturating_duration_since(now) / CORE_SHARE;
        let resources = Resources {
            deadline: resources.deadline.map(share),
            ..resources
        };
        let question = CoreQuestion {
            system,
            properties,
            proof: &proof.proof,
            units: &units,
            request: Request::default(),
        };
        let analysis = analyze_units(&question, resources, auditor, &mut |_| ())?;
        let audit = match auditor {
            Some(_) if analysis.audit.passed() => Some(Audited::Passed {
                by: analysis.audit.by,
            }),
            Some(_) => None,
            None => Some(Audited::NotAskedFor),
        };
        let unaudited = analysis.audit.open;
        Ok(match analysis.cores.into_iter().next().zip(audit) {
            Some((core, audit)) => {
                let elements = core.units.iter().map(|at| ElementId(*at as u32));
                let proof = core.proof;
                Core {
                    elements: elements.collect(),
                    proof: AuditedProof { proof, audit },
                    unaudited,
                }
            }
            None => Core {
                elements: system.ids().collect(),
                proof,
                unaudited,
            },
        })
    }
}

fn observe(
    system: &System,
    properties: &[usize],
    observed: Observed<'_>,
) -> Result<Option<Vec<Term>>, CampaignError> {
    let names = match observed {
        Observed::Nothing => return Ok(None),
        Observed::Outputs => {
            let all = system.properties();
            let proved: FxHashSet<Term> = properties.iter().map(|at| all[*at].term).collect();
            let variables = system.variables().iter();
            let outputs = variables.filter(|one| one.role == Role::Output);
            let seen = outputs.map(|one| one.current);
            return Ok(Some(seen.filter(|one| !proved.contains(one)).collect()));
        }
        Observed::Variables(names) => names,
    };
    let mut seen = Vec::with_capacity(names.len());
    for name in names {
        let mut variables = system.variables().iter();
        let known = variables.find(|one| one.name.as_str() == name);
        let known = known.ok_or_else(|| CampaignError::NoVariable(name.clone()))?;
        seen.push(known.current);
    }
    Ok(Some(seen))
}

/// Why there is no campaign.
#[derive(Debug)]
pub enum CampaignError {
    /// What is to be observed is not there.
    NoVariable(String),
    /// The core could not be found.
    Oracle(OracleError),
}

impl From<OracleError> for CampaignError {
    fn from(error: OracleError) -> CampaignError {
        CampaignError::Oracle(error)
    }
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CampaignError::NoVariable(name) => write!(f, "the model has no variable `{name}`"),
            CampaignError::Oracle(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CampaignError {}
