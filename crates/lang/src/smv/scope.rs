//! Modules to instances: who is declared where, and what a name means at a place.
//!
//! An instance is a [`Scope`] of names. Parameters are bound to expressions of the instance around, and
//! mean whatever these mean there, so that a parameter may be a variable to be assigned, or a whole
//! instance. Modules that need themselves are refused, and so are models of more instances than anyone
//! can mean.

use super::syntax::{Expression, Item, Kind, Module, Name, Type, VariableKind};
use proofmark_model::InstancePath;
use proofmark_source::{Diagnostic, Span, nearest};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most instances, and the most variables.
pub(super) const MOST: usize = 100_000;

/// How deep instances may nest.
const DEEPEST: usize = 200;

/// What a name is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Entry {
    Variable(usize),
    Define(usize),
    Parameter(usize),
    Instance(usize),
    /// Whether the process of an instance is the one that moves.
    Running(usize),
}

/// One instance of a module.
pub(super) struct Scope {
    module: usize,
    parent: Option<usize>,
    /// As it stands before the names of what is in it: empty, or with a dot at its end.
    pub prefix: String,
    pub path: InstancePath,
    /// The process that it belongs to, by position.
    pub process: usize,
    names: FxHashMap<String, (Entry, Span)>,
    depth: usize,
}

/// A variable as it is declared; an array is one.
pub(super) struct Declared<'a> {
    pub name: String,
    pub kind: VariableKind,
    pub of: &'a Type,
    pub scope: usize,
    pub span: Span,
}

/// A definition; its value is read in a scope, which need not be the one that has the name.
pub(super) struct Define<'a> {
    pub name: String,
    pub scope: usize,
    pub value: &'a Expression,
    pub span: Span,
}

/// A parameter of an instance.
pub(super) struct Parameter<'a> {
    pub caller: usize,
    pub argument: &'a Expression,
}

