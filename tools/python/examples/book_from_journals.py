"""An opening book from journals: what the winners played.

Run it as a program, or cell by cell in a notebook or an editor that knows ``# %%``:

    python book_from_journals.py book.tsv games.jsonl [more journals]

Without journals a match is played first. (``arena book`` makes books, too; this shows how to choose by a rule of one's own.)
"""

# %% The games.
import sys
from collections import defaultdict
from pathlib import Path

import astragal
from astragal import Engine, Game, Position, play_match

book_file = Path(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1].endswith(".tsv") else "book.tsv")
journals = [argument for argument in sys.argv[2:] if Path(argument).is_file()]
games: list[Game] = [game for journal in journals for game in astragal.read(journal)]
if not games:
    games = play_match(Engine("greedy-v2"), Engine("greedy"), games=40, seed=1).games
print(f"{len(games)} games")

# %% The points that each turn has made in the first turns of the games, 2 for a win and 1 for a draw.
TURNS = 4
points: defaultdict[Position, dict[str, int]] = defaultdict(dict)
for game in games:
    for ply, position in zip(game.plies, game.positions()):
        if position.fullmove > TURNS:
            break
        if ply.turn is None or ply.passed:
            continue
        won = game.result if position.side == "white" else 1 - game.result
        # The same position at another number is the same.
        here = Position(" ".join([*position.to_dfen().split(" ")[:4], "0", "1", position.dice or "-"]))
        points[here][ply.turn] = points[here].get(ply.turn, 0) + round(2 * won)

# %% A line for every turn that has made a point.
lines = [
    position.book_line(turn, weight).rstrip("\n")
    for position, turns in points.items()
    for turn, weight in sorted(turns.items())
    if weight > 0
]
book_file.write_text("\n".join([f"# From {len(games)} games.", *lines]) + "\n", encoding="utf-8")
print(f"{len(lines)} turns of {len(points)} positions with their rolls in {book_file.name}")

# %% The engine plays by it.
engine = Engine("expectimax", own_book=True, book_file=book_file)
known = next(position for position, turns in points.items() if any(turns.values()))
found = engine.search(known, depth=1)
print(f"{known}: {found.turn}{' (from the book)' if found.from_book else ''}")
