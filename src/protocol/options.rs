//! The options, each declared once.

use super::excerpt;
use super::memory::HashError;
use crate::bots::{BotConfig, BotKind, LEAST_ELO, MOST_ELO, MOST_MEAN_LOSS};
use crate::eval::{BuiltinEvaluator, EvalOutput};
use crate::search::{MOST_DEPTH, PreRanker};
use crate::time::{Overhead, TimePolicy, TimeRules, TimeUse};
use std::fmt::Write;
use std::path::PathBuf;
use thiserror::Error;

/// The values in force, for a session or for a caller in process.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The bot, with all that it is built from.
    pub bot: BotConfig,
    /// How a clock is shared out over the turns.
    pub time_policy: TimePolicy,
    /// What is made of a turn's share.
    pub time_use: TimeUse,
    /// Time kept back for the latency of the answer, in milliseconds.
    pub move_overhead: u64,
    /// Whether a measured overhead takes the place of `move_overhead`, once there is one. Only a session measures.
    pub auto_overhead: bool,
    /// The measured overhead in milliseconds, once there is one. No option: a session fills it in.
    pub measured_overhead: Option<u64>,
    /// How many of the best turns are reported, 1..=500.
    pub multi_pv: usize,
    /// Whether scores come with wins, draws and losses.
    pub show_wdl: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bot: BotConfig::default(),
            time_policy: TimePolicy::default(),
            time_use: TimeUse::default(),
            move_overhead: 50,
            auto_overhead: false,
            measured_overhead: None,
            multi_pv: 1,
            show_wdl: false,
        }
    }
}

/// Why an option is not set. Values are cut to 40 characters.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum OptionError {
    /// No name was given.
    #[error("no name; say setoption name <name> [value <value>]")]
    NoName,
    /// There is no option of that name.
    #[error("no option '{}'", .0.escape_default())]
    Unknown(String),
    /// Not a whole number in the range.
    #[error("'{}' is no whole number from {min} to {max}", .value.escape_default())]
    Spin {
        /// What was given.
        value: String,
        /// The smallest number allowed.
        min: i64,
        /// The largest number allowed.
        max: i64,
    },
    /// Neither `true` nor `false`.
    #[error("'{}' is neither true nor false", .0.escape_default())]
    Check(String),
    /// There is not so much memory.
    #[error("{0}")]
    Hash(#[from] HashError),
    /// None of the choices.
    #[error("'{}' is none of {known}", .value.escape_default())]
    Combo {
        /// What was given.
        value: String,
        /// The choices, joined by commas.
        known: String,
    },
}

/// What an option may be set to, and what setting it does.
enum Kind {
    Check {
        get: fn(&Options) -> bool,
        set: fn(&mut Options, bool),
    },
    Spin {
        min: i64,
        max: i64,
        get: fn(&Options) -> i64,
        set: fn(&mut Options, i64),
    },
    Combo {
        known: fn() -> Vec<&'static str>,
        get: fn(&Options) -> &'static str,
        set: fn(&mut Options, &str) -> bool,
    },
    /// The name of a file; none if empty, or `<empty>` as UCI writes it. The default is none.
    File {
        set: fn(&mut Options, Option<PathBuf>),
    },
}

/// How UCI writes an empty string.
const EMPTY: &str = "<empty>";

struct Declared {
    name: &'static str,
    kind: Kind,
}

const fn spin(
    name: &'static str,
    (min, max): (i64, i64),
    get: fn(&Options) -> i64,
    set: fn(&mut Options, i64),
) -> Declared {
    Declared { name, kind: Kind::Spin { min, max, get, set } }
}

/// Sets a value that is looked up by name.
fn set_named<T: std::str::FromStr>(place: &mut T, text: &str) -> bool {
    text.parse().map(|value| *place = value).is_ok()
}

