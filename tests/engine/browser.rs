//! The page of a review in a real browser: Debian's `chromium`, driven by `chromium-driver`.
//!
//! The driver speaks WebDriver, JSON over HTTP, of which this needs so little that it is spoken by hand: no client of it
//! shares what the workspace is built on.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Two games of the platform.
const HISTORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/histories.json");

/// A game of somebody whose name wants to be a script.
const HOSTILE: &str = "[White \"</h2><script>document.title='hit'</script><img src=x onerror=alert(1)>\"]\n\
    [Black \"javascript:alert(2)\"]\n\n1. PNB b1c3,e2e4,f1c4 kkk 0000 1-0\n";

/// What the keys are called on the wire.
const KEYS: [(&str, &str); 4] =
    [("right", "\u{e014}"), ("left", "\u{e012}"), ("home", "\u{e011}"), ("end", "\u{e010}")];

/// A browser with a page; closed when dropped.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Held, because the driver ends when it cannot write.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Browser {
    fn start() -> Self {
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
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let made = browser.ask("POST", "/session", &wanted);
        browser.session = format!("/session/{}", made["sessionId"].as_str().expect("a session"));
        browser
    }

    /// Asks the driver; an error of it comes back as its value.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("the driver reads");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("the driver answers");
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("the driver answers in full");
        serde_json::from_slice::<Value>(&answer).expect("JSON")["value"].take()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let value = self.ask("POST", &format!("{}{path}", self.session), body);
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    /// The value of an expression in the page.
    fn value(&self, expression: &str) -> Value {
        self.post("/execute/sync", &json!({"script": format!("return {expression}"), "args": []}))
    }

    fn press(&self, name: &str) {
        let key = KEYS.iter().find(|(known, _)| *known == name).expect("a key").1;
        let actions = [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
    }

    /// Clicks on the middle of an element, or beside it.
    fn click(&self, selector: &str, beside: i32) {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        self.value(&format!("document.querySelector({selector:?}).scrollIntoView({{block: 'center'}})"));
        let actions = [
            json!({"type": "pointerMove", "duration": 0, "x": beside, "y": 0, "origin": found}),
            json!({"type": "pointerDown", "button": 0}),
            json!({"type": "pointerUp", "button": 0}),
        ];
        self.post("/actions", &json!({"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]}));
    }

    /// The turns that can be seen.
    fn seen(&self) -> Vec<String> {
        let ids = self.value("[...document.querySelectorAll('.turn')].filter(t => t.offsetHeight > 0).map(t => t.id)");
        serde_json::from_value(ids).expect("a list of texts")
    }

    fn emulate(&self, command: &str, parameters: &Value) {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &self.session, &Value::Null);
        }
        // It may have ended by itself.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Reviews a file as a page.
fn page(name: &str, source: &str) -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_astragal"))
        .args(["review", source, "--html"])
        .stderr(Stdio::null())
        .output()
        .expect("the program runs");
    assert!(output.status.success());
    let path = std::env::temp_dir().join(format!("astragal-browser-{}-{name}.html", std::process::id()));
    std::fs::write(&path, output.stdout).expect("a file for temporary use");
    path
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_page_works_in_a_browser_and_a_hostile_name_does_nothing() {
    let path = page("games", HISTORIES);
    let browser = Browser::start();
    browser.post("/url", &json!({"url": format!("file://{}", path.display())}));
    assert_eq!(browser.value("document.title"), "Dice Chess review");
    // A turn of each of the two games; the keys move in the first.
    assert_eq!(browser.seen(), ["g1t1", "g2t1"]);
    browser.press("right");
    browser.press("right");
    assert_eq!(browser.seen(), ["g1t3", "g2t1"]);
    browser.press("left");
    assert_eq!(browser.seen(), ["g1t2", "g2t1"]);
    assert_eq!(browser.value("location.hash"), "#g1t2");
    browser.press("end");
    assert_eq!(browser.seen(), ["g1t19", "g2t1"]);
    browser.press("right");
    browser.press("home");
    assert_eq!(browser.seen(), ["g1t1", "g2t1"]);
    // The halves of the board, a mistake, the curve.
    browser.click("#g1t1 .board", 60);
    assert_eq!(browser.seen(), ["g1t2", "g2t1"]);
    browser.click("#g1t2 .board", -60);
    assert_eq!(browser.seen(), ["g1t1", "g2t1"]);
    let mistake = browser.value("document.querySelector('#g1 .mistakes a').getAttribute('href').slice(1)");
    browser.click("#g1 .mistakes a", 0);
    assert_eq!(browser.seen()[0], mistake.as_str().expect("a link"));
    browser.click("#g2 .curve a[href='#g2t4'] rect", 0);
    assert_eq!(browser.seen()[1], "g2t4");
    browser.press("right");
    assert_eq!(browser.seen()[1], "g2t5", "the keys have gone over to the second game");
    // Every piece is drawn where it stands: the shapes have an extent.
    let pieces = "[...document.querySelectorAll('#g2t5 .board use')].every(p => p.getBBox().width > 5)";
    assert_eq!(browser.value(pieces), true);
    // A narrow and a dark screen.
    let phone = json!({"width": 340, "height": 700, "deviceScaleFactor": 1, "mobile": false});
    browser.emulate("Emulation.setDeviceMetricsOverride", &phone);
    assert_eq!(
        browser.value("document.documentElement.scrollWidth <= innerWidth"),
        true,
        "it does not scroll sideways"
    );
    let paper = "getComputedStyle(document.body).backgroundColor";
    let scheme = |value: &str| json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
    browser.emulate("Emulation.setEmulatedMedia", &scheme("light"));
    let light = browser.value(paper);
    browser.emulate("Emulation.setEmulatedMedia", &scheme("dark"));
    assert_ne!(browser.value(paper), light);

    let record = path.with_extension("txt");
    std::fs::write(&record, HOSTILE).expect("a file for temporary use");
    let hostile = page("hostile", &record.display().to_string());
    browser.post("/url", &json!({"url": format!("file://{}", hostile.display())}));
    assert_eq!(browser.value("document.title"), "Dice Chess review");
    assert_eq!(browser.value("document.querySelectorAll('script, img').length"), 1, "only our own");
    assert_eq!(browser.ask("GET", &format!("{}/alert/text", browser.session), &Value::Null)["error"], "no such alert");
    assert_eq!(browser.value("document.querySelector('h2').textContent.includes('<script>')"), true);
    // Nothing was refused, asked for or broken on either page.
    let log = browser.post("/se/log", &json!({"type": "browser"}));
    assert_eq!(log, json!([]));
    for file in [path, record, hostile] {
        let _ = std::fs::remove_file(file);
    }
}
