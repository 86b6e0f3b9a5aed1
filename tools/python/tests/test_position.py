"""Positions, rolls, and what is said of them."""

import pickle
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import astragal
from astragal import ROLLS, STARTPOS, WEIGHTS, Position

ITALIAN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4 -"
KING_EN_PRISE = "3k4/8/2P5/8/8/8/8/K7 w - - 0 1 -"


def test_rolls_and_weights() -> None:
    assert len(ROLLS) == 56 and len(set(ROLLS)) == 56
    assert WEIGHTS.sum() == 216 and set(WEIGHTS.tolist()) == {1, 3, 6}
    assert [astragal.roll_index(roll) for roll in ROLLS] == list(range(56))
    assert astragal.roll_index("bnp") == astragal.roll_index("PNB")
    for roll, weight in zip(ROLLS, WEIGHTS):
        assert weight == {1: 1, 2: 3, 3: 6}[len(set(roll))]
    with pytest.raises(ValueError):
        WEIGHTS[0] = 2
    for bad in ("", "PN", "PNBR", "PNX"):
        with pytest.raises(ValueError):
            astragal.roll_index(bad)


def test_a_position_is_a_value() -> None:
    position = Position()
    same = Position.from_dfen(STARTPOS)
    assert position == same and hash(position) == hash(same) and len({position, same}) == 1
    assert position != position.with_roll("PPP") and position != position.flip_colors()
    assert position != 1 and str(position) == STARTPOS and eval(repr(position)) == position
    with pytest.raises(AttributeError):
        position.side = "black"  # type: ignore[misc]
    rolled = position.with_roll("kqp")
    assert pickle.loads(pickle.dumps(rolled)) == rolled
    assert rolled.dice == "PQK" and rolled.without_roll() == position and position.dice is None


def test_what_a_position_tells() -> None:
    position = Position(ITALIAN)
    assert (position.side, position.halfmove, position.fullmove, position.is_drawn) == ("white", 4, 4, False)
    assert (position.piece_at("c4"), position.piece_at("f6"), position.piece_at("e6")) == ("B", "n", None)
    assert position.key == Position(ITALIAN.replace(" 4 4", " 9 9")).key != Position().key
    assert len(position.diagram().splitlines()) == 10
    for bad in ("", "e9", "i1", "e44"):
        with pytest.raises(ValueError):
            position.piece_at(bad)


def test_turns_need_dice() -> None:
    position = Position()
    for ask in (position.turns, position.outcomes, position.must_pass, position.luck):
        with pytest.raises(ValueError, match="no dice"):
            ask()
    with pytest.raises(ValueError):
        position.turns("PNX")
    assert position.turns("NNN") == position.with_roll("NNN").turns()


def test_playing_is_checked() -> None:
    position = Position()
    after = position.play("e2e4,g1f3,f1c4", "PNB")
    assert after is not None and after.side == "black" and after.dice is None
    for bad, roll in (
        ("e2e4", "PNB"),
        ("e2e5,g1f3,f1c4", "PNB"),
        ("0000", "PNB"),
        ("nonsense", "PNB"),
        ("e2e4", "QQQ"),
    ):
        with pytest.raises(ValueError):
            position.play(bad, roll)
    # Without a roll every micro-move must be possible.
    assert position.play("e2e4,g1f3") is not None
    with pytest.raises(ValueError):
        position.play("e2e4,e2e4")
    passed = position.play("0000", "QQQ")
    assert passed is not None and passed.side == "black"


def test_a_captured_king_ends_the_game() -> None:
    position = Position(KING_EN_PRISE)
    roll = position.winning_rolls()[0]
    found = position.outcomes(roll)
    assert found.king_capture is not None and found.capturing_turns >= 1
    assert position.play(found.king_capture, roll) is None
    assert position.luck(roll) > 0
    assert position.roll_values()[astragal.roll_index(roll)] == 1.0


def test_outcomes_are_a_sequence() -> None:
    found = Position().outcomes("PNB")
    assert len(found) == 124 and found[0].turn == list(found)[0].turn and found[-1].turn == found[123].turn
    assert sum(outcome.ways for outcome in found) == found.legal_turns == 340
    assert len({outcome.position.key for outcome in found}) == 124
    for place in (124, -125):
        with pytest.raises(IndexError):
            found[place]


def test_evaluation() -> None:
    for dfen in (STARTPOS, ITALIAN, KING_EN_PRISE):
        position = Position(dfen)
        assert -1 <= position.evaluate() <= 1
        assert position.evaluate() == pytest.approx(position.flip_colors().evaluate(), abs=1e-12)
        values = position.roll_values()
        assert values.shape == (56,) and values.dtype == np.float64 and np.abs(values).max() <= 1
        mean = float(WEIGHTS @ values / 216)
        for roll, value in zip(ROLLS, values):
            assert position.luck(roll) == pytest.approx(value - mean, abs=1e-12)
    assert Position(ITALIAN).evaluate("full") == Position(ITALIAN).evaluate()
    by_network = {Position(dfen).evaluate("network") for dfen in (STARTPOS, ITALIAN, KING_EN_PRISE)}
    assert len(by_network) == 3 and all(-1 <= value <= 1 for value in by_network)
    # The chance to capture is 16 of 216 on top of what is without it.
    quiet, full = (Position(KING_EN_PRISE).evaluate(by) for by in ("quiet", "full"))
    assert full == pytest.approx(16 / 216 + 200 / 216 * quiet, abs=1e-12)
    with pytest.raises(ValueError):
        Position().evaluate("nonsense")
    drawn = Position("4k3/8/8/8/8/8/8/4K2Q w - - 100 80 -")
    assert drawn.is_drawn and drawn.evaluate() == 0
    terms = Position(ITALIAN).evaluation_terms()
    assert set(terms) == {
        "material", "placement", "attack", "openness", "threats", "tempo", "quiet", "capturing",
    }  # fmt: skip
    assert terms["material"][0] == terms["material"][1] > 0
    assert Position(KING_EN_PRISE).evaluation_terms()["capturing"] == 16


def test_features() -> None:
    for kind, width in {"material": 7, "rich": 9, "kcp": 13, "rawboard": 768, "network": 769}.items():
        row = Position(ITALIAN).features(kind)
        assert row.shape == (width,) and row.dtype == np.float32
    assert Position(ITALIAN).features("rawboard").sum() == 32
    with pytest.raises(ValueError):
        Position().features("nonsense")


def test_the_image_is_xml_with_every_piece() -> None:
    image = ElementTree.fromstring(Position(ITALIAN).with_roll("PNB")._repr_svg_())
    name = "{http://www.w3.org/2000/svg}"
    placed = [use for use in image.iter(name + "use") if "x" in use.attrib]
    assert len(placed) == 32 and {use.attrib["href"][1:] for use in placed} == {
        side + kind for side in "wb" for kind in "PNBRQK"
    }
    assert any(text.text and text.text.endswith("to play PNB") for text in image.iter(name + "text"))


def test_a_book_line() -> None:
    position = Position().with_roll("BNP")
    line = position.book_line("g1f3,e2e4,f1c4", 3)
    assert line.rstrip("\n") == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BNP\tg1f3,e2e4,f1c4\t3".replace(
        "BNP", position.book_key().split(" ")[-1]
    )
    with pytest.raises(ValueError):
        position.book_line("e2e4,e2e4")
