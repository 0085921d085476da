//! Runs a script on a solver and writes the standard answers.
//!
//! Commands run as they are read, so answers come while the rest of the script is still unread. The
//! first error ends the run (`immediate-exit` in the words of the standard): going on without the
//! command that failed would answer a different question.
//!
//! Two features cost every check something and are prepared only for scripts that can ask for
//! them: cores make each named assertion an assumption, and `reset` needs a scope around everything.

use super::lexer::Fault;
use super::printer::{self, as_division_by_zero};
use super::reader::{Command, Located, Reader};
use crate::solver::{Answer, Budget, SolveError, Solver, Unknown};
use proofmark_model::{Function, Op, Term, Value};
use proofmark_source::{Diagnostic, Place, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a script that ran to its end (or was interrupted) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// How many times satisfiability was asked about.
    pub checks: u64,
    /// How many of them had no answer.
    pub unknown: u64,
    /// Whether somebody stopped it.
    pub interrupted: bool,
}

/// Why a script did not run to its end. The answer `(error …)` has been written.
#[derive(Debug)]
pub enum ScriptError {
    /// The script is wrong, or the solver cannot do what it asks.
    Input(Fault),
    /// The solver failed at this place.
    Solver(SolveError, Span),
    /// The answers could not be written.
    Output(io::Error),
}

impl From<io::Error> for ScriptError {
    fn from(error: io::Error) -> ScriptError {
        ScriptError::Output(error)
    }
}

/// Runs commands on a solver, and writes answers as SMT-LIB prescribes.
pub struct Script<'s, W> {
    solver: &'s mut dyn Solver,
    out: W,
    checking: Arc<AtomicBool>,
    summary: Summary,
}

impl<'s, W: Write> Script<'s, W> {
    /// A script that has run no command.
    pub fn new(solver: &'s mut dyn Solver, out: W) -> Script<'s, W> {
        Script {
            solver,
            out,
            checking: Arc::default(),
            summary: Summary::default(),
        }
    }

    /// Set while a check runs. The thread that clears it writes the answer: the script does when the solver
    /// returns, and another thread may when it will not wait for that.
    pub fn checking(&self) -> Arc<AtomicBool> {
        self.checking.clone()
    }

    /// Runs what the reader has left to read.
    pub fn run(mut self, reader: &mut Reader<'_>) -> Result<Summary, ScriptError> {
        let outcome = State::new(reader).run(reader, &mut self);
        match &outcome {
            Err(ScriptError::Input(fault)) => {
                self.write_error(reader.place(fault.span), &fault.message)?;
            }
            Err(ScriptError::Solver(error, span)) => {
                self.write_error(reader.place(*span), &error.to_string())?;
            }
            Err(ScriptError::Output(_)) | Ok(()) => {}
        }
        self.out.flush()?;
        outcome.map(|()| self.summary)
    }

    /// The error in the form that other solvers have made usual.
    fn write_error(&mut self, Place { line, column }: Place, message: &str) -> io::Result<()> {
        let message = message.replace('"', "\"\"");
        writeln!(
            self.out,
            "(error \"line {line} column {column}: {message}\")"
        )
    }
}

/// An assertion in force.
struct Assertion<'t> {
    formula: Located,
    name: Option<&'t str>,
    /// The assumption that switches it on, when it may become part of a core.
    indicator: Option<Term>,
}

#[derive(Clone, Copy)]
enum Declared {
    Variable(Term),
    Function(Function),
}

#[derive(Clone, Copy)]
struct Scope {
    assertions: usize,
    declared: usize,
    named: usize,
}

/// What the last check left behind; any change of the assertions forgets it.
enum Last {
    Nothing,
    /// Under these assumptions of the script's.
    Sat(Vec<Located>),
    Unsat(Vec<Located>),
    Unknown(Unknown),
}

struct State<'t> {
    options: FxHashMap<&'t str, &'t str>,
    assertions: Vec<Assertion<'t>>,
    declared: Vec<Declared>,
    named: Vec<(&'t str, Term)>,
    scopes: Vec<Scope>,
    last: Last,
    indicators: u64,
    /// The script may mention cores.
    may_ask_for_cores: bool,
    /// The script may mention `reset`, and everything is in a scope of the solver's.
    may_reset: bool,
}

