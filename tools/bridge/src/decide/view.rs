//! A game as far as we know it, and what is due from us.

use crate::api::{ClocksMs, Ended, GameEvent, GameState, Players, Seat, Status, TimeControl, Tree};

/// A game as of the last thing read.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// Grows by one an event.
    pub version: i64,
    /// The position, with the dice if they are thrown.
    pub dfen: String,
    /// Whose turn it is.
    pub active: Seat,
    /// Whether dice wait to be played.
    pub dice_pending: bool,
    /// The clocks when it was read.
    pub clocks: Option<ClocksMs>,
    /// The time control.
    pub control: TimeControl,
    /// The turns, if they were sent.
    pub tree: Option<Tree>,
    /// Whether a draw offer waits for the active side.
    pub draw_offered: bool,
    /// Whether the side to move may offer a draw; none if the server does not say.
    pub may_offer_draw: Option<bool>,
    /// The commitment to the dice.
    pub commit: Option<String>,
    /// Who plays.
    pub players: Players,
    /// Whether it counts.
    pub rated: Option<bool>,
    /// Whether it is over.
    pub over: bool,
}

/// What reading an event came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Taken {
    /// It was known already, or says nothing about the position.
    Nothing,
    /// The view has changed.
    Changed,
    /// Something before it has not been read: the state must be fetched.
    Gap,
    /// The game is over.
    Over(Box<Ended>),
}

/// What is due from us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// Nothing: it is the other side's turn, or the dice are still to be thrown.
    Nothing,
    /// A turn.
    Turn,
    /// Nothing: the server plays a forced pass.
    Pass,
    /// An answer to a draw offer.
    DrawAnswer,
    /// Nothing any more.
    Over,
}

impl View {
    /// The view of a state.
    pub fn of(state: GameState) -> Self {
        let draw_offered = state.draw_offer_pending();
        Self {
            version: state.version,
            dfen: state.dfen,
            active: state.active_seat,
            dice_pending: state.dice_pending,
            clocks: state.clocks,
            control: state.time_control.unwrap_or(TimeControl::Unknown("missing".to_owned())),
            tree: state.legal_moves,
            draw_offered,
            may_offer_draw: state.may_offer_draw,
            commit: state.commit,
            players: state.players,
            rated: state.rated,
            over: state.status == Status::Ended,
        }
    }

    /// Takes an event of the stream. An event that was read before (or that a later snapshot holds already) changes
    /// nothing; one whose forerunner is missing changes nothing either, and is answered with [`Taken::Gap`].
    pub fn take(&mut self, version: Option<i64>, event: GameEvent) -> Taken {
        if let GameEvent::GameEnded(ended) = event {
            // The end is the end, whatever was missed before it.
            self.over = true;
            return Taken::Over(Box::new(ended));
        }
        if let GameEvent::Snapshot(state) = event {
            *self = Self::of(*state);
            return Taken::Changed;
        }
        if let Some(version) = version {
            if version <= self.version {
                return Taken::Nothing;
            }
            if version > self.version + 1 {
                return Taken::Gap;
            }
            self.version = version;
        }
        match event {
            GameEvent::DiceRolled { seat, dfen, clocks, legal_moves, .. } => {
                self.active = seat;
                self.dfen = dfen;
                self.dice_pending = true;
                if clocks.is_some() {
                    self.clocks = clocks;
                }
                self.tree = legal_moves;
                self.draw_offered = false;
                self.may_offer_draw = None;
                Taken::Changed
            }
            GameEvent::TurnPlayed { seat, fen_after, .. } => {
                self.active = seat.other();
                self.dfen = fen_after;
                self.dice_pending = false;
                self.tree = None;
                self.draw_offered = false;
                Taken::Changed
            }
            GameEvent::DrawOffered { by } => {
                self.active = by.other();
                self.draw_offered = true;
                Taken::Changed
            }
            GameEvent::DrawDeclined { .. } => {
                self.draw_offered = false;
                Taken::Changed
            }
            GameEvent::Rejected { .. } | GameEvent::Unknown(_) | GameEvent::Snapshot(_) | GameEvent::GameEnded(_) => {
                Taken::Nothing
            }
        }
    }

