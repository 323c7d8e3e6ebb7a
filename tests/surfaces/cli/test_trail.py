"""How the journal is, is told also where it cannot be opened, and nothing of it is changed by looking."""

import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from sayso.config.places import Places, places
from sayso.surfaces.cli import trail
from tests.surfaces.cli.person import sayso


@pytest.fixture
def at(person: Path) -> Places:
    """Return the places of a home in which one thing was done and one waits."""
    sayso("run", "--dialect", "lines", text='CREATE_FOLDER "~/Documents/x"\n')
    sayso("run", "--dialect", "lines", text='DELETE_FILE "~/Downloads/a.txt"\n')
    return places(os.environ)


def typed(command: str) -> None:
    """Type a command into a shell."""
    subprocess.run(["sh", "-c", command], check=True)


async def test_a_journal_that_holds_says_what_waits_in_it(at: Places):
    held, waiting = await trail.of_home(os.environ, at)

    assert (held.how, held.says) == ("good", "nothing in it was altered (3 entries)")
    assert (waiting.says, waiting.fix) == ("1 of state “waiting”", "sayso pending")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE audit SET time = time + 1 WHERE seq = 1", "audit row 1"),
        ("DELETE FROM meta WHERE name = 'origin'", "own name"),
        ("DROP TABLE meta", "is damaged (no such table: meta)"),
        ("PRAGMA application_id = 1", "not a journal of sayso's"),
        ("PRAGMA user_version = 9", "newer sayso"),
    ],
)
async def test_what_is_wrong_is_named_whether_it_is_opened_or_not(at: Places, change: str, says: str):
    with sqlite3.connect(at.database) as journal:
        journal.execute(change)

    for found in ((await trail.of_home(os.environ, at))[0], *await trail.unopened(at)):
        assert found.how == "broken"
        assert says in found.says
        assert ("newer" in says) == (not found.fix)


async def test_the_mending_of_a_damaged_journal_mends_it(at: Places):
    at.database.write_bytes(b"no database")
    Path(f"{at.database}-wal").write_bytes(b"of the old one")
    (found,) = await trail.unopened(at)

    command = found.fix.partition(": ")[2].partition("; ")[0]
    typed(command)

    assert (at.home / "damaged" / "sayso.db").read_bytes() == b"no database"
    assert not Path(f"{at.database}-wal").exists()
    (new,) = await trail.of_home(os.environ, at)
    assert new.says == "nothing in it was altered (0 entries)"
