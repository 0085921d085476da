//! `proofmark cover`: which registers and gates of a design do its properties see?

use crate::arguments::{Acceptable, Cover, CoverMethod, CutPlaceArgument, Printing};
use crate::exit::Exit;
use crate::journal::{CertificateLine, CutLine, Journal, RegionLine, RunLine};
use crate::models::{Examination, Examined, Report, Scope};
use crate::session::{self, Opened};
use crate::settings::Suppressions;
use crate::{audits, check, interrupt, outputs, page, terminal};
use proofmark_engine::EngineName;
use proofmark_engine::bits::BitLimits;
use proofmark_lang::{Design, Language, Languages};
use proofmark_model::graph::{
    BitProof, BitTrace, Blasted, Criteria, Criterion, CutPlace, CutSites, Kind, Netlist, Region,
    Signal, bit_blast,
};
use proofmark_model::{Model, Symbol, System};
use proofmark_quality::cover::{
    Board, Certificate, CoverageQuestion, Cut, CutRun, CutVerdict, Evidence, Method, News,
    PropertyCoverage, Recalled, RecalledEvidence, Test, cover, criterion, joint, suggest,
};
use proofmark_quality::{Audited, NetlistVerdict};
use proofmark_report::{
    AccuracyPoint, AuditSummary, CoreRole, CoverageCertificate, CoverageFinding,
    CoverageSuggestion, CoverageSummary, CoverageVerdict, ElementFinding, Findings, Origin,
    Outcome, PropertyFinding, PropertyVerdict, Shown, ShownSpan, ShownTrace, coverage_text,
    joint_role, lcov,
};
use proofmark_solve::Interrupt;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Examination for Cover {
    fn printing(&self) -> &Printing {
        &self.printing
    }

    fn of_one_model(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("run-dir", self.run_dir.is_some()),
            ("shard", self.shard.is_some()),
        ]
    }

    fn prepare(&self) -> Result<(), Exit> {
        refuse(self)?;
        let named = [
            ("html", self.printing.html.as_ref()),
            ("lcov", self.lcov.as_ref()),
        ];
        outputs::check(&[&named[..], &self.exports.outputs()].concat())
    }

    fn examine(&self, _: &Suppressions, languages: Languages) -> Result<Examined, Exit> {
        let opened = Opened::read(languages, &self.subject, &self.proving.solver)?;
        match opened.load()? {
            Design::Netlist(netlist) => {
                let named = NamedSites::of_netlist(self, &opened, &netlist);
                examine(self, opened, &netlist, &named)
            }
            Design::Words(loaded) => {
                let lowered = session::lower_model(&loaded.model, &opened.sources)?;
                let blasted = finite(&lowered.system)?;
                let named = NamedSites::of_words(self, &opened, &lowered.system, &blasted);
                let language = opened.language();
                let interrupt = opened.interrupt.clone();
                let mut examined = examine(self, opened, &blasted.netlist, &named)?;
                let findings = &mut examined.findings;
                findings.coverage_suggestions =
                    suggestions(self, findings, &loaded.model, language, &interrupt);
                examined.text = text(self, findings);
                Ok(examined)
            }
        }
    }

    fn write(&self, report: &Report<'_>, _: Languages) -> Result<(), Exit> {
        let tolerance = self.printing.tolerance(None);
        outputs::all([
            outputs::write(self.lcov.as_ref(), || Ok(lcov(report.findings))),
            self.exports.write(report.findings, &tolerance),
            page::write(&self.printing, report),
        ])
    }

    fn exit(&self, findings: &Findings, scope: Scope) -> Exit {
        if scope == Scope::All {
            return Exit::Fine;
        }
        let accepts = |what| self.printing.accepts(what);
        let mut verdicts = findings.properties.iter().map(|one| one.verdict);
        if verdicts.any(|one| one == PropertyVerdict::Invalid) {
            return Exit::Found;
        }
        let all = findings.coverage_summary.iter();
        let mut all = all.filter(|one| one.property.is_none());
        let Some(share) = all.next().and_then(|one| one.share.get("nondet")) else {
            return Exit::Inconclusive;
        };
        if self.min_coverage.is_some_and(|least| share.high < least) {
            return Exit::Found;
        }
        let short = self.min_coverage.is_some_and(|least| share.low < least);
        let (interrupt, _) = interrupt::of_run();
        let unknown = findings
            .properties
            .iter()
            .any(|one| one.verdict == PropertyVerdict::Unknown)
            || findings.outcome == Outcome::Inconclusive;
        match (short || unknown || interrupt.is_set()) && !accepts(Acceptable::Unknown) {
            true => Exit::Inconclusive,
            false => Exit::Fine,
        }
    }
}

