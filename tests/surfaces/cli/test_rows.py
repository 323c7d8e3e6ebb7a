"""A row of the journal says in two lines when, what, how it ended, and about what."""

from sayso.core.canonical import Json
from sayso.core.record import Marks, Record, State
from sayso.surfaces.cli.rows import about, table


def a_record(marks: Marks, said: str = "", summary: str | None = None) -> Record:
    plan: dict[str, Json] | None = None if summary is None else {"summary": summary}
    return Record(
        1, "do_0D8M2YQ5Z3F4K", "run_1", 0, "2024-01-28T14:00:00.000Z", "lines", "cli", "", "file.move", {}, marks, said,
        plan=plan,
    )  # fmt: skip


def test_two_lines_with_everything_in_them():
    first, second = table([a_record(Marks(State.DONE, message="Moved file"), summary="Move “a”")], 80)

    assert "✓ done" in first
    assert first.endswith("do_0D8M2YQ5Z3F4K")
    assert second == "    Move “a”"


def test_a_reason_comes_first():
    assert about(a_record(Marks(State.FAILED, error="it is not there"), summary="Move “a”")) == (
        "it is not there (Move “a”)"
    )


def test_what_could_not_be_read_is_shown_once():
    record = a_record(Marks(State.INVALID, error="Unknown command: FLY\u202e"), said="FLY\u202e")

    assert about(record) == "Unknown command: FLY\u202e"
    assert table([record], 80)[1] == "    Unknown command: FLY\\u{202e}"
