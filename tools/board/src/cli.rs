//! The command line.

use crate::engines::Program;
use crate::http::{Door, routes};
use crate::hub::Hub;
use clap::{Parser, Subcommand};
use etcetera::BaseStrategy;
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpListener;

/// What the built-in engine is called.
const BUILT_IN: &str = "astragal";

/// A board for Dice Chess in the browser: play, watch, analyse, with any engine that speaks the protocol.
///
/// It prints its address and serves until Ctrl-C. Games are kept, running ones too.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// The port; 0 takes any that is free.
    #[arg(long, default_value_t = 6347)]
    port: u16,
    /// The folder of the games; made if it is not there. One in the user's data folder if not given.
    #[arg(long, value_name = "DIR")]
    games: Option<PathBuf>,
    /// An engine: its command line; several for a choice, each perhaps as NAME=COMMAND. The built-in one if none is given.
    #[arg(long, value_name = "COMMAND")]
    engine: Vec<String>,
    /// The address to listen on. Where others can reach it, the address printed has a token that they need.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    #[command(subcommand)]
    command: Option<Hidden>,
}

#[derive(Subcommand)]
enum Hidden {
    /// The built-in engine's session, which the server starts.
    #[command(hide = true)]
    EngineSession,
    /// The guard of other engines, which the server starts.
    #[command(hide = true, name = crate::guard::COMMAND)]
    EngineGuard,
}

/// Does what the arguments say, and returns the exit code.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Some(Hidden::EngineSession) => astragal::protocol::run(std::io::stdin(), std::io::stdout(), true)
            .map_err(|error| format!("no thread to work with: {error}")),
        Some(Hidden::EngineGuard) => {
            crate::guard::run(std::io::stdin().lock());
            Ok(())
        }
        None => start(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("board: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: Arguments) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no threads to work with: {error}"))?;
    let done = runtime.block_on(serve(arguments));
    // A review under way need not be waited for.
    runtime.shutdown_timeout(Duration::from_millis(200));
    astragal_client::kill_all();
    done
}

async fn serve(arguments: Arguments) -> Result<(), String> {
    let programs = programs(&arguments.engine)?;
    let folder = match arguments.games {
        Some(folder) => folder,
        None => games_folder()?,
    };
    let address = SocketAddr::new(arguments.listen, arguments.port);
    let listener = TcpListener::bind(address).await.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => format!(
            "port {} is in use, perhaps by another board; choose another with --port, or any that is free with --port 0",
            arguments.port
        ),
        _ => format!("{address}: {error}"),
    })?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let (hub, notes) = Hub::open(&folder, programs)?;
    notes.iter().for_each(|note| eprintln!("board: {note}"));
    let token = match arguments.listen.is_loopback() {
        true => None,
        false => Some(token()?),
    };
    // Any address of this machine will do; this one is right here.
    let host = if arguments.listen.is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { arguments.listen };
    let query = token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
    let url = format!("http://{}/{query}", SocketAddr::new(host, port));
    let listening = tokio::spawn(crate::serve::serve(listener, routes(hub.clone(), Door { port, token })));
    // Nobody need read it.
    let _ = writeln!(std::io::stdout(), "The board is at {url} (Ctrl-C ends it)");
    if arguments.open
        && let Err(error) = open::that_detached(&url)
    {
        eprintln!("board: the browser cannot be opened: {error}");
    }
    ended().await?;
    hub.end();
    // The last words go out, and engines end by themselves.
    tokio::time::sleep(Duration::from_millis(100)).await;
    listening.abort();
    Ok(())
}

/// Waits for a signal that ends the program.
async fn ended() -> Result<(), String> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let hear = |kind| signal(kind).map_err(|error| format!("signals cannot be heard: {error}"));
        let (mut terminate, mut hang_up) = (hear(SignalKind::terminate())?, hear(SignalKind::hangup())?);
        tokio::select! {
            done = tokio::signal::ctrl_c() => done.map_err(|error| error.to_string()),
            _ = terminate.recv() => Ok(()),
            _ = hang_up.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await.map_err(|error| error.to_string())
}

fn token() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system has no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn games_folder() -> Result<PathBuf, String> {
    let base = etcetera::choose_base_strategy();
    let base = base.map_err(|_| "the user's data folder cannot be found; say --games DIR".to_owned())?;
    Ok(base.data_dir().join("astragal").join("board"))
}

/// The engines of the command line.
fn programs(commands: &[String]) -> Result<Vec<Program>, String> {
    if commands.is_empty() {
        let own = std::env::current_exe().map_err(|error| format!("the built-in engine cannot be found: {error}"))?;
        let words = vec![own.to_string_lossy().into_owned(), "engine-session".to_owned()];
        return Ok(vec![Program { program: BUILT_IN.to_owned(), command: String::new(), words }]);
    }
    let mut programs: Vec<Program> = Vec::new();
    for command in commands {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c));
        let (name, command) = match command.split_once('=') {
            Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest),
            _ => (None, command.as_str()),
        };
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| format!("'{}' is no command line", command.escape_default()))?;
        let name = name.unwrap_or_else(|| {
            let stem = std::path::Path::new(&words[0]).file_stem();
            stem.map_or_else(|| words[0].clone(), |stem| stem.to_string_lossy().into_owned())
        });
        let mut program = name.clone();
        for number in 2.. {
            if programs.iter().all(|other| other.program != program) {
                break;
            }
            program = format!("{name} {number}");
        }
        programs.push(Program { program, command: command.to_owned(), words });
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_names_that_differ() {
        let commands = ["./a/engine --fast", "engine", "My one='./x y' z"].map(str::to_owned);
        let programs = programs(&commands).expect("commands");
        let names: Vec<&str> = programs.iter().map(|program| program.program.as_str()).collect();
        assert_eq!(names, ["engine", "engine 2", "My one"]);
        assert_eq!(programs[2].words, ["./x y", "z"]);
        assert!(super::programs(&["'".to_owned()]).is_err() && super::programs(&[String::new()]).is_err());
        assert_eq!(super::programs(&[]).expect("the built-in one")[0].program, BUILT_IN);
    }
}
