"""A standing permission's row holds all of it, is counted under the journal's lock, and is sealed by the audit."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.canonical import Json
from sayso.core.errors import SetupError, Spent
from sayso.core.grant import Grant, Place, Scope, Varies
from sayso.core.ports import Use
from sayso.journal.permissions import grant_of, permission_seal, put, take
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import a_grant

TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
GRANTS = st.builds(
    Grant,
    id=TEXTS,
    operation=TEXTS,
    fixed=st.dictionaries(TEXTS, st.none() | st.booleans() | st.integers(-9, 9) | TEXTS | st.lists(TEXTS)),
    expires=TEXTS,
    created=TEXTS,
    varies=st.lists(st.builds(Varies, TEXTS, st.sampled_from(["folder", "site", "any"]), TEXTS, TEXTS)).map(tuple),
    scope=st.builds(
        Scope,
        steps=st.lists(TEXTS).map(tuple),
        places=st.lists(st.builds(Place, TEXTS, TEXTS, TEXTS, st.none() | TEXTS)).map(tuple),
        loses=st.booleans(),
        changes=st.integers(0, 9),
        backends=st.dictionaries(TEXTS, TEXTS),
    ),
    handler=st.none() | TEXTS,
    most_uses=st.none() | st.integers(1, 9),
    uses=st.integers(0, 9),
    last_used=st.none() | TEXTS,
    revoked=st.booleans(),
    revoked_by=st.none() | TEXTS,
)


def rows() -> sqlite3.Connection:
    """Return an empty table of permissions."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE permission (id TEXT PRIMARY KEY, uses INTEGER, revoked INTEGER, body TEXT) WITHOUT ROWID"
    )
    return connection


def row_of(connection: sqlite3.Connection, name: str) -> tuple[str, int, int, str]:
    return connection.execute("SELECT * FROM permission WHERE id = ?", (name,)).fetchone()


@given(GRANTS)
def test_nothing_is_lost_on_the_way_into_a_row_and_back(grant: Grant):
    connection = rows()

    told = put(connection, grant)

    row = row_of(connection, grant.id)
    assert grant_of(*row) == grant
    assert told == {"id": grant.id, "row": permission_seal(*row)}


def test_what_it_permits_never_changes_and_its_end_is_the_first_one():
    connection = rows()
    put(connection, a_grant())

    put(connection, a_grant(fixed={}, most_uses=99, revoked=True, revoked_at="1", revoked_by="terminal"))
    put(connection, a_grant(revoked=True, revoked_at="2", revoked_by="click"))
    put(connection, a_grant(uses=7, last_used="3"))

    expected = a_grant(uses=7, last_used="3", revoked=True, revoked_at="1", revoked_by="terminal")
    assert grant_of(*row_of(connection, "grant_1")) == expected


def test_a_use_is_counted_until_there_is_none_left():
    connection = rows()
    put(connection, a_grant(most_uses=2))

    for moment in ("1", "2"):
        take(connection, Use("grant_1", moment))
    with pytest.raises(Spent):
        take(connection, Use("grant_1", "3"))

    assert grant_of(*row_of(connection, "grant_1")) == a_grant(most_uses=2, uses=2, last_used="2")


def test_without_a_limit_it_is_counted_without_end():
    connection = rows()
    put(connection, a_grant(uses=10**6))

    take(connection, Use("grant_1", "1"))

    assert row_of(connection, "grant_1")[1] == 10**6 + 1


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"operation": 1}', '{"operation": "x", "fixed": []}'])
def test_a_damaged_row_is_an_error_and_permits_nothing(body: str):
    with pytest.raises(SetupError, match="standing permission grant_1 is damaged"):
        grant_of("grant_1", 0, 0, body)


def test_one_of_an_older_form_is_read_and_stands_on_nothing():
    old = '{"operation":"file.move","fixed":{},"free":["source"],"expires":"2","created":"1","policy":"p"}'

    grant = grant_of("grant_1", 0, 0, old)

    assert (grant.definition, grant.varies, grant.home) == ("", (), "")


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE permission SET uses = 0",
        "UPDATE permission SET revoked = 0",
        "UPDATE permission SET body = replace(body, 'a.txt', 'b.txt')",
    ],
)
async def test_a_row_that_was_changed_behind_sayso_is_found(tmp_path: Path, change: str):
    path = str(tmp_path / "sayso.db")
    journal = SqliteJournal(path, clock=FakeClock())
    await journal.open()
    await journal.put_grant(a_grant())
    await journal.commit(Use("grant_1", "2026-03-15"), event="begun")
    await journal.put_grant(replace(a_grant(), revoked=True))
    sound = await journal.verify()
    with sqlite3.connect(path) as other:
        other.execute(change)
    other.close()

    changed = await journal.verify()
    await journal.close()

    assert sound.ok
    assert "grant_1 is not as the audit says" in str(changed.problem)


def test_a_seal_is_of_every_column():
    seals: set[Json] = {
        permission_seal(*row)
        for row in (("a", 0, 0, ""), ("b", 0, 0, ""), ("a", 1, 0, ""), ("a", 0, 1, ""), ("a", 0, 0, "x"))
    }

    assert len(seals) == 5
