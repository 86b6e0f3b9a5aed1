//! Player specs: `builtin:greedy?Seed=3`, `cmd:./engine --flag?Hash=64`, `webhook:http://…?secret=…`.
//!
//! Everything before the first `?` names the player, what follows are options as `name=value`, joined by `&`. Both are
//! percent-decoded (`%3F` is a `?` in a command, `%26` an `&` in a value); a `%` that no two hexadecimal digits follow
//! stands for itself.

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
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (option, value) = pair.split_once('=').unwrap_or((pair, ""));
            if option.is_empty() || !pair.contains('=') {
                return Err(SpecError::Option(shown(), pair.to_owned()));
            }
            options.push((decode(option)?, decode(value)?));
            raw.push(pair);
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
        Ok(Self { target, options, text: redacted(text) })
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
