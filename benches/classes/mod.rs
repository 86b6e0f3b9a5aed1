//! The classes of positions that are measured, each with a roll that does not capture the king.

use astragal::board::STARTPOS;

/// Name, DFEN without dice, and dice.
pub const CLASSES: [(&str, &str, &str); 6] = [
    ("start", STARTPOS, "PNB"),
    ("opening", "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/3B1N2/PPPP1PPP/RNBQK2R b KQkq - 3 3 -", "PNK"),
    ("middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10 -", "BRQ"),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -", "NBQ"),
    ("open queens", "3q1rk1/5pp1/7p/1Q6/8/6P1/5P1P/3Q1RK1 w - - 0 30 -", "RKK"),
    ("ending", "8/5k2/1p2p3/p2pP3/P2P1K2/1P3R2/8/2r5 w - - 0 45 -", "PPK"),
];
