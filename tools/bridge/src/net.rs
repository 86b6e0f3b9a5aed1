//! Requests to the server and lines of its streams.

use crate::decide::{Reply, Waits};
use crate::secret::Secret;
use reqwest::header::{AUTHORIZATION, DATE, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};
use thiserror::Error;
use tokio::time::timeout;

/// The most bytes of an answer or a line.
const MOST_BYTES: usize = 16 << 20;

/// Why an address does not suit.
#[derive(Debug, Error)]
pub enum AddressError {
    /// It is no address.
    #[error("server: '{0}' is no address: {1}")]
    Url(String, String),
    /// It holds more than an address.
    #[error("server: '{0}' must be an address alone: without a user, a query or a fragment")]
    More(String),
    /// It is not encrypted.
    #[error("server: '{0}' is not https; --insecure-http allows http to this machine only")]
    Insecure(String),
    /// The system has no TLS to offer.
    #[error("server: {0}")]
    Client(String),
}

/// How a request failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CallError {
    /// The server cannot be reached: it has not heard the request.
    #[error("the server cannot be reached ({0})")]
    Unreached(String),
    /// The connection was cut, or the answer took too long: it may have heard the request.
    #[error("no answer ({0})")]
    Cut(String),
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// The header `Retry-After`, at most a day.
    pub retry_after: Option<Duration>,
    /// The header `Date`: the server's clock.
    pub date: Option<SystemTime>,
}

/// `Retry-After` is a number of seconds, or a date.
fn retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let wait = match text.trim().parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(text.trim()).ok()?.duration_since(now).unwrap_or_default(),
    };
    Some(wait.min(Duration::from_secs(86_400)))
}

impl Answered {
    /// The body as what it must be; none if it is not.
    pub fn read<T: DeserializeOwned>(&self, what: &'static str) -> Option<T> {
        crate::api::read(what, &self.body).map_err(|error| tracing::warn!(event = "unreadable", "{error}")).ok()
    }

    /// What there is for the log: the status and a short, escaped piece of the body.
    pub fn shown(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let text: String = text.trim().chars().take(160).collect();
        format!("{} {}", self.status, text.escape_default()).trim_end().to_owned()
    }

    /// Whether the status says success.
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }

    /// Whether nothing is in the body (or only null).
    pub fn is_empty(&self) -> bool {
        let text = self.body.trim_ascii();
        text.is_empty() || text == b"null"
    }
}

/// As what the next step is decided by.
pub fn reply_of(answered: &Result<Answered, CallError>) -> Reply {
    match answered {
        Err(CallError::Unreached(_)) => Reply::Unreached,
        Err(CallError::Cut(_)) => Reply::Cut,
        Ok(answered) => {
            let value: Option<Value> = serde_json::from_slice(&answered.body).ok();
            let verdict = value.as_ref().and_then(Value::as_object).map(|verdict| {
                let applied = verdict.get("applied").and_then(Value::as_bool).unwrap_or(answered.is_success());
                (applied, verdict.get("reason").and_then(Value::as_str).map(str::to_owned))
            });
            Reply::Answer {
                status: answered.status,
                verdict,
                empty: answered.is_empty(),
                retry_after: answered.retry_after,
            }
        }
    }
}

/// The server.
#[derive(Clone, Debug)]
pub struct Server {
    http: reqwest::Client,
    base: Url,
    authorization: Option<HeaderValue>,
}

