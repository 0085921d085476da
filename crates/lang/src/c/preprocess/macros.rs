//! Macros: how they are defined and what they expand to (C11 6.10.3).
//!
//! What is to be read next is a stack of frames, the text of macros that are being expanded. A macro is not
//! expanded within its own text, and a name that was met there is never expanded later.

use super::{MOST_CALLS, Preprocessor};
use crate::c::token::{Kind, Token};
use proofmark_model::Symbol;
use proofmark_source::{Diagnostic, Span};
use std::rc::Rc;

/// A macro.
pub(super) struct Macro {
    pub span: Span,
    /// Nothing where it takes no arguments.
    parameters: Option<Vec<Symbol>>,
    /// Whether the last parameter takes all arguments that are left.
    variadic: bool,
    text: Vec<Token>,
}

/// Tokens that are read before what is below them.
pub(super) struct Frame {
    tokens: std::vec::IntoIter<Token>,
    /// The macro that they are the text of.
    pub name: Option<Symbol>,
}

impl Frame {
    pub fn next(&mut self) -> Option<Token> {
        self.tokens.next()
    }
}

impl Macro {
    /// The name and the macro of what stands behind `#define`.
    pub fn of_line(line: &[Token], span: Span) -> Result<(Symbol, Macro), Diagnostic> {
        let wrong = |span, message: &str| {
            let hint = "a definition is `#define NAME text` or `#define NAME(a, b) text`";
            Diagnostic::error(span, message).with_hint(hint)
        };
        let Some(name) = line.first().filter(|name| name.kind == Kind::Name) else {
            return Err(wrong(span, "expected the name of a macro"));
        };
        let mut made = Macro {
            span: name.span,
            parameters: None,
            variadic: false,
            text: Vec::new(),
        };
        let mut rest = &line[1..];
        if let Some(open) = rest.first().filter(|open| open.is("(") && !open.space) {
            let close = rest.iter().position(|token| token.is(")"));
            let close = close.ok_or_else(|| wrong(open.span, "this has no `)`"))?;
            made.take_parameters(&rest[1..close])
                .ok_or_else(|| wrong(open.span, "expected the names of parameters"))?;
            rest = &rest[close + 1..];
        }
        made.text = rest.to_vec();
        let pastes = |token: Option<&Token>| token.is_some_and(|token| token.is("##"));
        if pastes(rest.first()) || pastes(rest.last()) {
            return Err(wrong(
                name.span,
                "`##` joins two tokens, and one is missing",
            ));
        }
        Ok((name.text, made))
    }

    fn take_parameters(&mut self, tokens: &[Token]) -> Option<()> {
        let mut parameters = Vec::new();
        let parts: Vec<&[Token]> = match tokens {
            [] => Vec::new(),
            tokens => tokens.split(|token| token.is(",")).collect(),
        };
        for (at, part) in parts.iter().enumerate() {
            let name = match part {
                [name] if name.kind == Kind::Name => name.text,
                [dots] if dots.is("...") => Symbol::new("__VA_ARGS__"),
                [name, dots] if name.kind == Kind::Name && dots.is("...") => name.text,
                _ => return None,
            };
            self.variadic = part.last().is_some_and(|last| last.is("..."));
            if self.variadic && at + 1 < parts.len() || parameters.contains(&name) {
                return None;
            }
            parameters.push(name);
        }
        self.parameters = Some(parameters);
        Some(())
    }

    /// Whether both mean the same.
    pub fn is_like(&self, other: &Macro) -> bool {
        let texts =
            |made: &Macro| -> Vec<Symbol> { made.text.iter().map(|one| one.text).collect() };
        self.parameters == other.parameters && texts(self) == texts(other)
    }

    fn position(&self, token: &Token) -> Option<usize> {
        let parameters = self.parameters.as_ref()?;
        let is_name = token.kind == Kind::Name;
        let position = parameters.iter().position(|name| *name == token.text);
        position.filter(|_| is_name)
    }
}

/// An argument, and what it expands to where that is asked for.
struct Argument {
    tokens: Vec<Token>,
    expanded: Option<Vec<Token>>,
}

impl Preprocessor<'_, '_> {
    /// The next token, with macros expanded.
    pub(super) fn expanded(&mut self) -> Token {
        loop {
            let token = self.raw();
            if token.kind != Kind::Name || token.blocked {
                return token;
            }
            if let Some(made) = self.place_macro(&token) {
                return made;
            }
            let Some(found) = self.macros.get(&token.text).cloned() else {
                return token;
            };
            if self.active.contains(&token.text) {
                return Token {
                    blocked: true,
                    ..token
                };
            }
            if !self.expand(&token, &found) {
                return token;
            }
        }
    }