/// Everything that is declared.
pub(super) struct World<'a> {
    modules: &'a [Module],
    pub scopes: Vec<Scope>,
    pub variables: Vec<Declared<'a>>,
    pub defines: Vec<Define<'a>>,
    pub parameters: Vec<Parameter<'a>>,
    /// The names of processes; the first is that of the main module.
    pub processes: Vec<String>,
    /// Values of enumerations and CONSTANTS.
    pub symbols: FxHashSet<String>,
    /// What instances say, in order.
    pub items: Vec<(usize, &'a Item)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What is being read: a module in a scope, from an item on.
struct Frame {
    scope: usize,
    module: usize,
    next: usize,
}

impl<'a> World<'a> {
    /// Instantiates the module of a name with all that it needs.
    pub fn new(modules: &'a [Module], main: usize) -> World<'a> {
        let mut world = World {
            modules,
            scopes: Vec::new(),
            variables: Vec::new(),
            defines: Vec::new(),
            parameters: Vec::new(),
            processes: vec!["main".to_string()],
            symbols: FxHashSet::default(),
            items: Vec::new(),
            diagnostics: Vec::new(),
        };
        world.scopes.push(Scope {
            module: main,
            parent: None,
            prefix: String::new(),
            path: InstancePath::default(),
            process: 0,
            names: FxHashMap::default(),
            depth: 0,
        });
        world.instantiate(main);
        world.define_all();
        world
    }

    fn tell(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.diagnostics
            .push(Diagnostic::error(span, message).with_hint(hint));
    }

    fn instantiate(&mut self, main: usize) {
        let mut stack = vec![Frame {
            scope: 0,
            module: main,
            next: 0,
        }];
        while let Some(frame) = stack.last_mut() {
            let modules = self.modules;
            let Some(item) = modules[frame.module].items.get(frame.next) else {
                stack.pop();
                continue;
            };
            frame.next += 1;
            let scope = frame.scope;
            if self.scopes.len() + self.variables.len() > MOST {
                let span = modules[self.scopes[scope].module].name.span;
                let message = format!("there are more than {MOST} instances and variables");
                self.tell(span, message, "make the model smaller");
                return;
            }
            match item {
                Item::Variable {
                    kind,
                    name,
                    of,
                    span,
                } => {
                    let inner = self.declare(scope, *kind, name, of, *span);
                    stack.extend(inner);
                }
                Item::Isa(name) => {
                    let open = stack.iter().filter(|frame| frame.scope == scope);
                    let open: Vec<usize> = open.map(|frame| frame.module).collect();
                    let inner = self.module(name).filter(|found| {
                        let fresh = !open.contains(found);
                        if !fresh {
                            let message = format!("module `{}` is a part of itself", name.text);
                            self.tell(name.span, message, "remove one of the ISA");
                        }
                        fresh
                    });
                    stack.extend(inner.map(|module| Frame {
                        scope,
                        module,
                        next: 0,
                    }));
                }
                Item::Constants(names) => {
                    self.symbols
                        .extend(names.iter().map(|name| name.text.clone()));
                }
                _ => self.items.push((scope, item)),
            }
        }
    }

    fn module(&mut self, name: &Name) -> Option<usize> {
        let found = self
            .modules
            .iter()
            .position(|one| one.name.text == name.text);
        if found.is_none() {
            let known = self.modules.iter().map(|one| one.name.text.as_str());
            let hint = nearest(&name.text, known).map_or("declare it".to_string(), |near| {
                format!("did you mean `{near}`?")
            });
            self.tell(
                name.span,
                format!("there is no module `{}`", name.text),
                hint,
            );
        }
        found
    }

    /// Binds a name in a scope.
    fn bind(&mut self, scope: usize, text: &str, entry: Entry, span: Span) {
        if let Some((_, first)) = self.scopes[scope].names.get(text) {
            let first = *first;
            if first == span {
                return;
            }
            let message = format!("`{text}` is declared twice");
            let told = Diagnostic::error(span, message).with_hint("take another name");
            self.diagnostics
                .push(told.with_label(first, "declared here first"));
            return;
        }
        let names = &mut self.scopes[scope].names;
        names.insert(text.to_string(), (entry, span));
    }

    /// Declares a variable, or an instance, whose frame is returned.
    fn declare(
        &mut self,
        scope: usize,
        kind: VariableKind,
        name: &'a Name,
        of: &'a Type,
        span: Span,
    ) -> Option<Frame> {
        self.take_symbols(of);
        let full = format!("{}{}", self.scopes[scope].prefix, name.text);
        let Type::Instance {
            process,
            module,
            arguments,
        } = of
        else {
            self.bind(
                scope,
                &name.text,
                Entry::Variable(self.variables.len()),
                name.span,
            );
            self.variables.push(Declared {
                name: full,
                kind,
                of,
                scope,
                span,
            });
            return None;
        };
        let inner = self.module(module)?;
        if kind != VariableKind::State {
            self.tell(span, "an instance is declared in VAR", "move it there");
        }
        let (mut above, depth) = (Some(scope), self.scopes[scope].depth + 1);
        while let Some(outer) = above {
            if self.scopes[outer].module == inner {
                let message = format!("module `{}` has an instance of itself", module.text);
                self.tell(module.span, message, "break the circle of instances");
                return None;
            }
            above = self.scopes[outer].parent;
        }
        if depth > DEEPEST {
            let message = format!("instances nest deeper than {DEEPEST}");
            self.tell(module.span, message, "make the model flatter");
            return None;
        }
        self.enter(scope, inner, *process, name, full, arguments, module.span)
    }

    #[expect(clippy::too_many_arguments, reason = "all of them are one instance")]
    fn enter(
        &mut self,
        scope: usize,
        module: usize,
        process: bool,
        name: &Name,
        full: String,
        arguments: &'a [Expression],
        span: Span,
    ) -> Option<Frame> {
        let position = self.scopes.len();
        let parameters = &self.modules[module].parameters;
        if parameters.len() != arguments.len() {
            let (wanted, found) = (parameters.len(), arguments.len());
            let module = &self.modules[module].name.text;
            let message = format!("module `{module}` takes {wanted} parameters, found {found}");
            self.tell(span, message, "give one argument a parameter");
            return None;
        }
        self.bind(scope, &name.text, Entry::Instance(position), name.span);
        let process = match process {
            true => {
                self.processes.push(full.clone());
                self.processes.len() - 1
            }
            false => self.scopes[scope].process,
        };
        let outer = &self.scopes[scope];
        let inner = Scope {
            module,
            parent: Some(scope),
            prefix: format!("{full}."),
            path: outer.path.enter(&name.text, Some(name.span)),
            process,
            names: FxHashMap::default(),
            depth: outer.depth + 1,
        };
        self.scopes.push(inner);
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let entry = Entry::Parameter(self.parameters.len());
            self.bind(position, &parameter.text, entry, parameter.span);
            self.parameters.push(Parameter {
                caller: scope,
                argument,
            });
        }
        Some(Frame {
            scope: position,
            module,
            next: 0,
        })
    }

    /// The names in an enumeration.
    fn take_symbols(&mut self, of: &Type) {
        match of {
            Type::Enumeration(values) => {
                for value in values {
                    if let Kind::Name(text) = &value.kind {
                        self.symbols.insert(text.clone());
                    }
                }
            }
            Type::Array { of, .. } => self.take_symbols(of),
            _ => {}
        }
    }

    /// Definitions get their names when all instances are there, since one may stand in another
    /// instance: `left.ack := …`.
    fn define_all(&mut self) {
        for (scope, item) in self.items.clone() {
            let Item::Define { target, value } = item else {
                continue;
            };
            let (owner, name) = match &target.kind {
                Kind::Name(text) => (Some(scope), text.clone()),
                Kind::Dot(base, name) => {
                    let base = self
                        .resolve(scope, base)
                        .and_then(|found| self.follow(found));
                    match (base, dotted(target)) {
                        (Some(Entry::Instance(owner)), _) => (Some(owner), name.text.clone()),
                        (None, Some(text)) => (Some(scope), text),
                        _ => (None, String::new()),
                    }
                }
                _ => (None, String::new()),
            };
            let Some(owner) = owner else {
                let message = "the left side of a definition is a name";
                self.tell(target.span, message, "as `DEFINE ready := …`");
                continue;
            };
            let entry = Entry::Define(self.defines.len());
            self.bind(owner, &name, entry, target.span);
            self.defines.push(Define {
                name: format!("{}{name}", self.scopes[owner].prefix),
                scope,
                value,
                span: target.span,
            });
        }
    }

    /// What a path means in a scope: nothing for what is no path, or not declared.
    pub fn resolve(&self, scope: usize, path: &Expression) -> Option<Entry> {
        match &path.kind {
            Kind::Itself => Some(Entry::Instance(scope)),
            Kind::Name(text) => self.lookup(scope, text),
            Kind::Dot(base, name) => {
                let base = self.resolve(scope, base);
                match base.and_then(|base| self.follow(base)) {
                    Some(Entry::Instance(inner)) if name.text == "self" => {
                        Some(Entry::Instance(inner))
                    }
                    Some(Entry::Instance(inner)) => self.lookup(inner, &name.text),
                    // A flattened model declares names with dots.
                    _ => {
                        let names = &self.scopes[scope].names;
                        names.get(&dotted(path)?).map(|(entry, _)| *entry)
                    }
                }
            }
            _ => None,
        }
    }

    fn lookup(&self, scope: usize, text: &str) -> Option<Entry> {
        let found = self.scopes[scope].names.get(text).map(|(entry, _)| *entry);
        found.or_else(|| (text == "running").then_some(Entry::Running(scope)))
    }

    /// What parameters stand for, as far as that is a path; parameters lead outwards, so that this ends.
    pub fn follow(&self, mut entry: Entry) -> Option<Entry> {
        while let Entry::Parameter(position) = entry {
            let parameter = &self.parameters[position];
            entry = self.resolve(parameter.caller, parameter.argument)?;
        }
        Some(entry)
    }

    /// The names that may be meant in a scope.
    pub fn nearest(&self, scope: usize, text: &str) -> Option<&str> {
        let names = self.scopes[scope].names.keys().map(String::as_str);
        nearest(text, names.chain(self.symbols.iter().map(String::as_str)))
    }

    /// The name of the module of a scope.
    pub fn module_of(&self, scope: usize) -> &str {
        &self.modules[self.scopes[scope].module].name.text
    }
}

/// A path of names alone, as one text.
pub(super) fn dotted(path: &Expression) -> Option<String> {
    match &path.kind {
        Kind::Name(text) => Some(text.clone()),
        Kind::Dot(base, name) => Some(format!("{}.{}", dotted(base)?, name.text)),
        _ => None,
    }
}
