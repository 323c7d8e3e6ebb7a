"""A record survives its row, whatever is in it, and a row's seals change with everything in it."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, SetupError, Spent
from sayso.core.grant import Grant, GrantPath, Scope, VariableArgument
from sayso.core.ports import CountGrantUse
from sayso.core.record import Owner, Progress, Record, State, StepOutcome, StepRecord, action_id, run_id
from sayso.journal import rows as journal_rows
from sayso.journal.rows import (
    RowContent,
    Shorthand,
    can_go_back,
    fixed_columns,
    grant_of,
    marks_seal,
    marks_text,
    permission_seal,
    put,
    record_of,
    take,
)
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import PLAN, a_grant, a_record, as_done

TIMES = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive


@given(TIMES)
def test_times_in_milliseconds_and_microseconds_are_stored_as_numbers(time: datetime):
    text = time.isoformat(timespec="microseconds" if time.microsecond % 1000 else "milliseconds")[:-6] + "Z"

    stored = journal_rows.to_stored_time(text)

    assert stored == (time - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)
    assert journal_rows.from_stored_time(stored) == text


@given(st.text() | TIMES.map(datetime.isoformat))
def test_any_text_comes_back_as_it_was(text: str):
    assert journal_rows.from_stored_time(journal_rows.to_stored_time(text)) == text


def test_no_time_is_no_time():
    assert journal_rows.to_stored_time(None) is None
    assert journal_rows.from_stored_time(None) is None


def test_a_time_without_a_zone_is_in_utc():
    assert (
        journal_rows.parse_moment("1970-01-02")
        == journal_rows.parse_moment("1970-01-02T01:00:00+01:00")
        == 86_400_000_000
    )


def test_what_is_no_time_is_refused():
    with pytest.raises(ProposalError, match="“soon” is no time"):
        journal_rows.parse_moment("soon")


TEXT = st.text(max_size=20) | st.sampled_from(["\ud800", "\0\x01", '"\\', "\u2028"])
MAYBE = st.none() | TEXT
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)

ROWS_TIMES = st.sampled_from(["2026-03-14T12:00:00.000Z", "2026-03-14T12:00:00.123456Z", "2026-03-14", "", "later"])

MARKS = st.builds(
    Progress, st.sampled_from(State), st.integers(0, 2**40), message=MAYBE, error=MAYBE, code=MAYBE, approved_by=MAYBE,
    decided_at=MAYBE, ended_at=MAYBE, begun=st.none() | st.integers(0, 9), duration_ms=st.integers(0, 10**9),
    changes=st.lists(st.builds(StepRecord, st.sampled_from(StepOutcome), st.none() | OBJECTS), max_size=3).map(tuple),
    owner=st.none() | st.builds(Owner, TEXT, TEXT, st.integers(0, 2**22), st.integers(0, 2**60)), undone_by=MAYBE,
)  # fmt: skip
CHANGED = st.fixed_dictionaries({}, optional=dict.fromkeys(PLAN, JSON))
PLANS = OBJECTS | CHANGED.map(PLAN.__or__)
RECORDS = st.builds(
    Record, st.integers(0, 2**63 - 1), st.just(""), st.just(run_id(5)) | TEXT, st.integers(0, 9999), ROWS_TIMES, TEXT,
    TEXT, TEXT, st.none() | st.just("file.move"), OBJECTS, MARKS, said=TEXT, label=MAYBE, plan=st.none() | PLANS,
    verdict=st.none() | st.builds(Verdict, st.just("ask"), TEXT, TEXT, code=TEXT, approved_by=MAYBE),
    digest=st.none() | TEXT | st.just("sha256:" + "0a" * 32), policy=MAYBE,
    backends=st.dictionaries(TEXT, TEXT, max_size=2), expires=st.none() | ROWS_TIMES,
    undo_of=st.none() | TEXT | st.just(action_id(4)), dry_run=st.booleans(), code_hash=MAYBE,
    edit_of=MAYBE, label_by_us=st.booleans(), template_id=MAYBE,
).map(lambda record: replace(record, id=action_id(record.key)))  # fmt: skip


@pytest.mark.req("AU-02")
@given(RECORDS)
def test_any_record_survives_its_row(record: Record):
    row, marks = fixed_columns(record), marks_text(record.marks)

    assert record_of(row, record.state.value, record.marks.turn, marks) == record
    assert not any(character < " " for character in row.body + marks)  # what `shorthand` stands on


@pytest.mark.req("AU-06")
def test_a_row_holds_rule_policy_digest_approver_and_times():
    record = replace(
        as_done(a_record(1)).marked(approved_by="terminal", decided_at="2026-03-14T12:00:00.500Z"),
        plan={"summary": "s"},
    )

    row, marks = fixed_columns(record), marks_text(record.marks)

    assert '"rule":"mode"' in row.body
    assert '"policy":"sha256:0b' in row.origin
    assert row.digest == bytes.fromhex("0a" * 32)
    for told in ('"approved_by":"terminal"', '"decided_at":"2026', '"ended_at":"2026', '"outcome":"done"'):
        assert told in marks


def test_an_id_that_is_not_of_its_key_is_a_bug():
    with pytest.raises(ValueError, match="not do_1"):
        fixed_columns(replace(a_record(1), id="do_1"))


@pytest.mark.parametrize("name", [field.name for field in fields(RowContent)])
def test_the_seal_changes_with_every_column(name: str):
    row = replace(fixed_columns(a_record(1)), undo_of=2)
    value = getattr(row, name)
    other: Any = value + (b"x" if isinstance(value, bytes) else "x" if isinstance(value, str) else 1)

    assert replace(row, **{name: other}).seal != row.seal


def test_the_seal_of_marks_changes_with_state_turn_and_text():
    assert (
        len(
            {
                marks_seal("done", 1, "{}"),
                marks_seal("gone", 1, "{}"),
                marks_seal("done", 2, "{}"),
                marks_seal("done", 1, ""),
            }
        )
        == 4
    )


@pytest.mark.parametrize("marks", ["", "[]", "{", '{"changes":[{}]}', '{"changes":3}', '{"nobody":1}', '{"owner":{}}'])
def test_a_damaged_row_is_named(marks: str):
    with pytest.raises(SetupError, match="do_0000000000001 is damaged"):
        record_of(fixed_columns(a_record(1)), "done", 1, marks)


def test_a_state_that_nobody_knows_is_damage():
    with pytest.raises(SetupError):
        record_of(fixed_columns(a_record(1)), "asleep", 1, "{}")


ENDED = as_done(a_record(1))
NO_WAY = [
    ENDED.marked(state=State.UNKNOWN),
    ENDED.marked(changes=(StepRecord(StepOutcome.UNDONE),)),
    ENDED.marked(changes=()),
    ENDED.marked(undone_by=action_id(2)),
    as_done(a_record(1, plan=None)),
    as_done(a_record(1, plan={"summary": ""})),
    as_done(a_record(1, plan={"changes": [{"undo": {"cannot": "sent"}}]})),
    as_done(a_record(1, undo_of=action_id(2))),
    as_done(a_record(1, dry_run=True)),
    a_record(1),
]


def test_what_was_done_or_partly_done_can_go_back():
    assert can_go_back(ENDED)
    assert can_go_back(ENDED.marked(state=State.FAILED))


@pytest.mark.parametrize("record", NO_WAY, ids=range(len(NO_WAY)))
def test_anything_else_cannot_go_back(record: Record):
    assert not can_go_back(record)


def of_schema() -> Shorthand:
    """Read the common texts with plain sqlite3."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(files("sayso.journal").joinpath("schema.sql").read_text())
    texts = connection.execute("SELECT text FROM short ORDER BY code").fetchall()
    connection.close()
    return Shorthand(tuple(text for (text,) in texts))


