//! What the names of a script mean at this point of it.
//!
//! Each distinct name gets a number on first sight and a slot that holds its present meaning.
//! Binding is overwriting the slot, leaving a scope is writing the old meaning back; a name is
//! hashed once per occurrence and never copied.

use super::operators::{Operator, TABLE, Theory};
use proofmark_model::{Function, Sort, Term};
use rustc_hash::{FxBuildHasher, FxHashMap};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameId(u32);

#[derive(Clone, Copy, Debug)]
pub enum Binding {
    Free,
    Reserved(Reserved),
    Operator(Operator),
    /// A variable, a constant, a parameter, a `let`, a named term, a definition without parameters.
    Term(Term),
    Function(Function),
    /// A definition with parameters, by its number.
    Macro(u32),
}

/// Words that are no symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reserved {
    Let,
    Annotation,
    Underscore,
    As,
    /// `forall`, `exists`, `match`: what the kernel does not have.
    Unsupported,
    /// `par`, `BINARY` and so on, which no term contains.
    Word,
}

const RESERVED: &[(&str, Reserved)] = &[
    ("let", Reserved::Let),
    ("!", Reserved::Annotation),
    ("_", Reserved::Underscore),
    ("as", Reserved::As),
    ("forall", Reserved::Unsupported),
    ("exists", Reserved::Unsupported),
    ("lambda", Reserved::Unsupported),
    ("match", Reserved::Unsupported),
    ("par", Reserved::Word),
    ("BINARY", Reserved::Word),
    ("DECIMAL", Reserved::Word),
    ("HEXADECIMAL", Reserved::Word),
    ("NUMERAL", Reserved::Word),
    ("STRING", Reserved::Word),
];

struct Entry<'t> {
    name: &'t str,
    binding: Binding,
    /// The `let` or parameter list that bound the name last, to see a name bound twice in one.
    bound_by: u32,
    /// The variable of this name that was declared last: scripts declare the same ones again and
    /// again in changing scopes.
    variable: Option<Term>,
}

#[derive(Clone, Copy)]
struct Scope {
    declared: usize,
    sorts: usize,
}

pub struct Names<'t> {
    ids: FxHashMap<&'t str, NameId>,
    entries: Vec<Entry<'t>>,
    sorts: FxHashMap<&'t str, Sort>,
    declared: Vec<(NameId, Binding)>,
    declared_sorts: Vec<&'t str>,
    scopes: Vec<Scope>,
    /// Whether declarations outlive the scope they stand in.
    pub global_declarations: bool,
    binders: u32,
}

/// A meaning to come back when a local binding ends.
#[derive(Clone, Copy)]
pub struct Shadowed {
    name: NameId,
    binding: Binding,
    bound_by: u32,
}

