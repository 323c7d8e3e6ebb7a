"""Work is made ready before its turn: what ended is redacted, and a new row carries its content."""

from sayso.core.ports import Advance, Put
from sayso.core.record import State
from sayso.journal.redaction import REDACTED
from sayso.journal.work import work_of
from sayso.testing.journal import a_record, done

PATTERNS = ("file.move.source",)


def test_a_new_row_carries_what_never_changes():
    (line,) = work_of([Put(a_record(1))], "asked", ()).lines

    assert (line.before, line.content is None) == (None, False)


def test_an_advance_carries_its_marks_alone():
    work = work_of([Advance(done(a_record(1)))], "done", ())

    assert (work.lines[0].before, work.lines[0].content, work.redacts) == (0, None, False)


def test_what_still_waits_or_runs_keeps_what_it_needs():
    work = work_of([Put(a_record(1)), Advance(a_record(2).moved(state=State.RUNNING))], "asked", PATTERNS)

    assert [line.record.arguments["source"] for line in work.lines] == ["~/a.txt", "~/a.txt"]
    assert not work.redacts


def test_what_has_ended_is_redacted():
    work = work_of([Advance(done(a_record(1))), Put(a_record(2, state=State.REFUSED))], "done", PATTERNS)

    assert [line.record.arguments["source"] for line in work.lines] == [REDACTED, REDACTED]
    assert [line.redacts for line in work.lines] == [True, True]
    assert work.redacts
