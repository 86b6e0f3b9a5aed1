#!/usr/bin/env python3
"""Fits the tables of src/eval/weights.rs to positions that `tune` has made. Python 3.11, numpy and scipy.

    cargo run --release -p tune -- --positions 100000 --seed 1 --out positions.tsv
    python3 tools/tune/fit.py positions.tsv ... > src/eval/weights.rs

The quiet evaluation is a sum x of table entries, in centipawns, over the pieces of both sides; its equity is
q = x / sqrt(x^2 + 1000^2), and with the exact chance k to capture the king the value of a position is k + (1 - k) q. The
fit makes that as close as it can (least squares, a little ridge) to the equity two turns deep, by Gauss-Newton steps.
One position in ten is kept out of the fit; the errors on those go to stderr. The result depends on the input only.
"""
import sys

import numpy as np
from scipy.sparse import csr_matrix, diags, identity, vstack
from scipy.sparse.linalg import lsqr

TYPES = "PNBRQK"
SCALE = 1000.0
RIDGE = 0.03            # in units of the errors of equities, for a weight of 100 centipawns
STEPS = 6
# Where each group of weights begins.
MATERIAL = 0                            # by type but the king
SQUARE = MATERIAL + 5                   # by type and square, left and right alike
ENEMY_KING = SQUARE + 6 * 32            # by type but the king, ranks and files away from the enemy king
OWN_KING = ENEMY_KING + 5 * 120
DIAGONAL = OWN_KING + 5 * 120           # by the number of squares seen from the king's on diagonals
STRAIGHT = DIAGONAL + 14
TEMPO = STRAIGHT + 15
HITS = TEMPO + 1                        # by whose attack (the side to roll, the other), attacker and attacked piece
MOBILITY = HITS + 2 * 36                # by whose, and type: a square attacked
WEIGHTS = MOBILITY + 2 * 6

LINES = {"B": ((1, 1), (1, -1), (-1, 1), (-1, -1)), "R": ((1, 0), (-1, 0), (0, 1), (0, -1))}
LINES["Q"] = LINES["K"] = LINES["B"] + LINES["R"]
LINES["N"] = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))


def read_board(placement):
    """{square: letter}, a1 = 0."""
    board = {}
    for row, text in enumerate(placement.split("/")):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
            else:
                board[8 * (7 - row) + file] = letter
                file += 1
    return board


def attacked(board, square, letter):
    """The squares that a piece attacks from there."""
    kind = letter.upper()
    up = 1 if letter.isupper() else -1
    for files, ranks in ((-1, up), (1, up)) if kind == "P" else LINES[kind]:
        file, rank = square % 8 + files, square // 8 + ranks
        while 0 <= file < 8 and 0 <= rank < 8:
            yield 8 * rank + file
            if 8 * rank + file in board or kind in "PNK":
                break
            file, rank = file + files, rank + ranks


def near_file(square):
    """The square with its file counted from the nearer edge, 0..31."""
    return square // 8 * 4 + min(square % 8, 7 - square % 8)


