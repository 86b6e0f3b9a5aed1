use super::*;
use crate::record::TextReader;
use crate::review::{Level, Pool, ReviewSettings, Reviewer};

const HOSTILE: &str =
    "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\" onload=\"x'&amp;\u{202e}\u{1b}[2J";

fn reviewed(names: [&str; 2]) -> (GameReview, BasisJson) {
    let escape = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"").replace('\u{1b}', "\\u{1b}");
    let [white, black] = names.map(escape);
    let text = format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[DFEN \"7k/8/8/8/8/8/8/K6R w - - 0 1\"]\n[Result \"1-0\"]\n\n\
         1. RKK a1a2,a2a3,h1g1 kkk h8h7,h7h6,h6h5 2. RRR g1g2,g2g3,g3f3 qqq 0000 3. KKK 1-0\n"
    );
    let game = TextReader::new(text.as_bytes()).next_game().expect("a game").expect("sound");
    let settings = ReviewSettings { level: Level::Depth(1), ..ReviewSettings::default() };
    let review = Reviewer::new(settings, 1).review(&game, &()).expect("sound");
    (review, BasisJson::of(&settings, None))
}

fn page(names: [&str; 2]) -> String {
    let (review, basis) = reviewed(names);
    let mut pool = Pool::default();
    pool.add(&review);
    page_begin() + &page_game(&review, &basis, 1) + &page_game(&review, &basis, 2) + &page_end(Some(&pool.rows(0)))
}

/// The tags that are opened and never closed, or closed and never opened.
fn unbalanced(page: &str) -> Vec<String> {
    const VOID: [&str; 3] = ["meta", "!DOCTYPE", "br"];
    let (mut open, mut wrong) = (Vec::new(), Vec::new());
    let begin = page.find("<script>").expect("our own");
    let end = page.find("</script>").expect("our own");
    let without_script = format!("{}{}", &page[..begin], &page[end + "</script>".len()..]);
    for part in without_script.split('<').skip(1) {
        let tag = part.split('>').next().unwrap_or_default();
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default().to_owned();
        if VOID.contains(&name.as_str()) {
            continue;
        }
        if tag.starts_with('/') {
            match open.pop() {
                Some(last) if last == name => {}
                other => wrong.push(format!("{other:?} ended by {name}")),
            }
        } else {
            open.push(name);
        }
    }
    wrong.extend(open);
    wrong
}

#[test]
fn a_page_is_whole_and_its_links_lead_somewhere() {
    let page = page(["one", "two"]);
    assert_eq!(unbalanced(&page), Vec::<String>::new());
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id is there twice");
    let links = page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next());
    // The script has a link with a place to be filled in.
    for link in links.filter(|link| !link.starts_with('$')) {
        assert!(ids.contains(&link), "{link}");
    }
    // Five rolls in either game, the last one not played; a first turn that missed the king is a link.
    assert_eq!(page.matches("<section class=\"turn").count(), 10);
    assert_eq!(page.matches("<section class=\"turn on\"").count(), 2);
    assert!(page.contains("<li><a href=\"#g1t1\">1. a1a2,a2a3,h1g1 ?? (king) −"), "{page}");
    assert!(page.contains("nothing: the game ended here"));
}

#[test]
fn nothing_is_loaded_and_no_script_but_ours_can_run() {
    let page = page([HOSTILE, "two"]);
    assert_eq!(unbalanced(&page), Vec::<String>::new());
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<img") && !page.contains("http:") && !page.contains("https:"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(page.contains(&format!("script-src 'sha256-{}'", script_hash())), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn the_hash_of_the_script_is_in_base_64() {
    let hash = script_hash();
    assert!(hash.len() == 44 && hash.ends_with('=') && !hash.ends_with("=="), "{hash}");
}

#[test]
fn a_game_without_turns_has_a_page() {
    let text = "[White \"a\"]\n\n*\n";
    let game = TextReader::new(text.as_bytes()).next_game().expect("a game").expect("sound");
    let settings = ReviewSettings { level: Level::Depth(1), ..ReviewSettings::default() };
    let review = Reviewer::new(settings, 1).review(&game, &()).expect("sound");
    let page = page_begin() + &page_game(&review, &BasisJson::of(&settings, None), 1) + &page_end(None);
    assert_eq!(unbalanced(&page), Vec::<String>::new());
    assert!(page.contains("no result") && !page.contains("class=\"curve\""));
}
