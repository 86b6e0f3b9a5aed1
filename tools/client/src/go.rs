//! What a search is limited by: the words of `go`.

use astragal::rules::Turn;
use std::fmt;
use std::time::Duration;

/// The words of `go`. Those that are `None`, `false` or empty are left out; several limits hold together.
///
/// # Examples
/// ```
/// use astragal_client::{Clocks, Go};
/// use std::time::Duration;
///
/// assert_eq!(Go::default().to_string(), "go");
/// assert_eq!(Go::depth(3).to_string(), "go depth 3");
/// let clocks = Clocks { left_ms: [60_000, 55_000], increment_ms: [600; 2], ..Clocks::default() };
/// let go = Go { clocks: Some(clocks), search_moves: vec!["e2e4".parse()?], ..Go::default() };
/// assert_eq!(go.to_string(), "go wtime 60000 btime 55000 winc 600 binc 600 searchmoves e2e4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// `infinite`: until it is stopped.
    pub infinite: bool,
    /// `ponder`: until it is stopped, or `ponderhit` starts the clock.
    pub ponder: bool,
    /// `depth`: turns ahead.
    pub depth: Option<u32>,
    /// `nodes`: positions to evaluate.
    pub nodes: Option<u64>,
    /// `movetime`: time for this turn, in whole milliseconds.
    pub move_time: Option<Duration>,
    /// The clocks of both sides.
    pub clocks: Option<Clocks>,
    /// `searchmoves`: these turns only.
    pub search_moves: Vec<Turn>,
}

/// The clocks of White and Black, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// What is left.
    pub left_ms: [u64; 2],
    /// Credited after each turn.
    pub increment_ms: [u64; 2],
    /// Given back of what a turn uses; left out if both are 0.
    pub delay_ms: [u64; 2],
    /// Own turns until the next time control.
    pub turns_to_go: Option<u32>,
}

impl Go {
    /// Until it is stopped.
    pub fn infinite() -> Self {
        Self { infinite: true, ..Self::default() }
    }

    /// Looks this number of turns ahead.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Evaluates about this number of positions.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// So long.
    pub fn move_time(time: Duration) -> Self {
        Self { move_time: Some(time), ..Self::default() }
    }

    /// By the clocks.
    pub fn clocks(clocks: Clocks) -> Self {
        Self { clocks: Some(clocks), ..Self::default() }
    }
}

/// The line, without its end.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        for (word, is_said) in [("infinite", self.infinite), ("ponder", self.ponder)] {
            if is_said {
                write!(f, " {word}")?;
            }
        }
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(time) = self.move_time {
            write!(f, " movetime {}", time.as_millis())?;
        }
        if let Some(clocks) = &self.clocks {
            write!(f, "{clocks}")?;
        }
        if !self.search_moves.is_empty() {
            f.write_str(" searchmoves")?;
            self.search_moves.iter().try_for_each(|turn| write!(f, " {turn}"))?;
        }
        Ok(())
    }
}

/// The words, each with a blank before it.
impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { left_ms, increment_ms, delay_ms, turns_to_go } = self;
        write!(f, " wtime {} btime {}", left_ms[0], left_ms[1])?;
        write!(f, " winc {} binc {}", increment_ms[0], increment_ms[1])?;
        if *delay_ms != [0; 2] {
            write!(f, " wdelay {} bdelay {}", delay_ms[0], delay_ms[1])?;
        }
        turns_to_go.map_or(Ok(()), |turns| write!(f, " movestogo {turns}"))
    }
}
