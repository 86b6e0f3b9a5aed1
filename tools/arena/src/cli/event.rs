//! Playing an event: from arguments to a plan, and from its games to reports.

use super::arguments::{Event, Settings};
use super::files::{openings, tell};
use crate::cancel::Cancel;
use crate::game::GameRules;
use crate::journal::{self, Journal};
use crate::lengthen::lengthen;
use crate::machine::{self, Machine};
use crate::player::{Contender, Patience};
use crate::progress::{self, Progress};
use crate::record::{Adjudication, EventKind, FORMAT, Game, Header, PlayerRecord, Shard};
use crate::report::{Report, labels};
use crate::runner::{self, Finish, Plan};
use crate::schedule::Schedule;
use crate::spec::{Spec, SpecError};
use crate::stats::sprt::Basis;
use crate::tally::{GameSummary, StoppingRule};
use crate::text::count;
use astragal::record::Control;
use astragal_client::{TrafficLog, kill_all};
use std::collections::HashSet;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A second Ctrl-C this soon is the first one once more: `timeout` and some shells send it to the program and to its
/// group.
const SAME_INTERRUPTION: Duration = Duration::from_millis(500);

/// The exit code of an event that was interrupted, as shells have it for Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Plays an event; returns the exit code.
pub(super) fn play(event: Event, shard: Option<Shard>) -> Result<ExitCode, String> {
    let cancel = Cancel::new();
    end_engines_with_us(&cancel)?;
    let (kind, players, policies, settings) = match event {
        Event::Match { a, b, a_time_policy, b_time_policy, settings } => {
            (EventKind::Match, vec![a, b], vec![a_time_policy, b_time_policy], settings)
        }
        Event::Gauntlet { players, settings } => (EventKind::Gauntlet, players, Vec::new(), settings),
        Event::RoundRobin { players, settings } => (EventKind::RoundRobin, players, Vec::new(), settings),
    };
    let read = |text: &String| {
        let mut spec: Spec = text.parse()?;
        spec.add(&settings.each)?;
        Ok(spec)
    };
    let players: Result<Vec<Spec>, SpecError> = players.iter().map(read).collect();
    let players = players.map_err(|error| error.to_string())?;
    settings.outputs.check(settings.journal.iter().chain(&settings.openings).chain(&settings.log))?;
    let (plan, mut header) = prepare(kind, players, &policies, &settings, shard, &cancel)?;
    let mut progress = Keeping { inner: progress::for_people(&header), kept: None };
    // The page is drawn from whole games: those of the journal, or those kept in memory.
    if settings.outputs.html.is_some() && settings.journal.is_none() {
        progress.kept = Some(Vec::new());
    }
    let mut before = Vec::new();
    let journal = open_journal(&settings, &mut header, &mut before, &mut progress)?;
    let mut rule = StoppingRule::new(settings.sprt);
    let played = runner::run(&plan, before, journal, &mut progress, &mut |pair| rule.stops(pair), &cancel);
    let (games, finish) = played.map_err(|error| error.to_string())?;
    let exit = match &finish {
        Finish::Complete | Finish::Stopped(_) => ExitCode::SUCCESS,
        Finish::Interrupted => ExitCode::from(INTERRUPTED),
        Finish::NotRecovered(_) => ExitCode::FAILURE,
    };
    let machines = vec![Machine::of(&header)];
    let shards = header.shard.into_iter().collect();
    let report = Report { header, machines, shards, games, finish: Some(finish) };
    let counted: HashSet<u64> = report.games.iter().map(|game| game.number).collect();
    tell(&report, &settings.outputs, |visit| {
        let mut visit = |game: &Game| {
            if counted.contains(&game.number) {
                visit(game);
            }
        };
        match (&settings.journal, &progress.kept) {
            (Some(path), _) => journal::read(path, |game| visit(&game)).map(drop).map_err(|error| error.to_string()),
            (None, kept) => {
                kept.iter().flatten().for_each(visit);
                Ok(())
            }
        }
    })?;
    Ok(exit)
}

/// Keeps whole games on their way to somebody else.
struct Keeping {
    inner: Box<dyn Progress>,
    kept: Option<Vec<Game>>,
}

impl Progress for Keeping {
    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.inner.begin(total, before);
    }

    fn game(&mut self, game: &Game) {
        if let Some(kept) = &mut self.kept {
            kept.push(game.clone());
        }
        self.inner.game(game);
    }

    fn note(&mut self, text: &str) {
        self.inner.note(text);
    }

    fn end(&mut self) {
        self.inner.end();
    }
}

/// Sees to it that no engine outlives us: on Ctrl-C the event is brought to a clean end, at a second one and at a
/// panic the engines are ended at once.
fn end_engines_with_us(cancel: &Cancel) -> Result<(), String> {
    let raised = cancel.clone();
    let mut first: Option<Instant> = None;
    let handler = move || {
        let first = *first.get_or_insert_with(Instant::now);
        if raised.raise() && first.elapsed() > SAME_INTERRUPTION {
            kill_all();
            std::process::exit(i32::from(INTERRUPTED));
        }
    };
    ctrlc::set_handler(handler).map_err(|error| format!("Ctrl-C cannot be caught: {error}"))?;
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        kill_all();
        tell(panic);
    }));
    Ok(())
}

