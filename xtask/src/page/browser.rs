//! A browser without a window, driven over pipes by the DevTools protocol: messages are JSON, each
//! ended by a zero byte. A shell puts our pipes where Chromium looks for them, so that this needs
//! neither a web socket nor unsafe code.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What any answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    calls: u64,
    session: Option<String>,
    /// What went wrong in the page: exceptions, errors on the console, requests to elsewhere.
    pub complaints: Vec<String>,
}

/// The name under which the browser is installed, if it is.
pub fn find() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| {
        let version = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        version.is_ok_and(|status| status.success())
    })
}

impl Browser {
    pub fn open(name: &str, profile: &Path) -> Result<Browser, String> {
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 1>&2", name])
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox"])
            .args(["--disable-gpu", "--no-first-run", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {name}: {error}"))?;
        let input = process.stdin.take().ok_or("the browser has no input")?;
        let output = process.stdout.take().ok_or("the browser has no output")?;
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).unwrap_or_default();
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            process,
            input,
            messages,
            calls: 0,
            session: None,
            complaints: Vec::new(),
        };
        browser.attach()?;
        Ok(browser)
    }

    /// Opens a tab, and listens to what goes wrong in it.
    fn attach(&mut self) -> Result<(), String> {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}))?;
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call("Target.attachToTarget", target)?;
        self.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}))?;
        }
        self.size(1280, 1600)
    }

    /// How large the window is.
    pub fn size(&mut self, width: u32, height: u32) -> Result<(), String> {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size)
            .map(|_| ())
    }

    pub fn call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let sent = self.input.write_all(format!("{message}\0").as_bytes());
        sent.and_then(|()| self.input.flush())
            .map_err(|error| format!("{method}: {error}"))?;
        loop {
            let answer = self.messages.recv_timeout(PATIENCE);
            let answer = answer.map_err(|error| format!("{method}: {error}"))?;
            if answer["id"] == self.calls {
                return match answer["error"].is_null() {
                    true => Ok(answer["result"].clone()),
                    false => Err(format!("{method}: {}", answer["error"])),
                };
            }
            self.hear(&answer);
        }
    }

    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        let bad = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => {
                parameters["type"] == "error" || parameters["type"] == "warning"
            }
            "Log.entryAdded" => {
                parameters["entry"]["level"] == "error" || parameters["entry"]["level"] == "warning"
            }
            "Network.requestWillBeSent" => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                !address.starts_with("file:") && !address.starts_with("data:")
            }
            _ => false,
        };
        if bad {
            self.complaints.push(event.to_string());
        }
    }

    /// The value of an expression, or of what it promises.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let question =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", question)?;
        match answer["exceptionDetails"].is_null() {
            true => Ok(answer["result"]["value"].clone()),
            false => Err(answer["exceptionDetails"].to_string()),
        }
    }

    /// Goes to a file and waits until the page has drawn itself; tells how long that took.
    pub fn load(&mut self, file: &Path) -> Result<Duration, String> {
        let begin = Instant::now();
        self.call(
            "Page.navigate",
            json!({"url": format!("file://{}", file.display())}),
        )?;
        const READY: &str = "document.readyState === 'complete' && location.protocol === 'file:' \
                             && performance.getEntriesByName('proofmark-ready').length === 1";
        while self.evaluate(READY)? != json!(true) {
            if begin.elapsed() > PATIENCE {
                return Err(format!("{} never was ready", file.display()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(begin.elapsed())
    }

    /// `light` or `dark`, `screen` or `print`.
    pub fn show(&mut self, scheme: &str, media: &str) -> Result<(), String> {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let wanted = json!({"media": media, "features": features});
        self.call("Emulation.setEmulatedMedia", wanted).map(|_| ())
    }

    pub fn press(&mut self, key: &str, code: u32, text: &str) -> Result<(), String> {
        let event = |kind: &str| json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
        self.call("Input.dispatchKeyEvent", event("keyDown"))?;
        let up = json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", up).map(|_| ())
    }

    /// A picture as base64, which is how it comes.
    pub fn screenshot(&mut self) -> Result<String, String> {
        let picture = self.call("Page.captureScreenshot", json!({"format": "png"}))?;
        Ok(picture["data"].as_str().unwrap_or_default().to_string())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        // It may be gone already.
        let _ = self.call("Browser.close", json!({}));
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