    /// All tokens of a list, expanded.
    pub(super) fn expand_all(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.calls >= MOST_CALLS {
            let message = format!("calls of macros are more than {MOST_CALLS} deep");
            let span = tokens.first().map_or(self.end, |first| first.span);
            self.error(span, message, "write it in several steps");
            self.stop();
            return Vec::new();
        }
        self.calls += 1;
        let barrier = std::mem::replace(&mut self.barrier, self.frames.len());
        // Without anything below it, a barrier has to be there all the same.
        self.push(Vec::new(), None);
        self.barrier += 1;
        self.push(tokens, None);
        let mut found = Vec::new();
        loop {
            let token = self.expanded();
            if token.kind == Kind::End {
                break;
            }
            found.push(token);
        }
        self.frames.truncate(self.barrier - 1);
        self.barrier = barrier;
        self.calls -= 1;
        found
    }

    fn push(&mut self, tokens: Vec<Token>, name: Option<Symbol>) {
        self.active.extend(name);
        let tokens = tokens.into_iter();
        self.frames.push(Frame { tokens, name });
    }

    /// `__LINE__`, `__FILE__` and what is like them.
    fn place_macro(&mut self, token: &Token) -> Option<Token> {
        let (kind, text) = match token.text.as_str() {
            "__LINE__" => {
                let line = self.world.sources.place(token.span).line;
                (Kind::Number, line.to_string())
            }
            "__FILE__" => {
                let name = self.world.sources.file(token.span.file).name();
                (Kind::Text, quoted(name))
            }
            "__COUNTER__" => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            "__DATE__" => (Kind::Text, "\"Jan  1 1970\"".to_string()),
            "__TIME__" => (Kind::Text, "\"00:00:00\"".to_string()),
            _ => return None,
        };
        let text = Symbol::new(&text);
        Some(Token {
            kind,
            text,
            ..*token
        })
    }

    /// Puts the text of a macro before what is read next; false where it is a name like any other.
    fn expand(&mut self, name: &Token, found: &Rc<Macro>) -> bool {
        let arguments = match &found.parameters {
            None => Vec::new(),
            Some(_) => match self.arguments(name, found) {
                Some(arguments) => arguments,
                None => return false,
            },
        };
        let mut text = self.substitute(name, found, arguments);
        for token in &mut text {
            token.first = false;
        }
        if let Some(first) = text.first_mut() {
            (first.space, first.first) = (name.space, name.first);
        }
        self.push(text, Some(name.text));
        true
    }

    /// The arguments of a call; nothing when it is none.
    fn arguments(&mut self, name: &Token, found: &Macro) -> Option<Vec<Argument>> {
        let open = self.raw();
        if !open.is("(") {
            if open.kind != Kind::End {
                self.push(vec![open], None);
            }
            return None;
        }
        let mut parts: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0usize;
        let wanted = found.parameters.as_ref().map_or(0, Vec::len);
        loop {
            let token = self.raw();
            let is_last = found.variadic && parts.len() >= wanted;
            match token.kind {
                Kind::End => {
                    let message = format!("the call of macro `{}` has no `)`", name.text);
                    self.error(name.span, message, "add it");
                    return Some(filled(parts, wanted));
                }
                Kind::Punctuator => match token.text.as_str() {
                    ")" if depth == 0 => break,
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    "," if depth == 0 && !is_last => {
                        parts.push(Vec::new());
                        continue;
                    }
                    _ => {}
                },
                _ => {}
            }
            let last = parts.len() - 1;
            parts[last].push(Token {
                blocked: token.blocked || self.active.contains(&token.text),
                ..token
            });
        }
        if wanted == 0 && parts.len() == 1 && parts[0].is_empty() {
            parts.clear();
        }
        let least = wanted - usize::from(found.variadic);
        if parts.len() < least || parts.len() > wanted {
            let message = format!(
                "macro `{}` takes {wanted} arguments, and {} are given",
                name.text,
                parts.len()
            );
            let told = Diagnostic::error(name.span, message);
            self.diagnostics
                .push(told.with_label(found.span, "defined here"));
        }
        Some(filled(parts, wanted))
    }

