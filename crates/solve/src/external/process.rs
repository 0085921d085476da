//! A solver process and the conversation with it.
//!
//! The process leads a process group of its own, so that a wrapper script and what it started die
//! together, and the terminal's Ctrl-C reaches it only through us. One thread reads what it says
//! and hands over complete answers; waiting for an answer is waiting on a channel, which an
//! interrupt ends by killing the group. Nothing polls.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How much of what a process complains about is kept.
const COMPLAINTS: usize = 4096;

/// How many answers wait for somebody to take them; a process that writes more has to wait.
const WAITING: usize = 64;

/// The longest answer, in bytes: a process that writes for ever is cut off.
const LONGEST: usize = 1 << 28;

/// Why no answer came.
#[derive(Debug)]
pub enum Silence {
    /// The time was up.
    Timeout,
    /// The process has ended or closed its output; what it said last.
    Ended(String),
}

pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
    complaints: Arc<Mutex<String>>,
    group: Arc<Group>,
}

/// The process group of a child, killable from every thread as long as the child is not reaped.
pub struct Group {
    id: Mutex<Option<u32>>,
    killed: AtomicBool,
}

impl Group {
    pub fn kill(&self) {
        self.killed.store(true, Ordering::SeqCst);
        if let Some(id) = *self.id() {
            kill_group(id);
        }
    }

    /// Kills, and never again: after this the number may belong to somebody else.
    fn kill_finally(&self) {
        if let Some(id) = self.id().take() {
            kill_group(id);
        }
    }

    fn id(&self) -> std::sync::MutexGuard<'_, Option<u32>> {
        self.id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(unix)]
fn kill_group(id: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(id) = i32::try_from(id) {
        // It fails only when the process has ended.
        let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
}

/// Elsewhere a child is killed when it is dropped, and an interrupt waits for its answer.
#[cfg(not(unix))]
fn kill_group(_: u32) {}

impl Process {
    pub fn start(program: &Path, arguments: &[&str]) -> io::Result<Process> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (sender, answers) = sync_channel(WAITING);
        let complaints = Arc::new(Mutex::new(String::new()));
        if let Some(output) = child.stdout.take() {
            let kept = complaints.clone();
            std::thread::spawn(move || read_answers(output, &sender, &kept));
        }
        if let Some(errors) = child.stderr.take() {
            let kept = complaints.clone();
            std::thread::spawn(move || keep_complaints(errors, &kept));
        }
        Ok(Process {
            input: child.stdin.take(),
            group: Arc::new(Group {
                id: Mutex::new(Some(child.id())),
                killed: AtomicBool::new(false),
            }),
            child,
            answers,
            complaints,
        })
    }

    pub fn group(&self) -> Arc<Group> {
        self.group.clone()
    }

    /// Was it killed from outside, by [`Group::kill`]?
    pub fn was_killed(&self) -> bool {
        self.group.killed.load(Ordering::SeqCst)
    }

    pub fn send(&mut self, commands: &str) -> io::Result<()> {
        let Some(input) = &mut self.input else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        input.write_all(commands.as_bytes())?;
        input.flush()
    }

    /// No more will be sent.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next complete answer: an atom on its line, or a list.
    pub fn answer(&mut self, patience: Option<Duration>) -> Result<String, Silence> {
        let received = match patience {
            Some(patience) => self.answers.recv_timeout(patience),
            None => self
                .answers
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        received.map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Timeout,
            RecvTimeoutError::Disconnected => Silence::Ended(self.complaints()),
        })
    }

    pub fn complaints(&self) -> String {
        let complaints = self.complaints.lock();
        let complaints = complaints.unwrap_or_else(PoisonError::into_inner);
        complaints.trim().to_string()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        self.group.kill_finally();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn keep_complaints(mut errors: impl Read, kept: &Mutex<String>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < COMPLAINTS {
            kept.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    }
}

/// Cuts what a solver writes into answers and hands each over as soon as it is complete.
fn read_answers(mut output: impl Read, answers: &SyncSender<String>, complaints: &Mutex<String>) {
    let mut cutter = Cutter::default();
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = output.read(&mut buffer) {
        for &byte in &buffer[..length] {
            if let Some(answer) = cutter.take(byte)
                && answers.send(answer).is_err()
            {
                return;
            }
        }
        if cutter.bytes.len() > LONGEST {
            let mut complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
            complaints.push_str("its answer has no end");
            return;
        }
    }
    // A last word without its line end.
    if let Some(answer) = cutter.take(b'\n') {
        let _ = answers.send(answer);
    }
}

#[derive(Default)]
struct Cutter {
    bytes: Vec<u8>,
    depth: usize,
    /// Inside a string or a quoted symbol: the byte that ends it.
    quoted_by: Option<u8>,
}

impl Cutter {
    /// Takes one byte, and gives the answer that it completes. A doubled quotation mark in a string
    /// ends the string and begins another, which comes to the same.
    fn take(&mut self, byte: u8) -> Option<String> {
        if self.quoted_by == Some(byte) {
            self.quoted_by = None;
            self.bytes.push(byte);
            return None;
        }
        if self.quoted_by.is_some() {
            self.bytes.push(byte);
            return None;
        }
        match byte {
            b'"' | b'|' => self.quoted_by = Some(byte),
            b'(' => self.depth += 1,
            b')' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let ends_line = byte == b'\n' && self.depth == 0;
        if !ends_line {
            self.bytes.push(byte);
        }
        if !(ends_line || byte == b')' && self.depth == 0) {
            return None;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let answer = String::from_utf8_lossy(&bytes).trim().to_string();
        (!answer.is_empty()).then_some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_cut_at_their_ends() {
        let text = "sat\n((x 1)\n (|a)b| \"c)\"\"d\"))\n\n(error \"e\nf\")unknown";
        let (sender, receiver) = sync_channel(WAITING);
        read_answers(text.as_bytes(), &sender, &Mutex::default());
        drop(sender);
        let answers: Vec<String> = receiver.iter().collect();
        assert_eq!(
            answers,
            [
                "sat",
                "((x 1)\n (|a)b| \"c)\"\"d\"))",
                "(error \"e\nf\")",
                "unknown"
            ]
        );
    }

    #[test]
    fn an_answer_without_end_is_cut_off_and_told() {
        let (sender, receiver) = sync_channel(WAITING);
        let complaints = Mutex::default();
        // `(` and then blanks for ever.
        let endless = b"(".chain(std::io::repeat(b' '));
        read_answers(endless, &sender, &complaints);
        drop(sender);
        assert_eq!(receiver.iter().count(), 0);
        assert_eq!(*complaints.lock().unwrap(), "its answer has no end");
    }
}
