//! The arena's own stop signal, shared by Ctrl-C, the workers and the players.

pub use astragal_client::Cancel;
