"""How an action ends whose changes did not all happen, and which of them have a way back."""

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Applied, CannotTell, CannotUndo, Change
from sayso.core.record import Progress, Record, State, StepOutcome, StepRecord
from sayso.runtime.apply import mark_taken_back, part_done, ways_back
from tests.runtime.shelf import Put, Take


def a_record(*outcomes: StepOutcome) -> Record:
    """Return an action whose changes came to this."""
    marks = Progress(State.RUNNING, changes=tuple(StepRecord(how) for how in outcomes), undoing=0)
    return Record(1, "do_1", "run_1", 0, "2026-03-14T12:00:00.000Z", "lines", "test", "", "shelf.put", {}, marks)


@pytest.mark.parametrize(
    ("result", "how"),
    [
        (Applied(()), StepOutcome.UNDONE),
        (CannotTell("who knows"), StepOutcome.UNKNOWN),
        (ProviderError("no"), StepOutcome.DONE),
    ],
    ids=["left", "cannot tell", "a no"],
)
def test_what_became_of_taking_back_is_marked_on_that_change_alone(
    result: Applied | CannotTell | ProviderError, how: StepOutcome
) -> None:
    record = mark_taken_back(a_record(StepOutcome.DONE, StepOutcome.DONE, StepOutcome.NOT_DONE), 1, result)

    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.DONE, how, StepOutcome.NOT_DONE]
    assert record.marks.undoing is None


@pytest.mark.parametrize(
    ("outcomes", "problem", "state", "said"),
    [
        ((StepOutcome.NOT_DONE,), Refused("not there", "x"), State.REFUSED, "not there"),
        (
            (StepOutcome.DONE, StepOutcome.NOT_DONE),
            Refused("not there", "x"),
            State.FAILED,
            "1 of 3 changes were made, then: not there",
        ),
        ((), ProviderError("no", "x"), State.FAILED, "no"),
        ((StepOutcome.UNDONE,), ProviderError("no", "x"), State.FAILED, "no; what had been done of it was taken back"),
        (
            (StepOutcome.DONE, StepOutcome.UNDONE),
            ProviderError("no", "x"),
            State.FAILED,
            "1 of 3 changes were made, then: no",
        ),
    ],
    ids=["refused", "refused half way", "nothing done", "taken back", "partly taken back"],
)
def test_what_was_not_done_whole_says_n_of_m_and_never_more_than_is_so(
    outcomes: tuple[StepOutcome, ...], problem: ProviderError | Refused, state: State, said: str
) -> None:
    record = part_done(a_record(*outcomes).marked(message="Did it"), 3, problem)

    assert (record.state, record.marks.error) == (state, said)
    assert (record.marks.code, record.marks.message) == ("x", None)


def test_where_one_change_is_unknown_the_whole_is_whatever_else_is_known() -> None:
    record = part_done(
        a_record(StepOutcome.DONE, StepOutcome.UNKNOWN).marked(message="Did it"), 3, ProviderError("no", "x")
    )

    assert (record.state, record.marks.code, record.marks.message) == (State.UNKNOWN, "unknown", None)
    assert record.marks.error == "it cannot be said whether this happened; no"


def test_a_way_back_has_what_is_done_whose_trace_is_known_and_that_can_be_undone() -> None:
    back, burnt = Change(Put("a", "x"), Take("a"), ()), Change(Take("a"), CannotUndo("it is burnt"), ())
    marks = [
        StepRecord(StepOutcome.DONE, {}),
        StepRecord(StepOutcome.DONE, None),
        StepRecord(StepOutcome.NOT_DONE, {}),
        StepRecord(StepOutcome.UNDONE, {}),
        StepRecord(StepOutcome.DONE, {}),
        StepRecord(StepOutcome.DONE, {}),
    ]

    assert ways_back([back, back, back, back, burnt, back, back], marks) == [5, 0]
