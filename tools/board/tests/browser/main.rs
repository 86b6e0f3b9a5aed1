//! The board's page in a real browser, with the real server and the built-in engine.
//!
//! They need chromium and its driver, and so run only where they are asked for: `cargo test -p board -- --ignored`.

#[path = "../board/server.rs"]
mod server;
#[path = "../../../../tests/common/webdriver.rs"]
mod webdriver;

mod answers;
mod games;
mod looks;
#[cfg(unix)]
mod pages;
mod records;
mod rules;
mod screen;
mod seeing;
mod settings;
