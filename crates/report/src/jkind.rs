//! Findings in the XML of JKind, for tools that read its results.
//!
//! The form is that of JKind 4: a property a block, its tags on lines of their own (JKind's reader
//! goes by lines), truth values as 0 and 1, `falsifiable` for invalid and `inconsistent` where the
//! assumptions contradict each other. Cores are there when an analysis looked for them: one as a
//! list, several as numbered sets. Invariants are SMT-LIB, which JKind's are not; its readers take
//! them as text.

use crate::findings::{CoreFinding, CoreRole, Findings, PropertyFinding, PropertyVerdict};
use crate::trace::{Row, ShownTrace};
use proofmark_model::Value;
use std::fmt::Write as _;

/// One document.
pub fn jkind_xml(findings: &Findings) -> String {
    let mut out = String::from("<?xml version=\"1.0\"?>\n");
    out.push_str("<Results xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n");
    for property in &findings.properties {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  <Property name=\"{}\">", escape(&property.name));
        let _ = writeln!(
            out,
            "    <Runtime unit=\"sec\">{:.3}</Runtime>",
            property.seconds
        );
        write_answer(property, findings, &mut out);
        out.push_str("  </Property>\n");
    }
    out.push_str("</Results>\n");
    out
}

fn write_answer(property: &PropertyFinding, findings: &Findings, out: &mut String) {
    let source = escape(property.engine.as_deref().unwrap_or("proofmark"));
    let answer = |word: &str| format!("    <Answer source=\"{source}\">{word}</Answer>\n");
    match property.verdict {
        PropertyVerdict::Valid => {
            out.push_str(&answer("valid"));
            let _ = writeln!(out, "    <K>{}</K>", property.k.unwrap_or(0));
            write_reasons(property, findings, out);
        }
        PropertyVerdict::Invalid => {
            out.push_str(&answer("falsifiable"));
            write_counterexample(property.trace.as_ref(), out);
        }
        PropertyVerdict::Unknown => {
            out.push_str("    <Answer>unknown</Answer>\n");
            let _ = writeln!(out, "    <TrueFor>{}</TrueFor>", property.step.unwrap_or(0));
            write_counterexample(property.inductive_counterexample.as_ref(), out);
        }
        PropertyVerdict::Vacuous => {
            out.push_str(&answer("inconsistent"));
            let _ = writeln!(out, "    <K>{}</K>", property.step.unwrap_or(0));
        }
    }
}

/// Invariants, and the cores that an analysis found for this property alone.
fn write_reasons(property: &PropertyFinding, findings: &Findings, out: &mut String) {
    let cores = findings.cores.iter();
    let cores: Vec<&CoreFinding> = cores
        .filter(|core| core.property.key() == property.name)
        .collect();
    let ids = |core: &CoreFinding| -> Vec<&str> {
        let elements = findings.elements.iter();
        let mine = elements.filter(|one| core.elements.contains(&one.id));
        mine.map(|one| one.name.as_str()).collect()
    };
    if let [_, _, ..] = cores[..] {
        let _ = writeln!(out, "    <NumberOfIVCs>{}</NumberOfIVCs>", cores.len());
        let cut = cores.iter().any(|core| core.complete == Some(false));
        let cut = if cut { "yes" } else { "no" };
        let _ = writeln!(out, "    <TimedoutLoop>{cut}</TimedoutLoop>");
        let elements = findings.elements.iter();
        let must = elements.filter(|one| one.role.get(&property.name) == Some(&CoreRole::Must));
        write_all("MustElem", must.map(|one| one.name.as_str()), out);
        for (at, core) in cores.iter().enumerate() {
            let _ = writeln!(out, "    <IvcSet number=\"{}\">", at + 1);
            write_all(
                "Invariant",
                property.invariants.iter().map(String::as_str),
                out,
            );
            write_all("Ivc", ids(core), out);
            out.push_str("    </IvcSet>\n");
        }
        return;
    }
    write_all(
        "Invariant",
        property.invariants.iter().map(String::as_str),
        out,
    );
    if let Some(core) = cores.first() {
        write_all("Ivc", ids(core), out);
    }
}

fn write_all<'a>(tag: &str, texts: impl IntoIterator<Item = &'a str>, out: &mut String) {
    for text in texts {
        let _ = writeln!(out, "    <{tag}>{}</{tag}>", escape(text));
    }
}

fn write_counterexample(trace: Option<&ShownTrace>, out: &mut String) {
    let Some(trace) = trace else {
        return;
    };
    let _ = writeln!(out, "    <K>{}</K>\n    <Counterexample>", trace.steps);
    for row in &trace.rows {
        let (name, sort) = (escape(&row.name), escape(&sort(row)));
        let _ = writeln!(out, "      <Signal name=\"{name}\" type=\"{sort}\">");
        for (step, value) in row.values.iter().enumerate() {
            let value = escape(&text(value));
            let _ = writeln!(out, "        <Value time=\"{step}\">{value}</Value>");
        }
        out.push_str("      </Signal>\n");
    }
    out.push_str("    </Counterexample>\n");
}

fn sort(row: &Row) -> String {
    match row.values.first() {
        Some(Value::Int(_)) => "int".into(),
        Some(Value::Real(_)) => "real".into(),
        Some(Value::BitVec(bits)) => format!("uint{}", bits.width()),
        Some(Value::Enum(sort, _)) => sort.name().into(),
        Some(Value::Bool(_)) | None => "bool".into(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        other => other.to_string(),
    }
}

/// Text that XML takes for text; characters that it cannot have are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A property must stay on the lines that its tags are on.
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn verdicts_have_the_names_that_jkind_has_for_them() {
        let findings = samples::findings(&["valid", "invalid", "unknown", "vacuous"], Vec::new());
        let text = jkind_xml(&findings);
        let answers: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_suffix("</Answer>"))
            .filter_map(|line| Some(line.split_once('>')?.1))
            .collect();
        assert_eq!(answers, ["valid", "falsifiable", "unknown", "inconsistent"]);
        assert!(text.contains("<Property name=\"p&amp;q\">\n"));
        assert!(text.contains("<Signal name=\"x&lt;y\""));
    }

    #[test]
    fn what_xml_cannot_have_is_not_written() {
        assert_eq!(escape("a\u{1}b\n\"c\""), "a\u{fffd}b &quot;c&quot;");
        assert_eq!(text(&Value::Bool(true)), "1");
    }
}
