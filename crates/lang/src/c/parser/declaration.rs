//! Declarations and definitions: what stands before the declared names, and what follows them.

use super::{Parsed, Parser};
use crate::c::syntax::{
    Base, Declaration, Declarator, Definition, Designator, EnumSpecifier, External,
    FieldDeclaration, FieldDeclarator, Initializer, InitializerItem, Integer, Name, Part, Rank,
    RecordSpecifier, Specifiers, Storage,
};
use crate::c::token::{Kind, Token};
use proofmark_source::Span;

/// Words that say nothing about the type that matters here.
const QUALIFIERS: [&str; 24] = [
    "const",
    "volatile",
    "__const",
    "__const__",
    "__volatile",
    "__volatile__",
    "restrict",
    "__restrict",
    "__restrict__",
    "register",
    "inline",
    "__inline",
    "__inline__",
    "_Noreturn",
    "__extension__",
    "_Nonnull",
    "_Nullable",
    "__noreturn",
    "__cdecl",
    "__stdcall",
    "__forceinline",
    "__unaligned",
    "__ptr32",
    "__ptr64",
];

/// Words that begin a declaration, besides names of types.
const BEGINNINGS: [&str; 46] = [
    "typedef",
    "extern",
    "static",
    "auto",
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "_Complex",
    "struct",
    "union",
    "enum",
    "typeof",
    "__typeof__",
    "__typeof",
    "__thread",
    "_Thread_local",
    "_Atomic",
    "__int128",
    "__int128_t",
    "__uint128_t",
    "__attribute__",
    "_Alignas",
    "__signed__",
    "__signed",
    "__builtin_va_list",
    "__float128",
    "_Float128",
    "_Float64",
    "_Float32",
    "_Float16",
    "__auto_type",
    "__CPROVER_bool",
    "__CPROVER_size_t",
    "__CPROVER_bitvector",
    "__CPROVER_integer",
    "__CPROVER_rational",
    "__CPROVER_thread_local",
    "__CPROVER_floatbv",
    "__CPROVER_fixedbv",
];

/// The words of a type, counted: `unsigned long int`.
#[derive(Default)]
struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    longs: u32,
    int: bool,
    /// Any other type.
    base: Option<Base>,
    double: bool,
    char: bool,
    complex: bool,
    any: bool,
}

