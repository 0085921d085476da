//! Random formulas against an evaluator that tries every assignment.

use super::*;
use crate::random::Random;

/// Is there an assignment of `vars` variables that satisfies all clauses?
fn brute_force(vars: usize, clauses: &[Vec<Lit>]) -> bool {
    (0u32..1 << vars).any(|bits| clauses.iter().all(|clause| satisfied(bits, clause)))
}

fn satisfied(bits: u32, clause: &[Lit]) -> bool {
    clause
        .iter()
        .any(|lit| (bits >> lit.var().index() & 1 == 1) == lit.is_positive())
}

fn random_clause(random: &mut Random, vars: usize, sizes: &[usize]) -> Vec<Lit> {
    let size = random.pick(sizes);
    (0..size)
        .map(|_| Var::new(random.below(vars) as u32).lit(random.chance(50)))
        .collect()
}

/// A solver with so many variables.
fn solver(vars: usize) -> Solver {
    let mut solver = Solver::new();
    for _ in 0..vars {
        solver.new_var();
    }
    solver
}

fn with(clauses: &[Vec<Lit>], more: &[Vec<Lit>]) -> Vec<Vec<Lit>> {
    clauses.iter().chain(more).cloned().collect()
}

fn units(lits: &[Lit]) -> Vec<Vec<Lit>> {
    lits.iter().map(|&lit| vec![lit]).collect()
}

#[test]
fn answers_of_random_sessions_are_those_of_brute_force() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let vars = 3 + random.below(8);
        let mut solver = solver(vars);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..4 + random.below(12) {
            for _ in 0..random.below(vars * 2) {
                let clause = random_clause(&mut random, vars, &[1, 2, 2, 3, 3, 3, 4]);
                if clause.len() > 1 || random.chance(20) {
                    solver.add_clause(&clause);
                    clauses.push(clause);
                }
            }
            let assumptions = random_clause(&mut random, vars, &[0, 1, 2, 3, 5]);
            let constraint = random_clause(&mut random, vars, &[0, 0, 1, 2, 3]);
            let mut all = with(&clauses, &units(&assumptions));
            if !constraint.is_empty() {
                all.push(constraint.clone());
            }
            match solver.solve_with(&assumptions, &constraint) {
                Answer::Satisfiable => {
                    let holds = |clause: &Vec<Lit>| {
                        clause.iter().any(|&lit| solver.value(lit) == Some(true))
                    };
                    assert!(all.iter().all(holds), "seed {seed}");
                }
                Answer::Unsatisfiable => {
                    assert!(!brute_force(vars, &all), "seed {seed}");
                    let core = solver.core();
                    assert!(core.iter().all(|lit| assumptions.contains(lit)));
                    assert!(core.iter().all(|&lit| solver.failed(lit)));
                    let mut all = with(&clauses, &units(core));
                    if !constraint.is_empty() {
                        all.push(constraint.clone());
                    }
                    assert!(!brute_force(vars, &all), "seed {seed}");
                }
                Answer::Unknown => panic!("there is no limit"),
            }
        }
    }
}

/// A circuit: gate `i` is the conjunction of two literals of lower variables.
fn random_circuit(random: &mut Random, inputs: usize, gates: usize) -> Vec<(Lit, Lit)> {
    (0..gates)
        .map(|gate| {
            let mut below = || Var::new(random.below(inputs + gate) as u32).lit(random.chance(50));
            (below(), below())
        })
        .collect()
}

fn cone(inputs: usize, gates: &[(Lit, Lit)], roots: &[Lit]) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut stack: Vec<Var> = roots.iter().map(|lit| lit.var()).collect();
    while let Some(var) = stack.pop() {
        if found.contains(&var) {
            continue;
        }
        found.push(var);
        if var.index() >= inputs {
            let (a, b) = gates[var.index() - inputs];
            stack.extend([a.var(), b.var()]);
        }
    }
    found
}