impl<'t> Names<'t> {
    pub fn new() -> Names<'t> {
        let mut names = Names {
            ids: FxHashMap::with_capacity_and_hasher(512, FxBuildHasher),
            entries: Vec::with_capacity(512),
            sorts: FxHashMap::default(),
            declared: Vec::new(),
            declared_sorts: Vec::new(),
            scopes: Vec::new(),
            global_declarations: false,
            binders: 0,
        };
        for (word, reserved) in RESERVED {
            names.preset(word, Binding::Reserved(*reserved));
        }
        for row in TABLE.iter().filter(|row| row.indices == 0) {
            names.preset(row.name, Binding::Operator(row.operator));
        }
        names.preset("true", Binding::Term(Term::bool(true)));
        names.preset("false", Binding::Term(Term::bool(false)));
        let sorts = [
            ("Bool", Sort::Bool),
            ("Int", Sort::Int),
            ("Real", Sort::Real),
        ];
        names.sorts.extend(sorts);
        names
    }

    fn preset(&mut self, name: &'static str, binding: Binding) {
        let id = self.id(name);
        self.entries[id.0 as usize].binding = binding;
    }

    #[inline]
    pub fn id(&mut self, name: &'t str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = NameId(self.entries.len() as u32);
        self.ids.insert(name, id);
        self.entries.push(Entry {
            name,
            binding: Binding::Free,
            bound_by: 0,
            variable: None,
        });
        id
    }

    /// The number of a symbol between bars, which are part of `text`. It is the one of the symbol
    /// without them, but a reserved word is a symbol only between bars. Those have entries of their
    /// own, found by a text that no other symbol has.
    pub fn quoted_id(&mut self, text: &'t str) -> NameId {
        let name = &text[1..text.len() - 1];
        let id = self.id(name);
        if !matches!(self.binding(id), Binding::Reserved(_)) {
            return id;
        }
        let id = self.id(text);
        self.entries[id.0 as usize].name = name;
        id
    }

    pub fn name(&self, id: NameId) -> &'t str {
        self.entries[id.0 as usize].name
    }

    #[inline]
    pub fn binding(&self, id: NameId) -> Binding {
        self.entries[id.0 as usize].binding
    }

    /// The variable of this name and sort.
    pub fn variable(&mut self, id: NameId, sort: Sort) -> Term {
        let entry = &mut self.entries[id.0 as usize];
        match entry.variable {
            Some(variable) if variable.sort() == sort => variable,
            _ => *entry.variable.insert(Term::var(entry.name, sort)),
        }
    }

    /// Gives a free name a meaning until the present scope ends.
    pub fn declare(&mut self, id: NameId, binding: Binding) {
        let entry = &mut self.entries[id.0 as usize];
        if !self.global_declarations {
            self.declared.push((id, entry.binding));
        }
        entry.binding = binding;
    }

    /// The number of a new `let` or parameter list.
    pub fn binder(&mut self) -> u32 {
        self.binders += 1;
        self.binders
    }

    /// Binds a name locally; `None` when this binder has already bound it.
    pub fn shadow(&mut self, name: NameId, binding: Binding, binder: u32) -> Option<Shadowed> {
        let entry = &mut self.entries[name.0 as usize];
        if entry.bound_by == binder {
            return None;
        }
        let shadowed = Shadowed {
            name,
            binding: std::mem::replace(&mut entry.binding, binding),
            bound_by: std::mem::replace(&mut entry.bound_by, binder),
        };
        Some(shadowed)
    }

    pub fn restore(&mut self, shadowed: Shadowed) {
        let entry = &mut self.entries[shadowed.name.0 as usize];
        entry.binding = shadowed.binding;
        entry.bound_by = shadowed.bound_by;
    }

    pub fn sort(&self, name: &str) -> Option<Sort> {
        self.sorts.get(name).copied()
    }

    /// Gives an unknown name of a sort a meaning until the present scope ends.
    pub fn declare_sort(&mut self, name: &'t str, sort: Sort) {
        self.sorts.insert(name, sort);
        if !self.global_declarations {
            self.declared_sorts.push(name);
        }
    }

    pub fn open_scopes(&self) -> usize {
        self.scopes.len()
    }

    pub fn push(&mut self) {
        self.scopes.push(Scope {
            declared: self.declared.len(),
            sorts: self.declared_sorts.len(),
        });
    }

    /// Closes one scope, when one is open.
    pub fn pop(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.forget(scope);
        }
    }

    /// Closes all scopes and forgets all declarations that are not global.
    pub fn reset_assertions(&mut self) {
        self.scopes.clear();
        self.forget(Scope {
            declared: 0,
            sorts: 0,
        });
    }

    fn forget(&mut self, scope: Scope) {
        for (id, binding) in self.declared.drain(scope.declared..).rev() {
            self.entries[id.0 as usize].binding = binding;
        }
        for name in self.declared_sorts.drain(scope.sorts..) {
            self.sorts.remove(name);
        }
    }

    /// Frees the operators of the theories that the logic leaves out: their names may be declared.
    pub fn restrict(&mut self, arithmetic: bool, bit_vectors: bool) {
        for row in TABLE.iter().filter(|row| row.indices == 0) {
            let free = match row.theory {
                Theory::Core => false,
                Theory::Arithmetic => !arithmetic,
                Theory::BitVectors => !bit_vectors,
            };
            if free {
                self.preset(row.name, Binding::Free);
            }
        }
    }
}

/// Is this a word that a symbol without bars cannot be?
pub fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|(word, _)| *word == name)
}
