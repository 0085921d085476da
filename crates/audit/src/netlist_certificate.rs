//! Writes proofs about netlists down as SMT-LIB scripts, gate by gate, for anybody's solver.
//!
//! The files are those of every certificate: base, step and implication, in each of which every `check-sat`
//! has to answer `unsat`. A gate is a definition, a latch at a later step stands for its next value, so that
//! the text grows with the cone of what is asked.

use crate::bits_proof;
use crate::certificate::{EntryFiles, folder_name, write_manifest};
use crate::folder::remove_certificate;
use crate::manifest::{CertificateError, CertifiedModel, Entry, Manifest};
use crate::obligation::ObligationPart;
use proofmark_model::graph::{BitProof, Init, Kind, Netlist, Region, Signal};
use proofmark_source::printable;
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::path::Path;

/// A bad signal, by position, and the proof that it is never true.
pub struct CertifiedBad<'p> {
    /// By position in the netlist.
    pub bad: usize,
    /// Why.
    pub proof: &'p BitProof,
    /// The file of the circuit that witnesses it, if there is one, and how its name ends.
    pub circuit: Option<(Vec<u8>, &'static str)>,
}

/// Writes the certificate of some bad signals into a folder, which is made when it is not there and loses the
/// certificate that it had.
pub fn write_netlist_certificate(
    folder: &Path,
    model: &CertifiedModel,
    netlist: &Netlist,
    proofs: Vec<CertifiedBad<'_>>,
) -> Result<Manifest, CertificateError> {
    remove_certificate(folder)?;
    let mut manifest = Manifest {
        model: Some(model.clone()),
        ..Manifest::default()
    };
    let mut folders = Vec::new();
    for certified in proofs {
        let property = &netlist.bads[certified.bad].name;
        let text = bits_proof::write(netlist, certified.proof);
        let proof = bits_proof::read(&text, certified.proof.k, netlist);
        let proof = proof.map_err(|what| CertificateError::Proof { what })?;
        let files = EntryFiles {
            proof: (text, "txt"),
            scripts: scripts(netlist, certified.bad, &proof),
            circuit: certified.circuit,
        };
        let name = folder_name(property, &mut folders);
        let entry = files.write(
            folder,
            &name,
            Entry {
                property: property.clone(),
                depth: proof.k,
                ..Entry::default()
            },
        )?;
        manifest.properties.push(entry);
    }
    write_manifest(folder, &manifest)?;
    Ok(manifest)
}

/// The scripts of a proof, as they are written and as they have to be.
pub(crate) fn scripts(
    netlist: &Netlist,
    bad: usize,
    proof: &BitProof,
) -> Vec<(ObligationPart, String)> {
    let parts = ObligationPart::ALL.into_iter();
    parts
        .map(|part| (part, script(netlist, (bad, proof), part)))
        .collect()
}

/// The script of a part of the induction.
fn script(netlist: &Netlist, (bad, proof): (usize, &BitProof), part: ObligationPart) -> String {
    let k = proof.k as usize;
    let mut script = Script {
        netlist,
        proof,
        bad: netlist.bads[bad].signal,
        initial: part == ObligationPart::Base,
        steps: 0,
        defined: FxHashSet::default(),
        text: introduction(netlist, (bad, proof), part),
    };
    match part {
        ObligationPart::Base => {
            for step in 0..k {
                script.extend();
                script.ask(step, Claim::All);
            }
        }
        ObligationPart::Step => {
            for step in 0..k {
                script.extend();
                script.assume(step);
            }
            script.extend();
            script.ask(k, Claim::All);
        }
        ObligationPart::Implication => {
            script.extend();
            script.assume(0);
            script.ask(0, Claim::Property);
        }
    }
    script.text
}

fn introduction(
    netlist: &Netlist,
    (bad, proof): (usize, &BitProof),
    part: ObligationPart,
) -> String {
    let what = match part {
        ObligationPart::Base => "it is false, with the invariant, in the first steps of every run",
        ObligationPart::Step => {
            "steps with the invariant and without it are followed by such a step"
        }
        ObligationPart::Implication => "it follows from what base and step prove",
    };
    let name = printable(&netlist.bads[bad].name);
    format!(
        "; Proofmark certificate, {} of an induction with k = {} and {} clauses.\n\
         ; Bad signal {name}: {what}.\n\
         ; i, l and g with two numbers are an input, a latch and a gate at a step.\n\
         ; Every check-sat has to answer unsat.\n\
         (set-logic ALL)\n",
        part.as_str(),
        proof.k,
        proof.clauses.len(),
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// The clauses, the region and the property.
    All,
    Property,
}

struct Script<'a> {
    netlist: &'a Netlist,
    proof: &'a BitProof,
    bad: Signal,
    /// Whether step 0 is a first step.
    initial: bool,
    steps: usize,
    /// Nodes that have a name at a step.
    defined: FxHashSet<(usize, u32)>,
    text: String,
}

