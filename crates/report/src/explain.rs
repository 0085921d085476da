//! What the words of the reports mean: five lines each, with an example.
//!
//! A test sees to it that every verdict and every role has its lines.

/// A word and its lines.
pub struct Explanation {
    /// As reports write it.
    pub word: &'static str,
    /// Five lines, with an example.
    pub text: &'static str,
}

/// The lines for a word, whatever its case.
pub fn explain(word: &str) -> Option<&'static Explanation> {
    let word = word.trim().replace(['_', ' '], "-");
    EXPLANATIONS
        .iter()
        .find(|one| one.word.eq_ignore_ascii_case(&word))
}

/// Every word that has an explanation, in the order in which they are listed.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        word: "VALID",
        text: "\
The property holds in every reachable state, however long the run.
There is a proof: by induction over k steps, perhaps with invariants, or by PDR.
The auditor has checked it again, unless it says `not audited`.
It says nothing about what the property forgot: that is what `mutate` and `ivc` are for.
Example: `VALID Prop1 k-induction k=1` for Prop1 = n >= 0 with n = 0 -> pre n + 1.",
    },
    Explanation {
        word: "INVALID",
        text: "\
There is a run of the model on which the property is false.
The table below the verdict is that run, a shortest one; `*` marks a value that changed.
The simulator has replayed it, so that it is a run of your model and not of a solver.
Either the model is wrong, or the property asks too much, or an assumption is missing.
Example: `INVALID off_after_three bmc step=3`: false at the fourth state, counted from 0.",
    },
    Explanation {
        word: "UNKNOWN",
        text: "\
Neither proved nor refuted within the time and the budget; this is never success.
It says how many steps are known to be fine, and why there is no more.
A mutant that is unknown leaves the score an interval: killed at best, unnoticed at worst.
More `--timeout` or `--budget` may help, or a lemma; see `check --inductive-counterexample`.
Example: `UNKNOWN p holds for 12 steps 30.0 s the time is up`; the exit code is 5.",
    },
    Explanation {
        word: "VACUOUS",
        text: "\
True, but for a reason that has nothing to do with the model.
For a property: its assumptions contradict each other or block a run that they accepted,
or its core has no part of the model. Look at the assertions first: one of them may be too strong.
For a mutant: with the fault the assumptions contradict each other, which counts as noticed.
Example: `assert x > 0 and x < 0;` makes every property of the model vacuous.",
    },
    Explanation {
        word: "KILLED",
        text: "\
A property notices this fault: it holds on the model, and is false with the fault in it.
The run that shows it was replayed by the simulator.
`by` names the properties, `at step` the first state in which one is false.
Killed mutants are what the score counts.
Example: `KILLED 6:12 or2xor by Prop2 at step 0 [m/b#or2xor#1]`: `or` became `xor` at line 6.",
    },
    Explanation {
        word: "GAP",
        text: "\
A fault that no property notices, although the model does something else with it.
Two runs on the same inputs show it: one has a run that the other has not, whatever that chooses.
The specification is incomplete here: add a property that tells the two apart.
What is suggested holds on the model, proved and audited, and would notice; `--mutant ID` shows it.
Example: `GAP 19:15 g2ge [m/a#g2ge#1]`: alarm = level > 80 may become >= 80, and all proofs hold.",
    },
    Explanation {
        word: "EQUIVALENT",
        text: "\
A mutant that has the same runs as the original in all that is observed, so it is no fault.
This is proved, for every run: not a guess from tests. It is not counted in the score.
Observed are the outputs of the main node, or what `--observe` names.
Many of them in one place can mean that the code there is more than is needed.
Example: `x >= 0` became `x > -1` where x is an integer.",
    },
    Explanation {
        word: "SURVIVED",
        text: "\
All properties are proved to hold with this fault, too.
Whether the model then does something else is not known, or `--no-equivalence` did not ask.
If it does, it is a GAP; if it does not, it is EQUIVALENT.
In the score it counts as unnoticed at the lower end, and not at all at the upper one.
Example: `SURVIVED 7:9 not known whether it is equivalent: the time is up`.",
    },
    Explanation {
        word: "NOT-OBSERVED",
        text: "\
All properties are proved to hold with this fault, too, and nothing else is looked at.
The main node has no outputs but properties, so that nothing tells what else the fault does.
It is not noticed, and counts so in the score: a property that says more would notice it.
`--observe NAMES` names variables that matter; then it becomes a GAP or EQUIVALENT.
Example: `NOT-OBSERVED 7:9 plus2minus` in a node that returns (ok: bool) alone.",
    },
    Explanation {
        word: "NEEDED",
        text: "\
An assumption that properties need: without it, or with a weaker one, a property is false.
`needed by` names the properties; a run that only the changed assumption accepts shows it.
Changed assumptions are no faults: they are in a table of their own, never in the score.
Whoever uses the model has to see to it that the assumption is true.
Example: `assert x >= 0; needed by small`: with x = -1 the property small is false.",
    },
    Explanation {
        word: "NOT-NEEDED",
        text: "\
An assumption, or a part of it, without which every property is still proved.
When all of it is removed, it can go: it only leaves out runs that nobody has looked at.
When it is made weaker, the weaker one suffices.
It is not a fault, and not in the score; it may be kept for a reason, see SUPPRESSED.
Example: `assert x <= 100; needed by no property: it can go`.",
    },
    Explanation {
        word: "TIGHTER",
        text: "\
A change of an assumption that accepts fewer runs, or the same ones, decided by a solver.
A property that holds on all runs holds on fewer, so that no property can notice.
It is no fault: it is listed and neither decided nor counted.
A change that is neither weaker nor tighter is NEEDED when a property is false, else UNKNOWN.
Example: `assert x >= 0` became `assert x > 0`.",
    },
    Explanation {
        word: "NOT-VALID",
        text: "\
The change does not yield a model: a variable would depend on itself, or a division is by zero.
Such a mutant says nothing of the properties, and is not counted.
It is listed with `-v`, with the reason.
Nothing has to be done about it.
Example: `x = pre y` became `x = y` where y is defined by x: a cycle.",
    },
    Explanation {
        word: "SUPPRESSED",
        text: "\
A mutant that nobody notices, and of which somebody decided that it may stay so.
It is in proofmark.toml by its stable id, with a reason; it is no gap, and not in the score.
A suppression that names no mutant of the model is an error: the reason may be gone.
One whose mutant is noticed by now is told, and can be left out.
Example: [[suppress]] mutant = \"tank/alarm#g2ge#1\" reason = \"for display only\".",
    },
    Explanation {
        word: "SCORE",
        text: "\
The share of faults that the properties notice: killed, of all mutants that are no equivalents.
While something is unknown it is an interval; `--min-score` looks at its lower end.
Not counted: mutants that are equivalent, no models or suppressed, and changed assumptions.
A high score means that small faults are noticed, not that the right properties are stated.
Example: `score 63.6 % (14 of 22 killed, 8 gaps, 0 unknown; 0 equivalent left out)`.",
    },
    Explanation {
        word: "COVERED",
        text: "\
A register or gate was cut, so that it has any value, or is stuck at 0 or 1, and a property failed.
So the property sees it: a fault there that does the same would be noticed.
The run that shows it was replayed on the cut netlist; `cover --json --traces` has it.
Covered by a stuck value implies covered by any value, and not the other way round.
Example: `first_has_the_token used covered not covered covered`. mcy says COVERED, too.",
    },
    Explanation {
        word: "UNCOVERED",
        text: "\
A register or gate may have any value at every step, and every property still holds.
Outside: no property depends on it. Unused: the proof does not need it.
Used: the proof needs it, and there is a proof that does not. Each has an audited certificate.
Add a property about it, or accept that it does not matter. mcy says UNCOVERED, too.
Example: a counter of statistics that no assertion reads is outside. Of a mutant it is a GAP.",
    },
    Explanation {
        word: "NOCHANGE",
        text: "\
A word of mcy: a mutation that changes nothing that can be observed, so that no test could notice.
Here such a mutant is EQUIVALENT, with a proof that it is.
It is left out of the score, as mcy leaves it out of its coverage.
`cover` does not ask: a register that nothing observable depends on is just not covered.
Example: a gate whose output is never read, stuck at 1.",
    },
    Explanation {
        word: "EQGAP",
        text: "\
A word of mcy: the tests notice a mutation that the equivalence check calls without effect.
One of the two is wrong: the tests see something that is not an output, or an assumption differs.
Here it cannot arise: both are decided on the same model, and a killed mutant is not compared.
`--observe NAMES` of `mutate` says what counts as observable.
Example: an assertion reads an internal register that no output depends on.",
    },
    Explanation {
        word: "IVC",
        text: "\
An inductive validity core: a set of elements with which the property is still proved.
What is not in it may do anything, and the property holds all the same.
`--minimal` leaves out whatever can be left out, `--all` finds every minimal one.
It answers what a proof rests on, and what it never looked at.
Example: `no_overflow: a core of 5 of 8 elements, minimal`.",
    },
    Explanation {
        word: "CORE",
        text: "\
The elements that a proof of a property needs: short for inductive validity core, IVC.
A property may have several minimal cores; what is in all of them is a MUST.
Without options it is the core of the proof at hand, which may not be minimal.
Every core has an audited proof that it suffices.
Example: `core 2: before, pumped, near_top, flow, level, no_overflow`.",
    },
    Explanation {
        word: "MUST",
        text: "\
The element is in every core: without it the property is false.
There is a run that shows so, replayed by the simulator.
A requirement that is traced to this element really depends on it.
`ivc --must` asks for it, `ivc --all` finds it on the way.
Example: `MUST 18 level = before + flow`.",
    },
    Explanation {
        word: "MAY",
        text: "\
The element is in some minimal core and not known to be in all.
With `--all` or `--must`: another core does without it, so that two parts do the same job.
That can be redundancy on purpose, such as two guards, or code that nobody needs.
Removing all that are MAY at once may break the property.
Example: `MAY 15 near_top = before >= 90` and `MAY 16 would_spill` guard the same tank.",
    },
    Explanation {
        word: "USED",
        text: "\
The element is in a core that is not known to be minimal.
This proof used it; another might do without it.
`--minimal` tries to leave it out, `--must` asks whether every core has it.
It is the cheapest answer: the core comes with the proof.
Example: `USED 14 pumped = if demand < 0 then 0 else demand`.",
    },
    Explanation {
        word: "UNUSED",
        text: "\
The property depends on the element by its variables, and no core that was found has it.
The proof goes through whatever this element does.
If a requirement is traced to it, the property does not check that requirement.
A mutation of it cannot be killed by this property.
Example: `UNUSED 9 backup = sensor2` where the property only looks at `sensor1`'s branch.",
    },
    Explanation {
        word: "OUTSIDE",
        text: "\
The property does not depend on the element, not even by way of assumptions.
No proof of it could use the element; no mutation of it could be noticed by it.
What is outside of all properties is not verified at all.
`proofmark slice --cone` prints the model without it.
Example: `OUTSIDE 19 alarm = level > 80`: no property speaks of the alarm.",
    },
    Explanation {
        word: "AUDIT",
        text: "\
Runs are replayed by the simulator. Proofs are checked again, from model and proof alone, by a fresh
embedded solver that differs from the prover in preprocessing only, or by `--audit-solver NAME`.
A failed audit is exit code 6. Without an answer in `--audit-time` seconds it is `audit: none`,
and is UNKNOWN unless `--accept unaudited`; no other solver answers. `--no-audit` skips all audits.
Example: `audit passed in 0.8 ms (embedded 0.1.0 without preprocessing, simulator)`.",
    },
    Explanation {
        word: "ELEMENT",
        text: "\
The unit of coverage: an equation, an assertion, or an argument of a call.
Its id is the main node and what it defines; an argument is named by the call and the parameter.
Cores, roles and mutants all speak of elements; `--grain` says what counts as one.
Removing an element means that what it defines may have any value.
Example: `tank/level` is the equation of `level` in the main node `tank`.",
    },
    Explanation {
        word: "MUTANT",
        text: "\
The model with one small fault in it, made by a mutator: what a slip of the pen would do.
Its id, an element, a mutator and a number, stays when lines move or other mutators run.
Every mutant gets a verdict: KILLED, GAP, EQUIVALENT, SURVIVED, UNKNOWN, VACUOUS, NOT-VALID.
`proofmark mutators` lists the mutators, with an example of each.
Example: `demo2/d#g2l#1`: in the equation of d, the first `>` became `<`.",
    },
    Explanation {
        word: "K",
        text: "\
The depth of the induction: the property holds in the first k states of every run, and whenever
it holds in k states in a row it holds in the next one.
k=1 is plain induction; a larger k means that the proof needs some memory.
Invariants that are proved together with the property make k smaller.
Example: `VALID never_too_long k-induction k=3`.",
    },
    Explanation {
        word: "INVARIANT",
        text: "\
A fact about every reachable state that a proof uses besides the property.
The engines find them; `check -v` and `--json` list them, as SMT-LIB terms.
They are proved and audited like the property itself.
`--save-proof FILE` keeps them, and `--use-proof FILE` tries them after a change.
Example: `(<= 0 n)` helps to prove that n + 1 is positive.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Every value of an enumeration, as the schema has it.
    fn values(schema: &Value, name: &str) -> Vec<String> {
        let definition = &schema["$defs"][name];
        let single = definition["enum"].as_array().into_iter().flatten();
        let described = definition["oneOf"].as_array().into_iter().flatten();
        let described = described.flat_map(|one| {
            let several = one["enum"].as_array().into_iter().flatten();
            several.chain(one.get("const"))
        });
        let all = single.chain(described).filter_map(Value::as_str);
        all.map(str::to_string).collect()
    }

    #[test]
    fn every_verdict_and_every_role_is_explained() {
        let schema: Value = serde_json::from_str(&crate::schema().unwrap()).unwrap();
        for (name, count) in [
            ("Verdict", 4),
            ("MutantVerdict", 8),
            ("AssumptionVerdict", 4),
            ("Role", 5),
        ] {
            let values = values(&schema, name);
            assert_eq!(values.len(), count, "{name}: {values:?}");
            for value in values {
                assert!(explain(&value).is_some(), "{name} {value}");
            }
        }
    }

    #[test]
    fn an_explanation_is_five_lines_with_an_example() {
        for one in EXPLANATIONS {
            let lines: Vec<&str> = one.text.lines().collect();
            assert_eq!(lines.len(), 5, "{}", one.word);
            assert!(lines[4].starts_with("Example: "), "{}", one.word);
            for line in lines {
                assert!(line.chars().count() <= 100, "{}: {line}", one.word);
            }
        }
        assert_eq!(explain("not valid").map(|one| one.word), Some("NOT-VALID"));
        assert!(explain("zebra").is_none());
    }
}
