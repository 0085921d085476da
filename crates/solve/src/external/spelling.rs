//! The names that an external solver is told.
//!
//! Names of models may be words of SMT-LIB or of a solver's own extensions, and two variables of
//! different sorts may share one. So every name gets a number at its end, which makes it one of a
//! kind, and keeps its beginning, which makes it readable in the solver's complaints.

use crate::smtlib::printer::{Spelling, write_symbol};
use proofmark_model::{EnumSort, Function, Term, Value};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    Variable(Term),
    Function(Function),
    Sort(EnumSort),
    Constructor(EnumSort, u32),
    /// A term that was given a name to be written once.
    Definition(Term),
    /// A constant equal to a term, so that the term can be an assumption.
    Proxy(Term),
}

#[derive(Default)]
pub struct Spellings {
    names: FxHashMap<Entity, String>,
    constructors: FxHashMap<String, Value>,
}

impl Spellings {
    /// Makes sure that an entity has its name.
    pub fn name(&mut self, entity: Entity) -> &str {
        let number = self.names.len();
        let constructors = &mut self.constructors;
        self.names.entry(entity).or_insert_with(|| {
            let readable = match entity {
                Entity::Variable(variable) => variable.as_var().map_or("", |name| name.as_str()),
                Entity::Function(function) => function.name().as_str(),
                Entity::Sort(sort) => sort.name(),
                Entity::Constructor(sort, index) => &sort.values()[index as usize],
                Entity::Definition(_) => "shared",
                Entity::Proxy(_) => "assumed",
            };
            let spellable = readable.replace(['|', '\\'], "!");
            let name = format!("{spellable}!{number}");
            if let Entity::Constructor(sort, index) = entity {
                constructors.insert(name.clone(), Value::Enum(sort, index));
            }
            name
        })
    }

    pub fn known(&self, entity: Entity) -> Option<&str> {
        self.names.get(&entity).map(String::as_str)
    }

    pub fn constructor(&self, name: &str) -> Option<Value> {
        self.constructors.get(name).cloned()
    }

    /// Writes a name that was made before.
    pub fn write(&self, entity: Entity, out: &mut String) {
        debug_assert!(self.names.contains_key(&entity));
        write_symbol(self.known(entity).unwrap_or(""), out);
    }
}

impl Spelling for Spellings {
    fn variable(&self, variable: Term, out: &mut String) {
        self.write(Entity::Variable(variable), out);
    }

    fn function(&self, function: Function, out: &mut String) {
        self.write(Entity::Function(function), out);
    }

    fn constructor(&self, sort: EnumSort, index: u32, out: &mut String) {
        self.write(Entity::Constructor(sort, index), out);
    }

    fn enumeration(&self, sort: EnumSort, out: &mut String) {
        self.write(Entity::Sort(sort), out);
    }
}