/// The options that are known, with their values at the start.
const OPTIONS: &[(&str, &str)] = &[
    (":diagnostic-output-channel", "\"stderr\""),
    (":global-declarations", "false"),
    (":interactive-mode", "false"),
    (":print-success", "false"),
    (":produce-assertions", "true"),
    (":produce-assignments", "true"),
    (":produce-models", "true"),
    (":produce-proofs", "false"),
    (":produce-unsat-assumptions", "true"),
    (":produce-unsat-cores", "false"),
    (":random-seed", "0"),
    (":regular-output-channel", "\"stdout\""),
    (":reproducible-resource-limit", "0"),
    (":verbosity", "0"),
];

/// The options that can be set to no other value than they have.
const FIXED: &[&str] = &[
    ":diagnostic-output-channel",
    ":produce-proofs",
    ":regular-output-channel",
];

impl<'t> State<'t> {
    fn new(reader: &Reader<'t>) -> State<'t> {
        State {
            options: OPTIONS.iter().copied().collect(),
            assertions: Vec::new(),
            declared: Vec::new(),
            named: Vec::new(),
            scopes: Vec::new(),
            last: Last::Nothing,
            indicators: 0,
            may_ask_for_cores: reader.may_mention("get-unsat-core"),
            may_reset: reader.may_mention("(reset"),
        }
    }

    fn run<W: Write>(
        mut self,
        reader: &mut Reader<'t>,
        script: &mut Script<'_, W>,
    ) -> Result<(), ScriptError> {
        let nowhere = |error| ScriptError::Solver(error, reader.beginning());
        if self.may_reset {
            script.solver.push().map_err(nowhere)?;
        }
        while let Some((command, span)) = reader.command().map_err(ScriptError::Input)? {
            if matches!(command, Command::Exit) {
                self.success(script)?;
                return Ok(());
            }
            self.execute(command, span, reader, script)?;
            if script.summary.interrupted {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_on(&self, option: &str) -> bool {
        self.options.get(option) == Some(&"true")
    }

    fn success<W: Write>(&self, script: &mut Script<'_, W>) -> io::Result<()> {
        if self.is_on(":print-success") {
            writeln!(script.out, "success")?;
            script.out.flush()?;
        }
        Ok(())
    }

    fn execute<W: Write>(
        &mut self,
        command: Command<'t>,
        span: Span,
        reader: &Reader<'t>,
        script: &mut Script<'_, W>,
    ) -> Result<(), ScriptError> {
        let failed = |error: SolveError| solver_error(error, span);
        self.named.extend(reader.named());
        match command {
            Command::Assert { formula, name } => self.assert(formula, name, script)?,
            Command::DeclareVariable(variable) => {
                script.solver.declare(variable).map_err(failed)?;
                self.declared.push(Declared::Variable(variable));
            }
            Command::DeclareFunction(function) => {
                self.declared.push(Declared::Function(function));
            }
            Command::SetOption(option, value) => return self.set_option(option, value, script),
            Command::SetLogic(_) | Command::SetInfo(..) => {}
            Command::DeclareSort(_) | Command::Define | Command::Exit => {}
            Command::Push(scopes) => self.push(scopes, script).map_err(failed)?,
            Command::Pop(scopes) => self.pop(scopes, script).map_err(failed)?,
            Command::Reset | Command::ResetAssertions => {
                self.reset(&command, script).map_err(failed)?;
            }
            Command::CheckSat => return self.check(Vec::new(), span, script),
            Command::CheckSatAssuming(literals) => return self.check(literals, span, script),
            query => return self.query(query, span, reader, script),
        }
        self.success(script)?;
        Ok(())
    }

    fn assert<W: Write>(
        &mut self,
        formula: Located,
        name: Option<&'t str>,
        script: &mut Script<'_, W>,
    ) -> Result<(), ScriptError> {
        self.last = Last::Nothing;
        let in_core = name.filter(|_| self.may_ask_for_cores && self.is_on(":produce-unsat-cores"));
        let indicator = in_core.map(|name| {
            self.indicators += 1;
            let unspellable = format!("assertion|{}|{name}", self.indicators);
            Term::var(&unspellable, proofmark_model::Sort::Bool)
        });
        let asserted = match indicator {
            Some(indicator) => indicator.implies(formula.term),
            None => formula.term,
        };
        let asserted = script.solver.assert(asserted);
        asserted.map_err(|error| solver_error(error, formula.span))?;
        self.assertions.push(Assertion {
            formula,
            name,
            indicator,
        });
        Ok(())
    }

    fn push<W>(&mut self, scopes: usize, script: &mut Script<'_, W>) -> Result<(), SolveError> {
        self.last = Last::Nothing;
        for _ in 0..scopes {
            script.solver.push()?;
            self.scopes.push(Scope {
                assertions: self.assertions.len(),
                declared: self.declared.len(),
                named: self.named.len(),
            });
        }
        Ok(())
    }

    fn pop<W>(&mut self, scopes: usize, script: &mut Script<'_, W>) -> Result<(), SolveError> {
        self.last = Last::Nothing;
        // The reader has seen to it that so many are open.
        let left = self.scopes.len().saturating_sub(scopes);
        if let Some(scope) = self.scopes.get(left).copied() {
            script.solver.pop(scopes)?;
            self.scopes.truncate(left);
            self.forget(scope);
        }
        Ok(())
    }

    fn forget(&mut self, scope: Scope) {
        self.assertions.truncate(scope.assertions);
        if !self.is_on(":global-declarations") {
            self.declared.truncate(scope.declared);
            self.named.truncate(scope.named);
        }
    }

    fn reset<W>(
        &mut self,
        command: &Command<'_>,
        script: &mut Script<'_, W>,
    ) -> Result<(), SolveError> {
        self.last = Last::Nothing;
        script.solver.pop(self.scopes.len() + 1)?;
        script.solver.push()?;
        self.scopes.clear();
        self.forget(Scope {
            assertions: 0,
            declared: 0,
            named: 0,
        });
        if matches!(command, Command::Reset) {
            self.declared.clear();
            self.named.clear();
            self.options = OPTIONS.iter().copied().collect();
            script.solver.set_budget(Budget::default());
        }
        Ok(())
    }

    fn set_option<W: Write>(
        &mut self,
        option: &'t str,
        value: &'t str,
        script: &mut Script<'_, W>,
    ) -> Result<(), ScriptError> {
        let known = self.options.get(option).copied();
        if known.is_none() || (FIXED.contains(&option) && known != Some(value)) {
            writeln!(script.out, "unsupported")?;
            script.out.flush()?;
            return Ok(());
        }
        self.options.insert(option, value);
        if option == ":reproducible-resource-limit" {
            script.solver.set_budget(Budget {
                effort: value.parse().ok().filter(|limit| *limit > 0),
                time: None,
            });
        }
        self.success(script)?;
        Ok(())
    }

    fn check<W: Write>(
        &mut self,
        literals: Vec<Located>,
        span: Span,
        script: &mut Script<'_, W>,
    ) -> Result<(), ScriptError> {
        let indicators = self.assertions.iter().filter_map(|a| a.indicator);
        let assumptions: Vec<Term> = indicators
            .chain(literals.iter().map(|literal| literal.term))
            .collect();
        self.last = Last::Nothing;
        script.checking.store(true, Ordering::SeqCst);
        let answer = script.solver.check(&assumptions);
        if !script.checking.swap(false, Ordering::SeqCst) {
            // The interrupt handler has written the answer and ends the process.
            script.summary.interrupted = true;
            return Ok(());
        }
        let answer = answer.map_err(|error| solver_error(error, span))?;
        writeln!(script.out, "{answer}")?;
        script.out.flush()?;
        script.summary.checks += 1;
        self.last = match answer {
            Answer::Sat => Last::Sat(literals),
            Answer::Unsat => Last::Unsat(literals),
            Answer::Unknown(reason) => {
                script.summary.unknown += 1;
                script.summary.interrupted |= reason == Unknown::Interrupted;
                Last::Unknown(reason)
            }
        };
        Ok(())
    }

    /// The commands that ask and change nothing.
    fn query<W: Write>(
        &mut self,
        command: Command<'t>,
        span: Span,
        reader: &Reader<'t>,
        script: &mut Script<'_, W>,
    ) -> Result<(), ScriptError> {
        let solver = &mut *script.solver;
        let answer = match command {
            Command::GetModel => {
                self.needs_model(span)?;
                self.model(solver)
                    .map_err(|error| solver_error(error, span))?
            }
            Command::GetValue(terms) => {
                self.needs_model(span)?;
                values(&terms, reader, solver)?
            }
            Command::GetAssignment => {
                self.needs_model(span)?;
                self.assignment(solver)
                    .map_err(|error| solver_error(error, span))?
            }
            Command::GetUnsatCore => self.unsat_core(span, solver)?,
            Command::GetUnsatAssumptions => self.unsat_assumptions(span, reader, solver)?,
            Command::GetAssertions => self.written_assertions(reader),
            Command::GetInfo(info) => self.info(info, solver),
            Command::GetOption(option) => match self.options.get(option) {
                Some(value) => value.to_string(),
                None => "unsupported".into(),
            },
            Command::Echo(text) => text.to_string(),
            other => {
                let message = format!("{other:?} is no query");
                return Err(ScriptError::Input(Diagnostic::error(span, message).into()));
            }
        };
        writeln!(script.out, "{answer}")?;
        script.out.flush()?;
        Ok(())
    }

    fn needs_model(&self, span: Span) -> Result<(), ScriptError> {
        match self.last {
            Last::Sat(_) => Ok(()),
            _ => Err(misplaced(
                span,
                "expected a check that answered sat just before, found none",
                "values are there after `sat` and until the assertions change",
            )),
        }
    }

    fn unsat_core(&self, span: Span, solver: &mut dyn Solver) -> Result<String, ScriptError> {
        let Last::Unsat(_) = &self.last else {
            return Err(needs_unsat(span));
        };
        if !self.is_on(":produce-unsat-cores") {
            return Err(misplaced(
                span,
                "expected the option :produce-unsat-cores to be true, found false",
                "write (set-option :produce-unsat-cores true) before the first assertion",
            ));
        }
        let core = solver.core().map_err(|error| solver_error(error, span))?;
        let core: FxHashSet<Term> = core.into_iter().collect();
        let names = self.assertions.iter().filter_map(|assertion| {
            let indicator = assertion.indicator?;
            core.contains(&indicator).then_some(assertion.name?)
        });
        Ok(list(names.map(printer::symbol)))
    }

    fn unsat_assumptions(
        &self,
        span: Span,
        reader: &Reader<'t>,
        solver: &mut dyn Solver,
    ) -> Result<String, ScriptError> {
        let Last::Unsat(literals) = &self.last else {
            return Err(needs_unsat(span));
        };
        let core = solver.core().map_err(|error| solver_error(error, span))?;
        let core: FxHashSet<Term> = core.into_iter().collect();
        let used = literals
            .iter()
            .filter(|literal| core.contains(&literal.term));
        Ok(list(used.map(|literal| reader.source(literal.span))))
    }

    fn written_assertions(&self, reader: &Reader<'t>) -> String {
        let spans = self
            .assertions
            .iter()
            .map(|assertion| assertion.formula.span);
        let lines: Vec<String> = spans.map(|span| reader.source(span)).collect();
        format!("({})", lines.join("\n "))
    }

    fn assignment(&self, solver: &mut dyn Solver) -> Result<String, SolveError> {
        let mut pairs = Vec::new();
        for (name, term) in &self.named {
            if let Value::Bool(value) = solver.value(*term)? {
                pairs.push(format!("({} {value})", printer::symbol(name)));
            }
        }
        Ok(list(pairs.into_iter()))
    }

    fn info(&self, info: &str, solver: &dyn Solver) -> String {
        let value = match info {
            ":name" => "\"Proofmark\"".to_string(),
            ":version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
            ":authors" => "\"The Proofmark developers\"".to_string(),
            ":error-behavior" => "immediate-exit".to_string(),
            ":assertion-stack-levels" => self.scopes.len().to_string(),
            ":reason-unknown" => match self.last {
                Last::Unknown(Unknown::Incomplete | Unknown::Irrational) => {
                    "incomplete".to_string()
                }
                Last::Unknown(Unknown::Budget) => "resource-limit".to_string(),
                Last::Unknown(Unknown::Interrupted) => "interrupted".to_string(),
                _ => return "unsupported".into(),
            },
            ":all-statistics" => {
                let all = solver.statistics();
                return format!(
                    "(:checks {} :conflicts {} :decisions {} :propagations {} :pivots {} :restarts {})",
                    all.checks,
                    all.conflicts,
                    all.decisions,
                    all.propagations,
                    all.pivots,
                    all.restarts
                );
            }
            _ => return "unsupported".into(),
        };
        format!("({info} {value})")
    }

    /// The model as definitions of what the script declared.
    fn model(&self, solver: &mut dyn Solver) -> Result<String, SolveError> {
        let mut points = self.function_points(solver)?;
        let mut text = String::from("(\n");
        for declared in &self.declared {
            text.push_str("  (define-fun ");
            match declared {
                Declared::Variable(variable) => {
                    let value = solver.value(*variable)?;
                    text.push_str(&printer::term(*variable));
                    text.push_str(" () ");
                    text.push_str(&printer::sort(variable.sort()));
                    text.push(' ');
                    text.push_str(&printer::value(&value));
                }
                Declared::Function(function) => {
                    let points = points.remove(function).unwrap_or_default();
                    write_function(*function, &points, &mut text);
                }
            }
            text.push_str(")\n");
        }
        write_divisions(&points, &mut text);
        text.push(')');
        Ok(text)
    }

    /// Every function at the points where the assertions apply it: between them, anything goes.
    fn function_points(
        &self,
        solver: &mut dyn Solver,
    ) -> Result<FxHashMap<Function, Vec<Point>>, SolveError> {
        let mut points: FxHashMap<Function, Vec<Point>> = FxHashMap::default();
        let mut known: FxHashSet<(Function, Vec<Value>)> = FxHashSet::default();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut stack: Vec<Term> = self.assertions.iter().map(|a| a.formula.term).collect();
        if let Last::Sat(literals) = &self.last {
            stack.extend(literals.iter().map(|literal| literal.term));
        }
        stack.reverse();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            stack.extend(term.args());
            let Op::Apply(function) = term.op() else {
                continue;
            };
            let args: Result<Vec<Value>, SolveError> =
                term.args().iter().map(|arg| solver.value(*arg)).collect();
            let args = args?;
            if known.insert((*function, args.clone())) {
                let value = solver.value(term)?;
                points.entry(*function).or_default().push((args, value));
            }
        }
        Ok(points)
    }
}

/// The value of a function at some arguments.
type Point = (Vec<Value>, Value);

/// `name (parameters) sort body`, the body a chain of cases.
fn write_function(function: Function, points: &[Point], text: &mut String) {
    text.push_str(&printer::symbol(function.name().as_str()));
    text.push_str(" (");
    for (index, sort) in function.domain().iter().enumerate() {
        let blank = if index == 0 { "" } else { " " };
        text.push_str(&format!("{blank}(x{index} {})", printer::sort(*sort)));
    }
    text.push_str(&format!(") {} ", printer::sort(function.range())));
    for (args, value) in points {
        let tests = args.iter().enumerate();
        let tests: Vec<String> = tests
            .map(|(index, arg)| format!("(= x{index} {})", printer::value(arg)))
            .collect();
        let condition = match &tests[..] {
            [only] => only.clone(),
            _ => format!("(and {})", tests.join(" ")),
        };
        text.push_str(&format!("(ite {condition} {} ", printer::value(value)));
    }
    let otherwise = Value::default_of(function.range());
    text.push_str(&printer::value(&otherwise));
    text.extend(std::iter::repeat_n(')', points.len()));
}

/// What the model takes divisions by zero to be. They are functions of the theory, so they have no
/// definition in a model of the standard; a comment tells.
fn write_divisions(points: &FxHashMap<Function, Vec<Point>>, text: &mut String) {
    let mut lines = Vec::new();
    for (function, points) in points {
        let Some((operator, zero)) = as_division_by_zero(*function) else {
            continue;
        };
        for (args, value) in points {
            let dividend: Vec<String> = args.iter().map(printer::value).collect();
            let value = printer::value(value);
            lines.push(format!(
                "  ; {operator} {}{zero} = {value}\n",
                dividend.join(" ")
            ));
        }
    }
    lines.sort();
    text.extend(lines);
}

fn values(
    terms: &[Located],
    reader: &Reader<'_>,
    solver: &mut dyn Solver,
) -> Result<String, ScriptError> {
    let mut pairs = Vec::with_capacity(terms.len());
    for located in terms {
        let value = solver.value(located.term);
        let value = value.map_err(|error| solver_error(error, located.span))?;
        let source = reader.source(located.span);
        pairs.push(format!("({source} {})", printer::value(&value)));
    }
    Ok(format!("({})", pairs.join("\n ")))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    format!("({})", parts.join(" "))
}

fn needs_unsat(span: Span) -> ScriptError {
    misplaced(
        span,
        "expected a check that answered unsat just before, found none",
        "cores are there after `unsat` and until the assertions change",
    )
}

fn misplaced(span: Span, message: &str, hint: &str) -> ScriptError {
    ScriptError::Input(Diagnostic::error(span, message).with_hint(hint).into())
}

/// What a solver cannot do is the script's fault, what it fails in is not.
fn solver_error(error: SolveError, span: Span) -> ScriptError {
    match error {
        SolveError::External { .. } => ScriptError::Solver(error, span),
        SolveError::Unsupported { .. } | SolveError::Misuse(_) => {
            let hint = "another solver may be able to: `proofmark solvers` lists those at hand";
            let fault = Diagnostic::error(span, error.to_string()).with_hint(hint);
            ScriptError::Input(fault.into())
        }
    }
}
