//! The page of a review in a real browser.

use crate::webdriver::Browser;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Two games of the platform.
const HISTORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/histories.json");

/// A game of somebody whose name wants to be a script.
const HOSTILE: &str = "[White \"</h2><script>document.title='hit'</script><img src=x onerror=alert(1)>\"]\n\
    [Black \"javascript:alert(2)\"]\n\n1. PNB b1c3,e2e4,f1c4 kkk 0000 1-0\n";

/// Clicks on the middle of an element, or beside it.
fn click(browser: &Browser, selector: &str, beside: i32) {
    let found = browser.post("/element", &json!({"using": "css selector", "value": selector}));
    browser.value(&format!("document.querySelector({selector:?}).scrollIntoView({{block: 'center'}})"));
    let actions = [
        json!({"type": "pointerMove", "duration": 0, "x": beside, "y": 0, "origin": found}),
        json!({"type": "pointerDown", "button": 0}),
        json!({"type": "pointerUp", "button": 0}),
    ];
    browser.post("/actions", &json!({"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]}));
}

/// The turns that can be seen.
fn seen(browser: &Browser) -> Vec<String> {
    let ids = browser.value("[...document.querySelectorAll('.turn')].filter(t => t.offsetHeight > 0).map(t => t.id)");
    serde_json::from_value(ids).expect("a list of texts")
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
    let browser = Browser::start(&[]);
    browser.open(&format!("file://{}", path.display()));
    assert_eq!(browser.value("document.title"), "Dice Chess review");
    // A turn of each of the two games; the keys move in the first.
    assert_eq!(seen(&browser), ["g1t1", "g2t1"]);
    browser.press(&["right"]);
    browser.press(&["right"]);
    assert_eq!(seen(&browser), ["g1t3", "g2t1"]);
    browser.press(&["left"]);
    assert_eq!(seen(&browser), ["g1t2", "g2t1"]);
    assert_eq!(browser.value("location.hash"), "#g1t2");
    browser.press(&["end"]);
    assert_eq!(seen(&browser), ["g1t19", "g2t1"]);
    browser.press(&["right"]);
    browser.press(&["home"]);
    assert_eq!(seen(&browser), ["g1t1", "g2t1"]);
    // The halves of the board, a mistake, the curve.
    click(&browser, "#g1t1 .board", 60);
    assert_eq!(seen(&browser), ["g1t2", "g2t1"]);
    click(&browser, "#g1t2 .board", -60);
    assert_eq!(seen(&browser), ["g1t1", "g2t1"]);
    let mistake = browser.value("document.querySelector('#g1 .mistakes a').getAttribute('href').slice(1)");
    click(&browser, "#g1 .mistakes a", 0);
    assert_eq!(seen(&browser)[0], mistake.as_str().expect("a link"));
    click(&browser, "#g2 .curve a[href='#g2t4'] rect", 0);
    assert_eq!(seen(&browser)[1], "g2t4");
    browser.press(&["right"]);
    assert_eq!(seen(&browser)[1], "g2t5", "the keys have gone over to the second game");
    // Every piece is drawn where it stands: the shapes have an extent.
    let pieces = "[...document.querySelectorAll('#g2t5 .board use')].every(p => p.getBBox().width > 5)";
    assert_eq!(browser.value(pieces), true);
    // A narrow and a dark screen.
    browser.size(340, 700);
    assert_eq!(
        browser.value("document.documentElement.scrollWidth <= innerWidth"),
        true,
        "it does not scroll sideways"
    );
    let paper = "getComputedStyle(document.body).backgroundColor";
    browser.prefer(&[("prefers-color-scheme", "light")]);
    let light = browser.value(paper);
    browser.prefer(&[("prefers-color-scheme", "dark")]);
    assert_ne!(browser.value(paper), light);

    let record = path.with_extension("txt");
    std::fs::write(&record, HOSTILE).expect("a file for temporary use");
    let hostile = page("hostile", &record.display().to_string());
    browser.open(&format!("file://{}", hostile.display()));
    assert_eq!(browser.value("document.title"), "Dice Chess review");
    assert_eq!(browser.value("document.querySelectorAll('script, img').length"), 1, "only our own");
    assert_eq!(browser.get("/alert/text")["error"], "no such alert");
    assert_eq!(browser.value("document.querySelector('h2').textContent.includes('<script>')"), true);
    // Nothing was refused, asked for or broken on either page.
    assert_eq!(browser.log("browser"), [Value::Null; 0]);
    for file in [path, record, hostile] {
        let _ = std::fs::remove_file(file);
    }
}
