//! What is known of functions without a body: assertions and assumptions, memory, the log, and the small
//! functions of the C library, which are written in C and read like the program.

use super::call::Wanted;
use super::operand::{Operand, Value, cast};
use super::{Lowered, Lowerer, Wrong, constant_of};
use crate::c::syntax::{Expr, ExprKind};
use crate::c::types::{CType, INT};
use proofmark_model::program::{Filling, Scalar, StatementKind};
use proofmark_source::Span;
use std::sync::Arc;

/// Functions of the C library in C, taken in when a program names one and has no body for it. Each follows what
/// C11 7.4, 7.22 and 7.24 say, byte by byte, so that its loops are unwound like those of the program.
pub(in crate::c) const SOURCE: &[(&str, &str)] = &[
    ("abs", "int abs(int x) { return x < 0 ? -x : x; }"),
    ("labs", "long labs(long x) { return x < 0 ? -x : x; }"),
    (
        "llabs",
        "long long llabs(long long x) { return x < 0 ? -x : x; }",
    ),
    (
        "isdigit",
        "int isdigit(int c) { return c >= '0' && c <= '9'; }",
    ),
    (
        "islower",
        "int islower(int c) { return c >= 'a' && c <= 'z'; }",
    ),
    (
        "isupper",
        "int isupper(int c) { return c >= 'A' && c <= 'Z'; }",
    ),
    (
        "isalpha",
        "int isalpha(int c) { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; }",
    ),
    (
        "isalnum",
        "int isalnum(int c) { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'; }",
    ),
    (
        "isspace",
        "int isspace(int c) { return c == ' ' || c >= 9 && c <= 13; }",
    ),
    (
        "isblank",
        "int isblank(int c) { return c == ' ' || c == 9; }",
    ),
    (
        "isprint",
        "int isprint(int c) { return c >= 32 && c <= 126; }",
    ),
    (
        "isgraph",
        "int isgraph(int c) { return c >= 33 && c <= 126; }",
    ),
    (
        "iscntrl",
        "int iscntrl(int c) { return c >= 0 && c <= 31 || c == 127; }",
    ),
    (
        "ispunct",
        "int ispunct(int c) { return c >= 33 && c <= 47 || c >= 58 && c <= 64 || c >= 91 && c <= 96 || c >= 123 && c <= 126; }",
    ),
    (
        "isxdigit",
        "int isxdigit(int c) { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'; }",
    ),
    (
        "tolower",
        "int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }",
    ),
    (
        "toupper",
        "int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }",
    ),
    (
        "rand",
        "int rand(void) { int nondet_rand(void); int value = nondet_rand(); __CPROVER_assume(value >= 0); return value; }",
    ),
    (
        "strlen",
        "unsigned long strlen(const char *s) { unsigned long n = 0; while (s[n] != 0) n++; return n; }",
    ),
    (
        "strnlen",
        "unsigned long strnlen(const char *s, unsigned long most) { unsigned long n = 0; while (n < most && s[n] != 0) n++; return n; }",
    ),
    (
        "strcmp",
        "int strcmp(const char *a, const char *b) { unsigned long i = 0; unsigned char x, y; do { x = a[i]; y = b[i]; if (x < y) return -1; if (x > y) return 1; i++; } while (x != 0); return 0; }",
    ),
    (
        "strncmp",
        "int strncmp(const char *a, const char *b, unsigned long n) { unsigned long i = 0; unsigned char x, y; while (i < n) { x = a[i]; y = b[i]; if (x < y) return -1; if (x > y) return 1; if (x == 0) return 0; i++; } return 0; }",
    ),
    (
        "memcmp",
        "int memcmp(const void *a, const void *b, unsigned long n) { const unsigned char *x = a, *y = b; for (; n != 0; n--) { if (*x != *y) return *x < *y ? -1 : 1; x++; y++; } return 0; }",
    ),
    (
        "memchr",
        "void *memchr(const void *s, int c, unsigned long n) { const unsigned char *p = s; for (; n != 0; n--) { if (*p == (unsigned char)c) return (void *)p; p++; } return 0; }",
    ),
    (
        "strcpy",
        "char *strcpy(char *to, const char *from) { unsigned long i = 0; char c; do { c = from[i]; to[i] = c; i++; } while (c != 0); return to; }",
    ),
    (
        "strncpy",
        "char *strncpy(char *to, const char *from, unsigned long n) { unsigned long i = 0; while (i < n && from[i] != 0) { to[i] = from[i]; i++; } while (i < n) { to[i] = 0; i++; } return to; }",
    ),
    (
        "strcat",
        "char *strcat(char *to, const char *from) { unsigned long n = 0, i = 0; char c; while (to[n] != 0) n++; do { c = from[i]; to[n] = c; n++; i++; } while (c != 0); return to; }",
    ),
    (
        "strncat",
        "char *strncat(char *to, const char *from, unsigned long most) { unsigned long n = 0, i = 0; while (to[n] != 0) n++; while (i < most && from[i] != 0) { to[n] = from[i]; n++; i++; } to[n] = 0; return to; }",
    ),
    (
        "strchr",
        "char *strchr(const char *s, int c) { for (;; s++) { if (*s == (char)c) return (char *)s; if (*s == 0) return 0; } }",
    ),
    (
        "strrchr",
        "char *strrchr(const char *s, int c) { const char *last = 0; for (;; s++) { if (*s == (char)c) last = s; if (*s == 0) return (char *)last; } }",
    ),
    (
        "strstr",
        "char *strstr(const char *s, const char *part) { unsigned long i; for (;; s++) { for (i = 0; part[i] != 0 && s[i] == part[i]; i++) ; if (part[i] == 0) return (char *)s; if (*s == 0) return 0; } }",
    ),
    (
        "strdup",
        "char *strdup(const char *s) { unsigned long n = 0; while (s[n] != 0) n++; char *made = malloc(n + 1); if (made != 0) __builtin_memcpy(made, s, n + 1); return made; }",
    ),
    (
        "atoi",
        "int atoi(const char *s) { int sign = 1, value = 0; while (*s == ' ' || *s >= 9 && *s <= 13) s++; if (*s == '-' || *s == '+') { if (*s == '-') sign = -1; s++; } while (*s >= '0' && *s <= '9') { value = value * 10 + (*s - '0'); s++; } return sign * value; }",
    ),
];