/// The sites of a netlist, and what people call them.
struct NamedSites {
    sites: CutSites,
    elements: Vec<ElementFinding>,
}

impl NamedSites {
    /// Every word that the model remembers, or each bit of it by itself. What a translator made to state
    /// properties (the last value of something, whether this is the first step) is no register of the design;
    /// its name begins with `$`.
    fn of_words(
        arguments: &Cover,
        opened: &Opened,
        system: &System,
        blasted: &Blasted,
    ) -> NamedSites {
        let netlist = &blasted.netlist;
        let (mut groups, mut elements) = (Vec::new(), Vec::new());
        for (variable, latches) in blasted.map.words() {
            let Some(variable) = system.variable(variable) else {
                continue;
            };
            if variable.name.as_str().starts_with('$') {
                continue;
            }
            let nodes: Vec<u32> = latches.iter().map(|at| netlist.latches[*at].node).collect();
            let element = |id: String| ElementFinding {
                id,
                name: variable.name.to_string(),
                category: "register".into(),
                origin: variable
                    .origin
                    .location
                    .map(|one| Origin::new(one, &opened.sources)),
                text: String::new(),
                role: BTreeMap::new(),
            };
            match arguments.bits && nodes.len() > 1 {
                false => {
                    elements.push(element(variable.name.to_string()));
                    groups.push(nodes);
                }
                true => {
                    for (bit, node) in nodes.into_iter().enumerate() {
                        elements.push(element(format!("{}[{bit}]", variable.name)));
                        groups.push(vec![node]);
                    }
                }
            }
        }
        if arguments.gates {
            for (gate, _) in netlist.graph.and_gates() {
                let name = netlist.name(gate);
                elements.push(ElementFinding {
                    id: name.clone(),
                    name,
                    category: "gate".into(),
                    origin: None,
                    text: String::new(),
                    role: BTreeMap::new(),
                });
                groups.push(vec![gate]);
            }
        }
        NamedSites {
            sites: CutSites::new(netlist, place(arguments), groups),
            elements,
        }
    }

    /// Every register by itself, and every gate where that is asked for.
    fn of_netlist(arguments: &Cover, opened: &Opened, netlist: &Netlist) -> NamedSites {
        let mut nodes: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
        if arguments.gates {
            nodes.extend(netlist.graph.and_gates().map(|(gate, _)| gate));
        }
        let elements = netlist_elements(opened, netlist, &nodes);
        let groups = nodes.into_iter().map(|node| vec![node]).collect();
        NamedSites {
            sites: CutSites::new(netlist, place(arguments), groups),
            elements,
        }
    }
}

/// Registers and gates of a netlist as elements; no two have the same id.
pub fn netlist_elements(opened: &Opened, netlist: &Netlist, nodes: &[u32]) -> Vec<ElementFinding> {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    let elements = nodes.iter().map(|node| {
        let name = netlist.name(*node);
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        let id = match *count {
            1 => name.clone(),
            count => format!("{name}#{count}"),
        };
        let location = netlist.origin(*node).location;
        let category = match netlist.graph.kind(*node) {
            Kind::Latch(_) => "register",
            _ => "gate",
        };
        ElementFinding {
            id,
            name,
            category: category.into(),
            origin: location.map(|one| Origin::new(one, &opened.sources)),
            text: String::new(),
            role: BTreeMap::new(),
        }
    });
    elements.collect()
}

/// So many registers get a suggestion.
const SUGGESTED: usize = 3;

/// Properties that would cover what is not, as text to paste.
fn suggestions(
    arguments: &Cover,
    findings: &Findings,
    model: &Model,
    language: &Language,
    interrupt: &Interrupt,
) -> Vec<CoverageSuggestion> {
    let joint = findings
        .coverage
        .iter()
        .filter(|row| row.property.is_none());
    let open = joint.filter(|row| row.nondet == CoverageVerdict::NotCovered);
    let found = open.filter_map(|row| {
        let register = Symbol::new(&row.element);
        let tree = suggest(model, register, place(arguments), interrupt)?;
        Some(CoverageSuggestion {
            elements: vec![row.element.clone()],
            text: (language.property)(&row.element, &tree),
        })
    });
    found.take(SUGGESTED).collect()
}

