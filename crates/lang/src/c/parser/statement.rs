//! Statements.

use super::{Failed, MOST_ERRORS, Parsed, Parser, is_keyword};
use crate::c::syntax::{Block, For, Item, StaticAssert, Stmt, StmtKind};
use crate::c::token::{Kind, Token};

impl Parser<'_> {
    /// A block; who opens it makes the scope.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.expect("{")?;
        let mut items = Vec::new();
        while !self.peek().is("}") {
            if self.peek().kind == Kind::End {
                return self.fail("`}`");
            }
            let before = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(Failed) if self.errors > MOST_ERRORS => return Err(Failed),
                Err(Failed) => {
                    self.recover();
                    // Whatever is wrong, something has to be read.
                    self.at += usize::from(self.at == before && !self.peek().is("}"));
                }
            }
        }
        self.at += 1;
        let span = self.since(start);
        Ok(Block { items, span })
    }

    fn item(&mut self) -> Parsed<Item> {
        let token = self.peek();
        if token.is_word("_Static_assert") {
            return Ok(Item::Check(self.static_assert()?));
        }
        let is_label = token.kind == Kind::Name && self.peek_at(1).is(":");
        if !is_label && self.begins_declaration() {
            return Ok(Item::Declaration(self.declaration()?));
        }
        Ok(Item::Statement(self.statement()?))
    }

    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.next().span;
        self.expect("(")?;
        let condition = self.conditional()?;
        let text = match self.take(",") {
            true => self.string_literal()?,
            false => String::new(),
        };
        self.expect(")")?;
        self.expect(";")?;
        Ok(StaticAssert {
            condition,
            text,
            span: self.since(start),
        })
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        self.deeper(|parser| {
            parser.skip_statement_attributes()?;
            let start = parser.peek();
            let kind = match start.kind {
                Kind::Name => parser.word_statement(start)?,
                Kind::Punctuator if start.is("{") => StmtKind::Block(parser.scoped(Parser::block)?),
                Kind::Punctuator if start.is(";") => {
                    parser.at += 1;
                    StmtKind::Empty
                }
                _ => parser.expression_statement()?,
            };
            let span = parser.since(start.span);
            Ok(Stmt { kind, span })
        })
    }

    fn skip_statement_attributes(&mut self) -> Parsed<()> {
        while self.peek().is_word("__attribute__") || self.peek().is_word("__extension__") {
            self.skip_attributes()?;
        }
        Ok(())
    }

    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let value = self.expression()?;
        self.expect(";")?;
        Ok(StmtKind::Expr(value))
    }

    fn word_statement(&mut self, token: Token) -> Parsed<StmtKind> {
        let text = token.text.as_str();
        if self.peek_at(1).is(":") && !is_keyword(text) {
            let name = self.name("a label")?;
            self.at += 1;
            self.skip_attributes()?;
            return Ok(StmtKind::Label(name, self.labelled()?));
        }
        match text {
            "if" | "while" | "switch" | "for" | "do" => {
                self.at += 1;
                self.compound(text)
            }
            "case" => {
                self.at += 1;
                let low = self.conditional()?;
                let high = match self.take("...") {
                    true => Some(self.conditional()?),
                    false => None,
                };
                self.expect(":")?;
                Ok(StmtKind::Case(low, high, self.labelled()?))
            }
            "default" => {
                self.at += 1;
                self.expect(":")?;
                Ok(StmtKind::Default(self.labelled()?))
            }
            "goto" | "break" | "continue" | "return" => {
                self.at += 1;
                let kind = self.jump(text)?;
                self.expect(";")?;
                Ok(kind)
            }
            "asm" | "__asm__" | "__asm" => self.assembly(),
            "__CPROVER_loop_invariant" | "__CPROVER_assigns" => {
                self.fail("a statement without contracts")
            }
            _ => self.expression_statement(),
        }
    }

    /// What a label stands before; at the end of a block, nothing.
    fn labelled(&mut self) -> Parsed<Box<Stmt>> {
        let span = self.before();
        if self.peek().is("}") {
            let kind = StmtKind::Empty;
            return Ok(Box::new(Stmt { kind, span }));
        }
        if self.begins_declaration() && !self.peek_at(1).is(":") {
            // GNU C and C23 have declarations behind labels.
            let Item::Declaration(declaration) = self.item()? else {
                return self.fail("a statement");
            };
            let items = vec![Item::Declaration(declaration)];
            let kind = StmtKind::Block(Block { items, span });
            return Ok(Box::new(Stmt { kind, span }));
        }
        Ok(Box::new(self.statement()?))
    }

    fn condition(&mut self) -> Parsed<crate::c::syntax::Expr> {
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn compound(&mut self, word: &str) -> Parsed<StmtKind> {
        Ok(match word {
            "if" => {
                let condition = self.condition()?;
                let then = Box::new(self.statement()?);
                let other = match self.take_word("else") {
                    true => Some(Box::new(self.statement()?)),
                    false => None,
                };
                StmtKind::If(condition, then, other)
            }
            "while" => {
                let condition = self.condition()?;
                StmtKind::While(condition, Box::new(self.statement()?))
            }
            "switch" => {
                let value = self.condition()?;
                StmtKind::Switch(value, Box::new(self.statement()?))
            }
            "do" => {
                let body = Box::new(self.statement()?);
                if !self.take_word("while") {
                    return self.fail("`while`");
                }
                let condition = self.condition()?;
                self.expect(";")?;
                StmtKind::Do(body, condition)
            }
            _ => StmtKind::For(Box::new(self.scoped(Parser::for_parts)?)),
        })
    }

    fn for_parts(&mut self) -> Parsed<For> {
        self.expect("(")?;
        let first = match self.take(";") {
            true => None,
            false if self.begins_declaration() => Some(Item::Declaration(self.declaration()?)),
            false => {
                let start = self.peek().span;
                let kind = self.expression_statement()?;
                let span = self.since(start);
                Some(Item::Statement(Stmt { kind, span }))
            }
        };
        let condition = self.optional(";")?;
        let step = self.optional(")")?;
        let body = self.statement()?;
        Ok(For {
            first,
            condition,
            step,
            body,
        })
    }

    fn optional(&mut self, end: &str) -> Parsed<Option<crate::c::syntax::Expr>> {
        if self.take(end) {
            return Ok(None);
        }
        let value = self.expression()?;
        self.expect(end)?;
        Ok(Some(value))
    }

    fn jump(&mut self, word: &str) -> Parsed<StmtKind> {
        Ok(match word {
            "goto" if self.peek().is("*") => {
                self.at += 1;
                self.expression()?;
                StmtKind::Refused("a computed `goto`")
            }
            "goto" => StmtKind::Goto(self.name("the name of a label")?),
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            _ if self.peek().is(";") => StmtKind::Return(None),
            _ => StmtKind::Return(Some(self.expression()?)),
        })
    }

    /// Assembly without instructions only keeps a compiler from moving things, and does nothing.
    fn assembly(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        while ["volatile", "__volatile__", "goto", "inline"]
            .iter()
            .any(|word| self.take_word(word))
        {}
        let start = self.at;
        self.skip_parentheses()?;
        let within: Vec<Token> = self.tokens[start..self.at].to_vec();
        self.expect(";")?;
        let is_empty = within
            .get(1)
            .is_some_and(|text| text.text.as_str() == "\"\"");
        let names = within.iter().any(|one| one.kind == Kind::Name);
        match is_empty && !names {
            true => Ok(StmtKind::Empty),
            false => Ok(StmtKind::Refused("inline assembly")),
        }
    }
}
