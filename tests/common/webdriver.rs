//! A real browser: Debian's `chromium`, driven by `chromium-driver`.
//!
//! The driver speaks WebDriver, JSON over HTTP, of which the tests need so little that it is spoken by hand. Of its clients
//! fantoccini (0.22) brings a second set of HTTP types, and the client of thirtyfour (0.38) is `reqwest`, which the workspace
//! builds for TLS by a provider that a program has to choose, for talk with a port of this machine.
#![allow(dead_code, reason = "each crate of tests uses only some of this")]

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long something is waited for. Only what never comes takes longer, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What keys that write nothing are called on the wire.
const KEYS: [(&str, &str); 11] = [
    ("right", "\u{e014}"),
    ("left", "\u{e012}"),
    ("up", "\u{e013}"),
    ("down", "\u{e015}"),
    ("home", "\u{e011}"),
    ("end", "\u{e010}"),
    ("tab", "\u{e004}"),
    ("enter", "\u{e007}"),
    ("escape", "\u{e00c}"),
    ("backspace", "\u{e003}"),
    ("space", " "),
];

/// A browser with a page; closed when dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Held, because the driver ends when it cannot write.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Browser {
    /// One that also keeps these logs of its own, beside that of the console: `performance`.
    pub fn start(logs: &[&str]) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: apt-get install chromium chromium-driver");
        let mut lines = BufReader::new(driver.stdout.take().expect("stdout is a pipe")).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok())
            .expect("chromedriver says its port");
        let mut browser = Self { driver, port, session: String::new(), _output: lines };
        let arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let mut wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        for log in logs {
            wanted["capabilities"]["alwaysMatch"]["goog:loggingPrefs"][log] = json!("ALL");
        }
        let made = browser.ask("POST", "/session", &wanted);
        browser.session = format!("/session/{}", made["sessionId"].as_str().expect("a session"));
        browser
    }

    /// Asks the driver; an error of it comes back as its value.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_ask(method, path, body).expect("the driver answers")
    }

    fn try_ask(&self, method: &str, path: &str, body: &Value) -> io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(2 * PATIENCE))?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok(serde_json::from_slice::<Value>(&answer)?["value"].take())
    }

    /// A command of the session.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let value = self.ask("POST", &format!("{}{path}", self.session), body);
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    /// What a command without a body answers; an error as its value.
    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", &format!("{}{path}", self.session), &Value::Null)
    }

    pub fn open(&self, url: &str) {
        self.post("/url", &json!({"url": url}));
    }

    /// The value of an expression in the page.
    pub fn value(&self, expression: &str) -> Value {
        self.post("/execute/sync", &json!({"script": format!("return {expression}"), "args": []}))
    }

    /// The value of a promise in the page, or its error as a text.
    pub fn promised(&self, expression: &str) -> Value {
        let script =
            format!("const done = arguments[0]; ({expression}).then(done, (error) => done(`error: ${{error}}`))");
        self.post("/execute/async", &json!({"script": script, "args": []}))
    }

    /// Waits until an expression is true of the page, and returns its value.
    ///
    /// # Panics
    /// If it does not come true in time: with what the page shows.
    pub fn wait(&self, expression: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let value = self.value(expression);
            let is_true = !matches!(&value, Value::Null | Value::Bool(false))
                && value != json!(0)
                && value != json!("")
                && value != json!([]);
            if is_true {
                return value;
            }
            let shown = || self.value("document.body.innerText");
            assert!(Instant::now() < until, "{expression}\ndoes not come true of\n{}", shown());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys one after another: names of those that write nothing, or else texts.
    pub fn press(&self, keys: &[&str]) {
        let mut actions = Vec::new();
        for key in keys {
            let known = KEYS.iter().find(|(name, _)| name == key).map(|(_, wire)| (*wire).to_owned());
            for value in known.map_or_else(|| key.chars().map(String::from).collect(), |wire| vec![wire]) {
                actions.push(json!({"type": "keyDown", "value": value}));
                actions.push(json!({"type": "keyUp", "value": value}));
            }
        }
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
    }

    /// Presses and lets go the mouse in the middle of what a selector finds, wherever that is by then: what comes above it moves it.
    /// Says whether it was there.
    pub fn click_on(&self, selector: &str) -> bool {
        let found = self.ask(
            "POST",
            &format!("{}/element", self.session),
            &json!({"using": "css selector", "value": selector}),
        );
        if !found["error"].is_null() {
            return false;
        }
        let actions = json!([
            {"type": "pointerMove", "duration": 0, "origin": found, "x": 0, "y": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]);
        let mouse =
            json!([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]);
        // An element that has gone is told of before anything is pressed.
        self.ask("POST", &format!("{}/actions", self.session), &json!({"actions": mouse}))["error"].is_null()
    }

    /// Presses the mouse at a point of the window, drags it through others, and lets it go at the last.
    pub fn drag(&self, points: &[(f64, f64)]) {
        self.point("mouse", points);
    }

    /// The same by a pointer of this kind: `mouse`, `touch`.
    pub fn point(&self, kind: &str, points: &[(f64, f64)]) {
        self.point_slowly(kind, points, Duration::ZERO);
    }

    /// The same with a pause at each point but the first.
    pub fn point_slowly(&self, kind: &str, points: &[(f64, f64)], pause: Duration) {
        let to = |point: &(f64, f64)| json!({"type": "pointerMove", "duration": 0, "x": point.0, "y": point.1});
        let (first, rest) = points.split_first().expect("a point");
        let mut actions = vec![to(first), json!({"type": "pointerDown", "button": 0})];
        for point in rest {
            // The last pause is before the pointer is let go.
            actions.extend([to(point), json!({"type": "pause", "duration": pause.as_millis() as u64})]);
        }
        actions.push(json!({"type": "pointerUp", "button": 0}));
        self.post("/actions", &json!({"actions": [{"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": actions}]}));
    }

    /// A command of the browser's own protocol.
    pub fn emulate(&self, command: &str, parameters: &Value) {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}));
    }

    /// How large the window is, in pixels.
    pub fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.emulate("Emulation.setDeviceMetricsOverride", &size);
    }

    /// What the user has asked the system for: `prefers-color-scheme`, `prefers-reduced-motion`.
    pub fn prefer(&self, wishes: &[(&str, &str)]) {
        let features: Vec<Value> = wishes.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        self.emulate("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// What has come into a log since it was read last.
    pub fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.post("/se/log", &json!({"type": kind}));
        log.as_array().expect("a log").clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // The browser ends with its session; without, it stays behind. It may be gone already.
            let _ = self.try_ask("DELETE", &self.session, &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