    /// The text of a macro with its arguments put in.
    fn substitute(
        &mut self,
        name: &Token,
        found: &Macro,
        mut arguments: Vec<Argument>,
    ) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        let mut pasting = false;
        let text = &found.text;
        for (at, token) in text.iter().enumerate() {
            if self.budget < out.len() {
                break;
            }
            let here = Token {
                span: name.span,
                ..*token
            };
            let next_pastes = text.get(at + 1).is_some_and(|next| next.is("##"));
            if token.is("##") && at > 0 {
                pasting = true;
                continue;
            }
            let mut part = match found.position(token) {
                Some(position) if at > 0 && text[at - 1].is("#") => {
                    // The `#` was put out as it is: it becomes the text.
                    out.pop();
                    vec![self.as_text(&here, &arguments[position].tokens)]
                }
                Some(position) if pasting || next_pastes => {
                    let before = at.checked_sub(2).map(|before| &text[before]);
                    let behind_comma = pasting && before.is_some_and(|before| before.is(","));
                    let is_rest = found.variadic && position + 1 == arguments.len();
                    if behind_comma && is_rest {
                        // `, ## rest`: the comma goes where there is no rest.
                        pasting = false;
                        if arguments[position].tokens.is_empty() {
                            out.pop();
                        }
                    }
                    arguments[position].tokens.clone()
                }
                Some(position) => self.expansion(&mut arguments[position]),
                None => vec![here],
            };
            if let Some(first) = part.first_mut() {
                first.space = token.space;
            }
            if std::mem::take(&mut pasting) && !part.is_empty() {
                let right = part.remove(0);
                match out.pop() {
                    Some(left) if !left.is_placeholder() => {
                        let pasted = self.paste(&left, &right);
                        out.extend(pasted);
                    }
                    _ => out.push(right),
                }
            } else if part.is_empty() && next_pastes {
                out.push(here.placeholder());
            }
            self.budget = self.budget.saturating_sub(part.len());
            out.extend(part);
        }
        out.retain(|token| !token.is_placeholder());
        out
    }

    fn expansion(&mut self, argument: &mut Argument) -> Vec<Token> {
        if argument.expanded.is_none() {
            argument.expanded = Some(self.expand_all(argument.tokens.clone()));
        }
        argument.expanded.clone().unwrap_or_default()
    }

    /// `#x`.
    fn as_text(&self, here: &Token, tokens: &[Token]) -> Token {
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 && (token.space || token.first) {
                text.push(' ');
            }
            text.push_str(token.text.as_str());
        }
        let quotes = |token: &&Token| matches!(token.kind, Kind::Text | Kind::Character);
        let text = match tokens.iter().any(|token| quotes(&token)) {
            true => escape_literals(tokens),
            false => text,
        };
        Token {
            kind: Kind::Text,
            text: Symbol::new(&format!("\"{text}\"")),
            ..*here
        }
    }

    /// `x ## y`.
    fn paste(&mut self, left: &Token, right: &Token) -> Vec<Token> {
        let text = format!("{}{}", left.text, right.text);
        let scanned = crate::c::scan::scan(&text, left.span.file);
        match scanned.as_slice() {
            [one] if one.kind != Kind::Other => vec![Token {
                kind: one.kind,
                text: one.text,
                blocked: false,
                ..*left
            }],
            _ => {
                let message = format!("`{}` and `{}` make no token", left.text, right.text);
                self.error(left.span, message, "`##` has to join them to one");
                vec![*left, *right]
            }
        }
    }
}

impl Token {
    /// What stands for an argument without tokens next to `##`.
    fn placeholder(self) -> Token {
        Token {
            kind: Kind::End,
            ..self
        }
    }

    fn is_placeholder(&self) -> bool {
        self.kind == Kind::End
    }
}

fn filled(parts: Vec<Vec<Token>>, wanted: usize) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = parts
        .into_iter()
        .map(|tokens| Argument {
            tokens,
            expanded: None,
        })
        .collect();
    arguments.resize_with(wanted, || Argument {
        tokens: Vec::new(),
        expanded: None,
    });
    arguments
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Literals within what becomes a literal keep their quotes.
fn escape_literals(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 && (token.space || token.first) {
            text.push(' ');
        }
        match token.kind {
            Kind::Text | Kind::Character => {
                let escaped = token.text.as_str().replace('\\', "\\\\");
                text.push_str(&escaped.replace('"', "\\\""));
            }
            _ => text.push_str(token.text.as_str()),
        }
    }
    text
}
