//! A process that runs to its end, and what it cost.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a process came to.
pub struct Ran {
    /// From start to end.
    pub wall: Duration,
    /// What its threads used, user and system.
    pub cpu: Duration,
    /// The most memory that it had, in KiB.
    pub memory: u64,
    pub status: ExitStatus,
    pub output: String,
}

/// Runs a command without input; its output is kept, and what it complains about is not.
pub fn run(command: &mut Command) -> std::io::Result<Ran> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut output = Vec::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_end(&mut output)?;
    }
    let mut status = 0;
    // SAFETY: both pointers are to live values of the right types, and the child is ours and not
    // waited for elsewhere.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::wait4(
            child.id() as libc::pid_t,
            &raw mut status,
            0,
            &raw mut usage,
        );
        usage
    };
    let time = |time: libc::timeval| {
        let micros = time.tv_sec * 1_000_000 + time.tv_usec;
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    Ok(Ran {
        wall: start.elapsed(),
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        memory: u64::try_from(usage.ru_maxrss).unwrap_or(0),
        status: ExitStatus::from_raw(status),
        output: String::from_utf8_lossy(&output).into_owned(),
    })
}
