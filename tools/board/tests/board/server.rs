//! The real server, and pages that are a few lines of Rust.
#![allow(dead_code, reason = "each crate of tests uses only some of this")]

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// How long a test waits for what must come. Only a hang takes longer, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("astragal-board-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of its files that end so.
    pub fn files(&self, end: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.0).expect("the folder is there");
        let paths = files.map(|file| file.expect("a file").path());
        paths.filter(|path| path.to_string_lossy().ends_with(end)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server; killed when dropped.
pub struct Server {
    child: Child,
    /// `127.0.0.1:port`.
    pub host: String,
    /// As it was printed.
    pub url: String,
}

impl Server {
    pub fn start(folder: &Folder) -> Self {
        Self::with(folder, &[])
    }

    pub fn with(folder: &Folder, arguments: &[&str]) -> Self {
        Self::from(command(folder, arguments))
    }

    /// Another one at the place of one that has ended.
    pub fn again(folder: &Folder, host: &str) -> Self {
        let (_, port) = host.rsplit_once(':').expect("a port");
        let mut command = Command::new(env!("CARGO_BIN_EXE_board"));
        command.args(["--port", port, "--games"]).arg(folder.path()).stdin(Stdio::null());
        Self::from(command)
    }

    pub fn from(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it tells its address");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect(&line).to_owned();
        let host = url[7..].split('/').next().expect("a host").to_owned();
        Self { child, host, url }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// kill -9.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was started here");
    }

    /// Waits for its end by itself.
    pub fn wait(&mut self) -> std::process::ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it was started here") {
                return status;
            }
            assert!(Instant::now() < until, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn page(&self) -> Page {
        self.try_page(&[]).expect("the page is let in")
    }

    /// A page with these headers besides, or the status of the refusal.
    pub fn try_page(&self, headers: &[(&'static str, &str)]) -> Result<Page, u16> {
        let stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut request = format!("ws://{}/ws", self.host).into_client_request().expect("an address");
        let own = format!("http://{}", self.host);
        let mut add = |name: &'static str, value: &str| {
            request.headers_mut().remove(name);
            if !value.is_empty() {
                request.headers_mut().insert(name, value.parse().expect("a header"));
            }
        };
        add("origin", &own);
        headers.iter().for_each(|(name, value)| add(name, value));
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Page { socket, next: 0, told: VecDeque::new() }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// An HTTP request with these lines of head; the whole response.
    pub fn http(&self, head: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        write!(stream, "{head}\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_board"));
    command.args(["--port", "0", "--games"]).arg(folder.path()).args(arguments).stdin(Stdio::null());
    command
}

/// A page.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    next: u64,
    /// What was told while a reply was waited for.
    told: VecDeque<Value>,
}

impl Page {
    /// The next message; none if the socket is closed.
    pub fn hear(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).expect("JSON")),
                Ok(Message::Close(_)) | Err(tungstenite::Error::ConnectionClosed) => return None,
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("nothing comes within {PATIENCE:?}")
                }
                Err(_) => return None,
            }
        }
    }

    /// The reply to an ask: `ok`, or the code of the error.
    pub fn try_ask(&mut self, mut ask: Value) -> Result<Value, String> {
        self.next += 1;
        ask["id"] = json!(self.next);
        self.socket.send(Message::text(ask.to_string())).expect("the server reads");
        loop {
            let message = self.hear().expect("the server answers");
            if message["type"] != "reply" {
                self.told.push_back(message);
                continue;
            }
            assert_eq!(message["id"], json!(self.next), "in order");
            return match message.get("ok") {
                Some(ok) => Ok(ok.clone()),
                None => Err(message["error"]["code"].as_str().expect("a code").to_owned()),
            };
        }
    }

    pub fn ask(&mut self, ask: Value) -> Value {
        let shown = ask.to_string();
        self.try_ask(ask).unwrap_or_else(|code| panic!("{shown}: {code}"))
    }

    /// The next message that is told and of which this holds; those before it are dropped.
    pub fn expect(&mut self, what: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let message =
                self.told.pop_front().or_else(|| self.hear()).unwrap_or_else(|| panic!("closed before {what}"));
            if is_it(&message) {
                return message;
            }
        }
        panic!("{what} does not come")
    }

    /// The next time that a game is told of in this way.
    pub fn game(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let message = self.expect(what, |message| message["type"] == "game" && is_it(&message["game"]));
        message["game"].clone()
    }

    /// A game of two people with these besides; its id.
    pub fn new_game(&mut self, more: Value) -> String {
        let mut ask = json!({"type": "new", "players": [
            {"kind": "human", "name": "Ann"}, {"kind": "human", "name": "Bob"}]});
        for (key, value) in more.as_object().expect("an object") {
            ask[key] = value.clone();
        }
        self.ask(ask)["game"].as_str().expect("an id").to_owned()
    }

    /// Rolls these dice and plays this turn.
    pub fn play(&mut self, game: &str, ply: usize, dice: &str, turn: &str) {
        self.ask(json!({"type": "roll", "game": game, "ply": ply, "dice": dice}));
        self.ask(json!({"type": "turn", "game": game, "ply": ply, "turn": turn}));
    }
}

/// Whether a process has not ended.
#[cfg(unix)]
pub fn is_running(pid: i32) -> bool {
    // One that has ended and that nobody has waited for yet still has a number.
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(')').next().unwrap_or_default().trim().chars().next();
    state.is_some_and(|state| state != 'Z')
}

/// kill -9.
#[cfg(unix)]
pub fn kill(pid: i32) {
    use rustix::process::{Pid, Signal, kill_process};
    kill_process(Pid::from_raw(pid).expect("a process"), Signal::KILL).expect("it runs");
}

/// The processes that a server has started.
#[cfg(unix)]
pub fn children(of: u32) -> Vec<i32> {
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let status = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let parent = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).map(str::to_owned);
        if parent.as_deref() == Some(&of.to_string()) {
            found.push(pid);
        }
    }
    found
}
