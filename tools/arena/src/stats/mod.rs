//! What a match proves, as pure functions over plain numbers.
//!
//! Nothing here reads a file, a clock or the network, and nothing depends on the order in which games finished or on
//! the iteration order of a hash map: the same results give the same statistics, bit for bit.
//!
//! A **unit** is what counts as one independent observation: a complete pair of games with mirrored dice, or a single
//! game where pairs are turned off. Its value is the mean score of its games from the first player's view, 0 to 1.
//!
//! | module | what is in it |
//! |---|---|
//! | [`outcome`] | wins, draws, losses; pairs; the correlation between their halves |
//! | [`moments`] | running means, variances and covariances; a mean with its standard error |
//! | [`elo`] | Elo, normalised Elo and the likelihood of superiority, with intervals |
//! | [`sprt`] | the sequential test of results, raw or luck-adjusted |
//! | [`luck`] | results with the luck of the dice taken out |
//! | [`bradley_terry`] | ratings of many players with bootstrap intervals |
//! | [`units`] | games put together to pairs |
//! | [`summary`] | everything about a match of two |
//! | [`standings`] | everything about a tournament of many |

pub mod bradley_terry;
pub mod elo;
pub mod luck;
pub mod moments;
pub mod outcome;
pub mod sprt;
pub mod standings;
pub mod summary;
pub mod units;

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod simulation;