impl Script<'_> {
    /// One step more, in which the constraints hold.
    fn extend(&mut self) {
        let step = self.steps;
        self.steps += 1;
        let netlist = self.netlist;
        for constraint in &netlist.constraints {
            let term = self.term(step, *constraint);
            let _ = writeln!(self.text, "(assert {term})");
        }
    }

    /// The name of a node at a step; an underscore keeps it apart from the words of solvers.
    fn name(&self, step: usize, node: u32) -> String {
        match self.netlist.graph.kind(node) {
            Kind::Constant => "false".into(),
            Kind::Input(at) => format!("i_{at}_{step}"),
            Kind::Latch(at) => format!("l_{at}_{step}"),
            Kind::And(..) => format!("g_{node}_{step}"),
        }
    }

    /// A signal as a term whose names are defined.
    fn term(&mut self, step: usize, signal: Signal) -> String {
        let mut stack = vec![(step, signal.node())];
        while let Some(&(step, node)) = stack.last() {
            let needs = self.needs(step, node);
            let missing = needs.into_iter().filter(|one| !self.defined.contains(one));
            let missing: Vec<(usize, u32)> = missing.collect();
            if self.defined.contains(&(step, node)) {
                stack.pop();
            } else if missing.is_empty() {
                self.define(step, node);
                self.defined.insert((step, node));
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        self.spell(step, signal)
    }

    fn spell(&self, step: usize, signal: Signal) -> String {
        let name = self.name(step, signal.node());
        match signal.is_complemented() {
            true => format!("(not {name})"),
            false => name,
        }
    }

    /// What the definition of a node mentions.
    fn needs(&self, step: usize, node: u32) -> Vec<(usize, u32)> {
        match self.netlist.graph.kind(node) {
            Kind::And(a, b) => vec![(step, a.node()), (step, b.node())],
            Kind::Latch(at) if step > 0 => {
                vec![(step - 1, self.netlist.latches[at as usize].next.node())]
            }
            _ => Vec::new(),
        }
    }

    fn define(&mut self, step: usize, node: u32) {
        let name = self.name(step, node);
        let value = match self.netlist.graph.kind(node) {
            Kind::Constant => return,
            Kind::Input(_) => None,
            Kind::And(a, b) => Some(format!(
                "(and {} {})",
                self.spell(step, a),
                self.spell(step, b)
            )),
            Kind::Latch(at) => {
                let latch = &self.netlist.latches[at as usize];
                match (step, self.initial, latch.init) {
                    (0, true, Init::Zero) => Some("false".into()),
                    (0, true, Init::One) => Some("true".into()),
                    (0, ..) => None,
                    _ => Some(self.spell(step - 1, latch.next)),
                }
            }
        };
        let _ = match value {
            None => writeln!(self.text, "(declare-const {name} Bool)"),
            Some(value) => writeln!(self.text, "(define-fun {name} () Bool {value})"),
        };
    }

    /// What is claimed of a step, one by one.
    fn claims(&mut self, step: usize, claim: Claim) -> Vec<String> {
        let mut claims = Vec::new();
        let proof = self.proof;
        if claim == Claim::All {
            for clause in &proof.clauses {
                let literals: Vec<String> =
                    clause.iter().map(|one| self.term(step, *one)).collect();
                claims.push(format!("(or false {})", literals.join(" ")));
            }
            if let Some(region) = &proof.region {
                claims.push(self.region(step, region));
            }
        }
        let bad = self.term(step, self.bad);
        claims.push(format!("(not {bad})"));
        claims
    }

    /// Whether the state at a step is in a region.
    fn region(&mut self, step: usize, region: &Region) -> String {
        let graph = &region.netlist.graph;
        let mut names = vec![String::from("false"); graph.len()];
        let read = |names: &[String], signal: Signal| match signal.is_complemented() {
            true => format!("(not {})", names[signal.index()]),
            false => names[signal.index()].clone(),
        };
        for (input, latch) in region.netlist.inputs.iter().zip(&region.latches) {
            let node = self.netlist.latches[*latch as usize].node;
            names[*input as usize] = self.term(step, Signal::of(node));
        }
        for (gate, [a, b]) in graph.and_gates() {
            let name = format!("r_{gate}_{step}");
            let (a, b) = (read(&names, a), read(&names, b));
            // A region is asked about once and assumed once; a name is defined once.
            if self.defined.insert((usize::MAX - step, gate)) {
                let _ = writeln!(self.text, "(define-fun {name} () Bool (and {a} {b}))");
            }
            names[gate as usize] = name;
        }
        read(&names, region.holds)
    }

    fn assume(&mut self, step: usize) {
        for claim in self.claims(step, Claim::All) {
            let _ = writeln!(self.text, "(assert {claim})");
        }
    }

    /// Asks whether a claim can fail; afterwards the claims are known.
    fn ask(&mut self, step: usize, claim: Claim) {
        let claims = self.claims(step, claim).join("\n  ");
        let _ = write!(
            self.text,
            "; Otherwise something is wrong at step {step}.\n(push 1)\n(assert (not (and true\n  {claims})))\n\
             (set-info :status unsat)\n(check-sat)\n(pop 1)\n(assert (and true\n  {claims}))\n"
        );
    }
}
