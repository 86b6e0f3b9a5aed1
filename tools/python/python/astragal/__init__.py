"""Astragal, a Dice Chess engine: rules, evaluation, search, matches, reviews and records.

Positions are immutable, rolls are texts such as ``"PNB"``, turns are texts such as ``"e2e4,g1f3"`` (``"0000"`` is a pass).
Values are equities: the expected result for the side to move, from -1 (lost) to 1 (won).

>>> import astragal
>>> position = astragal.Position()
>>> len(position.turns("PNB")), len(position.outcomes("PNB"))
(340, 124)
"""

from ._astragal import (
    BOTS,
    HAS_ONNX,
    MARKS,
    OUTCOME_DTYPE,
    ROLLS,
    STARTPOS,
    WEIGHTS,
    Account,
    Budget,
    Clock,
    Engine,
    Game,
    GameReview,
    JournalWriter,
    Line,
    Outcome,
    Outcomes,
    Ply,
    Position,
    Records,
    Referee,
    SearchResult,
    Summary,
    TurnReview,
    __version__,
    bot_seed,
    budget,
    default_header,
    review,
    roll_index,
    seeded_roll,
)
from ._match import ClockPlayer, Match, Player, play_game, play_match
from ._packed import POSITION_DTYPE, Packed, pack_positions, read_packed, unpack_position, write_packed
from ._text import read, turn_text, write_text

__all__ = [
    "BOTS",
    "HAS_ONNX",
    "MARKS",
    "OUTCOME_DTYPE",
    "POSITION_DTYPE",
    "ROLLS",
    "STARTPOS",
    "WEIGHTS",
    "Account",
    "Budget",
    "Clock",
    "ClockPlayer",
    "Engine",
    "Game",
    "GameReview",
    "JournalWriter",
    "Line",
    "Match",
    "Outcome",
    "Outcomes",
    "Packed",
    "Player",
    "Ply",
    "Position",
    "Records",
    "Referee",
    "SearchResult",
    "Summary",
    "TurnReview",
    "__version__",
    "bot_seed",
    "budget",
    "default_header",
    "pack_positions",
    "play_game",
    "play_match",
    "read",
    "read_packed",
    "review",
    "roll_index",
    "seeded_roll",
    "turn_text",
    "unpack_position",
    "write_packed",
    "write_text",
]