fn prepare(
    kind: EventKind,
    players: Vec<Spec>,
    policies: &[Option<String>],
    settings: &Settings,
    shard: Option<Shard>,
    cancel: &Cancel,
) -> Result<(Plan, Header), String> {
    let own: Vec<Option<Control>> = players.iter().map(|player| player.control).collect();
    let control = match (settings.tc, settings.untimed, own.first().copied().flatten()) {
        (Some(control), ..) => control,
        (None, true, _) => Control::Untimed,
        (None, false, Some(first)) if own.iter().all(Option::is_some) => first,
        (None, false, _) => return Err("no time control; say --tc, such as --tc 10+0.1, or --untimed".to_owned()),
    };
    let controls: Vec<Control> = own.into_iter().map(|own| own.unwrap_or(control)).collect();
    let timed = controls.iter().any(Control::is_timed);
    let names: Vec<Option<String>> = players.iter().map(|player| player.name.clone()).collect();
    let concurrency = concurrency(settings)?;
    let openings = openings(settings.openings.as_deref())?;
    let mirrored = !settings.no_mirror;
    let schedule = Schedule::new(kind, players.len(), settings.games, mirrored, openings.len(), shard)
        .map_err(|error| error.to_string())?;
    if settings.sprt.is_some() && (kind != EventKind::Match || !mirrored || shard.is_some()) {
        return Err("--sprt is for a whole match in mirrored pairs".to_owned());
    }
    if settings.no_luck && settings.sprt.is_some_and(|sprt| sprt.on == Basis::Luck) {
        return Err("--sprt with luck tests luck-adjusted results, which there are none of with --no-luck".to_owned());
    }
    let patience = Patience {
        handshake: Duration::from_secs_f64(settings.handshake_timeout),
        grace: Duration::from_secs_f64(settings.grace),
        untimed: Duration::from_secs_f64(settings.stall_timeout),
    };
    let mut contenders: Vec<Contender> = players
        .into_iter()
        .zip(&controls)
        .enumerate()
        .map(|(place, (spec, control))| {
            let policy = policies.get(place).and_then(Option::as_deref);
            Contender::inspect(spec, policy, control, patience, cancel)
        })
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let adjudication = Adjudication { resign: settings.adjudicate_loss, draw: settings.adjudicate_draw };
    let margin = Duration::from_millis(settings.margin);
    let luck = !settings.no_luck;
    let record = |(contender, (name, own)): (&Contender, (Option<String>, &Control))| {
        let found = contender.record().clone();
        let name = name.unwrap_or(found.name);
        PlayerRecord { name, control: (*own != control).then(|| own.to_string()), ..found }
    };
    let header = Header {
        format: FORMAT,
        name: settings.event_name.clone(),
        event: kind,
        players: contenders.iter().zip(names.into_iter().zip(&controls)).map(record).collect(),
        seed: settings.seed,
        control: control.to_string(),
        timed,
        margin_ms: settings.margin,
        games_per_pairing: settings.games,
        mirrored,
        openings: openings.iter().map(ToString::to_string).collect(),
        adjudication,
        sprt: settings.sprt.as_ref().map(ToString::to_string),
        luck,
        shard,
        concurrency: timed.then_some(concurrency),
        arena: env!("CARGO_PKG_VERSION").to_owned(),
        engine: astragal::VERSION.to_owned(),
        cpu: machine::cpu(),
        os: machine::os(),
    };
    if let Some(path) = &settings.log {
        let log = TrafficLog::append(path).map_err(|error| format!("log {}: {error}", path.display()))?;
        let hooked = contenders.into_iter().zip(labels(&header));
        contenders = hooked.map(|(contender, label)| contender.with_hook(log.hook(&label))).collect();
    }
    let names = header.players.iter().map(|player| player.name.clone()).collect();
    let rules = GameRules { seed: settings.seed, controls, margin, adjudication, luck, openings, names };
    let plan = Plan { contenders, schedule, rules, mirrored, concurrency, recover: !settings.no_recover };
    Ok((plan, header))
}

/// How many games at the same time. More than there are cores for would measure the scheduler.
fn concurrency(settings: &Settings) -> Result<usize, String> {
    let most = machine::cores().saturating_sub(1).max(1);
    match settings.concurrency {
        None => Ok(most),
        Some(0) => Err("--concurrency must be at least 1".to_owned()),
        Some(asked) if asked > most && !settings.force_concurrency => {
            Err(format!("--concurrency {asked} is more than cores − 1 ({most}); --force-concurrency allows it"))
        }
        Some(asked) => Ok(asked),
    }
}

/// Begins the journal, or goes on with the one that is there; `before` gets the games that it holds.
fn open_journal(
    settings: &Settings,
    header: &mut Header,
    before: &mut Vec<GameSummary>,
    progress: &mut dyn Progress,
) -> Result<Option<Journal>, String> {
    let Some(path) = &settings.journal else { return Ok(None) };
    if !(settings.resume && path.exists()) {
        return Journal::create(path, header).map(Some).map_err(|error| error.to_string());
    }
    if let Some(games) = lengthen(path, header).map_err(|error| error.to_string())? {
        let now = count(header.games_per_pairing, "game");
        progress.note(&format!("the event is made longer: {now} of each pairing instead of {games}"));
    }
    let resumed = Journal::resume(path, header, |game| before.push(GameSummary::from(&game)));
    let (journal, contents) = resumed.map_err(|error| error.to_string())?;
    if let Some(note) = contents.note {
        progress.note(&note);
    }
    // It keeps its name where the command gives none.
    header.name = header.name.take().or(contents.header.name);
    Ok(Some(journal))
}
