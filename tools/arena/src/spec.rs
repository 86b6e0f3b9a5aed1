//! Player specs: `builtin:greedy?Seed=3`, `cmd:./engine --flag?Hash=64`, `webhook:http://…?secret=…`.
//!
//! Everything before the first `?` names the player, what follows are options as `name=value`, joined by `&`. Both are
//! percent-decoded (`%3F` is a `?` in a command, `%26` an `&` in a value); a `%` that no two hexadecimal digits follow
//! stands for itself.
//!
//! Two words among the options are the arena's own and never reach the player: `name=` is what reports call it, `tc=` is
//! its own time control. An option of the player that has such a name is written with a capital or an escape (`Name=`,
//! `%6Eame=`).

use astragal::record::{Control, ControlError};
use percent_encoding::percent_decode_str;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A player as it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// How to reach it.
    pub target: Target,
    /// The options in the order given.
    pub options: Vec<(String, String)>,
    /// What it is to be called, if not by the name it has itself.
    pub name: Option<String>,
    /// Its own time control, if not the event's.
    pub control: Option<Control>,
    text: String,
}

/// How to reach a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The name of a bot of the library.
    Builtin(String),
    /// A program and its arguments.
    Cmd(Vec<String>),
    /// An HTTP bot.
    Webhook {
        /// Where to post.
        url: String,
        /// The key of the signatures.
        secret: String,
    },
}

/// Why a text is no player.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// None of the three kinds.
    #[error(
        "player '{0}': say builtin:<bot>, cmd:<path and arguments> or webhook:<url>?secret=…, with options as \
         ?name=value&name=value"
    )]
    Kind(String),
    /// Nothing to reach.
    #[error("player '{0}': nothing after '{1}:'")]
    Empty(String, &'static str),
    /// An option without `=`, or without a name.
    #[error("player '{0}': option '{1}' is not name=value")]
    Option(String, String),
    /// A quote that is not closed.
    #[error("player '{0}': a quote in the command is not closed")]
    Quote(String),
    /// Bytes that are no UTF-8.
    #[error("player '{0}': '{1}' is not UTF-8 when percent-decoded")]
    Encoding(String, String),
    /// A name that says nothing, or too much.
    #[error("player '{0}': a name has 1 to {LONGEST_NAME} characters")]
    Name(String),
    /// A time control that is none.
    #[error("player '{0}': {1}")]
    Control(String, ControlError),
    /// Options for all players where one takes none.
    #[error("player '{0}': a webhook takes no options, so that --each cannot be for all players")]
    Each(String),
    /// A webhook without its key.
    #[error("player '{0}': a webhook needs ?secret=…")]
    NoSecret(String),
    /// A webhook by another protocol.
    #[error("player '{0}': the URL must begin with http://")]
    Scheme(String),
    /// A webhook over TLS.
    #[error("player '{0}': https:// is not supported, for the arena speaks no TLS; put a proxy on http:// before it")]
    Tls(String),
}

/// Longer names make tables that nobody can read.
const LONGEST_NAME: usize = 60;

/// Whether a text can be the name of a player or of an event.
pub fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST_NAME
}

/// Options for all players: `Hash=16&Threads=1`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Each(Vec<(String, String)>);

/// A text is no list of options for all players.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EachError {
    /// An option without `=`, or without a name.
    #[error("'{0}' is not name=value, with & between several")]
    Option(String),
    /// A word that is for one player, or has an option of its own.
    #[error("'{0}' is not an option of players; say --tc for a time control, and names in the players themselves")]
    Word(String),
    /// Bytes that are no UTF-8.
    #[error("'{0}' is not UTF-8 when percent-decoded")]
    Encoding(String),
}

impl FromStr for Each {
    type Err = EachError;

    fn from_str(text: &str) -> Result<Self, EachError> {
        let decode = |part: &str| {
            let decoded = percent_decode_str(part).decode_utf8();
            decoded.map(|text| text.into_owned()).map_err(|_| EachError::Encoding(part.to_owned()))
        };
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| match pair.split_once('=') {
            Some((name @ ("name" | "tc"), _)) => Err(EachError::Word(name.to_owned())),
            Some((name, value)) if !name.is_empty() => Ok((decode(name)?, decode(value)?)),
            _ => Err(EachError::Option(pair.to_owned())),
        });
        pairs.collect::<Result<Vec<_>, _>>().map(Self)
    }
}

