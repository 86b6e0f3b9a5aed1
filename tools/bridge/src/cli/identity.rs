//! `bridge account`, `bridge register`, `bridge register-webhook`.

use crate::api::{Capacity, Registered, is_slug};
use crate::config::{Config, ConfigError};
use crate::decide::Waits;
use crate::net::Server;
use crate::run::{RunError, who_are_we};
use crate::secret::{Secret, store};
use crate::webhook::{Hook, serve};
use serde::Deserialize;
use serde_json::json;
use std::path::Path;

/// Text from outside, for the terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().take(100).collect::<String>().escape_default().to_string()
}

pub(super) async fn account(config: &Config, insecure: bool) -> Result<(), RunError> {
    let token = config.token()?;
    let server = Server::new(&config.server, Some(&token), insecure)?;
    let account = who_are_we(&server, &config.waits(), Some(3)).await?;
    say!("{} {} ({})", plain(&account.team), plain(&account.name), plain(account.id.as_deref().unwrap_or("no id")));
    let wait = Waits::default().answer_most;
    if let Ok(answered) = server.get("/bot/capacity", wait).await
        && answered.is_success()
        && let Some(Capacity { max_concurrent_games, open_to_humans, active_games, .. }) = answered.read("capacity")
    {
        say!("games at once: {max_concurrent_games}; now: {}", active_games.unwrap_or(0));
        say!("open to humans: {open_to_humans}");
    }
    let path = format!("/bots/{}/{}", account.team, account.name);
    if is_slug(&account.team)
        && is_slug(&account.name)
        && let Ok(answered) = server.get(&path, wait).await
        && let Ok(profile) = serde_json::from_slice::<serde_json::Value>(&answered.body)
        && answered.is_success()
    {
        let field = |name: &str| plain(&profile[name].to_string());
        say!(
            "rating: {} ± {}; on the ladder: {}; {} games, {} won, {} drawn, {} lost",
            field("rating"),
            field("rd"),
            field("onLadder"),
            field("games"),
            field("wins"),
            field("draws"),
            field("losses")
        );
    }
    Ok(())
}

pub(super) async fn register(
    base: &str,
    team: Option<&str>,
    name: &str,
    token_file: &Path,
    insecure: bool,
) -> Result<(), RunError> {
    if token_file.exists() {
        // Told before the server makes a token that could not be kept.
        return Err(RunError::Other(format!("{} exists; name another file with --token-file", token_file.display())));
    }
    if !is_slug(name) || !team.is_none_or(is_slug) {
        return Err(RunError::Other("team and name are a-z, 0-9 and hyphens, at most 32".to_owned()));
    }
    let server = Server::new(base, None, insecure)?;
    let wait = Waits::default().answer_most;
    let answered = match team {
        Some(team) => server.post("/bot/register", Some(&json!({"team": team, "name": name})), wait).await,
        None => server.post(&format!("/bot/anon?name={name}"), None, wait).await,
    };
    let answered = answered.map_err(|error| RunError::Other(error.to_string()))?;
    if !answered.is_success() {
        let later = answered.retry_after.map(|wait| format!("; try again in {} s", wait.as_secs())).unwrap_or_default();
        return Err(RunError::Other(format!("the server does not register {name}: {}{later}", answered.shown())));
    }
    let Some(Registered { token, team, name, .. }) = answered.read("registered") else {
        return Err(RunError::Other("the server's answer holds no token".to_owned()));
    };
    store("token", token_file, &Secret::new(token)).map_err(ConfigError::from)?;
    say!("registered {} {}; the token is in {}", plain(&team), plain(&name), token_file.display());
    Ok(())
}

#[derive(Deserialize)]
struct Hooked {
    secret: String,
}

pub(super) async fn register_webhook(config: Config, insecure: bool, secret_file: &Path) -> Result<(), RunError> {
    let Some(url) = config.webhook.url.clone() else {
        return Err(RunError::Other("webhook.url is not set".to_owned()));
    };
    if secret_file.exists() {
        return Err(RunError::Other(format!("{} exists; name another file with --secret-file", secret_file.display())));
    }
    let capabilities: &[&str] = if config.webhook.draws { &["draws"] } else { &[] };
    let listen = config.webhook.listen;
    let (shared, _inbox) = crate::run::prepare(config, insecure).await?;
    let hook = Hook::without_keys(std::sync::Arc::clone(&shared));
    let listener = tokio::net::TcpListener::bind(listen)
        .await
        .map_err(|error| RunError::Other(format!("webhook: {listen}: {error}")))?;
    hook.open_window(true);
    let serving = tokio::spawn(serve(listener, hook));
    let body = json!({"url": url, "capabilities": capabilities});
    let wait = shared.waits.answer_most * 3;
    let answered = shared.server.post("/bot/webhook", Some(&body), wait).await;
    serving.abort();
    let answered = answered.map_err(|error| RunError::Other(error.to_string()))?;
    if !answered.is_success() {
        return Err(RunError::Other(format!("the server does not take the webhook: {}", answered.shown())));
    }
    let Some(Hooked { secret }) = answered.read("webhook") else {
        return Err(RunError::Other("the server's answer holds no secret".to_owned()));
    };
    store("webhook secret", secret_file, &Secret::new(secret)).map_err(ConfigError::from)?;
    say!("registered; the secret is in {}: name it as webhook.secret_file", secret_file.display());
    Ok(())
}
