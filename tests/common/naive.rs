//! The rules once more, read off their page as plainly as possible: a mailbox board, every sequence listed, the
//! maximum rule applied to the list. It shares no code with the library but the types that name things.

use astragal::board::{Dice, MicroMove, PieceType, Square};
use astragal::rules::{Roll, Turn};
use std::array;
use std::fmt::Write;
use std::sync::LazyLock;

const EMPTY: u8 = b'.';
const STRAIGHT_AND_DIAGONAL: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

struct Castling {
    letter: char,
    king: [usize; 2],
    rook: [usize; 2],
    between: &'static [usize],
}

const CASTLINGS: [Castling; 4] = [
    Castling { letter: 'K', king: [4, 6], rook: [7, 5], between: &[5, 6] },
    Castling { letter: 'Q', king: [4, 2], rook: [0, 3], between: &[1, 2, 3] },
    Castling { letter: 'k', king: [60, 62], rook: [63, 61], between: &[61, 62] },
    Castling { letter: 'q', king: [60, 58], rook: [56, 59], between: &[57, 58, 59] },
];

/// How many dice show each face, P N B R Q K.
type Faces = [usize; 6];

/// A position on a board of 64 letters as in FEN, a1 first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Naive {
    pub board: [u8; 64],
    pub white: bool,
    pub castling: [bool; 4],
    pub targets: [bool; 64],
    pub halfmove: u32,
    pub fullmove: u32,
}

/// One micro-move and the dice it takes.
pub struct Step {
    from: usize,
    to: usize,
    promotion: Option<u8>,
    needs: Faces,
}

/// A sequence of micro-moves, the number of dice it uses, and the position after the turn has ended with it (none
/// when it captures the king).
pub struct Line {
    pub turn: Turn,
    pub used: usize,
    pub end: Option<Naive>,
}