/// Whether a function comes with the reader.
pub(in crate::c) fn is_known(name: &str) -> bool {
    SOURCE.iter().any(|(known, _)| *known == name)
}

/// How much of a condition is shown.
const LONGEST_TEXT: usize = 200;

impl Lowerer<'_> {
    /// What a call of a known function does; nothing when it is not known.
    pub(super) fn known_function(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Option<Lowered<Operand>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let done = |result: Lowered<()>| Some(result.map(|()| Operand::Nothing));
        match (plain, arguments) {
            ("assert" | "__VERIFIER_assert" | "__CPROVER_assert", [condition, text @ ..]) => {
                done(self.assertion(condition, text.first(), span))
            }
            ("assume" | "__CPROVER_assume" | "__VERIFIER_assume", [condition]) => {
                if plain == "assume" && name != "__builtin_assume" {
                    return None;
                }
                done(self.assumption(condition, span))
            }
            ("__VERIFIER_error" | "reach_error" | "unreachable" | "__assert_fail", _) => {
                let falsehood = constant_of(0, Scalar::BOOLEAN, span);
                let text = Arc::from(plain);
                self.emit(StatementKind::Assert(falsehood, text), span);
                Some(Ok(Operand::Nothing))
            }
            ("abort" | "exit" | "_Exit" | "_exit" | "trap", _) => {
                let falsehood = constant_of(0, Scalar::BOOLEAN, span);
                let effects = arguments.iter().try_for_each(|one| self.effects(one));
                self.emit(StatementKind::Assume(falsehood), span);
                done(effects)
            }
            ("malloc" | "calloc", _) => self.allocation(plain, arguments, span),
            ("free", [pointer]) => done(self.free(pointer, span)),
            ("memcpy" | "memmove", [to, from, size]) => {
                Some(self.copy_memory(to, from, size, span))
            }
            ("memset", [to, byte, size]) => Some(self.fill_memory(to, Some(byte), size, span)),
            ("bzero", [to, size]) => Some(self.fill_memory(to, None, size, span)),
            ("printf" | "__CPROVER_printf", [format, rest @ ..]) => Some(
                self.log(format, rest, span)
                    .and_then(|()| self.written(span, wanted)),
            ),
            ("fprintf", [stream, format, rest @ ..]) => {
                let logged = self
                    .effects(stream)
                    .and_then(|()| self.log(format, rest, span));
                Some(logged.and_then(|()| self.written(span, wanted)))
            }
            ("puts", [text]) => {
                let logged = self.log_text(text, span);
                Some(logged.and_then(|()| self.written(span, wanted)))
            }
            ("putchar", [c]) => {
                let logged = self.log_character(c, span);
                Some(logged.and_then(|()| self.written(span, wanted)))
            }
            ("expect", [value, _]) => Some(self.rvalue(value).map(Operand::Value)),
            ("constant_p", [_]) => Some(Ok(self.number(0, &INT, span))),
            ("__CPROVER_input" | "__CPROVER_output", _) => {
                done(arguments.iter().try_for_each(|one| self.effects(one)))
            }
            // There is one thread.
            (
                "__CPROVER_atomic_begin"
                | "__CPROVER_atomic_end"
                | "__VERIFIER_atomic_begin"
                | "__VERIFIER_atomic_end"
                | "fflush",
                _,
            ) => Some(Ok(Operand::Nothing)),
            _ => None,
        }
    }

    /// What `printf` and its like return.
    fn written(&mut self, span: Span, wanted: Wanted) -> Lowered<Operand> {
        match wanted {
            Wanted::Effects => Ok(Operand::Nothing),
            Wanted::Value => self.input("printf", &INT, span),
        }
    }

    fn assertion(&mut self, condition: &Expr, text: Option<&Expr>, span: Span) -> Lowered<()> {
        let shown = match text.map(|text| &text.kind) {
            Some(ExprKind::Text(units, _)) => {
                let bytes: Vec<u8> = units.iter().map(|unit| *unit as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => self.text_of(condition.span),
        };
        let condition = self.condition(condition)?;
        self.emit(StatementKind::Assert(condition, shown.into()), span);
        Ok(())
    }

    /// The source of an expression, in one line.
    fn text_of(&self, span: Span) -> String {
        let text = self.sources.text(span);
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").chars().take(LONGEST_TEXT).collect()
    }

    fn assumption(&mut self, condition: &Expr, span: Span) -> Lowered<()> {
        let condition = self.condition(condition)?;
        self.emit(StatementKind::Assume(condition), span);
        Ok(())
    }

    fn allocation(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: Span,
    ) -> Option<Lowered<Operand>> {
        let size = match arguments {
            [size] if name == "malloc" => self.size_argument(size),
            [count, size] if name == "calloc" => self.product(count, size, span),
            _ => return None,
        };
        let filling = match name {
            "calloc" => Filling::Zero,
            _ => Filling::Any,
        };
        Some(size.map(|size| {
            let (to, value) = self.pointer_place(span);
            self.emit(StatementKind::Allocate { to, size, filling }, span);
            Operand::Value(value)
        }))
    }

    fn product(
        &mut self,
        count: &Expr,
        size: &Expr,
        span: Span,
    ) -> Lowered<proofmark_model::program::Expression> {
        let count = self.size_argument(count)?;
        let size = self.size_argument(size)?;
        let sort = Scalar::unsigned(64);
        let operator = proofmark_model::program::Binary::Multiply;
        Ok(super::operand::binary(operator, count, size, sort, span))
    }

    fn pointer_argument(&mut self, of: &Expr) -> Lowered<Value> {
        let value = self.rvalue(of)?;
        let sort = match value.sort {
            CType::Pointer(_) => value.sort.clone(),
            _ => CType::pointer(CType::Void),
        };
        self.assigned(value, &sort, of.span)
    }

    fn free(&mut self, pointer: &Expr, span: Span) -> Lowered<()> {
        let pointer = self.pointer_argument(pointer)?;
        self.emit(StatementKind::Free(pointer.expression), span);
        Ok(())
    }

    fn copy_memory(&mut self, to: &Expr, from: &Expr, size: &Expr, span: Span) -> Lowered<Operand> {
        let target = self.pointer_argument(to)?;
        let target = self.kept(target, to.span);
        let from = self.pointer_argument(from)?.expression;
        let size = self.size_argument(size)?;
        let to = target.expression.clone();
        self.emit(StatementKind::CopyBytes { to, from, size }, span);
        Ok(Operand::Value(target))
    }

    fn fill_memory(
        &mut self,
        to: &Expr,
        byte: Option<&Expr>,
        size: &Expr,
        span: Span,
    ) -> Lowered<Operand> {
        let target = self.pointer_argument(to)?;
        let target = self.kept(target, to.span);
        let value = match byte {
            Some(byte) => {
                let value = self.rvalue(byte)?;
                self.scalar_of(&value.sort, byte.span)?;
                cast(value.expression, Scalar::unsigned(8))
            }
            None => constant_of(0, Scalar::unsigned(8), span),
        };
        let size = self.size_argument(size)?;
        let to = target.expression.clone();
        self.emit(StatementKind::FillBytes { to, value, size }, span);
        Ok(Operand::Value(target))
    }

    /// The value of an argument of the log.
    pub(super) fn logged_value(&mut self, of: &Expr) -> Lowered<Value> {
        let operand = self.operand(of)?;
        match self.promoted_argument(operand, of.span)? {
            Some(value) => Ok(value),
            None => {
                let _: Lowered<()> =
                    self.error(of.span, "a structure cannot be printed", "print its fields");
                Err(Wrong)
            }
        }
    }
}
