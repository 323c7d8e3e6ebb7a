"""Ids are read as a person types them."""

import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.config.paths import Places, places
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.record import Progress, Record, State
from sayso.surfaces.cli.findings import check_unopened, of_home
from sayso.surfaces.cli.render import action_ref, describe_data, reference, table
from sayso.surfaces.cli.text import columns
from tests.surfaces.cli.person import sayso


def test_ids_may_be_typed_in_small_letters_and_with_spaces_around():
    assert reference(" do_0d8m2yq5z3f4k ") == "do_0D8M2YQ5Z3F4K"
    assert reference("RUN_0d8m2yq5z3f4k") == "run_0D8M2YQ5Z3F4K"


@pytest.mark.parametrize("text", ["", "7", "do_", "run_0", "do_0D8M2YQ5Z3F4KK", "grant_0D8M2YQ5Z3F4K"])
def test_what_is_no_id_is_told(text: str):
    with pytest.raises(ProposalError, match="is not the id of"):
        reference(text)


def test_an_action_is_not_a_run():
    with pytest.raises(ProposalError):
        action_ref("run_0D8M2YQ5Z3F4K")


Reply = Callable[[str], str]


@pytest.mark.req("S0-05", "S0-60", "S0-61")
def test_one_line_of_success_and_one_of_failure_with_its_reason(person: Path, reply: Reply):
    run = sayso("run", reply('CREATE_FOLDER "~/Documents/x"\nFLY "x"\n'), "--dialect", "lines")

    assert run.code == 1
    assert "✓  1  done: Created folder" in run.out
    assert '✗  2  invalid: Unknown command: FLY "x"' in run.out
    assert "2 actions: 1 done, 1 invalid" in run.out
    assert "sayso undo do_" in run.out


@pytest.mark.req("S0-27")
def test_a_reply_without_an_action_says_so(person: Path, reply: Reply):
    run = sayso("run", reply("# No action needed\n"), "--dialect", "lines")

    assert run.code == 0
    assert run.out == "No action needed.\n"


def test_a_text_without_a_command_says_so(person: Path, reply: Reply):
    assert "Nothing to do" in sayso("run", reply("# just a note\n\n"), "--dialect", "lines").out


@pytest.mark.req("S0-65")
def test_a_dry_run_says_what_it_would_do_and_whether_it_would_ask(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'

    run = sayso("run", reply(text), "--dialect", "lines", "--dry-run")

    assert run.code == 0
    assert "planned: Would move" in run.out
    assert "(you would be asked)" in run.out
    assert (person / "Downloads" / "a.txt").exists()


def test_what_was_read_is_shown_with_a_bar_before_each_line(person: Path, reply: Reply):
    (person / "Documents" / "n.txt").write_text("one\n\x1b[2Jtwo\n")

    shown = sayso("run", reply('FILE_READ "~/Documents/n.txt"\n'), "--dialect", "lines").out

    assert "│ one" in shown
    assert "│ \\u{1b}[2Jtwo" in shown


def test_what_waits_says_how_it_can_be_decided(person: Path, reply: Reply):
    run = sayso("run", reply('MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'), "--dialect", "lines")

    assert run.code == 3
    assert "waiting: Move “~/Downloads/a.txt”" in run.out
    assert "sayso approve run_" in run.err
    assert "sayso decline run_" in run.err


def a_record(marks: Progress, said: str = "", summary: str | None = None) -> Record:
    plan: dict[str, Json] | None = None if summary is None else {"summary": summary}
    return Record(
        1, "do_0D8M2YQ5Z3F4K", "run_1", 0, "2024-01-28T14:00:00.000Z", "lines", "cli", "", "file.move", {}, marks, said,
        plan=plan,
    )  # fmt: skip


def test_two_lines_with_everything_in_them():
    first, second = table([a_record(Progress(State.DONE, message="Moved file"), summary="Move “a”")], 80)

    assert "✓ done" in first
    assert first.endswith("do_0D8M2YQ5Z3F4K")
    assert second == "    Move “a”"


def test_a_narrow_line_keeps_the_id_whole_and_has_the_operation_below():
    first, second = table([a_record(Progress(State.DONE, message="Moved file"), summary="Move “a”")], 56)

    assert first.endswith("do_0D8M2YQ5Z3F4K")
    assert columns(first) <= 56
    assert second == "    file.move: Move “a”"


def test_a_reason_comes_first():
    assert a_record(Progress(State.FAILED, error="it is not there"), summary="Move “a”").about == (
        "it is not there (Move “a”)"
    )


def test_what_could_not_be_read_is_shown_once():
    record = a_record(Progress(State.INVALID, error="Unknown command: FLY\u202e"), said="FLY\u202e")

    assert record.about == "Unknown command: FLY\u202e"
    assert table([record], 80)[1] == "    Unknown command: FLY\\u{202e}"


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
    held, waiting = await of_home(os.environ, at)

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

    for found in ((await of_home(os.environ, at))[0], *check_unopened(at)):
        assert found.how == "broken"
        assert says in found.says
        assert ("newer" in says) == (not found.fix)


async def test_the_mending_of_a_damaged_journal_mends_it(at: Places):
    at.database.write_bytes(b"no database")
    Path(f"{at.database}-wal").write_bytes(b"of the old one")
    (found,) = check_unopened(at)

    command = found.fix.partition(": ")[2].partition("; ")[0]
    typed(command)

    assert (at.home / "damaged" / "sayso.db").read_bytes() == b"no database"
    assert not Path(f"{at.database}-wal").exists()
    (new,) = await of_home(os.environ, at)
    assert new.says == "nothing in it was altered (0 entries)"


def test_what_was_found_without_a_text_is_shown_in_plain_lines_and_never_as_json():
    data: dict[str, Json] = {
        "count": 2,
        "lamps": [{"name": "hall", "on": True}, {"name": "desk", "on": False, "rooms": ["a", "b"]}],
        "note": "one\ntwo",
        "more": [],
        "next": None,
    }

    assert describe_data(data) == [
        *("count: 2", "lamps:", "  - name: hall", "    on: yes", "  - name: desk", "    on: no"),
        *("    rooms:", "      - a", "      - b", "note:", "  one", "  two", "more: none", "next: none"),
    ]