const DECLARED: [Declared; 30] = [
    Declared {
        name: "Bot",
        kind: Kind::Combo {
            known: || BotKind::ALL.map(BotKind::id).to_vec(),
            get: |options| options.bot.kind.id(),
            set: |options, text| set_named(&mut options.bot.kind, text),
        },
    },
    Declared {
        name: "TimePolicy",
        kind: Kind::Combo {
            known: || TimePolicy::ALL.map(TimePolicy::id).to_vec(),
            get: |options| options.time_policy.id(),
            set: |options, text| set_named(&mut options.time_policy, text),
        },
    },
    Declared {
        name: "TimeUse",
        kind: Kind::Combo {
            known: || TimeUse::ALL.map(TimeUse::id).to_vec(),
            get: |options| options.time_use.id(),
            set: |options, text| set_named(&mut options.time_use, text),
        },
    },
    spin(
        "Move Overhead",
        (0, 60_000),
        |options| options.move_overhead as i64,
        |options, ms| options.move_overhead = ms.unsigned_abs(),
    ),
    Declared {
        name: "Auto Overhead",
        kind: Kind::Check { get: |options| options.auto_overhead, set: |options, on| options.auto_overhead = on },
    },
    spin(
        "Hash",
        (1, 65_536),
        |options| options.bot.expectimax.hash as i64,
        |options, mebibytes| options.bot.expectimax.hash = mebibytes.unsigned_abs() as usize,
    ),
    spin(
        "Threads",
        (1, 256),
        |options| options.bot.expectimax.threads as i64,
        |options, count| options.bot.expectimax.threads = count.unsigned_abs() as usize,
    ),
    spin(
        "Seed",
        (0, u32::MAX as i64),
        |options| options.bot.seed as i64,
        |options, seed| options.bot.seed = seed.unsigned_abs(),
    ),
    spin(
        "MultiPV",
        (1, 500),
        |options| options.multi_pv as i64,
        |options, count| options.multi_pv = count.unsigned_abs() as usize,
    ),
    spin(
        "Rollouts",
        (1, 1_000_000),
        |options| i64::from(options.bot.rollouts),
        |options, count| options.bot.rollouts = count.unsigned_abs() as u32,
    ),
    spin(
        "CandidateLimit",
        (0, 10_000),
        |options| options.bot.expectimax.candidate_limit as i64,
        |options, count| options.bot.expectimax.candidate_limit = count.unsigned_abs() as usize,
    ),
    Declared {
        name: "PreRanker",
        kind: Kind::Combo {
            known: || PreRanker::ALL.map(PreRanker::id).to_vec(),
            get: |options| options.bot.expectimax.pre_ranker.id(),
            set: |options, text| set_named(&mut options.bot.expectimax.pre_ranker, text),
        },
    },
    Declared {
        name: "LeafEval",
        kind: Kind::Combo {
            known: || BuiltinEvaluator::ALL.map(BuiltinEvaluator::id).to_vec(),
            get: |options| options.bot.expectimax.leaf.id(),
            set: |options, text| set_named(&mut options.bot.expectimax.leaf, text),
        },
    },
    spin(
        "RootBlend",
        (0, 100),
        |options| i64::from(options.bot.expectimax.root_blend),
        |options, percent| options.bot.expectimax.root_blend = percent.unsigned_abs() as u32,
    ),
    spin(
        "MaxDepth",
        (1, MOST_DEPTH as i64),
        |options| i64::from(options.bot.expectimax.max_depth),
        |options, depth| options.bot.expectimax.max_depth = depth.unsigned_abs() as u32,
    ),
    spin(
        "DeepCandidates",
        (1, 10_000),
        |options| options.bot.expectimax.techniques.filters.candidates as i64,
        |options, count| options.bot.expectimax.techniques.filters.candidates = count.unsigned_abs() as usize,
    ),
    // In thousandths of the equity.
    spin(
        "DeepThreshold",
        (0, 2000),
        |options| (options.bot.expectimax.techniques.filters.threshold * 1000.0).round() as i64,
        |options, share| options.bot.expectimax.techniques.filters.threshold = share as f64 / 1000.0,
    ),
    spin(
        "DeepReplies",
        (1, 10_000),
        |options| options.bot.expectimax.techniques.filters.replies as i64,
        |options, count| options.bot.expectimax.techniques.filters.replies = count.unsigned_abs() as usize,
    ),
    spin(
        "RollSubset",
        (0, 56),
        |options| options.bot.expectimax.techniques.roll_subset as i64,
        |options, count| options.bot.expectimax.techniques.roll_subset = count.unsigned_abs() as usize,
    ),
    Declared {
        name: "Star2",
        kind: Kind::Check {
            get: |options| options.bot.expectimax.techniques.probing,
            set: |options, on| options.bot.expectimax.techniques.probing = on,
        },
    },
    Declared {
        name: "TranspositionTable",
        kind: Kind::Check {
            get: |options| options.bot.expectimax.techniques.table,
            set: |options, on| options.bot.expectimax.techniques.table = on,
        },
    },
    spin(
        "MeanLoss",
        (0, MOST_MEAN_LOSS as i64),
        |options| i64::from(options.bot.mean_loss),
        |options, thousandths| options.bot.mean_loss = thousandths.unsigned_abs() as u32,
    ),
    Declared {
        name: "OwnBook",
        kind: Kind::Check { get: |options| options.bot.own_book, set: |options, on| options.bot.own_book = on },
    },
    Declared { name: "BookFile", kind: Kind::File { set: |options, file| options.bot.book_file = file } },
    Declared { name: "EvalFile", kind: Kind::File { set: |options, file| options.bot.eval_file = file } },
    Declared {
        name: "EvalOutput",
        kind: Kind::Combo {
            known: || EvalOutput::ALL.map(EvalOutput::id).to_vec(),
            get: |options| options.bot.eval_output.id(),
            set: |options, text| set_named(&mut options.bot.eval_output, text),
        },
    },
    Declared {
        name: "UCI_LimitStrength",
        kind: Kind::Check {
            get: |options| options.bot.limit_strength,
            set: |options, on| options.bot.limit_strength = on,
        },
    },
    spin(
        "UCI_Elo",
        (LEAST_ELO as i64, MOST_ELO as i64),
        |options| i64::from(options.bot.elo),
        |options, elo| options.bot.elo = elo.unsigned_abs() as u32,
    ),
    Declared {
        name: "UCI_ShowWDL",
        kind: Kind::Check { get: |options| options.show_wdl, set: |options, on| options.show_wdl = on },
    },
    Declared {
        name: "UCI_Variant",
        kind: Kind::Combo {
            known: || vec!["dicechess"],
            get: |_| "dicechess",
            set: |_, text| text.eq_ignore_ascii_case("dicechess"),
        },
    },
];

