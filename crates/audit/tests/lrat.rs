//! The solver of literals under the eyes of the checker: random sessions whose every answer is
//! confirmed.

use proofmark_audit::lrat::CheckedSolver;
use proofmark_solve::random::Random;
use proofmark_solve::sat::{Lit, Var};

fn clause(random: &mut Random, vars: usize, sizes: &[usize]) -> Vec<Lit> {
    (0..random.pick(sizes))
        .map(|_| Var::new(random.below(vars) as u32).lit(random.chance(50)))
        .collect()
}

#[test]
fn answers_of_random_sessions_are_confirmed() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let vars = 3 + random.below(40);
        let mut solver = CheckedSolver::new();
        for _ in 0..vars {
            solver.new_var();
        }
        for _ in 0..2 + random.below(8) {
            for _ in 0..random.below(vars * 2) {
                solver.add_clause(&clause(&mut random, vars, &[2, 3, 3, 3, 3, 4]));
            }
            if random.chance(20) {
                solver.add_clause(&clause(&mut random, vars, &[1]));
            }
            let assumptions = clause(&mut random, vars, &[0, 1, 2, 3, 5]);
            let constraint = clause(&mut random, vars, &[0, 0, 1, 2, 3]);
            let answer = solver.solve_with(&assumptions, &constraint);
            assert!(answer.is_ok(), "seed {seed}: {answer:?}");
        }
    }
}
