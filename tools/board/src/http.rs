//! The HTTP side: who is let in, the page's files, the socket.
//!
//! No page from elsewhere may drive the server. A name that was made to point here (DNS rebinding) is refused by its `Host`,
//! a socket that another site opens by its `Origin`; where others can reach the server, all must know its token.

use crate::hub::Hub;
use crate::socket;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State, WebSocketUpgrade};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use rust_embed::RustEmbed;
use std::net::IpAddr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The most bytes of a message of a page.
const MOST_MESSAGE: usize = 2 << 20;

/// What the browser is allowed on the page: nothing from elsewhere, and no script or style in the HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// A review is a page of its own, to be saved: it may run nothing here.
const REVIEW_POLICY: &str = "default-src 'none'; sandbox";

/// The page's files. In debug builds they are read from the source folder each time.
#[derive(RustEmbed)]
#[folder = "page/"]
struct Page;

/// Who is let in.
pub struct Door {
    /// The port that the server listens on.
    pub port: u16,
    /// What all must know; nobody needs anything if there is none.
    pub token: Option<String>,
}

struct Shared {
    hub: Arc<Hub>,
    door: Door,
}

/// Everything that is served.
pub fn routes(hub: Arc<Hub>, door: Door) -> Router {
    let shared = Arc::new(Shared { hub, door });
    Router::new()
        .route("/ws", any(open_socket))
        .route("/review/{name}", get(review))
        .route("/pieces.svg", get(pieces))
        .fallback(get(file))
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// A header that is there exactly once, as text.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

impl Door {
    /// Whether a `Host` is this server by its address or as `localhost`, not by a name that anybody could have made.
    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, rest)) => (name, rest.strip_prefix(':')),
            None => host.rsplit_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
        };
        let is_port = port.map_or(self.port == 80, |port| port.parse() == Ok(self.port));
        let is_local = |address: IpAddr| address.is_loopback() || self.token.is_some();
        is_port && (name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_local))
    }

    fn cookie(&self) -> String {
        // Cookies do not tell ports apart.
        format!("board-{}", self.port)
    }

    fn is_token(&self, said: &str) -> bool {
        self.token.as_ref().is_none_or(|token| bool::from(token.as_bytes().ct_eq(said.as_bytes())))
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie();
        let said = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = said.flat_map(|value| value.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        self.token.is_none() || cookies.any(|(key, value)| key == name && self.is_token(value))
    }
}

fn refusal(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{text}\n")).into_response()
}

async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = admit(&shared.door, request, next).await;
    let headers = response.headers_mut();
    let mut add = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    add(header::CONTENT_SECURITY_POLICY, POLICY);
    add(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(header::REFERRER_POLICY, "no-referrer");
    add(header::X_FRAME_OPTIONS, "DENY");
    add(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    add(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    add(header::CACHE_CONTROL, "no-store");
    response
}

async fn admit(door: &Door, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = single(headers, header::HOST);
    let Some(host) = host.filter(|host| door.is_own_host(host)) else {
        return refusal(StatusCode::MISDIRECTED_REQUEST, "This server is not known by that name.");
    };
    let own = format!("http://{host}");
    let origin = headers.contains_key(header::ORIGIN).then(|| single(headers, header::ORIGIN));
    let is_socket = request.uri().path() == "/ws";
    if origin.is_some_and(|origin| origin != Some(own.as_str())) || (is_socket && origin.is_none()) {
        return refusal(StatusCode::FORBIDDEN, "Another site may not use this server.");
    }
    if !door.knows(headers) {
        let said = request.uri().query().unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("token="));
        return match said.filter(|said| door.is_token(said)) {
            // From here on the browser brings the token as a cookie, and it does not stay in the address.
            Some(token) if request.uri().path() == "/" => {
                let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", door.cookie());
                let to = [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)];
                (StatusCode::SEE_OTHER, to).into_response()
            }
            _ => refusal(StatusCode::FORBIDDEN, "The address must have the token that the server printed."),
        };
    }
    next.run(request).await
}

async fn open_socket(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let hub = Arc::clone(&shared.hub);
    let upgrade = upgrade.max_message_size(MOST_MESSAGE).max_frame_size(MOST_MESSAGE);
    upgrade.on_upgrade(move |socket| socket::serve(socket, hub))
}

async fn review(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Response {
    let number = name.strip_suffix(".html").and_then(|number| number.parse().ok());
    let Some(page) = number.and_then(|number| shared.hub.review_page(number)) else {
        return refusal(StatusCode::NOT_FOUND, "There is no such review any more.");
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"dice-chess-review.html\""),
        (header::CONTENT_SECURITY_POLICY, REVIEW_POLICY),
    ];
    (headers, page.to_string()).into_response()
}

async fn pieces() -> Response {
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "no-cache")];
    (headers, astragal::report::pieces_svg().into_string()).into_response()
}

async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some(file) = Page::get(path) else { return refusal(StatusCode::NOT_FOUND, "There is no such page.") };
    let hash: String = file.metadata.sha256_hash().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{hash}\"");
    let common = [(header::CACHE_CONTROL, "no-cache".to_owned()), (header::ETAG, tag.clone())];
    if single(&headers, header::IF_NONE_MATCH) == Some(tag.as_str()) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    (common, [(header::CONTENT_TYPE, media_type(path))], Body::from(file.data.into_owned())).into_response()
}

/// What a file is, by its name.
fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_of_this_machine_with_our_port() {
        let door = Door { port: 6347, token: None };
        for host in ["127.0.0.1:6347", "localhost:6347", "LocalHost:6347", "[::1]:6347", "127.0.0.2:6347"] {
            assert!(door.is_own_host(host), "{host}");
        }
        for host in
            ["", "127.0.0.1", "127.0.0.1:80", "evil.example:6347", "localhost.evil.example:6347", "10.0.0.1:6347"]
        {
            assert!(!door.is_own_host(host), "{host}");
        }
        let door = Door { port: 6347, token: Some("secret".to_owned()) };
        assert!(door.is_own_host("10.0.0.1:6347") && !door.is_own_host("evil.example:6347"));
        assert!(Door { port: 80, token: None }.is_own_host("localhost"));
    }

    #[test]
    fn the_token_comes_as_a_cookie_of_our_port() {
        let door = Door { port: 7, token: Some("secret".to_owned()) };
        let knows = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().expect("a header"));
            door.knows(&headers)
        };
        assert!(knows("board-7=secret") && knows("a=b; board-7=secret"));
        assert!(!knows("board-7=secre") && !knows("board-8=secret") && !knows("board-7"));
        assert!(!door.knows(&HeaderMap::new()));
    }
}
