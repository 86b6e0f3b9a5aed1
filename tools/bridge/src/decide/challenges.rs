//! Which challenges are accepted.

use crate::api::{Challenge, TimeControl};
use serde::{Deserialize, Deserializer};

/// What may be rated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatedRule {
    /// Both.
    #[default]
    Any,
    /// Rated games only.
    Rated,
    /// Casual games only.
    Casual,
}

/// A name, `team/name`, in which `*` stands for anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    team: String,
    name: String,
}

impl Pattern {
    /// Reads `team/name`.
    ///
    /// # Errors
    /// There is no slash, or more than one.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((team, name)) if !team.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self { team: team.to_owned(), name: name.to_owned() })
            }
            _ => Err(format!("'{}' is no team/name", text.escape_default())),
        }
    }

    /// Whether this bot is meant.
    pub fn suits(&self, team: &str, name: &str) -> bool {
        (self.team == "*" || self.team == team) && (self.name == "*" || self.name == name)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

/// Which challenges are accepted.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChallengeRules {
    /// Whether any are.
    pub accept: bool,
    /// Kinds of time control: `fischer`, `sudden-death`, `per-move`, `unlimited`.
    pub kinds: Vec<String>,
    /// The least seconds at the start, or of a turn.
    pub initial_min: i64,
    /// The most.
    pub initial_max: i64,
    /// The least seconds of increment.
    pub increment_min: i64,
    /// The most.
    pub increment_max: i64,
    /// Rated, casual or both.
    pub rated: RatedRule,
    /// Whose are accepted; everybody's if it is empty.
    pub allow: Vec<Pattern>,
    /// Whose are not.
    pub block: Vec<Pattern>,
    /// Games at a time against one opponent.
    pub most_against_one: usize,
}

impl Default for ChallengeRules {
    fn default() -> Self {
        Self {
            accept: true,
            kinds: ["fischer", "sudden-death", "per-move"].map(str::to_owned).into(),
            initial_min: 2,
            initial_max: 3600,
            increment_min: 0,
            increment_max: 180,
            rated: RatedRule::Any,
            allow: Vec::new(),
            block: Vec::new(),
            most_against_one: 1,
        }
    }
}

/// What becomes of a challenge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is accepted.
    Accept,
    /// It is declined, for this reason.
    Decline(String),
    /// It waits: there is no place now.
    Later,
}

impl ChallengeRules {
    /// What becomes of a challenge: `against` is the number of games that go on against its author, `free` of places.
    pub fn answer(&self, challenge: &Challenge, against: usize, free: usize) -> Answer {
        let no = |why: &str| Answer::Decline(why.to_owned());
        if !self.accept {
            return no("challenges are not accepted");
        }
        let Some((team, name)) = &challenge.challenger else {
            return if self.allow.is_empty() { self.by_time(challenge, free) } else { no("not among those allowed") };
        };
        if self.block.iter().any(|pattern| pattern.suits(team, name)) {
            return no("blocked");
        }
        if !self.allow.is_empty() && !self.allow.iter().any(|pattern| pattern.suits(team, name)) {
            return no("not among those allowed");
        }
        if against >= self.most_against_one {
            return no("enough games against this opponent");
        }
        self.by_time(challenge, free)
    }

    fn by_time(&self, challenge: &Challenge, free: usize) -> Answer {
        let control = challenge.time_control.clone().unwrap_or(TimeControl::Unlimited);
        let no = |why: &str| Answer::Decline(format!("{why}: {control}"));
        if !self.kinds.iter().any(|kind| kind == control.kind()) {
            return no("not this kind of time control");
        }
        if control.initial().is_some_and(|initial| initial <= 0) || control.increment() < 0 {
            return no("a time control without time");
        }
        if control.initial().is_some_and(|initial| !(self.initial_min..=self.initial_max).contains(&initial)) {
            return no("too short or too long");
        }
        if matches!(control, TimeControl::Fischer { .. })
            && !(self.increment_min..=self.increment_max).contains(&control.increment())
        {
            return no("too small or too large an increment");
        }
        match (self.rated, challenge.rated) {
            (RatedRule::Rated, Some(false)) => return no("rated games only"),
            (RatedRule::Casual, Some(true)) => return no("casual games only"),
            _ => {}
        }
        if free == 0 { Answer::Later } else { Answer::Accept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(control: &str, rated: Option<bool>) -> Challenge {
        Challenge {
            id: "challenge-0".to_owned(),
            challenger: Some(("knights".to_owned(), "rival".to_owned())),
            target: None,
            time_control: (!control.is_empty())
                .then(|| serde_json::from_str(control).unwrap_or_else(|_| control.parse().expect("a control"))),
            rated,
            target_online: None,
        }
    }

    #[test]
    fn nonsense_and_strangers_are_declined() {
        let rules = ChallengeRules { block: vec![Pattern::parse("bad/*").expect("a pattern")], ..Default::default() };
        let declined = |challenge: &Challenge| matches!(rules.answer(challenge, 0, 1), Answer::Decline(_));
        assert_eq!(rules.answer(&challenge("300+3", None), 0, 1), Answer::Accept);
        assert_eq!(rules.answer(&challenge("300+3", None), 0, 0), Answer::Later);
        assert!(matches!(rules.answer(&challenge("300+3", None), 1, 1), Answer::Decline(_)));
        for control in [
            r#"{"Fischer":{"initialSeconds":-1,"incrementSeconds":1}}"#,
            r#"{"Fischer":{"initialSeconds":60,"incrementSeconds":-1}}"#,
            r#"{"PerMove":{"secondsPerMove":0}}"#,
            r#"{"Hourglass":{}}"#,
            "unlimited",
            "",
            "99999+3",
            "300+999",
            "1",
        ] {
            assert!(declined(&challenge(control, None)), "{control}");
        }
        let mut bad = challenge("300+3", None);
        bad.challenger = Some(("bad".to_owned(), "x".to_owned()));
        assert!(declined(&bad));
    }

    #[test]
    fn rules_are_followed() {
        let allow = vec![Pattern::parse("knights/rival").expect("a pattern")];
        let rules = ChallengeRules { rated: RatedRule::Rated, allow, ..Default::default() };
        assert_eq!(rules.answer(&challenge("300+3", Some(true)), 0, 1), Answer::Accept);
        assert_eq!(rules.answer(&challenge("300+3", None), 0, 1), Answer::Accept, "an old server does not say");
        assert!(matches!(rules.answer(&challenge("300+3", Some(false)), 0, 1), Answer::Decline(_)));
        let mut other = challenge("300+3", Some(true));
        other.challenger = Some(("knights".to_owned(), "other".to_owned()));
        assert!(matches!(rules.answer(&other, 0, 1), Answer::Decline(_)));
        let off = ChallengeRules { accept: false, ..Default::default() };
        assert!(matches!(off.answer(&challenge("300+3", None), 0, 1), Answer::Decline(_)));
        assert!(Pattern::parse("x").is_err() && Pattern::parse("a/b/c").is_err() && Pattern::parse("/b").is_err());
    }
}
