//! What the question "stop now?" costs a search, counted in instructions:
//!
//! ```text
//! cargo build --release --example stop_check
//! for how in untimed signal deadline; do
//!   valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/stop_check $how
//! done
//! ```
//!
//! The three searches do the same work to the node: without any signal, with one that nobody raises, and with one whose
//! deadline is far away (which adds the clock reads).

use astragal::board::Rolled;
use astragal::bots::BotConfig;
use astragal::search::Task;
use astragal::time::StopSignal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const DFEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ";

fn main() -> ExitCode {
    let Ok(rolled) = Rolled::from_dfen(DFEN) else { return ExitCode::FAILURE };
    let mut task = Task::new(rolled);
    task.limits.nodes = Some(300_000);
    let mut bot = BotConfig::default().build();
    let stop = match std::env::args().nth(1).as_deref() {
        Some("untimed") => None,
        Some("signal") => Some(StopSignal::new()),
        Some("deadline") => Some(StopSignal::with_deadline(Instant::now() + Duration::from_secs(3600))),
        _ => {
            eprintln!("say untimed, signal or deadline");
            return ExitCode::FAILURE;
        }
    };
    let turn = bot.choose(&task, stop.as_ref(), &mut |_| ());
    println!("{turn}");
    ExitCode::SUCCESS
}