def relative(square, king):
    """The place of a square as seen from a king's, 0..119."""
    return (square // 8 - king // 8 + 7) * 8 + abs(square % 8 - king % 8)


def features(dfen):
    """The weights that make up the value of a position, with their signs."""
    placement, side = dfen.split()[:2]
    board = read_board(placement)
    kings = {letter: square for square, letter in board.items() if letter in "Kk"}
    found = [(TEMPO, 1.0)]
    for white, sign in ((True, 1.0 if side == "w" else -1.0), (False, -1.0 if side == "w" else 1.0)):
        flip = 0 if white else 56
        own_king, enemy_king = (kings["K"], kings["k"]) if white else (kings["k"], kings["K"])
        for square, letter in board.items():
            if letter.isupper() != white:
                continue
            kind = TYPES.index(letter.upper())
            found.append((SQUARE + 32 * kind + near_file(square ^ flip), sign))
            if kind < 5:
                found.append((MATERIAL + kind, sign))
                found.append((ENEMY_KING + 120 * kind + relative(square ^ flip, enemy_king ^ flip), sign))
                found.append((OWN_KING + 120 * kind + relative(square ^ flip, own_king ^ flip), sign))
        found.append((DIAGONAL + len(list(attacked(board, own_king, "B"))), sign))
        found.append((STRAIGHT + len(list(attacked(board, own_king, "R"))), sign))
        # What counts is whether a die of a type can take a piece, not how many pieces of the type can.
        sets = [set() for _ in TYPES]
        for square, letter in board.items():
            if letter.isupper() == white:
                sets[TYPES.index(letter.upper())].update(attacked(board, square, letter))
        other = 0 if sign > 0 else 1
        for kind, squares in enumerate(sets):
            found.append((MOBILITY + 6 * other + kind, sign * len(squares)))
            for square in squares:
                victim = board.get(square)
                # That the side to roll attacks the king is known exactly already.
                if victim and victim.isupper() != white and not (victim in "Kk" and sign > 0):
                    found.append((HITS + 36 * other + 6 * kind + TYPES.index(victim.upper()), sign))
    return found


def load(paths):
    """The matrix of features, the equities and the chances to capture the king."""
    columns, values, ends, equities, captures = [], [], [0], [], []
    for path in paths:
        for line in open(path):
            dfen, equity, weight = line.rstrip("\n").split("\t")
            for column, value in features(dfen):
                columns.append(column)
                values.append(value)
            ends.append(len(columns))
            equities.append(float(equity))
            captures.append(int(weight) / 216)
    matrix = csr_matrix((np.array(values, np.float32), np.array(columns, np.int32), np.array(ends)),
                        shape=(len(equities), WEIGHTS))
    return matrix, np.array(equities), np.array(captures)


def value(x, captures):
    return captures + (1 - captures) * x / np.sqrt(x * x + SCALE * SCALE)


def fit(matrix, equities, captures):
    weights = np.zeros(WEIGHTS)
    weights[MATERIAL:MATERIAL + 5] = (100, 300, 300, 500, 900)
    start = weights.copy()
    ridge = np.full(WEIGHTS, RIDGE * np.sqrt(len(equities)) / 100 / 10)
    ridge[MATERIAL:MATERIAL + 5] /= 10
    for _ in range(STEPS):
        x = matrix @ weights
        slope = (1 - captures) * SCALE * SCALE / np.power(x * x + SCALE * SCALE, 1.5)
        rows = vstack([diags(slope) @ matrix, diags(ridge)]).tocsr()
        wanted = np.concatenate([equities - value(x, captures), ridge * (start - weights)])
        weights = weights + lsqr(rows, wanted, atol=1e-9, btol=1e-9, iter_lim=400)[0]
        print(f"error in the fit {rms(matrix, weights, equities, captures):.4f}", file=sys.stderr)
    return weights


def rms(matrix, weights, equities, captures):
    return float(np.sqrt(np.mean((value(matrix @ weights, captures) - equities) ** 2)))


def table(name, what, rows, columns):
    """A static table of so many rows."""
    width = len(rows[0])
    lines = [f"/// {what}", f"pub(super) static {name}: [[i16; {width}]; {len(rows)}] = ["]
    for row in rows:
        lines.append("    [")
        for first in range(0, width, columns):
            lines.append("        " + " ".join(f"{round(entry)}," for entry in row[first:first + columns]))
        lines.append("    ],")
    return "\n".join(lines + ["];"])


def hits(weights):
    """The tables of attacks on pieces, and of attacked squares."""
    lines = ["/// By whose attack (the side to roll first), the attacker's type and the type of what it attacks.",
             "pub(super) static HITS: [[[i16; 6]; 6]; 2] = ["]
    for other in range(2):
        lines.append("    [")
        for kind in range(6):
            first = HITS + 36 * other + 6 * kind
            lines.append("        [" + ", ".join(str(round(w)) for w in weights[first:first + 6]) + "],")
        lines.append("    ],")
    lines += ["];", "", "/// For each square that a type of piece attacks, by whose (the side to roll first) and type.",
              "pub(super) static MOBILITY: [[i16; 6]; 2] = ["]
    for other in range(2):
        first = MOBILITY + 6 * other
        lines.append("    [" + ", ".join(str(round(w)) for w in weights[first:first + 6]) + "],")
    return "\n".join(lines + ["];"])


def main():
    matrix, equities, captures = load(sys.argv[1:])
    held = np.arange(len(equities)) % 10 == 9
    weights = fit(matrix[~held], equities[~held], captures[~held])
    plain = np.zeros(WEIGHTS)
    plain[MATERIAL:MATERIAL + 5] = (100, 300, 300, 500, 900)
    print(f"{len(equities)} positions; spread of equities {np.std(equities[held]):.4f}; errors on those held out: "
          f"material {rms(matrix[held], plain, equities[held], captures[held]):.4f}, "
          f"fitted {rms(matrix[held], weights, equities[held], captures[held]):.4f}", file=sys.stderr)
    material = list(weights[MATERIAL:MATERIAL + 5]) + [0]
    squares = [[material[kind] + weights[SQUARE + 32 * kind + near_file(square)] for square in range(64)]
               for kind in range(6)]
    group = lambda start: [weights[start + 120 * kind:start + 120 * (kind + 1)] for kind in range(5)]
    print(f"""//! The weights of the evaluation, in centipawns. Made by `tools/tune/fit.py` from {len(equities)} positions; do not edit.

{table("SQUARE", "By type and square, seen from the side of the piece's owner; material is in it.", squares, 8)}

{table("ENEMY_KING", "By type (no king) and place: 8 × (7 + ranks ahead of the enemy king) + files away from it.",
       group(ENEMY_KING), 8)}

{table("OWN_KING", "The same as seen from the own king.", group(OWN_KING), 8)}

/// By the number of squares seen from the own king's square on diagonals.
pub(super) static DIAGONAL: [i16; 14] = [{", ".join(str(round(w)) for w in weights[DIAGONAL:DIAGONAL + 14])}];

/// By the number of squares seen from the own king's square on its rank and file.
pub(super) static STRAIGHT: [i16; 15] = [{", ".join(str(round(w)) for w in weights[STRAIGHT:STRAIGHT + 15])}];

{hits(weights)}

/// For the right to roll next.
pub(super) const TEMPO: i32 = {round(weights[TEMPO])};""")


if __name__ == "__main__":
    main()
