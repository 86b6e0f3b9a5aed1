//! The bots by name.

use super::level::{self, MOST_ELO, Weakened, mean_loss_of};
use super::{Bot, BudgetedBot, CheckmateAware, MonteCarlo, OnePly, OnnxEval, OnnxExpectimax, Random, monte_carlo};
use crate::eval::network::{Network, SHIPPED};
use crate::eval::{EvalOutput, aggressive_score, greedy_score, greedy_v2_score};
use crate::rollout::{Rollout, RolloutSettings};
use crate::search::{Expectimax, ExpectimaxSettings};
use std::path::PathBuf;
use std::sync::Arc;

/// Every bot that can be chosen by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum BotKind {
    /// [`Expectimax`].
    #[default]
    Expectimax,
    /// [`MonteCarlo`].
    MonteCarlo,
    /// [`OnnxExpectimax`].
    OnnxExpectimax,
    /// [`OnnxEval`].
    OnnxEval,
    /// [`OnePly`] with [`aggressive_score`].
    Aggressive,
    /// [`OnePly`] with [`greedy_v2_score`].
    GreedyV2,
    /// [`OnePly`] with [`greedy_score`].
    Greedy,
    /// [`CheckmateAware`].
    CheckmateAware,
    /// [`Random`].
    Random,
    /// A book around [`Expectimax`]; [`BotConfig::own_book`] puts a book around any other.
    Book,
}

/// What a bot is built from. Each bot takes what concerns it.
#[derive(Clone, PartialEq, Debug)]
pub struct BotConfig {
    /// Which bot.
    pub kind: BotKind,
    /// The seed of its random choices.
    pub seed: u64,
    /// Whether to look into the opening book first.
    pub own_book: bool,
    /// The file of the opening book.
    pub book_file: Option<PathBuf>,
    /// Rollouts for each candidate of `monte-carlo` when nothing else limits them, at least 1.
    pub rollouts: u32,
    /// The parameters of `expectimax`.
    pub expectimax: ExpectimaxSettings,
    /// The model of the `onnx` bots, or another network for `expectimax`.
    pub eval_file: Option<PathBuf>,
    /// What the output of that model means.
    pub eval_output: EvalOutput,
    /// The mean loss of a decision of `expectimax` in thousandths of equity, by its own judgement; 0 is full strength, and
    /// more than [`MOST_MEAN_LOSS`](super::MOST_MEAN_LOSS) is that.
    pub mean_loss: u32,
    /// Whether `expectimax` plays with the strength of `elo`: one turn ahead by the linear evaluation, whatever its
    /// parameters, the files and `mean_loss` say.
    pub limit_strength: bool,
    /// The rating for that, [`LEAST_ELO`](super::LEAST_ELO)..=[`MOST_ELO`](super::MOST_ELO).
    pub elo: u32,
}

impl Default for BotConfig {
    fn default() -> Self {
        Self {
            kind: BotKind::default(),
            seed: 0,
            own_book: false,
            book_file: None,
            rollouts: monte_carlo::DEFAULT_ROLLOUTS,
            expectimax: ExpectimaxSettings::default(),
            eval_file: None,
            eval_output: EvalOutput::default(),
            mean_loss: 0,
            limit_strength: false,
            elo: MOST_ELO,
        }
    }
}

ids! {
    BotKind, UnknownBot, "bot":
    Expectimax = "expectimax",
    MonteCarlo = "monte-carlo",
    OnnxExpectimax = "onnx-expectimax",
    OnnxEval = "onnx-eval",
    Aggressive = "aggressive",
    GreedyV2 = "greedy-v2",
    Greedy = "greedy",
    CheckmateAware = "checkmate-aware",
    Random = "random",
    Book = "book",
}

impl BotConfig {
    /// The default configuration of that bot, with this seed.
    pub fn of(kind: BotKind, seed: u64) -> Self {
        Self { kind, seed, ..Self::default() }
    }

