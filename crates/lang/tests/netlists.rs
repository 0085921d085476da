//! The models of the corpus that are finite, run by their simulator and as netlists.

mod common;

use common::{benchmarks, corpus, load};
use proofmark_lang::random::Dice;
use proofmark_model::graph::{BitTrace, Guess, Init, bit_blast_with};
use proofmark_model::{Program, lower};

const STEPS: usize = 12;

#[test]
fn finite_models_and_their_netlists_have_the_same_runs() {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    // Counters without bounds take part, until they do not fit.
    let guess = Guess { width: Some(10) };
    let (mut finite, mut refuted) = (Vec::new(), 0);
    let mut paths: Vec<_> = ["valid", "invalid"].into_iter().flat_map(corpus).collect();
    match benchmarks() {
        Ok(more) => paths.extend(more),
        Err(reason) => println!("without benchmark models ({reason})"),
    }
    for path in &paths {
        let (loaded, _, _) = load(&std::fs::read_to_string(path).unwrap());
        let Some(loaded) = loaded else { continue };
        let system = lower(&loaded.model).unwrap().system;
        let (Ok(blasted), Ok(program)) =
            (bit_blast_with(&system, guess), Program::compile(&system))
        else {
            continue;
        };
        finite.push(path.display().to_string());
        let mut machine = program.machine();
        for _ in 0..20 {
            let mut flip = || dice.roll(2) == 1;
            let latches = blasted
                .netlist
                .latches
                .iter()
                .map(|latch| match latch.init {
                    Init::Free => flip(),
                    init => init == Init::One,
                });
            let latches = latches.collect();
            let mut step = || blasted.netlist.inputs.iter().map(|_| flip()).collect();
            let inputs = (0..STEPS).map(|_| step()).collect();
            let run = BitTrace { latches, inputs };
            let outcome = machine.judge(&blasted.map.trace(&run));
            let replay = blasted.netlist.replay(&run);
            for (property, found) in replay.refuted.iter().enumerate() {
                let expected = outcome.refuted_at(property);
                refuted += usize::from(expected.is_some());
                if blasted.map.may_overflow() {
                    assert!(
                        expected.is_none() || *found <= expected,
                        "{}",
                        path.display()
                    );
                } else {
                    assert_eq!(*found, expected, "{}", path.display());
                }
            }
        }
    }
    println!(
        "{} of {} finite, {refuted} refutations",
        finite.len(),
        paths.len()
    );
    assert!(finite.len() > 4 && refuted > 0);
}
