"""One report over all turns: what was put right is told once, what was not stays a failure."""

from sayso.assistant.trace import Step
from sayso.assistant.whole import whole
from sayso.core.record import State
from sayso.runtime.outcome import Outcome, Report
from sayso.testing.journal import a_record


def a_step(run: str, *states: State, first: int = 1) -> Step:
    outcomes = tuple(Outcome(a_record(first + n, index=n, state=state)) for n, state in enumerate(states))
    return Step("u", "r", (), (Report(run, "lines", outcomes, warnings=(run,)),))


def test_what_was_written_again_takes_the_place_of_what_was_wrong():
    first, second = a_step("run_a", State.DONE, State.INVALID), a_step("run_b", State.DONE, first=10)

    report = whole([first, second], {a_record(2).id}, "lines", dry_run=False)

    assert [(one.record.index, one.record.id) for one in report.outcomes] == [(0, a_record(1).id), (1, a_record(10).id)]
    assert (report.run, report.warnings) == ("run_b", ("run_a", "run_b"))


def test_a_reply_that_proposed_nothing_puts_nothing_right():
    report = whole([a_step("run_a", State.INVALID), a_step("run_b")], {a_record(1).id}, "lines", dry_run=False)

    assert [one.record.state for one in report.outcomes] == [State.INVALID]
    assert report.run == "run_a"


def test_failures_that_nobody_was_asked_to_put_right_stay():
    report = whole([a_step("run_a", State.FAILED), a_step("run_b", State.DONE, first=9)], set(), "lines", dry_run=False)

    assert [one.record.state for one in report.outcomes] == [State.FAILED, State.DONE]


def test_where_nothing_was_proposed_there_is_an_empty_report():
    report = whole([Step("u", "r")], set(), "chat", dry_run=True)

    assert (report.run, report.dialect, report.outcomes, report.dry_run) == ("", "chat", (), True)