SHORTHAND = of_schema()
TEXTS = st.text() | st.sampled_from(["~/a/long/path.txt", "/home/ana", "\x01\x05", '"', "\ud800", "},", '"source":"'])
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4), VALUES, VALUES)
def test_any_row_comes_back_as_it_was(arguments: dict[str, Any], step: Any, expects: Any):
    plan = {"changes": [{"do": step, "expects": expects}]}
    text = json.dumps({"arguments": arguments, "plan": plan}, ensure_ascii=True, separators=(",", ":"))

    texts = SHORTHAND.texts(arguments, plan)

    assert SHORTHAND.long(SHORTHAND.short(text, texts), texts) == text


def test_every_control_character_stands_for_something():
    assert len(SHORTHAND.common) == 27
    assert not any(character < " " for text in SHORTHAND.common for character in text)


def test_a_path_that_stands_seven_times_is_written_once():
    path = "~/Documents/a rather long name of a file.txt"
    arguments = {"source": path, "destination": "~/b.txt"}
    real = "/home/ana" + path[1:]
    change = {**PLAN["changes"][0], "do": {"step": "file.rename", "source": real, "destination": "/home/ana/b.txt"}}
    text = json.dumps([arguments, change, real, path, real, path, real])

    texts = SHORTHAND.texts(arguments, {"changes": [change]})
    short = SHORTHAND.short(text, texts)

    assert texts[:3] == (path[1:], None, "/home/ana")
    assert path[1:] not in short
    assert "/home/ana" not in short


