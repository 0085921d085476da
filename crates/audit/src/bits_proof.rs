//! The proof of a netlist's certificate, as a file of lines.
//!
//! ```text
//! clause 1 -3
//! region 2 3
//! gate 5 2
//! holds 7
//! ```
//!
//! A clause names latches by their position, from 1; a minus is a complement. A region is a function of the
//! latches that it names: signals are numbered as in AIGER, twice the node and one more for the complement, 0 for
//! false, then the inputs, then the gates in order.

use proofmark_model::graph::{BitProof, Kind, Netlist, Region, Signal};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// The file of a proof.
pub(crate) fn write(netlist: &Netlist, proof: &BitProof) -> String {
    let mut out = String::new();
    for clause in &proof.clauses {
        out.push_str("clause");
        for literal in clause {
            let position = match netlist.graph.kind(literal.node()) {
                Kind::Latch(at) => i64::from(at) + 1,
                // The audit refuses such a proof.
                _ => 0,
            };
            let sign = if literal.is_complemented() { "-" } else { "" };
            // Writing to a string does not fail.
            let _ = write!(out, " {sign}{position}");
        }
        out.push('\n');
    }
    if let Some(region) = &proof.region {
        write_region(region, &mut out);
    }
    out
}

fn write_region(region: &Region, out: &mut String) {
    out.push_str("region");
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(0, 0)]);
    for (input, latch) in region.netlist.inputs.iter().zip(&region.latches) {
        numbers.insert(*input, numbers.len() as u32);
        let _ = write!(out, " {}", latch + 1);
    }
    out.push('\n');
    let code = |numbers: &FxHashMap<u32, u32>, signal: Signal| {
        let node = numbers.get(&signal.node()).copied().unwrap_or_default();
        2 * node + u32::from(signal.is_complemented())
    };
    for (gate, [a, b]) in region.netlist.graph.and_gates() {
        let _ = writeln!(out, "gate {} {}", code(&numbers, a), code(&numbers, b));
        numbers.insert(gate, numbers.len() as u32);
    }
    let _ = writeln!(out, "holds {}", code(&numbers, region.holds));
}

/// What such a file says of a netlist.
pub(crate) fn read(text: &str, depth: u32, netlist: &Netlist) -> Result<BitProof, String> {
    let mut proof = BitProof {
        k: depth,
        clauses: Vec::new(),
        region: None,
    };
    let mut region: Option<OpenRegion> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let taken = take(line, netlist, &mut proof, &mut region);
        taken.map_err(|what| format!("line {number}: {what}"))?;
    }
    match region {
        Some(_) => Err("the region has no end: expected `holds` and a signal".into()),
        None => Ok(proof),
    }
}

/// A region whose gates are being read.
struct OpenRegion {
    region: Region,
    signals: Vec<Signal>,
}

impl OpenRegion {
    fn signal(&self, code: u32) -> Result<Signal, &'static str> {
        let signal = self.signals.get(code as usize / 2);
        let signal = signal.ok_or("expected a signal from before this line")?;
        Ok(signal.complement_if(code % 2 == 1))
    }
}

fn take(
    line: &str,
    netlist: &Netlist,
    proof: &mut BitProof,
    open: &mut Option<OpenRegion>,
) -> Result<(), &'static str> {
    let mut words = line.split(' ');
    let word = words.next().unwrap_or_default();
    match (word, open.as_mut()) {
        ("clause", None) => {
            let literals = words.map(|word| literal(word, netlist));
            proof.clauses.push(literals.collect::<Result<_, _>>()?);
        }
        ("region", None) if proof.region.is_none() => {
            *open = Some(open_region(words, netlist)?);
        }
        ("gate", Some(region)) => {
            let [a, b] = codes(words)?;
            let (a, b) = (region.signal(a)?, region.signal(b)?);
            let gate = region.region.netlist.graph.add_gate(a, b);
            region.signals.push(gate);
        }
        ("holds", Some(region)) => {
            let [code] = codes(words)?;
            region.region.holds = region.signal(code)?;
            proof.region = open.take().map(|open| Box::new(open.region));
        }
        _ => return Err("expected `clause`, or `region` with `gate` and `holds`"),
    }
    Ok(())
}

fn literal(word: &str, netlist: &Netlist) -> Result<Signal, &'static str> {
    const EXPECTED: &str = "expected the number of a latch";
    let number: i64 = word.parse().map_err(|_| EXPECTED)?;
    let at = number.unsigned_abs().checked_sub(1).ok_or(EXPECTED)?;
    let at = usize::try_from(at).map_err(|_| EXPECTED)?;
    let latch = netlist.latches.get(at).ok_or(EXPECTED)?;
    Ok(Signal::of(latch.node).complement_if(number < 0))
}

fn open_region<'w>(
    words: impl Iterator<Item = &'w str>,
    netlist: &Netlist,
) -> Result<OpenRegion, &'static str> {
    let mut function = Netlist::default();
    let (mut latches, mut signals) = (Vec::new(), vec![Signal::FALSE]);
    for word in words {
        let latch = literal(word, netlist)?;
        match netlist.graph.kind(latch.node()) {
            Kind::Latch(at) if !latch.is_complemented() => latches.push(at),
            _ => return Err("expected latches"),
        }
        signals.push(function.add_input());
    }
    Ok(OpenRegion {
        region: Region {
            netlist: function,
            latches,
            holds: Signal::TRUE,
        },
        signals,
    })
}

fn codes<'w, const N: usize>(
    words: impl Iterator<Item = &'w str>,
) -> Result<[u32; N], &'static str> {
    let codes: Result<Vec<u32>, _> = words.map(str::parse).collect();
    let codes = codes.ok().and_then(|codes| codes.try_into().ok());
    codes.ok_or("expected the numbers of signals")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::graph::Init;

    fn three_latches() -> Netlist {
        let mut netlist = Netlist::default();
        (0..3).for_each(|_| {
            netlist.add_latch(Init::Zero);
        });
        netlist
    }

    #[test]
    fn what_is_written_reads_back_and_is_written_alike() {
        let netlist = three_latches();
        let text = "clause 1 -3\nclause\nregion 2 3\ngate 5 2\ngate 6 1\nholds 9\n";
        let proof = read(text, 2, &netlist).unwrap();
        assert_eq!((proof.k, proof.clauses.len()), (2, 2));
        assert!(proof.region.as_ref().unwrap().fits(&netlist));
        assert_eq!(write(&netlist, &proof), text);
    }

    #[test]
    fn a_proof_about_other_latches_is_refused() {
        let netlist = three_latches();
        let wrong = [
            "clause 4",
            "clause 0",
            "clause x",
            "clause -9223372036854775808",
            "region 9\nholds 1",
            "region 1",
            "region 1\ngate 2",
            "region 1\ngate 2 4\nholds 0",
            "holds 1",
            "region 1\nclause 1",
            "region 1\nholds 2\nregion 1\nholds 2",
        ];
        for text in wrong {
            assert!(read(text, 1, &netlist).is_err(), "{text}");
        }
    }
}
