//! Which micro-moves can still be part of a legal turn, step by step.
//!
//! A turn is legal if it captures the king, or if it captures none and uses as many dice as any that captures none can use.
//! So a micro-move is offered if after it a capture of the king can still be reached, or the missing dice can still be used.

use crate::fail::Fail;
use astragal::board::{CastlingSide, Dice, MicroMove, PieceType, Rolled, Square};
use astragal::rules::{Turn, castling_moves, first_capturing_turn, micro_moves, most_dice};
use serde::Serialize;

/// Positions that are looked at to find dice of no use; what is not found out by then counts as useful.
const MOST_LOOKED_AT: usize = 2000;

/// A micro-move that can be played next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// Its text.
    #[serde(rename = "move")]
    pub text: String,
    from: String,
    to: String,
    /// The dice that it uses.
    dice: String,
    /// The piece that it takes, as in FEN.
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<char>,
    /// What a pawn becomes, in lower case.
    #[serde(skip_serializing_if = "Option::is_none")]
    promotion: Option<char>,
    #[serde(skip_serializing_if = "is_false")]
    castling: bool,
    /// Where the rook comes from in castling.
    #[serde(skip_serializing_if = "Option::is_none")]
    rook: Option<String>,
    /// Where the pawn stands that is taken in passing.
    #[serde(skip_serializing_if = "Option::is_none")]
    en_passant: Option<String>,
    /// Whether it takes the king.
    #[serde(skip_serializing_if = "is_false")]
    king: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A turn under way, and how it can go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Steps {
    dfen: String,
    played: Vec<String>,
    position: String,
    left: String,
    used: String,
    useless: String,
    /// How it can go on.
    pub steps: Vec<Step>,
    /// Whether it is a legal turn as it is.
    pub complete: bool,
    /// Why nothing can be played.
    pub pass: Option<&'static str>,
    turn: Option<String>,
    after: Option<String>,
    end: Option<&'static str>,
}

/// A micro-move that the pieces and the dice allow.
#[derive(Clone, Copy)]
struct Possible {
    mv: MicroMove,
    kind: PieceType,
    uses: Dice,
}

fn possible(here: &Rolled) -> Vec<Possible> {
    let mut found = Vec::new();
    for kind in here.dice.faces() {
        micro_moves(&here.position, kind, |mv| found.push(Possible { mv, kind, uses: Dice::NONE.with(kind) }));
    }
    let uses = Dice::NONE.with(PieceType::King).with(PieceType::Rook);
    if minus(here.dice, uses).is_some() {
        castling_moves(&here.position, |mv| found.push(Possible { mv, kind: PieceType::King, uses }));
    }
    found
}

fn minus(dice: Dice, uses: Dice) -> Option<Dice> {
    uses.iter().try_fold(dice, Dice::without)
}

/// The position after a micro-move that captures no king, with the dice that are left.
fn after(here: &Rolled, step: Possible) -> Option<Rolled> {
    let dice = minus(here.dice, step.uses)?;
    Some(Rolled { position: here.position.after(step.kind, step.mv), dice })
}

/// How it stands in the middle of a turn.
struct Walk {
    here: Rolled,
    /// Dice that must still be used where no king is captured.
    need: usize,
}

impl Walk {
    /// The micro-moves that can still be part of a legal turn, with how it stands after each; none if it takes the king.
    fn next(&self) -> Vec<(Possible, Option<Self>)> {
        let fits = |step: Possible| {
            if self.here.position.takes_king(step.mv) {
                return Some((step, None));
            }
            let here = after(&self.here, step)?;
            let need = self.need.checked_sub(step.uses.len())?;
            let fits = need == 0 || most_dice(&here) >= need || first_capturing_turn(&here).is_some();
            fits.then_some((step, Some(Self { here, need })))
        };
        possible(&self.here).into_iter().filter_map(fits).collect()
    }

    /// How many dice of each face some way to go on uses.
    fn useful(&self, budget: &mut usize) -> [usize; 6] {
        let all = PieceType::ALL.map(|face| self.here.dice.count(face));
        let mut most = [0; 6];
        // The count of all dice is reached only by a way that uses all of them.
        if self.need == self.here.dice.len() && most_dice(&self.here) == self.need {
            return all;
        }
        for (step, next) in self.next() {
            let Some(left) = budget.checked_sub(1) else { return all };
            *budget = left;
            let rest = next.map_or([0; 6], |next| next.useful(budget));
            for face in PieceType::ALL {
                let at = face.index();
                most[at] = most[at].max(step.uses.count(face) + rest[at]);
            }
            if most == all {
                break;
            }
        }
        most
    }
}

fn square(square: Square) -> String {
    square.to_string()
}

