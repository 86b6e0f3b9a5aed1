//! The bridge against the recordings of the platform and against a double of it.

mod account;
mod agreement;
mod commands;
mod double;
mod guide;
mod play;
mod playback;
mod recordings;
mod running;
mod webhooks;
