//! `astragal quiz`.

use super::Done;
use super::output::{Output, json_line};
use super::source::{MOST_REVIEW_BYTES, Source, next_line};
use crate::board::Rolled;
use crate::record::escaped;
use crate::report::{DecisionJson, ReviewLine, SCHEMA, board_text};
use crate::review::{Analyser, Mark};
use crate::rules::{Roll, Turn, TurnEnd, apply_roll, below};
use clap::Args;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Asks for the best turn in positions where a review found a mistake.
#[derive(Args)]
pub(super) struct Quiz {
    /// Reviews as `astragal review --json` writes them.
    #[arg(required = true)]
    reviews: Vec<PathBuf>,
    /// Questions.
    #[arg(long, default_value_t = 10)]
    count: usize,
    /// Only mistakes that lost as much, in equity.
    #[arg(long, default_value_t = 0.06, value_parser = least)]
    least: f64,
    /// The seed of the order of the questions.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// A file that keeps the answers; what was answered well is not asked again.
    #[arg(long)]
    score: Option<PathBuf>,
    /// Ask everything, also what was answered well before.
    #[arg(long, requires = "score")]
    again: bool,
}

fn least(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|value| (0.0..=2.0).contains(value))
        .ok_or_else(|| "say an equity from 0 to 2".to_owned())
}

/// More than anybody writes as a turn.
const MOST_ANSWER_BYTES: usize = 4096;

/// More questions than this are not held.
const MOST_QUESTIONS: usize = 100_000;

/// From which depth on not every turn has a value.
const MOST_DEPTH: u32 = 2;

/// Who answers so well is right.
const RIGHT_BELOW: f64 = 0.001;

/// A position where a mistake was made.
struct Question {
    rolled: Rolled,
    thrown: Option<String>,
    played: Turn,
    best: Turn,
    value: f64,
    best_value: f64,
    depth: u32,
    from: String,
}

/// A line of the score file.
#[derive(Serialize, Deserialize)]
struct Answer {
    /// The position.
    dfen: String,
    /// The answer.
    turn: String,
    /// What it lost.
    loss: f64,
    /// Whether it was as good as the best.
    right: bool,
}

/// Answers added up.
#[derive(Default)]
struct Score {
    asked: u64,
    right: u64,
    loss: f64,
}

impl Score {
    fn add(&mut self, answer: &Answer) {
        self.asked += 1;
        self.right += u64::from(answer.right);
        self.loss += answer.loss;
    }

    fn text(&self) -> String {
        let mean = 1000.0 * self.loss / self.asked.max(1) as f64;
        format!("{} of {} right, mean loss {mean:.1} thousandths", self.right, self.asked)
    }
}

