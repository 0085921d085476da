//! Random programs, for whoever runs them: numbers of all widths, arrays, pointers, loops, calls and mutants.

use proofmark_model::graph::random::Dice;
use proofmark_model::program::{
    Binary, Callee, Expression, ExpressionKind, Filling, Function, FunctionId, Initial,
    InitialPiece, LabelId, LoopId, Lvalue, LvalueKind, MutantId, Program, Scalar, Statement,
    StatementKind, StatementVariant, Type, Unary, Variable, VariableId, Variant,
};
use proofmark_source::{FileId, Sources, Span};
use std::sync::Arc;

const WIDTHS: [u8; 4] = [8, 16, 32, 64];

/// A program, always the same for a seed.
pub fn random(seed: u64) -> Program {
    let mut sources = Sources::default();
    let file = sources.add("random.c", " ".repeat(100_000)).unwrap();
    let mut maker = Maker {
        dice: Dice::new(seed + 1),
        program: Program::default(),
        file,
        place: 0,
        scalars: Vec::new(),
        arrays: Vec::new(),
        pointers: Vec::new(),
        labels: 0,
        depth: 0,
        functions: Vec::new(),
    };
    maker.make();
    maker.program
}

struct Maker {
    dice: Dice,
    program: Program,
    file: FileId,
    place: u32,
    scalars: Vec<(VariableId, Scalar)>,
    arrays: Vec<(VariableId, u64)>,
    pointers: Vec<VariableId>,
    labels: u32,
    depth: u32,
    functions: Vec<FunctionId>,
}

fn layout(sort: Scalar) -> Type {
    match sort {
        Scalar::Integer { bits, signed } => Type::Integer { bits, signed },
        Scalar::Pointer => Type::Pointer {
            name: "void *".into(),
        },
    }
}

const INT: Scalar = Scalar::signed(32);

impl Maker {
    fn span(&mut self) -> Span {
        self.place += 1;
        Span::new(self.file, self.place, self.place + 1)
    }

    fn variable(&mut self, name: &str, sort: Type) -> VariableId {
        let place = self.span();
        self.program.add_variable(Variable {
            name: name.into(),
            sort: Arc::new(sort),
            initial: Initial::Known(vec![InitialPiece::Bytes(0, vec![self.dice.word() as u8])]),
            place,
        })
    }

    fn sort(&mut self) -> Scalar {
        Scalar::Integer {
            bits: WIDTHS[self.dice.below(4)],
            signed: self.dice.below(2) == 0,
        }
    }

    fn make(&mut self) {
        for at in 0..3 {
            let sort = self.sort();
            let id = self.variable(&format!("g{at}"), layout(sort));
            self.program.globals.push(id);
            self.scalars.push((id, sort));
        }
        let element = Arc::new(layout(INT));
        let array = self.variable("a", Type::Array { element, count: 4 });
        self.program.globals.push(array);
        self.arrays.push((array, 4));
        let pointer = self.variable("p", layout(Scalar::Pointer));
        self.program.globals.push(pointer);
        self.program.variables[pointer.0 as usize].initial = Initial::Known(vec![]);
        self.pointers.push(pointer);
        for at in 0..2 {
            self.function(&format!("f{at}"), 1);
        }
        let entry = self.function("main", 0);
        self.program.entry = entry;
    }

    fn function(&mut self, name: &str, parameters: usize) -> FunctionId {
        let outer = (self.scalars.len(), self.arrays.len(), self.pointers.len());
        let place = self.span();
        let parameters: Vec<VariableId> = (0..parameters)
            .map(|at| {
                let id = self.variable(&format!("{name}_{at}"), layout(INT));
                self.scalars.push((id, INT));
                id
            })
            .collect();
        let id = self.program.add_function(Function {
            name: name.into(),
            parameters,
            result: Some(INT),
            body: Some(Vec::new()),
            place,
        });
        self.functions.push(id);
        let mut body = Vec::new();
        for at in 0..2 {
            let sort = self.sort();
            let local = self.variable(&format!("{name}_l{at}"), layout(sort));
            body.push(self.statement(StatementKind::Declare(local)));
            self.scalars.push((local, sort));
        }
        let count = 3 + self.dice.below(6);
        body.extend(self.statements(count));
        if self.dice.below(4) > 0 {
            let value = self.number(INT, 2);
            body.push(self.statement(StatementKind::Return(Some(value))));
        }
        self.program.functions[id.0 as usize].body = Some(body);
        self.scalars.truncate(outer.0);
        self.arrays.truncate(outer.1);
        self.pointers.truncate(outer.2);
        id
    }

