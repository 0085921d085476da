//! Reads a script, one command at a time.
//!
//! A script is executed while it is read: a mistake in its middle shows only after the commands
//! before it have had their effect, as if they had been typed. The reader knows what every name
//! means at this point, builds terms directly, without a syntax tree, and keeps no more of the past
//! than the declarations in force. Nothing in it recurses on the input. After the first fault it
//! has nothing more to say: to leave out a command that was not understood and to go on would
//! answer another question than the one asked.

use super::lexer::{Fault, Kind, Lexer, Token};
use super::macros::{Macro, Scratch, placeholder};
use super::names::{Binding, NameId, Names, is_reserved};
use super::operators::{WIDEST, as_real};
use super::stream::{Stream, Text};
use super::terms::{Frame, LetBinding};
use proofmark_model::{EnumSort, Function, Sort, Term, Value};
use proofmark_source::{Diagnostic, FileId, Place, Span};

/// No more scopes than this may be open.
const MOST_SCOPES: usize = 1 << 20;

/// A term of a command and the place where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Located {
    /// The term.
    pub term: Term,
    /// Where it stands in the script.
    pub span: Span,
}

/// A command with its terms built. Declarations and definitions have taken effect in the reader.
#[derive(Clone, Debug)]
pub enum Command<'t> {
    /// The name of the logic.
    SetLogic(&'t str),
    /// The option with its colon, and the text of its value.
    SetOption(&'t str, &'t str),
    /// The keyword with its colon, and the text of its value.
    SetInfo(&'t str, &'t str),
    /// A variable was declared.
    DeclareVariable(Term),
    /// A function with arguments was declared.
    DeclareFunction(Function),
    /// Enumerations were declared; this is the last of them.
    DeclareSort(Sort),
    /// A definition, which concerns the reader alone.
    Define,
    /// A formula holds from now on.
    Assert {
        /// The formula, without its name.
        formula: Located,
        /// What cores call it, if it is named.
        name: Option<&'t str>,
    },
    /// Opens so many scopes.
    Push(usize),
    /// Closes so many scopes, never more than are open.
    Pop(usize),
    /// Asks whether the assertions can be satisfied.
    CheckSat,
    /// Asks the same under Boolean assumptions, for this question alone.
    CheckSatAssuming(Vec<Located>),
    /// Asks for the values of everything that is declared.
    GetModel,
    /// Asks for the values of some terms.
    GetValue(Vec<Located>),
    /// Asks for the truth values of named formulas.
    GetAssignment,
    /// Asks for named assertions that contradict each other.
    GetUnsatCore,
    /// Asks for assumptions that contradict the assertions.
    GetUnsatAssumptions,
    /// Asks for the assertions as they stand.
    GetAssertions,
    /// Asks about the solver; the keyword has its colon.
    GetInfo(&'t str),
    /// Asks for the value of an option, with its colon.
    GetOption(&'t str),
    /// The string as it stands in the script, with its quotation marks.
    Echo(&'t str),
    /// Forgets everything: assertions, declarations and options.
    Reset,
    /// Forgets the assertions, and closes all scopes.
    ResetAssertions,
    /// The script ends here.
    Exit,
}

/// Reads a script command by command, and keeps what is declared.
pub struct Reader<'t> {
    file: FileId,
    text: Text<'t>,
    /// In the present piece of the text.
    pub(super) lexer: Lexer<'t>,
    pub(super) names: Names<'t>,
    pub(super) macros: Vec<Macro>,
    /// The declared functions whose parentheses are open.
    pub(super) functions: Vec<Function>,
    pub(super) scratch: Scratch,
    pub(super) frames: Vec<Frame>,
    pub(super) operands: Vec<Term>,
    pub(super) bindings: Vec<LetBinding>,
    /// The names given to terms inside the present command, and the terms.
    pub(super) named: Vec<(&'t str, Term)>,
    /// Whether a numeral is a real: in the logics that have no integers.
    pub(super) numerals_are_real: bool,
    /// Whether the terms being read are over parameters, so that none of them can be named.
    pub(super) in_definition: bool,
    ended: bool,
}

impl<'t> Reader<'t> {
    /// A reader of `text`, which is the text of `file`.
    pub fn new(file: FileId, text: &'t str) -> Reader<'t> {
        Reader::at(Lexer::new(file, text), file, Text::whole(text))
    }

    /// A reader of a text that is still being written: it waits for the end of a command and not
    /// for the end of the text.
    pub fn of_stream(stream: &'t Stream) -> Reader<'t> {
        let (file, text) = Text::of(stream);
        Reader::at(Lexer::new(file, ""), file, text)
    }

    fn at(lexer: Lexer<'t>, file: FileId, text: Text<'t>) -> Reader<'t> {
        Reader {
            file,
            text,
            lexer,
            names: Names::new(),
            macros: Vec::new(),
            functions: Vec::new(),
            scratch: Scratch::default(),
            frames: Vec::new(),
            operands: Vec::new(),
            bindings: Vec::new(),
            named: Vec::new(),
            numerals_are_real: false,
            in_definition: false,
            ended: false,
        }
    }

    /// The next command and its place; `None` at the end of the script and after a fault.
    pub fn command(&mut self) -> Result<Option<(Command<'t>, Span)>, Fault> {
        if self.ended {
            return Ok(None);
        }
        let command = self.read_command();
        self.ended =
            !matches!(&command, Ok(Some((command, _))) if !matches!(command, Command::Exit));
        command
    }

    /// Can this text occur in the script, be it in a comment or in what is still to come?
    pub fn may_mention(&self, text: &str) -> bool {
        self.text.may_mention(text)
    }

    /// Line and column of a span's first byte.
    pub fn place(&self, span: Span) -> Place {
        self.text.place(span.start)
    }

    /// The place of the script's first character.
    pub fn beginning(&self) -> Span {
        Span::new(self.file, 0, 0)
    }

    /// The terms that the last command named, wherever they stand in it.
    pub fn named(&self) -> &[(&'t str, Term)] {
        &self.named
    }

    /// The text of a span of a command of this script, one blank between tokens that need one and no comments.
    pub fn source(&self, span: Span) -> String {
        let mut lexer = Lexer::new(span.file, self.text.slice(span));
        let mut text = String::new();
        let mut glued = true;
        while let Ok(token) = lexer.token() {
            if token.kind == Kind::End {
                break;
            }
            if !glued && token.kind != Kind::Close {
                text.push(' ');
            }
            text.push_str(lexer.text_of(token));
            glued = token.kind == Kind::Open;
        }
        text
    }

    fn read_command(&mut self) -> Result<Option<(Command<'t>, Span)>, Fault> {
        let open = loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Open => break token,
                Kind::End => match self.text.more()? {
                    Some((base, text)) => self.lexer = Lexer::part(self.file, base, text),
                    None => return Ok(None),
                },
                _ => return Err(self.expected("`(` and a command", token)),
            }
        };
        self.named.clear();
        let head = self.lexer.token()?;
        if head.kind != Kind::Symbol {
            return Err(self.expected("the name of a command after `(`", head));
        }
        let command = self.arguments(head)?;
        let close = self.lexer.token()?;
        if close.kind != Kind::Close {
            let fault = self.expected("`)` at the end of the command", close);
            return Err(self.opened_by(open, fault));
        }
        Ok(Some((
            command,
            self.lexer.span_between(open.start, close.end),
        )))
    }

    /// What follows the name of a command, up to its closing parenthesis.
    fn arguments(&mut self, head: Token) -> Result<Command<'t>, Fault> {
        Ok(match self.lexer.text_of(head) {
            "assert" => self.assert()?,
            "declare-fun" => self.declare_fun()?,
            "declare-const" => self.declare_const()?,
            "define-fun" => self.define_fun()?,
            "define-const" => self.define_const()?,
            "push" => self.push()?,
            "pop" => self.pop()?,
            "check-sat" => Command::CheckSat,
            "check-sat-assuming" => {
                Command::CheckSatAssuming(self.list_of_terms(Some(Sort::Bool))?)
            }
            "get-value" => Command::GetValue(self.list_of_terms(None)?),
            "get-model" => Command::GetModel,
            "get-assignment" => Command::GetAssignment,
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-assertions" => Command::GetAssertions,
            "get-info" => Command::GetInfo(self.keyword()?),
            "get-option" => Command::GetOption(self.keyword()?),
            "set-logic" => self.set_logic()?,
            "set-option" => self.set_option()?,
            "set-info" => {
                let keyword = self.keyword()?;
                Command::SetInfo(keyword, self.attribute_value()?)
            }
            "define-sort" => self.define_sort()?,
            "declare-datatype" => self.declare_datatype()?,
            "declare-datatypes" => self.declare_datatypes()?,
            "echo" => self.echo()?,
            "reset" => self.reset(),
            "reset-assertions" => {
                self.names.reset_assertions();
                Command::ResetAssertions
            }
            "exit" => Command::Exit,
            _ => return Err(self.unknown_command(head)),
        })
    }

    fn unknown_command(&self, head: Token) -> Fault {
        let name = shorten(self.lexer.text_of(head));
        let (what, hint) = match name.as_str() {
            "declare-sort" => (
                "uninterpreted sorts are not supported",
                "use Int, or an enumeration by declare-datatypes",
            ),
            "define-fun-rec" | "define-funs-rec" => (
                "recursive functions are not supported",
                "unfold the recursion as far as the script needs it",
            ),
            "get-proof" => (
                "proofs of unsatisfiability are not written",
                "ask for (get-unsat-core) instead",
            ),
            _ => (
                "expected the name of a command",
                "the commands are those of SMT-LIB 2.6, as assert, check-sat and get-model",
            ),
        };
        let message = match name.as_str() {
            _ if what.starts_with("expected") => format!("{what}, found `{name}`"),
            _ => format!("unsupported command `{name}`: {what}"),
        };
        self.fault(head, message).with_hint(hint).into()
    }

    fn assert(&mut self) -> Result<Command<'t>, Fault> {
        let (formula, name) = self.named_term()?;
        if formula.term.sort() != Sort::Bool {
            let sort = formula.term.sort();
            let message = format!("expected a formula of sort Bool, found a term of sort {sort}");
            return Err(Diagnostic::error(formula.span, message).into());
        }
        Ok(Command::Assert { formula, name })
    }

    fn set_logic(&mut self) -> Result<Command<'t>, Fault> {
        let logic = self.symbol("the name of a logic")?.0;
        let theories = logic.strip_prefix("QF_").unwrap_or(logic);
        let all = logic == "ALL" || logic == "HORN";
        let integers = ["IA", "IDL", "IRA"]
            .iter()
            .any(|part| theories.contains(part));
        let reals = ["LRA", "NRA", "RDL", "IRA"]
            .iter()
            .any(|part| theories.contains(part));
        self.numerals_are_real = reals && !integers;
        // A logic that names no theory we know may have any.
        let bit_vectors = theories.contains("BV");
        let known = theories == "UF" || bit_vectors || integers || reals;
        if known && !all {
            self.names.restrict(integers || reals, bit_vectors);
        }
        Ok(Command::SetLogic(logic))
    }

    fn set_option(&mut self) -> Result<Command<'t>, Fault> {
        let keyword = self.keyword()?;
        let value = self.attribute_value()?;
        if keyword == ":global-declarations" {
            self.names.global_declarations = value == "true";
        }
        Ok(Command::SetOption(keyword, value))
    }

    fn declare_fun(&mut self) -> Result<Command<'t>, Fault> {
        let (name, token) = self.symbol("the name of the function to declare")?;
        let mut domain = Vec::new();
        self.open("`(` and the sorts of the arguments")?;
        loop {
            let token = self.lexer.token()?;
            if token.kind == Kind::Close {
                break;
            }
            domain.push(self.sort_from(token)?);
        }
        let range = self.sort()?;
        self.declare(name, token, domain, range)
    }

    fn declare_const(&mut self) -> Result<Command<'t>, Fault> {
        let (name, token) = self.symbol("the name of the constant to declare")?;
        let sort = self.sort()?;
        self.declare(name, token, Vec::new(), sort)
    }

    fn declare(
        &mut self,
        name: &'t str,
        token: Token,
        domain: Vec<Sort>,
        range: Sort,
    ) -> Result<Command<'t>, Fault> {
        let id = self.id_of(token);
        if domain.is_empty() {
            let variable = self.names.variable(id, range);
            self.bind(id, token, Binding::Term(variable))?;
            return Ok(Command::DeclareVariable(variable));
        }
        let function = Function::new(name, domain, range);
        self.bind(id, token, Binding::Function(function))?;
        Ok(Command::DeclareFunction(function))
    }

    /// Gives a name its meaning in the present scope, when it is free.
    pub(super) fn bind(&mut self, id: NameId, token: Token, binding: Binding) -> Result<(), Fault> {
        let (what, hint) = match self.names.binding(id) {
            Binding::Free => {
                self.names.declare(id, binding);
                return Ok(());
            }
            Binding::Reserved(_) => return Err(self.reserved(token)),
            Binding::Operator(_) => (
                "a function of the logic's theories",
                "choose another name, or set the logic to one without that theory",
            ),
            Binding::Term(_) | Binding::Function(_) | Binding::Macro(_) => (
                "already declared",
                "choose another name, or declare it in a scope of its own with push and pop",
            ),
        };
        let message = format!(
            "expected a new name, found `{}`, which is {what}",
            shorten(self.names.name(id))
        );
        Err(self.fault(token, message).with_hint(hint).into())
    }

    fn define_const(&mut self) -> Result<Command<'t>, Fault> {
        let (_, token) = self.symbol("the name of the constant to define")?;
        let sort = self.sort()?;
        let body = self.body(sort)?;
        let name = self.id_of(token);
        self.bind(name, token, Binding::Term(body))?;
        Ok(Command::Define)
    }

    fn define_fun(&mut self) -> Result<Command<'t>, Fault> {
        let (_, token) = self.symbol("the name of the function to define")?;
        self.open("`(` and the parameters")?;
        let binder = self.names.binder();
        let mut parameters = Vec::new();
        let mut shadowed = Vec::new();
        loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Close => break,
                Kind::Open => {}
                _ => return Err(self.expected("`(` and a parameter, or `)`", token)),
            }
            let (parameter, at) = self.symbol("the name of a parameter")?;
            let sort = self.sort()?;
            self.close("`)` after the parameter's sort")?;
            let variable = Binding::Term(placeholder(parameters.len(), sort));
            let id = self.local_name(at)?;
            let Some(old) = self.names.shadow(id, variable, binder) else {
                let message = format!("the parameter `{}` is named twice", shorten(parameter));
                return Err(self.fault(at, message).into());
            };
            shadowed.push(old);
            parameters.push(sort);
        }
        let range = self.sort()?;
        self.in_definition = !parameters.is_empty();
        let body = self.body(range)?;
        self.in_definition = false;
        for old in shadowed.into_iter().rev() {
            self.names.restore(old);
        }
        let name = self.id_of(token);
        if parameters.is_empty() {
            self.bind(name, token, Binding::Term(body))?;
        } else {
            self.bind(name, token, Binding::Macro(self.macros.len() as u32))?;
            self.macros.push(Macro::compile(parameters, body));
        }
        Ok(Command::Define)
    }

    /// The body of a definition, of the sort that was announced.
    fn body(&mut self, sort: Sort) -> Result<Term, Fault> {
        let body = self.located_term()?;
        let term = if sort == Sort::Real {
            as_real(body.term)
        } else {
            body.term
        };
        if term.sort() == sort {
            return Ok(term);
        }
        let found = term.sort();
        let message = format!("expected a body of the announced sort {sort}, found one of {found}");
        Err(Diagnostic::error(body.span, message).into())
    }

    fn define_sort(&mut self) -> Result<Command<'t>, Fault> {
        let (name, token) = self.symbol("the name of the sort to define")?;
        self.open("`(` and `)`: the parameters of the sort")?;
        let parameter = self.lexer.token()?;
        if parameter.kind != Kind::Close {
            let message = "unsupported: a sort with parameters";
            let hint = "define the sorts that are used one by one";
            return Err(self.fault(parameter, message).with_hint(hint).into());
        }
        let sort = self.sort()?;
        self.new_sort(name, token)?;
        self.names.declare_sort(name, sort);
        Ok(Command::Define)
    }

    fn new_sort(&self, name: &'t str, token: Token) -> Result<(), Fault> {
        let what = if token.kind == Kind::Symbol && is_reserved(name) {
            "is a reserved word"
        } else if self.names.sort(name).is_some() {
            "exists"
        } else {
            return Ok(());
        };
        let name = shorten(name);
        let message = format!("expected a new sort, found `{name}`, which {what}");
        Err(self
            .fault(token, message)
            .with_hint("choose another name")
            .into())
    }

    fn declare_datatype(&mut self) -> Result<Command<'t>, Fault> {
        let (name, token) = self.symbol("the name of the datatype")?;
        self.new_sort(name, token)?;
        self.open("`(` and the constructors")?;
        self.constructors(name).map(Command::DeclareSort)
    }

    fn declare_datatypes(&mut self) -> Result<Command<'t>, Fault> {
        self.open("`(` and the datatypes' names")?;
        let mut names = Vec::new();
        loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Close => break,
                Kind::Open => {}
                _ => return Err(self.expected("`(`, a name and the number 0, or `)`", token)),
            }
            let (name, at) = self.symbol("the name of a datatype")?;
            self.new_sort(name, at)?;
            let arity = self.lexer.token()?;
            if arity.kind != Kind::Numeral {
                return Err(self.expected("the number of the datatype's parameters", arity));
            }
            if self.lexer.text_of(arity) != "0" {
                return Err(self.only_enumerations(arity, "a datatype with parameters"));
            }
            self.close("`)` after the datatype's arity")?;
            names.push(name);
        }
        self.open("`(` and one list of constructors for each datatype")?;
        let mut last = Sort::Bool;
        for name in names {
            self.open("`(` and the constructors")?;
            last = self.constructors(name)?;
        }
        self.close("`)` after the last datatype")?;
        Ok(Command::DeclareSort(last))
    }

    /// The constructors of an enumeration up to the parenthesis that closes their list.
    fn constructors(&mut self, name: &'t str) -> Result<Sort, Fault> {
        let mut tokens = Vec::new();
        loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Close if !tokens.is_empty() => break,
                Kind::Open => {}
                _ => return Err(self.expected("`(` and a constructor", token)),
            }
            tokens.push(self.symbol("the name of a constructor")?);
            let close = self.lexer.token()?;
            match close.kind {
                Kind::Close => {}
                Kind::Open => {
                    return Err(self.only_enumerations(close, "a constructor with fields"));
                }
                _ => return Err(self.expected("`)` after the constructor", close)),
            }
        }
        let values = tokens.iter().map(|(value, _)| value.to_string()).collect();
        let sort = EnumSort::new(name, values);
        for (index, (_, token)) in tokens.into_iter().enumerate() {
            let constant = Term::constant(Value::Enum(sort, index as u32));
            let value = self.id_of(token);
            self.bind(value, token, Binding::Term(constant))?;
        }
        self.names.declare_sort(name, Sort::Enum(sort));
        Ok(Sort::Enum(sort))
    }

    fn only_enumerations(&self, token: Token, what: &str) -> Fault {
        let message = format!("unsupported: {what}");
        let hint = "of the datatypes only enumerations are supported, as (declare-datatypes ((Color 0)) (((red) (green))))";
        self.fault(token, message).with_hint(hint).into()
    }

    fn push(&mut self) -> Result<Command<'t>, Fault> {
        let (scopes, token) = self.count()?;
        if self.names.open_scopes().saturating_add(scopes) > MOST_SCOPES {
            let message = format!("expected at most {MOST_SCOPES} open scopes, found more");
            return Err(self.fault(token, message).into());
        }
        (0..scopes).for_each(|_| self.names.push());
        Ok(Command::Push(scopes))
    }

    fn pop(&mut self) -> Result<Command<'t>, Fault> {
        let (scopes, token) = self.count()?;
        let open = self.names.open_scopes();
        if scopes > open {
            let message =
                format!("expected a scope for each pop, found {open} open to close {scopes}");
            let hint = "every pop needs a push before it";
            return Err(self.fault(token, message).with_hint(hint).into());
        }
        (0..scopes).for_each(|_| self.names.pop());
        Ok(Command::Pop(scopes))
    }

    fn reset(&mut self) -> Command<'t> {
        self.names = Names::new();
        self.macros.clear();
        self.functions.clear();
        self.numerals_are_real = false;
        Command::Reset
    }

    fn echo(&mut self) -> Result<Command<'t>, Fault> {
        let token = self.lexer.token()?;
        match token.kind {
            Kind::String => Ok(Command::Echo(self.lexer.text_of(token))),
            _ => Err(self.expected("a string", token)),
        }
    }

    fn list_of_terms(&mut self, sort: Option<Sort>) -> Result<Vec<Located>, Fault> {
        self.open("`(` and terms")?;
        let mut terms = Vec::new();
        loop {
            let before = self.lexer.clone();
            if self.lexer.token()?.kind == Kind::Close {
                return Ok(terms);
            }
            self.lexer = before;
            let located = self.located_term()?;
            let found = located.term.sort();
            if let Some(sort) = sort.filter(|sort| *sort != found) {
                let message = format!("expected a term of sort {sort}, found one of sort {found}");
                return Err(Diagnostic::error(located.span, message).into());
            }
            terms.push(located);
        }
    }

    /// A number of scopes; none written means one.
    fn count(&mut self) -> Result<(usize, Token), Fault> {
        let before = self.lexer.clone();
        let token = self.lexer.token()?;
        match token.kind {
            Kind::Close => {
                self.lexer = before;
                Ok((1, token))
            }
            // A number too large to read is too large to open as well.
            Kind::Numeral => {
                let count = self.lexer.text_of(token).parse();
                Ok((count.unwrap_or(usize::MAX), token))
            }
            _ => Err(self.expected("a number of scopes", token)),
        }
    }

    pub(super) fn sort(&mut self) -> Result<Sort, Fault> {
        let token = self.lexer.token()?;
        self.sort_from(token)
    }

    /// The sort that begins with this token.
    fn sort_from(&mut self, token: Token) -> Result<Sort, Fault> {
        match token.kind {
            Kind::Symbol | Kind::Quoted => {
                let name = self.lexer.name_of(token);
                self.names
                    .sort(name)
                    .ok_or_else(|| self.unknown_sort(token))
            }
            Kind::Open => {
                let head = self.lexer.token()?;
                if head.kind != Kind::Symbol || self.lexer.text_of(head) != "_" {
                    return Err(self.unknown_sort(head));
                }
                let name = self.lexer.token()?;
                if self.lexer.name_of(name) != "BitVec" {
                    return Err(self.unknown_sort(name));
                }
                let width = self.width()?;
                self.close("`)` after the width")?;
                Ok(Sort::BitVec(width))
            }
            _ => Err(self.expected("a sort", token)),
        }
    }

    fn unknown_sort(&self, token: Token) -> Fault {
        if !matches!(token.kind, Kind::Symbol | Kind::Quoted) {
            return self.expected("a sort", token);
        }
        let name = shorten(self.lexer.name_of(token));
        let hint = "the sorts are Bool, Int, Real, (_ BitVec width), enumerations and what define-sort names";
        let message = format!("expected a sort that is known, found `{name}`");
        self.fault(token, message).with_hint(hint).into()
    }

    /// The width of a bit-vector.
    pub(super) fn width(&mut self) -> Result<u32, Fault> {
        let token = self.lexer.token()?;
        if token.kind != Kind::Numeral {
            return Err(self.expected("the width of a bit-vector", token));
        }
        match self.lexer.text_of(token).parse() {
            Ok(width) if (1..=WIDEST).contains(&width) => Ok(width),
            _ => {
                let found = shorten(self.lexer.text_of(token));
                let message = format!("expected a width from 1 to {WIDEST}, found {found}");
                Err(self.fault(token, message).into())
            }
        }
    }

    pub(super) fn symbol(&mut self, what: &str) -> Result<(&'t str, Token), Fault> {
        let token = self.lexer.token()?;
        match token.kind {
            Kind::Symbol | Kind::Quoted => Ok((self.lexer.name_of(token), token)),
            _ => Err(self.expected(what, token)),
        }
    }

    /// The name that a symbol stands for.
    #[inline]
    pub(super) fn id_of(&mut self, token: Token) -> NameId {
        let text = self.lexer.text_of(token);
        match token.kind {
            Kind::Quoted => self.names.quoted_id(text),
            _ => self.names.id(text),
        }
    }

    /// The name of a parameter or of a `let`: any symbol, whatever it means outside.
    pub(super) fn local_name(&mut self, token: Token) -> Result<NameId, Fault> {
        let id = self.id_of(token);
        if let Binding::Reserved(_) = self.names.binding(id) {
            return Err(self.reserved(token));
        }
        Ok(id)
    }

    fn reserved(&self, token: Token) -> Fault {
        let name = self.lexer.text_of(token);
        let message = format!("expected a new name, found `{name}`, which is a reserved word");
        let hint = "choose another name, or write it between bars";
        self.fault(token, message).with_hint(hint).into()
    }

    fn keyword(&mut self) -> Result<&'t str, Fault> {
        let token = self.lexer.token()?;
        match token.kind {
            Kind::Keyword => Ok(self.lexer.text_of(token)),
            _ => Err(self.expected("a keyword as :status", token)),
        }
    }

    /// The text of an attribute's value, empty when there is none. What follows stays unread.
    pub(super) fn attribute_value(&mut self) -> Result<&'t str, Fault> {
        let before = self.lexer.clone();
        let first = self.lexer.token()?;
        if matches!(first.kind, Kind::Close | Kind::Keyword | Kind::End) {
            self.lexer = before;
            return Ok("");
        }
        let mut depth = u32::from(first.kind == Kind::Open);
        let mut last = first;
        while depth > 0 {
            last = self.lexer.token()?;
            match last.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                Kind::End => {
                    let fault = self.expected("`)` at the end of a list", last);
                    return Err(self.opened_by(first, fault));
                }
                _ => {}
            }
        }
        Ok(self.lexer.slice(first.start, last.end))
    }

    pub(super) fn open(&mut self, what: &str) -> Result<Token, Fault> {
        let token = self.lexer.token()?;
        match token.kind {
            Kind::Open => Ok(token),
            _ => Err(self.expected(what, token)),
        }
    }

    pub(super) fn close(&mut self, what: &str) -> Result<Token, Fault> {
        let token = self.lexer.token()?;
        match token.kind {
            Kind::Close => Ok(token),
            _ => Err(self.expected(what, token)),
        }
    }

    pub(super) fn fault(&self, token: Token, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.lexer.span(token), message)
    }

    pub(super) fn expected(&self, what: &str, found: Token) -> Fault {
        let text = shorten(self.lexer.text_of(found));
        let found_text = match found.kind {
            Kind::Open | Kind::Close => format!("`{text}`"),
            Kind::End => "the end of the file".to_string(),
            Kind::Symbol | Kind::Quoted => format!("the symbol `{text}`"),
            Kind::Keyword => format!("the keyword `{text}`"),
            Kind::Numeral | Kind::Decimal => format!("the number {text}"),
            Kind::Hexadecimal | Kind::Binary => format!("the bit-vector {text}"),
            Kind::String => format!("the string {text}"),
        };
        let fault = self.fault(found, format!("expected {what}, found {found_text}"));
        match found.kind {
            Kind::End => fault.with_hint("is the file cut off, or a `)` missing?"),
            Kind::Close => fault.with_hint("is there a `)` too many, or something left out?"),
            _ => fault,
        }
        .into()
    }

    pub(super) fn opened_by(&self, open: Token, mut fault: Fault) -> Fault {
        *fault = fault.with_label(self.lexer.span(open), "this is still open");
        fault
    }
}

/// A text cut to a length that a message can bear.
pub(super) fn shorten(text: &str) -> String {
    const LENGTH: usize = 60;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