impl Quiz {
    /// Asks on standard output and reads answers from standard input.
    pub(super) fn run(self) -> Result<Done, String> {
        let (mut all_time, mut known) = self.kept()?;
        if self.again {
            known.clear();
        }
        let (mut questions, bad) = self.questions(&known)?;
        let done = if bad == 0 { Done::All } else { Done::Partly };
        let mut output = Output::new();
        if questions.is_empty() {
            output.write("no question: no mistake of that size, or all were answered well\n")?;
            return Ok(done);
        }
        let mut file = None;
        if let Some(path) = &self.score {
            let opened = OpenOptions::new().create(true).append(true).open(path);
            file = Some(opened.map_err(|error| format!("{}: {error}", path.display()))?);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        for at in (1..questions.len()).rev() {
            questions.swap(at, below(&mut rng, at as u64 + 1) as usize);
        }
        questions.truncate(self.count);
        let mut score = Score::default();
        let mut input = std::io::stdin().lock();
        let count = questions.len();
        for (number, question) in (1..).zip(&questions) {
            output.write(&format!("question {number} of {count}, from {}\n{}", question.from, question.shown()))?;
            let Some(turn) = ask(question, &mut input, &mut output)? else { break };
            let answer = question.judge(turn);
            score.add(&answer);
            all_time.add(&answer);
            output.write(&question.answer(&answer))?;
            if let Some(file) = &mut file {
                let line = json_line(&answer)?;
                file.write_all(line.as_bytes()).map_err(|error| format!("the score cannot be kept: {error}"))?;
            }
        }
        output.write(&format!("{}\n", score.text()))?;
        if file.is_some() {
            output.write(&format!("all together: {}\n", all_time.text()))?;
        }
        Ok(done)
    }

    /// What the score file holds, and which positions were answered well.
    fn kept(&self) -> Result<(Score, BTreeSet<String>), String> {
        let (mut score, mut known) = (Score::default(), BTreeSet::new());
        let Some(path) = self.score.as_deref().filter(|path| path.exists()) else { return Ok((score, known)) };
        let mut source = Source::open(path)?;
        let name = source.name.clone();
        let mut line = 0;
        while let Some(text) = next_line(&mut source, MOST_ANSWER_BYTES).map_err(|error| format!("{name}: {error}"))? {
            line += 1;
            let answer = text.ok().and_then(|text| serde_json::from_str::<Answer>(&text).ok());
            // Nothing is written to a file that is something else.
            let answer = answer.ok_or_else(|| format!("{name}: line {line} is no answer; this is no score file"))?;
            score.add(&answer);
            if answer.right {
                known.insert(answer.dfen);
            }
        }
        Ok((score, known))
    }

    /// The mistakes of all reviews, each position once, and the number of lines and turns that cannot be used.
    fn questions(&self, known: &BTreeSet<String>) -> Result<(Vec<Question>, u64), String> {
        let (mut questions, mut seen, mut count) = (Vec::new(), known.clone(), 0);
        for path in &self.reviews {
            let mut source = Source::open(path)?;
            let name = source.name.clone();
            let (mut line, mut sound) = (0, false);
            while let Some(text) =
                next_line(&mut source, MOST_REVIEW_BYTES).map_err(|error| format!("{name}: {error}"))?
            {
                line += 1;
                let mut bad = |what: &str| {
                    eprintln!("astragal: {name}: line {line}: {}", escaped(what, 200));
                    count += 1;
                };
                let game = match text.map(|text| serde_json::from_str::<ReviewLine>(&text)) {
                    Ok(Ok(ReviewLine::Game(game))) if game.schema == SCHEMA => game,
                    Ok(Ok(ReviewLine::Game(game))) => {
                        bad(&format!("schema {}, and {SCHEMA} can be read", game.schema));
                        continue;
                    }
                    Ok(Ok(ReviewLine::Players { .. })) => continue,
                    // What begins with something else is something else.
                    Ok(Err(error)) if !sound => {
                        let what = escaped(&error.to_string(), 200);
                        return Err(format!("{name}: no review as `astragal review --json` writes it: {what}"));
                    }
                    Ok(Err(error)) => {
                        bad(&format!("no review: {error}"));
                        continue;
                    }
                    Err(length) => {
                        bad(&format!("{length} bytes are too many"));
                        continue;
                    }
                };
                sound = true;
                let names = format!("{} – {}", escaped(&game.white, 24), escaped(&game.black, 24));
                for turn in &game.turns {
                    let Some(decision) = turn.decision.as_ref().filter(|decision| self.is_wanted(decision)) else {
                        continue;
                    };
                    let from = format!("{names}, ply {}", turn.ply);
                    let Some(question) = Question::of(&turn.dfen, turn.thrown.as_deref(), decision, from) else {
                        bad(&format!("ply {}: a position or turn that cannot be", turn.ply));
                        continue;
                    };
                    if questions.len() < MOST_QUESTIONS && seen.insert(question.rolled.to_string()) {
                        questions.push(question);
                    }
                }
            }
        }
        Ok((questions, count))
    }

    fn is_wanted(&self, decision: &DecisionJson) -> bool {
        !decision.forced && decision.loss > 0.0 && decision.loss >= self.least
    }
}

/// Reads a legal turn; none when there are no more answers.
fn ask(question: &Question, input: &mut impl BufRead, output: &mut Output) -> Result<Option<Turn>, String> {
    loop {
        output.write("your turn (micro-moves joined by commas, or quit): ")?;
        let line = next_line(input, MOST_ANSWER_BYTES).map_err(|error| format!("standard input: {error}"))?;
        let text = match line {
            None => {
                output.write("\n")?;
                return Ok(None);
            }
            Some(Ok(text)) => text,
            Some(Err(_)) => String::new(),
        };
        let text = text.trim();
        if matches!(text, "quit" | "q" | "exit") {
            return Ok(None);
        }
        let turn = text.replace(' ', ",").parse::<Turn>().map_err(|error| error.to_string());
        match turn.and_then(|turn| apply_roll(&question.rolled, turn).map(|_| turn).map_err(|error| error.to_string()))
        {
            Ok(turn) => return Ok(Some(turn)),
            Err(error) => output.write(&format!("{}\n", escaped(&error, 200)))?,
        }
    }
}

impl Question {
    fn of(dfen: &str, thrown: Option<&str>, decision: &DecisionJson, from: String) -> Option<Self> {
        let rolled = Rolled::from_dfen(dfen).ok().filter(|rolled| Roll::from_dice(rolled.dice).is_some())?;
        let turn = |text: &str| text.parse::<Turn>().ok().filter(|&turn| apply_roll(&rolled, turn).is_ok());
        let finite = decision.value.is_finite() && decision.best_value.is_finite();
        Some(Self {
            rolled,
            thrown: thrown.filter(|thrown| crate::board::Dice::parse(thrown) == Ok(rolled.dice)).map(str::to_owned),
            played: turn(&decision.turn)?,
            best: turn(&decision.best).filter(|_| finite)?,
            value: decision.value,
            best_value: decision.best_value,
            depth: decision.depth.clamp(1, MOST_DEPTH),
            from,
        })
    }

