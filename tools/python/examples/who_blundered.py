"""Who blundered, and who was lucky? A game, turn by turn.

Run it as a program, or cell by cell in a notebook or an editor that knows ``# %%``:

    python who_blundered.py games.jsonl [number of the game, from 0]

The file may be a journal, a text record or a history of the platform. Without one, a game is played first.
"""

# %% A game.
import itertools
import sys
from pathlib import Path

import astragal
from astragal import Engine, play_game

arguments = [argument for argument in sys.argv[1:] if Path(argument).is_file()]
if arguments:
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    game = next(itertools.islice(astragal.read(arguments[0]), number, None))
else:
    game = play_game(Engine("greedy"), Engine("random"), seed=4)
print(f"{game.white} - {game.black}: {game.result:g} by {game.end}, {len(game.plies)} rolls")

# %% Its review: luck is what a roll was worth beyond the mean, loss what the turn gave away of it.
review = astragal.review(game, depth=1)  # Deeper is better, and slower.

# %% The worst turns.
worst = sorted((turn for turn in review.turns if turn.loss), key=lambda turn: -(turn.loss or 0))
for turn in worst[:5]:
    name = game.white if turn.side == "white" else game.black
    print(
        f"roll {turn.ply}, {name} with {turn.position.dice}: {turn.turn} loses {turn.loss:.3f}"
        f" against {turn.best} ({turn.mark or 'no mark'})"
    )
if worst:
    worst[0].position  # A notebook shows the board.

# %% How either played. Marks go by the loss of a turn.
for side, name in (("white", game.white), ("black", game.black)):
    summary = review.summary(side)  # type: ignore[arg-type]
    marks = ", ".join(f"{count} {mark}" for mark, count in summary.marks.items() if count) or "no marks"
    print(f"{name}: {summary.decisions} decisions lost {summary.loss:.2f}; luck {summary.luck:+.2f}; {marks}")

# %% Where the result came from, from White's view.
account = review.account
print(f"start {account.start:+.2f}, luck {account.luck:+.2f}, play {account.play:+.2f}", end=", ")
print(f"deeper looks {account.revaluation:+.2f}, end {account.last:+.2f}: {account.sum:+.2f}")
