//! `bridge check`: everything but playing. It takes no lock and writes nothing, so that it can be asked while a bridge runs.

use super::identity::plain;
use crate::account::self_check;
use crate::config::Config;
use crate::engine::Pool;
use crate::net::{Answered, Server};
use crate::run::{RunError, engine_setup, who_are_we};
use crate::sign::TOLERANCE_S;
use std::time::{Duration, Instant, SystemTime};

/// A difference to the server's clock that is worth a word; its header tells whole seconds.
const WORTH_TELLING: Duration = Duration::from_secs(5);

pub(super) async fn check(config: Config, insecure: bool) -> Result<(), RunError> {
    let token = config.token()?;
    let server = Server::new(&config.server, Some(&token), insecure)?;
    let waits = config.waits();
    let account = who_are_we(&server, &waits, Some(3)).await?;
    say!("token     {}", plain(&account.shown()));
    let mut trips = Vec::new();
    let mut clock = None;
    for _ in 0..3 {
        let began = Instant::now();
        let answered = server.get("/bot/games", waits.answer_most).await;
        let answered = answered.map_err(|error| RunError::Other(error.to_string()))?;
        trips.push(began.elapsed());
        if !answered.is_success() {
            return Err(RunError::Other(format!("the server answers {}", answered.shown())));
        }
        clock = difference(&answered, SystemTime::now()).or(clock);
    }
    let worst = trips.iter().max().copied().unwrap_or_default();
    say!("server    {} (round trip {} ms)", config.server, worst.as_millis());
    if worst > waits.overhead_floor {
        say!(
            "          slower than the overhead's floor of {} ms: it will be learned",
            waits.overhead_floor.as_millis()
        );
    }
    match clock {
        None => say!("clock     the server does not tell its own"),
        Some(off) if off < WORTH_TELLING => say!("clock     as the server's"),
        Some(off) => {
            let off = off.as_secs();
            say!("clock     {off} s from the server's: set this machine's");
            if off >= TOLERANCE_S {
                return Err(RunError::Other(format!("with a clock {off} s off no webhook's signature holds")));
            }
        }
    }
    let pool = Pool::new(engine_setup(&config)?, 1);
    self_check(&server, &pool, &waits).await.map_err(RunError::Other)?;
    say!("engine    {}", pool.take().name().unwrap_or_else(|| "(without a name)".to_owned()));
    say!("all is well");
    Ok(())
}

/// How far our clock is from the server's, if it tells its own.
fn difference(answered: &Answered, now: SystemTime) -> Option<Duration> {
    let date = answered.date?;
    Some(now.duration_since(date).unwrap_or_else(|error| error.duration()))
}
