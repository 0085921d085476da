//! Line by line to a model: every node is checked and becomes a tree when it is met, for a line only speaks
//! of lines before it.
//!
//! The next value of a state is a tree over the present; the equation of the state needs it over the step
//! before. The copy keeps the ids of the nodes, so that both are one place, and shares what the next values
//! of several states share.

use super::lines::{Line, Word};
use super::operators::{Maker, ones, sort};
use super::{MOST_WORDS, places};
use crate::language::Loaded;
use num_bigint::BigUint;
use proofmark_model::{
    Category, ElementFacts, Equation, Expr, Facts, Goal, Model, NodeId, Operator, Origin, Reading,
    Role, Symbol, Variable, VariableFacts, When,
};
use proofmark_source::{Diagnostic, FileId, Sources, Span, nearest, printable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The widest bit-vector.
const WIDEST: u32 = 1 << 16;

/// The sorts of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Bits(u32),
    /// The widths of addresses and words.
    Array(u32, u32),
}

impl Type {
    fn describe(self) -> String {
        match self {
            Type::Bits(width) => format!("bitvec {width}"),
            Type::Array(address, word) => format!("array of bitvec {address} to bitvec {word}"),
        }
    }

    fn words(self) -> u32 {
        match self {
            Type::Bits(_) => 1,
            Type::Array(address, _) => 1 << address,
        }
    }

    fn width(self) -> u32 {
        match self {
            Type::Bits(width) | Type::Array(_, width) => width,
        }
    }
}

/// What a line has become.
#[derive(Clone, Debug)]
enum Item {
    Sort(Type),
    Value(Type, Vec<Expr>),
    /// Something is wrong with it, which has been told.
    Wrong,
}

/// A state, with a variable a word.
struct State {
    names: Vec<Symbol>,
    kind: Type,
    origin: Origin,
    init: Option<Vec<Expr>>,
    next: Option<Vec<Expr>>,
}

pub(super) struct Builder<'a> {
    sources: &'a Sources,
    file: FileId,
    /// Whether it was made of a design that is among the sources.
    translated: bool,
    model: Model,
    facts: Facts,
    items: FxHashMap<u64, Item>,
    states: Vec<State>,
    /// Where a state is in the list, by the number of its line.
    positions: FxHashMap<u64, usize>,
    /// The same, by the names of its variables.
    owners: FxHashMap<Symbol, usize>,
    taken: FxHashSet<String>,
    diagnostics: Vec<Diagnostic>,
    /// Nodes of next values over the step before.
    before: FxHashMap<NodeId, Expr>,
    /// The numbers that lines have.
    numbers: FxHashSet<u64>,
    /// The number of the last line.
    last: u64,
}

/// A fault of a line; it is told and the reading goes on.
type Fault = Diagnostic;

const UNARY: &[&str] = &["not", "inc", "dec", "neg", "redand", "redor", "redxor"];
const BITWISE: &[&str] = &[
    "and", "nand", "nor", "or", "xnor", "xor", "rol", "ror", "sll", "sra", "srl", "add", "mul",
    "sdiv", "udiv", "smod", "srem", "urem", "sub",
];
const COMPARING: &[&str] = &[
    "sgt", "ugt", "sgte", "ugte", "slt", "ult", "slte", "ulte", "saddo", "uaddo", "sdivo", "smulo",
    "umulo", "ssubo", "usubo",
];
const OTHERS: &[&str] = &[
    "sort",
    "input",
    "state",
    "init",
    "next",
    "bad",
    "constraint",
    "output",
    "const",
    "constd",
    "consth",
    "zero",
    "one",
    "ones",
    "slice",
    "sext",
    "uext",
    "iff",
    "implies",
    "eq",
    "neq",
    "concat",
    "read",
    "write",
    "ite",
    "justice",
    "fair",
];

