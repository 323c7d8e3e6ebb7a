"""Any JSON value is one line and comes back equal."""

import hashlib
import json
from contextlib import closing
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import SetupError
from sayso.journal.hash_chain import (
    ActionSeal,
    AuditEntry,
    ChainWalk,
    Checkpoint,
    SealedState,
    SealStore,
    first,
    follow,
    line,
    link,
    record,
    record_of_one,
)


@pytest.mark.req("AU-02")
@given(st.text() | st.lists(st.text(alphabet="\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\u202e\0\x1b\ud800é🎉")))
def test_it_is_one_line_and_comes_back(value: object):
    text = line(value)

    assert len(text.splitlines()) == 1
    assert text.encode()  # no lone surrogate is left
    assert json.loads(text) == value


def test_what_turns_text_around_or_moves_the_cursor_is_spelled_out():
    assert line("photo\u202egpj.exe \x9b2J \x1b[2J") == '"photo\\u202egpj.exe \\u009b2J \\u001b[2J"'


def test_letters_of_every_language_stay():
    assert line("Grüße, 世界") == '"Grüße, 世界"'


def test_the_last_word_counts_and_comes_in_the_order_of_keys():
    with closing(SealStore()) as seals:
        seals.put(ActionSeal(2, "aa", 1))
        seals.put(ActionSeal(1, "bb", 2))
        seals.put(ActionSeal(2, "cc", 3))
        seals.put(ActionSeal(3, "dd", 4))
        seals.drop(3)

        assert list(seals) == [ActionSeal(1, "bb", 2), ActionSeal(2, "cc", 3)]
        assert (seals[2], seals[3]) == (ActionSeal(2, "cc", 3), None)


def test_the_last_seal_of_a_row_of_another_table_counts():
    with closing(SealStore()) as seals:
        seals.put_other("told", "b", "11", 1)
        seals.put_other("told", "a", "22", 2)
        seals.put_other("told", "b", "33", 3)
        seals.put_other("told", "c", "44", 4)
        seals.put_other("told", "c", None, 5)
        seals.put_other("other", "a", "55", 6)
        seals.drop_other("other", "a")

        assert list(seals.others()) == [("told", "a", "22", 2), ("told", "b", "33", 3)]
        assert (seals.take_other("told", "a"), seals.take_other("told", "a")) == ("22", None)


ONE = SealedState("do_0000000000001", "done", 2, "ab" * 32)


def chained(count: int) -> list[AuditEntry]:
    """Return a chain made with hashlib and the rfc8785 package alone."""
    head, entries = hashlib.sha256(b"sayso/1").digest(), list[AuditEntry]()
    for seq in range(1, count + 1):
        members = {"actions": [{"id": "do_1", "row": "00", "state": "done", "turn": seq}]}
        told: Any = {**members, "seq": seq, "time": "t", "event": "done ü"}
        text = rfc8785.dumps(told)
        head = hashlib.sha256(b"\0" + head + text).digest()
        entries.append(AuditEntry(seq, "t", "done ü", members, head))
    return entries


@pytest.mark.parametrize("event", ["done", 'odd “ " \\ \n \u2028 \0 é'])
def test_the_bytes_of_a_record_are_rfc_8785(event: str):
    told: Any = {"actions": [ONE.json()], "seq": 7, "time": "2026-03-14T12:00:00.000Z", "event": event}

    assert record(7, "2026-03-14T12:00:00.000Z", event, {"actions": [ONE.json()]}) == rfc8785.dumps(told)
    assert record_of_one(7, "2026-03-14T12:00:00.000Z", event, ONE) == rfc8785.dumps(told)


def test_a_chain_made_by_others_holds():
    walk = ChainWalk(0, first("sayso/1"))

    assert follow(chained(5), walk)
    assert (walk.seq, walk.problem) == (5, None)


@pytest.mark.parametrize(("drop", "bad"), [(0, 1), (2, 3)])
def test_a_missing_row_is_named(drop: int, bad: int):
    entries = chained(5)
    del entries[drop]
    walk = ChainWalk(0, first("sayso/1"))

    assert not follow(entries, walk)
    assert (walk.bad_row, walk.problem) == (bad, f"audit row {bad} is missing")


def test_a_row_that_comes_twice_is_named():
    entries = chained(3)
    walk = ChainWalk(0, first("sayso/1"))

    assert not follow([*entries, entries[1]], walk)
    assert walk.bad_row == 2


def test_the_link_starts_with_a_zero_byte():
    assert link(b"before", b"text") == hashlib.sha256(b"\x00beforetext").digest()


def test_a_checkpoint_knows_a_longer_chain():
    walk = ChainWalk(0, first("sayso/1"), Checkpoint("sayso/1", 5, chained(5)[-1].hash.hex()))

    assert walk.begin("sayso/1")
    assert not follow(chained(4), walk)
    assert walk.bad_row == 5


def test_a_checkpoint_knows_another_past():
    walk = ChainWalk(0, first("sayso/1"), Checkpoint("sayso/1", 3, "00" * 32))

    assert not follow(chained(5), walk)
    assert walk.bad_row == 3


def test_a_checkpoint_of_another_journal_is_no_proof():
    walk = ChainWalk(0, first("sayso/1"), Checkpoint("sayso/2", 0, ""))

    assert not walk.begin("sayso/1")
    assert walk.problem == "the checkpoint is of another journal (sayso/2, this is sayso/1)"


def test_a_checkpoint_older_than_the_start_cannot_be_compared():
    walk = ChainWalk(9, b"", Checkpoint("sayso/1", 3, ""))

    assert not walk.begin("sayso/1")
    assert "compare with a checkpoint exported since" in str(walk.problem)


def test_the_last_line_of_an_export_is_a_checkpoint():
    assert Checkpoint.read('{"a": 1}\n{"origin": "sayso/1", "size": 3, "head": "ab"}\n') == Checkpoint(
        "sayso/1", 3, "ab"
    )


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "{}", '{"origin": "o", "size": -1, "head": "h"}', '{"size": "3"}', "1"]
)
def test_anything_else_is_no_checkpoint(text: str):
    with pytest.raises(SetupError, match="sayso log export"):
        Checkpoint.read(text)
