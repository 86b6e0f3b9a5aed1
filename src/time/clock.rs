//! A mover's clock, as the protocol gives it. Plain data: nothing here decides how to spend it.

/// The clock of the side to move at the start of its turn.
///
/// Every value of every field is legal input. Interfaces do send negative and absurdly large times, and a bot that
/// refused them would lose on time; the time manager reads negative times as zero. The default is an empty clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClockState {
    /// Time left, in milliseconds.
    pub remaining_ms: i64,
    /// Credited after the turn (Fischer), in milliseconds.
    pub increment_ms: i64,
    /// Given back of what the turn uses (Bronstein) or not counted at its start (simple), in milliseconds; it is
    /// never saved up.
    pub delay_ms: i64,
    /// The full-move number of the position, shared by both players. The first move is 1; 0 counts as 1.
    pub move_number: u32,
    /// Own turns until the next time control, where the control is cyclic; `None` where it is not. 0 counts as 1.
    pub moves_to_go: Option<u32>,
    /// Own turns played since the last one that came out of an opening book. Where no book was used this is
    /// `move_number - 1`, and it is for the caller to say so: the clock does not know of books.
    pub turns_out_of_book: u32,
}

#[cfg(test)]
mod tests {
    use super::ClockState;

    #[test]
    fn the_default_is_an_empty_clock() {
        let clock = ClockState::default();
        assert_eq!(clock.remaining_ms, 0);
        assert_eq!(clock.increment_ms, 0);
        assert_eq!(clock.delay_ms, 0);
        assert_eq!(clock.moves_to_go, None);
    }
}
