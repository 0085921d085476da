//! What the preprocessor makes of small files.

use super::*;

/// Reads one of some files by name.
fn find(files: &[(&str, &str)], path: &str) -> Option<Vec<u8>> {
    let found = files.iter().find(|(name, _)| *name == path);
    found.map(|(_, text)| text.as_bytes().to_vec())
}

fn read(files: &'static [(&'static str, &'static str)]) -> (String, Vec<String>) {
    let mut sources = Sources::default();
    let main = sources.add(files[0].0, files[0].1.to_string()).unwrap();
    let reader = |path: &str| find(files, path);
    let folders = vec!["inc".to_string()];
    let mut world = World::new(&mut sources, &reader, &folders);
    let mut diagnostics = Vec::new();
    let unit = unit(&mut world, main, &[], &mut diagnostics);
    let texts: Vec<&str> = unit.tokens.iter().map(|one| one.text.as_str()).collect();
    let told = diagnostics.iter().map(|one| {
        let place = sources.place(one.span);
        format!(
            "{}:{place}: {}",
            sources.file(one.span.file).name(),
            one.message
        )
    });
    (texts.join(" "), told.collect())
}

fn text(text: &'static str) -> String {
    let files: &'static [(&str, &str)] = Box::leak(Box::new([("a.c", text)]));
    let (found, told) = read(files);
    assert!(told.is_empty(), "{told:?}");
    found
}

fn faults(text: &'static str) -> Vec<String> {
    let files: &'static [(&str, &str)] = Box::leak(Box::new([("a.c", text)]));
    read(files).1
}

#[test]
fn macros_expand_as_the_examples_of_the_standard_say() {
    let third = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n\
        #define z z[0]\n#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
        #define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };";
    let wanted = "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
        f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; \
        int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;";
    assert_eq!(text(third), wanted);
}

#[test]
fn text_is_made_with_its_blanks_and_quotes() {
    let found = text(
        "#define s(x) #x\n#define e(x) s(x)\n#define n 1 +  2\ns( a  + \"b\\n\" ) e(n) s('\\0')",
    );
    assert_eq!(found, "\"a + \\\"b\\\\n\\\"\" \"1 + 2\" \"'\\\\0'\"");
}

#[test]
fn a_macro_takes_the_rest_of_the_arguments() {
    let log = "#define l(f, ...) p(f, ##__VA_ARGS__)\n#define k(a, r...) q(a, r)\nl(1) l(1, 2, 3) k(1, 2, 3)";
    assert_eq!(text(log), "p ( 1 ) p ( 1 , 2 , 3 ) q ( 1 , 2 , 3 )");
}

#[test]
fn conditions_keep_one_part() {
    let all = "#if defined(A) || B > 1\nwrong\n#elif !defined B && 'a' == 97 && -1 < 0 && (2 ? 1 : 1/0)\n\
        right\n#elif 1/0\nwrong\n#else\nwrong\n#endif\n#ifndef A\n#define A 1\n#endif\n#if A\n#if 0\n# else\nin\n\
        #endif\n#endif\n#if 0\nisn't it\n#endif\n#if -1 > 0u && 0x10 == 020 && 1 << 3 == 8\nbig\n#endif";
    assert_eq!(text(all), "right in big");
}

#[test]
fn files_are_looked_for_beside_and_in_folders() {
    let (found, told) = read(&[
        (
            "src/a.c",
            "#include \"b.h\"\n#include <c.h>\n#include <c.h>\n#define N <b.h>\n#include N\n",
        ),
        ("src/b.h", "beside"),
        ("inc/b.h", "folder __LINE__ __FILE__"),
        ("inc/c.h", "#pragma once\nonce"),
    ]);
    assert_eq!(found, "beside once folder 1 \"inc/b.h\"");
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn what_is_wrong_has_a_place() {
    let told =
        faults("#include \"no.h\"\n#error no way\n#if 1 +\n#endif\n#else\n#define\n#foo\n#if 1\nx");
    let wanted = [
        "a.c:1:2: there is no file no.h",
        "a.c:2:2: #error no way",
        "a.c:3:2: expected a number",
        "a.c:5:2: `#else` belongs to no condition",
        "a.c:6:2: expected the name of a macro",
        "a.c:7:1: there is no directive `#foo`",
        "a.c:8:2: this condition has no `#endif`",
    ];
    assert_eq!(told, wanted);
    assert_eq!(
        faults("#define f(x) x\nf(1"),
        ["a.c:2:1: the call of macro `f` has no `)`"]
    );
    assert_eq!(faults("#define f(x) x\nf(1, 2)").len(), 1);
}

#[test]
fn cycles_and_bombs_end_in_an_error() {
    let (_, told) = read(&[
        ("a.c", "#include \"a.h\"\nint x;"),
        ("a.h", "#include \"a.h\"\n#include \"a.h\""),
    ]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("100 files deep"), "{told:?}");
    let mut bomb = "#define a0 x x\n".to_string();
    for level in 1..64 {
        bomb += &format!("#define a{level} a{0} a{0}\n", level - 1);
    }
    let told = faults(Box::leak((bomb + "a63").into_boxed_str()));
    assert!(told.len() == 1 && told[0].contains("tokens"), "{told:?}");
    let deep = format!("#define f(x) x\n{}1{}", "f(".repeat(5000), ")".repeat(5000));
    let told = faults(Box::leak(deep.into_boxed_str()));
    assert!(told[0].contains("deep"), "{told:?}");
}

#[test]
fn a_token_stands_where_its_macro_is_called() {
    let mut sources = Sources::default();
    let text = "#define inner 7\n#define outer (inner)\nx = outer;";
    let main = sources.add("a.c", text.to_string()).unwrap();
    let mut world = World::new(&mut sources, &|_| None, &[]);
    let unit = unit(&mut world, main, &[], &mut Vec::new());
    let seven = unit
        .tokens
        .iter()
        .find(|one| one.text.as_str() == "7")
        .unwrap();
    assert_eq!(sources.place(seven.span).to_string(), "3:5");
    assert_eq!(sources.place(seven.spelled).to_string(), "1:15");
}
