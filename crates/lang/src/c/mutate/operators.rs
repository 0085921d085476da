//! Mutation operators on the text of a file, line by line.
//!
//! `andrews` is the set of the paper's tool (Andrews, Briand and Labiche, "Is mutation an appropriate tool for
//! testing experiments?", 2005), as its lists show it: on each line first statements deleted, one and several,
//! then operators, constants and conditions, from left to right. A statement is deleted where the line before
//! ends one or opens a block. The tool leaves its first mutant of a file out; so do we. `default` changes the same
//! places in fewer ways: those that stand for a mistake and are seldom the same program.

use super::super::literal;
use super::super::scan::scan;
use super::super::token::{Kind, Token};
use proofmark_source::{Edit, Edits, FileId, Sources, Span};

/// Which changes are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) enum Set {
    Andrews,
    Default,
}

/// A change of the text.
#[derive(Clone, Debug)]
pub(super) struct Mutation {
    pub operator: &'static str,
    pub edits: Edits,
    /// What changes.
    pub place: Span,
    pub original: String,
    pub replacement: String,
}

/// Several statements of a line are deleted together as long as there are no more than these.
const MOST_STATEMENTS: usize = 6;

const RELATIONS: [&str; 6] = ["<=", "<", ">", ">=", "==", "!="];

/// All mutations of a file, in the order of the tool.
pub(super) fn mutations(sources: &Sources, file: FileId, set: Set) -> Vec<Mutation> {
    let text = sources.file(file).text();
    let tokens = scan(text, file);
    let mut found = Vec::new();
    let mut open = false;
    let mut at = 0;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let end = start + whole.len();
        let first = at;
        while tokens
            .get(at)
            .is_some_and(|one| (one.span.start as usize) < end)
        {
            at += 1;
        }
        let line = Line {
            text,
            file,
            start,
            tokens: &tokens[first..at],
            before: first.checked_sub(1).and_then(|before| tokens.get(before)),
            set,
        };
        start = end;
        if line.tokens.first().is_none_or(|one| one.is("#")) {
            continue;
        }
        if open {
            line.deletions(&mut found);
        }
        line.operators(&mut found);
        line.constants(&mut found);
        line.negations(&mut found);
        open = line
            .tokens
            .last()
            .is_some_and(|last| last.is(";") || last.is("{"));
    }
    if set == Set::Andrews && !found.is_empty() {
        found.remove(0);
    }
    found
}

/// A line with its tokens.
struct Line<'a> {
    text: &'a str,
    file: FileId,
    start: usize,
    tokens: &'a [Token],
    /// The token before the line.
    before: Option<&'a Token>,
    set: Set,
}

