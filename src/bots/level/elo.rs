//! How strong a mean loss makes the search, in Elo, from matches (docs/levels.md).
//!
//! The table rests on the linear evaluation one turn ahead, which stays what it is whatever the program evaluates with
//! by default, and which needs no clock. Full strength in this sense is 2000 by definition.

use super::MOST_MEAN_LOSS;

/// Ratings with the mean losses that have them, the strongest first; straight lines between them.
const TABLE: [(u32, u32); 10] = [
    (2000, 0),
    (1970, 10),
    (1955, 20),
    (1910, 35),
    (1870, 50),
    (1805, 75),
    (1740, 100),
    (1680, 130),
    (1625, 160),
    (1580, MOST_MEAN_LOSS),
];

/// The highest rating that can be asked for.
pub const MOST_ELO: u32 = TABLE[0].0;

/// The lowest rating that can be asked for.
pub const LEAST_ELO: u32 = TABLE[TABLE.len() - 1].0;

/// The mean loss, in thousandths of equity, of a player with this rating; ratings beyond the table are the nearest in it.
pub(in crate::bots) fn mean_loss_of(elo: u32) -> u32 {
    let elo = elo.clamp(LEAST_ELO, MOST_ELO);
    let step = TABLE.windows(2).find(|step| elo >= step[1].0);
    step.map_or(MOST_MEAN_LOSS, |step| {
        let ((above, less), (below, more)) = (step[0], step[1]);
        // To the nearest.
        less + ((above - elo) * (more - less) * 2 + (above - below)) / ((above - below) * 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_met_and_the_way_between_is_even() {
        for (elo, mean_loss) in TABLE {
            assert_eq!(mean_loss_of(elo), mean_loss);
        }
        for elo in LEAST_ELO..MOST_ELO {
            assert!(mean_loss_of(elo) >= mean_loss_of(elo + 1), "{elo}");
        }
        assert_eq!((mean_loss_of(0), mean_loss_of(u32::MAX)), (MOST_MEAN_LOSS, 0));
    }
}
