//! What the parser takes, and what it says of what it does not.

use super::*;
use crate::c::scan::scan;
use proofmark_source::Sources;

fn read(text: &str) -> (usize, Vec<String>) {
    let mut sources = Sources::default();
    let file = sources.add("a.c", text.to_string()).unwrap();
    let tokens = scan(text, file);
    let end = Span::new(file, text.len() as u32, text.len() as u32);
    let mut diagnostics = Vec::new();
    let unit = parse(&tokens, end, &mut diagnostics);
    let told = diagnostics
        .iter()
        .map(|one| format!("{}: {}", sources.place(one.span), one.message));
    (unit.len(), told.collect())
}

#[test]
fn old_and_new_code_is_read() {
    for text in [
        "int x, *y[3], (*z)(int, char *), w = 3, v[] = {1, [5] = 2, 3};",
        "typedef unsigned long size; size f(size x) { return x * (size)1; } void g(size size) { size = 1; }",
        "main() { return 0; }",
        "int max(a, b) int a; int b; { return a > b ? a : b; }",
        "struct s { int a : 3, : 0; union { int x; char y; }; struct s *next; } s = { .a = 1 };",
        "enum e { A, B = 3, C, } e; enum e g(void);",
        "void h(int a[static 3], const char *, ...) { for (int i = 0; i < 3; i++) ; l: goto l; }",
        "int k(void) { switch (1) { case 1 ... 3: default: break; } do ; while (0); return ({ 1; }); }",
        "__extension__ static __inline__ int q(void) __attribute__((noreturn));",
        "int *p = (int []){1, 2}, r = sizeof(int) + sizeof r + sizeof (r), s = 1 ?: 2;",
        "_Static_assert(1, \"yes\"); int t = _Generic(1, int: 1, default: 2);",
        "int u(void) { asm volatile(\"\" ::: \"memory\"); __asm__(\"nop\"); }",
        "void (*signal(int sig, void (*func)(int)))(int);",
        "typedef int T; void m(void) { T *T; T = 0; { typedef char T; T x; } }",
        "int x = __builtin_offsetof(struct s, a.b[1]);",
    ] {
        let (count, told) = read(text);
        assert!(told.is_empty() && count > 0, "{text}: {told:?}");
    }
}

#[test]
fn several_errors_are_told_with_their_places() {
    let text =
        "int f(void) {\n  int x = ;\n  x = 1 +;\n  if (x { y; }\n  return 0\n}\nint g( { }\nint h;";
    let (_, told) = read(text);
    let wanted = [
        "2:11: expected an expression, found `;`",
        "3:10: expected an expression, found `;`",
        "4:9: expected `)`, found `{`",
        "6:1: expected `;`, found `}`",
        "7:8: expected a parameter, found `{`",
    ];
    assert_eq!(told, wanted);
    assert_eq!(
        read("int x = \"a").1,
        ["1:9: expected an expression, found a quote that has no end"]
    );
    assert_eq!(read("__thread int x;").1.len(), 1);
}

#[test]
fn what_is_too_deep_is_refused() {
    let many = 10_000;
    let blocks = format!(
        "int f(void) {{ {} {} }}",
        "{".repeat(many),
        "}".repeat(many)
    );
    let parens = format!("int x = {}1{};", "(".repeat(many), ")".repeat(many));
    let sums = format!("int x = 1{};", "+1".repeat(many));
    let stars = format!("int {}x;", "(*".repeat(many));
    let ifs = format!("int f(void) {{ {} ; }}", "if (1)".repeat(many));
    let structs = "struct {".repeat(many);
    let calls = format!("int x = f{};", "()".repeat(many));
    let lists = format!("int x = {};", "{".repeat(many));
    let sizes = format!("int x = {}1;", "sizeof ".repeat(many));
    let choices = format!("int x = 1{};", "?1:1".repeat(many));
    for text in [
        blocks, parens, sums, stars, ifs, structs, calls, lists, sizes, choices,
    ] {
        let (_, told) = read(&text);
        assert!(told[0].contains("deep"), "{}: {told:?}", &text[..20]);
    }
}
