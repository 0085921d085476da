//! Other people's solvers, as processes that speak SMT-LIB.
//!
//! The stack of assertions is kept here as well as there. A solver that had to be killed, because
//! its time was up or somebody interrupted it, is started again when it is next asked, and told
//! everything anew. Commands are collected and sent when an answer is needed, so that an assertion
//! costs no round trip; a complaint about one comes as the answer to the next question, and is an
//! error with the solver's words.

mod answers;
mod process;
mod spelling;
mod table;

use self::answers::Polarity;
use self::process::{Process, Silence};
use self::spelling::{Entity, Spellings};
use self::table::{Cores, OWN, PROFILES, Profile};
use crate::smtlib::printer::{
    Outline, as_division_by_zero, write_declare_enumeration, write_flat, write_node, write_sort,
    write_value,
};
use crate::solver::{
    Answer, Budget, Capabilities, Interrupt, Listener, SolveError, Solver, Statistics, Unknown,
};
use proofmark_model::{Environment, Evaluator, Function, Op, Sort, Term, Value};
use proofmark_source::{FileId, Sources};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a solver may take to say its version.
const STARTING: Duration = Duration::from_secs(10);
/// How deep a term is written before a part of it gets a name; some solvers recurse.
const DEEPEST: usize = 256;
/// How many values are asked for in one command.
const VALUES_AT_ONCE: usize = 1000;

/// A solver that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Available {
    /// The name under which it is known here.
    pub name: &'static str,
    /// The program that was found.
    pub program: PathBuf,
    /// The first line of what it says of its version.
    pub version: String,
    /// What it can do.
    pub capabilities: Capabilities,
}

/// The names of all external solvers that can be used when they are installed.
pub fn known() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name)
}

/// What a known solver can do.
pub fn capabilities(name: &str) -> Option<Capabilities> {
    let mut profiles = PROFILES.iter();
    let profile = profiles.find(|profile| profile.name == name)?;
    Some(profile.capabilities)
}

/// The known solvers that are on the search path.
pub fn available() -> Vec<Available> {
    PROFILES.iter().filter_map(look_up).collect()
}

/// A known solver, if it is on the search path.
pub fn describe(name: &str) -> Option<Available> {
    let mut profiles = PROFILES.iter();
    look_up(profiles.find(|profile| profile.name == name)?)
}

fn look_up(profile: &'static Profile) -> Option<Available> {
    let program = find(profile.name)?;
    let version = version(&program, profile.version)?;
    Some(Available {
        name: profile.name,
        program,
        version,
        capabilities: profile.capabilities,
    })
}

/// Starts a solver by its name.
pub fn open(name: &str) -> Result<Box<dyn Solver>, SolveError> {
    let fail = |what: String| SolveError::External {
        solver: name.to_string(),
        what,
    };
    let Some(profile) = PROFILES.iter().find(|profile| profile.name == name) else {
        let names: Vec<&str> = known().collect();
        let what = format!("no such solver is known; known are {}", names.join(", "));
        return Err(fail(what));
    };
    let Some(program) = find(name) else {
        let what = "its program is not on the search path; install it or add its folder to PATH";
        return Err(fail(what.to_string()));
    };
    start(profile, program)
}

/// Starts the binary of Proofmark as if it were another solver, to test it against the embedded one.
#[doc(hidden)]
pub fn open_own(program: &Path) -> Result<Box<dyn Solver>, SolveError> {
    start(&OWN, program.to_path_buf())
}

fn start(profile: &'static Profile, program: PathBuf) -> Result<Box<dyn Solver>, SolveError> {
    let mut solver = External::new(profile, program);
    solver.version = solver.ask_version()?;
    Ok(Box::new(solver))
}

/// The program of this name on the search path, if it is there.
pub fn find(name: &str) -> Option<PathBuf> {
    find_on(&std::env::var_os("PATH")?, name)
}

/// The program of this name in a folder that the search path names in full. An entry such as `.` would start
/// whatever lies in the folder of somebody's model.
pub fn find_on(path: &OsStr, name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let mut programs = folders.map(|folder| folder.join(name));
    programs.find(|program| program.is_file())
}

