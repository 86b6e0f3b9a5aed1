//! How the page looks and whether everybody can use it: pictures at three widths in both themes, and axe-core's findings.

use crate::screen::{Screen, server};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Widths of a telephone, a small and a large window, in pixels.
const WIDTHS: [u32; 3] = [360, 900, 1600];
const THEMES: [&str; 2] = ["light", "dark"];

const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/page-check/node_modules/axe-core/axe.min.js");

/// Where the pictures are kept, as an output of the run.
fn folder() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder in the folder of builds");
    target.join("board-screenshots")
}

/// A position with much to see: castling, a pawn to be taken in passing, one that can promote; no king to be taken.
const RICH: &str = "r4rk1/pP1b1ppp/2n2n2/3pP3/1b1q4/2NB1N2/PP1Q1PPP/R3K2R w KQ d6 0 12";

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn pictures_at_three_widths_in_both_themes() {
    let (server, _folder) = server();
    let folder = folder();
    std::fs::create_dir_all(&folder).expect("a folder for the pictures");
    let screen = Screen::open(&server);
    // As on a telephone, so that a picture is as wide as its window.
    screen.emulate("Emulation.setScrollbarsHidden", &json!({"hidden": true}));
    let take = |name: &str| {
        for width in WIDTHS {
            screen.size(width, if width < 600 { 760 } else { 1000 });
            for theme in THEMES {
                screen.prefer(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]);
                let wide = screen.value("document.documentElement.scrollWidth - innerWidth");
                assert!(wide.as_i64().is_some_and(|wide| wide <= 0), "{name} scrolls sideways at {width}: {wide}");
                let parameters = json!({"cmd": "Page.captureScreenshot", "params": {"captureBeyondViewport": true,
                    "format": "png"}});
                let taken = screen.post("/goog/cdp/execute", &parameters);
                let png = STANDARD.decode(taken["data"].as_str().expect("a picture")).expect("base64");
                // The head of a PNG has its width.
                assert_eq!(png.get(16..20), Some(width.to_be_bytes().as_slice()));
                std::fs::write(folder.join(format!("{name}-{width}-{theme}.png")), png).expect("a file");
            }
        }
    };
    take("start");
    screen.click("[data-menu=new]");
    screen.wait("document.querySelector('dialog [data-action=begin]')");
    take("new-game");
    screen.press(&["escape"]);
    screen.size(1600, 1000);
    screen.click("[name=analysis]");
    screen.typed(&server, RICH, "PNR");
    screen.wait("document.querySelectorAll('.best li').length > 2 && document.querySelectorAll('.roll').length === 56");
    screen.square("c3");
    take("turn");
    screen.play(&["b7a8"]);
    screen.until("the choice", |look| !look.promotions.is_empty());
    take("promotion");
    screen.press(&["r"]);
    screen.play(&["a8f8", "c3d5"]);
    screen.until("the other side", |look| look.side == "b");
    screen.roll("PNK");
    screen.end_by("resign");
    screen.until("the end", |look| look.state == "over");
    take("over");
    screen.click("[data-tool=review]");
    screen.wait("document.querySelector('[data-action=save-review]')");
    take("review");
    screen.click("[data-menu=edit]");
    screen.wait("document.querySelector('dialog .board')");
    take("editor");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn everybody_can_use_it() {
    let axe = std::fs::read_to_string(AXE);
    let axe = axe.unwrap_or_else(|error| panic!("{AXE}: {error}; run 'npm ci' in tools/board/page-check"));
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.post("/execute/sync", &json!({"script": axe, "args": []}));
    let check = |what: &str| {
        for theme in THEMES {
            screen.prefer(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]);
            let found = screen.promised(
                "axe.run(document).then((result) => result.passes.length < 10 ? 'it has not looked' : result.violations
                    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
                    .map((one) => [one.id, one.impact, one.help, ...one.nodes.slice(0, 4).map((node) => node.html)]))",
            );
            assert_eq!(found, json!([]), "{what}, {theme}: {found:#}");
        }
    };
    check("start");
    screen.click("[data-menu=new]");
    screen.wait("document.querySelector('dialog [data-action=begin]')");
    screen.choose("[name=control]", "clock");
    check("new game");
    screen.press(&["escape"]);
    screen.click("[data-menu=settings]");
    screen.wait("document.querySelector('dialog')");
    check("settings");
    screen.press(&["escape"]);
    screen.click("[name=analysis]");
    let game = server.page().new_game(json!({"dice": {"source": "typed"}, "opening": RICH}));
    // The page stays, so that what was put into it stays.
    screen.value(&format!("void (location.hash = {:?})", format!("#{game}")));
    screen.until("the game", |look| look.state == "roll");
    check("roll");
    screen.roll("PNR");
    screen.wait("document.querySelectorAll('.best li').length > 2 && document.querySelectorAll('.roll').length === 56");
    screen.square("c3");
    check("turn");
    screen.play(&["b7a8"]);
    screen.until("the choice", |look| !look.promotions.is_empty());
    check("promotion");
    screen.press(&["r"]);
    screen.play(&["a8f8", "c3d5"]);
    screen.until("the other side", |look| look.side == "b");
    screen.roll("PNK");
    screen.end_by("resign");
    screen.until("the end", |look| look.state == "over");
    check("over");
    screen.click("[data-tool=review]");
    screen.wait("document.querySelector('[data-action=save-review]')");
    check("review");
    for (button, window) in [
        ("[data-menu=games]", "[data-game]"),
        ("[data-menu=paste]", "[name=paste]"),
        ("[data-menu=edit]", ".board"),
        ("[data-tool=save]", "button"),
    ] {
        screen.click(button);
        screen.wait(&format!("document.querySelector('dialog {window}')"));
        check(button);
        screen.press(&["escape"]);
        screen.wait("!document.querySelector('dialog')");
    }
    assert_eq!(screen.value("axe.version"), Value::from("4.11.0"));
}