/// The netlist of a model of words. One whose integers have guessed widths is refused: a value that does
/// not fit would count as noticed.
fn finite(system: &System) -> Result<Blasted, Exit> {
    let refuse = |why: &str| {
        terminal::error(&format!(
            "cover works on finite models, and {why}; `proofmark mutate` asks which equations could be \
             removed or stuck"
        ));
        Exit::Input
    };
    let blasted =
        bit_blast(system).map_err(|error| refuse(&format!("this one is not: {error}")))?;
    match blasted.map.may_overflow() {
        true => Err(refuse("the integers of this one may leave their ranges")),
        false => Ok(blasted),
    }
}

/// Options that say nothing about coverage are refused, so that nobody waits for their effect.
fn refuse(arguments: &Cover) -> Result<(), Exit> {
    let proving = &arguments.proving;
    let audits = "every run is replayed and every proof is followed by the LRAT checker, always";
    let options = [
        ("--no-audit", proving.no_audit, audits),
        ("--audit-solver", proving.audit_solver.is_some(), audits),
        (
            "--use-proof",
            proving.use_proof.is_some(),
            "proofs of words are not used on bits",
        ),
        (
            "--engines",
            arguments.method == CoverMethod::Paper && !proving.engines.is_empty(),
            "the method of the paper works by interpolation alone",
        ),
    ];
    match options.iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((option, _, why)) => {
            terminal::error(&format!(
                "{option} has no meaning here: {why}; leave it out"
            ));
            Err(Exit::Usage)
        }
    }
}

fn method(arguments: &Cover) -> Method {
    match arguments.method {
        CoverMethod::Cascade => Method::Cascade,
        CoverMethod::Paper => Method::Paper,
    }
}

fn place(arguments: &Cover) -> CutPlace {
    match arguments.cut {
        CutPlaceArgument::Next => CutPlace::Next,
        CutPlaceArgument::Output => CutPlace::Output,
    }
}

fn examine(
    arguments: &Cover,
    opened: Opened,
    netlist: &Netlist,
    named: &NamedSites,
) -> Result<Examined, Exit> {
    let names: Vec<&str> = netlist.bads.iter().map(|bad| bad.name.as_str()).collect();
    let bads = session::choose(&arguments.subject, &names)?;
    let ids: Vec<String> = named.elements.iter().map(|one| one.id.clone()).collect();
    let shard = arguments.shard.map(|shard| shard.of(&ids));
    let mut wanted = vec![shard.is_none(); ids.len()];
    for at in shard.iter().flat_map(|shard| &shard.positions) {
        wanted[*at] = true;
    }
    let asked = asked(arguments, &opened);
    let mut journal = match &arguments.run_dir {
        Some(folder) => Journal::open(folder, arguments.resume, &asked)?,
        None => Journal::default(),
    };
    let chosen: Vec<&str> = bads.iter().map(|bad| names[*bad]).collect();
    journal.begin(&chosen, &ids)?;
    let Former {
        recalled,
        certificates,
    } = Former::read(&journal, &names, &ids);
    opened.started.store(true, Ordering::SeqCst);
    let keeper = Keeper::new(journal, &names, &ids);
    let listener = |news: &News<'_>| keeper.hear(news);
    let proving = &arguments.proving;
    let question = CoverageQuestion {
        netlist,
        method: method(arguments),
        sites: &named.sites,
        wanted: asked_about(&wanted),
        bads,
        limits: BitLimits {
            engines: engines(arguments),
            jobs: proving.jobs.into(),
            time: proving.timeout.map(Duration::from_secs_f64),
            interrupt: opened.interrupt.clone(),
        },
        audit: Duration::from_secs_f64(proving.audit_time),
        budget: Duration::from_secs_f64(arguments.budget),
        accuracy: arguments.accuracy,
        recalled,
        certificates,
        listener: &listener,
    };
    let covered = cover(&question).map_err(|error| {
        terminal::error(&error.to_string());
        Exit::Internal
    })?;
    keeper.written.replace(Ok(()))?;
    let reporter = Reporter {
        arguments,
        opened: &opened,
        netlist,
        named,
        positions: ids
            .iter()
            .zip(0..)
            .map(|(id, at)| (id.as_str(), at))
            .collect(),
        wanted: &wanted,
        covered: &covered,
    };
    let mut findings = reporter.findings(asked);
    findings.shard = shard;
    let text = text(arguments, &findings);
    let file = opened.sources.file(opened.file);
    let is_text = std::str::from_utf8(file.bytes()).is_ok();
    Ok(Examined {
        text,
        findings,
        page: None,
        model: is_text.then_some((opened.sources, opened.file)),
        written: Ok(()),
    })
}

