//! `docs/bridge.md` tells of every kind of log line. (That it tells of every setting, the test of the example file sees to.)

use std::collections::BTreeSet;
use std::path::Path;

fn events(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            events(&path, into);
        } else {
            let text = std::fs::read_to_string(&path).expect("a source");
            let names = text.split("event = \"").skip(1).filter_map(|rest| rest.split('"').next());
            into.extend(names.map(str::to_owned));
        }
    }
}

#[test]
fn the_guide_tells_of_every_kind_of_log_line() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    events(&here.join("src"), &mut found);
    assert!(found.len() > 20, "{found:?}");
    let guide = std::fs::read_to_string(here.join("../../docs/bridge.md")).expect("docs/bridge.md");
    let (_, table) = guide.split_once("## What the log says").expect("the section");
    for event in found {
        assert!(table.contains(&format!("`{event}`")), "docs/bridge.md does not tell of {event}");
    }
}

#[test]
#[ignore = "builds an image, if docker is there"]
fn the_image_is_built_where_docker_is() {
    let docker = |words: &[&str]| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::process::Command::new("docker").args(words).current_dir(root).status()
    };
    if !docker(&["info"]).is_ok_and(|status| status.success()) {
        eprintln!("no docker here");
        return;
    }
    let built = docker(&["build", "-f", "tools/bridge/dist/Dockerfile", "-t", "astragal-bridge:test", "."]);
    assert!(built.is_ok_and(|status| status.success()));
    let ran = docker(&["run", "--rm", "astragal-bridge:test", "--version"]);
    assert!(ran.is_ok_and(|status| status.success()));
}
