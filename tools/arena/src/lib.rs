//! The arena: matches and tournaments between Dice Chess engines, with statistics that can be believed.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod record;
