//! The commands.

/// Prints a line. That nobody reads it any more is no reason to fail.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($text)*)));
    }};
}

/// The same on stderr.
macro_rules! complain {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($text)*)));
    }};
}

mod check;
mod fetch;
mod identity;

use crate::config::Config;
use crate::run::{RunError, run};
use crate::state_file::StateError;
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// Lets a Dice Chess engine play on the public platform, by itself, for weeks.
#[derive(Parser)]
#[command(name = "bridge", version)]
struct Arguments {
    /// How log lines look.
    #[arg(long, global = true, value_enum, default_value_t)]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

#[derive(clap::Args)]
struct WithConfig {
    /// The settings file.
    #[arg(long, default_value = "bridge.toml")]
    config: PathBuf,
    /// Allow http to this machine.
    #[arg(long)]
    insecure_http: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Play until told to stop: once to play the games that go on to their end, twice to stop at once.
    Run {
        #[command(flatten)]
        settings: WithConfig,
        /// Stop at once when told to; games go on without us until the next start.
        #[arg(long)]
        now: bool,
    },
    /// Check token, server, engine and clock without playing.
    Check {
        #[command(flatten)]
        settings: WithConfig,
    },
    /// Say who the token belongs to, and what the server knows of us.
    Account {
        #[command(flatten)]
        settings: WithConfig,
    },
    /// Register a bot and write its token to a new file of mode 600.
    Register {
        /// The server's base address.
        #[arg(long, default_value = "https://api.fortemate.com")]
        server: String,
        /// The team: a-z, 0-9 and hyphens.
        #[arg(long, required_unless_present = "anonymous")]
        team: Option<String>,
        /// The name.
        #[arg(long)]
        name: String,
        /// A bot for a day, without a rating.
        #[arg(long, conflicts_with = "team")]
        anonymous: bool,
        /// The file for the token.
        #[arg(long, default_value = "token")]
        token_file: PathBuf,
        /// Allow http to this machine.
        #[arg(long)]
        insecure_http: bool,
    },
    /// Register the webhook of the settings in the old way, and write its secret to a new file of mode 600.
    RegisterWebhook {
        #[command(flatten)]
        settings: WithConfig,
        /// The file for the secret.
        #[arg(long, default_value = "webhook-secret")]
        secret_file: PathBuf,
    },
    /// Recompute the dice of finished games from what was revealed.
    Verify {
        /// Files with histories (as `--json` of `fetch` or the bridge writes them), or ids of games.
        #[arg(required = true)]
        games: Vec<String>,
        /// The server's base address, for ids.
        #[arg(long, default_value = "https://api.fortemate.com")]
        server: String,
        /// Allow http to this machine.
        #[arg(long)]
        insecure_http: bool,
    },
    /// Fetch finished games: ids, or all that the server lists of a bot, `team/name`.
    Fetch {
        /// Ids of games, or `team/name`.
        #[arg(required = true)]
        what: Vec<String>,
        /// The journal to append to; games that are in it are not written again.
        #[arg(long, default_value = "fetched.jsonl")]
        journal: PathBuf,
        /// A folder for one JSON file a game.
        #[arg(long)]
        json: Option<PathBuf>,
        /// The server's base address.
        #[arg(long, default_value = "https://api.fortemate.com")]
        server: String,
        /// Allow http to this machine.
        #[arg(long)]
        insecure_http: bool,
    },
    /// The built-in engine, on stdin and stdout.
    #[command(hide = true)]
    Engine,
}

/// Parses the arguments and does what they say.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if matches!(arguments.command, Command::Engine) {
        let ended = astragal::protocol::run(std::io::stdin(), std::io::stdout(), true);
        return if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    start_log(arguments.log_format);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(act(arguments.command));
            runtime.shutdown_timeout(std::time::Duration::from_secs(1));
            result
        }
        Err(error) => Err(RunError::Other(format!("the runtime does not start: {error}"))),
    };
    astragal_client::kill_all();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain!("bridge: {error}");
            // 2 for what a restart does not mend, so that a supervisor can tell.
            let hopeless = matches!(
                error,
                RunError::Unauthorized
                    | RunError::Refused(_)
                    | RunError::Config(_)
                    | RunError::Address(_)
                    | RunError::State(StateError::Locked(_))
            );
            ExitCode::from(if hopeless { 2 } else { 1 })
        }
    }
}

/// Log lines go to stderr; `RUST_LOG` chooses which. Libraries below us are silent unless asked: what they tell of requests
/// is not ours to vouch for.
fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("bridge=info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // To tell that stderr cannot be written to is to write to stderr, and to panic: with it would go every game.
    let builder = builder.log_internal_errors(false);
    match format {
        LogFormat::Text => builder.with_ansi(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}

async fn act(command: Command) -> Result<(), RunError> {
    match command {
        Command::Run { settings, now } => run(Config::read(&settings.config)?, settings.insecure_http, now).await,
        Command::Check { settings } => check::check(Config::read(&settings.config)?, settings.insecure_http).await,
        Command::Account { settings } => {
            identity::account(&Config::read(&settings.config)?, settings.insecure_http).await
        }
        Command::Register { server, team, name, token_file, insecure_http, .. } => {
            identity::register(&server, team.as_deref(), &name, &token_file, insecure_http).await
        }
        Command::RegisterWebhook { settings, secret_file } => {
            identity::register_webhook(Config::read(&settings.config)?, settings.insecure_http, &secret_file).await
        }
        Command::Verify { games, server, insecure_http } => fetch::verify(&games, &server, insecure_http).await,
        Command::Fetch { what, journal, json, server, insecure_http } => {
            fetch::fetch(&what, &journal, json.as_deref(), &server, insecure_http).await
        }
        // It was seen to before the runtime began.
        Command::Engine => Ok(()),
    }
}