fn text(arguments: &Cover, findings: &Findings) -> String {
    let style = session::style(&arguments.printing);
    let mut text = String::new();
    let bad = |one: &&PropertyFinding| one.verdict != PropertyVerdict::Valid;
    for one in findings.properties.iter().filter(bad) {
        let why = one.reason.as_deref().map(|why| format!(": {why}"));
        text.push_str(&format!(
            "{} {}{}; it covers nothing\n",
            one.verdict.as_str(),
            one.name,
            why.unwrap_or_default()
        ));
    }
    text + &coverage_text(findings, &style, arguments.verbose)
}

fn engines(arguments: &Cover) -> Vec<EngineName> {
    match arguments.proving.engines.is_empty() {
        true => EngineName::BITS.to_vec(),
        false => arguments.proving.engines.clone(),
    }
}

/// All three criteria of the sites that are wanted.
fn asked_about(wanted: &[bool]) -> Vec<Criteria> {
    let criteria = |wanted: &bool| match wanted {
        true => Criteria::COVERAGE,
        false => Criteria::NONE,
    };
    wanted.iter().map(criteria).collect()
}

/// The findings before anything is found: what is asked.
fn asked(arguments: &Cover, opened: &Opened) -> Findings {
    let proving = &arguments.proving;
    let mut options = session::options_of(&arguments.subject, proving, &engines(arguments));
    let cut = match arguments.cut {
        CutPlaceArgument::Next => "next",
        CutPlaceArgument::Output => "output",
    };
    options.insert("cut", cut.into());
    let method = match arguments.method {
        CoverMethod::Cascade => "cascade",
        CoverMethod::Paper => "paper",
    };
    options.insert("method", method.into());
    options.insert("gates", arguments.gates.into());
    options.insert("bits", arguments.bits.into());
    options.insert("accuracy", arguments.accuracy.into());
    options.insert("budget", arguments.budget.into());
    let file = opened.sources.file(opened.file);
    session::blank_findings("cover", file, &proving.solver, options)
}

/// What a former run decided of this netlist, and the certificates to which it refers.
struct Former {
    recalled: Vec<Recalled>,
    certificates: Vec<(usize, Certificate)>,
}

impl Former {
    fn read(journal: &Journal, names: &[&str], ids: &[String]) -> Former {
        let sites: FxHashMap<&str, usize> = ids
            .iter()
            .enumerate()
            .map(|(at, id)| (id.as_str(), at))
            .collect();
        let bad = |name: &str| names.iter().position(|one| *one == name);
        // The numbers count for each property, as the lines do.
        let certificates = journal.certificates().iter().filter_map(|line| {
            let cut = line.cuts.iter().map(|id| sites.get(id.as_str()).copied());
            let proof = BitProof {
                k: line.k,
                clauses: line.clauses.iter().map(|one| literals(one)).collect(),
                region: line.region.as_ref().map(region),
            };
            let certificate = Certificate {
                sites: cut.collect::<Option<_>>()?,
                criterion: criterion(&line.criterion)?,
                proof,
            };
            Some((bad(&line.property)?, certificate))
        });
        let recalled = journal.cuts().iter().filter_map(|line| {
            let cut = Cut {
                site: *sites.get(line.cut.as_str())?,
                criterion: criterion(&line.criterion)?,
            };
            Some(Recalled {
                bad: bad(&line.property)?,
                cut,
                test: Test::ALL
                    .into_iter()
                    .find(|one| one.as_str() == line.test)?,
                cost: Duration::try_from_secs_f64(line.seconds).ok()?,
                evidence: match (&line.run, line.certificate) {
                    (Some(run), _) => RecalledEvidence::Run(CutRun {
                        cut,
                        trace: BitTrace {
                            latches: digits(&run.latches),
                            inputs: run.inputs.iter().map(|one| digits(one)).collect(),
                        },
                    }),
                    (None, Some(certificate)) => RecalledEvidence::Certificate(certificate),
                    (None, None) => return None,
                },
            })
        });
        Former {
            recalled: recalled.collect(),
            certificates: certificates.collect(),
        }
    }
}

