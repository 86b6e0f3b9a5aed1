//! The library: rules, evaluation, search, bots, against vectors, slow readings and properties.
//!
//! One crate for all of them: each crate more costs the time to build and link it.

#[path = "../common/mod.rs"]
mod common;

mod analysis_rolls;
mod chance_nodes;
mod decisions;
mod dfen_properties;
mod features;
mod ladder;
mod network;
mod onnx;
#[cfg(feature = "onnx")]
mod onnx_models;
mod pinned_games;
mod rollouts;
mod rules_brute_force;
mod rules_properties;
mod rules_vectors;
mod search;
mod techniques;
mod time_vectors;