fn shown(here: &Rolled, step: Possible) -> Step {
    let (from, to) = (step.mv.from(), step.mv.to());
    let castling = step.uses.len() == 2;
    let side = here.position.side();
    let rook = CastlingSide::of(side).iter().find(|castling| castling.king_to == to).map(|side| square(side.rook_from));
    let taken = here.position.piece_at(to);
    let aside = step.kind == PieceType::Pawn && from.file() != to.file() && taken.is_none();
    let in_passing = aside.then(|| Square::at(to.file(), from.rank()));
    let taken = taken.or_else(|| here.position.piece_at(in_passing?));
    Step {
        text: step.mv.to_string(),
        from: square(from),
        to: square(to),
        dice: step.uses.to_string(),
        capture: taken.map(|(color, kind)| color.cased(kind.letter())),
        promotion: step.mv.promotion().map(|kind| kind.letter().to_ascii_lowercase()),
        castling,
        rook: rook.filter(|_| castling),
        en_passant: in_passing.map(square),
        king: here.position.takes_king(step.mv),
    }
}

fn letters(dice: Dice) -> String {
    if dice.is_empty() { String::new() } else { dice.to_string() }
}

/// How a turn can go on after these micro-moves.
///
/// # Errors
/// There are no dice, or the micro-moves cannot be part of a legal turn.
pub fn steps(rolled: &Rolled, played: &[String]) -> Result<Steps, Fail> {
    if rolled.dice.is_empty() {
        return Err(Fail::new("dice", "the position has no dice"));
    }
    let mut walk = Some(Walk { here: *rolled, need: most_dice(rolled) });
    let (mut turn, mut last, mut used) = (Turn::PASS, *rolled, Dice::NONE);
    for (number, text) in (1..).zip(played) {
        let mv = MicroMove::parse(text).map_err(|error| Fail::new("illegal", error))?;
        let next = walk.as_ref().map(Walk::next).unwrap_or_default();
        let found = next.into_iter().find(|(step, _)| step.mv == mv);
        let (step, next) = found.ok_or_else(|| {
            Fail::new("illegal", format!("{mv} (micro-move {number}) cannot be part of a legal turn here"))
        })?;
        turn = turn.then(mv);
        used = step.uses.iter().fold(used, Dice::with);
        // Where the king is taken, too: the page shows it.
        last = after(&last, step).unwrap_or(last);
        walk = next;
    }
    let mut answer = Steps {
        dfen: rolled.to_string(),
        played: played.to_vec(),
        position: last.to_string(),
        left: letters(last.dice),
        used: letters(used),
        useless: String::new(),
        steps: Vec::new(),
        complete: true,
        pass: None,
        turn: None,
        after: None,
        end: None,
    };
    match walk {
        None => answer.end = Some("king-capture"),
        Some(walk) => {
            let next = walk.next();
            let useful = walk.useful(&mut { MOST_LOOKED_AT });
            let useless = PieceType::ALL.iter().flat_map(|face| {
                let count = walk.here.dice.count(*face).saturating_sub(useful[face.index()]);
                std::iter::repeat_n(face.letter(), count)
            });
            answer.useless = useless.collect();
            answer.steps = next.into_iter().map(|(step, _)| shown(&walk.here, step)).collect();
            answer.pass = (played.is_empty() && answer.steps.is_empty()).then_some("no_move");
            answer.complete = walk.need == 0 && (!played.is_empty() || answer.steps.is_empty());
            if answer.complete {
                let after = walk.here.position.end_turn();
                answer.end = after.is_drawn().then_some("halfmove-clock");
                answer.after = Some(Rolled { position: after, dice: Dice::NONE }.to_string());
            }
        }
    }
    answer.turn = answer.complete.then(|| turn.to_string());
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::STARTPOS;
    use astragal::rules::{Roll, legal_turns};
    use std::collections::BTreeSet;

    fn rolled(dfen: &str) -> Rolled {
        Rolled::from_dfen(dfen).expect(dfen)
    }

    fn texts(steps: &Steps) -> Vec<&str> {
        steps.steps.iter().map(|step| step.text.as_str()).collect()
    }

    /// Every turn that step by step is offered, in ASCII order.
    fn offered(rolled: &Rolled, played: &mut Vec<String>, turns: &mut BTreeSet<String>) {
        let answer = steps(rolled, played).expect("what was offered is taken");
        assert!(answer.complete || !answer.steps.is_empty(), "{}: a dead end after {played:?}", rolled);
        if answer.complete && answer.pass.is_none() {
            turns.insert(answer.turn.expect("a complete turn has a text"));
        }
        for step in answer.steps {
            played.push(step.text);
            offered(rolled, played, turns);
            played.pop();
        }
    }

    #[test]
    fn what_is_offered_is_what_the_rules_have() {
        let positions = [
            STARTPOS,
            "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1",
            "4k3/1P6/8/8/8/8/6p1/4K3 w - - 0 1",
            "4k3/8/8/2pPpP2/8/8/8/4K3 w - c6e6 0 1",
            "k7/7R/8/8/8/8/8/K7 w - - 0 1",
            "7k/8/8/8/8/pp6/Pp6/KB6 w - - 0 1",
        ];
        for text in positions {
            let position = rolled(text).position;
            for roll in Roll::all().step_by(3) {
                let here = Rolled { position, dice: roll.dice() };
                let expected: BTreeSet<String> = legal_turns(&here).iter().map(ToString::to_string).collect();
                if expected.len() > 400 {
                    continue;
                }
                let mut found = BTreeSet::new();
                offered(&here, &mut Vec::new(), &mut found);
                assert_eq!(found, expected, "{here}");
            }
        }
    }

    #[test]
    fn castling_uses_two_dice_and_names_the_rook() {
        let answer = steps(&rolled("4k3/8/8/8/8/8/8/4K2R w K - 0 1 RKP"), &[]).expect("dice");
        let castling = answer.steps.iter().find(|step| step.castling).expect("it is possible");
        assert_eq!((castling.text.as_str(), castling.dice.as_str()), ("e1g1", "RK"));
        assert_eq!(castling.rook.as_deref(), Some("h1"));
        assert_eq!(answer.useless, "P", "there is no pawn");
        let answer = steps(&rolled("4k3/8/8/8/8/8/8/4K2R w K - 0 1 RKP"), &["e1g1".to_owned()]).expect("legal");
        assert!(answer.complete && answer.steps.is_empty());
        assert_eq!((answer.used.as_str(), answer.left.as_str()), ("RK", "P"));
        assert_eq!(answer.after.as_deref(), Some("4k3/8/8/8/8/8/8/5RK1 b - - 1 1 -"));
    }

    #[test]
    fn a_micro_move_that_leaves_a_playable_die_is_not_offered() {
        // The pawn's only step would shut in the bishop, whose die could be played before it.
        let here = rolled("7k/8/8/8/8/1P6/P7/B6K w - - 0 1 PBB");
        let all: BTreeSet<String> = legal_turns(&here).iter().map(|turn| turn.moves()[0].to_string()).collect();
        let answer = steps(&here, &[]).expect("dice");
        assert_eq!(texts(&answer).into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), all);
        let blocked = rolled("7k/8/8/8/8/8/1p6/B6K w - - 0 1 BBB");
        assert_eq!(texts(&steps(&blocked, &[]).expect("dice")), ["a1b2"]);
    }

    #[test]
    fn a_king_is_always_offered_and_ends_the_turn() {
        let here = rolled("7k/8/8/8/8/8/8/K6R w - - 0 1 RKK");
        let answer = steps(&here, &[]).expect("dice");
        let king = answer.steps.iter().find(|step| step.king).expect("it is");
        assert_eq!((king.text.as_str(), king.capture), ("h1h8", Some('k')));
        let answer = steps(&here, &["h1h8".to_owned()]).expect("legal");
        assert_eq!((answer.complete, answer.end, answer.after), (true, Some("king-capture"), None));
        assert!(steps(&here, &["h1h8".to_owned(), "a1a2".to_owned()]).is_err());
    }

    #[test]
    fn nothing_to_play_is_a_pass_with_its_reason() {
        let answer = steps(&rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 RQK"), &[]).expect("dice");
        assert_eq!((answer.pass, answer.complete, answer.turn.as_deref()), (Some("no_move"), true, Some("0000")));
        assert_eq!(answer.useless, "RQK");
        assert_eq!(steps(&rolled(STARTPOS), &[]).expect_err("no dice").code, "dice");
    }

    #[test]
    fn taking_in_passing_and_promotion_say_what_they_are() {
        let answer = steps(&rolled("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1 PPN"), &[]).expect("dice");
        let step = answer.steps.iter().find(|step| step.text == "d5c6").expect("it is possible");
        assert_eq!((step.en_passant.as_deref(), step.capture), (Some("c5"), Some('p')));
        let answer = steps(&rolled("7k/P7/8/8/8/8/8/K7 w - - 0 1 PQN"), &[]).expect("dice");
        let promotions: String = answer.steps.iter().filter_map(|step| step.promotion).collect();
        // A rook or a bishop could use neither the Q nor the N.
        assert_eq!(promotions.chars().collect::<BTreeSet<_>>(), "qn".chars().collect());
    }
}
