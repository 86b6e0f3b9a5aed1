//! The cross-table of a tournament: who scored how much against whom.

use crate::stats::standings::Standings;
use std::collections::BTreeMap;

/// Rows of cells with a head: players in the order of their ranks, a column for each of the others with its points out
/// of the games counted against him, and all points. Columns are headed by the first word of a label, its letter.
pub fn cross_table(standings: &Standings, labels: &[String]) -> Vec<Vec<String>> {
    let mut points: BTreeMap<(usize, usize), (f64, u64)> = BTreeMap::new();
    for meeting in &standings.meetings {
        let (total, games) = (meeting.summary.total.points(), meeting.summary.total.games());
        points.insert((meeting.first, meeting.second), (total, games));
        points.insert((meeting.second, meeting.first), (games as f64 - total, games));
    }
    let order: Vec<usize> = standings.table.iter().map(|row| row.player).collect();
    let label = |player: usize| labels.get(player).map_or("?", String::as_str);
    let mut head = vec!["player".to_owned()];
    head.extend(order.iter().map(|&player| label(player).split(' ').next().unwrap_or("?").to_owned()));
    head.push("points".to_owned());
    let mut rows = vec![head];
    for row in &standings.table {
        let mut cells = vec![label(row.player).to_owned()];
        cells.extend(order.iter().map(|&other| match points.get(&(row.player, other)) {
            Some((points, games)) => format!("{points}/{games}"),
            None if other == row.player => "·".to_owned(),
            None => "–".to_owned(),
        }));
        cells.push(format!("{}/{}", row.games.points(), row.games.games()));
        rows.push(cells);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::results::tournament_game;
    use crate::report::testing::summary;
    use crate::stats::standings::{RatingSettings, standings};
    use crate::stats::summary::Settings;

    #[test]
    fn every_player_has_a_row_and_a_column_in_the_order_of_ranks() {
        let games = [([0, 1], 1.0), ([1, 0], 0.5), ([2, 0], 1.0), ([0, 2], 0.0)];
        let games: Vec<_> = (0..)
            .zip(games)
            .map(|(number, (players, result))| tournament_game(&summary(number, players, result)))
            .collect();
        let ratings = RatingSettings { bootstrap_samples: 0, ..RatingSettings::default() };
        let standings = standings(3, &games, &Settings::default(), &ratings);
        let labels = ["A one", "B two", "C three"].map(str::to_owned);
        let expected = [
            ["player", "C", "A", "B", "points"],
            ["C three", "·", "2/2", "–", "2/2"],
            ["A one", "0/2", "·", "1.5/2", "1.5/4"],
            ["B two", "–", "0.5/2", "·", "0.5/2"],
        ];
        assert_eq!(cross_table(&standings, &labels), expected);
    }
}