impl Line<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    fn push(
        &self,
        found: &mut Vec<Mutation>,
        operator: &'static str,
        edits: Vec<Edit>,
        shown: Span,
        replacement: String,
    ) {
        if let Some(edits) = Edits::new(edits) {
            found.push(Mutation {
                operator,
                edits,
                place: shown,
                original: self.text[shown.start as usize..shown.end as usize].to_string(),
                replacement,
            });
        }
    }

    fn replace(&self, found: &mut Vec<Mutation>, operator: &'static str, span: Span, text: &str) {
        let edits = vec![Edit::new(span, text)];
        self.push(found, operator, edits, span, text.to_string());
    }

    /// The statements of the line: what ends in a `;`, with the blanks before it.
    fn statements(&self) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        let mut from = self.start;
        for token in self.tokens.iter().filter(|one| one.is(";")) {
            let end = token.span.end as usize;
            all.push((from, end));
            from = end;
        }
        all
    }

    fn deletions(&self, found: &mut Vec<Mutation>) {
        let begins_loop = self.tokens.first().is_some_and(|one| one.is_word("for"));
        let statements = self.statements();
        if begins_loop || statements.is_empty() || statements.len() > MOST_STATEMENTS {
            return;
        }
        let balanced = statements
            .iter()
            .all(|(from, end)| self.is_balanced(*from, *end));
        if !balanced {
            return;
        }
        match self.set {
            Set::Andrews => self.delete_from(&statements, 0, &mut Vec::new(), found),
            Set::Default => {
                for one in &statements {
                    if self.matters(*one) {
                        self.delete(&[*one], found);
                    }
                }
            }
        }
    }

    /// Whether parentheses and braces that are opened are closed.
    fn is_balanced(&self, from: usize, end: usize) -> bool {
        let within = self.tokens.iter().filter(|one| {
            (from..end).contains(&(one.span.start as usize)) && one.kind == Kind::Punctuator
        });
        let mut depth = 0i32;
        for token in within {
            depth += match token.text.as_str() {
                "(" | "{" | "[" => 1,
                ")" | "}" | "]" => -1,
                _ => 0,
            };
            if depth < 0 {
                return self.set == Set::Andrews;
            }
        }
        depth == 0
    }

    /// Every choice of statements, each with what may be added to it behind it.
    fn delete_from(
        &self,
        statements: &[(usize, usize)],
        next: usize,
        chosen: &mut Vec<(usize, usize)>,
        found: &mut Vec<Mutation>,
    ) {
        for at in next..statements.len() {
            chosen.push(statements[at]);
            self.delete(chosen, found);
            self.delete_from(statements, at + 1, chosen, found);
            chosen.pop();
        }
    }

    fn delete(&self, chosen: &[(usize, usize)], found: &mut Vec<Mutation>) {
        let (Some(first), Some(last)) = (chosen.first(), chosen.last()) else {
            return;
        };
        let edits = chosen.iter().flat_map(|(from, end)| {
            let (before, behind) = (self.span(*from, *from), self.span(*end, *end));
            [Edit::new(before, " /* "), Edit::new(behind, " */ ")]
        });
        let blanks = self.text[first.0..].len() - self.text[first.0..].trim_start().len();
        let shown = self.span((first.0 + blanks).min(last.1), last.1);
        let edits: Vec<Edit> = edits.collect();
        let replacement = Edits::new(edits.clone())
            .map(|edits| edits.apply_within(self.text, self.span(first.0, last.1)));
        let replacement = replacement.unwrap_or_default().trim().to_string();
        self.push(found, "del_stmt", edits, shown, replacement);
    }

    /// Declarations do not compile without, and nobody checks the log.
    fn matters(&self, (from, end): (usize, usize)) -> bool {
        let within = self.tokens.iter();
        let within = within.filter(|one| (from..end).contains(&(one.span.start as usize)));
        let within: Vec<&Token> = within.collect();
        let logs = ["printf", "puts", "putchar", "fprintf"];
        match within.as_slice() {
            [] | [_] => false,
            [first, second, ..] => {
                let declares = first.kind == Kind::Name
                    && (second.kind == Kind::Name
                        && !first.is_word("return")
                        && !first.is_word("goto"));
                !declares && !logs.iter().any(|name| first.is_word(name))
            }
        }
    }

    fn operators(&self, found: &mut Vec<Mutation>) {
        for token in self
            .tokens
            .iter()
            .filter(|one| one.kind == Kind::Punctuator)
        {
            for other in self.others(token.text.as_str()) {
                self.replace(found, "rep_op", token.span, other);
            }
        }
    }

    fn others(&self, operator: &str) -> Vec<&'static str> {
        let some: &[&str] = match (operator, self.set) {
            ("==", _) => &["!="],
            ("!=", _) => &["=="],
            ("&&", _) => &["||"],
            ("||", _) => &["&&"],
            ("++", _) => &["--"],
            ("--", _) => &["++"],
            ("+", Set::Andrews) => &["-", "*", "%"],
            ("+=", Set::Andrews) => &["-=", "*=", "%="],
            ("<" | "<=" | ">" | ">=", Set::Andrews) => {
                return RELATIONS
                    .into_iter()
                    .filter(|one| *one != operator)
                    .collect();
            }
            (_, Set::Andrews) => &[],
            ("<", _) => &["<=", ">="],
            ("<=", _) => &["<", ">"],
            (">", _) => &[">=", "<="],
            (">=", _) => &[">", "<"],
            ("+", _) => &["-"],
            ("/", _) => &["*"],
            ("%", _) => &["/"],
            ("<<", _) => &[">>"],
            (">>", _) => &["<<"],
            ("+=", _) => &["-="],
            ("-=", _) => &["+="],
            ("|", _) => &["&"],
            ("^", _) => &["|"],
            _ => &[],
        };
        some.to_vec()
    }

    fn constants(&self, found: &mut Vec<Mutation>) {
        for (at, token) in self.tokens.iter().enumerate() {
            let text = token.text.as_str();
            let digits = text.bytes().all(|one| one.is_ascii_digit());
            if token.kind != Kind::Number || !digits || literal::integer(text).is_err() {
                continue;
            }
            let sign = self.sign(at);
            let (span, text) = match sign {
                Some(minus) => (
                    self.span(minus.span.start as usize, token.span.end as usize),
                    format!("-{text}"),
                ),
                None => (token.span, text.to_string()),
            };
            for other in self.numbers(&text) {
                self.replace(found, "rep_const", span, &other);
            }
        }
    }

    /// The minus that belongs to a number: nothing stands before it that it could be taken from.
    fn sign(&self, at: usize) -> Option<&Token> {
        let minus = self.tokens.get(at.checked_sub(1)?)?;
        let adjacent = minus.span.end == self.tokens[at].span.start;
        let before = match at.checked_sub(2) {
            Some(before) => self.tokens.get(before),
            None => self.before,
        };
        let operand = before.is_some_and(|one| match one.kind {
            Kind::Name => !one.is_word("return") && !one.is_word("case"),
            Kind::Punctuator => one.is(")") || one.is("]"),
            _ => true,
        });
        (minus.is("-") && adjacent && !operand).then_some(minus)
    }

    fn numbers(&self, text: &str) -> Vec<String> {
        let (more, less) = (format!("(({text})+1)"), format!("(({text})-1)"));
        let some = |list: &[&str]| list.iter().map(|one| (*one).to_string()).collect();
        match (text, self.set) {
            ("0", Set::Andrews) => some(&["1", "-1"]),
            ("1", Set::Andrews) => vec!["0".into(), "-1".into(), more],
            ("-1", Set::Andrews) => vec!["0".into(), "1".into(), more, less],
            (_, Set::Andrews) => vec!["0".into(), "1".into(), "-1".into(), more, less],
            ("0", Set::Default) => some(&["1"]),
            ("1", Set::Default) => some(&["0", "2"]),
            _ => vec![more, less],
        }
    }

    fn negations(&self, found: &mut Vec<Mutation>) {
        for (at, token) in self.tokens.iter().enumerate() {
            if !token.is_word("if") && !token.is_word("while") {
                continue;
            }
            let Some(close) = self.closing(at + 1) else {
                continue;
            };
            let behind = token.span.end as usize;
            let end = close.span.end as usize;
            let edits = vec![
                Edit::new(self.span(behind, behind), "(!"),
                Edit::new(self.span(end, end), ")"),
            ];
            let condition = self.text[behind..end].trim();
            let from = end - condition.len();
            let replacement = format!("(!{condition})");
            self.push(found, "negate", edits, self.span(from, end), replacement);
        }
    }

    /// The parenthesis that closes the one at a position, if both are on the line.
    fn closing(&self, open: usize) -> Option<&Token> {
        if !self.tokens.get(open)?.is("(") {
            return None;
        }
        let mut depth = 0i32;
        self.tokens[open..].iter().find(|token| {
            depth += i32::from(token.is("(")) - i32::from(token.is(")"));
            depth == 0
        })
    }
}
