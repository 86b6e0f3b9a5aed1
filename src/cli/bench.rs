//! `astragal bench`.

use crate::protocol::run_bench;
use crate::time::StopSignal;

/// The line that tells the nodes and the speed.
pub(super) fn run() -> Result<String, String> {
    run_bench(&StopSignal::new()).map(|result| result.to_string()).ok_or_else(|| "bench: stopped".to_owned())
}
