//! Directives: what a line that begins with `#` asks for.

use super::condition::evaluate;
use super::{Condition, Macro, Preprocessor};
use crate::c::token::{Kind, Token, join};
use proofmark_model::Symbol;
use proofmark_source::{Diagnostic, Span};
use std::rc::Rc;

impl Preprocessor<'_, '_> {
    /// Follows a directive; its `#` has been read.
    pub(super) fn directive(&mut self, hash: Token) {
        let line = self.line();
        let Some(name) = line.first().copied() else {
            return;
        };
        let rest = &line[1..];
        match name.text.as_str() {
            "if" => {
                let keep = self.condition(rest, name.span);
                self.begin(name.span, keep);
            }
            "ifdef" => {
                let keep = self.is_defined(rest, name.span);
                self.begin(name.span, keep);
            }
            "ifndef" => {
                let keep = !self.is_defined(rest, name.span);
                self.begin(name.span, keep);
            }
            "elif" | "else" => self.other_part(name),
            "endif" => self.end_condition(name),
            "define" => self.define(rest, name.span),
            "undef" => self.undefine(rest, name.span),
            "include" | "include_next" | "import" => self.include_line(rest, name.span),
            "error" => {
                let message = format!("#error {}", self.text_of(rest));
                self.error(name.span, message, "the file refuses to be read like this");
            }
            "warning" => {
                let message = format!("#warning {}", self.text_of(rest));
                self.diagnostics
                    .push(Diagnostic::warning(name.span, message));
            }
            "pragma" if rest.first().is_some_and(|one| one.is_word("once")) => {
                let file = self.open.last().map(|open| open.file);
                self.once.extend(file);
            }
            "pragma" | "line" | "ident" | "sccs" | "assert" | "unassert" => {}
            // A line marker of a file that was preprocessed before.
            _ if name.kind == Kind::Number => {}
            other => {
                let message = format!("there is no directive `#{other}`");
                self.error(join(hash.span, name.span), message, "remove the line");
            }
        }
    }

