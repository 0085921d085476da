//! The preprocessor: files to the tokens of one translation unit (C11 6.10).
//!
//! ```text
//!  file ─scan─▶ tokens ─directives─▶ what conditions keep ─macros─▶ tokens, each with its place
//!    ▲             │ #include
//!    └── a reader ─┘
//! ```
//!
//! It opens no file: whoever asks gives a function that does. The work is bounded whatever a file says: by the depth of includes,
//! their number, and the number of tokens, so that a cycle or a macro that doubles without end is an error
//! with its place. `#line` and `#pragma` mean nothing here: a place is always the one in the file.

mod condition;
mod directive;
mod macros;

use super::headers;
use super::scan::scan;
use super::token::{Kind, Token};
use macros::{Frame, Macro};
use proofmark_model::Symbol;
use proofmark_source::{Diagnostic, FileId, Sources, Span, nearest};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::rc::Rc;

/// Reads a file by its path, if it is there.
type Reader<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// How many files may include each other.
const MOST_NESTED: usize = 100;
/// How many files one unit may include.
const MOST_INCLUDED: usize = 5_000;
/// How many tokens are looked at for one unit.
const MOST_TOKENS: usize = 4_000_000;
/// How deep calls of macros may be within arguments of calls.
const MOST_CALLS: usize = 60;

/// What is the same for all units of a program.
pub(super) struct World<'a> {
    pub sources: &'a mut Sources,
    pub reader: Reader<'a>,
    /// Folders of included files.
    pub folders: &'a [String],
    /// Files by the path that they were looked for.
    known: FxHashMap<String, Option<FileId>>,
    scanned: FxHashMap<FileId, Rc<[Token]>>,
}