def test_a_document_of_another_make_has_no_texts_of_its_own():
    plans: list[Any] = [None, {}, {"changes": []}, {"changes": ["x"]}, {"changes": [{"do": 1, "expects": [1]}]}]
    for plan in plans:
        assert SHORTHAND.texts({}, plan) == (None, None, None, None)


PERMISSIONS_TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)

GRANTS = st.builds(
    Grant,
    id=PERMISSIONS_TEXTS,
    operation=PERMISSIONS_TEXTS,
    fixed=st.dictionaries(
        PERMISSIONS_TEXTS,
        st.none() | st.booleans() | st.integers(-9, 9) | PERMISSIONS_TEXTS | st.lists(PERMISSIONS_TEXTS),
    ),
    expires=PERMISSIONS_TEXTS,
    created=PERMISSIONS_TEXTS,
    varies=st.lists(
        st.builds(
            VariableArgument,
            PERMISSIONS_TEXTS,
            st.sampled_from(["folder", "site", "any"]),
            PERMISSIONS_TEXTS,
            PERMISSIONS_TEXTS,
        )
    ).map(tuple),
    scope=st.builds(
        Scope,
        steps=st.lists(PERMISSIONS_TEXTS).map(tuple),
        places=st.lists(
            st.builds(GrantPath, PERMISSIONS_TEXTS, PERMISSIONS_TEXTS, PERMISSIONS_TEXTS, st.none() | PERMISSIONS_TEXTS)
        ).map(tuple),
        loses=st.booleans(),
        changes=st.integers(0, 9),
        backends=st.dictionaries(PERMISSIONS_TEXTS, PERMISSIONS_TEXTS),
    ),
    handler=st.none() | PERMISSIONS_TEXTS,
    most_uses=st.none() | st.integers(1, 9),
    uses=st.integers(0, 9),
    last_used=st.none() | PERMISSIONS_TEXTS,
    revoked=st.booleans(),
    revoked_by=st.none() | PERMISSIONS_TEXTS,
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
        take(connection, CountGrantUse("grant_1", moment))
    with pytest.raises(Spent):
        take(connection, CountGrantUse("grant_1", "3"))

    assert grant_of(*row_of(connection, "grant_1")) == a_grant(most_uses=2, uses=2, last_used="2")


def test_without_a_limit_it_is_counted_without_end():
    connection = rows()
    put(connection, a_grant(uses=10**6))

    take(connection, CountGrantUse("grant_1", "1"))

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
    await journal.commit(CountGrantUse("grant_1", "2026-03-15"), event="begun")
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
