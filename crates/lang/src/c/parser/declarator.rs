//! Declarators: what is said of a name around it, read from the name outwards.

use super::{Parsed, Parser, is_keyword};
use crate::c::syntax::{Declarator, Parameter, Parameters, Part, TypeName};
use crate::c::token::Kind;

impl Parser<'_> {
    /// A type without a name, as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        if !self.begins_type(0) {
            return self.fail("a type");
        }
        let specifiers = self.specifiers()?;
        let declarator = self.declarator()?;
        Ok(TypeName {
            specifiers,
            declarator,
        })
    }

    /// What a field of bits without a name has.
    pub(super) fn no_declarator(&self) -> Declarator {
        Declarator {
            name: None,
            parts: Vec::new(),
            span: self.peek().span,
        }
    }

    /// A declarator; there may be no name.
    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        self.deeper(Parser::declarator_within)
    }

    fn declarator_within(&mut self) -> Parsed<Declarator> {
        let start = self.peek().span;
        let mut pointers = 0usize;
        loop {
            if self.take("*") {
                pointers += 1;
            } else if self.peek().is("^") {
                return self.fail("a declarator");
            } else if !self.take_qualifier()? {
                break;
            }
        }
        let mut declarator = self.direct()?;
        while let Some(part) = self.suffix()? {
            declarator.parts.push(part);
        }
        let pointers = std::iter::repeat_with(|| Part::Pointer).take(pointers);
        declarator.parts.extend(pointers);
        declarator.span = self.since(start);
        Ok(declarator)
    }

    fn take_qualifier(&mut self) -> Parsed<bool> {
        let token = self.peek();
        let is_qualifier = matches!(
            token.text.as_str(),
            "const"
                | "volatile"
                | "__const"
                | "__volatile__"
                | "__volatile"
                | "_Nonnull"
                | "_Nullable"
        );
        if token.kind == Kind::Name && is_qualifier {
            self.at += 1;
            return Ok(true);
        }
        let before = self.at;
        self.skip_attributes()?;
        Ok(self.at > before)
    }

    /// The name, or a declarator in parentheses.
    fn direct(&mut self) -> Parsed<Declarator> {
        let token = self.peek();
        let mut declarator = self.no_declarator();
        if token.kind == Kind::Name && !is_keyword(token.text.as_str()) {
            declarator.name = Some(self.name("a name")?);
        } else if token.is("(") && !self.begins_parameters() {
            self.at += 1;
            declarator = self.declarator()?;
            self.expect(")")?;
        }
        Ok(declarator)
    }

    /// Whether the parentheses here hold parameters, and not a declarator.
    fn begins_parameters(&self) -> bool {
        let next = self.peek_at(1);
        next.is(")") || next.is("...") || self.begins_type(1) && !next.is_word("__attribute__")
    }

    fn suffix(&mut self) -> Parsed<Option<Part>> {
        if self.take("[") {
            while self.take_word("static") || self.take_qualifier()? {}
            if self.peek().is("*") && self.peek_at(1).is("]") {
                self.at += 1;
            }
            let size = match self.peek().is("]") {
                true => None,
                false => Some(Box::new(self.assignment()?)),
            };
            self.expect("]")?;
            return Ok(Some(Part::Array(size)));
        }
        if self.take("(") {
            return Ok(Some(Part::Function(self.scoped(Parser::parameters)?)));
        }
        Ok(None)
    }

    fn parameters(&mut self) -> Parsed<Parameters> {
        let mut parameters = Parameters {
            list: Vec::new(),
            variadic: false,
            old: Vec::new(),
            known: true,
        };
        if self.take(")") {
            parameters.known = false;
            return Ok(parameters);
        }
        if self.peek().is_word("void") && self.peek_at(1).is(")") {
            self.at += 2;
            return Ok(parameters);
        }
        if !self.begins_type(0) && !self.peek().is("...") {
            parameters.known = false;
            return self.old_parameters(parameters);
        }
        loop {
            if self.take("...") {
                parameters.variadic = true;
                break;
            }
            if !self.begins_type(0) {
                return self.fail("a type");
            }
            let specifiers = self.specifiers()?;
            let declarator = self.declarator()?;
            self.skip_attributes()?;
            if let Some(name) = declarator.name {
                self.declare(name.text, false);
            }
            parameters.list.push(Parameter {
                specifiers,
                declarator,
            });
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }

    fn old_parameters(&mut self, mut parameters: Parameters) -> Parsed<Parameters> {
        loop {
            parameters.old.push(self.name("a parameter")?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok(parameters);
            }
        }
    }
}
