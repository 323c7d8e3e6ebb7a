"""The rows of a journal are the same to the byte as ever, and its hashes are what plain SHA-256 says."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sayso.journal.verify import verify
from tests.golden import files, journal, oracle
from tests.golden.stored import database_text, make_database
from tests.journal.given import a_journal, make_older

GOLDEN = files.FOLDER / "journal.json"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a database with the rows of the golden file."""
    make_database(GOLDEN.read_text("utf-8"), tmp_path / "sayso.db")
    return tmp_path / "sayso.db"


async def test_a_journal_is_written_as_ever(tmp_path: Path):
    await journal.make(tmp_path / "made.db")

    assert database_text(tmp_path / "made.db").splitlines() == GOLDEN.read_text("utf-8").splitlines()


async def test_a_journal_is_read_as_ever(database: Path):
    async with a_journal(database) as opened:
        found = [await opened.get(record.id) for record in (journal.BARE, journal.DONE, journal.FULL)]
        (grant,) = await opened.grants()
        (exchange,) = await opened.sessions.exchanges(journal.EXCHANGE.session)
        told, state = await opened.sessions.told(), await opened.triggers.of(journal.TRIGGER.name)
        checked = await opened.verify()

    assert found == [None, journal.DONE, journal.FULL]  # the first one was removed because of its age
    assert (grant.uses, grant.definition, grant.scope) == (1, journal.GRANT.definition, journal.GRANT.scope)
    assert (exchange, told) == (journal.EXCHANGE, [journal.TOLD])
    assert (state.turn, state.known, state.off) == (1, journal.TRIGGER.known, True)
    assert (checked.problem, checked.actions) == (None, 2)


def test_its_hashes_can_be_made_by_anybody(database: Path):
    with closing(sqlite3.connect(database)) as plain:
        ((seq, head),) = plain.execute("SELECT seq, hash FROM anchor ORDER BY seq DESC LIMIT 1")
        trail = plain.execute("SELECT seq, time, event, members, hash FROM trail").fetchall()
        rows = {row["id"]: row["row"] for _, _, _, told, _ in trail for row in json.loads(told).get("actions", [])}
        halves = dict(_halves(plain))

    for number, time, event, members, hashed in trail:
        seq += 1
        head = oracle.link(head, {**json.loads(members), "seq": number, "time": time, "event": event})
        assert (number, head.hex()) == (seq, hashed)
    assert len(halves) == 2
    assert {name: rows[name] for name in halves} == halves


def _halves(plain: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Return the seal of each row: the beginnings of two hashes, of its content and of its marks."""
    written = {row[0]: row[1:] for row in plain.execute("SELECT id, body, marks FROM history")}
    rows = plain.execute(
        "SELECT a.key, a.run, a.idx, a.operation, a.time, s.text, a.session, a.undo_of, a.expires, "
        "CASE typeof(a.digest) WHEN 'blob' THEN lower(hex(a.digest)) ELSE a.digest END, a.state, a.turn "
        "FROM action a JOIN shared s ON s.id = a.origin ORDER BY a.key"
    )
    for (name, (body, marks)), (*content, state, turn) in zip(sorted(written.items()), rows, strict=True):
        yield name, _half([*content, body]) + _half([state, turn, marks])


def _half(content: list[Any]) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()[:16].hex()


@pytest.mark.parametrize("version", [1, 2, 3, 4])
async def test_a_journal_of_an_older_version_gets_the_same_schema(tmp_path: Path, version: int):
    file = tmp_path / "sayso.db"
    await journal.make(file, beside=False)
    make_older(file, version)
    assert verify(str(file)).ok

    async with a_journal(file) as opened:
        checked = await opened.verify()

    told = json.loads(database_text(file))
    assert checked.ok
    assert sorted(told["schema"]) == sorted(files.read("journal")["schema"])
    assert told["pragmas"] == files.read("journal")["pragmas"]
