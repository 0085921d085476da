//! Two netlists as black boxes: the same inputs, and at every step the same outputs and bad signals.
//!
//! Both become one netlist with shared inputs and a single bad signal: that both accepted the run so far, and
//! only one accepts the step, or both do and show something else. A latch with a free initial value is a choice:
//! those of the same position begin alike, which is enough for a proof and not for a difference.

use super::{
    AuditFailed, Declared, Difference, Equivalence, EquivalenceVerdict, VariableDifference,
};
use crate::auditor::Audited;
use crate::netlist::{NetlistVerdict, VerifiedNetlist};
use crate::verify::VerifyError;
use proofmark_model::graph::{BitTrace, Init, Kind, NamedSignal, Netlist, Signal};

/// What is observed: outputs, then bad signals, by position.
pub fn observed_signals(netlist: &Netlist) -> impl Iterator<Item = &NamedSignal> {
    netlist.outputs.iter().chain(&netlist.bads)
}

/// What of two netlists does not fit together: how many there are of what comes in and of what is observed.
fn interface(first: &Netlist, second: &Netlist) -> Vec<VariableDifference> {
    let row = |name: &str, counts: [usize; 2]| VariableDifference {
        name: name.into(),
        first: Some(Declared::count(counts[0])),
        second: Some(Declared::count(counts[1])),
    };
    let rows = [
        row("inputs", [first.inputs.len(), second.inputs.len()]),
        row("outputs", [first.outputs.len(), second.outputs.len()]),
        row("bad signals", [first.bads.len(), second.bads.len()]),
    ];
    let rows = rows.into_iter().filter(|row| row.first != row.second);
    rows.collect()
}

/// Where each node of a netlist is in the product.
struct Copy {
    signals: Vec<Signal>,
    latches: Vec<usize>,
}

impl Copy {
    fn of(&self, signal: Signal) -> Signal {
        let copy = self.signals[signal.index()];
        if signal.is_complemented() {
            !copy
        } else {
            copy
        }
    }
}

/// Compares two netlists; `check` decides the one bad signal of their product.
pub fn compare_netlists(
    first: &Netlist,
    second: &Netlist,
    check: &mut dyn FnMut(&Netlist) -> Result<VerifiedNetlist, VerifyError>,
) -> Result<Result<Equivalence, AuditFailed>, VerifyError> {
    let rows = interface(first, second);
    if !rows.is_empty() {
        let difference = Box::new(Difference::Variables(rows));
        return Ok(Ok(Equivalence {
            verdict: EquivalenceVerdict::Different(difference),
            audit: Audited::by("the declarations"),
            states: None,
        }));
    }
    let (product, copies) = product(first, second);
    let mut verified = check(&product)?;
    let Some(judgement) = verified.judgements.pop() else {
        return Ok(Ok(unknown("nothing was asked".into())));
    };
    let audit = judgement.audit.unwrap_or(Audited::NotAskedFor);
    let verdict = match judgement.verdict {
        NetlistVerdict::Valid { .. } => EquivalenceVerdict::Equivalent,
        NetlistVerdict::Vacuous { why } | NetlistVerdict::Unknown { why, .. } => {
            EquivalenceVerdict::Unknown { why }
        }
        NetlistVerdict::Invalid { trace, .. } => {
            let mut latches = first.latches.iter().chain(&second.latches);
            if latches.any(|one| one.init == Init::Free) {
                return Ok(Ok(unknown(
                    "they differ when latches without an initial value begin alike, and these may not".into(),
                )));
            }
            match difference([first, second], &copies, &trace) {
                Ok(difference) => EquivalenceVerdict::Different(Box::new(difference)),
                Err(failed) => return Ok(Err(failed)),
            }
        }
    };
    Ok(Ok(Equivalence {
        verdict,
        audit,
        states: None,
    }))
}

fn unknown(why: String) -> Equivalence {
    Equivalence {
        verdict: EquivalenceVerdict::Unknown { why },
        audit: Audited::NotAskedFor,
        states: None,
    }
}

