//! What a player says of its search.

use crate::record::ScoreRecord;

/// The parts of `info` that a record keeps, from the last lines that had them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InfoLine {
    /// What the best turn is worth.
    pub score: Option<ScoreRecord>,
    /// Turns looked ahead.
    pub depth: Option<u32>,
    /// Positions evaluated.
    pub nodes: Option<u64>,
    /// Its own measure of time, in milliseconds.
    pub time_ms: Option<u64>,
}

impl InfoLine {
    /// Takes what an `info` line says (the words after `info`). Of several best turns only the first counts, and
    /// depth is taken from lines with a score only.
    pub fn read<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        let mut line = Self::default();
        let mut first = true;
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            match word {
                "depth" => line.depth = words.peek().and_then(|word| word.parse().ok()),
                "nodes" => line.nodes = words.peek().and_then(|word| word.parse().ok()),
                "time" => line.time_ms = words.peek().and_then(|word| word.parse().ok()),
                "multipv" => first = words.peek().is_none_or(|&word| word == "1"),
                "score" => {
                    let kind = words.next();
                    let number = words.peek().and_then(|word| word.parse().ok());
                    line.score = match (kind, number) {
                        (Some("cp"), Some(number)) => Some(ScoreRecord::Cp(number)),
                        (Some("mate"), Some(number)) => Some(ScoreRecord::Mate(number)),
                        _ => None,
                    };
                }
                // Free text and lines of play follow; they may hold any word.
                "string" | "pv" => break,
                _ => {}
            }
        }
        self.nodes = line.nodes.or(self.nodes);
        self.time_ms = line.time_ms.or(self.time_ms);
        if first && line.score.is_some() {
            self.score = line.score;
            self.depth = line.depth.or(self.depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_counts() {
        let mut info = InfoLine::default();
        for line in [
            "depth 1 score cp 30 nodes 10 time 1 pv e2e4 depth 9",
            "depth 2 multipv 1 score mate 1 nodes 20 time 3",
            "depth 2 multipv 2 score cp -50 nodes 25",
            "depth 3 currmove e2e4 nodes 30 nps 5",
            "string score cp 999 depth 77",
            "score cp nonsense",
        ] {
            info.read(line.split_ascii_whitespace());
        }
        let score = Some(ScoreRecord::Mate(1));
        assert_eq!(info, InfoLine { score, depth: Some(2), nodes: Some(30), time_ms: Some(3) });
    }
}