    /// What is due from that side.
    pub fn due(&self, seat: Seat) -> Due {
        if self.over {
            Due::Over
        } else if self.active != seat {
            Due::Nothing
        } else if self.draw_offered && !self.dice_pending {
            Due::DrawAnswer
        } else if !self.dice_pending {
            Due::Nothing
        } else if self.tree.as_ref().is_some_and(Tree::is_pass) {
            Due::Pass
        } else {
            Due::Turn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"version":4,"dfen":"8/8/8/8/8/8/8/8 w - - 0 1","activeSeat":"White","dicePending":false,
        "timeControl":{"Fischer":{"initialSeconds":60,"incrementSeconds":1}},"clocks":{"white":60000,"black":60000}}"#;

    fn view() -> View {
        View::of(serde_json::from_str(STATE).expect("a state"))
    }

    fn take(view: &mut View, line: &str) -> Taken {
        let (version, event) = GameEvent::read(line.as_bytes()).expect(line);
        view.take(version, event)
    }

    #[test]
    fn events_count_once_and_in_order() {
        let mut view = view();
        let roll =
            r#"{"DiceRolled":{"v":5,"seat":"White","dice":[1,1,1],"dfen":"x PPP","clocks":null,"legalMoves":null}}"#;
        assert_eq!(take(&mut view, &roll.replace(":5,", ":6,")), Taken::Gap);
        assert_eq!((view.due(Seat::White), view.version), (Due::Nothing, 4));
        assert_eq!(take(&mut view, roll), Taken::Changed);
        assert_eq!((view.due(Seat::White), view.due(Seat::Black)), (Due::Turn, Due::Nothing));
        assert_eq!(view.clocks.map(|clocks| clocks.white), Some(60_000), "clocks that are not sent stay as they were");
        assert_eq!(take(&mut view, roll), Taken::Nothing, "sent twice");
        assert_eq!(take(&mut view, r#"{"Rejected":{"v":6,"seat":"Black","reason":"not your turn"}}"#), Taken::Nothing);
        assert_eq!(take(&mut view, r#"{"Fireworks":{"v":7}}"#), Taken::Nothing);
        let played = r#"{"TurnPlayed":{"v":8,"seat":"White","moves":["e2e4"],"fenAfter":"y"}}"#;
        assert_eq!(take(&mut view, played), Taken::Changed);
        assert_eq!((view.due(Seat::White), view.due(Seat::Black)), (Due::Nothing, Due::Nothing));
        let end = r#"{"GameEnded":{"v":99,"over":{"result":{"Draw":{}},"termination":"Aborted"},"seed":null}}"#;
        assert!(matches!(take(&mut view, end), Taken::Over(_)));
        assert_eq!(view.due(Seat::Black), Due::Over);
    }

    #[test]
    fn an_empty_tree_is_a_pass_and_no_tree_is_a_turn() {
        let mut view = view();
        let roll =
            r#"{"DiceRolled":{"v":5,"seat":"White","dice":[3,3,3],"dfen":"x BBB","clocks":null,"legalMoves":{}}}"#;
        take(&mut view, roll);
        assert_eq!((view.due(Seat::White), view.due(Seat::Black)), (Due::Pass, Due::Nothing));
        view.tree = None;
        assert_eq!(view.due(Seat::White), Due::Turn);
    }

    #[test]
    fn a_draw_offer_is_for_the_other_side() {
        let mut view = view();
        take(&mut view, r#"{"TurnPlayed":{"v":5,"seat":"White","moves":[],"fenAfter":"y"}}"#);
        take(&mut view, r#"{"DrawOffered":{"v":6,"by":"White"}}"#);
        assert_eq!((view.due(Seat::Black), view.due(Seat::White)), (Due::DrawAnswer, Due::Nothing));
        take(&mut view, r#"{"DrawDeclined":{"v":7,"by":"Black"}}"#);
        assert_eq!(view.due(Seat::Black), Due::Nothing);
        let offered = STATE.replace("\"version\":4", "\"version\":9,\"drawOffer\":{\"pending\":true}");
        let view = View::of(serde_json::from_str(&offered).expect("a state"));
        assert_eq!((view.due(Seat::White), view.due(Seat::Black)), (Due::DrawAnswer, Due::Nothing));
    }
}