fn digits(text: &str) -> Vec<bool> {
    text.chars().map(|digit| digit == '1').collect()
}

fn digits_of(values: &[bool]) -> String {
    values
        .iter()
        .map(|one| if *one { '1' } else { '0' })
        .collect()
}

fn literals(codes: &[u32]) -> Vec<Signal> {
    codes.iter().map(|code| signal(*code)).collect()
}

fn signal(code: u32) -> Signal {
    Signal::of(code >> 1).complement_if(code & 1 == 1)
}

fn code(signal: Signal) -> u32 {
    signal.node() << 1 | u32::from(signal.is_complemented())
}

fn region(line: &RegionLine) -> Box<Region> {
    let mut netlist = Netlist::default();
    let mut signals = vec![Signal::FALSE];
    signals.extend(line.latches.iter().map(|_| netlist.add_input()));
    let read = |signals: &[Signal], code: u32| {
        // A line that refers to what comes later is nobody's proof; the auditor sees that.
        let known = signals.get((code >> 1) as usize).copied();
        known.unwrap_or(Signal::FALSE).complement_if(code & 1 == 1)
    };
    for [a, b] in &line.gates {
        let (a, b) = (read(&signals, *a), read(&signals, *b));
        signals.push(netlist.graph.and(a, b));
    }
    Box::new(Region {
        holds: read(&signals, line.holds),
        latches: line.latches.clone(),
        netlist,
    })
}

fn region_line(region: &Region) -> RegionLine {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let inputs = region.netlist.inputs.iter();
    numbers.extend(inputs.zip(1..).map(|(node, number)| (*node, number)));
    let read = |numbers: &FxHashMap<u32, u32>, signal: Signal| {
        let number = numbers.get(&signal.node()).copied().unwrap_or(0);
        number << 1 | u32::from(signal.is_complemented())
    };
    let mut gates = Vec::new();
    for (gate, fanins) in region.netlist.graph.and_gates() {
        gates.push(fanins.map(|fanin| read(&numbers, fanin)));
        numbers.insert(gate, (region.latches.len() + gates.len()) as u32);
    }
    RegionLine {
        latches: region.latches.clone(),
        gates,
        holds: read(&numbers, region.holds),
    }
}

/// Writes decisions to the journal as soon as they are made.
struct Keeper<'k> {
    journal: RefCell<Journal>,
    written: RefCell<Result<(), Exit>>,
    /// What former runs have written.
    known: FxHashSet<(String, String, String)>,
    /// For every property: the numbers of its certificates in the journal, and how many there are.
    certificates: RefCell<Vec<(FxHashMap<usize, usize>, usize)>>,
    names: &'k [&'k str],
    ids: &'k [String],
}

impl<'k> Keeper<'k> {
    fn new(journal: Journal, names: &'k [&'k str], ids: &'k [String]) -> Keeper<'k> {
        let cuts = journal.cuts().iter();
        let known = cuts
            .map(|one| (one.property.clone(), one.cut.clone(), one.criterion.clone()))
            .collect();
        let counts = names.iter().map(|name| {
            let lines = journal.certificates().iter();
            let own = lines.filter(|line| line.property == *name);
            (FxHashMap::default(), own.count())
        });
        Keeper {
            certificates: RefCell::new(counts.collect()),
            journal: RefCell::new(journal),
            written: RefCell::new(Ok(())),
            known,
            names,
            ids,
        }
    }

    fn hear(&self, news: &News<'_>) {
        if !self.journal.borrow().is_kept() || self.written.borrow().is_err() {
            return;
        }
        let (property, cut) = (self.names[news.bad], &self.ids[news.cut.site]);
        let criterion = news.cut.criterion.as_str();
        let key = (property.to_string(), cut.clone(), criterion.to_string());
        if self.known.contains(&key) {
            return;
        }
        let written = self.write(news);
        *self.written.borrow_mut() = written;
    }

    fn write(&self, news: &News<'_>) -> Result<(), Exit> {
        let certificate = match news.certificate {
            Some((at, certificate)) => Some(self.certificate(news.bad, at, certificate)?),
            None => None,
        };
        let run = news.run.map(|run| RunLine {
            latches: digits_of(&run.trace.latches),
            inputs: run.trace.inputs.iter().map(|one| digits_of(one)).collect(),
        });
        self.journal.borrow_mut().write(&CutLine {
            cut: self.ids[news.cut.site].clone(),
            property: self.names[news.bad].to_string(),
            criterion: news.cut.criterion.as_str().into(),
            covered: news.decision.verdict == CutVerdict::Covered,
            test: news.decision.test.as_str().into(),
            seconds: news.decision.cost.as_secs_f64(),
            run,
            certificate,
        })
    }

