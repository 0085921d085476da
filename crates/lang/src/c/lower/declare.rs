//! Declarations: specifiers and declarators become types, names become functions, globals and types.

use super::{Body, Entity, Global, Known, Lowered, Lowerer, Scope, Tag, Wrong};
use crate::c::syntax::{
    Base, Declaration, Declarator, Definition, EnumSpecifier, External, FieldDeclaration,
    Initializer, Item, Name, Parameters, Part, RecordSpecifier, Specifiers, StaticAssert, Storage,
    TypeName,
};
use crate::c::types::{Bits, CType, Enumeration, INT, LARGEST, Record, RecordField, Signature};
use proofmark_model::Symbol;
use proofmark_model::program::{FunctionId, Initial, StatementKind, VariableId};
use proofmark_source::{Diagnostic, Span};
use std::rc::Rc;
use std::sync::Arc;

impl Lowerer<'_> {
    /// Declares what stands outside of functions; bodies are for later.
    pub(super) fn external<'t>(&mut self, external: &'t External, bodies: &mut Vec<Body<'t>>) {
        match external {
            External::Declaration(declaration) => {
                let _ = self.global_declaration(declaration);
            }
            External::Check(check) => {
                let _ = self.static_assert(check);
            }
            External::Definition(definition) => {
                if let Ok(function) = self.definition(definition) {
                    bodies.push(Body {
                        unit: self.unit,
                        order: self.order,
                        function,
                        definition,
                    });
                }
            }
        }
    }

    pub(super) fn static_assert(&mut self, check: &StaticAssert) -> Lowered<()> {
        if self.constant(&check.condition)? != 0 {
            return Ok(());
        }
        let message = format!("this assertion fails: {}", check.text);
        self.error(check.span, message, "correct what it is about")
    }

    /// The type that the words before a declarator name.
    pub(super) fn base(&mut self, specifiers: &Specifiers) -> Lowered<CType> {
        match &specifiers.base {
            Base::Void => Ok(CType::Void),
            Base::Bool => Ok(CType::Bool),
            Base::Integer(of) => Ok(CType::Integer(*of)),
            Base::Float(name, size) => Ok(CType::Float(name, *size)),
            Base::Refused(what) => Ok(CType::Refused(what)),
            Base::Record(of) => self.record(of),
            Base::Enum(of) => self.enumeration(of),
            Base::Named(name) => match self.lookup(*name) {
                Some(Entity::Type(sort)) => Ok(sort.clone()),
                _ => {
                    let message = format!("`{name}` is no type here");
                    self.error(specifiers.span, message, "declare it by `typedef`")
                }
            },
            Base::TypeOf(of) => {
                let (operand, _) = self.apart(|lowerer| lowerer.operand(of));
                self.sort_of(operand?, of.span)
            }
            Base::TypeOfType(of) => self.type_name(of),
        }
    }

    pub(super) fn type_name(&mut self, name: &TypeName) -> Lowered<CType> {
        let base = self.base(&name.specifiers)?;
        self.declared(base, &name.declarator)
    }

    /// The type of a declared name.
    pub(super) fn declared(&mut self, base: CType, declarator: &Declarator) -> Lowered<CType> {
        let mut sort = base;
        for part in declarator.parts.iter().rev() {
            sort = match part {
                Part::Pointer => CType::pointer(sort),
                Part::Array(size) => {
                    let count = match size {
                        None => None,
                        Some(size) => Some(self.array_size(size)?),
                    };
                    if self.types.size(&sort).is_none() && sort.refusal().is_none() {
                        let message =
                            format!("elements of type `{}` have no size", self.name_of(&sort));
                        return self.error(declarator.span, message, "complete the type");
                    }
                    CType::Array(Rc::new(sort), count)
                }
                Part::Function(parameters) => {
                    let (signature, _) = self.signature(sort, parameters)?;
                    CType::Function(Rc::new(signature))
                }
            };
        }
        Ok(sort)
    }

    fn array_size(&mut self, size: &crate::c::syntax::Expr) -> Lowered<u64> {
        let told = self.diagnostics.len();
        let value = self.constant(size);
        match value {
            Ok(value) if value >= 0 && value as u64 <= LARGEST => Ok(value as u64),
            Ok(_) => self.error(
                size.span,
                "an array cannot have this size",
                "take another size",
            ),
            Err(Wrong) => {
                let unknown = self.diagnostics.get(told);
                if unknown.is_some_and(|one| one.message.starts_with("expected a constant")) {
                    self.diagnostics.truncate(told);
                    return self.refuse(size.span, "an array of variable length");
                }
                Err(Wrong)
            }
        }
    }

    /// What a function takes and returns, with the names of its parameters.
    fn signature(
        &mut self,
        result: CType,
        parameters: &Parameters,
    ) -> Lowered<(Signature, Vec<Option<Name>>)> {
        self.scopes.push(Scope::default());
        let list = self.parameter_list(parameters);
        let scope = self.scopes.pop().unwrap_or_default();
        // A tag that is declared among parameters is known to the body.
        if let Some(outer) = self.scopes.last_mut() {
            for (name, tag) in scope.tags {
                outer.tags.entry(name).or_insert(tag);
            }
        }
        let (sorts, names) = list?;
        let signature = Signature {
            result,
            parameters: sorts,
            variadic: parameters.variadic,
            known: parameters.known,
        };
        Ok((signature, names))
    }

    fn parameter_list(
        &mut self,
        parameters: &Parameters,
    ) -> Lowered<(Vec<CType>, Vec<Option<Name>>)> {
        let (mut sorts, mut names) = (Vec::new(), Vec::new());
        for parameter in &parameters.list {
            let base = self.base(&parameter.specifiers)?;
            let sort = self.parameter(base, &parameter.declarator)?;
            if let Some(name) = parameter.declarator.name {
                // A later parameter may name it in the size of an array.
                self.declare(name.text, Entity::Constant(0));
            }
            sorts.push(sort);
            names.push(parameter.declarator.name);
        }
        Ok((sorts, names))
    }

    /// The outermost array of a parameter is a pointer, whatever its size.
    fn parameter(&mut self, base: CType, declarator: &Declarator) -> Lowered<CType> {
        if let Some((Part::Array(_), rest)) = declarator.parts.split_first() {
            let mut sort = base;
            for part in rest.iter().rev() {
                let one = Declarator {
                    name: None,
                    parts: vec![self.copied(part)?],
                    span: declarator.span,
                };
                sort = self.declared(sort, &one)?;
            }
            return Ok(CType::pointer(sort));
        }
        Ok(self.declared(base, declarator)?.decayed())
    }

    /// A part of a declarator with its size known.
    fn copied(&mut self, part: &Part) -> Lowered<Part> {
        Ok(match part {
            Part::Pointer => Part::Pointer,
            Part::Array(None) => Part::Array(None),
            Part::Array(Some(size)) => {
                let value = self.array_size(size)?;
                let kind = crate::c::syntax::ExprKind::Integer(crate::c::literal::Integer {
                    value: u128::from(value),
                    unsigned: false,
                    longs: 1,
                    decimal: true,
                });
                Part::Array(Some(Box::new(crate::c::syntax::Expr {
                    kind,
                    span: size.span,
                    height: 1,
                })))
            }
            Part::Function(parameters) => Part::Function(Parameters {
                list: Vec::new(),
                variadic: parameters.variadic,
                old: Vec::new(),
                known: false,
            }),
        })
    }

    fn tag(&self, name: Symbol, everywhere: Reach) -> Option<Tag> {
        let mut scopes = self.scopes.iter().rev();
        match everywhere {
            Reach::All => scopes.find_map(|scope| scope.tags.get(&name).copied()),
            Reach::Innermost => scopes.next()?.tags.get(&name).copied(),
        }
    }

    fn add_tag(&mut self, name: Option<Name>, tag: Tag) {
        if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
            scope.tags.insert(name.text, tag);
        }
    }

    fn record(&mut self, of: &RecordSpecifier) -> Lowered<CType> {
        let reach = match of.fields {
            Some(_) => Reach::Innermost,
            None => Reach::All,
        };
        let before = of.tag.and_then(|name| self.tag(name.text, reach));
        let position = match before {
            Some(Tag::Record(position)) if self.types.records[position].is_union == of.is_union => {
                position
            }
            Some(_) => {
                let message = "this tag belongs to something else";
                return self.error(of.span, message, "take another tag");
            }
            None => self.new_record(of),
        };
        if let Some(fields) = &of.fields {
            if self.types.records[position].fields.is_some() {
                let name = self.types.records[position].name.clone();
                return self.error(of.span, format!("`{name}` is defined twice"), "remove one");
            }
            let fields = self.fields(fields)?;
            self.types.lay_out(position, fields, of.is_packed);
            if self.types.records[position].size > LARGEST {
                return self.error(of.span, "this is too large", "take smaller arrays");
            }
        }
        Ok(CType::Record(position))
    }

    fn new_record(&mut self, of: &RecordSpecifier) -> usize {
        let word = if of.is_union { "union" } else { "struct" };
        let tag = of.tag.map_or("", |name| name.text.as_str());
        let position = self.types.records.len();
        self.types.records.push(Record {
            name: format!("{word} {tag}").trim_end().to_string(),
            is_union: of.is_union,
            fields: None,
            size: 0,
            align: 1,
        });
        self.add_tag(of.tag, Tag::Record(position));
        position
    }

    fn fields(&mut self, declarations: &[FieldDeclaration]) -> Lowered<Vec<RecordField>> {
        let mut fields: Vec<RecordField> = Vec::new();
        for declaration in declarations {
            let base = self.base(&declaration.specifiers)?;
            if declaration.fields.is_empty() {
                // A record without a name lends its fields; a tag alone declares nothing.
                if matches!(base, CType::Record(_)) {
                    fields.push(field(None, base, None));
                }
                continue;
            }
            for one in &declaration.fields {
                let sort = self.declared(base.clone(), &one.declarator)?;
                let bits = match &one.bits {
                    None => None,
                    Some(width) => Some(self.bits(&sort, width)?),
                };
                let open = matches!(sort, CType::Array(_, None));
                if !open && sort.refusal().is_none() {
                    self.size_of(&sort, one.declarator.span)?;
                }
                let name = one.declarator.name.map(|name| name.text);
                if name.is_some() && fields.iter().any(|other| other.name == name) {
                    let message = "a field of this name is there already";
                    return self.error(one.declarator.span, message, "take another name");
                }
                fields.push(field(name, sort, bits));
            }
        }
        Ok(fields)
    }

    fn bits(&mut self, sort: &CType, width: &crate::c::syntax::Expr) -> Lowered<Bits> {
        let value = self.constant(width)?;
        let most = self.types.integer_of(sort).map_or(0, |of| of.rank.bits());
        let most = if *sort == CType::Bool { 1 } else { most };
        match u32::try_from(value) {
            Ok(width) if width <= u32::from(most) => Ok(Bits { shift: 0, width }),
            _ => self.error(
                width.span,
                "a bit-field cannot be so wide",
                "take a smaller width",
            ),
        }
    }

    fn enumeration(&mut self, of: &EnumSpecifier) -> Lowered<CType> {
        let reach = match of.values {
            Some(_) => Reach::Innermost,
            None => Reach::All,
        };
        let before = of.tag.and_then(|name| self.tag(name.text, reach));
        let position = match before {
            Some(Tag::Enum(position)) => position,
            Some(Tag::Record(_)) => {
                let message = "this tag belongs to something else";
                return self.error(of.span, message, "take another tag");
            }
            None => {
                let tag = of.tag.map_or("", |name| name.text.as_str());
                self.types.enums.push(Enumeration {
                    name: format!("enum {tag}").trim_end().to_string(),
                    names: Vec::new(),
                    is_complete: false,
                });
                let position = self.types.enums.len() - 1;
                self.add_tag(of.tag, Tag::Enum(position));
                position
            }
        };
        if let Some(values) = &of.values {
            if std::mem::replace(&mut self.types.enums[position].is_complete, true) {
                return self.error(of.span, "this is defined twice", "remove one");
            }
            let mut next = 0i64;
            for (name, value) in values {
                if let Some(value) = value {
                    next = self.constant(value)?;
                }
                self.declare(name.text, Entity::Constant(next));
                let name = Arc::from(name.text.as_str());
                self.types.enums[position].names.push((name, next));
                next = next.wrapping_add(1);
            }
        }
        Ok(CType::Enum(position))
    }

    fn global_declaration(&mut self, declaration: &Declaration) -> Lowered<()> {
        let base = self.base(&declaration.specifiers)?;
        for (declarator, value) in &declaration.list {
            let _ = self.global(
                &declaration.specifiers,
                base.clone(),
                declarator,
                value.as_ref(),
            );
        }
        Ok(())
    }

    fn global(
        &mut self,
        specifiers: &Specifiers,
        base: CType,
        declarator: &Declarator,
        value: Option<&Initializer>,
    ) -> Lowered<()> {
        let Some(name) = declarator.name else {
            return Ok(());
        };
        let sort = self.declared(base, declarator)?;
        match (&sort, specifiers.storage) {
            (_, Some(Storage::Typedef)) => {
                self.declare(name.text, Entity::Type(sort));
                Ok(())
            }
            (CType::Function(signature), storage) => {
                let internal = storage == Some(Storage::Static);
                let signature = (**signature).clone();
                let function = self.function(name, signature, internal);
                self.declare(name.text, Entity::Function(function));
                Ok(())
            }
            _ => {
                let id = self.global_variable(specifiers.storage, name, sort, value)?;
                if let Some(value) = value {
                    self.global_value(name, id, value)?;
                }
                Ok(())
            }
        }
    }

    /// The variable of a global; declarations of one name in several units are one.
    fn global_variable(
        &mut self,
        storage: Option<Storage>,
        name: Name,
        sort: CType,
        value: Option<&Initializer>,
    ) -> Lowered<VariableId> {
        let internal = storage == Some(Storage::Static);
        let defines = storage != Some(Storage::Extern) || value.is_some();
        let here = match self.scopes[0].names.get(&name.text) {
            Some((Entity::Variable(id, before), _)) => Some((*id, before.clone())),
            Some(_) => {
                let message = format!("`{}` is something else already", name.text);
                return self.error(name.span, message, "take another name");
            }
            None => None,
        };
        let linked = self.globals.get(&name.text).filter(|_| !internal);
        let before = here.or(linked.map(|one| (one.id, one.sort.clone())));
        let Some((id, before)) = before else {
            return self.new_global(name, sort, defines, internal);
        };
        let complete = match &before {
            CType::Array(_, None) => sort.clone(),
            _ => before,
        };
        if matches!((&complete, &sort), (CType::Array(..), one) if !matches!(one, CType::Array(..)))
            || complete.is_integer() != sort.is_integer()
        {
            let message = format!("`{}` was declared with another type", name.text);
            let place = self.program.variable(id).place;
            let told = Diagnostic::error(name.span, message).with_hint("declare it alike");
            self.diagnostics
                .push(told.with_label(place, "declared here"));
            return Err(Wrong);
        }
        if defines {
            self.make_known(id, &complete);
        }
        self.set_global(name.text, id, complete, internal);
        Ok(id)
    }

    fn new_global(
        &mut self,
        name: Name,
        sort: CType,
        defines: bool,
        internal: bool,
    ) -> Lowered<VariableId> {
        self.refuse_sort(&sort, name.span, defines)?;
        let layout = self.types.layout(&sort);
        let id = self.variable(name.text.as_str(), layout, name.span);
        self.program.globals.push(id);
        if defines {
            self.make_known(id, &sort);
        }
        self.set_global(name.text, id, sort, internal);
        Ok(id)
    }

    /// An object that is defined needs a type that is supported.
    fn refuse_sort(&mut self, sort: &CType, span: Span, defines: bool) -> Lowered<()> {
        if let Some(what) = sort.refusal().filter(|_| defines) {
            return self.refuse(span, what);
        }
        if *sort == CType::Void {
            return self.error(span, "nothing can be of type `void`", "take another type");
        }
        Ok(())
    }

    fn set_global(&mut self, name: Symbol, id: VariableId, sort: CType, internal: bool) {
        if !internal {
            let sort = sort.clone();
            self.globals.insert(name, Global { id, sort });
        }
        let order = self.order;
        let entity = Entity::Variable(id, sort);
        let names = &mut self.scopes[0].names;
        let order = names.get(&name).map_or(order, |(_, first)| *first);
        names.insert(name, (entity, order));
    }

    /// A global that is defined is zero, unless its value is given.
    fn make_known(&mut self, id: VariableId, sort: &CType) {
        let layout = self.types.layout(sort);
        let variable = &mut self.program.variables[id.0 as usize];
        variable.sort = layout;
        if variable.initial == Initial::Any {
            variable.initial = Initial::Known(Vec::new());
        }
    }

    fn global_value(&mut self, name: Name, id: VariableId, value: &Initializer) -> Lowered<()> {
        let Some(Entity::Variable(_, sort)) = self.lookup(name.text).cloned() else {
            return Err(Wrong);
        };
        let sort = self.static_value(id, &sort, value, name.span)?;
        self.make_known(id, &sort);
        let internal = self.globals.get(&name.text).is_none_or(|one| one.id != id);
        self.set_global(name.text, id, sort, internal);
        Ok(())
    }

    /// The function of a name, linked with those of other units unless it is internal.
    pub(super) fn function(&mut self, name: Name, signature: Signature, internal: bool) -> usize {
        let here = match self.scopes[0].names.get(&name.text) {
            Some((Entity::Function(at), _)) => Some(*at),
            _ => None,
        };
        let linked = self.linked.get(&name.text).copied();
        let before = here.or(linked.filter(|_| !internal));
        if let Some(at) = before {
            let known = &mut self.functions[at];
            // A definition says it best, then who says anything of parameters.
            if !known.defined && (signature.known || !known.signature.known) {
                known.signature = signature;
            }
            return at;
        }
        self.functions.push(Known {
            name: name.text,
            signature,
            defined: false,
            id: None,
            place: name.span,
        });
        let at = self.functions.len() - 1;
        if !internal {
            self.linked.insert(name.text, at);
        }
        at
    }

    /// Declares a function with a body.
    fn definition(&mut self, definition: &Definition) -> Lowered<usize> {
        let base = self.base(&definition.specifiers)?;
        let declarator = &definition.declarator;
        let Some((name, Part::Function(parameters))) =
            declarator.name.zip(declarator.parts.first())
        else {
            return Err(Wrong);
        };
        let outer = Declarator {
            name: None,
            parts: Vec::new(),
            span: declarator.span,
        };
        let mut result = base;
        for part in declarator.parts[1..].iter().rev() {
            let parts = vec![self.copied(part)?];
            let one = Declarator {
                parts,
                ..outer_of(&outer)
            };
            result = self.declared(result, &one)?;
        }
        let (mut signature, _) = self.signature(result, parameters)?;
        signature
            .parameters
            .extend(self.old_parameters(definition, parameters)?);
        let internal = definition.specifiers.storage == Some(Storage::Static);
        let at = self.function(name, signature.clone(), internal);
        if self.functions[at].defined {
            let message = format!("function `{}` is defined twice", name.text);
            let told = Diagnostic::error(name.span, message).with_hint("remove one");
            let place = self.functions[at].place;
            self.diagnostics
                .push(told.with_label(place, "defined here first"));
            return Err(Wrong);
        }
        let id = match self.functions[at].id {
            Some(id) => id,
            None => self.reserve(name),
        };
        let known = &mut self.functions[at];
        known.signature = signature;
        known.defined = true;
        known.place = name.span;
        known.id = Some(id);
        let names = &self.scopes[0].names;
        let order = names
            .get(&name.text)
            .map_or(self.order, |(_, first)| *first);
        let entity = Entity::Function(at);
        self.scopes[0].names.insert(name.text, (entity, order));
        Ok(at)
    }

    fn reserve(&mut self, name: Name) -> FunctionId {
        self.program
            .add_function(proofmark_model::program::Function {
                name: name.text.as_str().into(),
                parameters: Vec::new(),
                result: None,
                body: None,
                place: name.span,
            })
    }

    /// The types of an old definition's parameters; what is not declared is an `int`.
    fn old_parameters(
        &mut self,
        definition: &Definition,
        parameters: &Parameters,
    ) -> Lowered<Vec<CType>> {
        let mut sorts = vec![INT; parameters.old.len()];
        for declaration in &definition.old {
            let base = self.base(&declaration.specifiers)?;
            for (declarator, _) in &declaration.list {
                let Some(name) = declarator.name else {
                    continue;
                };
                let mut names = parameters.old.iter();
                match names.position(|old| old.text == name.text) {
                    Some(at) => sorts[at] = self.parameter(base.clone(), declarator)?,
                    None => {
                        let message = format!("`{}` is no parameter", name.text);
                        return self.error(name.span, message, "add it between the parentheses");
                    }
                }
            }
        }
        Ok(sorts)
    }

    /// The names of a definition's parameters.
    pub(super) fn parameter_names(definition: &Definition) -> Vec<Option<Name>> {
        let Some(Part::Function(parameters)) = definition.declarator.parts.first() else {
            return Vec::new();
        };
        let typed = parameters.list.iter().map(|one| one.declarator.name);
        typed
            .chain(parameters.old.iter().map(|name| Some(*name)))
            .collect()
    }

    /// Declares what a block declares.
    pub(super) fn local_declaration(&mut self, declaration: &Declaration) -> Lowered<()> {
        let base = self.base(&declaration.specifiers)?;
        let mut all = Ok(());
        for (declarator, value) in &declaration.list {
            let one = self.local(
                &declaration.specifiers,
                base.clone(),
                declarator,
                value.as_ref(),
            );
            all = all.and(one);
        }
        all
    }

    fn local(
        &mut self,
        specifiers: &Specifiers,
        base: CType,
        declarator: &Declarator,
        value: Option<&Initializer>,
    ) -> Lowered<()> {
        let Some(name) = declarator.name else {
            return Ok(());
        };
        let sort = self.declared(base, declarator)?;
        let innermost = self
            .scopes
            .last()
            .and_then(|scope| scope.names.get(&name.text));
        let again = innermost.is_some_and(|(entity, _)| matches!(entity, Entity::Variable(..)));
        let internal = specifiers.storage == Some(Storage::Static);
        match (&sort, specifiers.storage) {
            (_, Some(Storage::Typedef)) => self.declare(name.text, Entity::Type(sort)),
            (CType::Function(signature), _) => {
                let signature = (**signature).clone();
                let function = self.function(name, signature, false);
                self.declare(name.text, Entity::Function(function));
            }
            (_, Some(Storage::Extern)) => return self.local_extern(name, sort),
            _ if again => {
                let message = format!("`{}` is declared twice", name.text);
                return self.error(name.span, message, "take another name");
            }
            _ if internal => return self.local_static(name, sort, value),
            _ => return self.local_variable(name, sort, value),
        }
        Ok(())
    }

    fn local_extern(&mut self, name: Name, sort: CType) -> Lowered<()> {
        let linked = self.globals.get(&name.text);
        let (id, sort) = match linked {
            Some(one) => (one.id, one.sort.clone()),
            None => {
                let layout = self.types.layout(&sort);
                let id = self.variable(name.text.as_str(), layout, name.span);
                self.program.globals.push(id);
                let global = sort.clone();
                self.globals.insert(name.text, Global { id, sort: global });
                (id, sort)
            }
        };
        self.declare(name.text, Entity::Variable(id, sort));
        Ok(())
    }

    fn local_static(
        &mut self,
        name: Name,
        sort: CType,
        value: Option<&Initializer>,
    ) -> Lowered<()> {
        self.refuse_sort(&sort, name.span, true)?;
        let layout = self.types.layout(&sort);
        let id = self.variable(name.text.as_str(), layout, name.span);
        self.program.globals.push(id);
        self.declare(name.text, Entity::Variable(id, sort.clone()));
        let sort = match value {
            Some(value) => self.static_value(id, &sort, value, name.span)?,
            None => sort,
        };
        self.make_known(id, &sort);
        self.declare(name.text, Entity::Variable(id, sort));
        Ok(())
    }

    fn local_variable(
        &mut self,
        name: Name,
        sort: CType,
        value: Option<&Initializer>,
    ) -> Lowered<()> {
        self.refuse_sort(&sort, name.span, true)?;
        let layout = self.types.layout(&sort);
        let id = self.variable(name.text.as_str(), layout, name.span);
        self.declare(name.text, Entity::Variable(id, sort.clone()));
        if let Some(scope) = self.scopes.last_mut() {
            scope.locals.push(id);
        }
        let sort = match value {
            Some(value) => self.automatic_value(id, &sort, value, name.span)?,
            None => sort,
        };
        let layout = self.types.layout(&sort);
        self.program.variables[id.0 as usize].sort = layout;
        self.size_of(&sort, name.span)?;
        self.declare(name.text, Entity::Variable(id, sort));
        Ok(())
    }

    /// Puts the variables of the innermost scope before its statements: a jump into the middle of a block
    /// passes by a declaration, and the variable is there all the same.
    pub(super) fn declare_first(&mut self, from: usize) {
        let locals = self.scopes.last().map(|scope| scope.locals.clone());
        let declared = locals.unwrap_or_default().into_iter().map(|id| {
            let place = self.program.variable(id).place;
            let kind = StatementKind::Declare(id);
            proofmark_model::program::Statement { kind, place }
        });
        let declared: Vec<_> = declared.collect();
        let at = from.min(self.out.len());
        self.out.splice(at..at, declared);
    }

    /// An item of a block.
    pub(super) fn item(&mut self, item: &Item) -> Lowered<()> {
        match item {
            Item::Declaration(declaration) => self.local_declaration(declaration),
            Item::Statement(statement) => self.statement(statement),
            Item::Check(check) => self.static_assert(check),
        }
    }
}

/// Where a tag is looked for.
#[derive(Clone, Copy)]
enum Reach {
    All,
    Innermost,
}

fn field(name: Option<Symbol>, sort: CType, bits: Option<Bits>) -> RecordField {
    RecordField {
        name,
        sort,
        offset: 0,
        bits,
    }
}

fn outer_of(outer: &Declarator) -> Declarator {
    Declarator {
        name: None,
        parts: Vec::new(),
        span: outer.span,
    }
}
