//! Draws and resigning.

use serde::Deserialize;

/// What the engine thinks of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outlook {
    /// Its last score in centipawns, from our side; none if it has not told one.
    pub score: Option<i64>,
    /// Our turns in a row with a score near zero.
    pub even_turns: u32,
    /// Our turns in a row with a lost score.
    pub lost_turns: u32,
    /// Our turns so far.
    pub turns: u32,
}

impl Outlook {
    /// Another turn with this score.
    pub fn add(&mut self, score: Option<i64>, draws: &DrawRules, resign: &ResignRules) {
        self.turns = self.turns.saturating_add(1);
        self.score = score;
        let count = |so_far: u32, holds: bool| if holds { so_far.saturating_add(1) } else { 0 };
        self.even_turns = count(self.even_turns, score.is_some_and(|score| score.abs() <= draws.offer_within));
        self.lost_turns = count(self.lost_turns, score.is_some_and(|score| score <= -resign.below.abs()));
    }
}

/// When draws are offered and accepted. All scores in centipawns from our side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DrawRules {
    /// Whether draws are offered.
    pub offer: bool,
    /// With a score of at most this either way.
    pub offer_within: i64,
    /// For so many own turns in a row.
    pub offer_turns: u32,
    /// Not before this own turn.
    pub offer_after: u32,
    /// Whether draws are accepted.
    pub accept: bool,
    /// With a score of at most this.
    pub accept_below: i64,
    /// Not before this own turn.
    pub accept_after: u32,
    /// Never with a score better than this.
    pub never_above: i64,
}

impl Default for DrawRules {
    fn default() -> Self {
        Self {
            offer: false,
            offer_within: 20,
            offer_turns: 10,
            offer_after: 40,
            accept: true,
            accept_below: 0,
            accept_after: 10,
            never_above: 50,
        }
    }
}

impl DrawRules {
    /// Whether an offer is accepted. Without a score it is not.
    pub fn accepts(&self, outlook: &Outlook) -> bool {
        self.accept
            && outlook.turns >= self.accept_after
            && outlook.score.is_some_and(|score| score <= self.accept_below && score <= self.never_above)
    }

    /// Whether an offer goes out with this turn.
    pub fn offers(&self, outlook: &Outlook) -> bool {
        self.offer && outlook.turns >= self.offer_after && outlook.even_turns >= self.offer_turns.max(1)
    }
}

/// When a game is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResignRules {
    /// Whether games are given up at all.
    pub enabled: bool,
    /// At least so many centipawns behind.
    pub below: i64,
    /// For so many own turns in a row.
    pub turns: u32,
}

impl Default for ResignRules {
    fn default() -> Self {
        Self { enabled: false, below: 2000, turns: 5 }
    }
}

impl ResignRules {
    /// Whether the game is given up now.
    pub fn resigns(&self, outlook: &Outlook) -> bool {
        self.enabled && outlook.lost_turns >= self.turns.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_are_off_and_a_better_side_never_accepts() {
        let rules = DrawRules::default();
        let resign = ResignRules::default();
        let mut outlook = Outlook::default();
        assert!(!rules.accepts(&outlook) && !rules.offers(&outlook), "nothing is known");
        (0..60).for_each(|_| outlook.add(Some(0), &rules, &resign));
        assert!(rules.accepts(&outlook) && !rules.offers(&outlook) && !resign.resigns(&outlook));
        assert!(DrawRules { offer: true, ..rules }.offers(&outlook));
        outlook.add(Some(60), &rules, &resign);
        let greedy = DrawRules { accept_below: 1000, offer: true, ..rules };
        assert!(!greedy.accepts(&outlook) && !greedy.offers(&outlook));
        outlook.add(None, &rules, &resign);
        assert!(!rules.accepts(&outlook), "no score, no draw");
    }

    #[test]
    fn resigning_takes_turns_in_a_row() {
        let rules = ResignRules { enabled: true, below: 500, turns: 3 };
        let mut outlook = Outlook::default();
        for (score, resigns) in
            [(-600, false), (-600, false), (-400, false), (-500, false), (-900, false), (-501, true)]
        {
            outlook.add(Some(score), &DrawRules::default(), &rules);
            assert_eq!(rules.resigns(&outlook), resigns);
        }
    }
}