    /// The number of a certificate in the journal, in which it is written once.
    fn certificate(&self, bad: usize, at: usize, one: &Certificate) -> Result<usize, Exit> {
        let (known, count) = &mut self.certificates.borrow_mut()[bad];
        if let Some(number) = known.get(&at) {
            return Ok(*number);
        }
        let clauses = one.proof.clauses.iter();
        self.journal.borrow_mut().write(&CertificateLine {
            proof: *count,
            property: self.names[bad].to_string(),
            cuts: one.sites.iter().map(|at| self.ids[*at].clone()).collect(),
            criterion: one.criterion.as_str().into(),
            k: one.proof.k,
            clauses: clauses
                .map(|clause| clause.iter().map(|one| code(*one)).collect())
                .collect(),
            region: one.proof.region.as_deref().map(region_line),
        })?;
        known.insert(at, *count);
        *count += 1;
        Ok(*count - 1)
    }
}

/// Makes findings of what was decided.
struct Reporter<'r> {
    arguments: &'r Cover,
    opened: &'r Opened,
    netlist: &'r Netlist,
    named: &'r NamedSites,
    /// Of the sites, by id.
    positions: FxHashMap<&'r str, usize>,
    wanted: &'r [bool],
    covered: &'r [PropertyCoverage<'r>],
}