    fn statement(&mut self, kind: StatementKind) -> Statement {
        let place = self.span();
        Statement { kind, place }
    }

    fn statements(&mut self, count: usize) -> Vec<Statement> {
        let mut list = Vec::new();
        for _ in 0..count {
            self.add(&mut list);
        }
        list
    }

    fn add(&mut self, list: &mut Vec<Statement>) {
        let choice = self.dice.below(if self.depth < 3 { 18 } else { 10 });
        let kind = match choice {
            0..=2 => {
                let (to, sort) = self.scalar_place();
                let value = self.number(sort, 3);
                StatementKind::Assign(to, value)
            }
            3 => {
                let (to, sort) = self.scalar_place();
                StatementKind::Input(to, sort, "any".into())
            }
            4 => {
                let condition = self.truth(2);
                StatementKind::Assert(condition, "".into())
            }
            5 if self.dice.below(3) == 0 => {
                let condition = self.truth(1);
                StatementKind::Assume(condition)
            }
            5 | 6 => {
                let to = self.pointer_place();
                let value = self.address(2);
                StatementKind::Assign(to, value)
            }
            7 => self.memory(),
            8 => {
                let to = self.pointer_place();
                let size = match self.dice.below(4) {
                    0 => self.number(Scalar::unsigned(64), 1),
                    _ => self.constant(Scalar::unsigned(64), 8),
                };
                let filling = [Filling::Zero, Filling::Any][self.dice.below(2)];
                StatementKind::Allocate { to, size, filling }
            }
            9 if self.dice.below(2) == 0 => {
                let pointer = self.address(1);
                StatementKind::Free(pointer)
            }
            9 => {
                let value = self.number(INT, 1);
                StatementKind::Return(Some(value))
            }
            10..=12 => self.branch(),
            13 | 14 => return self.repeat(list),
            15 => self.call(),
            _ => self.selected(),
        };
        let statement = self.statement(kind);
        // A return in the middle hides the rest.
        if matches!(statement.kind, StatementKind::Return(_)) && self.dice.below(3) > 0 {
            return;
        }
        list.push(statement);
    }

