//! `bridge check`: everything but playing.

use crate::account::self_check;
use crate::config::Config;
use crate::play::now;
use crate::run::{RunError, prepare};
use std::sync::Arc;
use std::time::Instant;

pub(super) async fn check(config: Config, insecure: bool) -> Result<(), RunError> {
    let (shared, _inbox) = prepare(config, insecure).await?;
    println!("token     {}", shared.account.shown());
    println!("journal   {}", shared.keeper.path().display());
    let mut trips = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        let answered = shared.server.get("/bot/games", shared.waits.answer_most).await;
        let answered = answered.map_err(|error| RunError::Other(error.to_string()))?;
        trips.push(began.elapsed());
        if !answered.is_success() {
            return Err(RunError::Other(format!("the server answers {}", answered.shown())));
        }
    }
    let worst = trips.iter().max().copied().unwrap_or_default();
    println!("server    {} (round trip {} ms)", shared.config.server, worst.as_millis());
    if worst > shared.waits.overhead_floor {
        println!(
            "          slower than the overhead's floor of {} ms: it will be learned",
            shared.waits.overhead_floor.as_millis()
        );
    }
    // The date of this machine matters to signatures and to the limits of a day.
    let year = 1970 + now().as_secs() / 31_556_952;
    println!("clock     {} s since 1970 (the year {year})", now().as_secs());
    self_check(&Arc::clone(&shared)).await.map_err(RunError::Other)?;
    let worker = shared.pool.take();
    println!("engine    {}", worker.name().unwrap_or_else(|| "(without a name)".to_owned()));
    println!("all is well");
    Ok(())
}