impl Reporter<'_> {
    fn findings(&self, asked: Findings) -> Findings {
        let properties: Vec<PropertyFinding> =
            self.covered.iter().map(|one| self.property(one)).collect();
        let (mut rows, mut summaries) = (Vec::new(), Vec::new());
        let mut elements = self.named.elements.clone();
        for one in self.covered.iter().filter(|one| one.is_proved()) {
            let name = &self.netlist.bads[one.bad].name;
            for site in self.sites() {
                rows.push(self.row(one, site));
                if let Some(role) = role(&one.board, site) {
                    elements[site].role.insert(name.clone(), role);
                }
            }
        }
        for one in self.covered.iter().filter(|one| one.is_proved()) {
            let name = &self.netlist.bads[one.bad].name;
            let own = rows
                .iter()
                .filter(|row| row.property.as_ref() == Some(name));
            let own: Vec<&CoverageFinding> = own.collect();
            let role = |id: &str| elements[self.site(id)?].role.get(name).copied();
            summaries.push(self.summary(one, &own, &role));
        }
        if !summaries.is_empty() {
            let together: Vec<CoverageFinding> =
                self.sites().map(|site| self.joint_row(site)).collect();
            let own: Vec<&CoverageFinding> = together.iter().collect();
            let role = |id: &str| joint_role(&elements[self.site(id)?]);
            summaries.push(self.joint_summary(&own, &role, &summaries));
            rows.extend(together);
        }
        let kept = |(at, _): &(usize, ElementFinding)| self.wanted[*at];
        let elements = elements.into_iter().enumerate().filter(kept);
        Findings {
            outcome: self.outcome(&properties),
            audit: (!summaries.is_empty()).then(|| self.audit()),
            properties,
            elements: elements.map(|(_, one)| one).collect(),
            coverage: rows,
            coverage_summary: summaries,
            seconds: self.opened.begin.elapsed().as_secs_f64(),
            ..asked
        }
    }

    fn site(&self, id: &str) -> Option<usize> {
        self.positions.get(id).copied()
    }

    /// The sites that were asked about.
    fn sites(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.wanted.len()).filter(|site| self.wanted[*site])
    }

    fn outcome(&self, properties: &[PropertyFinding]) -> Outcome {
        let decided = self.covered.iter().filter(|one| one.is_proved());
        let enough = |one: &PropertyCoverage<'_>| one.board.accuracy() >= self.arguments.accuracy;
        match check::outcome(properties) {
            Outcome::Holds if !decided.into_iter().all(enough) => Outcome::Inconclusive,
            outcome => outcome,
        }
    }

    fn audit(&self) -> AuditSummary {
        AuditSummary {
            by: vec!["lrat checker".into(), "simulator".into()],
            differs: Some(
                "every run is replayed on the cut netlist, and a checker that knows no solver follows \
                 every step of every answer that a certificate rests on"
                    .into(),
            ),
            seconds: self
                .covered
                .iter()
                .map(|one| one.board.audit_time().as_secs_f64())
                .sum(),
        }
    }

    fn property(&self, one: &PropertyCoverage<'_>) -> PropertyFinding {
        let bad = &self.netlist.bads[one.bad];
        let span = bad.origin.span();
        // The certificate of what the proof does not need is an audit of the proof.
        let replayed = matches!(one.audit, Some(Audited::Passed { .. }));
        let audited = replayed || !one.board.certificates.is_empty();
        let origin = span.map(|span| ShownSpan::new(span, &self.opened.sources));
        let mut finding = PropertyFinding {
            audit: audits::mark(audited),
            seconds: one.proof_time.as_secs_f64(),
            ..PropertyFinding::new(&bad.name, origin)
        };
        tell_verdict(self.netlist, one.bad, &one.verdict, &mut finding);
        finding
    }

    fn row(&self, one: &PropertyCoverage<'_>, site: usize) -> CoverageFinding {
        let board = &one.board;
        let name = self.netlist.bads[one.bad].name.clone();
        let verdict = |criterion| {
            shown(
                board
                    .decision(Cut { site, criterion })
                    .map(|one| one.verdict),
            )
        };
        let mut row = self.blank(site, Some(name), verdict);
        for criterion in Criterion::COVERAGE {
            let Some(decision) = board.decision(Cut { site, criterion }) else {
                continue;
            };
            let key = criterion.as_str().to_string();
            row.decided_by
                .insert(key.clone(), decision.test.as_str().into());
            row.seconds.insert(key.clone(), decision.cost.as_secs_f64());
            match decision.evidence {
                Evidence::Run(run) => {
                    row.step.insert(key, board.runs[run].step() as u32);
                    if self.shows_traces() && row.trace.is_none() {
                        row.trace = Some(self.trace(board, run));
                    }
                }
                Evidence::Certificate(at) => {
                    row.certificate.insert(key, at);
                }
            }
        }
        row
    }

    fn shows_traces(&self) -> bool {
        let exports = &self.arguments.exports;
        self.arguments.traces || exports.vcd.is_some() || exports.fst.is_some()
    }

    fn trace(&self, board: &Board<'_>, run: usize) -> ShownTrace {
        let run = &board.runs[run];
        let sites = &self.named.sites;
        let cut = sites.cut(self.netlist, &[run.cut.site], run.cut.criterion);
        let cut = with_cut_names(cut, self.netlist, sites.nodes(run.cut.site));
        ShownTrace::of_netlist(&cut, &run.trace, board.bad, Shown::Relevant)
    }

    fn joint_row(&self, site: usize) -> CoverageFinding {
        let verdict = |criterion| shown(joint(self.covered, Cut { site, criterion }));
        self.blank(site, None, verdict)
    }

    fn blank(
        &self,
        site: usize,
        property: Option<String>,
        verdict: impl Fn(Criterion) -> CoverageVerdict,
    ) -> CoverageFinding {
        CoverageFinding {
            element: self.named.elements[site].id.clone(),
            property,
            nondet: verdict(Criterion::Nondet),
            zero: verdict(Criterion::Zero),
            one: verdict(Criterion::One),
            decided_by: BTreeMap::new(),
            step: BTreeMap::new(),
            seconds: BTreeMap::new(),
            certificate: BTreeMap::new(),
            trace: None,
        }
    }

    fn summary(
        &self,
        one: &PropertyCoverage<'_>,
        rows: &[&CoverageFinding],
        role: &dyn Fn(&str) -> Option<CoreRole>,
    ) -> CoverageSummary {
        let certificates = one.board.certificates.iter().map(|certificate| {
            let ids = certificate
                .sites
                .iter()
                .map(|site| self.named.elements[*site].id.clone());
            CoverageCertificate {
                elements: ids.collect(),
                criterion: certificate.criterion.as_str().into(),
                k: certificate.proof.k,
                invariants: certificate
                    .proof
                    .clauses
                    .iter()
                    .map(|clause| self.netlist.clause(clause))
                    .collect(),
            }
        });
        CoverageSummary {
            property: Some(self.netlist.bads[one.bad].name.clone()),
            tests: tests(&one.board),
            accuracy: accuracy(&one.board),
            proof_seconds: one.proof_time.as_secs_f64(),
            seconds: one.time.as_secs_f64(),
            certificates: certificates.collect(),
            ..self.shares(rows, role)
        }
    }

    fn joint_summary(
        &self,
        rows: &[&CoverageFinding],
        role: &dyn Fn(&str) -> Option<CoreRole>,
        each: &[CoverageSummary],
    ) -> CoverageSummary {
        let mut tests = BTreeMap::new();
        for (name, count) in each.iter().flat_map(|one| &one.tests) {
            *tests.entry(name.clone()).or_default() += count;
        }
        CoverageSummary {
            tests,
            proof_seconds: each.iter().map(|one| one.proof_seconds).sum(),
            seconds: each.iter().map(|one| one.seconds).sum(),
            ..self.shares(rows, role)
        }
    }

    fn shares(
        &self,
        rows: &[&CoverageFinding],
        role: &dyn Fn(&str) -> Option<CoreRole>,
    ) -> CoverageSummary {
        let cut = match self.arguments.cut {
            CutPlaceArgument::Next => "next",
            CutPlaceArgument::Output => "output",
        };
        CoverageSummary::of(cut, rows, role)
    }
}