/// The first line that a program prints about its version.
fn version(program: &Path, arguments: &[&str]) -> Option<String> {
    let mut process = Process::start(program, arguments).ok()?;
    process.close_input();
    process.answer(Some(STARTING)).ok()
}

/// What was asserted or declared, to be told again to a new process.
#[derive(Clone, Copy)]
enum Told {
    Variable(Term),
    Formula(Term),
}

/// A name that the process knows, as it is or negated.
type Literal = (String, Polarity);

/// What the last check left behind.
enum Last {
    Nothing,
    Model(FxHashMap<Term, Value>),
    /// The literals as the solver knows them, and the assumptions they stand for.
    Unsat(Vec<(Literal, Term)>),
}

struct External {
    profile: &'static Profile,
    program: PathBuf,
    version: String,
    /// What was told, scope by scope; the outermost is always there.
    scopes: Vec<Vec<Told>>,
    session: Option<Session>,
    spellings: Spellings,
    last: Last,
    budget: Budget,
    interrupt: Interrupt,
    checks: u64,
    /// Whether it was told of products or quotients of reals, so that models may have values that
    /// are no fractions. Whether one has is known only when it is asked for.
    irrational: bool,
    /// For the lexer, which wants to know what it reads.
    answer_file: FileId,
}

/// A running process and what it knows.
struct Session {
    process: Process,
    /// Kills the process when the interrupt is set; kept alive here.
    _killer: Arc<Listener>,
    /// Commands that were not sent yet.
    unsent: String,
    /// What is declared and defined in the process, and by which scope.
    known: FxHashSet<Entity>,
    scopes: Vec<Vec<Entity>>,
    /// A scope around the named assumptions of the last check.
    assumptions_scope: bool,
}

impl Session {
    fn learn(&mut self, entity: Entity) -> bool {
        let new = self.known.insert(entity);
        if let Some(scope) = self.scopes.last_mut().filter(|_| new) {
            scope.push(entity);
        }
        new
    }

    fn push(&mut self) {
        self.unsent.push_str("(push 1)\n");
        self.scopes.push(Vec::new());
    }

    fn pop(&mut self, scopes: usize) {
        self.unsent.push_str(&format!("(pop {scopes})\n"));
        let left = self.scopes.len().saturating_sub(scopes);
        for entity in self.scopes.drain(left..).flatten() {
            self.known.remove(&entity);
        }
    }
}

/// Why a conversation ended without the answer.
enum Failure {
    Unknown(Unknown),
    Error(SolveError),
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Failure {
        Failure::Error(error)
    }
}

impl External {
    fn new(profile: &'static Profile, program: PathBuf) -> External {
        let answer_file = Sources::default().add(profile.name, String::new());
        External {
            profile,
            program,
            version: String::new(),
            scopes: vec![Vec::new()],
            session: None,
            spellings: Spellings::default(),
            last: Last::Nothing,
            budget: Budget::default(),
            interrupt: Interrupt::default(),
            checks: 0,
            irrational: false,
            answer_file: answer_file.expect("an empty text is short enough"),
        }
    }

    fn error(&self, what: impl Into<String>) -> SolveError {
        failed(self.profile, what)
    }

