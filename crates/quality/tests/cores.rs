//! Cores of small models, against the papers and against trying every set.

use proofmark_engine::{EngineName, Limits};
use proofmark_lang::lustre;
use proofmark_model::{ElementId, Mentions, Model, Proof, System, lower};
use proofmark_quality::{
    Analysis, Auditor, FoundCore, ProofGoal, Question, Request, Resources, Smoothing, Verdict,
    analyze, joint_proof, verify,
};
use proofmark_solve::{Embedded, Interrupt, SolveError, Solver};
use proofmark_source::Sources;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

struct Case {
    model: Model,
    system: System,
    units: Vec<Vec<ElementId>>,
}

fn case(text: &str) -> Case {
    let mut sources = Sources::default();
    let file = sources.add("case.lus", text.to_string()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
    let model = loaded.unwrap_or_else(|| panic!("{diagnostics:?}")).model;
    let system = lower(&model).unwrap().system;
    let units = system.ids().map(|id| vec![id]).collect();
    Case {
        model,
        system,
        units,
    }
}

fn open() -> Result<Box<dyn Solver>, SolveError> {
    Ok(Box::new(Embedded::default()))
}

impl Case {
    fn name(&self, unit: usize) -> String {
        let equation = &self.model.equations[self.units[unit][0].index()];
        let target = equation.target.map(|target| target.to_string());
        target.unwrap_or_else(|| format!("assert{unit}"))
    }

    fn names(&self, units: &BTreeSet<usize>) -> Vec<String> {
        let mut names: Vec<String> = units.iter().map(|unit| self.name(*unit)).collect();
        names.sort();
        names
    }

    fn proofs(&self, system: &System) -> Option<Vec<Proof>> {
        let question = Question {
            system,
            properties: (0..system.properties().len()).collect(),
            specifications: Vec::new(),
            limits: Limits {
                jobs: 1,
                time: Some(Duration::from_secs(5)),
                ..Limits::default()
            },
            open: &open,
            auditor: Some(Auditor::default()),
            smoothing: Smoothing::Off,
            deadlocks: false,
            statistics: false,
        };
        let verified = verify(&question, &mut |_| ()).unwrap();
        let judgements = verified.judgements.into_iter();
        judgements
            .map(|judgement| match judgement.verdict {
                Verdict::Valid { proof, .. } => Some(proof),
                // Nothing contradicts a contradiction.
                Verdict::Vacuous { .. } => Some(Proof {
                    k: 1,
                    invariants: Vec::new(),
                }),
                _ => None,
            })
            .collect()
    }

    fn analyze(&self, request: Request) -> Analysis {
        self.analyze_within(request, Duration::from_secs(5), None)
    }

    fn analyze_within(
        &self,
        request: Request,
        budget: Duration,
        deadline: Option<Instant>,
    ) -> Analysis {
        let proofs = self.proofs(&self.system).expect("it is valid");
        let properties: Vec<usize> = (0..proofs.len()).collect();
        let interrupt = Interrupt::default();
        let proof = joint_proof(&proofs);
        let goal =
            ProofGoal::new(&self.system, &properties, &self.units, &proof.invariants).unwrap();
        let analysis = analyze(
            &goal,
            &proof,
            &request,
            Resources {
                open: &open,
                engines: &EngineName::ALL,
                jobs: 1,
                budget,
                deadline,
                interrupt: &interrupt,
            },
            Some(Auditor::default()),
            &mut |_| (),
        )
        .unwrap();
        assert_eq!(analysis.audit.failed, None);
        assert_eq!(analysis.audit.open, Vec::<String>::new());
        assert!(analysis.audit.proofs > 0);
        analysis
    }

    fn cores(&self, request: Request) -> Vec<Vec<String>> {
        let analysis = self.analyze(request);
        let cores = analysis.cores.iter();
        let mut names: Vec<Vec<String>> = cores.map(|core| self.names(&core.units)).collect();
        names.sort();
        names
    }
}

const ALL: Request = Request {
    minimal: false,
    brute_force: false,
    all: true,
    limit: None,
    must: false,
    smallest: false,
};

/// The running example of the mutation paper, Fig. 3.
const DEMO: &str = "
    node demo() returns (Prop1: bool; d: bool);
    var L1, L2, L3, L4: bool;
    let
      L1 = L2 or L3;
      L2 = true;
      L3 = not L2;
      L4 = not L1;
      Prop1 = L1;
      d = L4;
      --%PROPERTY Prop1;
    tel";

/// The motivating example of the paper on cores, Fig. 1; `f` is anything.
const FILTER: &str = "
    function f(x: real; y: real) returns (z: real);
    node filter(x: real) returns (a, b, y: real);
    let
      a = f(x, 0.0 -> pre y);
      b = if a >= 0.0 then a else -a;
      y = b + (0.0 -> pre y);
      --%PROPERTY \"not negative\" y >= 0.0;
    tel";

#[test]
fn the_demo_has_two_minimal_cores() {
    let demo = case(DEMO);
    let cores = demo.cores(ALL);
    assert_eq!(cores, [["L1", "L2", "Prop1"], ["L1", "L3", "Prop1"]]);
    let analysis = demo.analyze(Request {
        must: true,
        ..Request::default()
    });
    let (must, undecided) = analysis.must.unwrap();
    assert_eq!(demo.names(&must), ["L1", "Prop1"]);
    assert!(undecided.is_empty());
}

#[test]
fn what_feeds_the_filter_is_not_in_its_core() {
    let filter = case(FILTER);
    for request in [
        Request::default(),
        Request {
            minimal: true,
            ..Request::default()
        },
        Request {
            brute_force: true,
            ..Request::default()
        },
        ALL,
    ] {
        assert_eq!(filter.cores(request), [["b", "y"]]);
    }
}

#[test]
fn the_smallest_core_is_not_the_first_that_comes() {
    // One way needs one equation, the other three.
    let case = case(
        "node n(i: int) returns (ok: bool);
         var a, b, c, d: bool;
         let
           a = b and c;
           b = i > 0 or i <= 0;
           c = b;
           d = true;
           ok = a or d;
           --%PROPERTY ok;
         tel",
    );
    let analysis = case.analyze(Request {
        smallest: true,
        ..Request::default()
    });
    assert_eq!(analysis.smallest, Some(true));
    assert_eq!(case.names(&analysis.cores[0].units), ["d", "ok"]);
    let all = case.cores(ALL);
    assert_eq!(all, [vec!["a", "b", "c", "ok"], vec!["d", "ok"]]);
}

#[test]
fn a_limit_ends_the_list_and_says_so() {
    let demo = case(DEMO);
    let analysis = demo.analyze(Request {
        limit: Some(1),
        ..ALL
    });
    assert_eq!(analysis.cores.len(), 1);
    assert_eq!(analysis.complete, Some(false));
}

#[test]
fn what_was_put_off_is_asked_again_while_there_is_time() {
    // It takes the engines to see that each is needed: runs are longer than what is tried at once.
    let case = case(
        "node n() returns (x: int);
         var limit: int; go: bool;
         let
           limit = 20;
           go = true -> pre x < limit;
           x = 0 -> pre x + (if go then 1 else 0);
           --%PROPERTY \"stops\" x <= 20;
         tel",
    );
    let instant = Duration::from_micros(1);
    let deadline = Instant::now() + Duration::from_secs(60);
    let patient = case.analyze_within(ALL, instant, Some(deadline));
    assert_eq!(patient.complete, Some(true));
    assert_eq!(patient.cores.len(), 1);
    assert_eq!(patient.cores[0].is_minimal(), Some(true));
}

#[test]
fn an_assertion_is_needed_like_an_equation() {
    let case = case(
        "node n(i: int) returns (x: int);
         let
           assert i >= 0;
           assert i <= 7;
           x = 0 -> pre x + i;
           --%PROPERTY \"grows\" x >= 0;
         tel",
    );
    assert_eq!(case.cores(ALL), [["assert0", "x"]]);
}

/// Every minimal core by asking the engines about every set.
fn by_trying_all(case: &Case) -> Vec<BTreeSet<usize>> {
    let count = case.units.len();
    let mut sufficient: Vec<u32> = Vec::new();
    for set in 0u32..1 << count {
        let removed = (0..count).filter(|unit| set & (1 << unit) == 0);
        let removed = removed.map(|unit| case.units[unit][0]).collect();
        let part = case.system.without(&removed).0;
        if case.proofs(&part).is_some() {
            sufficient.push(set);
        }
    }
    let minimal = |set: &&u32| {
        let smaller = |other: &u32| *other != **set && *other & **set == *other;
        !sufficient.iter().any(smaller)
    };
    let minimal = sufficient.iter().filter(minimal);
    minimal
        .map(|set| (0..count).filter(|unit| set & (1 << unit) != 0).collect())
        .collect()
}

#[test]
fn all_cores_are_those_that_trying_every_set_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre/valid");
    let mut tried = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let case = case(&std::fs::read_to_string(&path).unwrap());
        if case.units.len() > 7 {
            continue;
        }
        tried += 1;
        let mut expected = by_trying_all(&case);
        expected.sort();
        let analysis = case.analyze(ALL);
        assert_eq!(analysis.complete, Some(true), "{}", path.display());
        let units = |core: &FoundCore| core.units.clone();
        let mut found: Vec<BTreeSet<usize>> = analysis.cores.iter().map(units).collect();
        found.sort();
        assert_eq!(found, expected, "{}", path.display());
    }
    assert!(tried > 0);
}

#[test]
fn the_proof_of_a_core_speaks_of_the_model() {
    let case = case(DEMO);
    for core in case.analyze(ALL).cores {
        for invariant in &core.proof.invariants {
            let mentions = Mentions::of(invariant.term);
            let mut variables = mentions.variables.iter();
            assert!(variables.all(|one| case.system.variable(*one).is_some()));
        }
    }
}