impl<'a> Builder<'a> {
    pub(super) fn new(sources: &'a Sources, file: FileId, translated: bool) -> Builder<'a> {
        Builder {
            sources,
            file,
            translated,
            model: Model::default(),
            facts: Facts::default(),
            items: FxHashMap::default(),
            states: Vec::new(),
            positions: FxHashMap::default(),
            owners: FxHashMap::default(),
            taken: FxHashSet::default(),
            diagnostics: Vec::new(),
            before: FxHashMap::default(),
            numbers: FxHashSet::default(),
            last: 0,
        }
    }

    /// Takes in one line.
    pub(super) fn line(&mut self, line: &Line<'_>) {
        let number = match self.number(line) {
            Ok(number) => number,
            Err(fault) => return self.diagnostics.push(fault),
        };
        let item = self.item(number, line).unwrap_or_else(|fault| {
            self.diagnostics.push(fault);
            Some(Item::Wrong)
        });
        if let Some(item) = item {
            self.items.insert(number, item);
        }
    }

    /// The number of a line.
    fn number(&mut self, line: &Line<'_>) -> Result<u64, Fault> {
        let word = line.words[0];
        let number = word.text.parse::<u64>().ok().filter(|number| *number > 0);
        let Some(number) = number else {
            return Err(fault(
                word.span,
                format!("expected the number of a node, found `{}`", word.text),
                "a line begins with a number, as in `1 sort bitvec 8`",
            ));
        };
        if !self.numbers.insert(number) {
            return Err(fault(
                word.span,
                format!("the number {number} is given twice"),
                "each line has a number of its own",
            ));
        }
        self.last = number;
        Ok(number)
    }

    fn item(&mut self, number: u64, line: &Line<'_>) -> Result<Option<Item>, Fault> {
        let Some(tag) = line.words.get(1) else {
            let hint = "as in `1 sort bitvec 8`";
            return Err(fault(
                line.span,
                "expected the kind of the node, such as `state` or `and`",
                hint,
            ));
        };
        match tag.text {
            "sort" => self.sort(line).map(|kind| Some(Item::Sort(kind))),
            "init" | "next" => self.connect(tag.text, line).map(|()| None),
            "bad" | "constraint" | "output" => self.root(tag.text, line).map(|()| None),
            "justice" | "fair" => Err(fault(
                line.span,
                format!("`{}` needs liveness, which is not checked yet", tag.text),
                "remove the line to check the bad states",
            )),
            name => {
                let known = UNARY.iter().chain(BITWISE).chain(COMPARING).chain(OTHERS);
                if !known.clone().any(|one| *one == name) {
                    let near = nearest(name, known.copied());
                    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`?"));
                    let message = format!("there is no operator `{name}`");
                    return Err(fault(tag.span, message, near));
                }
                let kind = self.kind(line, 2)?;
                let words = self.value(number, name, kind, line)?;
                Ok(words.map_or(Some(Item::Wrong), |words| Some(Item::Value(kind, words))))
            }
        }
    }

    // ---- Words of a line ------------------------------------------------------------------

    fn word<'l>(&self, line: &Line<'l>, at: usize, what: &str) -> Result<Word<'l>, Fault> {
        line.words.get(at).copied().ok_or_else(|| {
            let end = Span::new(self.file, line.span.end, line.span.end);
            let message = format!("expected {what}, found the end of the line");
            fault(end, message, "see the BTOR2 paper for what each line has")
        })
    }

    fn count(&self, line: &Line<'_>, at: usize, what: &str) -> Result<u32, Fault> {
        let word = self.word(line, at, what)?;
        word.text.parse().map_err(|_| {
            let message = format!("expected {what}, found `{}`", word.text);
            fault(word.span, message, "it is a number")
        })
    }

    fn sort(&self, line: &Line<'_>) -> Result<Type, Fault> {
        let word = self.word(line, 2, "`bitvec` or `array`")?;
        match word.text {
            "bitvec" => {
                let width = self.count(line, 3, "a width")?;
                if width == 0 || width > WIDEST {
                    let message = format!("a bit-vector of {width} bits");
                    let hint = format!("widths are from 1 to {WIDEST}");
                    return Err(fault(line.span, message, hint));
                }
                Ok(Type::Bits(width))
            }
            "array" => match (self.kind(line, 3)?, self.kind(line, 4)?) {
                (Type::Bits(address), Type::Bits(word)) => Ok(Type::Array(address, word)),
                _ => Err(fault(
                    line.span,
                    "an array of arrays is not read",
                    "addresses and words are bit-vectors",
                )),
            },
            _ => {
                let message = format!("expected `bitvec` or `array`, found `{}`", word.text);
                Err(fault(word.span, message, "as in `1 sort bitvec 8`"))
            }
        }
    }

    fn kind(&self, line: &Line<'_>, at: usize) -> Result<Type, Fault> {
        let word = self.word(line, at, "the number of a sort")?;
        match word
            .text
            .parse()
            .ok()
            .and_then(|number: u64| self.items.get(&number))
        {
            Some(Item::Sort(kind)) => Ok(*kind),
            _ => Err(fault(
                word.span,
                format!("expected the number of a sort, found `{}`", word.text),
                "sorts are declared before they are used, as in `1 sort bitvec 8`",
            )),
        }
    }

    /// The value that a word names; with a minus sign, its complement. Nothing when it is wrong, which has
    /// been told.
    fn operand(&mut self, line: &Line<'_>, at: usize) -> Result<Option<(Type, Vec<Expr>)>, Fault> {
        let word = self.word(line, at, "the number of a node")?;
        let (negated, digits) = match word.text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, word.text),
        };
        let number = digits.parse().ok();
        match number.and_then(|number: u64| self.items.get(&number)) {
            Some(Item::Value(Type::Bits(width), words)) if negated => {
                let (kind, word) = (Type::Bits(*width), words[0].clone());
                let complement = self.maker(line).not(word);
                Ok(Some((kind, vec![complement])))
            }
            Some(Item::Value(kind, words)) if !negated => {
                let (kind, words) = (*kind, words.clone());
                Ok(Some((kind, self.placed(line, words))))
            }
            Some(Item::Wrong) => Ok(None),
            _ => Err(fault(
                word.span,
                format!("expected the number of a node, found `{}`", word.text),
                "a node is declared before it is used; a minus sign complements bit-vectors only",
            )),
        }
    }

    /// Constants where they stand in the design: a translator has one for all places, and tells none of them.
    fn placed(&mut self, line: &Line<'_>, words: Vec<Expr>) -> Vec<Expr> {
        let origin = places::origin(self.sources, line, Category::Expression);
        if !self.translated || self.is_own(&origin) {
            return words;
        }
        let words = words.into_iter().map(|word| match word.operator() {
            Operator::Constant(value) if self.is_own(word.origin()) => {
                let id = self.model.node_ids.fresh();
                Expr::constant(id, value.clone(), origin.clone())
            }
            _ => word,
        });
        words.collect()
    }

    /// Whether a place is in this file, and not in the design that it was made of.
    fn is_own(&self, origin: &Origin) -> bool {
        origin.span().is_none_or(|span| span.file == self.file)
    }

    /// What a translator made up is no source: nobody could change it there.
    fn maker(&mut self, line: &Line<'_>) -> Maker<'_> {
        let origin = places::origin(self.sources, line, Category::Expression);
        let origin = match self.translated && self.is_own(&origin) {
            true => origin.serving(),
            false => origin,
        };
        Maker {
            ids: &mut self.model.node_ids,
            origin,
        }
    }

    /// The symbol of a line, if there is one behind its arguments.
    fn symbol<'l>(line: &Line<'l>, at: usize) -> Option<&'l str> {
        line.words.get(at).map(|word| word.text)
    }

    /// A name that nobody else has.
    fn name(&mut self, wanted: Option<&str>, number: u64) -> String {
        let plain = format!("n{number}");
        let mut name = wanted.map_or(plain, |wanted| printable(wanted).into_owned());
        while !self.taken.insert(name.clone()) {
            name = format!("{name}_{number}");
        }
        name
    }

    // ---- Values ---------------------------------------------------------------------------

    fn value(
        &mut self,
        number: u64,
        name: &str,
        kind: Type,
        line: &Line<'_>,
    ) -> Result<Option<Vec<Expr>>, Fault> {
        match name {
            "input" | "state" => self.variable(number, name, kind, line).map(Some),
            "const" | "constd" | "consth" | "zero" | "one" | "ones" => {
                let number = self.literal(name, kind, line)?;
                let word = self.maker(line).constant(kind.width(), number);
                Ok(Some(vec![word]))
            }
            _ => {
                let count = match name {
                    "ite" | "write" => 3,
                    "slice" | "sext" | "uext" => 1,
                    _ if UNARY.contains(&name) => 1,
                    _ => 2,
                };
                let mut operands = Vec::new();
                for at in 0..count {
                    operands.push(self.operand(line, 3 + at)?);
                }
                let Some(operands) = operands.into_iter().collect::<Option<Vec<_>>>() else {
                    return Ok(None);
                };
                self.apply(name, kind, operands, line).map(Some)
            }
        }
    }

    fn literal(&self, name: &str, kind: Type, line: &Line<'_>) -> Result<BigUint, Fault> {
        let Type::Bits(width) = kind else {
            return Err(fault(
                line.span,
                "a constant is no array",
                "give it a sort of bitvec",
            ));
        };
        let radix = match name {
            "zero" => return Ok(0u32.into()),
            "one" => return Ok(1u32.into()),
            "ones" => return Ok(ones(width)),
            "const" => 2,
            "constd" => 10,
            _ => 16,
        };
        let word = self.word(line, 3, "a number")?;
        let (negative, digits) = match word.text.strip_prefix('-') {
            Some(digits) if radix == 10 => (true, digits),
            _ => (false, word.text),
        };
        // Longer numbers cannot fit, and take long to read.
        let short = digits.len() <= width as usize + 1;
        let number = BigUint::parse_bytes(digits.as_bytes(), radix);
        let number = number.filter(|_| short && !digits.starts_with(['+', '_']));
        let Some(number) = number else {
            let message = format!("expected a number to base {radix}, found `{}`", word.text);
            return Err(fault(
                word.span,
                message,
                format!("of at most {width} bits"),
            ));
        };
        let limit = BigUint::from(1u32) << width;
        if number >= limit || (negative && number > limit.clone() >> 1) {
            let message = format!("`{}` does not fit into {width} bits", word.text);
            return Err(fault(
                word.span,
                message,
                "use a wider sort or a smaller number",
            ));
        }
        Ok(if negative {
            (limit.clone() - number) % limit
        } else {
            number
        })
    }

    fn variable(
        &mut self,
        number: u64,
        tag: &str,
        kind: Type,
        line: &Line<'_>,
    ) -> Result<Vec<Expr>, Fault> {
        let name = self.name(Self::symbol(line, 3), number);
        if let Type::Array(address, _) = kind
            && (address >= 32 || kind.words() > MOST_WORDS)
        {
            return Err(fault(
                line.span,
                format!("the array `{name}` has 2^{address} words"),
                format!("arrays of up to {MOST_WORDS} words are read; make the address narrower"),
            ));
        }
        let origin = places::origin(self.sources, line, Category::Latch);
        let mut names = Vec::new();
        let mut words = Vec::new();
        for at in 0..kind.words() {
            let word = match kind {
                Type::Bits(_) => name.clone(),
                Type::Array(..) => self.name(Some(&format!("{name}[{at}]")), number),
            };
            let role = if tag == "input" {
                Role::Input
            } else {
                Role::Local
            };
            let declaration = Origin {
                category: Category::Declaration,
                ..origin.clone()
            };
            let sort = sort(kind.width());
            let variable = Variable::new(&word, sort, role, declaration);
            names.push(variable.name);
            self.facts.variables.push(VariableFacts {
                declared: Symbol::new(&name),
                scope: Symbol::new("top"),
            });
            self.model.variables.push(variable);
            let id = self.model.node_ids.fresh();
            words.push(Expr::variable(id, &word, sort, origin.serving()));
        }
        if tag == "state" {
            let position = self.states.len();
            self.positions.insert(number, position);
            self.owners
                .extend(names.iter().map(|name| (*name, position)));
            self.states.push(State {
                names,
                kind,
                origin,
                init: None,
                next: None,
            });
        }
        Ok(words)
    }

    /// An operator with its operands; their sorts are checked here.
    fn apply(
        &mut self,
        name: &str,
        kind: Type,
        operands: Vec<(Type, Vec<Expr>)>,
        line: &Line<'_>,
    ) -> Result<Vec<Expr>, Fault> {
        let kinds: Vec<Type> = operands.iter().map(|(kind, _)| *kind).collect();
        if let Some(wanted) = mismatch(name, kind, &kinds) {
            let found: Vec<String> = kinds.iter().map(|kind| kind.describe()).collect();
            let (found, result) = (found.join(", "), kind.describe());
            return Err(fault(
                line.span,
                format!("`{name}` takes {found} and yields {result} here"),
                format!("it {wanted}"),
            ));
        }
        let bounds = match name {
            "slice" => [self.count(line, 4, "a bit")?, self.count(line, 5, "a bit")?],
            "sext" | "uext" => [self.count(line, 4, "a number of bits")?, 0],
            _ => [0, 0],
        };
        check_bounds(name, kind, kinds[0], bounds, line)?;
        let mut words = operands.into_iter().map(|(_, words)| words);
        let mut next = || words.next().unwrap_or_default();
        let (first, second, third) = (next(), next(), next());
        let mut maker = self.maker(line);
        let one = |words: &[Expr]| words[0].clone();
        Ok(match (name, &kinds[..]) {
            ("slice", _) => vec![maker.slice(one(&first), bounds[0], bounds[1])],
            ("sext" | "uext", _) => vec![maker.extend(one(&first), bounds[0], name == "sext")],
            ("ite", _) => {
                let pairs = second.into_iter().zip(third);
                let chosen = pairs.map(|(a, b)| maker.choose(one(&first), a, b));
                chosen.collect()
            }
            ("read", _) => vec![maker.read_word(&first, &second[0])],
            ("write", _) => maker.write_word(&first, &second[0], &third[0]),
            ("eq" | "neq", [Type::Array(..), ..]) => {
                let same = maker.same_words(&first, &second);
                vec![if name == "eq" { same } else { maker.not(same) }]
            }
            (_, [_]) => vec![maker.unary(name, one(&first))],
            _ => vec![maker.binary(name, one(&first), one(&second))],
        })
    }

    // ---- States and roots -----------------------------------------------------------------

    /// `init` and `next`.
    fn connect(&mut self, tag: &str, line: &Line<'_>) -> Result<(), Fault> {
        let kind = self.kind(line, 2)?;
        let word = self.word(line, 3, "the number of a state")?;
        let number: Option<u64> = word.text.parse().ok();
        let state = number.and_then(|number| self.positions.get(&number).copied());
        let Some(state) = state else {
            if number.is_some_and(|one| matches!(self.items.get(&one), Some(Item::Wrong))) {
                return Ok(());
            }
            let message = format!("expected the number of a state, found `{}`", word.text);
            return Err(fault(word.span, message, "a state is declared by `state`"));
        };
        let Some((found, mut words)) = self.operand(line, 4)? else {
            return Ok(());
        };
        let wanted = self.states[state].kind;
        // An array may begin with the same word everywhere.
        let filled = tag == "init" && found == Type::Bits(wanted.width());
        if kind != wanted || (found != wanted && !filled) {
            let (wanted, found) = (wanted.describe(), found.describe());
            let message = format!("the state is a {wanted}, the value a {found}");
            return Err(fault(line.span, message, "both have the sort of the line"));
        }
        if found != wanted {
            words = vec![words[0].clone(); wanted.words() as usize];
        }
        if tag == "init" {
            self.check_init(state, &words, line)?;
        }
        let origin = places::origin(self.sources, line, Category::Latch);
        let state = &mut self.states[state];
        let place = match tag {
            "init" => &mut state.init,
            _ => &mut state.next,
        };
        if place.replace(words).is_some() {
            let message = format!("the state has two lines with `{tag}`");
            return Err(fault(line.span, message, "keep one of them"));
        }
        // A register stands at its declaration, so that two of one statement are two; or else where it gets its
        // next value.
        let own = |origin: &Origin| origin.span().is_none_or(|span| span.file == self.file);
        if tag == "next" && own(&state.origin) && !own(&origin) {
            state.origin = origin;
        }
        Ok(())
    }

    /// An initial value reads states that are declared before its own, so that no cycle comes about.
    fn check_init(&self, state: usize, words: &[Expr], line: &Line<'_>) -> Result<(), Fault> {
        let nodes = words.iter().flat_map(|word| word.nodes());
        let read = nodes.filter_map(|node| match node.operator() {
            Operator::Variable(name) => Some(*name),
            _ => None,
        });
        let is_later = |name: &Symbol| self.owners.get(name).is_some_and(|at| *at >= state);
        match read.into_iter().find(is_later) {
            None => Ok(()),
            Some(name) => Err(fault(
                line.span,
                format!("the initial value reads the state `{name}`"),
                "it may read states that are declared before the one that it is for",
            )),
        }
    }

    /// `bad`, `constraint` and `output`.
    fn root(&mut self, tag: &str, line: &Line<'_>) -> Result<(), Fault> {
        let Some((kind, words)) = self.operand(line, 2)? else {
            return Ok(());
        };
        let Type::Bits(width) = kind else {
            let message = format!("`{tag}` of an array");
            return Err(fault(
                line.span,
                message,
                "name a node that is a bit-vector",
            ));
        };
        if tag != "output" && width != 1 {
            let message = format!("`{tag}` of {width} bits");
            return Err(fault(line.span, message, "name a node of one bit"));
        }
        let word = words[0].clone();
        let symbol = Self::symbol(line, 3);
        match tag {
            "bad" => {
                let origin = places::origin(self.sources, line, Category::Property);
                let position = self.model.goals.len();
                let name = match symbol {
                    Some(name) => printable(name).into_owned(),
                    None => format!("b{position}"),
                };
                let same = |goal: &Goal| goal.name == name;
                let name = match self.model.goals.iter().any(same) {
                    true => format!("{name}_{position}"),
                    false => name,
                };
                let tree = self.maker(line).not(word);
                self.model.goals.push(Goal { name, tree, origin });
            }
            "constraint" => {
                let origin = places::origin(self.sources, line, Category::Assertion);
                self.equation(None, When::Always, word, origin, ("constraint", true));
            }
            _ => self.output(symbol, word, line),
        }
        Ok(())
    }

    /// An output is a variable that is equal to its node.
    fn output(&mut self, symbol: Option<&str>, word: Expr, line: &Line<'_>) {
        let name = self.name(symbol, self.last);
        let origin = places::origin(self.sources, line, Category::Gate).serving();
        let variable = Variable::new(&name, word.sort(), Role::Output, origin.clone());
        let target = variable.name;
        self.facts.variables.push(VariableFacts {
            declared: target,
            scope: Symbol::new("top"),
        });
        self.model.variables.push(variable);
        self.equation(Some(target), When::Always, word, origin, ("output", false));
    }

    fn equation(
        &mut self,
        target: Option<Symbol>,
        when: When,
        tree: Expr,
        origin: Origin,
        (category, counted): (&'static str, bool),
    ) {
        self.model.equations.push(Equation {
            target,
            reading: Reading::Definition,
            when,
            tree,
            origin,
        });
        self.facts.elements.push(ElementFacts { category, counted });
    }

    /// The model, when all lines are in.
    pub(super) fn finish(mut self) -> (Option<Loaded>, Vec<Diagnostic>) {
        for state in std::mem::take(&mut self.states) {
            self.state_equations(&state);
        }
        self.facts.main = "top".into();
        let (model, facts) = (self.model, self.facts);
        (Some(Loaded { model, facts }), self.diagnostics)
    }

    fn state_equations(&mut self, state: &State) {
        for (at, name) in state.names.iter().enumerate() {
            let init = state.init.as_ref().map(|words| words[at].clone());
            let next = state.next.as_ref().map(|words| words[at].clone());
            let next = next.map(|next| self.before(&next));
            let (when, tree) = match (init, next) {
                (Some(init), Some(next)) => {
                    let mut maker = Maker {
                        ids: &mut self.model.node_ids,
                        origin: state.origin.clone(),
                    };
                    (When::Always, maker.extra(Operator::Arrow, vec![init, next]))
                }
                (Some(init), None) => (When::First, init),
                (None, Some(next)) => (When::Later, next),
                (None, None) => continue,
            };
            let origin = state.origin.clone();
            self.equation(Some(*name), when, tree, origin, ("state", true));
        }
    }

    /// A tree with all variables at the step before.
    fn before(&mut self, root: &Expr) -> Expr {
        let mut stack = vec![root.clone()];
        while let Some(node) = stack.last().cloned() {
            if self.before.contains_key(&node.id()) {
                stack.pop();
                continue;
            }
            let missing = node
                .args()
                .iter()
                .filter(|arg| !self.before.contains_key(&arg.id()));
            let missing: Vec<Expr> = missing.cloned().collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let copy = match node.operator() {
                Operator::Variable(_) => {
                    let id = self.model.node_ids.fresh();
                    let origin = node.origin().clone();
                    Expr::new(id, Operator::Pre, vec![node.clone()], origin)
                }
                _ => {
                    let args = node.args().iter().map(|arg| self.before[&arg.id()].clone());
                    node.with_args(args.collect())
                }
            };
            let copy = copy.unwrap_or_else(|error| unreachable!("the sorts are the same: {error}"));
            self.before.insert(node.id(), copy);
            stack.pop();
        }
        self.before[&root.id()].clone()
    }
}

/// What an operator wants, when the sorts of its line do not fit.
fn mismatch(name: &str, result: Type, args: &[Type]) -> Option<&'static str> {
    use Type::{Array, Bits};
    let same = args.windows(2).all(|pair| pair[0] == pair[1]);
    let bits = args.iter().all(|kind| matches!(kind, Bits(_)));
    let one = result == Bits(1);
    let (fits, wanted) = match name {
        "slice" | "sext" | "uext" => (
            bits && matches!(result, Bits(_)),
            "takes a bit-vector and yields one",
        ),
        "not" | "inc" | "dec" | "neg" => (
            bits && args[0] == result,
            "takes a bit-vector and yields one of the same width",
        ),
        "redand" | "redor" | "redxor" => (bits && one, "takes a bit-vector and yields one bit"),
        "iff" | "implies" => (
            one && same && args[0] == Bits(1),
            "takes two bits and yields one",
        ),
        "eq" | "neq" => (same && one, "takes two of one sort and yields one bit"),
        "concat" => {
            let sum = args.iter().map(|kind| kind.width()).sum::<u32>();
            (
                bits && result == Bits(sum),
                "takes two bit-vectors and yields one as wide as both",
            )
        }
        "read" => (
            matches!(args[0], Array(address, word) if args[1] == Bits(address) && result == Bits(word)),
            "takes an array and an address and yields a word",
        ),
        "write" => (
            matches!(args[0], Array(address, word)
                if args[1] == Bits(address) && args[2] == Bits(word) && result == args[0]),
            "takes an array, an address and a word and yields an array",
        ),
        "ite" => (
            args[0] == Bits(1) && args[1] == args[2] && args[1] == result,
            "takes a bit and two of one sort and yields that sort",
        ),
        _ if COMPARING.contains(&name) => (
            bits && same && one,
            "takes two bit-vectors of one width and yields one bit",
        ),
        _ => (
            bits && same && args[0] == result,
            "takes two bit-vectors of one width and yields one of that width",
        ),
    };
    (!fits).then_some(wanted)
}

fn check_bounds(
    name: &str,
    result: Type,
    arg: Type,
    [first, second]: [u32; 2],
    line: &Line<'_>,
) -> Result<(), Fault> {
    let expected = match name {
        "slice" if first < second || first >= arg.width() => None,
        "slice" => Some(first - second + 1),
        "sext" | "uext" => arg.width().checked_add(first),
        _ => return Ok(()),
    };
    match expected == Some(result.width()) {
        true => Ok(()),
        false => Err(fault(
            line.span,
            format!(
                "`{name}` with {first} and {second} of {} is no {}",
                arg.describe(),
                result.describe()
            ),
            "the bits of a slice, high before low, lie in the operand, and widths add up",
        )),
    }
}

fn fault(span: Span, message: impl Into<String>, hint: impl Into<String>) -> Fault {
    let hint = hint.into();
    let diagnostic = Diagnostic::error(span, message);
    match hint.is_empty() {
        true => diagnostic,
        false => diagnostic.with_hint(hint),
    }
}
