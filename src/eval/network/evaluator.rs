//! The network as an evaluator of one position after another.

use super::{Changes, Hidden, Network, NetworkInputs};
use crate::board::Position;
use crate::eval::{Accumulator, Equity, Evaluator};
use std::sync::Arc;

/// Evaluates by the linear evaluation and a network; positions that differ little from the one before take little time.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    last: Option<Last>,
}

/// What is kept of the position before.
#[derive(Clone, Debug)]
struct Last {
    linear: Accumulator,
    hidden: Hidden,
}

impl NetworkEvaluator {
    /// An evaluator by this network.
    pub const fn new(network: Arc<Network>) -> Self {
        Self { network, last: None }
    }

    /// What the position is worth to the side to move without the chance to capture the king at once, in centipawns.
    #[inline]
    pub fn centipawns(&mut self, position: &Position) -> i32 {
        let network = self.network.as_ref();
        if let Some(Last { linear, hidden }) = &mut self.last {
            let (mut added, mut removed) = (Changes::new(), Changes::new());
            let us = position.side();
            let same_view = linear.follow(position, |color, kind, square, came| {
                let changes = if came { &mut added } else { &mut removed };
                changes.push(NetworkInputs::number(us, color, kind, square) as u16);
            });
            let correction = if same_view {
                network.forward(hidden, &added, &removed)
            } else {
                let (sums, correction) = network.begin(&NetworkInputs::of(position));
                *hidden = sums;
                correction
            };
            return linear.value() + correction;
        }
        let (hidden, correction) = network.begin(&NetworkInputs::of(position));
        let linear = Accumulator::new(position);
        let value = linear.value() + correction;
        self.last = Some(Last { linear, hidden });
        value
    }
}

impl Evaluator for NetworkEvaluator {
    #[inline]
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>) {
        Equity::extend_from_centipawns(values, positions, |position| self.centipawns(position));
    }

    #[inline]
    fn lacks_king_capture(&self) -> bool {
        true
    }

    fn for_another_thread(&self) -> Box<dyn Evaluator> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::SHIPPED;
    use super::*;
    use crate::board::{Rolled, STARTPOS};
    use crate::eval::evaluate_quietly;
    use crate::rules::{Roll, outcomes};

    #[test]
    fn going_on_is_beginning_anew() {
        let network = SHIPPED.clone();
        let mut evaluator = NetworkEvaluator::new(network.clone());
        let mut seen = 0;
        let mut corrected = 0;
        for dfen in [
            STARTPOS,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
            "4k3/1P4P1/8/2n5/5N2/8/1p4p1/4K3 b - - 0 1 -",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 -",
        ] {
            let position = Rolled::from_dfen(dfen).unwrap().position;
            for roll in Roll::all() {
                for outcome in outcomes(&Rolled { position, dice: roll.dice() }).distinct.iter().step_by(7) {
                    let position = &outcome.position;
                    let slow = network.correction(&NetworkInputs::of(position));
                    assert_eq!(evaluator.centipawns(position), evaluate_quietly(position) + slow, "{position}");
                    seen += 1;
                    corrected += u32::from(slow != 0);
                }
            }
        }
        assert!(seen > 2_000 && corrected > seen / 2, "{seen} {corrected}");
    }
}
