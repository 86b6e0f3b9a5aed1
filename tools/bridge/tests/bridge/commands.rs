//! `check`, `register`, `verify`, `fetch`.

use crate::double::{Double, TOKEN, Trouble};
use crate::play::{assert_all_kept, concurrency, fischer, play_games};
use crate::running::Bridge;
use serde_json::{Value, json};

#[test]
fn check_tells_what_is_wrong_and_register_keeps_the_token_to_itself() {
    let double = Double::start(37, Trouble::default());
    let bridge = Bridge::new(&double, &concurrency(1), "");
    let output = bridge.command(&["check", "--insecure-http"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("all is well") && text.contains("Astragal"), "{text}{output:?}");
    let output = bridge.command(&["check"]).output().expect("it runs");
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("https"), "{output:?}");
    std::fs::write(
        bridge.folder.join("broken.toml"),
        format!("server = \"{}\"\n[engine]\ncommand = [\"/nowhere\"]\n", double.address),
    )
    .expect("ours");
    let output = bridge.command(&["check", "--config", "broken.toml", "--insecure-http"]).output().expect("it runs");
    assert!(!output.status.success(), "{output:?}");
    let words = ["register", "--server", &double.address, "--team", "dragons", "--name", "astragal", "--insecure-http"];
    let output = bridge.command(&words).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!said.contains(TOKEN), "{said}");
    let path = bridge.folder.join("token");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there").trim(), TOKEN);
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
    let output = bridge.command(&words).output().expect("it runs");
    assert!(!output.status.success(), "the file is not overwritten");
    double.end();
}

#[test]
fn verify_and_fetch_work_on_files_and_ids() {
    let double = Double::start(41, Trouble::default());
    let mut bridge =
        Bridge::new(&double, &concurrency(1), "[engine.options]\nBot = \"greedy-v2\"\n[keep]\njson_dir = \"json\"");
    bridge.start();
    play_games(&double, &mut bridge, 1, 1, &fischer(5.0, 0.1), |_, _| ());
    assert_all_kept(&double, &bridge);
    let id = bridge.kept().remove(0);
    let file = bridge.folder.join(format!("json/{id}.json"));
    let verify = |what: &str| {
        bridge.command(&["verify", what, "--server", &double.address, "--insecure-http"]).output().expect("it runs")
    };
    for what in [id.as_str(), &file.to_string_lossy()] {
        let output = verify(what);
        assert!(
            output.status.success() && String::from_utf8_lossy(&output.stdout).contains("dice verified"),
            "{output:?}"
        );
    }
    let text = std::fs::read_to_string(&file).expect("it is there");
    let mut foul: Value = serde_json::from_str(&text).expect("JSON");
    let first = foul["turns"][0]["dice"][0].as_u64().expect("a die");
    foul["turns"][0]["dice"][0] = json!(first % 6 + 1);
    std::fs::write(&file, foul.to_string()).expect("ours");
    assert!(!verify(&file.to_string_lossy()).status.success());
    for times in [1, 2] {
        let output = bridge
            .command(&["fetch", &id, "--journal", "f.jsonl", "--server", &double.address, "--insecure-http"])
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{times}: {output:?}");
    }
    let text = std::fs::read_to_string(bridge.folder.join("f.jsonl")).expect("it is there");
    assert_eq!(text.lines().count(), 2, "a header and one game");
    double.end();
}
