"""The commands of the conversation: what they show, what they take back, and what a number does."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.assembly import open_home
from sayso.assembly.why import explain
from sayso.surfaces.cli.chat.loop import is_undo
from tests.surfaces.cli.chat.conftest import Talk, say
from tests.surfaces.cli.conftest import Scripted
from tests.surfaces.cli.person import Screen, sayso

HELLO = "Hello **you**.\n"
DELETE = {"text": "I delete it.\n", "calls": [{"name": "file_delete", "arguments": {"path": "~/Downloads/a.txt"}}]}
LEAVE = "\x04"


def deleted(screen: Screen) -> None:
    """Let the person have a file deleted."""
    screen.see(">")
    say(screen, "delete a.txt\r")
    screen.see("[y/N]")
    screen.type("y\r")
    screen.see("done: ", "Gone.")


@pytest.mark.parametrize("words", ["take that back", "/undo", "Undo that, please!"])
def test_take_that_back_takes_back_what_the_conversation_did_last(person: Path, talk: Talk, words: str):
    screen = talk(DELETE, "Gone.\n")
    deleted(screen)
    assert not (person / "Downloads" / "a.txt").exists()

    say(screen, f"{words}\r")
    screen.see("Took back")

    assert (person / "Downloads" / "a.txt").read_text() == "first\n"
    say(screen, "/undo\r")
    screen.see("Nothing that was done in this conversation can be taken back")


def test_behind_what_cannot_be_taken_back_the_thing_before_is_named_and_a_short_id_is_enough(person: Path, talk: Talk):
    made = sayso("run", "-", "--dialect", "lines", "--yes", "--json", text='CREATE_FOLDER "~/Documents/New"\n').document
    id_ = made["results"][0]["id"]
    screen = talk(DELETE, "Gone.\n")
    deleted(screen)
    (person / "Downloads" / "a.txt").write_text("mine\n")

    say(screen, "/undo\r")
    screen.see("Before that: Create folder “~/Documents/New”", f"/undo {id_}")
    say(screen, f"/undo do_{id_[-5:].lower()}\r")
    screen.see("Took back")

    assert not (person / "Documents" / "New").exists()
    assert (person / "Downloads" / "a.txt").read_text() == "mine\n"


def test_only_a_whole_wish_to_take_back_is_one():
    assert is_undo("Take it back.")
    assert is_undo("please undo")
    assert not is_undo("undo the last commit in git")
    assert not is_undo("take that back to the shop")


def test_why_tells_the_rule_and_who_answered(person: Path, talk: Talk):
    screen = talk(DELETE, "Gone.\n")
    deleted(screen)

    say(screen, "/why\r")

    screen.see(
        "Delete “~/Downloads/a.txt”", "Policy asked: file.delete asks in every mode (rule floor)",
        "answered by you, at the terminal", "No standing permission",
        "Policy looked at: the operation file.delete (destructive); changes: “~/Downloads/a.txt”",
        "expects unchanged “~/Downloads/a.txt”",
    )  # fmt: skip
    assert person.exists()


def test_what_waits_is_numbered_and_its_number_asks_about_it(person: Path, talk: Talk, scripted: Scripted):
    sayso("chat", "--model", scripted(DELETE, "It waits.\n"), text="delete a.txt\n")

    screen = talk(HELLO, words=("--session", "latest"))
    screen.see("> delete a.txt", "It waits.", "  1  Delete “~/Downloads/a.txt”", "(waits for your yes)")
    say(screen, "1\r")
    screen.see("[y/N]")
    screen.type("y\r")
    screen.see("done: ")
    say(screen, "/pending\r")
    screen.see("Nothing waits for you.")

    assert not (person / "Downloads" / "a.txt").exists()


@pytest.mark.usefixtures("person")
def test_a_number_that_stands_nowhere_is_told(talk: Talk):
    screen = talk(HELLO)

    screen.see(">")
    say(screen, "/3\r")

    screen.see("Nothing stands here with the number 3.")


@pytest.mark.usefixtures("person")
def test_latest_goes_on_with_the_last_exchanges_shown(talk: Talk, scripted: Scripted):
    name = scripted(*(f"Answer {number}.\n" for number in range(5)))
    sayso("chat", "--model", name, text="".join(f"wish {number}\n" for number in range(5)))

    screen = talk(HELLO, words=("--session", "latest"))

    shown = screen.see("after 2 earlier exchanges", "> wish 4", "│ Answer 4.")
    assert "wish 1" not in shown


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize("name", ["latest", "ask_0000000000000", "nonsense"])
def test_an_unknown_session_is_refused(name: str):
    run = sayso("chat", "--session", name, text="hi\n")

    assert run.code == 2
    assert run.err.startswith("sayso: there is no ")
    assert sayso("sessions", "--json").document["sessions"] == []


def test_an_export_is_a_new_private_file_with_the_outcomes(person: Path, talk: Talk, scripted: Scripted):
    screen = talk({**DELETE, "text": "I ```delete``` it.\n"}, "Gone.\n")
    deleted(screen)

    say(screen, "/export ~/talk.md\r")
    screen.see("1 exchange is in")
    say(screen, "/export ~/talk.md\r")
    screen.see("is there already")

    written = person / "talk.md"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert "```text\ndelete a.txt\n```" in written.read_text()
    assert "- ✓ done: Delete “~/Downloads/a.txt”" in written.read_text()


@pytest.mark.usefixtures("person")
def test_the_model_can_be_changed_and_a_wrong_name_changes_nothing(talk: Talk):
    screen = talk(HELLO)

    screen.see(">")
    say(screen, "/model nonsense:\r")
    screen.see("sayso knows no model called “nonsense:”")
    say(screen, "/model embedded\r")
    screen.see("You talk with embedded from now on.")
    say(screen, "add a task to pack\r")
    screen.see("Add the task “pack”", "[y/N]")


@pytest.mark.usefixtures("person")
def test_words_said_before_come_back_with_the_arrow_unless_that_is_off(
    talk: Talk, settings: Callable[[str], None], scripted: Scripted
):
    sayso("chat", "--model", scripted(HELLO), text="the words from before\n")

    screen = talk(HELLO)
    screen.see(">")
    say(screen, "\x1b[A")
    screen.see("> the words from before")
    settings("[chat]\nhistory = false\n")
    without = talk(HELLO)
    without.see(">")
    say(without, "\x1b[A/help\r")
    without.see("/quit")

    assert "the words from before" not in without.text


@pytest.mark.usefixtures("person")
def test_without_a_person_a_command_that_needs_one_is_refused():
    run = sayso("chat", text="/undo\n")

    assert "only a person at the terminal does that here" in run.out


@pytest.mark.parametrize(
    "line", ["/export ~/talk.md", "/EXPORT ~/talk.md", "/model openai:any", "/sessions latest", "/undo"]
)
def test_a_piped_line_writes_no_file_and_chooses_no_model(line: str, person: Path):
    run = sayso("chat", text=f"hello\n{line}\n")

    assert "only a person at the terminal does that here" in " ".join(run.out.split())
    assert not (person / "talk.md").exists()


async def test_why_tells_in_plain_words_how_the_built_in_rules_read_a_wish(scratch_home: Path):
    async with open_home(str(scratch_home / "own")) as home:
        asked = await home.ask("please remind me tomorrow at 18:00 to call Ana")
        (made,) = [one.record for one in asked.report.outcomes]

        said = (await explain(home, made))[-1]

    assert "“remind me tomorrow at 18:00 to call ana” is what was read, without what is only polite" in said
    assert "by likeness to known wishes: reminder.create" in said
    assert "read as create reminder “call Ana”" in said
