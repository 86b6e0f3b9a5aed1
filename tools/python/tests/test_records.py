"""Records: journals, texts, histories, packed positions."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import astragal
from astragal import POSITION_DTYPE, Game, JournalWriter, Position, Records


def test_every_form_is_read(root: Path, tmp_path: Path) -> None:
    records = root / "tests" / "records"
    journal = Records(records / "format1.jsonl")
    assert journal.form == "journal" and [player["name"] for player in journal.header["players"]]
    games = list(journal)
    assert len(games) == 2 and journal.torn is None
    histories = astragal.read(records / "histories.json")
    assert histories.form == "history" and len(list(histories)) >= 1
    text = tmp_path / "games.txt"
    assert astragal.write_text(text, games) == 2
    again = astragal.read(text)
    assert again.form == "text"
    for game, other in zip(games, again):
        assert [(ply.roll, ply.turn) for ply in game.plies] == [(ply.roll, ply.turn) for ply in other.plies]
        assert (game.white, game.black, game.result) == (other.white, other.black, other.result)


def test_a_game_is_a_value(root: Path) -> None:
    for name in ("format1.jsonl", "histories.json"):
        for game in astragal.read(root / "tests" / "records" / name):
            assert Game.from_json(game.to_json()) == game
            assert pickle.loads(pickle.dumps(game)).to_json() == game.to_json()
            assert json.loads(game.to_json()) == game.to_dict()
            assert len(game.positions()) == len(game.plies)


def test_a_journal_is_written_and_read(root: Path, tmp_path: Path) -> None:
    games = list(astragal.read(root / "tests" / "records" / "histories.json"))
    path = tmp_path / "games.jsonl"
    with JournalWriter(path, astragal.default_header("tests 1")) as writer:
        for number, game in enumerate(games):
            line = game.to_dict()
            line["number"] = number
            writer.append(Game.from_json(json.dumps(line)))
    with pytest.raises(ValueError):
        writer.append(games[0])
    again = list(Records(path))
    assert [(game.white, game.id, game.end) for game in again] == [(game.white, game.id, game.end) for game in games]
    with pytest.raises(FileExistsError):
        JournalWriter(path, astragal.default_header("tests 1"))
    resumed = JournalWriter(path, astragal.default_header("tests 1"), resume=True)
    assert resumed.numbers == list(range(len(games)))
    with pytest.raises(OSError):
        JournalWriter(path, astragal.default_header("tests 1"), resume=True)
    resumed.close()


def test_what_is_no_record_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        astragal.read(tmp_path / "nothing")
    header = astragal.default_header("tests 1")
    for bad in ("", "{}", "[1]", "nonsense", '{"type":"game"}', json.dumps({"type": "header", **header})):
        with pytest.raises(ValueError):
            Game.from_json(bad)
    with pytest.raises(ValueError):
        JournalWriter(tmp_path / "bad.jsonl", {"format": 2})
    later = tmp_path / "later.jsonl"
    later.write_text(json.dumps({"type": "header", **header, "format": 99}) + "\n")
    with pytest.raises(ValueError, match="99"):
        list(astragal.read(later))


def test_reading_goes_on_after_a_bad_line(root: Path, tmp_path: Path) -> None:
    lines = (root / "tests" / "records" / "format1.jsonl").read_text().splitlines(keepends=True)
    path = tmp_path / "bad.jsonl"
    path.write_text(lines[0] + '{"type":"game","nonsense":1}\n' + lines[1] + lines[2][:50])
    records = Records(path)
    with pytest.raises(ValueError, match="line 2"):
        next(records)
    assert [game.number for game in records] == [0] and records.torn == 4


def test_a_game_that_cannot_have_been_played_is_told(root: Path) -> None:
    line = next(astragal.read(root / "tests" / "records" / "format1.jsonl")).to_dict()
    line["plies"][0]["roll"] = "KKK"
    game = Game.from_json(json.dumps(line))
    with pytest.raises(ValueError):
        game.positions()
    with pytest.raises(ValueError):
        game.check_dice()
    with pytest.raises(ValueError):
        astragal.review(game)


PACKED = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 7 1 -",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6f6 0 1 -",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 99 1 -",
]


@pytest.mark.parametrize("mapped", [False, True])
def test_packed_positions(tmp_path: Path, mapped: bool) -> None:
    positions = [Position(dfen) for dfen in PACKED]
    rows = astragal.pack_positions(positions)
    assert rows.dtype == POSITION_DTYPE and POSITION_DTYPE.itemsize == 48
    rows["game"], rows["result"] = np.arange(4), [1, -1, 0, 0]
    path = tmp_path / "positions.bin"
    astragal.write_packed(path, rows, seed=7, share=(1, 4))
    # A record that was cut off is left out.
    with open(path, "ab") as file:
        file.write(b"x" * 47)
    read = astragal.read_packed(path, mapped=mapped)
    assert (read.seed, read.share, len(read.rows)) == (7, (1, 4), 4)
    assert (read.rows == rows).all()
    assert [astragal.unpack_position(row) for row in read.rows] == positions


def test_a_packed_record_is_laid_out_as_the_trainer_says(tmp_path: Path) -> None:
    path = tmp_path / "positions.bin"
    rows = astragal.pack_positions([Position("4k3/8/8/8/8/8/8/R3K3 w Q - 5 1 -")])
    rows["turn"], rows["game"], rows["kind"], rows["deeper"] = 300, 9, 3, 0.5
    astragal.write_packed(path, rows, seed=1)
    header, record = path.read_bytes()[:48], path.read_bytes()[48:]
    assert header == b"ASTRAGAL POSITION".ljust(32, b"\0") + bytes([1, 0, 0, 0, 1] + [0] * 7 + [0, 0, 1, 0])
    assert record[:8] == (1 | 1 << 4 | 1 << 60).to_bytes(8, "little")
    # The rook and the king of White, then Black's king.
    assert record[8:24] == bytes([0x53, 0x0D] + [0] * 14)
    assert record[24:30] == bytes([2 << 1, 0, 5, rows["captures"][0], 0, 3])
    assert record[30:32] == (300).to_bytes(2, "little") and record[40:] == bytes([9] + [0] * 7)


def test_what_is_no_packed_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.bin"
    for content in (b"", b"short", b"x" * 96):
        path.write_bytes(content)
        with pytest.raises(ValueError):
            astragal.read_packed(path)
    path.write_bytes(b"ASTRAGAL POSITION".ljust(32, b"\0") + bytes([2] + [0] * 15))
    with pytest.raises(ValueError, match="version 2"):
        astragal.read_packed(path)
    rows = np.zeros(1, POSITION_DTYPE)
    for occupied, piece in ((0, 0), (2**64 - 1, 0), (1, 7)):
        rows["occupied"], rows["pieces"] = occupied, piece
        with pytest.raises(ValueError):
            astragal.unpack_position(rows[0])
    with pytest.raises(ValueError):
        astragal.write_packed(path, np.zeros(3, np.uint8))
