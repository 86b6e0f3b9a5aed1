//! The records of games: those of the engine library.

pub use astragal::record::{
    Adjudication, DiceSource, DrawRule, EndKind, EndRecord, EventKind, FORMAT, Game, Header, LINEAR_EVALUATION,
    PlayerKind, PlayerRecord, Ply, ResignRule, ScoreRecord, Seat, Shard,
};
