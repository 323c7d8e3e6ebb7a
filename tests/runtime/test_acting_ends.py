"""How an action ends whose changes did not all happen, and which of them have a way back."""

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import CannotTell, CannotUndo, Change, Left
from sayso.core.record import How, Marked, Marks, Record, State
from sayso.runtime.apply import mark_taken_back, part_done, ways_back
from tests.runtime.shelf import Put, Take


def a_record(*outcomes: How) -> Record:
    """Return an action whose changes came to this."""
    marks = Marks(State.RUNNING, changes=tuple(Marked(how) for how in outcomes), undoing=0)
    return Record(1, "do_1", "run_1", 0, "2026-03-14T12:00:00.000Z", "lines", "test", "", "shelf.put", {}, marks)


@pytest.mark.parametrize(
    ("result", "how"),
    [(Left(()), How.UNDONE), (CannotTell("who knows"), How.UNKNOWN), (ProviderError("no"), How.DONE)],
    ids=["left", "cannot tell", "a no"],
)
def test_what_became_of_taking_back_is_marked_on_that_change_alone(
    result: Left | CannotTell | ProviderError, how: How
) -> None:
    record = mark_taken_back(a_record(How.DONE, How.DONE, How.NOT_DONE), 1, result)

    assert [mark.outcome for mark in record.marks.changes] == [How.DONE, how, How.NOT_DONE]
    assert record.marks.undoing is None


@pytest.mark.parametrize(
    ("outcomes", "problem", "state", "said"),
    [
        ((How.NOT_DONE,), Refused("not there", "x"), State.REFUSED, "not there"),
        (
            (How.DONE, How.NOT_DONE),
            Refused("not there", "x"),
            State.FAILED,
            "1 of 3 changes were made, then: not there",
        ),
        ((), ProviderError("no", "x"), State.FAILED, "no"),
        ((How.UNDONE,), ProviderError("no", "x"), State.FAILED, "no; what had been done of it was taken back"),
        ((How.DONE, How.UNDONE), ProviderError("no", "x"), State.FAILED, "1 of 3 changes were made, then: no"),
    ],
    ids=["refused", "refused half way", "nothing done", "taken back", "partly taken back"],
)
def test_what_was_not_done_whole_says_n_of_m_and_never_more_than_is_so(
    outcomes: tuple[How, ...], problem: ProviderError | Refused, state: State, said: str
) -> None:
    record = part_done(a_record(*outcomes).marked(message="Did it"), 3, problem)

    assert (record.state, record.marks.error) == (state, said)
    assert (record.marks.code, record.marks.message) == ("x", None)


def test_where_one_change_is_unknown_the_whole_is_whatever_else_is_known() -> None:
    record = part_done(a_record(How.DONE, How.UNKNOWN).marked(message="Did it"), 3, ProviderError("no", "x"))

    assert (record.state, record.marks.code, record.marks.message) == (State.UNKNOWN, "unknown", None)
    assert record.marks.error == "it cannot be said whether this happened; no"


def test_a_way_back_has_what_is_done_whose_trace_is_known_and_that_can_be_undone() -> None:
    back, burnt = Change(Put("a", "x"), Take("a"), ()), Change(Take("a"), CannotUndo("it is burnt"), ())
    marks = [
        Marked(How.DONE, {}),
        Marked(How.DONE, None),
        Marked(How.NOT_DONE, {}),
        Marked(How.UNDONE, {}),
        Marked(How.DONE, {}),
        Marked(How.DONE, {}),
    ]

    assert ways_back([back, back, back, back, burnt, back, back], marks) == [5, 0]