/// The square that number of files and ranks away, if it is on the board.
pub fn shifted(square: usize, files: i32, ranks: i32) -> Option<usize> {
    let (file, rank) = (square as i32 % 8 + files, square as i32 / 8 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((file + 8 * rank) as usize)
}

fn face(letter: u8) -> usize {
    b"PNBRQK".iter().position(|face| *face == letter.to_ascii_uppercase()).expect("a piece letter")
}

fn one_die(letter: u8) -> Faces {
    array::from_fn(|n| usize::from(n == face(letter)))
}

fn faces_of(dice: Dice) -> Faces {
    PieceType::ALL.map(|face| dice.count(face))
}

fn sum(a: Faces, b: Faces) -> Faces {
    array::from_fn(|n| a[n] + b[n])
}

fn fits(used: Faces, dice: Faces) -> bool {
    (0..6).all(|n| used[n] <= dice[n])
}

/// Of a target: whether a white pawn left it, that pawn's letter, and the square it stands on.
fn owner_of(target: usize) -> (bool, u8, usize) {
    if target / 8 == 2 { (true, b'P', target + 8) } else { (false, b'p', target - 8) }
}

impl Step {
    fn new(from: usize, to: usize, letter: u8) -> Self {
        Self { from, to, promotion: None, needs: one_die(letter) }
    }

    fn micro_move(&self) -> MicroMove {
        let (from, to) = (Square::new(self.from as u8), Square::new(self.to as u8));
        match self.promotion.and_then(PieceType::from_letter) {
            Some(kind) => MicroMove::promoting(from, to, kind),
            None => MicroMove::new(from, to),
        }
    }
}

impl Naive {
    /// Reads the first six fields of a DFEN that is known to be good.
    pub fn read(dfen: &str) -> Self {
        let fields: Vec<&str> = dfen.split(' ').collect();
        let mut board = [EMPTY; 64];
        for (row, rank) in fields[0].split('/').zip((0..8).rev()) {
            let mut at = 8 * rank;
            for letter in row.bytes() {
                if letter.is_ascii_digit() {
                    at += usize::from(letter - b'0');
                } else {
                    board[at] = letter;
                    at += 1;
                }
            }
        }
        let mut targets = [false; 64];
        for name in fields[3].as_bytes().chunks_exact(2) {
            targets[usize::from(name[0] - b'a') + 8 * usize::from(name[1] - b'1')] = true;
        }
        Self {
            board,
            white: fields[1] == "w",
            castling: CASTLINGS.map(|castling| fields[2].contains(castling.letter)),
            targets,
            halfmove: fields[4].parse().expect("a number"),
            fullmove: fields[5].parse().expect("a number"),
        }
    }

    /// The same for all positions that are the same decision: those that differ in the counters at most.
    pub fn without_counters(&self) -> Self {
        Self { halfmove: 0, fullmove: 0, ..*self }
    }

    /// The DFEN without dice.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let row = String::from_utf8_lossy(&self.board[8 * rank..8 * rank + 8]).into_owned();
            let row = (1..=8).rev().fold(row, |row, run| row.replace(&".".repeat(run), &run.to_string()));
            text += &row;
            text += if rank > 0 { "/" } else { " " };
        }
        text += if self.white { "w " } else { "b " };
        let rights: String = (0..4).filter(|n| self.castling[*n]).map(|n| CASTLINGS[n].letter).collect();
        let files_first = (0..64).map(|n| n / 8 + n % 8 * 8);
        let mut names = String::new();
        for target in files_first.filter(|square| self.targets[*square]) {
            let _ = write!(names, "{}", Square::new(target as u8));
        }
        let or_dash = |text: String| if text.is_empty() { "-".to_string() } else { text };
        format!("{text}{} {} {} {} -", or_dash(rights), or_dash(names), self.halfmove, self.fullmove)
    }

    fn is_own(&self, piece: u8) -> bool {
        piece != EMPTY && piece.is_ascii_uppercase() == self.white
    }

    fn is_enemy(&self, piece: u8) -> bool {
        piece != EMPTY && piece.is_ascii_uppercase() != self.white
    }

    /// Every micro-move of the side to move, whatever the dice.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::with_capacity(80);
        for from in (0..64).filter(|from| self.is_own(self.board[*from])) {
            let letter = self.board[from].to_ascii_uppercase();
            let (directions, longest) = match letter {
                b'P' => {
                    self.pawn_steps(from, &mut steps);
                    continue;
                }
                b'N' => (&KNIGHT[..], 1),
                b'B' => (&STRAIGHT_AND_DIAGONAL[4..], 7),
                b'R' => (&STRAIGHT_AND_DIAGONAL[..4], 7),
                b'Q' => (&STRAIGHT_AND_DIAGONAL[..], 7),
                _ => (&STRAIGHT_AND_DIAGONAL[..], 1),
            };
            for &(files, ranks) in directions {
                for distance in 1..=longest {
                    let Some(to) = shifted(from, files * distance, ranks * distance) else { break };
                    if !self.is_own(self.board[to]) {
                        steps.push(Step::new(from, to, letter));
                    }
                    if self.board[to] != EMPTY {
                        break;
                    }
                }
            }
        }
        for (castling, allowed) in CASTLINGS.iter().zip(self.castling) {
            let own = castling.letter.is_ascii_uppercase() == self.white;
            if allowed && own && castling.between.iter().all(|square| self.board[*square] == EMPTY) {
                let needs = sum(one_die(b'K'), one_die(b'R'));
                steps.push(Step { from: castling.king[0], to: castling.king[1], promotion: None, needs });
            }
        }
        steps
    }

    fn pawn_steps(&self, from: usize, steps: &mut Vec<Step>) {
        let (ahead, home) = if self.white { (1, 1) } else { (-1, 6) };
        let mut ends = Vec::with_capacity(4);
        if let Some(one) = shifted(from, 0, ahead).filter(|one| self.board[*one] == EMPTY) {
            ends.push(one);
            let two = shifted(from, 0, 2 * ahead).filter(|two| from / 8 == home && self.board[*two] == EMPTY);
            ends.extend(two);
        }
        for to in [-1, 1].into_iter().filter_map(|files| shifted(from, files, ahead)) {
            let en_passant = self.targets[to] && owner_of(to).0 != self.white;
            if self.is_enemy(self.board[to]) || en_passant {
                ends.push(to);
            }
        }
        for to in ends {
            let takes_king = self.board[to].eq_ignore_ascii_case(&b'K');
            if matches!(to / 8, 0 | 7) && !takes_king {
                steps.extend(b"QRBN".map(|letter| Step { promotion: Some(letter), ..Step::new(from, to, b'P') }));
            } else {
                steps.push(Step::new(from, to, b'P'));
            }
        }
    }

    fn takes_king(&self, step: &Step) -> bool {
        self.board[step.to].eq_ignore_ascii_case(&b'K')
    }

    fn play(&self, step: &Step) -> Self {
        let &Step { from, to, promotion, .. } = step;
        let mut next = *self;
        let piece = self.board[from];
        let is_pawn = piece.eq_ignore_ascii_case(&b'P');
        let cased = |letter: u8| if self.white { letter } else { letter.to_ascii_lowercase() };
        next.halfmove = if is_pawn || self.board[to] != EMPTY { 0 } else { self.halfmove.saturating_add(1) };
        if is_pawn && from % 8 != to % 8 && self.board[to] == EMPTY {
            next.board[from / 8 * 8 + to % 8] = EMPTY;
        }
        next.board[from] = EMPTY;
        next.board[to] = promotion.map_or(piece, cased);
        for (n, castling) in CASTLINGS.iter().enumerate() {
            if piece.eq_ignore_ascii_case(&b'K') && castling.king == [from, to] {
                next.board[castling.rook[1]] = next.board[castling.rook[0]];
                next.board[castling.rook[0]] = EMPTY;
            }
            let homes = [castling.king[0], castling.rook[0]];
            next.castling[n] &= !homes.contains(&from) && !homes.contains(&to);
        }
        for target in (0..64).filter(|square| self.targets[*square]) {
            let (_, pawn, stands_on) = owner_of(target);
            next.targets[target] = next.board[target] == EMPTY && next.board[stands_on] == pawn;
        }
        if is_pawn && from.abs_diff(to) == 16 {
            next.targets[(from + to) / 2] = true;
        }
        next
    }

    /// The position after the turn has ended here.
    pub fn end(&self) -> Self {
        let mut next = *self;
        for target in (0..64).filter(|square| self.targets[*square]) {
            next.targets[target] = owner_of(target).0 == self.white;
        }
        next.fullmove = self.fullmove.saturating_add(u32::from(!self.white));
        next.white = !self.white;
        next
    }

    /// The position after one micro-move that must be possible and must not take the king.
    pub fn after(&self, mv: MicroMove) -> Self {
        let step = self.steps().into_iter().find(|step| step.micro_move() == mv);
        self.play(&step.unwrap_or_else(|| panic!("{}: {mv}", self.text())))
    }

    /// Every sequence of micro-moves, the empty one too, on dice such that `allowed` says yes to those used.
    fn lines(&self, allowed: &dyn Fn(Faces) -> bool) -> Vec<Line> {
        let mut lines = Vec::new();
        self.follow(Turn::PASS, [0; 6], allowed, &mut lines);
        lines
    }

    fn follow(&self, turn: Turn, used: Faces, allowed: &dyn Fn(Faces) -> bool, lines: &mut Vec<Line>) {
        lines.push(Line { turn, used: used.iter().sum(), end: Some(self.end()) });
        for step in self.steps() {
            let (turn, used) = (turn.then(step.micro_move()), sum(used, step.needs));
            if !allowed(used) {
                continue;
            }
            if self.takes_king(&step) {
                lines.push(Line { turn, used: used.iter().sum(), end: None });
            } else {
                self.play(&step).follow(turn, used, allowed, lines);
            }
        }
    }

    /// The legal turns on those dice; a pass where there is nothing else.
    pub fn legal(&self, dice: Dice) -> Vec<Line> {
        let all = faces_of(dice);
        let mut lines = self.lines(&|used| fits(used, all));
        let most = lines.iter().filter(|line| line.end.is_some()).map(|line| line.used).max();
        let can_move = lines.len() > 1;
        lines.retain(|line| line.end.is_none() || (Some(line.used) == most && line.turn.is_empty() != can_move));
        lines
    }

    /// Every sequence that some roll of three dice allows, be it a legal turn of that roll or not.
    pub fn possible(&self) -> Vec<Line> {
        self.lines(&|used| used.iter().sum::<usize>() <= Dice::MOST)
    }

    /// Which rolls capture the king, a bit for each roll's number.
    pub fn winning_rolls(&self) -> u64 {
        let mut won = 0;
        self.hunt([0; 6], &mut won);
        won
    }

    fn hunt(&self, used: Faces, won: &mut u64) {
        for step in self.steps() {
            let used = sum(used, step.needs);
            let dice: usize = used.iter().sum();
            if dice > Dice::MOST {
                continue;
            }
            if self.takes_king(&step) {
                *won |= rolls_with(used);
            } else if dice < Dice::MOST && rolls_with(used) & !*won != 0 {
                self.play(&step).hunt(used, won);
            }
        }
    }
}

/// The rolls that hold all these dice, a bit for each roll's number.
fn rolls_with(used: Faces) -> u64 {
    static ROLLS: LazyLock<Vec<(u64, Faces)>> =
        LazyLock::new(|| Roll::all().map(|roll| (1 << roll.index(), faces_of(roll.dice()))).collect());
    ROLLS.iter().filter(|(_, faces)| fits(used, *faces)).map(|(bit, _)| bit).sum()
}