fn product(first: &Netlist, second: &Netlist) -> (Netlist, [Copy; 2]) {
    let mut product = Netlist::default();
    let inputs: Vec<Signal> = first.inputs.iter().map(|_| product.add_input()).collect();
    for (at, input) in first.inputs.iter().enumerate() {
        if let Some(name) = first.labels.name(*input) {
            product.labels.set_name(inputs[at].node(), name);
        }
    }
    let one = copy(&mut product, first, &inputs, None);
    let other = copy(&mut product, second, &inputs, Some((first, &one)));
    let so_far = product.add_latch(Init::One);
    let so_far_at = product.latches.len() - 1;
    let demands = |netlist: &Netlist, copy: &Copy| -> Vec<Signal> {
        netlist
            .constraints
            .iter()
            .map(|one| copy.of(*one))
            .collect()
    };
    let (accepts, other_accepts) = (demands(first, &one), demands(second, &other));
    let graph = &mut product.graph;
    let (accepts, other_accepts) = (graph.and_all(&accepts), graph.and_all(&other_accepts));
    let both = graph.and(accepts, other_accepts);
    let next = graph.and(so_far, both);
    let pairs = observed_signals(first).zip(observed_signals(second));
    let pairs: Vec<(Signal, Signal)> = pairs
        .map(|(a, b)| (one.of(a.signal), other.of(b.signal)))
        .collect();
    let differ: Vec<Signal> = pairs.into_iter().map(|(a, b)| graph.xor(a, b)).collect();
    let differ = graph.or_all(&differ);
    let shown = graph.and(both, differ);
    let only_one = graph.xor(accepts, other_accepts);
    let either = graph.or(shown, only_one);
    let bad = graph.and(so_far, either);
    product.set_next(so_far_at, next);
    product.add_bad("the netlists differ", bad);
    (product, [one, other])
}

/// Copies a netlist without its constraints. A latch without an initial value begins as the one of the same
/// position in a netlist that was copied before.
fn copy(
    product: &mut Netlist,
    netlist: &Netlist,
    inputs: &[Signal],
    before: Option<(&Netlist, &Copy)>,
) -> Copy {
    let mut copy = Copy {
        signals: vec![Signal::constant(false); netlist.graph.len()],
        latches: Vec::new(),
    };
    let mut begins: Vec<(usize, Signal)> = Vec::new();
    for (at, latch) in netlist.latches.iter().enumerate() {
        let twin = before.and_then(|(other, known)| {
            let twin = other.latches.get(at).filter(|one| one.init == Init::Free)?;
            Some(known.signals[twin.node as usize])
        });
        let twin = twin.filter(|_| latch.init == Init::Free);
        let signal = match twin {
            None => product.add_latch(latch.init),
            // Its value is the twin's at the first step, and what is stored later.
            Some(_) => product.add_latch(Init::Zero),
        };
        copy.latches.push(product.latches.len() - 1);
        copy.signals[latch.node as usize] = signal;
        begins.extend(twin.map(|twin| (at, twin)));
    }
    if !begins.is_empty() {
        let later = product.add_latch(Init::Zero);
        product.set_next(product.latches.len() - 1, Signal::constant(true));
        for (at, twin) in begins {
            let node = netlist.latches[at].node as usize;
            let stored = copy.signals[node];
            copy.signals[node] = product.graph.mux(later, stored, twin);
        }
    }
    for node in 0..netlist.graph.len() as u32 {
        match netlist.graph.kind(node) {
            Kind::Input(position) => copy.signals[node as usize] = inputs[position as usize],
            Kind::And(a, b) => {
                let (a, b) = (copy.of(a), copy.of(b));
                copy.signals[node as usize] = product.graph.and(a, b);
            }
            Kind::Constant | Kind::Latch(_) => {}
        }
    }
    for (latch, place) in netlist.latches.iter().zip(&copy.latches) {
        product.set_next(*place, copy.of(latch.next));
    }
    copy
}

/// Runs each netlist by itself; both begin with fixed values.
fn difference(
    netlists: [&Netlist; 2],
    copies: &[Copy; 2],
    found: &BitTrace,
) -> Result<Difference, AuditFailed> {
    let run = |at: usize| BitTrace {
        latches: copies[at]
            .latches
            .iter()
            .map(|one| found.latches[*one])
            .collect(),
        inputs: found.inputs.clone(),
    };
    let runs = [run(0), run(1)];
    let step = found.inputs.len().saturating_sub(1);
    let accepted = [0, 1].map(|at| netlists[at].replay(&runs[at]).accepted > step);
    let shown = [0, 1].map(|at| {
        let signals: Vec<&NamedSignal> = observed_signals(netlists[at]).collect();
        let nodes: Vec<u32> = signals.iter().map(|one| one.signal.node()).collect();
        let values = netlists[at].watch(&runs[at], &nodes);
        let last = signals.iter().zip(values).map(|(one, values)| {
            values
                .last()
                .is_some_and(|value| *value != one.signal.is_complemented())
        });
        last.collect::<Vec<bool>>()
    });
    let names = observed_signals(netlists[0]).zip(&shown[0]).zip(&shown[1]);
    let names: Vec<String> = names
        .filter(|((_, one), other)| one != other)
        .map(|((signal, _), _)| signal.name.clone())
        .collect();
    if names.is_empty() && accepted[0] == accepted[1] {
        return Err(AuditFailed(
            "the run does not tell the netlists apart".into(),
        ));
    }
    let [first, second] = runs;
    Ok(Difference::Bits {
        step,
        names,
        first,
        second,
        accepted,
    })
}
