//! What a program says of its search.

use astragal::rules::Turn;

/// What a turn or a position is worth to the side to move, as a program says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Centipawns.
    Cp(i64),
    /// Turns until the king is captured; negative if one's own.
    Mate(i64),
}

/// An `info` line. A field is `None` where the line has no such word, or no number behind it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Turns looked ahead.
    pub depth: Option<u32>,
    /// The most turns looked ahead anywhere.
    pub seldepth: Option<u32>,
    /// The rank of the turn, 1 for the best.
    pub multipv: Option<u32>,
    /// What the turn is worth.
    pub score: Option<Score>,
    /// Wins, draws and losses of 1000 games.
    pub wdl: Option<[u32; 3]>,
    /// Positions evaluated.
    pub nodes: Option<u64>,
    /// Positions a second.
    pub nps: Option<u64>,
    /// The program's own measure of time, in milliseconds.
    pub time_ms: Option<u64>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: Option<u32>,
    /// The turn that is looked at now.
    pub currmove: Option<Turn>,
    /// Its number, from 1.
    pub currmovenumber: Option<u32>,
    /// The turns that are expected, as far as they can be read.
    pub pv: Vec<Turn>,
    /// The text after `string`, as it came: [`Escaped`](crate::Escaped) makes it fit to be shown.
    pub string: Option<String>,
}

/// The next word; what is left begins behind the blank after it.
fn next_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    if text.is_empty() {
        return None;
    }
    let (word, after) = text.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((text, ""));
    *rest = after;
    Some(word)
}

/// The next word if it suits; else nothing is taken, for it may be the word of the next field.
fn next_value<T: std::str::FromStr>(rest: &mut &str) -> Option<T> {
    let mut after = *rest;
    let value = next_word(&mut after)?.parse().ok()?;
    *rest = after;
    Some(value)
}

impl Info {
    /// Reads what follows the word `info`. Unknown words are skipped.
    ///
    /// # Examples
    /// ```
    /// use astragal_client::{Info, Score};
    ///
    /// let info = Info::parse("depth 2 seldepth 2 multipv 1 score cp 31 nodes 5 time 1 pv e2e4,g1f3");
    /// assert_eq!(info.score, Some(Score::Cp(31)));
    /// assert_eq!(info.pv, ["e2e4,g1f3".parse()?]);
    /// assert_eq!(Info::parse("string error  x").string.as_deref(), Some("error  x"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(rest: &str) -> Self {
        let mut info = Self::default();
        let mut rest = rest;
        let rest = &mut rest;
        while let Some(word) = next_word(rest) {
            match word {
                "depth" => info.depth = next_value(rest),
                "seldepth" => info.seldepth = next_value(rest),
                "multipv" => info.multipv = next_value(rest),
                "score" => {
                    info.score = match next_word(rest) {
                        Some("cp") => next_value(rest).map(Score::Cp),
                        Some("mate") => next_value(rest).map(Score::Mate),
                        _ => None,
                    };
                }
                "wdl" => {
                    let numbers = [next_value(rest), next_value(rest), next_value(rest)];
                    info.wdl = match numbers {
                        [Some(wins), Some(draws), Some(losses)] => Some([wins, draws, losses]),
                        _ => None,
                    };
                }
                "nodes" => info.nodes = next_value(rest),
                "nps" => info.nps = next_value(rest),
                "time" => info.time_ms = next_value(rest),
                "hashfull" => info.hashfull = next_value(rest),
                "currmove" => info.currmove = next_value(rest),
                "currmovenumber" => info.currmovenumber = next_value(rest),
                // Free text and lines of play end a line; they may hold any word.
                "pv" => {
                    info.pv = std::iter::from_fn(|| next_value(rest)).collect();
                    break;
                }
                "string" => {
                    info.string = Some((*rest).trim_end().to_owned());
                    break;
                }
                _ => {}
            }
        }
        info
    }

    /// Whether it is of the best turn, or of no certain rank.
    pub fn is_of_best(&self) -> bool {
        self.multipv.is_none_or(|rank| rank == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_read() {
        let info = Info::parse(
            " depth 3 seldepth 4 multipv 2 score mate -1 wdl 1 2 997 nodes 10 nps 20 time 30 hashfull 40 \
             pv e2e4 0000 depth 9",
        );
        let turn = |text: &str| text.parse::<Turn>().expect(text);
        let expected = Info {
            depth: Some(3),
            seldepth: Some(4),
            multipv: Some(2),
            score: Some(Score::Mate(-1)),
            wdl: Some([1, 2, 997]),
            nodes: Some(10),
            nps: Some(20),
            time_ms: Some(30),
            hashfull: Some(40),
            pv: vec![turn("e2e4"), turn("0000")],
            ..Info::default()
        };
        assert_eq!(info, expected);
        let info = Info::parse("depth 3 currmove e2e4 currmovenumber 5 nodes 30");
        assert_eq!((info.currmove, info.currmovenumber, info.nodes), (Some(turn("e2e4")), Some(5), Some(30)));
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        for line in ["", "depth", "depth x", "score", "score cp", "score cp many", "wdl 1 2", "nodes -1", "pv", "eh 7"]
        {
            assert_eq!(Info::parse(line), Info::default(), "{line}");
        }
        // A word whose number is missing does not take the next word with it.
        assert_eq!(Info::parse("depth nodes 5").nodes, Some(5));
        assert_eq!(Info::parse("string").string.as_deref(), Some(""));
        assert_eq!(Info::parse("score cp 99999999999999999999 time 3").time_ms, Some(3));
    }
}