    /// Builds the bot. Files that it needs are read now; what is wrong with them it reports with its first answer.
    pub fn build(&self) -> Bot {
        let bot = self.build_without_book();
        if self.own_book || self.kind == BotKind::Book {
            bot.with_book_of(self.book_file.as_deref(), self.seed)
        } else {
            bot
        }
    }

    /// The parameters of the search: who plays weaker does not look so far.
    fn settings(&self) -> ExpectimaxSettings {
        let most = if self.mean_loss > 0 { level::MOST_DEPTH } else { u32::MAX };
        ExpectimaxSettings { max_depth: self.expectimax.max_depth.min(most), ..self.expectimax }
    }

    /// The bot, weaker if that mean loss is above 0.
    fn weakened(&self, bot: impl BudgetedBot + 'static, mean_loss: u32) -> Bot {
        match mean_loss {
            0 => Bot::budgeted(bot),
            mean_loss => Bot::budgeted(Weakened::new(bot, self.seed, mean_loss)),
        }
    }

    /// `expectimax` with the strength of the rating: by what the table of ratings was measured with.
    fn rated(&self) -> Bot {
        let ExpectimaxSettings { threads, hash, .. } = self.expectimax;
        let settings = ExpectimaxSettings { threads, hash, max_depth: 1, ..ExpectimaxSettings::linear() };
        self.weakened(Expectimax::new(settings), mean_loss_of(self.elo))
    }

    /// `expectimax`, with the network of the file if one is named; what became of that is reported with the first search.
    fn expectimax(&self) -> Expectimax {
        let (network, remark) = self.network();
        let mut bot = Expectimax::with_network(self.settings(), network);
        remark.into_iter().for_each(|remark| bot.announce(remark));
        bot
    }

    /// The network to play by, and what is to be said of it if a file is named.
    fn network(&self) -> (Arc<Network>, Option<String>) {
        let Some(file) = &self.eval_file else { return (SHIPPED.clone(), None) };
        match Network::load(file) {
            Ok(network) => {
                let remark = format!("{} file {}", network.name(), file.display());
                (Arc::new(network), Some(remark))
            }
            Err(error) => {
                let remark = format!("error network {}: {error}; the built-in network plays", file.display());
                (SHIPPED.clone(), Some(remark))
            }
        }
    }

    /// A rollout by the parameters and the network of `expectimax`, and what is to be said of the file that is named. To the
    /// `onnx` bots that file is a model, so that with them the built-in network plays.
    pub fn rollout(&self, settings: RolloutSettings) -> (Rollout, Option<String>) {
        let rollout = Rollout::new(self.seed, settings, self.expectimax);
        match self.kind {
            BotKind::OnnxExpectimax | BotKind::OnnxEval => (rollout, None),
            _ => {
                let (network, remark) = self.network();
                (rollout.with_network(network), remark)
            }
        }
    }

    fn build_without_book(&self) -> Bot {
        let (model, output) = (self.eval_file.as_deref(), self.eval_output);
        match self.kind {
            BotKind::Expectimax | BotKind::Book if self.limit_strength => self.rated(),
            BotKind::Expectimax | BotKind::Book => self.weakened(self.expectimax(), self.mean_loss),
            BotKind::MonteCarlo => Bot::budgeted(MonteCarlo::new(self.seed, self.rollouts)),
            BotKind::OnnxExpectimax => {
                self.weakened(OnnxExpectimax::new(self.settings(), model, output), self.mean_loss)
            }
            BotKind::OnnxEval => Bot::budgeted(OnnxEval::new(model, output)),
            BotKind::Aggressive => Bot::instant(OnePly::new(self.seed, aggressive_score)),
            BotKind::GreedyV2 => Bot::instant(OnePly::new(self.seed, greedy_v2_score)),
            BotKind::Greedy => Bot::instant(OnePly::new(self.seed, greedy_score)),
            BotKind::CheckmateAware => Bot::instant(CheckmateAware::new(self.seed)),
            BotKind::Random => Bot::instant(Random::new(self.seed)),
        }
    }
}