    /// The solver's version by its own account, which also shows that it understands us.
    fn ask_version(&mut self) -> Result<String, SolveError> {
        self.session()?;
        let asked = self.ask("(get-info :version)\n", Some(STARTING));
        match asked {
            Ok(answer) => {
                let quoted = answer.split('"').nth(1).unwrap_or("");
                Ok(quoted.to_string())
            }
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::Unknown(_)) => Err(self.error("it did not answer when it was started")),
        }
    }

    /// The session, started and brought up to date when there is none.
    fn session(&mut self) -> Result<&mut Session, SolveError> {
        if let Some(session) = &self.session
            && session.process.was_killed()
        {
            self.session = None;
        }
        if self.session.is_none() {
            let process = Process::start(&self.program, self.profile.arguments)
                .map_err(|error| self.error(format!("it could not be started: {error}")))?;
            let group = process.group();
            let killer: Arc<Listener> = Arc::new(move || group.kill());
            self.interrupt.on_set(&killer);
            self.session = Some(Session {
                process,
                _killer: killer,
                unsent: self.greeting(),
                known: FxHashSet::default(),
                scopes: vec![Vec::new()],
                assumptions_scope: false,
            });
            self.tell_again()?;
        }
        let profile = self.profile;
        let session = self.session.as_mut();
        session.ok_or_else(|| failed(profile, "it is gone"))
    }

    fn greeting(&self) -> String {
        let cores = match self.profile.cores {
            Cores::Assumptions => ":produce-unsat-assumptions",
            Cores::Named => ":produce-unsat-cores",
        };
        let options = format!(
            "(set-option :print-success false)\n(set-option :produce-models true)\n(set-option {cores} true)\n"
        );
        match self.profile.logic {
            "" => options,
            logic => format!("{options}(set-logic {logic})\n"),
        }
    }

    /// Tells a new process all that is in force.
    fn tell_again(&mut self) -> Result<(), SolveError> {
        for (depth, scope) in self.scopes.clone().into_iter().enumerate() {
            if depth > 0 {
                self.session()?.push();
            }
            for told in scope {
                self.tell(told)?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, told: Told) -> Result<(), SolveError> {
        match told {
            Told::Variable(variable) => self.introduce(&[variable]),
            Told::Formula(formula) => {
                let text = self.written(formula)?;
                let session = self.session()?;
                session.unsent.push_str(&format!("(assert {text})\n"));
                Ok(())
            }
        }
    }

    /// A term as text, after what it needs has been declared and its shared parts defined.
    fn written(&mut self, term: Term) -> Result<String, SolveError> {
        self.introduce(&[term])?;
        let outline = Outline::of(&[term], DEEPEST);
        for shared in outline.shared {
            let entity = Entity::Definition(shared);
            if self.session()?.known.contains(&entity) {
                continue;
            }
            self.spellings.name(entity);
            let mut command = String::from("(define-fun ");
            self.spellings.write(entity, &mut command);
            command.push_str(" () ");
            write_sort(shared.sort(), &self.spellings, &mut command);
            command.push(' ');
            self.write(shared, write_node, &mut command);
            command.push_str(")\n");
            let session = self.session()?;
            session.unsent.push_str(&command);
            session.learn(entity);
        }
        let mut text = String::new();
        self.write(term, write_flat, &mut text);
        Ok(text)
    }

    fn write(&self, term: Term, writer: Writer, out: &mut String) {
        let known = self.session.as_ref().map(|session| &session.known);
        let reference = |term: Term, out: &mut String| {
            let entity = Entity::Definition(term);
            let defined = known.is_some_and(|known| known.contains(&entity));
            if defined {
                self.spellings.write(entity, out);
            }
            defined
        };
        writer(term, &self.spellings, &reference, out);
    }

    /// Declares all sorts, variables and functions of terms that the process does not know.
    fn introduce(&mut self, roots: &[Term]) -> Result<(), SolveError> {
        let mut seen = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            self.supported(term)?;
            stack.extend(term.args());
            self.introduce_sort(term.sort())?;
            match term.op() {
                Op::Var(_) => self.declare_as(Entity::Variable(term), &[], term.sort())?,
                Op::Apply(function) if as_division_by_zero(*function).is_none() => {
                    for sort in function.domain() {
                        self.introduce_sort(*sort)?;
                    }
                    let entity = Entity::Function(*function);
                    self.declare_as(entity, function.domain(), function.range())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn supported(&mut self, term: Term) -> Result<(), SolveError> {
        let capabilities = self.profile.capabilities;
        let constant = |at: usize| term.args()[at].as_const().is_some();
        self.irrational |= match (term.op(), term.sort()) {
            (Op::Mul, Sort::Real) => !constant(0) && !constant(1),
            (Op::Div, Sort::Real) => !constant(1),
            _ => false,
        };
        let why = match (term.op(), term.sort()) {
            (_, Sort::Enum(_)) if !self.profile.datatypes => "it has no enumerations",
            (_, Sort::Int | Sort::Real) if !capabilities.arithmetic => "it has no arithmetic",
            (_, Sort::BitVec(_)) if !capabilities.bit_vectors => "it has no bit-vectors",
            (Op::Mul, _) if !capabilities.nonlinear && !constant(0) && !constant(1) => {
                "it has no products of unknowns"
            }
            (Op::Div | Op::IntDiv | Op::Mod, _) if !capabilities.nonlinear && !constant(1) => {
                "it has no division by an unknown"
            }
            _ => return Ok(()),
        };
        let why = format!("{}: {why}", self.profile.name);
        Err(SolveError::Unsupported { term, why })
    }

    fn introduce_sort(&mut self, sort: Sort) -> Result<(), SolveError> {
        let Sort::Enum(sort) = sort else {
            return Ok(());
        };
        if !self.session()?.learn(Entity::Sort(sort)) {
            return Ok(());
        }
        self.spellings.name(Entity::Sort(sort));
        for index in 0..sort.values().len() as u32 {
            self.spellings.name(Entity::Constructor(sort, index));
        }
        let mut command = String::new();
        write_declare_enumeration(sort, &self.spellings, &mut command);
        let session = self.session()?;
        session.unsent.push_str(&command);
        session.unsent.push('\n');
        Ok(())
    }

    fn declare_as(
        &mut self,
        entity: Entity,
        domain: &[Sort],
        range: Sort,
    ) -> Result<(), SolveError> {
        if !self.session()?.learn(entity) {
            return Ok(());
        }
        self.spellings.name(entity);
        let mut command = String::from("(declare-fun ");
        self.spellings.write(entity, &mut command);
        command.push_str(" (");
        for (index, sort) in domain.iter().enumerate() {
            if index > 0 {
                command.push(' ');
            }
            write_sort(*sort, &self.spellings, &mut command);
        }
        command.push_str(") ");
        write_sort(range, &self.spellings, &mut command);
        command.push_str(")\n");
        self.session()?.unsent.push_str(&command);
        Ok(())
    }

    /// Sends what waits and this question, and takes the answer.
    fn ask(&mut self, question: &str, patience: Option<Duration>) -> Result<String, Failure> {
        let session = self.session()?;
        session.unsent.push_str(question);
        let commands = std::mem::take(&mut session.unsent);
        let sent = session.process.send(&commands);
        let answer = match sent {
            Ok(()) => session.process.answer(patience),
            // What it said before it went is more telling than the broken pipe.
            Err(_) => session.process.answer(Some(Duration::from_secs(1))),
        };
        let complaints = session.process.complaints();
        let interrupted = session.process.was_killed();
        let failure = match answer {
            Ok(answer) if answer.starts_with("(error") || answer == "unsupported" => {
                Failure::Error(self.error(format!("it says {answer}")))
            }
            Ok(answer) => return Ok(answer),
            Err(_) if interrupted => Failure::Unknown(Unknown::Interrupted),
            Err(Silence::Timeout) => Failure::Unknown(Unknown::Budget),
            Err(Silence::Ended(said)) => {
                let said = if said.is_empty() { complaints } else { said };
                Failure::Error(self.error(format!("it ended without an answer; it said: {said:?}")))
            }
        };
        // What the process knows now is uncertain; the next question goes to a new one.
        self.session = None;
        Err(failure)
    }

    /// Gives each assumption as a literal that the process knows.
    fn literals(&mut self, assumptions: &[Term]) -> Result<Vec<(Literal, Term)>, SolveError> {
        let mut literals = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            let (atom, polarity) = match assumption.op() {
                Op::Not => (assumption.args()[0], Polarity::Negative),
                _ => (assumption, Polarity::Positive),
            };
            let entity = if atom.as_var().is_some() {
                self.introduce(&[atom])?;
                Entity::Variable(atom)
            } else {
                self.proxy(atom)?
            };
            let name = self.spellings.name(entity).to_string();
            literals.push(((name, polarity), assumption));
        }
        Ok(literals)
    }

    /// A constant that equals a term.
    fn proxy(&mut self, term: Term) -> Result<Entity, SolveError> {
        let entity = Entity::Proxy(term);
        if self.session()?.known.contains(&entity) {
            return Ok(entity);
        }
        let text = self.written(term)?;
        self.declare_as(entity, &[], Sort::Bool)?;
        let mut command = String::from("(assert (= ");
        self.spellings.write(entity, &mut command);
        command.push_str(&format!(" {text}))\n"));
        self.session()?.unsent.push_str(&command);
        Ok(entity)
    }

    /// Closes what the last check left open.
    fn settle(&mut self) {
        self.last = Last::Nothing;
        if let Some(session) = &mut self.session
            && std::mem::take(&mut session.assumptions_scope)
        {
            session.pop(1);
        }
    }

    fn question(&mut self, literals: &[(Literal, Term)]) -> Result<String, SolveError> {
        if literals.is_empty() {
            return Ok("(check-sat)\n".into());
        }
        let cores = self.profile.cores;
        let session = self.session()?;
        if cores == Cores::Assumptions {
            let list: Vec<String> = literals
                .iter()
                .map(|(literal, _)| written(literal))
                .collect();
            return Ok(format!("(check-sat-assuming ({}))\n", list.join(" ")));
        }
        session.push();
        session.assumptions_scope = true;
        for (number, (literal, _)) in literals.iter().enumerate() {
            let literal = written(literal);
            let named = format!("(assert (! {literal} :named core!{number}!))\n");
            session.unsent.push_str(&named);
        }
        Ok("(check-sat)\n".into())
    }

    fn model(&mut self) -> Result<FxHashMap<Term, Value>, Failure> {
        let known = self.session()?.known.iter();
        let variables: Vec<Term> = known
            .filter_map(|entity| match entity {
                Entity::Variable(variable) => Some(*variable),
                _ => None,
            })
            .collect();
        let mut model = FxHashMap::default();
        for some in variables.chunks(VALUES_AT_ONCE) {
            let mut terms = String::new();
            for variable in some {
                terms.push(' ');
                self.spellings
                    .write(Entity::Variable(*variable), &mut terms);
            }
            let sorts: Vec<Sort> = some.iter().map(|variable| variable.sort()).collect();
            let values = self.values(&terms, &sorts)?;
            model.extend(some.iter().copied().zip(values));
        }
        Ok(model)
    }

    /// The values of terms that are written already.
    fn values(&mut self, terms: &str, sorts: &[Sort]) -> Result<Vec<Value>, Failure> {
        let answer = self.ask(&format!("(get-value ({terms}))\n"), None)?;
        let constructor = |name: &str| self.spellings.constructor(name);
        let value = |(pair, sort): (&answers::Answer, &Sort)| match pair {
            answers::Answer::List(parts) => match &parts[..] {
                [_, value] => answers::value(value, *sort, &constructor),
                _ => None,
            },
            answers::Answer::Atom(..) => None,
        };
        let values: Option<Vec<Value>> = match answers::parse(self.answer_file, &answer) {
            Some(answers::Answer::List(pairs)) if pairs.len() == sorts.len() => {
                pairs.iter().zip(sorts).map(value).collect()
            }
            _ => None,
        };
        if values.is_none() && answers::has_roots(&answer) {
            return Err(Failure::Unknown(Unknown::Irrational));
        }
        values.ok_or_else(|| {
            let shown: String = answer.chars().take(1000).collect();
            Failure::Error(self.error(format!("expected values as answer, found {shown:?}")))
        })
    }

    /// The value of a function at a point, as the solver's model has it.
    fn function_value(&mut self, function: Function, args: &[Value]) -> Result<Value, SolveError> {
        let mut text = String::new();
        let zero = match as_division_by_zero(function) {
            Some((operator, zero)) => {
                text.push_str(operator);
                zero
            }
            None => {
                let entity = Entity::Function(function);
                if !self.session()?.known.contains(&entity) {
                    return Ok(Value::default_of(function.range()));
                }
                text.push('(');
                self.spellings.write(entity, &mut text);
                ")"
            }
        };
        for arg in args {
            text.push(' ');
            write_value(arg, &self.spellings, &mut text);
        }
        text.push_str(zero);
        let values = self.values(&text, &[function.range()]);
        let values = values.map_err(|failure| self.plain(failure))?;
        values
            .into_iter()
            .next()
            .ok_or_else(|| self.error("it gave no value"))
    }

    /// A failure where no answer may be unknown.
    fn plain(&self, failure: Failure) -> SolveError {
        match failure {
            Failure::Error(error) => error,
            Failure::Unknown(reason) => self.error(reason.to_string()),
        }
    }

    fn remember(&mut self, told: Told) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(told);
        }
    }

    /// The assumptions that an answer names, in their order; `None` when it names anything else.
    fn core_members(&self, answer: &str, literals: &[(Literal, Term)]) -> Option<Vec<Term>> {
        let Some(answers::Answer::List(parts)) = answers::parse(self.answer_file, answer) else {
            return None;
        };
        let named = self.profile.cores == Cores::Named;
        let mut wanted: FxHashSet<Literal> = FxHashSet::default();
        for part in &parts {
            let (name, polarity) = answers::literal(part)?;
            if !named {
                wanted.insert((name.to_string(), polarity));
                continue;
            }
            let number = name.strip_prefix("core!")?.strip_suffix('!')?;
            let (literal, _) = literals.get(number.parse::<usize>().ok()?)?;
            wanted.insert(literal.clone());
        }
        let members = literals
            .iter()
            .filter(|(literal, _)| wanted.contains(literal));
        let members: Vec<Term> = members.map(|(_, assumption)| *assumption).collect();
        let distinct: FxHashSet<&Term> = members.iter().collect();
        (distinct.len() >= wanted.len()).then_some(members)
    }

    fn misuse<T>(&self, what: &str) -> Result<T, SolveError> {
        Err(SolveError::Misuse(what.to_string()))
    }
}

type Writer = fn(
    Term,
    &dyn crate::smtlib::printer::Spelling,
    &dyn Fn(Term, &mut String) -> bool,
    &mut String,
);

fn failed(profile: &Profile, what: impl Into<String>) -> SolveError {
    SolveError::External {
        solver: profile.name.to_string(),
        what: what.into(),
    }
}

/// A literal as text.
fn written((name, polarity): &Literal) -> String {
    let symbol = crate::smtlib::printer::symbol(name);
    match polarity {
        Polarity::Positive => symbol,
        Polarity::Negative => format!("(not {symbol})"),
    }
}

/// The model of a solver, asked for functions while a term is evaluated.
struct Asking<'s> {
    solver: RefCell<&'s mut External>,
    variables: &'s FxHashMap<Term, Value>,
    failure: RefCell<Option<SolveError>>,
}