impl Spec {
    /// Adds options for all players; the player's own come first.
    ///
    /// # Errors
    /// It is a webhook, and there are options.
    pub fn add(&mut self, each: &Each) -> Result<(), SpecError> {
        if matches!(self.target, Target::Webhook { .. }) && !each.0.is_empty() {
            return Err(SpecError::Each(self.text.clone()));
        }
        let has = |options: &[(String, String)], name: &str| {
            options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name))
        };
        let new: Vec<_> = each.0.iter().filter(|(name, _)| !has(&self.options, name)).cloned().collect();
        self.options.extend(new);
        Ok(())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let shown = || redacted(text).chars().take(80).collect::<String>();
        let (kind, rest) = text.split_once(':').ok_or_else(|| SpecError::Kind(shown()))?;
        let decode = |part: &str| {
            let decoded = percent_decode_str(part).decode_utf8();
            decoded.map(|text| text.into_owned()).map_err(|_| SpecError::Encoding(shown(), part.to_owned()))
        };
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut options = Vec::new();
        let mut raw = Vec::new();
        let (mut given_name, mut control) = (None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (option, value) = pair.split_once('=').unwrap_or((pair, ""));
            if option.is_empty() || !pair.contains('=') {
                return Err(SpecError::Option(shown(), pair.to_owned()));
            }
            match option {
                "name" => {
                    let name = decode(value)?;
                    if !is_name(&name) {
                        return Err(SpecError::Name(shown()));
                    }
                    given_name = Some(name);
                }
                "tc" => control = Some(value.parse().map_err(|error| SpecError::Control(shown(), error))?),
                _ => {
                    options.push((decode(option)?, decode(value)?));
                    raw.push(pair);
                }
            }
        }
        let empty = |kind| if name.trim().is_empty() { Err(SpecError::Empty(shown(), kind)) } else { Ok(()) };
        let target = match kind {
            "builtin" => {
                empty("builtin")?;
                Target::Builtin(decode(name)?)
            }
            "cmd" => {
                empty("cmd")?;
                let words = shlex::split(&decode(name)?).ok_or_else(|| SpecError::Quote(shown()))?;
                if words.first().is_none_or(String::is_empty) {
                    return Err(SpecError::Empty(shown(), "cmd"));
                }
                Target::Cmd(words)
            }
            "webhook" => {
                empty("webhook")?;
                // The rest of a query belongs to the URL and is left as it stands.
                let scheme = name.split_once("://").map_or("", |(scheme, _)| scheme);
                if scheme.eq_ignore_ascii_case("https") {
                    return Err(SpecError::Tls(shown()));
                }
                if !scheme.eq_ignore_ascii_case("http") {
                    return Err(SpecError::Scheme(shown()));
                }
                let place = options.iter().position(|(option, _)| option == "secret");
                let place = place.ok_or_else(|| SpecError::NoSecret(shown()))?;
                let (_, secret) = options.swap_remove(place);
                options.clear();
                raw.remove(place);
                let query = if raw.is_empty() { String::new() } else { format!("?{}", raw.join("&")) };
                Target::Webhook { url: format!("{name}{query}"), secret }
            }
            _ => return Err(SpecError::Kind(shown())),
        };
        Ok(Self { target, options, name: given_name, control, text: redacted(text) })
    }
}