/// Whether an address is this machine.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Server {
    /// The server at an address; `insecure` allows http to this machine.
    ///
    /// # Errors
    /// The address does not suit.
    pub fn new(base: &str, token: Option<&Secret>, insecure: bool) -> Result<Self, AddressError> {
        let shown = || base.chars().take(100).collect::<String>().escape_default().to_string();
        let mut url = Url::parse(base).map_err(|error| AddressError::Url(shown(), error.to_string()))?;
        match url.scheme() {
            "https" => {}
            "http" if insecure && is_here(&url) => {}
            _ => return Err(AddressError::Insecure(shown())),
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            // What stands there may be a password: only the rest is shown.
            let _ = (url.set_username(""), url.set_password(None));
            url.set_query(None);
            url.set_fragment(None);
            return Err(AddressError::More(url.to_string().escape_default().to_string()));
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        // Only the first call of a process installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder();
        // The token goes to this machine unencrypted, but to no proxy.
        let builder = if url.scheme() == "http" { builder.no_proxy() } else { builder };
        let http = builder
            .user_agent(concat!("astragal-bridge/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10))
            .tcp_keepalive(Duration::from_secs(15))
            .build()
            .map_err(|error| AddressError::Client(error.without_url().to_string()))?;
        let authorization = match token {
            None => None,
            Some(token) => {
                let mut value = HeaderValue::from_str(&format!("Bearer {}", token.reveal()))
                    .map_err(|_| AddressError::Client("the token cannot be sent".to_owned()))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        Ok(Self { http, base: url, authorization })
    }

    fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<reqwest::RequestBuilder, CallError> {
        let url =
            self.base.join(path.trim_start_matches('/')).map_err(|error| CallError::Unreached(error.to_string()))?;
        let mut request = self.http.request(method, url);
        if let (Some(value), true) = (&self.authorization, path.starts_with("/bot/")) {
            request = request.header(AUTHORIZATION, value.clone());
        }
        Ok(match body {
            Some(body) => request.json(body),
            None => request,
        })
    }

    /// Sends a request and waits for the whole answer, at most so long.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        wait: Duration,
    ) -> Result<Answered, CallError> {
        let request = self.request(method, path, body)?;
        let exchange = async {
            let response = request.send().await.map_err(failed)?;
            let status = response.status().as_u16();
            let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
            let retry_after = header(RETRY_AFTER).and_then(|text| retry_after(text, SystemTime::now()));
            let date = header(DATE).and_then(|text| httpdate::parse_http_date(text).ok());
            let body = whole_body(response).await?;
            Ok(Answered { status, body, retry_after, date })
        };
        timeout(wait, exchange).await.unwrap_or_else(|_| Err(CallError::Cut(format!("none within {wait:?}"))))
    }

    /// `GET`.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn get(&self, path: &str, wait: Duration) -> Result<Answered, CallError> {
        self.call(Method::GET, path, None, wait).await
    }

    /// `POST`.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn post(&self, path: &str, body: Option<&Value>, wait: Duration) -> Result<Answered, CallError> {
        self.call(Method::POST, path, body, wait).await
    }

    /// Opens a stream of lines; its beginning is waited for at most so long.
    ///
    /// # Errors
    /// There is no answer, or it is not 200.
    pub async fn stream(&self, path: &str, waits: &Waits, wait: Duration) -> Result<Lines, StreamError> {
        let request = self.request(Method::GET, path, None)?;
        let response = timeout(wait, request.send())
            .await
            .map_err(|_| CallError::Cut("the stream does not begin".to_owned()))?
            .map_err(failed)?;
        if response.status().as_u16() == 200 {
            return Ok(Lines { response, buffer: Vec::new(), searched: 0, silence: waits.keep_alive * 2 });
        }
        Err(StreamError::Status(response.status().as_u16()))
    }
}

async fn whole_body(mut response: Response) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(CallError::Cut("the answer is too long".to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The addresses of seeks hold secrets, so no error shows an address.
fn failed(error: reqwest::Error) -> CallError {
    let unreached = error.is_connect() || error.is_builder();
    let error = error.without_url();
    // The innermost reason says most.
    let reasons = std::iter::successors(Some(&error as &(dyn std::error::Error + 'static)), |error| error.source());
    let text = reasons.last().map(ToString::to_string).unwrap_or_default();
    if unreached { CallError::Unreached(text) } else { CallError::Cut(text) }
}

/// Why a stream did not begin.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StreamError {
    /// There is no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The answer is a refusal.
    #[error("status {0}")]
    Status(u16),
}

/// Why a stream ended.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StreamEnd {
    /// The server ended it, perhaps in the middle of a line.
    #[error("it ended")]
    Closed,
    /// The connection broke.
    #[error("it broke: {0}")]
    Broken(String),
    /// Nothing came for two keep-alives.
    #[error("it was silent for {0:?}")]
    Silent(Duration),
    /// A line without an end in sight.
    #[error("a line is too long")]
    LongLine,
}

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines {
    response: Response,
    buffer: Vec<u8>,
    searched: usize,
    silence: Duration,
}

impl Lines {
    /// The next line; an empty one is a keep-alive.
    ///
    /// # Errors
    /// There is none any more. What came of the last line is dropped.
    pub async fn next(&mut self) -> Result<Vec<u8>, StreamEnd> {
        loop {
            if let Some(place) = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n') {
                let rest = self.buffer.split_off(self.searched + place + 1);
                let line = std::mem::replace(&mut self.buffer, rest);
                self.searched = 0;
                return Ok(line.trim_ascii().to_vec());
            }
            self.searched = self.buffer.len();
            if self.buffer.len() > MOST_BYTES {
                return Err(StreamEnd::LongLine);
            }
            match timeout(self.silence, self.response.chunk()).await {
                Err(_) => return Err(StreamEnd::Silent(self.silence)),
                Ok(Ok(None)) => return Err(StreamEnd::Closed),
                Ok(Ok(Some(chunk))) => self.buffer.extend_from_slice(&chunk),
                Ok(Err(error)) => return Err(StreamEnd::Broken(error.without_url().to_string())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_or_this_machine() {
        let token = Secret::new("x");
        let error = Server::new("https://us:t0p@example.org", Some(&token), false).expect_err("a password").to_string();
        assert!(error.contains("example.org") && !error.contains("t0p"), "{error}");
        for (address, insecure, good) in [
            ("https://api.example.org/?x=1", false, false),
            ("https://api.example.org/base", false, true),
            ("https://api.example.org", false, true),
            ("http://api.example.org", false, false),
            ("http://api.example.org", true, false),
            ("http://127.0.0.1:80", false, false),
            ("http://127.0.0.1:80", true, true),
            ("http://localhost:80", true, true),
            ("http://[::1]:80", true, true),
            ("http://localhost.example.org", true, false),
            ("ftp://localhost", true, false),
            ("nonsense", true, false),
        ] {
            assert_eq!(Server::new(address, Some(&token), insecure).is_ok(), good, "{address} {insecure}");
        }
    }
    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Wed, 02 Dec 2026 16:00:00 GMT").expect("a date");
        assert_eq!(retry_after(" 7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Wed, 02 Dec 2026 16:00:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(retry_after("Wed, 02 Dec 2026 15:00:30 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("99999999999", now), Some(Duration::from_secs(86_400)));
        for text in ["", "-1", "soon", "1e9"] {
            assert_eq!(retry_after(text, now), None, "{text}");
        }
    }
}
