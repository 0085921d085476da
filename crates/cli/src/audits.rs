//! Audits as they are written, and read back from a journal.

use proofmark_quality::Audited;
use proofmark_report::{AuditMark, MutantAudit};

/// The reason that is written where nobody asked for an audit.
const NOT_ASKED_FOR: &str = "not asked for";
/// Stands between those who audited parts of one verdict.
const BETWEEN: &str = ", ";

/// The mark of a verdict that passed its audit, or had none.
pub fn mark(audited: bool) -> AuditMark {
    match audited {
        true => AuditMark::Passed,
        false => AuditMark::Missing,
    }
}

/// The audit of a mutant's verdict as it is written.
pub fn write(audit: &Audited) -> MutantAudit {
    let reason = match audit {
        Audited::Passed { .. } => None,
        Audited::NotAskedFor => Some(NOT_ASKED_FOR.into()),
        Audited::NoAnswer { why } => Some(why.clone()),
    };
    let by = match audit {
        Audited::Passed { by } => Some(by.join(BETWEEN)),
        Audited::NotAskedFor | Audited::NoAnswer { .. } => None,
    };
    MutantAudit {
        result: mark(audit.passed()),
        by,
        reason,
    }
}

/// Those who audited parts of one verdict.
pub fn auditors(by: &str) -> impl Iterator<Item = &str> {
    by.split(BETWEEN)
}

/// The audit of a mutant's verdict, read back.
pub fn read(written: &MutantAudit) -> Audited {
    let reason = written.reason.as_deref().unwrap_or_default();
    match (&written.result, &written.by) {
        (AuditMark::Passed, Some(by)) => Audited::Passed {
            by: auditors(by).map(String::from).collect(),
        },
        _ if reason == NOT_ASKED_FOR => Audited::NotAskedFor,
        _ => Audited::NoAnswer { why: reason.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_comes_back_as_it_was_written() {
        let by = vec!["z3 4.8".to_string(), "simulator".to_string()];
        let why = "no answer about the step".into();
        for audit in [
            Audited::Passed { by },
            Audited::NotAskedFor,
            Audited::NoAnswer { why },
        ] {
            assert_eq!(read(&write(&audit)), audit);
        }
    }
}