/// The text as it was given, the secret of a webhook left out.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An argument with the secret of a webhook left out.
pub fn redacted(text: &str) -> String {
    if !text.starts_with("webhook:") {
        return text.to_owned();
    }
    let Some((head, query)) = text.split_once('?') else { return text.to_owned() };
    let kept = query.split('&').map(|pair| if pair.starts_with("secret=") { "secret=…" } else { pair });
    format!("{head}?{}", kept.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn the_three_kinds_are_read() {
        let builtin = spec("builtin:greedy?Seed=3&Move%20Overhead=20");
        assert_eq!(builtin.target, Target::Builtin("greedy".to_owned()));
        let options = [("Seed", "3"), ("Move Overhead", "20")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(builtin.options, options);

        let cmd = spec("cmd:\"/opt/my engine\" --level 'a b' 100% what%3F?Book File=x%26y&Empty=");
        let words = ["/opt/my engine", "--level", "a b", "100%", "what?"].map(str::to_owned).to_vec();
        assert_eq!(cmd.target, Target::Cmd(words));
        assert_eq!(cmd.options[0], ("Book File".to_owned(), "x&y".to_owned()));
        assert_eq!(cmd.options[1], ("Empty".to_owned(), String::new()));

        let webhook = spec("webhook:http://127.0.0.1:80/bot?v=1&secret=s%3D1&x=%20");
        let (url, secret) = ("http://127.0.0.1:80/bot?v=1&x=%20".to_owned(), "s=1".to_owned());
        assert_eq!(webhook.target, Target::Webhook { url, secret });
        assert!(webhook.options.is_empty());
        assert_eq!(webhook.to_string(), "webhook:http://127.0.0.1:80/bot?v=1&secret=…&x=%20");
    }

    #[test]
    fn a_name_and_a_control_are_the_arenas() {
        let cmd = spec("cmd:./new?Hash=1&name=the new one&tc=10+0.1&Name=its%20own");
        assert_eq!((cmd.name.as_deref(), cmd.control), (Some("the new one"), "10+0.1".parse().ok()));
        assert_eq!(cmd.options, [("Hash", "1"), ("Name", "its own")].map(|(a, b)| (a.to_owned(), b.to_owned())));
        let webhook = spec("webhook:http://x/bot?%6Eame=a&secret=s&name=b&tc=st=0.2");
        let url = "http://x/bot?%6Eame=a".to_owned();
        assert_eq!(webhook.target, Target::Webhook { url, secret: "s".to_owned() });
        assert_eq!((webhook.name.as_deref(), webhook.control), (Some("b"), "st=0.2".parse().ok()));
    }

    #[test]
    fn options_for_all_give_way_to_a_players_own() {
        let each: Each = "Hash=16&Move%20Overhead=5".parse().expect("options");
        let mut player = spec("cmd:./x?hash=1");
        assert_eq!(player.add(&each), Ok(()));
        let options = [("hash", "1"), ("Move Overhead", "5")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(player.options, options);
        let mut webhook = spec("webhook:http://x?secret=hush");
        let error = webhook.add(&each).expect_err("no options").to_string();
        assert!(error.contains("takes no options") && !error.contains("hush"), "{error}");
        assert_eq!(webhook.add(&Each::default()), Ok(()));
        for (text, part) in [
            ("Hash", "not name=value"),
            ("=1", "not name=value"),
            ("name=x", "players themselves"),
            ("tc=60", "--tc"),
            ("a=%FF", "UTF-8"),
        ] {
            assert!(text.parse::<Each>().expect_err(text).to_string().contains(part), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_and_secrets_are_not() {
        for (text, part) in [
            ("greedy", "say builtin"),
            ("", "say builtin"),
            ("uci:x", "say builtin"),
            ("builtin:", "nothing after"),
            ("cmd: ", "nothing after"),
            ("cmd:''", "nothing after"),
            ("cmd:'x", "not closed"),
            ("builtin:greedy?Seed", "not name=value"),
            ("builtin:greedy?=3", "not name=value"),
            ("builtin:greedy?a=%FF", "UTF-8"),
            ("builtin:greedy?name=", "1 to 60"),
            ("builtin:greedy?tc=soon", "no time control"),
            ("webhook:http://x", "needs ?secret"),
            ("webhook:ftp://x?secret=hush", "must begin"),
            ("webhook:example.org?secret=hush", "must begin"),
            ("webhook:https://x?secret=hush", "speaks no TLS"),
            ("webhook:HTTPS://x", "speaks no TLS"),
        ] {
            let error = text.parse::<Spec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
