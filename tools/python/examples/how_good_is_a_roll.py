"""How good is a roll? Every roll of a position by its value, and what a deeper look changes.

Run it as a program, or cell by cell in a notebook or an editor that knows ``# %%``:

    python how_good_is_a_roll.py "DFEN of a position without dice"
"""

# %% A position, and what it is worth before anybody throws.
import sys

import numpy as np

from astragal import ROLLS, WEIGHTS, Engine, Position

ITALIAN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4 -"
arguments = [argument for argument in sys.argv[1:] if argument.count("/") == 7]
position = Position(arguments[0] if arguments else ITALIAN)
print(position.diagram())
print(f"{position.side} is to roll; the king falls with a chance of {position.king_capture():.1%}")
position  # A notebook shows the board.

# %% The value of each roll one turn deep, an equity from -1 to 1, and their mean over the 216 throws.
values = position.roll_values()
mean = WEIGHTS @ values / 216
print(f"worth before the roll: {mean:+.3f}")

# %% The best and the worst rolls. What a roll is worth beyond the mean is its luck.
order = np.argsort(-values, kind="stable")
print("roll  throws  value    luck   a turn that makes it so")
# By the evaluation of `roll_values`; the default is the network.
engine = Engine("expectimax", leaf_eval="full", pre_ranker="full")
for place in [*order[:5], *order[-5:]]:
    roll = ROLLS[place]
    turn = engine.search(position, roll, depth=1).turn
    print(f"{roll}   {WEIGHTS[place]:6d}  {values[place]:+.3f}  {values[place] - mean:+.3f}  {turn}")

# %% How often is a roll good? The chance to come out above a value.
for least in (0.0, 0.1, 0.25, 0.5):
    print(f"at least {least:+.2f}: {WEIGHTS[values >= least].sum() / 216:.1%} of the throws")

# %% One turn deeper the opponent answers: which rolls looked better than they are?
deeper = engine.roll_values(position, depth=2)
changed = np.argsort(deeper - values, kind="stable")
for place in changed[:3]:
    print(f"{ROLLS[place]}: {values[place]:+.3f} one turn deep, {deeper[place]:+.3f} two turns deep")

# %% All that can happen on all rolls, as one array: 96 bytes an outcome.
rows = position.all_outcomes()
print(f"{len(rows)} outcomes; {np.bincount(rows['roll'], minlength=56).max()} of the roll that has most")