/// A cut netlist whose new inputs have the names of what they stand for.
pub fn with_cut_names(mut cut: Netlist, original: &Netlist, nodes: &[u32]) -> Netlist {
    let added = original.inputs.len()..cut.inputs.len();
    for (at, node) in added.zip(nodes) {
        let name = format!("cut {}", original.name(*node));
        cut.labels.set_name(cut.inputs[at], Symbol::new(&name));
    }
    cut
}

/// What became of a bad signal.
pub fn tell_verdict(
    netlist: &Netlist,
    bad: usize,
    verdict: &NetlistVerdict,
    finding: &mut PropertyFinding,
) {
    match verdict {
        NetlistVerdict::Valid { proof, engine } => {
            finding.verdict = PropertyVerdict::Valid;
            finding.engine = Some(engine.as_str().into());
            finding.k = Some(proof.k);
        }
        NetlistVerdict::Invalid { trace, engine } => {
            finding.verdict = PropertyVerdict::Invalid;
            finding.engine = Some(engine.as_str().into());
            finding.step = Some(trace.inputs.len().saturating_sub(1) as u32);
            let shown = Shown::Relevant;
            finding.trace = Some(ShownTrace::of_netlist(netlist, trace, bad, shown));
        }
        NetlistVerdict::Vacuous { why } => {
            finding.verdict = PropertyVerdict::Vacuous;
            finding.reason = Some(why.clone());
        }
        NetlistVerdict::Unknown { steps, why } => {
            finding.step = Some(*steps);
            finding.reason = Some(why.clone());
        }
    }
}

fn shown(verdict: Option<CutVerdict>) -> CoverageVerdict {
    match verdict {
        Some(CutVerdict::Covered) => CoverageVerdict::Covered,
        Some(CutVerdict::NotCovered) => CoverageVerdict::NotCovered,
        None => CoverageVerdict::Unknown,
    }
}

/// What a site is to the proof of a property.
fn role(board: &Board<'_>, site: usize) -> Option<CoreRole> {
    let decision = board.site(site)[Criterion::Nondet as usize].as_ref();
    Some(match decision.map(|one| one.test) {
        Some(Test::Outside) => CoreRole::Outside,
        Some(Test::Core) => CoreRole::Unused,
        _ => CoreRole::Used,
    })
}

/// How many cuts each test decided.
fn tests(board: &Board<'_>) -> BTreeMap<String, u64> {
    let mut tests = BTreeMap::new();
    for site in 0..board.sites.len() {
        for decision in board.site(site).iter().flatten() {
            *tests.entry(decision.test.as_str().to_string()).or_default() += 1;
        }
    }
    tests
}

/// So many points are enough for a curve.
const POINTS: usize = 64;

/// The share of decided cuts over time.
fn accuracy(board: &Board<'_>) -> Vec<AccuracyPoint> {
    let sites = 0..board.sites.len();
    let decisions = sites.flat_map(|site| board.site(site).iter().flatten());
    let mut times: Vec<f64> = decisions.map(|one| one.at.as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    let total = board.total().max(1) as f64;
    let every = times.len().div_ceil(POINTS).max(1);
    let numbered = times.iter().enumerate();
    let kept = numbered.filter(|(at, _)| (at + 1) % every == 0 || at + 1 == times.len());
    kept.map(|(at, seconds)| AccuracyPoint {
        seconds: *seconds,
        share: (at + 1) as f64 / total,
    })
    .collect()
}
