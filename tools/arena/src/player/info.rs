//! What a player says of its search.

use crate::record::ScoreRecord;
use astragal_client::{Info, Score};

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
    /// Takes what an `info` line says. Of several best turns only the first counts, and depth is taken from lines with
    /// a score only.
    pub fn hear(&mut self, line: &Info) {
        self.nodes = line.nodes.or(self.nodes);
        self.time_ms = line.time_ms.or(self.time_ms);
        if let Some(score) = line.score
            && line.is_of_best()
        {
            self.score = Some(match score {
                Score::Cp(centipawns) => ScoreRecord::Cp(centipawns),
                Score::Mate(turns) => ScoreRecord::Mate(turns),
            });
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
            info.hear(&Info::parse(line));
        }
        let score = Some(ScoreRecord::Mate(1));
        assert_eq!(info, InfoLine { score, depth: Some(2), nodes: Some(30), time_ms: Some(3) });
    }
}