#[test]
fn a_cone_of_a_circuit_is_a_domain_with_the_same_answers() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let (inputs, count) = (1 + random.below(5), 2 + random.below(30));
        let gates = random_circuit(&mut random, inputs, count);
        let (mut whole, mut part) = (solver(inputs + count), solver(inputs + count));
        for (at, &(a, b)) in gates.iter().enumerate() {
            let gate = Var::new((inputs + at) as u32).positive();
            for solver in [&mut whole, &mut part] {
                solver.add_clause(&[!gate, a]);
                solver.add_clause(&[!gate, b]);
                solver.add_clause(&[gate, !a, !b]);
            }
        }
        for _ in 0..20 {
            let assumptions = random_clause(&mut random, inputs + count, &[1, 2, 3]);
            let constraint = random_clause(&mut random, inputs + count, &[0, 2, 3]);
            let roots = [&assumptions[..], &constraint[..]].concat();
            if random.chance(90) {
                part.restrict(&cone(inputs, &gates, &roots));
            } else {
                part.unrestrict();
            }
            if random.chance(20) {
                part.inprocess();
            }
            let answer = part.solve_with(&assumptions, &constraint);
            assert_eq!(
                whole.solve_with(&assumptions, &constraint),
                answer,
                "seed {seed}"
            );
        }
    }
}

/// Puts one pigeon more than there are holes into the holes.
fn pigeonhole(solver: &mut Solver, holes: usize) {
    let place: Vec<Vec<Lit>> = (0..=holes)
        .map(|_| (0..holes).map(|_| solver.new_var().positive()).collect())
        .collect();
    for pigeon in &place {
        solver.add_clause(pigeon);
    }
    for (at, first) in place.iter().enumerate() {
        for second in &place[..at] {
            for (&one, &other) in first.iter().zip(second) {
                solver.add_clause(&[!one, !other]);
            }
        }
    }
}

#[test]
fn pigeons_do_not_fit() {
    let mut solver = Solver::new();
    pigeonhole(&mut solver, 6);
    assert_eq!(solver.solve(&[]), Answer::Unsatisfiable);
    assert!(solver.core().is_empty());
    assert!(!solver.is_consistent());
}

#[test]
fn a_budget_ends_a_search_that_goes_on_with_the_next_call() {
    let mut solver = Solver::new();
    pigeonhole(&mut solver, 7);
    solver.set_budget(Budget {
        effort: Some(10),
        time: None,
    });
    assert_eq!(solver.solve(&[]), Answer::Unknown);
    solver.set_budget(Budget::default());
    assert_eq!(solver.solve(&[]), Answer::Unsatisfiable);
}

#[test]
fn a_preferred_phase_is_the_value_of_a_free_variable() {
    let mut solver = solver(2);
    let (a, b) = (Var::new(0).positive(), Var::new(1).positive());
    solver.prefer(a);
    solver.prefer(!b);
    assert_eq!(solver.solve(&[]), Answer::Satisfiable);
    assert_eq!(
        (solver.value(a), solver.value(b)),
        (Some(true), Some(false))
    );
}

#[test]
fn a_variable_that_may_not_be_decided_is_left_open() {
    let mut solver = solver(3);
    let [a, b, c] = [0, 1, 2].map(|var| Var::new(var).positive());
    solver.add_clause(&[!a, b]);
    solver.set_decision(c.var(), false);
    assert_eq!(solver.solve(&[a]), Answer::Satisfiable);
    assert_eq!(solver.value(b), Some(true));
    assert_eq!(solver.value(c), None);
}

#[test]
fn a_literal_assumed_with_its_negation_is_a_core() {
    let mut solver = solver(2);
    let a = Var::new(0).positive();
    assert_eq!(solver.solve(&[a, !a]), Answer::Unsatisfiable);
    assert!(solver.failed(a) && solver.failed(!a));
    assert_eq!(solver.solve(&[a]), Answer::Satisfiable);
    assert!(!solver.failed(a));
}
