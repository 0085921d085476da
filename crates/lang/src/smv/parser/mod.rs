//! Tokens to modules. After an error the parser goes on behind the next `;` or at the next section, so
//! that a file is read to its end whatever is wrong with it.

mod expression;

pub(super) use expression::WIDEST;

use super::lexer::{Placed, Token, is_reserved, tokenize};
use super::syntax::{Expression, Form, Item, Kind, Module, Name, Question, Type, VariableKind};
use proofmark_source::{Diagnostic, FileId, Span, nearest};

/// Something was wrong and has been told.
pub(super) struct Told;

type Parsed<T> = Result<T, Told>;

/// Reads a file: its modules, and all that is wrong with its form.
pub(super) fn parse(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Vec<Module> {
    let tokens = tokenize(text, file, diagnostics);
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        psl: false,
        bracketed: false,
        diagnostics,
    };
    let mut modules = Vec::new();
    while parser.token() != Token::End {
        if !parser.is_word("MODULE") {
            let message = format!("expected MODULE, found {}", parser.found());
            parser.tell(message, "a file is a list of modules");
            while !parser.is_word("MODULE") && parser.token() != Token::End {
                parser.at += 1;
            }
            continue;
        }
        modules.extend(parser.module().ok());
    }
    modules
}

/// The words that begin a section of a module.
const SECTIONS: [&str; 26] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "INVAR",
    "TRANS",
    "ISA",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "INVARSPEC",
    "COMPUTE",
    "CONSTRAINT",
    "PRED",
    "MIRROR",
    "FUN",
    "ITYPE",
];

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
    /// How many expressions are open around this place.
    depth: usize,
    /// Whether the words of PSL are keywords.
    psl: bool,
    /// Whether `U` belongs to the bracket of `E [p U q]` around this place.
    bracketed: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.at].token
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The place of the token before.
    fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text_at(&self, at: usize) -> &str {
        let span = self.tokens[at.min(self.tokens.len() - 1)].span;
        &self.text[span.start as usize..span.end as usize]
    }

    fn word(&self) -> &str {
        match self.token() {
            Token::Name => self.text_at(self.at),
            _ => "",
        }
    }

    fn is_word(&self, word: &str) -> bool {
        self.word() == word
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(found) if found == symbol)
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.token() != Token::End {
            self.at += 1;
        }
        span
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn found(&self) -> String {
        match self.token() {
            Token::End => "the end of the file".to_string(),
            _ => format!("`{}`", self.text_at(self.at)),
        }
    }

    fn tell(&mut self, message: impl Into<String>, hint: impl Into<String>) {
        let span = self.span();
        self.tell_at(span, message, hint);
    }

    fn tell_at(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::error(span, message).with_hint(hint));
    }

    fn expect(&mut self, symbol: &str, hint: &str) -> Parsed<Span> {
        if self.is(symbol) {
            return Ok(self.advance());
        }
        let message = format!("expected `{symbol}`, found {}", self.found());
        self.tell(message, hint);
        Err(Told)
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let word = self.word();
        if !word.is_empty() && !is_reserved(word) {
            let text = word.to_string();
            let span = self.advance();
            return Ok(Name { text, span });
        }
        let message = format!("expected {what}, found {}", self.found());
        let hint = match is_reserved(self.word()) {
            true => "this word is reserved; take another name",
            false => "a name begins with a letter or `_`",
        };
        self.tell(message, hint);
        Err(Told)
    }

    fn at_section(&self) -> bool {
        SECTIONS.contains(&self.word()) || self.token() == Token::End
    }

    /// Goes on behind the next semicolon, or at the next section.
    fn recover(&mut self) {
        self.depth = 0;
        self.bracketed = false;
        while !self.at_section() {
            if self.take(";") {
                return;
            }
            self.at += 1;
        }
    }

    fn module(&mut self) -> Parsed<Module> {
        self.advance();
        let name = match self.name("the name of a module") {
            Ok(name) => name,
            Err(told) => {
                while !self.is_word("MODULE") && self.token() != Token::End {
                    self.at += 1;
                }
                return Err(told);
            }
        };
        let parameters = self.parameters().unwrap_or_else(|Told| {
            self.recover();
            Vec::new()
        });
        let mut items = Vec::new();
        while !self.is_word("MODULE") && self.token() != Token::End {
            if self.section(&mut items).is_err() {
                self.recover();
            }
        }
        Ok(Module {
            name,
            parameters,
            items,
        })
    }

    fn parameters(&mut self) -> Parsed<Vec<Name>> {
        let mut parameters = Vec::new();
        if self.take("(") && !self.take(")") {
            loop {
                parameters.push(self.name("the name of a parameter")?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")", "parameters are names between parentheses")?;
        }
        Ok(parameters)
    }

    fn section(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let word = self.word().to_string();
        if !self.at_section() {
            let message = format!("expected a section of a module, found {}", self.found());
            let near = nearest(&word, SECTIONS);
            let hint = near.map_or("as VAR, ASSIGN or SPEC".to_string(), |near| {
                format!("did you mean `{near}`?")
            });
            self.tell(message, hint);
            self.at += 1;
            return Err(Told);
        }
        self.advance();
        match word.as_str() {
            "VAR" => self.list(items, |parser| parser.variable(VariableKind::State)),
            "IVAR" => self.list(items, |parser| parser.variable(VariableKind::Input)),
            "FROZENVAR" => self.list(items, |parser| parser.variable(VariableKind::Frozen)),
            "DEFINE" => self.list(items, Parser::define),
            "ASSIGN" => self.list(items, Parser::assign),
            "CONSTANTS" => self.constants(items),
            "INIT" => self.single(items, Item::Init),
            "INVAR" => self.single(items, Item::Invar),
            "TRANS" => self.single(items, Item::Trans),
            "FAIRNESS" | "JUSTICE" => self.single(items, Item::Justice),
            "COMPASSION" => self.compassion(items),
            "ISA" => {
                let name = self.name("the name of a module")?;
                self.take(";");
                items.push(Item::Isa(name));
                Ok(())
            }
            "SPEC" | "CTLSPEC" | "LTLSPEC" | "PSLSPEC" | "INVARSPEC" | "COMPUTE" => {
                let read = self.specification(&word, items);
                self.psl = false;
                read
            }
            other => {
                let span = self.before();
                self.tell_at(span, format!("{other} is not read"), "remove this section");
                Err(Told)
            }
        }
    }

    /// The items of a section, up to the next one.
    fn list(
        &mut self,
        items: &mut Vec<Item>,
        mut item: impl FnMut(&mut Self) -> Parsed<Item>,
    ) -> Parsed<()> {
        while !self.at_section() {
            match item(self) {
                Ok(item) => items.push(item),
                Err(Told) => self.recover(),
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Parsed<()> {
        if self.at_section() {
            // NuSMV wants the semicolon, too, and the meaning is clear without it.
            return Ok(());
        }
        self.expect(";", "end the line before with a semicolon")
            .map(|_| ())
    }

    fn single(&mut self, items: &mut Vec<Item>, make: fn(Expression) -> Item) -> Parsed<()> {
        let expression = self.expression()?;
        self.take(";");
        items.push(make(expression));
        Ok(())
    }

    fn variable(&mut self, kind: VariableKind) -> Parsed<Item> {
        let mut name = self.name("the name of a variable")?;
        // A flattened model has names with dots.
        while self.take(".") {
            let more = self.member()?;
            name = Name {
                text: format!("{}.{}", name.text, more.text),
                span: name.span.to(more.span),
            };
        }
        self.expect(":", "a declaration is `name : type;`")?;
        let of = self.of_type(0)?;
        let span = name.span.to(self.before());
        self.end()?;
        Ok(Item::Variable {
            kind,
            name,
            of,
            span,
        })
    }

    fn of_type(&mut self, depth: usize) -> Parsed<Type> {
        let word = self.word().to_string();
        match word.as_str() {
            "boolean" => {
                self.advance();
                Ok(Type::Boolean)
            }
            "signed" | "unsigned" | "word" => {
                self.advance();
                if word != "word" && !self.take_word("word") {
                    let message = format!("expected `word`, found {}", self.found());
                    self.tell(message, "as `unsigned word[8]`");
                    return Err(Told);
                }
                self.expect("[", "the width of a word stands between brackets")?;
                let width = self.expression()?;
                self.expect("]", "the width of a word stands between brackets")?;
                let signed = word == "signed";
                Ok(Type::Word { signed, width })
            }
            "array" if depth < 8 => {
                self.advance();
                if self.is_word("word") {
                    self.tell(
                        "arrays over words are not read",
                        "use `array low .. high of type`",
                    );
                    return Err(Told);
                }
                let (low, high) = self.range()?;
                if !self.take_word("of") {
                    let message = format!("expected `of`, found {}", self.found());
                    self.tell(message, "as `array 0..3 of boolean`");
                    return Err(Told);
                }
                let of = Box::new(self.of_type(depth + 1)?);
                Ok(Type::Array { low, high, of })
            }
            "array" => {
                self.tell("arrays of so many dimensions are not read", "at most 8 are");
                Err(Told)
            }
            "integer" | "real" | "clock" if self.text_at(self.at + 1) == ";" => {
                let message = format!("variables of type {word} are not read");
                self.tell(message, "models are finite here; give a range, as `0..7`");
                Err(Told)
            }
            "process" => {
                self.advance();
                self.instance(true)
            }
            _ if self.is("{") => self.enumeration(),
            _ if self.names_module() => self.instance(false),
            _ => {
                let (low, high) = self.range()?;
                Ok(Type::Range(low, high))
            }
        }
    }

    /// Whether a name stands here that is the whole type, or has arguments.
    fn names_module(&self) -> bool {
        let word = self.word();
        let next = self.tokens.get(self.at + 1).map(|placed| placed.token);
        let ends = !matches!(next, Some(Token::Symbol(next)) if ![";", "("].contains(&next));
        !word.is_empty() && !is_reserved(word) && ends
    }

    fn range(&mut self) -> Parsed<(Expression, Expression)> {
        let expression = self.expression()?;
        match expression.kind {
            Kind::Range(low, high) => Ok((*low, *high)),
            _ => {
                let message = "expected a range of integers";
                self.tell_at(expression.span, message, "as `0..7`");
                Err(Told)
            }
        }
    }

    fn enumeration(&mut self) -> Parsed<Type> {
        self.advance();
        let values = self.expressions("}")?;
        Ok(Type::Enumeration(values))
    }

    fn instance(&mut self, process: bool) -> Parsed<Type> {
        let module = self.name("the name of a module")?;
        let arguments = match self.take("(") {
            true => self.expressions(")")?,
            false => Vec::new(),
        };
        Ok(Type::Instance {
            process,
            module,
            arguments,
        })
    }

    /// Expressions between commas, up to and with what closes them.
    fn expressions(&mut self, close: &str) -> Parsed<Vec<Expression>> {
        let mut list = Vec::new();
        if self.take(close) {
            return Ok(list);
        }
        loop {
            list.push(self.expression()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(close, "separate what is listed by commas")?;
        Ok(list)
    }

    fn define(&mut self) -> Parsed<Item> {
        let target = self.path()?;
        self.expect(":=", "a definition is `name := expression;`")?;
        let value = self.expression()?;
        self.end()?;
        Ok(Item::Define { target, value })
    }

    fn assign(&mut self) -> Parsed<Item> {
        let start = self.span();
        let form = match self.word() {
            "init" => Form::Init,
            "next" => Form::Next,
            _ => Form::Always,
        };
        let target = if form == Form::Always {
            self.path()?
        } else {
            self.advance();
            self.expect("(", "as `next(x) := …`")?;
            let target = self.path()?;
            self.expect(")", "as `next(x) := …`")?;
            target
        };
        self.expect(
            ":=",
            "an assignment is `x := …`, `init(x) := …` or `next(x) := …`",
        )?;
        let value = self.expression()?;
        let span = start.to(self.before());
        self.end()?;
        Ok(Item::Assign {
            form,
            target,
            value,
            span,
        })
    }

    fn constants(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let mut names = Vec::new();
        if !self.is(";") {
            loop {
                names.push(self.name("a constant")?);
                if !self.take(",") {
                    break;
                }
            }
        }
        items.push(Item::Constants(names));
        self.end()
    }

    fn compassion(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let hint = "as COMPASSION (p, q)";
        self.expect("(", hint)?;
        let first = self.expression()?;
        self.expect(",", hint)?;
        let second = self.expression()?;
        self.expect(")", hint)?;
        self.take(";");
        items.push(Item::Compassion(first, second));
        Ok(())
    }

    fn specification(&mut self, word: &str, items: &mut Vec<Item>) -> Parsed<()> {
        let name = match self.take_word("NAME") {
            true => {
                let name = self.path()?;
                let text = self.text[name.span.start as usize..name.span.end as usize].to_string();
                self.expect(":=", "as `NAME p := …`")?;
                let span = name.span;
                Some(Name { text, span })
            }
            false => None,
        };
        let start = self.span();
        self.psl = word == "PSLSPEC";
        let question = match word {
            "SPEC" | "CTLSPEC" => Question::Ctl(self.expression()?),
            "LTLSPEC" => Question::Ltl(self.expression()?),
            "PSLSPEC" => Question::Psl(self.expression()?),
            "INVARSPEC" => Question::Invariant(self.expression()?),
            _ => self.compute()?,
        };
        let span = start.to(self.before());
        self.psl = false;
        // A semicolon may follow; in PSL it must, and its absence is no reason to refuse.
        self.take(";");
        items.push(Item::Specification {
            name,
            question,
            span,
        });
        Ok(())
    }

    fn compute(&mut self) -> Parsed<Question> {
        let longest = match self.word() {
            "MIN" => false,
            "MAX" => true,
            _ => {
                let message = format!("expected MIN or MAX, found {}", self.found());
                self.tell(message, "as COMPUTE MIN [p, q]");
                return Err(Told);
            }
        };
        self.advance();
        let hint = "as COMPUTE MIN [p, q]";
        self.expect("[", hint)?;
        let from = self.expression()?;
        self.expect(",", hint)?;
        let to = self.expression()?;
        self.expect("]", hint)?;
        Ok(Question::Compute { longest, from, to })
    }
}
