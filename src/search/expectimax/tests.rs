use super::*;
use crate::board::Rolled;
use crate::search::techniques::Filters;
use crate::time::{Never, StopSignal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes down what it is told, and has had enough at the given question of that checkpoint.
struct Recorder {
    seen: Mutex<Vec<SearchStats>>,
    enough_at: Option<(Checkpoint, usize)>,
    stopped: AtomicBool,
}

impl Recorder {
    fn new(enough_at: Option<(Checkpoint, usize)>) -> Self {
        Self { seen: Mutex::new(Vec::new()), enough_at, stopped: AtomicBool::new(false) }
    }

    fn count(&self, checkpoint: Checkpoint) -> usize {
        self.seen.lock().expect("no test panics with it").iter().filter(|seen| seen.checkpoint == checkpoint).count()
    }
}

impl StopCheck for Recorder {
    const LISTENS: bool = true;

    fn should_stop(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn is_enough(&self, seen: &SearchStats) -> bool {
        self.seen.lock().expect("no test panics with it").push(*seen);
        let enough = self
            .enough_at
            .is_some_and(|(checkpoint, number)| seen.checkpoint == checkpoint && self.count(checkpoint) == number);
        self.stopped.fetch_or(enough, Ordering::Relaxed);
        enough
    }
}

/// The answer, the depth of the last line with a score, and the nodes.
fn search(dfen: &str, threads: usize, depth: u32, stop: &Recorder) -> (Turn, u32, u64) {
    let mut task = Task::new(Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")));
    task.limits.depth = Some(depth);
    let (mut last, mut nodes) = (0, 0);
    let turn = Expectimax::new(ExpectimaxSettings { threads, hash: 1, ..ExpectimaxSettings::default() }).search(
        &task,
        stop,
        true,
        &mut |event| {
            if let Event::Info(info) = event {
                (last, nodes) = (info.depth, info.nodes);
            }
        },
    );
    (turn, last, nodes)
}

const SMALL: &str = "4k3/p7/8/8/8/8/7P/4K3 w - - 0 30 PKN";

#[test]
fn each_iteration_and_each_candidate_but_the_last_is_told() {
    let stop = Recorder::new(None);
    let (_, depth, _) = search(SMALL, 1, 4, &stop);
    assert_eq!(depth, 4);
    // After depths 2 and 3; after depth 4 there is nothing to decide.
    assert_eq!(stop.count(Checkpoint::Iteration), 2);
    let seen = stop.seen.into_inner().expect("no test panics with it");
    let first_end = seen.iter().position(|seen| seen.checkpoint == Checkpoint::Iteration);
    assert_eq!(first_end, Some(9), "ten candidates at depth 2");
    for seen in seen.iter().filter(|seen| seen.checkpoint == Checkpoint::Iteration) {
        assert!(seen.best_changes.is_some_and(|changes| (0.0..2.0).contains(&changes)), "{seen:?}");
        assert!(seen.effort_share.is_some_and(|share| (0.0..=1.0).contains(&share)), "{seen:?}");
        assert!(seen.next_cost.is_some_and(|cost| cost > 0.0), "{seen:?}");
        assert!(seen.lead >= 0.0 && seen.surprise >= 0.0 && seen.score_swing >= 0.0, "{seen:?}");
    }
}

#[test]
fn enough_after_an_iteration_is_the_answer_of_that_iteration() {
    let stop = Recorder::new(Some((Checkpoint::Iteration, 1)));
    let (turn, depth, _) = search(SMALL, 1, 4, &stop);
    let (want, ..) = search(SMALL, 1, 2, &Recorder::new(None));
    assert_eq!((turn, depth), (want, 2));
}

#[test]
fn enough_after_a_candidate_leaves_the_best_of_those_complete() {
    let stop = Recorder::new(Some((Checkpoint::Candidate, 3)));
    let (turn, depth, _) = search(SMALL, 1, 4, &stop);
    assert!(depth == 2 && !turn.is_empty(), "{turn}");
    assert_eq!(stop.count(Checkpoint::Iteration), 0, "the iteration is not complete");
    // Other threads may be done before they hear of it.
    let stop = Recorder::new(Some((Checkpoint::Candidate, 3)));
    let (turn, ..) = search(SMALL, 2, 4, &stop);
    assert!(!turn.is_empty() && stop.should_stop(), "{turn}");
}

#[test]
fn listening_changes_nothing_but_the_end() {
    let listening = search(SMALL, 1, 3, &Recorder::new(None));
    let mut task = Task::new(Rolled::from_dfen(SMALL).expect("a sound position"));
    task.limits.depth = Some(3);
    let mut nodes = 0;
    let settings = ExpectimaxSettings { hash: 1, ..ExpectimaxSettings::default() };
    let turn = Expectimax::new(settings).search(&task, &Never, false, &mut |event| {
        if let Event::Info(info) = event {
            nodes = info.nodes;
        }
    });
    assert_eq!(listening, (turn, 3, nodes));
}

#[test]
fn what_was_pondered_before_the_roll_saves_work_after_the_reply() {
    // White is to roll, and Black ponders on that.
    let before = Rolled::from_dfen("4k3/p7/8/8/8/8/7P/4K3 w - - 0 30").expect("a sound position");
    let after = |bot: &mut Expectimax, dice: &str, ours: &str| {
        let mut task = Task::new(
            Rolled::from_dfen(&format!("{} {dice}", before.to_string().trim_end_matches(" -")))
                .unwrap_or_else(|error| panic!("{error}")),
        );
        task.limits.depth = Some(3);
        let reply = Expectimax::new(ExpectimaxSettings::default()).search(&task, &Never, false, &mut |_| ());
        let Ok(crate::rules::TurnEnd::Position(position)) = crate::rules::apply_roll(&task.rolled, reply) else {
            panic!("{reply} captures the king")
        };
        let text = format!("{} {ours}", position.to_string().trim_end_matches(" -"));
        let mut task = Task::new(Rolled::from_dfen(&text).unwrap_or_else(|error| panic!("{text}: {error}")));
        task.limits.depth = Some(2);
        let mut nodes = 0;
        bot.search(&task, &StopSignal::new(), true, &mut |event| {
            if let Event::Info(info) = event {
                nodes = info.nodes;
            }
        });
        nodes
    };
    let (mut fresh, mut pondered) = (0, 0);
    for (dice, ours) in [("PKK", "pkk"), ("KKK", "kkk"), ("PPK", "ppk")] {
        let mut bot = Expectimax::new(ExpectimaxSettings::default());
        fresh += after(&mut bot, dice, ours);
        bot.forget();
        let mut ponder = Task::new(before);
        (ponder.mode, ponder.limits.depth) = (Mode::Ponder, Some(4));
        bot.search(&ponder, &StopSignal::new(), false, &mut |_| ());
        pondered += after(&mut bot, dice, ours);
    }
    assert!(pondered < fresh, "{pondered} nodes, {fresh} without");
}

/// Candidates of depth 3 that are told of, the choice and its value, with few candidates that are far from equal.
fn narrow(dfen: &str, threads: usize) -> (usize, Turn, Option<u64>) {
    let mut task = Task::new(Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")));
    task.limits.depth = Some(3);
    let filters = Filters { candidates: 4, threshold: 0.1, replies: 1, ..Filters::default() };
    let techniques = Techniques { filters, ..Techniques::default() };
    let settings = ExpectimaxSettings { threads, hash: 1, techniques, ..ExpectimaxSettings::linear() };
    let stop = Recorder::new(None);
    let mut value = None;
    let turn = Expectimax::new(settings).search(&task, &stop, false, &mut |event| {
        if let Event::Info(info) = event {
            value = Some(info.score.equity().value().to_bits());
        }
    });
    let seen = stop.seen.into_inner().expect("no test panics with it");
    let deeper = seen.iter().skip_while(|seen| seen.checkpoint != Checkpoint::Iteration);
    (deeper.filter(|seen| seen.checkpoint == Checkpoint::Candidate).count(), turn, value)
}

#[test]
fn what_the_filter_cut_comes_back_in_some_positions_and_for_any_threads_alike() {
    let mut back = 0;
    let boards = [
        "8/5k2/1p2p3/8/3P4/4K3/1P6/8 w - - 0 45",
        "8/5k2/1p2p3/p2pP3/P2P1K2/1P3R2/8/2r5 w - - 0 45",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ];
    for board in boards {
        for dice in ["PKK", "KKK", "PPK", "PKR", "PRR", "KRR"] {
            let dfen = format!("{board} {dice}");
            let (told, turn, value) = narrow(&dfen, 1);
            // The last candidate is told of with the iteration.
            back += usize::from(told > 3);
            let (_, shared, other) = narrow(&dfen, 3);
            assert_eq!((turn, value), (shared, other), "{dfen}");
        }
    }
    assert!(back > 0);
}

/// A search without a depth but with a limit of nodes, by a sample of rolls first: the answer, and the last line.
fn by_sample(dfen: &str, rolls: usize, threads: usize, nodes: Option<u64>) -> (Turn, Info) {
    let mut task = Task::new(Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")));
    task.limits.nodes = nodes;
    let techniques = Techniques { roll_subset: rolls, ..Techniques::default() };
    let settings = ExpectimaxSettings { threads, hash: 1, techniques, max_depth: 3, ..ExpectimaxSettings::default() };
    let mut last = None;
    let turn = Expectimax::new(settings).search(&task, &Never, true, &mut |event| {
        if let Event::Info(info) = event {
            last = Some(info);
        }
    });
    (turn, last.unwrap_or_else(|| panic!("{dfen}: no line")))
}

/// Where some turns are close, so that there is a depth 3.
const CLOSE: &str = "8/5k2/1p2p3/8/3P4/4K3/1P6/8 w - - 0 45 PKN";

#[test]
fn once_depth_3_is_complete_the_sample_makes_no_difference() {
    for dfen in [SMALL, CLOSE] {
        let (turn, info) = by_sample(dfen, 0, 1, None);
        for (rolls, threads) in [(1, 1), (14, 1), (14, 3), (56, 1)] {
            let (other, line) = by_sample(dfen, rolls, threads, None);
            assert_eq!((other, line.score, line.depth), (turn, info.score, 3), "{dfen} {rolls} {threads}");
        }
    }
}

#[test]
fn a_sample_cut_anywhere_leaves_a_complete_choice_and_repeats_itself() {
    let all = by_sample(CLOSE, 14, 1, None).1.nodes;
    let mut by_rolls = 0;
    for nodes in (1..all).step_by((all / 200).max(1) as usize) {
        let (turn, info) = by_sample(CLOSE, 14, 1, Some(nodes));
        assert_eq!(by_sample(CLOSE, 14, 1, Some(nodes)), (turn, info), "{nodes}");
        assert!(info.turn == Some(turn) && !turn.is_empty(), "{nodes}: {turn} {info:?}");
        by_rolls += usize::from((info.depth, info.seldepth) == (2, 3));
    }
    assert!(by_rolls > 0);
}

#[test]
fn where_a_depth_is_asked_for_no_rolls_are_left_out() {
    let nodes = |rolls| {
        let mut task = Task::new(Rolled::from_dfen(CLOSE).expect("a sound position"));
        task.limits.depth = Some(3);
        let techniques = Techniques { roll_subset: rolls, ..Techniques::default() };
        let settings = ExpectimaxSettings { hash: 1, techniques, ..ExpectimaxSettings::default() };
        let mut lines = Vec::new();
        Expectimax::new(settings).search(&task, &Never, false, &mut |event| lines.push(event));
        lines
    };
    assert_eq!(nodes(0), nodes(14));
}
