"""A record survives its row, whatever is in it, and a row's seals change with everything in it."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import SetupError
from sayso.core.ids import action_id, run_id
from sayso.core.record import How, Marked, Marks, Owner, Record, State
from sayso.core.verdict import Verdict
from sayso.journal.rows import Fixed, can_go_back, fixed, marks_seal, marks_text, record_of
from sayso.testing.journal import PLAN, a_record, done

TEXT = st.text(max_size=20) | st.sampled_from(["\ud800", "\0\x01", '"\\', "\u2028"])
MAYBE = st.none() | TEXT
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
TIMES = st.sampled_from(["2026-03-14T12:00:00.000Z", "2026-03-14T12:00:00.123456Z", "2026-03-14", "", "later"])
MARKS = st.builds(
    Marks, st.sampled_from(State), st.integers(0, 2**40), message=MAYBE, error=MAYBE, code=MAYBE, approved_by=MAYBE,
    decided_at=MAYBE, ended_at=MAYBE, begun=st.none() | st.integers(0, 9), duration_ms=st.integers(0, 10**9),
    changes=st.lists(st.builds(Marked, st.sampled_from(How), st.none() | OBJECTS), max_size=3).map(tuple),
    owner=st.none() | st.builds(Owner, TEXT, TEXT, st.integers(0, 2**22), st.integers(0, 2**60)), undone_by=MAYBE,
)  # fmt: skip
CHANGED = st.fixed_dictionaries({}, optional=dict.fromkeys(PLAN, JSON))
PLANS = OBJECTS | CHANGED.map(PLAN.__or__)
RECORDS = st.builds(
    Record, st.integers(0, 2**63 - 1), st.just(""), st.just(run_id(5)) | TEXT, st.integers(0, 9999), TIMES, TEXT, TEXT,
    TEXT, st.none() | st.just("file.move"), OBJECTS, MARKS, said=TEXT, label=MAYBE, plan=st.none() | PLANS,
    verdict=st.none() | st.builds(Verdict, st.just("ask"), TEXT, TEXT, code=TEXT, approved_by=MAYBE),
    digest=st.none() | TEXT | st.just("sha256:" + "0a" * 32), policy=MAYBE,
    backends=st.dictionaries(TEXT, TEXT, max_size=2), expires=st.none() | TIMES,
    undo_of=st.none() | TEXT | st.just(action_id(4)), dry_run=st.booleans(), code_hash=MAYBE,
    edit_of=MAYBE, label_by_us=st.booleans(), template_id=MAYBE,
).map(lambda record: replace(record, id=action_id(record.key)))  # fmt: skip


@pytest.mark.req("AU-02")
@given(RECORDS)
def test_any_record_survives_its_row(record: Record):
    row, marks = fixed(record), marks_text(record.marks)

    assert record_of(row, record.state.value, record.marks.turn, marks) == record
    assert not any(character < " " for character in row.body + marks)  # what `shorthand` stands on


@pytest.mark.req("AU-06")
def test_a_row_holds_rule_policy_digest_approver_and_times():
    record = replace(
        done(a_record(1)).marked(approved_by="terminal", decided_at="2026-03-14T12:00:00.500Z"),
        plan={"summary": "s"},
    )

    row, marks = fixed(record), marks_text(record.marks)

    assert '"rule":"mode"' in row.body
    assert '"policy":"sha256:0b' in row.origin
    assert row.digest == bytes.fromhex("0a" * 32)
    for told in ('"approved_by":"terminal"', '"decided_at":"2026', '"ended_at":"2026', '"outcome":"done"'):
        assert told in marks


def test_an_id_that_is_not_of_its_key_is_a_bug():
    with pytest.raises(ValueError, match="not do_1"):
        fixed(replace(a_record(1), id="do_1"))


@pytest.mark.parametrize("name", [field.name for field in fields(Fixed)])
def test_the_seal_changes_with_every_column(name: str):
    row = replace(fixed(a_record(1)), undo_of=2)
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
        record_of(fixed(a_record(1)), "done", 1, marks)


def test_a_state_that_nobody_knows_is_damage():
    with pytest.raises(SetupError):
        record_of(fixed(a_record(1)), "asleep", 1, "{}")


ENDED = done(a_record(1))
NO_WAY = [
    ENDED.marked(state=State.UNKNOWN),
    ENDED.marked(changes=(Marked(How.UNDONE),)),
    ENDED.marked(changes=()),
    ENDED.marked(undone_by=action_id(2)),
    done(a_record(1, plan=None)),
    done(a_record(1, plan={"summary": ""})),
    done(a_record(1, plan={"changes": [{"undo": {"cannot": "sent"}}]})),
    done(a_record(1, undo_of=action_id(2))),
    done(a_record(1, dry_run=True)),
    a_record(1),
]


def test_what_was_done_or_partly_done_can_go_back():
    assert can_go_back(ENDED)
    assert can_go_back(ENDED.marked(state=State.FAILED))


@pytest.mark.parametrize("record", NO_WAY, ids=range(len(NO_WAY)))
def test_anything_else_cannot_go_back(record: Record):
    assert not can_go_back(record)
