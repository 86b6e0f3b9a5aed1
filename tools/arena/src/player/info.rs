//! What a player says of its search.

use crate::record::ScoreRecord;
use astragal::record::Said;
use astragal_client::{Info, Score};

/// Takes what an `info` line says. Of several best turns only the first counts, and depth is taken from lines with a score
/// only.
pub fn hear(said: &mut Said, line: &Info) {
    said.nodes = line.nodes.or(said.nodes);
    said.time_ms = line.time_ms.or(said.time_ms);
    if let Some(score) = line.score
        && line.is_of_best()
    {
        said.score = Some(match score {
            Score::Cp(centipawns) => ScoreRecord::Cp(centipawns),
            Score::Mate(turns) => ScoreRecord::Mate(turns),
        });
        said.depth = line.depth.or(said.depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_counts() {
        let mut info = Said::default();
        for line in [
            "depth 1 score cp 30 nodes 10 time 1 pv e2e4 depth 9",
            "depth 2 multipv 1 score mate 1 nodes 20 time 3",
            "depth 2 multipv 2 score cp -50 nodes 25",
            "depth 3 currmove e2e4 nodes 30 nps 5",
            "string score cp 999 depth 77",
            "score cp nonsense",
        ] {
            hear(&mut info, &Info::parse(line));
        }
        let score = Some(ScoreRecord::Mate(1));
        assert_eq!(info, Said { score, depth: Some(2), nodes: Some(30), time_ms: Some(3) });
    }
}
