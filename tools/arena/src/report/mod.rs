//! What an event comes to, for people.

pub mod html;
pub mod results;
