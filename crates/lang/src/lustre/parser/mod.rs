//! Tokens to the syntax tree: declarations, nodes and statements.
//!
//! What cannot be read is reported once and left out: a statement up to its `;`, a definition up to
//! the next one. Expressions are read in [`expression`], without recursion.

mod expression;

use super::lexer::{Directive, Keyword, Symbol, Token, Tokens};
use super::syntax::{
    BaseType, Body, Bound, ConstantDefinition, Declaration, ExpressionId, FunctionDefinition, Name,
    Negated, NodeDefinition, Program, Root, Statement, StatementKind, TypeBody, TypeDefinition,
    TypeSyntax,
};
use num_bigint::BigInt;
use proofmark_model::{self as model, Rational};
use proofmark_source::{Diagnostic, Span, printable};

/// Longer literals take too long to read: reading one is quadratic.
const LONGEST_LITERAL: usize = 50_000;

/// A syntax error that has been reported; its holder skips to where reading can go on.
#[derive(Debug)]
pub(super) struct Reported;

type Parsed<T> = Result<T, Reported>;

pub(super) fn parse(text: &str, tokens: &Tokens, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let mut parser = Parser {
        text,
        tokens,
        position: 0,
        program: Program::default(),
        diagnostics,
    };
    parser.program();
    parser.program
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    position: usize,
    program: Program,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens.kinds[self.position]
    }

    fn peek_ahead(&self, count: usize) -> Token {
        let last = self.tokens.kinds.len() - 1;
        self.tokens.kinds[(self.position + count).min(last)]
    }

    fn span(&self) -> Span {
        self.tokens.spans[self.position]
    }

    /// The place of the token before; of the first one when there is none.
    fn last_span(&self) -> Span {
        self.tokens.spans[self.position.saturating_sub(1)]
    }

    fn token_text(&self) -> &str {
        let span = self.span();
        &self.text[span.start as usize..span.end as usize]
    }

    /// Takes the token at hand; the end stays.
    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.peek() != Token::End {
            self.position += 1;
        }
        span
    }

    fn accept(&mut self, token: Token) -> Option<Span> {
        (self.peek() == token).then(|| self.advance())
    }

    fn symbol(&mut self, symbol: Symbol) -> Option<Span> {
        self.accept(Token::Symbol(symbol))
    }

    fn keyword(&mut self, keyword: Keyword) -> Option<Span> {
        self.accept(Token::Keyword(keyword))
    }

    fn expect_symbol(&mut self, symbol: Symbol) -> Parsed<Span> {
        match self.symbol(symbol) {
            Some(span) => Ok(span),
            None => Err(self.expected(&format!("`{}`", symbol.text()))),
        }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Span> {
        match self.keyword(keyword) {
            Some(span) => Ok(span),
            None => Err(self.expected(&format!("`{}`", keyword.text()))),
        }
    }

    /// What stands at hand, for messages.
    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end of the file".into(),
            Token::Text => "a quoted text".into(),
            _ => format!(
                "`{}`",
                self.token_text().chars().take(40).collect::<String>()
            ),
        }
    }

    fn expected(&mut self, what: &str) -> Reported {
        self.expected_with(what, None)
    }

    fn expected_with(&mut self, what: &str, hint: Option<&str>) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        let last = self.last_span();
        let gap = Span::new(last.file, last.end, last.end);
        // Nothing is to be seen at the end of a file: what is missing is missed after the last word.
        let at_end = self.peek() == Token::End && self.position > 0;
        let mut error = Diagnostic::error(if at_end { gap } else { self.span() }, message);
        if let Some(hint) = hint {
            error = error.with_hint(hint);
        }
        // A missing `;` is missed on the next line, but belongs at the end of the last one.
        if what.contains("`;`") && self.position > 0 && !at_end {
            error = error.with_label(gap, "it is missing here");
        }
        self.diagnostics.push(error);
        Reported
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek() != Token::Name {
            let hint = match self.peek() {
                Token::Keyword(_) => Some("this word is a keyword and cannot be a name"),
                _ => None,
            };
            return Err(self.expected_with(what, hint));
        }
        let text = model::Symbol::new(self.token_text());
        let span = self.advance();
        Ok(Name { text, span })
    }

    /// A name that may have dots and indices in it, as flattened models have.
    fn path(&mut self, what: &str) -> Parsed<Name> {
        let mut name = self.name(what)?;
        let mut text = String::new();
        loop {
            if self.peek() == Token::Symbol(Symbol::Dot) && self.peek_ahead(1) == Token::Name {
                self.advance();
                text.push('.');
                text.push_str(self.token_text());
                name.span = name.span.to(self.advance());
            } else if self.peek() == Token::Symbol(Symbol::OpenBracket)
                && self.peek_ahead(1) == Token::Integer
                && self.peek_ahead(2) == Token::Symbol(Symbol::CloseBracket)
            {
                self.advance();
                text.push_str(&format!("[{}]", self.token_text()));
                self.advance();
                name.span = name.span.to(self.advance());
            } else {
                break;
            }
        }
        if !text.is_empty() {
            name.text = model::Symbol::new(&format!("{}{text}", name.text));
        }
        Ok(name)
    }

    /// The number at hand, an integer or a real.
    fn number(&mut self) -> Parsed<Rational> {
        let text = self.token_text();
        if text.len() > LONGEST_LITERAL {
            let message = format!("this number has more than {LONGEST_LITERAL} digits");
            let error = Diagnostic::error(self.span(), message);
            self.diagnostics
                .push(error.with_hint("write a shorter one"));
            return Err(Reported);
        }
        if let Ok(small) = text.parse::<i64>() {
            self.advance();
            return Ok(Rational::from(small));
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let number: BigInt = digits.parse().unwrap_or_default();
        let scale = BigInt::from(10u8).pow(fraction.len() as u32);
        self.advance();
        Ok(Rational::from_big(number, scale))
    }

    fn program(&mut self) {
        loop {
            let definition = match self.peek() {
                Token::End => return,
                Token::Keyword(Keyword::Type) => self.type_section(),
                Token::Keyword(Keyword::Const) => self.constant_section(),
                Token::Keyword(Keyword::Node) => self.node(),
                Token::Keyword(Keyword::Function) => self.function(),
                _ => Err(self.expected("`node`, `function`, `type` or `const`")),
            };
            if definition.is_err() {
                self.skip_to_definition();
            }
        }
    }

    fn at_definition(&self) -> bool {
        use Keyword::{Const, Function, Node, Type};
        matches!(
            self.peek(),
            Token::End | Token::Keyword(Node | Function | Type | Const)
        )
    }

    fn skip_to_definition(&mut self) {
        while !self.at_definition() {
            self.advance();
        }
    }

    /// `type` and the definitions after it.
    fn type_section(&mut self) -> Parsed<()> {
        self.expect_keyword(Keyword::Type)?;
        loop {
            let name = self.name("the name of a type")?;
            self.expect_symbol(Symbol::Equal)?;
            let body = self.type_body()?;
            self.expect_symbol(Symbol::Semicolon)?;
            self.program.types.push(TypeDefinition { name, body });
            if self.peek() != Token::Name {
                return Ok(());
            }
        }
    }

    fn type_body(&mut self) -> Parsed<TypeBody> {
        if self.keyword(Keyword::Struct).is_some() {
            self.expect_symbol(Symbol::OpenBrace)?;
            let fields = self.declarations(Symbol::CloseBrace)?;
            self.expect_symbol(Symbol::CloseBrace)?;
            return Ok(TypeBody::Struct(fields));
        }
        if self.keyword(Keyword::Enum).is_none() {
            return Ok(TypeBody::Alias(self.type_syntax()?));
        }
        self.expect_symbol(Symbol::OpenBrace)?;
        let mut values = vec![self.name("the name of a value")?];
        while self.symbol(Symbol::Comma).is_some() {
            values.push(self.name("the name of a value")?);
        }
        self.expect_symbol(Symbol::CloseBrace)?;
        Ok(TypeBody::Enum(values))
    }

    fn type_syntax(&mut self) -> Parsed<TypeSyntax> {
        let start = self.span();
        let base = match self.peek() {
            Token::Name => BaseType::Named(self.name("a type")?),
            Token::Keyword(Keyword::Int) => self.base(BaseType::Int),
            Token::Keyword(Keyword::Bool) => self.base(BaseType::Bool),
            Token::Keyword(Keyword::Real) => self.base(BaseType::Real),
            Token::Keyword(Keyword::Subrange) => self.subrange()?,
            Token::Keyword(Keyword::Struct | Keyword::Enum) => {
                let hint = "give it a name: type t = …; and use the name here";
                return Err(self.expected_with("a type", Some(hint)));
            }
            _ => return Err(self.expected("a type")),
        };
        let mut dimensions = Vec::new();
        while self.symbol(Symbol::OpenBracket).is_some() {
            dimensions.push(self.bound()?);
            self.expect_symbol(Symbol::CloseBracket)?;
        }
        Ok(TypeSyntax {
            base,
            dimensions,
            span: start.to(self.last_span()),
        })
    }

    fn base(&mut self, base: BaseType) -> BaseType {
        self.advance();
        base
    }

    fn subrange(&mut self) -> Parsed<BaseType> {
        self.expect_keyword(Keyword::Subrange)?;
        self.expect_symbol(Symbol::OpenBracket)?;
        let low = self.bound()?;
        self.expect_symbol(Symbol::Comma)?;
        let high = self.bound()?;
        self.expect_symbol(Symbol::CloseBracket)?;
        self.expect_keyword(Keyword::Of)?;
        self.expect_keyword(Keyword::Int)?;
        Ok(BaseType::Subrange(low, high))
    }

    fn bound(&mut self) -> Parsed<Bound> {
        let minus = self.symbol(Symbol::Minus);
        if self.peek() == Token::Name {
            let name = self.name("a number")?;
            let negated = minus.map_or(Negated::No, |_| Negated::Yes);
            return Ok(Bound::Named { negated, name });
        }
        if self.peek() != Token::Integer {
            return Err(self.expected("an integer or a constant"));
        }
        let span = minus.unwrap_or(self.span()).to(self.span());
        let number = self.number()?;
        let number = if minus.is_some() { -number } else { number };
        Ok(Bound::Literal(number, span))
    }

    /// `a, b : type; c : type`, up to a closing token; a last `;` may stand before it.
    fn declarations(&mut self, close: Symbol) -> Parsed<Vec<Declaration>> {
        let mut declarations = Vec::new();
        while self.peek() != Token::Symbol(close) {
            self.declaration_group(&mut declarations)?;
            if self.symbol(Symbol::Semicolon).is_some() {
                continue;
            }
            if self.peek() != Token::Symbol(close) {
                return Err(self.expected(&format!("`;` or `{}`", close.text())));
            }
        }
        Ok(declarations)
    }

    fn declaration_group(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        let mut names = vec![self.path("the name of a variable")?];
        while self.symbol(Symbol::Comma).is_some() {
            names.push(self.path("the name of a variable")?);
        }
        self.expect_symbol(Symbol::Colon)?;
        let of = self.type_syntax()?;
        declarations.extend(names.into_iter().map(|name| Declaration {
            name,
            of: of.clone(),
        }));
        Ok(())
    }

    /// `const` and the definitions after it.
    fn constant_section(&mut self) -> Parsed<()> {
        self.expect_keyword(Keyword::Const)?;
        loop {
            let name = self.name("the name of a constant")?;
            let of = match self.symbol(Symbol::Colon) {
                Some(_) => Some(self.type_syntax()?),
                None => None,
            };
            self.expect_symbol(Symbol::Equal)?;
            let value = self.root()?;
            self.expect_symbol(Symbol::Semicolon)?;
            let constant = ConstantDefinition { name, of, value };
            self.program.constants.push(constant);
            if self.peek() != Token::Name {
                return Ok(());
            }
        }
    }

    /// An expression that stands for itself.
    fn root(&mut self) -> Parsed<Root> {
        let first = ExpressionId(self.program.expressions.len() as u32);
        let root = self.expression()?;
        Ok(Root { first, root })
    }

    fn signature(&mut self) -> Parsed<(Vec<Declaration>, Vec<Declaration>)> {
        self.expect_symbol(Symbol::Open)?;
        let inputs = self.declarations(Symbol::Close)?;
        self.expect_symbol(Symbol::Close)?;
        self.expect_keyword(Keyword::Returns)?;
        self.expect_symbol(Symbol::Open)?;
        let outputs = self.declarations(Symbol::Close)?;
        self.expect_symbol(Symbol::Close)?;
        Ok((inputs, outputs))
    }

    fn function(&mut self) -> Parsed<()> {
        self.expect_keyword(Keyword::Function)?;
        let name = self.path("the name of a function")?;
        let (inputs, outputs) = self.signature()?;
        self.expect_symbol(Symbol::Semicolon)?;
        if matches!(self.peek(), Token::Keyword(Keyword::Let | Keyword::Var)) {
            let hint = "a function is uninterpreted; write `node` to give it a body";
            return Err(self.expected_with("no body after a function", Some(hint)));
        }
        let function = FunctionDefinition {
            name,
            inputs,
            outputs,
        };
        self.program.functions.push(function);
        Ok(())
    }

    fn node(&mut self) -> Parsed<()> {
        self.expect_keyword(Keyword::Node)?;
        let name = self.name("the name of a node")?;
        let (inputs, outputs) = self.signature()?;
        // The `;` after the outputs is often forgotten, and nothing hangs on it.
        if self.symbol(Symbol::Semicolon).is_none() {
            self.expected("`;`");
        }
        let mut node = NodeDefinition {
            name,
            inputs,
            outputs,
            locals: Vec::new(),
            statements: Vec::new(),
            main: None,
            ivc: None,
            body: Body::Whole,
        };
        if self.node_rest(&mut node).is_err() {
            node.body = Body::Broken;
            self.skip_to_definition();
        }
        self.program.nodes.push(node);
        Ok(())
    }

    fn node_rest(&mut self, node: &mut NodeDefinition) -> Parsed<()> {
        while self.keyword(Keyword::Var).is_some() {
            self.locals(node);
        }
        self.expect_keyword(Keyword::Let)?;
        while self.peek() != Token::Keyword(Keyword::Tel) {
            if self.at_definition() {
                let hint = format!("the body of node `{}` ends with `tel;`", node.name.text);
                return Err(self.expected_with("`tel`", Some(&hint)));
            }
            let start = self.position;
            if self.statement(node).is_err() {
                node.body = Body::Broken;
                self.skip_statement(start);
            }
        }
        self.expect_keyword(Keyword::Tel)?;
        if self.symbol(Symbol::Semicolon).is_none() {
            self.symbol(Symbol::Dot);
        }
        Ok(())
    }

    /// The groups after `var`, up to what no group begins with.
    fn locals(&mut self, node: &mut NodeDefinition) {
        while !matches!(self.peek(), Token::Keyword(Keyword::Let | Keyword::Var)) {
            // A statement here means that `let` is missing, which the caller says.
            if self.at_definition() || self.begins_statement() {
                return;
            }
            let start = self.position;
            let group = self
                .declaration_group(&mut node.locals)
                .and_then(|()| self.expect_symbol(Symbol::Semicolon).map(|_| ()));
            if group.is_err() {
                node.body = Body::Broken;
                self.skip_statement(start);
            }
        }
    }

    /// Whether no declaration begins with the token at hand.
    fn begins_statement(&self) -> bool {
        matches!(
            self.peek(),
            Token::Directive(_) | Token::Keyword(Keyword::Assert | Keyword::Tel)
        )
    }

    /// Goes behind the next `;`, or before what ends a statement without one; in any case on from
    /// where the statement began, so that reading comes to an end.
    fn skip_statement(&mut self, start: usize) {
        if self.position == start && !self.at_definition() {
            self.advance();
        }
        loop {
            match self.peek() {
                Token::Symbol(Symbol::Semicolon) => {
                    self.advance();
                    return;
                }
                Token::Keyword(Keyword::Tel | Keyword::Let | Keyword::Assert)
                | Token::Directive(_) => return,
                _ if self.at_definition() => return,
                _ => self.advance(),
            };
        }
    }

    fn statement(&mut self, node: &mut NodeDefinition) -> Parsed<()> {
        match self.peek() {
            Token::Directive(directive) => self.directive(directive, node),
            Token::Keyword(Keyword::Assert) => {
                let start = self.advance();
                self.finish(start, StatementKind::Assert, node)
            }
            Token::Name if self.token_text() == "check" && self.begins_check() => {
                let start = self.advance();
                self.property(start, node)
            }
            _ => self.equation(node),
        }
    }

    /// `check` is a name when an equation begins with it.
    fn begins_check(&self) -> bool {
        use Symbol::{Comma, Dot, Equal, OpenBracket};
        !matches!(
            self.peek_ahead(1),
            Token::Symbol(Equal | Comma | Dot | OpenBracket)
        )
    }

    fn directive(&mut self, directive: Directive, node: &mut NodeDefinition) -> Parsed<()> {
        let start = self.advance();
        match directive {
            Directive::Main => {
                self.symbol(Symbol::Semicolon);
                node.main.get_or_insert(start);
                Ok(())
            }
            Directive::Property => self.property(start, node),
            Directive::Ivc => {
                let names = self.names_of_directive()?;
                node.ivc.get_or_insert_default().extend(names);
                Ok(())
            }
            Directive::Realizable => {
                self.names_of_directive()?;
                let message = "--%REALIZABLE is ignored: realizability is not analysed";
                self.diagnostics.push(Diagnostic::warning(start, message));
                Ok(())
            }
        }
    }

    fn names_of_directive(&mut self) -> Parsed<Vec<Name>> {
        let mut names = Vec::new();
        if self.symbol(Symbol::Semicolon).is_some() {
            return Ok(names);
        }
        loop {
            names.push(self.path("the name of a variable")?);
            if self.symbol(Symbol::Comma).is_none() {
                self.expect_symbol(Symbol::Semicolon)?;
                return Ok(names);
            }
        }
    }

    /// What comes after `check` or `--%PROPERTY`.
    fn property(&mut self, start: Span, node: &mut NodeDefinition) -> Parsed<()> {
        let mut name = None;
        if self.peek() == Token::Text {
            let text = model::Symbol::new(&printable(self.token_text().trim_matches('"')));
            let span = self.advance();
            name = Some(Name { text, span });
        }
        self.finish(start, StatementKind::Check(name), node)
    }

    fn equation(&mut self, node: &mut NodeDefinition) -> Parsed<()> {
        let start = self.span();
        let open = self.symbol(Symbol::Open);
        let mut targets = Vec::new();
        if open.is_none() || self.peek() != Token::Symbol(Symbol::Close) {
            targets.push(self.path("an equation, `assert` or `tel`")?);
            while self.symbol(Symbol::Comma).is_some() {
                targets.push(self.path("the name of a variable")?);
            }
        }
        if open.is_some() {
            self.expect_symbol(Symbol::Close)?;
        }
        if self.peek() == Token::Symbol(Symbol::Assign) {
            let hint = "an equation is written with `=`";
            return Err(self.expected_with("`=`", Some(hint)));
        }
        self.expect_symbol(Symbol::Equal)?;
        self.finish(start, StatementKind::Equation(targets), node)
    }

    /// The expression of a statement and its `;`.
    fn finish(
        &mut self,
        start: Span,
        kind: StatementKind,
        node: &mut NodeDefinition,
    ) -> Parsed<()> {
        let value = self.root()?;
        let span = start.to(self.last_span());
        let statement = Statement { kind, value, span };
        node.statements.push(statement);
        self.expect_symbol(Symbol::Semicolon).map(|_| ())
    }
}
