//! The arena: matches whose numbers can be believed.

pub mod stats;