impl Parser<'_> {
    /// Whether a declaration begins here.
    pub(super) fn begins_declaration(&self) -> bool {
        self.peek().kind == Kind::Name && (self.begins_type(0))
    }

    /// Whether a type, or a declaration, begins some tokens ahead.
    pub(super) fn begins_type(&self, ahead: usize) -> bool {
        let token = self.peek_at(ahead);
        let text = token.text.as_str();
        if token.kind != Kind::Name {
            return false;
        }
        if text == "__extension__" {
            return self.begins_type(ahead + 1);
        }
        QUALIFIERS.contains(&text) || BEGINNINGS.contains(&text) || self.is_type_name(token.text)
    }

    /// A declaration or a definition outside of functions.
    pub(super) fn external(&mut self, externals: &mut Vec<External>) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        let start = self.peek();
        if start.is_word("_Static_assert") {
            externals.push(External::Check(self.static_assert()?));
            return Ok(());
        }
        if matches!(start.text.as_str(), "asm" | "__asm__") && start.kind == Kind::Name {
            self.error(start.span, "inline assembly is not supported", "remove it");
            self.at += 1;
            self.skip_parentheses()?;
            return self.expect(";").map(|_| ());
        }
        let specifiers = self.specifiers()?;
        if self.take(";") {
            let list = Vec::new();
            externals.push(External::Declaration(Declaration { specifiers, list }));
            return Ok(());
        }
        let declarator = self.declarator()?;
        self.skip_attributes()?;
        let is_function = matches!(declarator.parts.first(), Some(Part::Function(_)));
        if is_function && (self.peek().is("{") || self.begins_declaration()) {
            let definition = self.definition(specifiers, declarator, start.span)?;
            externals.push(External::Definition(definition));
            return Ok(());
        }
        let declaration = self.declaration_from(specifiers, declarator)?;
        externals.push(External::Declaration(declaration));
        Ok(())
    }

    fn definition(
        &mut self,
        specifiers: Specifiers,
        declarator: Declarator,
        start: Span,
    ) -> Parsed<Definition> {
        if let Some(name) = declarator.name {
            self.declare(name.text, false);
        }
        self.scoped(|parser| {
            let mut old = Vec::new();
            while parser.begins_declaration() {
                old.push(parser.declaration()?);
            }
            if let Some(Part::Function(parameters)) = declarator.parts.first() {
                let typed = parameters.list.iter().filter_map(|one| one.declarator.name);
                for name in typed.chain(parameters.old.iter().copied()) {
                    parser.declare(name.text, false);
                }
            }
            let body = parser.block()?;
            Ok(Definition {
                specifiers,
                declarator,
                old,
                body,
                span: parser.since(start),
            })
        })
    }

    /// A declaration with its `;`.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let specifiers = self.specifiers()?;
        if self.take(";") {
            let list = Vec::new();
            return Ok(Declaration { specifiers, list });
        }
        let first = self.declarator()?;
        self.skip_attributes()?;
        self.declaration_from(specifiers, first)
    }

    fn declaration_from(
        &mut self,
        specifiers: Specifiers,
        first: Declarator,
    ) -> Parsed<Declaration> {
        let is_type = specifiers.storage == Some(Storage::Typedef);
        let mut list = Vec::new();
        let mut declarator = first;
        loop {
            self.skip_attributes()?;
            match declarator.name {
                Some(name) => self.declare(name.text, is_type),
                None => return self.fail("a name"),
            }
            let value = match self.take("=") {
                true => Some(self.initializer_value()?),
                false => None,
            };
            list.push((declarator, value));
            if !self.take(",") {
                self.expect(";")?;
                return Ok(Declaration { specifiers, list });
            }
            self.skip_attributes()?;
            declarator = self.declarator()?;
        }
    }

    /// Everything before the declared names.
    pub(super) fn specifiers(&mut self) -> Parsed<Specifiers> {
        let start = self.peek().span;
        let mut storage = None;
        let mut words = Words::default();
        loop {
            let token = self.peek();
            let text = token.text.as_str();
            if token.kind != Kind::Name {
                break;
            }
            match text {
                "typedef" => storage = Some(Storage::Typedef),
                // `static` and `extern` inline functions are what they are without it.
                "extern" if storage.is_none() => storage = Some(Storage::Extern),
                "extern" => {}
                "static" => storage = Some(Storage::Static),
                "auto" | "register" => storage = storage.or(Some(Storage::Auto)),
                "__thread" | "_Thread_local" | "__CPROVER_thread_local" => {
                    let message = "thread-local storage (`__thread`) is not supported";
                    self.error(token.span, message, "there is one thread: remove it");
                }
                "__attribute__" | "_Alignas" | "__declspec" => {
                    self.skip_attributes()?;
                    continue;
                }
                _ if QUALIFIERS.contains(&text) => {}
                "_Atomic" => {
                    let message = "`_Atomic` is not supported";
                    self.error(token.span, message, "there is one thread: remove it");
                }
                _ => match self.type_word(token, &mut words)? {
                    true => continue,
                    false => break,
                },
            }
            self.at += 1;
        }
        if !words.any && storage.is_none() && self.at < self.tokens.len() && self.before_is(start) {
            return self.specifiers_missing(start);
        }
        let base = self.base_of(words, start);
        Ok(Specifiers {
            span: self.since(start),
            storage,
            base,
        })
    }

    fn before_is(&self, start: Span) -> bool {
        self.peek().span == start
    }

    /// Old code leaves out `int`.
    fn specifiers_missing(&mut self, start: Span) -> Parsed<Specifiers> {
        let is_function = self.peek().kind == Kind::Name && self.peek_at(1).is("(");
        let is_global = self.peek().kind == Kind::Name
            && self.scopes.len() == 1
            && [";", "=", "[", ","]
                .iter()
                .any(|text| self.peek_at(1).is(text));
        if !is_function && !is_global && !self.peek().is("*") {
            return self.fail("a declaration or a statement");
        }
        Ok(Specifiers {
            span: start,
            storage: None,
            base: INT,
        })
    }

    /// Takes in a word of a type; false where it is none.
    fn type_word(&mut self, token: Token, words: &mut Words) -> Parsed<bool> {
        let has_base = words.any;
        words.any = true;
        match token.text.as_str() {
            "signed" | "__signed__" | "__signed" => words.signed = true,
            "unsigned" => words.unsigned = true,
            "short" => words.short = true,
            "long" => words.longs += 1,
            "int" => words.int = true,
            "char" => words.char = true,
            "double" => words.double = true,
            "_Complex" | "__complex__" => words.complex = true,
            "void" => words.base = Some(Base::Void),
            "_Bool" | "__CPROVER_bool" => words.base = Some(Base::Bool),
            "float" => words.base = Some(Base::Float("float", 4)),
            "_Float32" => words.base = Some(Base::Float("_Float32", 4)),
            "_Float64" => words.base = Some(Base::Float("_Float64", 8)),
            "_Float16" => words.base = Some(Base::Float("_Float16", 2)),
            "__float128" | "_Float128" => words.base = Some(Base::Float("__float128", 16)),
            "__CPROVER_size_t" => words.base = Some(SIZE),
            "__int128" | "__int128_t" | "__uint128_t" => {
                words.base = Some(Base::Refused("`__int128`"));
            }
            "__builtin_va_list" => words.base = Some(Base::Refused("`va_list`")),
            "__auto_type" => words.base = Some(Base::Refused("`__auto_type`")),
            "__CPROVER_bitvector"
            | "__CPROVER_integer"
            | "__CPROVER_rational"
            | "__CPROVER_floatbv"
            | "__CPROVER_fixedbv" => {
                words.base = Some(Base::Refused("a type of the checker's own"));
                self.at += 1;
                while self.take("[") {
                    self.expression()?;
                    self.expect("]")?;
                }
                return Ok(true);
            }
            "struct" | "union" => {
                words.base = Some(self.record()?);
                return Ok(true);
            }
            "enum" => {
                words.base = Some(self.enumeration()?);
                return Ok(true);
            }
            "typeof" | "__typeof__" | "__typeof" => {
                words.base = Some(self.type_of()?);
                return Ok(true);
            }
            _ if !has_base && self.is_type_name(token.text) => {
                words.base = Some(Base::Named(token.text));
            }
            _ => {
                words.any = has_base;
                return Ok(false);
            }
        }
        self.at += 1;
        Ok(true)
    }

    fn base_of(&mut self, words: Words, span: Span) -> Base {
        let integer = |rank| {
            Base::Integer(Integer {
                rank,
                signed: !words.unsigned,
            })
        };
        if words.complex {
            return Base::Refused("complex arithmetic");
        }
        if words.double {
            return match words.longs {
                0 => Base::Float("double", 8),
                _ => Base::Float("long double", 16),
            };
        }
        let modified = words.short || words.longs > 0;
        if words.longs > 2 || words.short && words.longs > 0 || words.char && modified {
            let message = "these words make no type";
            self.error(
                span,
                message,
                "the integers are `char`, `short`, `int`, `long` and `long long`",
            );
        }
        match words.base {
            Some(Base::Refused(_)) if words.unsigned || words.signed => words.base.unwrap_or(INT),
            Some(base) if !(modified || words.unsigned || words.signed || words.int) => base,
            Some(base) => {
                let message = "two types in one declaration";
                self.error(span, message, "remove one, or add the missing `;`");
                base
            }
            None if words.char => integer(Rank::Char),
            None if words.short => integer(Rank::Short),
            None if words.longs == 1 => integer(Rank::Long),
            None if words.longs > 1 => integer(Rank::LongLong),
            None => integer(Rank::Int),
        }
    }

    fn type_of(&mut self) -> Parsed<Base> {
        self.at += 1;
        self.expect("(")?;
        let base = match self.begins_type(0) {
            true => Base::TypeOfType(Box::new(self.deeper(Parser::type_name)?)),
            false => Base::TypeOf(Box::new(self.expression()?)),
        };
        self.expect(")")?;
        Ok(base)
    }

    fn tag(&mut self) -> Parsed<Option<Name>> {
        match self.peek().kind == Kind::Name {
            true => self.name("a tag").map(Some),
            false => Ok(None),
        }
    }

    fn record(&mut self) -> Parsed<Base> {
        let word = self.next();
        let mut is_packed = self.skip_attributes()?;
        let tag = self.tag()?;
        let fields = match self.take("{") {
            true => Some(self.deeper(Parser::fields)?),
            false => None,
        };
        if tag.is_none() && fields.is_none() {
            return self.fail("a tag or fields");
        }
        if fields.is_some() {
            is_packed |= self.skip_attributes()?;
        }
        Ok(Base::Record(Box::new(RecordSpecifier {
            span: self.since(word.span),
            is_union: word.is_word("union"),
            is_packed,
            tag,
            fields,
        })))
    }

    fn fields(&mut self) -> Parsed<Vec<FieldDeclaration>> {
        let mut all = Vec::new();
        while !self.take("}") {
            if self.peek().kind == Kind::End {
                return self.fail("`}`");
            }
            if self.take(";") {
                continue;
            }
            if self.peek().is_word("_Static_assert") {
                self.static_assert()?;
                continue;
            }
            let specifiers = self.specifiers()?;
            let mut fields = Vec::new();
            while !self.peek().is(";") {
                let declarator = match self.peek().is(":") {
                    true => self.no_declarator(),
                    false => self.declarator()?,
                };
                let bits = match self.take(":") {
                    true => Some(self.conditional()?),
                    false => None,
                };
                self.skip_attributes()?;
                fields.push(FieldDeclarator { declarator, bits });
                if !self.take(",") {
                    break;
                }
            }
            self.expect(";")?;
            all.push(FieldDeclaration { specifiers, fields });
        }
        Ok(all)
    }

    fn enumeration(&mut self) -> Parsed<Base> {
        let word = self.next();
        self.skip_attributes()?;
        let tag = self.tag()?;
        let mut values = None;
        if self.take("{") {
            let mut list = Vec::new();
            while !self.take("}") {
                let name = self.name("the name of a value")?;
                self.skip_attributes()?;
                self.declare(name.text, false);
                let value = match self.take("=") {
                    true => Some(self.conditional()?),
                    false => None,
                };
                list.push((name, value));
                if !self.take(",") && !self.peek().is("}") {
                    return self.fail("`,` or `}`");
                }
            }
            values = Some(list);
            self.skip_attributes()?;
        }
        if tag.is_none() && values.is_none() {
            return self.fail("a tag or values");
        }
        Ok(Base::Enum(Box::new(EnumSpecifier {
            span: self.since(word.span),
            tag,
            values,
        })))
    }

    /// `{ … }`.
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        let start = self.expect("{")?;
        let mut items = Vec::new();
        while !self.take("}") {
            let designators = self.designators()?;
            let value = self.initializer_value()?;
            items.push(InitializerItem { designators, value });
            if !self.take(",") && !self.peek().is("}") {
                return self.fail("`,` or `}`");
            }
        }
        Ok(Initializer::List(items, self.since(start)))
    }

    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        // GNU C has `field: value`, too.
        if self.peek().kind == Kind::Name && self.peek_at(1).is(":") {
            designators.push(Designator::Field(self.name("the name of a field")?));
            self.at += 1;
            return Ok(designators);
        }
        loop {
            if self.take(".") {
                designators.push(Designator::Field(self.name("the name of a field")?));
            } else if self.take("[") {
                let low = self.conditional()?;
                designators.push(match self.take("...") {
                    true => Designator::Range(low, self.conditional()?),
                    false => Designator::Index(low),
                });
                self.expect("]")?;
            } else {
                break;
            }
        }
        // Old GNU C leaves the sign out behind an index.
        let index = matches!(
            designators.last(),
            Some(Designator::Index(_) | Designator::Range(..))
        );
        if !designators.is_empty() && (!index || self.peek().is("=")) {
            self.expect("=")?;
        }
        Ok(designators)
    }
}

const INT: Base = Base::Integer(Integer {
    rank: Rank::Int,
    signed: true,
});

/// `size_t`.
const SIZE: Base = Base::Integer(Integer {
    rank: Rank::Long,
    signed: false,
});