    fn shown(&self) -> String {
        let dice = self.thrown.clone().unwrap_or_else(|| self.rolled.dice.to_string());
        let position = &self.rolled.position;
        format!("{}{}\n{} to move, roll {dice}\n", board_text(position), self.rolled, position.side())
    }

    /// Whether both turns come to the same.
    fn is_same(&self, one: Turn, other: Turn) -> bool {
        match (apply_roll(&self.rolled, one), apply_roll(&self.rolled, other)) {
            (Ok(TurnEnd::Position(one)), Ok(TurnEnd::Position(other))) => one.key() == other.key(),
            (Ok(TurnEnd::KingCaptured), Ok(TurnEnd::KingCaptured)) => true,
            _ => false,
        }
    }

    fn judge(&self, turn: Turn) -> Answer {
        let loss = if self.is_same(turn, self.best) {
            0.0
        } else if self.is_same(turn, self.played) {
            (self.best_value - self.value).max(0.0)
        } else {
            // By a search of its own, both turns valued alike.
            let mut analyser = Analyser::new(self.depth, 1, 1);
            let mut value = |turn| analyser.value(&self.rolled, turn);
            // Both are legal, so there are values.
            value(self.best).zip(value(turn)).map_or(0.0, |(best, value)| (best - value).max(0.0))
        };
        Answer { dfen: self.rolled.to_string(), turn: turn.to_string(), loss, right: loss < RIGHT_BELOW }
    }

    fn answer(&self, answer: &Answer) -> String {
        let mark = Mark::of(answer.loss).map_or(String::new(), |mark| format!(" {mark}"));
        let verdict = if answer.right { "right".to_owned() } else { format!("it loses {:.3}{mark}", answer.loss) };
        format!(
            "{verdict}\n  best   {:<17} {:+.3}\n  played {:<17} {:+.3}, lost {:.3}\n  your   {:<17}\n\n",
            self.best.to_string(),
            self.best_value,
            self.played.to_string(),
            self.value,
            (self.best_value - self.value).max(0.0),
            answer.turn
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(turn: &str, best: &str) -> DecisionJson {
        serde_json::from_value(serde_json::json!({
            "turn": turn, "best": best, "value": 0.2, "best_value": 1.0, "loss": 0.8, "mark": "??", "depth": 2,
            "turns": 9, "outcomes": 9, "forced": false, "revaluation": 0.0,
            "danger": {"before": 0, "after": 0, "best": 0}, "captured": false, "missed_capture": true, "rollout": null,
        }))
        .expect("sound")
    }

    const DFEN: &str = "7k/8/8/8/8/8/8/K6R w - - 0 1 RKK";

    #[test]
    fn an_answer_is_judged_by_where_it_leads() {
        let question = Question::of(DFEN, None, &decision("h1g1,a1a2,a2a1", "h1h8"), String::new()).expect("sound");
        let judge = |turn: &str| question.judge(turn.parse().expect("a turn"));
        assert!(judge("h1h8").right && judge("a1a2,h1h8").right);
        // The same position by another order of micro-moves.
        assert!((judge("a1a2,a2a1,h1g1").loss - 0.8).abs() < 1e-12);
        let other = judge("a1a2,a2a3,h1g1");
        assert!(!other.right && other.loss > 0.0);
    }

    #[test]
    fn a_position_or_turn_that_cannot_be_is_no_question() {
        let of = |dfen: &str, turn: &str, best: &str| Question::of(dfen, None, &decision(turn, best), String::new());
        assert!(of(DFEN, "h1g1,a1a2,a2a1", "h1h8").is_some());
        assert!(of("7k/8/8/8/8/8/8/K6R w - - 0 1 -", "h1g1", "h1h8").is_none());
        assert!(of(DFEN, "h1g1,a1a2,a2a1", "a1a8").is_none());
        assert!(of(DFEN, "<script>", "h1h8").is_none());
        assert!(of("\u{1b}", "h1g1", "h1h8").is_none());
    }
}
