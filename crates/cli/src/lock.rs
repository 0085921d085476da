//! The lock of a run directory: two processes that write one journal would tear each other's lines.
//!
//! The operating system holds the lock of a file as long as the process lives that took it, so that nobody has to
//! find out whether a lock is left of a dead one. Who has it stands in the file, for people.

use crate::exit::Exit;
use crate::terminal;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the file.
pub const NAME: &str = "lock";

/// How much of what another process wrote is shown.
const SHOWN: u64 = 400;

/// A lock, for as long as it lives.
pub struct Lock {
    _file: File,
}

/// Takes the lock of a run directory, which is there. What is wrong has been printed.
pub fn take(folder: &Path) -> Result<Lock, Exit> {
    let path = folder.join(NAME);
    let failed = |error: std::io::Error| {
        terminal::error(&format!("cannot lock {}: {error}", path.display()));
        Exit::Usage
    };
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).read(true).write(true);
    let mut file = file.open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // What is not told is only a courtesy.
            let _ = (&mut file).take(SHOWN).read_to_string(&mut holder);
            terminal::error(&format!(
                "the run directory {} is in use by {}; wait for it, or name another directory",
                folder.display(),
                holder.trim()
            ));
            return Err(Exit::Usage);
        }
        // A file system without locks is no reason not to run.
        Err(TryLockError::Error(error)) => {
            terminal::warning(&format!(
                "{} cannot be locked ({error}): let no second process write to the directory",
                path.display()
            ));
        }
    }
    let text = holder();
    let written = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(text.as_bytes()));
    written.map_err(failed)?;
    Ok(Lock { _file: file })
}

/// Who this is, since when, and on which machine.
fn holder() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.map_or(0, |time| time.as_secs());
    let process = std::process::id();
    format!("process {process} on {} since {}\n", machine(), utc(since))
}

fn machine() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = kernel.or_else(|| std::env::var("HOSTNAME").ok());
    named.map_or_else(|| "this machine".into(), |name| name.trim().to_string())
}

/// Seconds since 1970 as a date and time of day, by the calendar of Gregory.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86400, seconds % 86400);
    // Days since the first of March of the year 0, in eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (date, month) = (of_year - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute) = (rest / 3600, rest % 3600 / 60);
    format!("{year}-{month:02}-{date:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_dates() {
        let dates = [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_798_761_600, "2027-01-01 00:00 UTC"),
        ];
        for (seconds, date) in dates {
            assert_eq!(utc(seconds), date);
        }
    }
}