impl Options {
    /// How a player with these options deals with time.
    pub fn time_rules(&self) -> TimeRules {
        let measured = self.measured_overhead.filter(|_| self.auto_overhead);
        let overhead = match measured {
            Some(ms) => Overhead { ms, measured: true },
            None => Overhead::set(self.move_overhead),
        };
        TimeRules { policy: self.time_policy, time_use: self.time_use, overhead }
    }

    /// Sets an option by its name, without regard to case.
    ///
    /// # Errors
    /// There is no such option or the value is not allowed; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if name.is_empty() {
            return Err(OptionError::NoName);
        }
        let declared = DECLARED
            .iter()
            .find(|declared| declared.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(excerpt(name)))?;
        match &declared.kind {
            Kind::Check { set, .. } => match value.to_ascii_lowercase().as_str() {
                "true" => set(self, true),
                "false" => set(self, false),
                _ => return Err(OptionError::Check(excerpt(value))),
            },
            &Kind::Spin { min, max, set, .. } => match value.parse() {
                Ok(number) if (min..=max).contains(&number) => set(self, number),
                _ => return Err(OptionError::Spin { value: excerpt(value), min, max }),
            },
            Kind::File { set } => {
                set(self, if value.is_empty() || value == EMPTY { None } else { Some(PathBuf::from(value)) });
            }
            Kind::Combo { known, set, .. } => {
                if !set(self, value) {
                    return Err(OptionError::Combo { value: excerpt(value), known: known().join(", ") });
                }
            }
        }
        Ok(())
    }

    /// The `option` lines of the answer to `uci`, with the defaults.
    pub fn describe() -> Vec<String> {
        let defaults = Self::default();
        DECLARED
            .iter()
            .map(|declared| {
                let mut line = format!("option name {} type ", declared.name);
                // Writing to a string cannot fail.
                let _ = match &declared.kind {
                    Kind::Check { get, .. } => write!(line, "check default {}", get(&defaults)),
                    Kind::Spin { min, max, get, .. } => {
                        write!(line, "spin default {} min {min} max {max}", get(&defaults))
                    }
                    Kind::File { .. } => write!(line, "string default {EMPTY}"),
                    Kind::Combo { known, get, .. } => {
                        let vars: String = known().iter().map(|var| format!(" var {var}")).collect();
                        write!(line, "combo default {}{vars}", get(&defaults))
                    }
                };
                line
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_choices_are_found_in_any_case() {
        let mut options = Options::default();
        assert_eq!(options.set("move overhead", "120"), Ok(()));
        assert_eq!(options.set("BOT", "Greedy"), Ok(()));
        assert_eq!(options.set("timepolicy", "BASIC-v1"), Ok(()));
        assert_eq!(options.set("TimeUse", "Adaptive"), Ok(()));
        assert_eq!(options.set("UCI_ShowWDL", "True"), Ok(()));
        assert_eq!((options.move_overhead, options.bot.kind), (120, BotKind::Greedy));
        assert_eq!((options.time_policy, options.show_wdl), (TimePolicy::BasicV1, true));
        assert_eq!(options.time_use, TimeUse::Adaptive);
    }

    #[test]
    fn bad_values_change_nothing_and_say_what_is_allowed() {
        let mut options = Options::default();
        for (name, value, part) in [
            ("Ponder", "true", "no option"),
            ("", "", "no name"),
            ("Threads", "0", "from 1 to 256"),
            ("Move Overhead", "-1", "from 0 to 60000"),
            ("Move Overhead", "", "from 0"),
            ("Move Overhead", "99999999999999999999", "from 0"),
            ("TimeUse", "empirical-v1", "fixed, adaptive"),
            ("Bot", "stockfish", "expectimax, monte-carlo"),
            ("MeanLoss", "-1", "from 0 to 200"),
            ("MeanLoss", "201", "from 0 to 200"),
            ("UCI_LimitStrength", "yes", "neither"),
            ("UCI_Elo", "2001", "to 2000"),
            ("UCI_Elo", "0", "to 2000"),
            ("UCI_ShowWDL", "1", "neither"),
            ("UCI_Variant", "chess", "dicechess"),
        ] {
            let error = options.set(name, value).expect_err(name).to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
        assert_eq!(options, Options::default());
    }
}
