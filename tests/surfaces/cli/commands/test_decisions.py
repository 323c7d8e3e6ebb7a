"""`sayso pending` lists what waits, offers of own actions too, and how it is decided."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sayso.assembly import open_home
from sayso.testing.fakes import FakeClock
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.editors import an_editor
from tests.surfaces.cli.person import sayso, states, tree

Reply = Callable[[str], str]


def test_what_waits_is_listed(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
    waiting = sayso("run", reply(text), "--dialect", "lines", "--json").document

    shown = sayso("pending")
    rows = sayso("pending", "--json").document["rows"]

    assert f"sayso approve {waiting['run']}" in shown.out
    assert [row["id"] for row in rows] == [result["id"] for result in waiting["results"]]
    assert rows[0]["state"] == "waiting"
    assert rows[0]["digest"] == waiting["results"][0]["digest"]


def test_a_narrow_terminal_breaks_no_command_and_no_time_of_what_waits(
    person: Path, reply: Reply, sit: Sit, monkeypatch: pytest.MonkeyPatch
):
    run = sayso("run", reply('MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'), "--json").document["run"]

    monkeypatch.delenv("COLUMNS", raising=False)
    screen = sit("pending", columns=60)

    assert screen.end() == 0
    assert f"      sayso approve {run}\n      sayso decline {run}" in screen.text.replace("\r", "")
    assert re.search(r"until\s+\d{4}-\d\d-\d\d\s\d\d:\d\d:\d\d", screen.text)


def test_nothing_waits():
    assert sayso("pending").out == "Nothing waits for you.\n"
    assert sayso("pending", "--json").document == {"rows": []}


MOVE = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'


@pytest.fixture
def waiting(person: Path, reply: Reply) -> str:
    return sayso("run", reply(MOVE), "--dialect", "lines", "--json").document["run"]


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_a_terminal_nobody_approves(person: Path, waiting: str, words: tuple[str, ...]):
    run = sayso("approve", waiting, *words)

    assert run.code == 3
    assert "terminal" in run.err or "--json" in run.err
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_a_yes_carries_it_out_here(person: Path, waiting: str, sit: Sit):
    screen = sit("approve", waiting)
    screen.see("Move “~/Downloads/a.txt”", "[y/N]")

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/b.txt": "first\n"}


def test_a_no_declines_it_for_good(person: Path, waiting: str, sit: Sit):
    screen = sit("approve", waiting)
    screen.see("[y/N]")
    screen.type("\n")
    assert screen.end() == 3

    again = sit("approve", waiting)

    assert again.end() == 1
    assert "it is declined already" in again.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}


TO_Z = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/z.txt"\n'


def test_without_an_id_the_one_that_waits_is_meant(person: Path, waiting: str, sit: Sit):
    screen = sit("approve")
    screen.see("Move “~/Downloads/a.txt”", "[y/N]")
    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/b.txt": "first\n"}
    assert sayso("approve").out == sayso("decline").out == "Nothing waits for you.\n"


def test_a_no_by_command_may_say_why(person: Path, waiting: str):
    run = sayso("decline", "--because", f"not\x1b[2J there {'x' * 600}", "--json")

    (result,) = run.document["results"]
    assert (run.code, result["state"], result["code"]) == (0, "declined", "declined.because")
    assert result["error"] == f"you said no: “not\\u{{1b}}[2J there {'x' * 486}…”"
    assert "\x1b" not in sayso("log").out


def test_of_several_that_wait_the_person_picks_by_number(person: Path, reply: Reply, waiting: str, sit: Sit):
    later = sayso("run", reply(TO_Z), "--dialect", "lines", "--json").document["run"]
    screen = sit("decline")
    screen.see(
        "2 requests wait for you",
        "1. Move “~/Downloads/a.txt” to “~/Documents/z.txt”",
        "2. Move “~/Downloads/a.txt”",
        "Which?",
    )

    screen.type("3\n")
    screen.see("there is no 3 in the list", "Which?")
    screen.type("1\n")

    assert screen.end() == 0
    assert [row["run"] for row in sayso("pending", "--json").document["rows"]] == [waiting]
    assert later != waiting


@pytest.mark.thorough
def test_what_comes_while_the_list_stands_there_is_no_part_of_all(person: Path, reply: Reply, waiting: str, sit: Sit):
    sayso("run", reply(TO_Z), "--dialect", "lines", "--json")
    screen = sit("decline")
    screen.see("2 requests wait for you", "Which?")
    late = sayso("run", reply(TO_Z.replace("z.txt", "y.txt")), "--dialect", "lines", "--json").document["run"]

    screen.type("all\n")

    assert screen.end() == 0
    assert [row["run"] for row in sayso("pending", "--json").document["rows"]] == [late]


def test_where_nobody_can_pick_those_that_wait_are_named(person: Path, reply: Reply, waiting: str):
    later = sayso("run", reply(TO_Z), "--dialect", "lines", "--json").document["run"]

    for words in (("approve",), ("decline",)):
        run = sayso(*words)

        assert run.code == 2
        assert f"2 requests wait for you; name one, as in “sayso {words[0]} RUN”: {later} (Move" in run.err
        assert f"{waiting} (Move “~/Downloads/a.txt”" in run.err
    assert len(sayso("pending", "--json").document["rows"]) == 2


def test_an_id_that_nothing_has_is_told(person: Path, sit: Sit):
    screen = sit("approve", "run_0D8M2YQ5Z3F4K")

    assert screen.end() == 2
    assert "there is no action or run" in screen.text


def test_a_brake_put_on_meanwhile_holds(person: Path, waiting: str, sit: Sit):
    sayso("pause")
    screen = sit("approve", waiting)
    screen.see("everything is paused", "sayso resume")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n"}
    assert waiting in sayso("pending").out


def test_several_ids_of_one_run_are_one_preview_and_the_rest_goes_on_waiting(person: Path, reply: Reply, sit: Sit):
    text = "".join(f'MOVE_FILE "~/Downloads/{name}.txt" "~/Documents/{name}.txt"\n' for name in "abc")
    for name in "bc":
        (person / "Downloads" / f"{name}.txt").write_text(name)
    ids = [row["id"] for row in sayso("run", reply(text), "--dialect", "lines", "--json").document["results"]]
    screen = sit("approve", ids[2], ids[0], ids[2])
    shown = screen.see("Execute both? [y/N]")
    assert "b.txt" not in shown

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/a.txt": "first\n", "Documents/c.txt": "c", "Downloads/b.txt": "b"}
    assert [row["id"] for row in sayso("pending", "--json").document["rows"]] == [ids[1]]


def test_ids_of_several_runs_are_asked_about_one_run_after_the_other(
    person: Path, waiting: str, reply: Reply, sit: Sit
):
    (person / "Downloads" / "b.txt").write_text("b")
    text = 'MOVE_FILE "~/Downloads/b.txt" "~/Documents/c.txt"\n'
    other = sayso("run", reply(text), "--dialect", "lines", "--json").document
    screen = sit("approve", waiting, other["run"])
    screen.see("“~/Downloads/a.txt”", "[y/N]")
    assert "c.txt" not in screen.text
    screen.type("n\n")
    screen.see("“~/Documents/c.txt”")
    screen.until(lambda shown: shown.count("[y/N]") == 2)

    screen.type("y\n")

    assert screen.end() == 3
    assert tree(person) == {"Downloads/a.txt": "first\n", "Documents/c.txt": "b"}


def test_nothing_is_asked_when_one_of_the_ids_is_wrong(person: Path, waiting: str, sit: Sit):
    screen = sit("approve", waiting, "run_0D8M2YQ5Z3F4K")

    assert screen.end() == 2
    assert "there is no action or run" in screen.text
    assert "[y/N]" not in screen.text


@pytest.mark.req("AV-10", "T-37")
def test_edit_opens_the_editor_first_and_what_was_saved_is_asked_about(
    person: Path, waiting: str, sit: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EDITOR", an_editor(tmp_path / "editor", "path.write_text(text.replace('b.txt', 'c.txt'))"))
    monkeypatch.delenv("VISUAL", raising=False)
    screen = sit("approve", waiting, "--edit")
    shown = screen.see("to “~/Documents/c.txt”", "Do this? [y/N]")
    assert "“~/Documents/b.txt”" not in shown
    assert tree(person) == {"Downloads/a.txt": "first\n"}

    screen.type("y\n")

    assert screen.end() == 0
    assert tree(person) == {"Documents/c.txt": "first\n"}


async def test_what_has_expired_is_told_like_any_outcome(person: Path, sit: Sit):
    async with open_home(clock=FakeClock(datetime(2024, 1, 28, 9, 0, tzinfo=UTC))) as home:
        old = await home.run(MOVE)

    screen = sit("approve", old.run)

    assert screen.end() == 3
    assert "✗  1  expired: nobody answered in time; propose it again" in screen.text
    assert "[y/N]" not in screen.text
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_what_waits_is_declined(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
    run = sayso("run", reply(text), "--dialect", "lines", "--json").document["run"]

    declined = sayso("decline", run, "--json")

    assert declined.code == 0
    assert states(declined.document) == ["declined"]
    assert sayso("pending", "--json").document == {"rows": []}
    assert tree(person) == {"Downloads/a.txt": "first\n"}


def test_what_does_not_wait_is_told(person: Path):
    assert sayso("decline", "do_0D8M2YQ5Z3F4K").code == 2


BECOMES = {"done": "done", "not-done": "failed"}
ROOT = Path(__file__).parents[4]


@pytest.fixture
def unknown(person: Path) -> str:
    return left_unknown(person)


def left_unknown(person: Path) -> str:
    """Return the id of a copy whose process died when it had begun, and that somebody else has made since."""
    text = "COPY_FILE ~/Downloads/a.txt ~/Documents/b.txt"
    died = subprocess.run(
        [sys.executable, "-m", "tests.surfaces.cli.dies", text, "files.copy.begun"], cwd=ROOT, check=False
    )
    assert died.returncode == -signal.SIGKILL
    shutil.copy2(person / "Downloads/a.txt", person / "Documents/b.txt")
    (row,) = sayso("log", "--state", "unknown", "--json").document["rows"]
    return row["id"]


def state_of(action: str) -> str:
    """Return where an action stands, as another process is told."""
    (row,) = [row for row in sayso("log", "--json").document["rows"] if row["id"] == action]
    return row["state"]


def test_a_program_settles_nothing():
    run = sayso("settle", "do_0D8M2YQ5Z3F4K", "done")

    assert run.code == 3
    assert "type it on your terminal" in run.err


def test_what_is_known_is_not_settled(person: Path, reply: Reply, sit: Sit):
    document = sayso("run", reply('CREATE_FOLDER "~/Documents/x"\n'), "--dialect", "lines", "--json").document

    screen = sit("settle", document["results"][0]["id"], "not-done")

    assert screen.end() == 1
    assert "is not unknown: it is done" in screen.text


def test_doctor_says_what_to_do_about_what_is_unknown(unknown: str):
    assert "sayso log --state unknown, then sayso settle" in sayso("doctor").out
    assert unknown in sayso("log", "--state", "unknown").out


@pytest.mark.req("CR-01")
@pytest.mark.parametrize("how", ["done", "not-done"])
def test_the_persons_word_settles_what_is_unknown_and_touches_nothing(person: Path, unknown: str, sit: Sit, how: str):
    state = BECOMES[how]
    before = tree(person)

    screen = sit("settle", unknown, how)

    assert screen.end() == 0
    assert f"{state}: " in screen.text
    assert state_of(unknown) == state
    assert tree(person) == before
    assert sayso("log", "verify").code == 0


def test_without_a_terminal_the_unknown_stays_unknown(unknown: str):
    run = sayso("settle", unknown, "done")

    assert run.code == 3
    assert state_of(unknown) == "unknown"


def test_it_is_settled_once(unknown: str, sit: Sit):
    assert sit("settle", unknown, "not-done").end() == 0

    again = sit("settle", unknown, "done")

    assert again.end() == 1
    assert "is not unknown: it is failed" in again.text
    assert state_of(unknown) == "failed"


@pytest.mark.parametrize("how", ["done", "not-done"])
def test_taking_back_what_was_settled_never_takes_what_somebody_else_made(
    person: Path, unknown: str, sit: Sit, how: str
):
    theirs = (person / "Documents/b.txt").stat()
    settled = sit("settle", unknown, how)
    assert settled.end() == 0
    assert "takes it back" not in settled.text

    undo = sit("undo", unknown)

    assert undo.end() == 1
    assert ("you said that it was done" if how == "done" else "changed nothing") in undo.text
    now = (person / "Documents/b.txt").stat()
    assert (now.st_ino, now.st_ctime_ns) == (theirs.st_ino, theirs.st_ctime_ns)
    assert state_of(unknown) == BECOMES[how]


def test_after_settling_undo_takes_back_the_last_thing_that_can_be(person: Path, reply: Reply, sit: Sit):
    made = sayso("run", reply("CREATE_FOLDER ~/Documents/x\n"), "--dialect", "lines", "--json").document
    action = left_unknown(person)
    assert sit("settle", action, "done").end() == 0

    undo = sit("undo")

    assert undo.end() == 0
    assert not (person / "Documents/x").exists()
    assert (person / "Documents/b.txt").exists()
    assert state_of(made["results"][0]["id"]) == "undone"
    assert sayso("log", "verify").code == 0


ACTION = """
config = {
    "id": "sum_up", "name": "Sum up", "description": "Has a model sum it up.",
    "parameterSchema": {"type": "object", "properties": {"what": {"type": "string", "description": "What."}}},
}
async def handler(params, context):
    return {"success": True, "message": await context.call_agent(prompt=params["what"])}