impl<'a> World<'a> {
    pub fn new(sources: &'a mut Sources, reader: Reader<'a>, folders: &'a [String]) -> World<'a> {
        World {
            sources,
            reader,
            folders,
            known: FxHashMap::default(),
            scanned: FxHashMap::default(),
        }
    }

    /// A file that the reader makes up.
    pub fn invented(&mut self, name: &str, text: &str) -> Option<FileId> {
        self.find(name, |_| Some(text.as_bytes().to_vec()))
    }

    fn find(
        &mut self,
        path: &str,
        read: impl FnOnce(Reader<'_>) -> Option<Vec<u8>>,
    ) -> Option<FileId> {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        // A file that was read before is the same one.
        let before = self.sources.find(path);
        let before = before.filter(|file| self.sources.file(*file).name() == path);
        let file = before.or_else(|| {
            let bytes = read(self.reader)?;
            self.sources.add_bytes(path, bytes).ok()
        });
        self.known.insert(path.to_string(), file);
        file
    }

    fn tokens(&mut self, file: FileId) -> Result<Rc<[Token]>, Diagnostic> {
        if let Some(known) = self.scanned.get(&file) {
            return Ok(known.clone());
        }
        let tokens: Rc<[Token]> = scan(self.sources.decode(file)?, file).into();
        self.scanned.insert(file, tokens.clone());
        Ok(tokens)
    }

    /// The file that is meant by a name, looked for beside `from` if `beside` is that.
    fn included(&mut self, name: &str, beside: Option<FileId>) -> Option<FileId> {
        let beside = beside.map(|file| {
            let path = Path::new(self.sources.file(file).name());
            path.parent().map_or(String::new(), folder_text)
        });
        let folders: Vec<String> = beside.into_iter().chain(self.folders.to_vec()).collect();
        for folder in folders {
            let path = match folder.as_str() {
                "" => name.to_string(),
                folder => folder_text(&Path::new(folder).join(name)),
            };
            let found = self.find(&path, |reader| reader(&path));
            if found.is_some() {
                return found;
            }
        }
        let text = headers::text(name)?;
        self.invented(&format!("<{name}>"), text)
    }
}

fn folder_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What a unit is made of.
pub(super) struct Unit {
    pub tokens: Vec<Token>,
    /// How the text of a macro that stands for a constant or a place is told.
    pub end: Span,
}

/// The tokens of a file and all that it includes.
pub(super) fn unit(
    world: &mut World<'_>,
    file: FileId,
    before: &[FileId],
    diagnostics: &mut Vec<Diagnostic>,
) -> Unit {
    let end = world.sources.file(file).text().len() as u32;
    let end = Span::new(file, end, end);
    let mut preprocessor = Preprocessor::new(world, diagnostics, end);
    let mut tokens = Vec::new();
    // What is defined before a file is opened leaves no tokens, as a rule.
    for file in before.iter().chain([&file]) {
        preprocessor.open(*file, end);
        preprocessor.run(&mut tokens);
    }
    Unit { tokens, end }
}

/// A file that is being read.
struct Open {
    file: FileId,
    tokens: Rc<[Token]>,
    at: usize,
    conditions: Vec<Condition>,
}

/// An `#if` that has no `#endif` yet.
struct Condition {
    span: Span,
    /// Whether a part of it was kept, so that no other is.
    kept: bool,
    /// Whether `#else` was seen.
    last: bool,
}

struct Preprocessor<'a, 'w> {
    world: &'a mut World<'w>,
    diagnostics: &'a mut Vec<Diagnostic>,
    macros: FxHashMap<Symbol, Rc<Macro>>,
    /// Macros that are being expanded.
    active: FxHashSet<Symbol>,
    open: Vec<Open>,
    frames: Vec<Frame>,
    /// What is below this frame is not looked at: an argument ends where it ends.
    barrier: usize,
    calls: usize,
    once: FxHashSet<FileId>,
    included: usize,
    counter: u32,
    /// Tokens that may still be looked at.
    budget: usize,
    end: Span,
}

impl<'a, 'w> Preprocessor<'a, 'w> {
    fn new(
        world: &'a mut World<'w>,
        diagnostics: &'a mut Vec<Diagnostic>,
        end: Span,
    ) -> Preprocessor<'a, 'w> {
        Preprocessor {
            world,
            diagnostics,
            macros: FxHashMap::default(),
            active: FxHashSet::default(),
            open: Vec::new(),
            frames: Vec::new(),
            barrier: 0,
            calls: 0,
            once: FxHashSet::default(),
            included: 0,
            counter: 0,
            budget: MOST_TOKENS,
            end,
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        let told = Diagnostic::error(span, message).with_hint(hint);
        self.diagnostics.push(told);
    }

    fn run(&mut self, tokens: &mut Vec<Token>) {
        loop {
            let token = self.expanded();
            match token.kind {
                Kind::End => return,
                _ => tokens.push(token),
            }
        }
    }

    fn open(&mut self, file: FileId, from: Span) {
        let file_tokens = match self.world.tokens(file) {
            Ok(tokens) => tokens,
            Err(fault) => return self.diagnostics.push(fault),
        };
        if self.open.len() >= MOST_NESTED {
            let name = self.world.sources.file(file).name().to_string();
            let message = format!("{name} is included {MOST_NESTED} files deep");
            let hint = "a file includes itself: guard it with `#pragma once` or `#ifndef`";
            self.error(from, message, hint);
            // Whoever includes one too many would do so from every file on the way.
            return self.stop();
        }
        self.included += 1;
        if self.included > MOST_INCLUDED {
            let message = format!("more than {MOST_INCLUDED} files are included");
            self.error(from, message, "guard files against being included again");
            return self.stop();
        }
        self.open.push(Open {
            file,
            tokens: file_tokens,
            at: 0,
            conditions: Vec::new(),
        });
    }

    /// Gives up on all files.
    fn stop(&mut self) {
        self.open.clear();
        self.frames.truncate(self.barrier);
        self.budget = 0;
    }

    fn end_token(&self) -> Token {
        Token {
            kind: Kind::End,
            text: Symbol::new(""),
            span: self.end,
            spelled: self.end,
            space: true,
            first: true,
            blocked: false,
        }
    }

    /// The next token, before macros are expanded.
    fn raw(&mut self) -> Token {
        loop {
            if self.frames.len() > self.barrier {
                let at = self.frames.len() - 1;
                if let Some(token) = self.frames[at].next() {
                    return self.spend(token);
                }
                let name = self.frames.pop().and_then(|frame| frame.name);
                if let Some(name) = name {
                    self.active.remove(&name);
                }
            } else if self.barrier > 0 {
                return self.end_token();
            } else if let Some(token) = self.file_token() {
                return self.spend(token);
            } else if self.open.is_empty() {
                return self.end_token();
            }
        }
    }

    fn spend(&mut self, token: Token) -> Token {
        if self.budget > 0 {
            self.budget -= 1;
            return token;
        }
        if !self.open.is_empty() {
            let message = format!("macros and files grow beyond {MOST_TOKENS} tokens");
            self.error(
                token.span,
                message,
                "look for macros that double what they are given",
            );
        }
        self.stop();
        self.end_token()
    }

    /// A token of the file that is read; nothing when a directive was followed, or a file has ended.
    fn file_token(&mut self) -> Option<Token> {
        let open = self.open.last_mut()?;
        let Some(token) = open.tokens.get(open.at).copied() else {
            return self.close();
        };
        open.at += 1;
        if token.first && token.is("#") {
            self.directive(token);
            return None;
        }
        Some(token)
    }

    fn close(&mut self) -> Option<Token> {
        let closed = self.open.pop()?;
        for condition in closed.conditions {
            let message = "this condition has no `#endif`";
            self.error(condition.span, message, "add `#endif` where it ends");
        }
        None
    }

    /// The rest of the line, for a directive.
    fn line(&mut self) -> Vec<Token> {
        let Some(open) = self.open.last_mut() else {
            return Vec::new();
        };
        let rest = &open.tokens[open.at..];
        let length = rest.iter().position(|token| token.first);
        let line = rest[..length.unwrap_or(rest.len())].to_vec();
        open.at += line.len();
        line
    }

    /// Takes in a file; `name` is as written, with its quotes or brackets.
    fn include(&mut self, name: &str, span: Span) {
        let beside = self.open.last().map(|open| open.file);
        let quoted = name.starts_with('"');
        let name = &name[1..name.len() - 1];
        match self.world.included(name, beside.filter(|_| quoted)) {
            Some(file) if self.once.contains(&file) => {}
            Some(file) => self.open(file, span),
            None if headers::refusal(name).is_some() => {
                let what = headers::refusal(name).unwrap_or("");
                let hint = "leave it out by `#ifdef __CPROVER__`";
                self.error(span, format!("{what} is not supported"), hint);
            }
            None => {
                let near = nearest(name, headers::names());
                let hint = match near {
                    Some(near) => format!("did you mean <{near}>? Folders are named by -I"),
                    None => "name its folder by -I".to_string(),
                };
                self.error(span, format!("there is no file {name}"), hint);
            }
        }
    }
}

#[cfg(test)]
mod tests;
