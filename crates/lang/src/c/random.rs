//! Random C programs that have one meaning: what a compiler makes of them and what is read here must print the
//! same.
//!
//! Nothing is undefined under `-fwrapv`: divisors are odd or positive, amounts of shifts and indices are cut, everything is
//! initialised, loops count, and what is not ordered has no effects.

use crate::random::Dice;
use std::fmt::Write as _;

const TYPES: [&str; 11] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "_Bool",
    "long long",
];

/// Fields of the structure that programs have, a bit-field among them.
const FIELDS: [&str; 6] = ["a", "b", "c", "d", "e[i0 & 3]", "f"];

/// A program that prints what it computes.
pub fn program(dice: &mut Dice) -> String {
    let mut writer = Writer {
        dice,
        text: String::new(),
        depth: 0,
        loops: 0,
    };
    writer.program();
    writer.text
}

struct Writer<'a> {
    dice: &'a mut Dice,
    text: String,
    depth: usize,
    /// Loops around.
    loops: usize,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.dice.roll(of.len())]
    }

    fn program(&mut self) {
        self.line("#include <stdio.h>");
        self.line("#include <string.h>");
        self.line("#define MIX(x) (h = h * 31u + (unsigned long)(x))");
        self.line("enum color { RED, GREEN = 5, BLUE };");
        self.line(
            "struct s { char a; int b : 5; unsigned c : 11; _Bool f : 1; long d; short e[4]; };",
        );
        self.line("union u { unsigned int whole; unsigned char bytes[4]; };");
        self.line("unsigned long h;");
        for at in 0..4 {
            let (of, value) = (self.pick(&TYPES), self.constant());
            self.line(&format!("{of} g{at} = ({of}){value};"));
        }
        self.line("int ga[8] = { 3, [4] = -7, 9 };");
        self.line("short gm[3][4] = { { 1, 2 }, { [2] = 5 }, 7 };");
        self.line("struct s gs = { .d = -4, .b = 3, .e = { 1, 2 } };");
        self.line("static const char *gt = \"abc\" \"def\";");
        for at in 0..2 {
            self.function(at);
        }
        self.main();
    }

    fn function(&mut self, at: usize) {
        let (result, one, two) = (self.pick(&TYPES), self.pick(&TYPES), self.pick(&TYPES));
        self.line(&format!(
            "{result} f{at}({one} x, {two} y, int *p, struct s v) {{"
        ));
        self.depth = 1;
        self.locals();
        for _ in 0..2 + self.dice.roll(4) {
            self.statement(2);
        }
        let value = self.expression(3);
        self.line(&format!(
            "v.d += x; *p = *p + (int)y; return ({result})({value} + v.d);"
        ));
        self.depth = 0;
        self.line("}");
    }

    fn locals(&mut self) {
        for at in 0..3 {
            let (of, value) = (self.pick(&TYPES), self.constant());
            self.line(&format!("{of} i{at} = ({of}){value};"));
        }
        self.line("int la[4] = { 1, 2, 3 }; struct s ls = gs; union u lu = { 0x12345678u };");
        self.line("enum color lc = GREEN; int *lp = &la[1], **lq = &lp; char text[8] = \"xyz\";");
        self.line(
            "int (*fp)(int, int) = 0; unsigned int n0 = 0, n1 = 0; (void)fp; (void)n1; (void)n0;",
        );
    }

    fn main(&mut self) {
        self.line("int main(void) {");
        self.depth = 1;
        self.line("int x = 5; unsigned char y = 250; int own = 1; int *p = &own; struct s v = gs;");
        self.locals();
        for _ in 0..6 + self.dice.roll(6) {
            self.statement(3);
        }
        for at in 0..2 {
            let (one, two) = (self.expression(2), self.expression(2));
            self.line(&format!(
                "i{at} = f{at}({one}, {two}, &ga[{at}], ls); MIX(i{at});"
            ));
        }
        for one in [
            "g0", "g1", "g2", "g3", "i0", "i1", "i2", "x", "y", "own", "lu.whole", "lc",
        ] {
            self.line(&format!("MIX({one});"));
        }
        for one in ["gs", "ls", "v"] {
            self.line(&format!(
                "MIX({one}.a); MIX({one}.b); MIX({one}.c); MIX({one}.d); MIX({one}.f); MIX({one}.e[3]);"
            ));
        }
        self.line("for (n0 = 0; n0 < 8; n0++) { MIX(ga[n0]); MIX(text[n0]); }");
        self.line("for (n0 = 0; n0 < 12; n0++) MIX(gm[n0 / 4][n0 % 4]);");
        self.line(
            "MIX(strlen(text)); MIX(strcmp(gt, \"abcdeg\") < 0); MIX(sizeof(struct s)); MIX(**lq);",
        );
        self.line("printf(\"%lu %d %x %5d %c\\n\", h, x, (unsigned)own, la[2], 'a' + (x & 7));");
        self.line("return 0;");
        self.depth = 0;
        self.line("}");
    }

    fn constant(&mut self) -> String {
        let some = [
            "0",
            "1",
            "-1",
            "2",
            "7",
            "127",
            "-128",
            "255",
            "256",
            "32767",
            "65535",
            "2147483647",
            "-2147483647",
            "4294967295u",
            "0x7fffffffffffffffL",
            "'q'",
            "GREEN",
            "1UL << 40",
            "10",
        ];
        format!("({})", self.pick(&some))
    }

    fn place(&mut self) -> String {
        let some = [
            "g0",
            "g1",
            "g2",
            "g3",
            "i0",
            "i1",
            "i2",
            "x",
            "y",
            "*lp",
            "**lq",
            "la[i1 & 3]",
            "lu.whole",
            "ga[(unsigned char)i0 % 8]",
            "gm[(i1 & 1) + 1][i2 & 3]",
            "*p",
            "lu.bytes[i2 & 3]",
            "text[i0 & 3]",
        ];
        match self.dice.roll(4) {
            0 => {
                let of = self.pick(&["gs.", "ls.", "v.", "(&v)->"]);
                let field = self.pick(&FIELDS);
                format!("{of}{field}")
            }
            _ => self.pick(&some).to_string(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.roll(5) == 0 {
            return match self.dice.roll(3) {
                0 => self.constant(),
                _ => self.place(),
            };
        }
        let one = self.expression(depth - 1);
        let two = self.expression(depth - 1);
        match self.dice.roll(12) {
            0 | 1 => format!(
                "({one} {} {two})",
                self.pick(&["+", "-", "*", "&", "|", "^"])
            ),
            2 => format!("({one} {} (({two} & 15) | 1))", self.pick(&["/", "%"])),
            3 => format!("({one} << ({two} & 7))"),
            4 => format!("({one} >> ({two} & 31))"),
            5 => format!(
                "({one} {} {two})",
                self.pick(&["<", "<=", ">", ">=", "==", "!="])
            ),
            6 => format!("({one} {} {two})", self.pick(&["&&", "||"])),
            7 => {
                let three = self.expression(depth - 1);
                format!("({one} ? {two} : {three})")
            }
            8 => format!("(({}){one})", self.pick(&TYPES)),
            9 => format!("({}{one})", self.pick(&["-", "~", "!", "+"])),
            10 => format!("({one} ?: {two})"),
            _ => format!("(({one}) + (int)sizeof(+({two})))"),
        }
    }

    fn statement(&mut self, depth: usize) {
        let value = self.expression(2);
        let to = self.place();
        match self.dice.roll(if depth == 0 { 4 } else { 12 }) {
            0 | 1 => self.line(&format!("{to} = {value};")),
            2 => {
                let operator = self.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                self.line(&format!("{to} {operator} {value};"));
            }
            3 => {
                let step = self.pick(&["++", "--"]);
                let (one, two) = (self.pick(&["x", "i0", "g1"]), self.pick(&["", "i2 = "]));
                match self.dice.roll(2) {
                    0 => self.line(&format!("{two}{one}{step};")),
                    _ => self.line(&format!("{two}{step}{one};")),
                }
            }
            4 | 5 => {
                self.line(&format!("if ({value}) {{"));
                self.inner(depth);
                if self.dice.roll(2) == 0 {
                    self.line("} else {");
                    self.inner(depth);
                }
                self.line("}");
            }
            6 | 7 if self.loops == 2 => self.line(&format!("MIX({value});")),
            6 | 7 => {
                let name = ["n0", "n1"][self.loops];
                self.loops += 1;
                let head = match self.dice.roll(3) {
                    0 => format!("for ({name} = 0; {name} < 5; {name}++) {{"),
                    1 => format!("{name} = 0; while ({name}++ < 4) {{"),
                    _ => format!("{name} = 0; do {{"),
                };
                self.line(&head);
                if self.dice.roll(2) == 0 && !head.ends_with("do {") {
                    let jump = self.pick(&["break;", "continue;"]);
                    self.line(&format!("  if ({value}) {jump}"));
                }
                self.inner(depth - 1);
                self.loops -= 1;
                let tail = if head.ends_with("do {") {
                    format!("}} while (++{name} < 3);")
                } else {
                    "}".to_string()
                };
                self.line(&tail);
            }
            8 => {
                self.line(&format!("switch ({value} & 3) {{"));
                for case in ["case 0:", "case 1: case 2:", "default:"] {
                    self.line(case);
                    self.inner(depth);
                    if self.dice.roll(3) > 0 {
                        self.line("  break;");
                    }
                }
                self.line("}");
            }
            9 => {
                let one = self.pick(&[
                    "lp = &la[i0 & 3];",
                    "lp++; lp = &la[(lp - la) & 3];",
                    "lq = &p; lq = &lp;",
                    "ls = v; v.d++;",
                ]);
                self.line(one);
            }
            10 => {
                let other = self.pick(&["i1", "g2"]);
                self.line(&format!(
                    "y = ({other}++ && {value}) ? {other} : (x -= 3, x + 1);"
                ));
            }
            _ => self.line(&format!("MIX({value});")),
        }
    }

    fn inner(&mut self, depth: usize) {
        self.depth += 1;
        for _ in 0..1 + self.dice.roll(2) {
            self.statement(depth.saturating_sub(1));
        }
        self.depth -= 1;
    }
}