    fn deeper<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let made = make(self);
        self.depth -= 1;
        made
    }

    fn some_statements(&mut self) -> Vec<Statement> {
        let count = 1 + self.dice.below(3);
        self.deeper(|maker| maker.statements(count))
    }

    fn branch(&mut self) -> StatementKind {
        let condition = self.truth(2);
        let (then, otherwise) = (self.some_statements(), self.some_statements());
        StatementKind::If(condition, then, otherwise)
    }

    fn repeat(&mut self, list: &mut Vec<Statement>) {
        self.labels += 1;
        let out = LabelId(self.labels);
        let place = self.span();
        let id: LoopId = self.program.add_loop("loop", place);
        let condition = self.truth(2);
        let leave = self.statement(StatementKind::Goto(out));
        let mut body = vec![];
        let first = self.dice.below(2) == 0;
        let exit = self.statement(StatementKind::If(condition, vec![leave], vec![]));
        let inside = self.some_statements();
        match first {
            true => {
                body.push(exit);
                body.extend(inside);
            }
            false => {
                body.extend(inside);
                body.push(exit);
            }
        }
        if self.dice.below(3) == 0 {
            let condition = self.truth(1);
            let leave = self.statement(StatementKind::Goto(out));
            body.insert(0, self.statement_if(condition, leave));
        }
        list.push(self.statement(StatementKind::Loop(id, body)));
        list.push(self.statement(StatementKind::Label(out)));
    }

    fn statement_if(&mut self, condition: Expression, then: Statement) -> Statement {
        self.statement(StatementKind::If(condition, vec![then], vec![]))
    }

    fn call(&mut self) -> StatementKind {
        let (to, _) = self.int_place();
        let callee = self.functions[self.dice.below(self.functions.len())];
        let parameters = self.program.function(callee).parameters.len();
        let arguments = (0..parameters).map(|_| self.number(INT, 1)).collect();
        let callee = match self.dice.below(3) {
            0 => Callee::Pointer(self.function_pointer(callee)),
            _ => Callee::Function(callee),
        };
        let result = (self.dice.below(3) > 0).then_some((to, INT));
        StatementKind::Call {
            result,
            callee,
            arguments,
        }
    }

    fn function_pointer(&mut self, function: FunctionId) -> Expression {
        let condition = self.truth(1);
        let one = self.expression(ExpressionKind::AddressOfFunction(function), Scalar::Pointer);
        let other = match self.dice.below(2) {
            0 => self.constant(Scalar::Pointer, 0),
            _ => {
                let other = self.functions[self.dice.below(self.functions.len())];
                self.expression(ExpressionKind::AddressOfFunction(other), Scalar::Pointer)
            }
        };
        let kind = ExpressionKind::Conditional(Box::new(condition), Box::new(one), Box::new(other));
        self.expression(kind, Scalar::Pointer)
    }

    fn memory(&mut self) -> StatementKind {
        let to = self.address(1);
        let size = match self.dice.below(2) {
            0 => self.constant(Scalar::unsigned(64), 6),
            _ => {
                let size = self.number(Scalar::unsigned(8), 1);
                self.expression(ExpressionKind::Cast(Box::new(size)), Scalar::unsigned(64))
            }
        };
        if self.dice.below(2) == 0 {
            let from = self.address(1);
            StatementKind::CopyBytes { to, from, size }
        } else {
            let value = self.number(Scalar::unsigned(8), 1);
            StatementKind::FillBytes { to, value, size }
        }
    }

    fn selected(&mut self) -> StatementKind {
        let original = self.some_statements();
        let mutant = self.mutant();
        let statements = match self.dice.below(2) {
            0 => Vec::new(),
            _ => self.some_statements(),
        };
        StatementKind::Selected(original, vec![StatementVariant { mutant, statements }])
    }

    fn mutant(&mut self) -> MutantId {
        self.program.mutants += 1;
        MutantId(self.program.mutants - 1)
    }

    fn expression(&mut self, kind: ExpressionKind, sort: Scalar) -> Expression {
        let place = self.span();
        Expression { kind, sort, place }
    }

    fn constant(&mut self, sort: Scalar, limit: usize) -> Expression {
        let number = match limit {
            0 => 0,
            _ => self.dice.below(limit + 1) as u64,
        };
        self.expression(ExpressionKind::Constant(number), sort)
    }

    fn lvalue(&mut self, kind: LvalueKind) -> Lvalue {
        let place = self.span();
        Lvalue { kind, place }
    }

    fn scalar_place(&mut self) -> (Lvalue, Scalar) {
        match self.dice.below(5) {
            0 => (self.element(), INT),
            1 => {
                let pointer = self.address(1);
                let sort = self.sort();
                (
                    self.lvalue(LvalueKind::Dereference(Box::new(pointer))),
                    sort,
                )
            }
            _ => {
                let (id, sort) = self.scalars[self.dice.below(self.scalars.len())];
                (self.lvalue(LvalueKind::Variable(id)), sort)
            }
        }
    }

    fn int_place(&mut self) -> (Lvalue, Scalar) {
        (self.element(), INT)
    }

    fn pointer_place(&mut self) -> Lvalue {
        let id = self.pointers[self.dice.below(self.pointers.len())];
        self.lvalue(LvalueKind::Variable(id))
    }

    fn element(&mut self) -> Lvalue {
        let (id, count) = self.arrays[self.dice.below(self.arrays.len())];
        let array = Box::new(self.lvalue(LvalueKind::Variable(id)));
        let index = match self.dice.below(3) {
            0 => self.constant(INT, 4),
            _ => {
                let mask = self.constant(INT, 3);
                let number = self.number(INT, 1);
                let kind = ExpressionKind::Binary(Binary::BitAnd, Box::new(number), Box::new(mask));
                self.expression(kind, INT)
            }
        };
        self.lvalue(LvalueKind::Index {
            array,
            index: Box::new(index),
            size: 4,
            count: Some(count),
        })
    }

    fn address(&mut self, depth: u32) -> Expression {
        match self.dice.below(if depth > 0 { 6 } else { 3 }) {
            0 => {
                let place = self.pointer_place();
                self.expression(ExpressionKind::Load(Box::new(place)), Scalar::Pointer)
            }
            1 => {
                let (place, _) = self.int_place();
                self.expression(ExpressionKind::AddressOf(Box::new(place)), Scalar::Pointer)
            }
            2 => {
                let (id, _) = self.scalars[self.dice.below(self.scalars.len())];
                let place = self.lvalue(LvalueKind::Variable(id));
                self.expression(ExpressionKind::AddressOf(Box::new(place)), Scalar::Pointer)
            }
            3 => {
                let pointer = self.address(depth - 1);
                let by = self.constant(Scalar::signed(64), 4);
                let kind =
                    ExpressionKind::Binary(Binary::PointerAdd, Box::new(pointer), Box::new(by));
                self.expression(kind, Scalar::Pointer)
            }
            4 => self.constant(Scalar::Pointer, 0),
            _ => {
                let condition = self.truth(0);
                let (one, other) = (self.address(depth - 1), self.address(depth - 1));
                let kind = ExpressionKind::Conditional(
                    Box::new(condition),
                    Box::new(one),
                    Box::new(other),
                );
                self.expression(kind, Scalar::Pointer)
            }
        }
    }

    fn number(&mut self, sort: Scalar, depth: u32) -> Expression {
        const OPERATORS: [Binary; 10] = [
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Divide,
            Binary::Remainder,
            Binary::BitAnd,
            Binary::BitOr,
            Binary::BitXor,
            Binary::ShiftLeft,
            Binary::ShiftRight,
        ];
        match self.dice.below(if depth > 0 { 8 } else { 3 }) {
            0 => self.constant(sort, 7),
            1 | 2 => {
                let (place, of) = self.scalar_place();
                let load = self.expression(ExpressionKind::Load(Box::new(place)), of);
                self.expression(ExpressionKind::Cast(Box::new(load)), sort)
            }
            3 | 4 => {
                // Division is expensive at 64 bits.
                let count = if sort.bits() > 16 { 3 } else { 10 };
                let operator =
                    OPERATORS[(self.dice.below(count) + 5 * usize::from(count == 3)) % 10];
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, depth - 1));
                let kind = ExpressionKind::Binary(operator, Box::new(a), Box::new(b));
                self.expression(kind, sort)
            }
            5 => {
                let operator = [Unary::Negate, Unary::Not][self.dice.below(2)];
                let a = self.number(sort, depth - 1);
                self.expression(ExpressionKind::Unary(operator, Box::new(a)), sort)
            }
            6 => {
                let condition = self.truth(depth - 1);
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, depth - 1));
                let kind =
                    ExpressionKind::Conditional(Box::new(condition), Box::new(a), Box::new(b));
                self.expression(kind, sort)
            }
            _ => {
                let (a, b) = (self.number(sort, depth - 1), self.number(sort, depth - 1));
                let mutant = self.mutant();
                let variant = Variant {
                    mutant,
                    expression: b,
                };
                let kind = ExpressionKind::Selected(Box::new(a), vec![variant]);
                self.expression(kind, sort)
            }
        }
    }

    fn truth(&mut self, depth: u32) -> Expression {
        const OPERATORS: [Binary; 4] = [
            Binary::Equal,
            Binary::NotEqual,
            Binary::Less,
            Binary::LessOrEqual,
        ];
        let deeper = depth.saturating_sub(1);
        match self.dice.below(if depth > 0 { 6 } else { 2 }) {
            0 | 1 => {
                let sort = self.sort();
                let (a, b) = (self.number(sort, deeper), self.number(sort, deeper));
                let operator = OPERATORS[self.dice.below(4)];
                let kind = ExpressionKind::Binary(operator, Box::new(a), Box::new(b));
                self.expression(kind, Scalar::BOOLEAN)
            }
            2 => {
                let (a, b) = (self.address(deeper), self.address(deeper));
                // The order of objects is not the same for who runs and who encodes, equality is.
                let operator = OPERATORS[self.dice.below(4)];
                let kind = ExpressionKind::Binary(operator, Box::new(a), Box::new(b));
                self.expression(kind, Scalar::BOOLEAN)
            }
            3 | 4 => {
                let (a, b) = (Box::new(self.truth(deeper)), Box::new(self.truth(deeper)));
                let kind = match self.dice.below(2) {
                    0 => ExpressionKind::And(a, b),
                    _ => ExpressionKind::Or(a, b),
                };
                self.expression(kind, Scalar::BOOLEAN)
            }
            _ => {
                let a = Box::new(self.truth(deeper));
                self.expression(ExpressionKind::Unary(Unary::Not, a), Scalar::BOOLEAN)
            }
        }
    }
}
