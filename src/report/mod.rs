//! Reviews as text for people.
//!
//! Nothing here judges anything: what is shown is what [`crate::review`] says.

mod text;

pub use text::{pool_text, review_text};