    fn text_of(&self, tokens: &[Token]) -> String {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return String::new();
        };
        let text = self.world.sources.text(first.span.to(last.span));
        text.to_string()
    }

    fn is_defined(&mut self, line: &[Token], span: Span) -> bool {
        match line.first() {
            Some(name) if name.kind == Kind::Name => self.macros.contains_key(&name.text),
            _ => {
                self.error(span, "expected the name of a macro", "name one");
                false
            }
        }
    }

    fn condition(&mut self, line: &[Token], span: Span) -> bool {
        let line = self.without_defined(line);
        let tokens = self.expand_all(line);
        match evaluate(&tokens, span) {
            Ok(value) => value,
            Err(fault) => {
                self.diagnostics.push(fault);
                false
            }
        }
    }

    /// `defined x` is decided before macros are expanded.
    fn without_defined(&mut self, line: &[Token]) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(token) = line.get(at) {
            let asked = match (line.get(at + 1), line.get(at + 2), line.get(at + 3)) {
                _ if !token.is_word("defined") => None,
                (Some(open), Some(name), Some(close)) if open.is("(") && close.is(")") => {
                    Some((name, 4))
                }
                (Some(name), _, _) if name.kind == Kind::Name => Some((name, 2)),
                _ => None,
            };
            let Some((name, length)) = asked else {
                tokens.push(*token);
                at += 1;
                continue;
            };
            let is_defined = self.macros.contains_key(&name.text);
            let text = if is_defined { "1" } else { "0" };
            tokens.push(Token {
                kind: Kind::Number,
                text: Symbol::new(text),
                ..*token
            });
            at += length;
        }
        tokens
    }

    fn begin(&mut self, span: Span, keep: bool) {
        if let Some(open) = self.open.last_mut() {
            open.conditions.push(Condition {
                span,
                kept: keep,
                last: false,
            });
        }
        if !keep {
            self.skip();
        }
    }

    /// An `#elif` or `#else` that ends what was kept.
    fn other_part(&mut self, name: Token) {
        let condition = self
            .open
            .last_mut()
            .and_then(|one| one.conditions.last_mut());
        match condition {
            Some(condition) if !condition.last => {
                condition.last = name.is_word("else");
                self.skip();
            }
            _ => {
                let message = format!("`#{}` belongs to no condition", name.text);
                self.error(name.span, message, "remove it, or add `#if`");
            }
        }
    }

    fn end_condition(&mut self, name: Token) {
        let ended = self.open.last_mut().and_then(|one| one.conditions.pop());
        if ended.is_none() {
            self.error(
                name.span,
                "`#endif` ends nothing",
                "remove it, or add `#if`",
            );
        }
    }

    /// Skips to the part of the condition that is kept, or to its end.
    fn skip(&mut self) {
        let mut nested = 0usize;
        while let Some(name) = self.next_directive() {
            match name.text.as_str() {
                "if" | "ifdef" | "ifndef" => nested += 1,
                "endif" if nested > 0 => nested -= 1,
                "endif" => return self.end_condition(name),
                "elif" | "else" if nested == 0 && self.keeps(name) => return,
                _ => {}
            }
        }
    }

    /// Whether the part that begins here is kept.
    fn keeps(&mut self, name: Token) -> bool {
        let line = self.line();
        let is_else = name.is_word("else");
        let condition = self
            .open
            .last_mut()
            .and_then(|one| one.conditions.last_mut());
        let Some(condition) = condition else {
            return false;
        };
        let (kept, last) = (condition.kept, condition.last);
        condition.last |= is_else;
        if last {
            self.error(name.span, "this comes behind `#else`", "put it before");
            return false;
        }
        let keep = !kept && (is_else || self.condition(&line, name.span));
        let condition = self
            .open
            .last_mut()
            .and_then(|one| one.conditions.last_mut());
        if let Some(condition) = condition {
            condition.kept |= keep;
        }
        keep
    }

    /// Skips to the name of the next directive of this file.
    fn next_directive(&mut self) -> Option<Token> {
        let open = self.open.last_mut()?;
        while let Some(token) = open.tokens.get(open.at) {
            open.at += 1;
            if token.first && token.is("#") {
                let name = open.tokens.get(open.at).filter(|name| !name.first);
                if let Some(name) = name {
                    open.at += 1;
                    return Some(*name);
                }
            }
        }
        None
    }

    fn define(&mut self, line: &[Token], span: Span) {
        match Macro::of_line(line, span) {
            Ok((name, _)) if matches!(name.as_str(), "defined" | "__VA_ARGS__") => {
                let message = format!("`{name}` cannot be defined");
                self.error(span, message, "take another name");
            }
            Ok((name, made)) => {
                let before = self.macros.insert(name, Rc::new(made));
                let made = &self.macros[&name];
                if let Some(before) = before.filter(|before| !before.is_like(made)) {
                    let message = format!("macro `{name}` is defined again with another text");
                    let told = Diagnostic::warning(span, message);
                    let told = told.with_label(before.span, "defined here before");
                    self.diagnostics.push(told);
                }
            }
            Err(fault) => self.diagnostics.push(fault),
        }
    }

    fn undefine(&mut self, line: &[Token], span: Span) {
        match line.first() {
            Some(name) if name.kind == Kind::Name => {
                self.macros.remove(&name.text);
            }
            _ => self.error(span, "expected the name of a macro", "name one"),
        }
    }

    fn include_line(&mut self, line: &[Token], span: Span) {
        let plain = self.header_name(line);
        let name = plain.or_else(|| {
            let expanded = self.expand_all(line.to_vec());
            self.header_name(&expanded)
        });
        let span = line.first().map_or(span, |first| join(span, first.span));
        match name {
            Some(name) if name.len() > 2 => self.include(&name, span),
            _ => {
                let message = "expected the name of a file, as \"name.h\" or <name.h>";
                self.error(span, message, "write the name in quotes");
            }
        }
    }

    fn header_name(&self, line: &[Token]) -> Option<String> {
        let first = line.first()?;
        if first.kind == Kind::Text && first.text.as_str().starts_with('"') {
            return Some(first.text.to_string());
        }
        let close = line.iter().position(|token| token.is(">"))?;
        if !first.is("<") {
            return None;
        }
        // Blanks are part of the name, and macros spell it token by token.
        let within = &line[1..close];
        let text = within.iter().map(|token| token.text.as_str());
        Some(format!("<{}>", text.collect::<String>()))
    }
}
