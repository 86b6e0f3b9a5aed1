//! The bridge against the recordings of the platform and against a double of it.

mod recordings;