"""
OFFER = json.dumps({"actions": [{"templateId": "sum_up", "label": "Do", "params": {"what": "Ana\u202e"}}]})


@pytest.fixture
def offered(person: Path, settings: Callable[[str], None], reply: Callable[[str], str], tmp_path: Path) -> str:
    """Return the id of an offer that waits, because its handler needs an answer while it runs."""
    (tmp_path / "replies.json").write_text('["All is well"]')
    settings(f'[model]\nname = "replay:{tmp_path / "replies.json"}"\n')
    actions = person.parent / "sayso" / "actions"
    actions.mkdir(mode=0o700)
    (actions / "sum-up.py").write_text(ACTION)
    ran = sayso("run", reply(OFFER), "--dialect", "actions", "--json").document
    return str(ran["results"][0]["id"])


def test_an_offer_that_waits_is_listed_with_its_parameters_and_how_to_decide(offered: str):
    shown, rows = sayso("pending"), sayso("pending", "--json").document

    assert f"sayso approve {offered}   or   sayso decline {offered}" in shown.out
    assert 'sum_up {"what": "Ana' in shown.out
    assert "\u202e" not in shown.out
    assert [row["id"] for row in rows["offers"]] == [offered]


def test_it_is_run_by_its_id_after_a_yes(offered: str, sit: Sit):
    screen = sit("approve", offered)
    screen.see("Sum up", "[y/N]")
    screen.type("y\r")
    screen.see("sum_up: All is well")

    assert screen.end() == 0
    assert sayso("pending").out == "Nothing waits for you.\n"


def test_it_is_declined_by_its_id(offered: str):
    sayso("decline", offered)

    assert sayso("pending").out == "Nothing waits for you.\n"
    assert sayso("pending", "--json").document == {"rows": []}