impl Environment for Asking<'_> {
    fn variable(&self, variable: Term) -> Option<Value> {
        // What the solver was never told of is free to have any value.
        let known = self.variables.get(&variable).cloned();
        known.or_else(|| Some(Value::default_of(variable.sort())))
    }

    fn function(&self, function: Function, args: &[Value]) -> Option<Value> {
        match self.solver.borrow_mut().function_value(function, args) {
            Ok(value) => Some(value),
            Err(error) => {
                self.failure.replace(Some(error));
                None
            }
        }
    }
}

impl Solver for External {
    fn name(&self) -> String {
        format!("{} {}", self.profile.name, self.version)
            .trim_end()
            .to_string()
    }

    fn capabilities(&self) -> Capabilities {
        self.profile.capabilities
    }

    fn declare(&mut self, variable: Term) -> Result<(), SolveError> {
        // A declaration that changes nothing leaves the model as it is.
        if let Some(session) = &self.session
            && session.known.contains(&Entity::Variable(variable))
        {
            return Ok(());
        }
        self.settle();
        self.session()?;
        self.tell(Told::Variable(variable))?;
        self.remember(Told::Variable(variable));
        Ok(())
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolveError> {
        if formula.sort() != Sort::Bool {
            return self.misuse("only Boolean terms can be asserted");
        }
        self.settle();
        self.session()?;
        self.tell(Told::Formula(formula))?;
        self.remember(Told::Formula(formula));
        Ok(())
    }

    fn push(&mut self) -> Result<(), SolveError> {
        self.settle();
        self.session()?.push();
        self.scopes.push(Vec::new());
        Ok(())
    }

    fn pop(&mut self, scopes: usize) -> Result<(), SolveError> {
        if scopes >= self.scopes.len() {
            return self.misuse("more scopes are closed than were opened");
        }
        self.settle();
        if scopes > 0 {
            self.scopes.truncate(self.scopes.len() - scopes);
            // A process that is gone is told of what is left when it is needed.
            if let Some(session) = &mut self.session {
                session.pop(scopes);
            }
        }
        Ok(())
    }

    fn check(&mut self, assumptions: &[Term]) -> Result<Answer, SolveError> {
        if assumptions.iter().any(|term| term.sort() != Sort::Bool) {
            return self.misuse("only Boolean terms can be assumed");
        }
        self.settle();
        if self.interrupt.is_set() {
            // The process was killed with it.
            self.session = None;
            return Ok(Answer::Unknown(Unknown::Interrupted));
        }
        self.checks += 1;
        self.session()?;
        let literals = self.literals(assumptions)?;
        let question = self.question(&literals)?;
        let answer = match self.ask(&question, self.budget.time) {
            Ok(answer) => answer,
            Err(Failure::Unknown(reason)) => return Ok(Answer::Unknown(reason)),
            Err(Failure::Error(error)) => return Err(error),
        };
        match answer.as_str() {
            "sat" if self.irrational => match self.model() {
                Ok(model) => {
                    self.last = Last::Model(model);
                    Ok(Answer::Sat)
                }
                Err(Failure::Unknown(reason)) => Ok(Answer::Unknown(reason)),
                Err(Failure::Error(error)) => Err(error),
            },
            "sat" => {
                self.last = Last::Model(FxHashMap::default());
                Ok(Answer::Sat)
            }
            "unsat" => {
                self.last = Last::Unsat(literals);
                Ok(Answer::Unsat)
            }
            "unknown" => Ok(Answer::Unknown(Unknown::Incomplete)),
            _ => {
                self.session = None;
                let shown: String = answer.chars().take(1000).collect();
                Err(self.error(format!("expected sat, unsat or unknown, found {shown:?}")))
            }
        }
    }

    fn value(&mut self, term: Term) -> Result<Value, SolveError> {
        let Last::Model(model) = &mut self.last else {
            return self.misuse("values are there only after a check that answered sat");
        };
        let mut model = std::mem::take(model);
        // An error on the way ends the session, and the model with it.
        self.last = Last::Nothing;
        if model.is_empty() {
            model = self.model().map_err(|failure| self.plain(failure))?;
        }
        let asking = Asking {
            solver: RefCell::new(self),
            variables: &model,
            failure: RefCell::new(None),
        };
        let value = Evaluator::new(&asking).value(term);
        if let Some(error) = asking.failure.into_inner() {
            return Err(error);
        }
        self.last = Last::Model(model);
        value.map_err(|term| self.error(format!("it gave no value for {term:?}")))
    }

    fn core(&mut self) -> Result<Vec<Term>, SolveError> {
        let Last::Unsat(literals) = &self.last else {
            return self.misuse("cores are there only after a check that answered unsat");
        };
        if literals.is_empty() {
            return Ok(Vec::new());
        }
        let literals = literals.clone();
        let question = match self.profile.cores {
            Cores::Assumptions => "(get-unsat-assumptions)\n",
            Cores::Named => "(get-unsat-core)\n",
        };
        let answer = match self.ask(question, None) {
            Ok(answer) => answer,
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Unknown(reason)) => return Err(self.error(reason.to_string())),
        };
        let used = self.core_members(&answer, &literals);
        used.ok_or_else(|| {
            let shown: String = answer.chars().take(1000).collect();
            self.error(format!(
                "expected some of the assumptions as core, found {shown:?}"
            ))
        })
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            checks: self.checks,
            ..Statistics::default()
        }
    }
}

#[cfg(test)]
mod search {
    use super::find_on;

    #[cfg(unix)]
    #[test]
    fn only_folders_that_are_named_in_full_are_searched() {
        use std::ffi::OsStr;
        assert!(find_on(OsStr::new("/bin:/usr/bin"), "sh").is_some());
        // The tests run in the folder of this crate.
        assert!(std::path::Path::new("Cargo.toml").is_file());
        for path in ["", ".", "./", "..:.", "src/.."] {
            assert_eq!(find_on(OsStr::new(path), "Cargo.toml"), None, "{path}");
        }
    }
}
