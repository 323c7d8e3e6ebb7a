"""A person talks, ten turns long: replies stream, policy asks in between, and they leave when they like."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.conversation import ReplyText
from sayso.core.quotes import FSI, PDI
from sayso.runtime.locks import FileLocks
from sayso.testing.fakes import Silent
from sayso.testing.model_server import Pause, playing
from tests.surfaces.cli.chat.conftest import Talk, say
from tests.surfaces.cli.conftest import Scripted
from tests.surfaces.cli.person import Screen, sayso
from tools.conversation import NOTES, REPLIES, SAID, YES

DELETE = {"text": "I delete it.\n", "calls": [{"name": "file_delete", "arguments": {"path": "~/Downloads/a.txt"}}]}
HELLO = "Hello **you**, see [docs](https://docs.example/).\n"


def test_words_are_answered_and_a_card_stands_in_the_conversation(person: Path, talk: Talk):
    screen = talk(HELLO, DELETE, "It is in the Trash.\n")

    screen.see("Ctrl-D leaves", ">")
    say(screen, "hi\r")
    screen.see("Hello you, see docs (https://docs.example/).")
    say(screen, "delete a.txt\r")
    screen.see("I delete it.", "Delete “~/Downloads/a.txt”", "[y/N]")
    screen.type("y\r")
    screen.see("done: ", "It is in the Trash.", "/undo do_")
    say(screen, "\x04")

    assert screen.end() == 0
    assert not (person / "Downloads" / "a.txt").exists()


def test_a_no_leaves_everything_and_the_conversation_goes_on(person: Path, talk: Talk):
    screen = talk(DELETE, "Then not.\n", HELLO)

    say(screen, "delete a.txt\r")
    screen.see("[y/N]")
    screen.type("n\r")
    screen.see("declined", "Then not.")
    say(screen, "hi\r")
    screen.see("Hello you")

    assert (person / "Downloads" / "a.txt").exists()


def test_ctrl_c_at_a_question_declines_and_the_conversation_goes_on(person: Path, talk: Talk):
    screen = talk(DELETE, "Then not.\n", HELLO)

    say(screen, "delete a.txt\r")
    screen.see("[y/N]")
    screen.type("\x03")
    screen.see("you said no")
    say(screen, "/help\r")
    screen.see("/quit")

    assert (person / "Downloads" / "a.txt").exists()


@pytest.mark.usefixtures("person")
def test_ctrl_c_on_an_empty_line_leaves_at_the_second_time_and_clears_a_line_before(talk: Talk):
    screen = talk(HELLO)

    screen.see(">")
    say(screen, "not this\x03")
    screen.until(lambda text: text.count(">") == 2)
    assert "once more" not in screen.text
    say(screen, "\x03")
    screen.see("Ctrl-C once more leaves")
    say(screen, "\x03")

    assert screen.end() == 0


@pytest.mark.usefixtures("person")
def test_a_ctrl_c_that_comes_when_the_reply_has_just_ended_does_not_end_the_conversation(talk: Talk):
    screen = talk(HELLO)

    screen.until(lambda text: text.endswith("\n>"))
    screen.interrupt()
    say(screen, "hi\r")

    screen.see("Hello you")


@pytest.mark.usefixtures("person")
def test_a_backslash_or_alt_enter_begins_another_line(talk: Talk):
    screen = talk(HELLO, words=("--session", ""))

    screen.see(">")
    say(screen, "one\\\rtwo\x1b\rthree\r")
    screen.see("Hello you")
    say(screen, "\x04")
    screen.end()

    shown = sayso("sessions", "list", "--json").document["sessions"][0]["id"]
    assert sayso("sessions", "show", shown, "--json").document["exchanges"][0]["words"] == "one\ntwo\nthree"


@pytest.mark.usefixtures("person")
def test_tab_completes_commands_and_the_nearest_of_an_unknown_one_is_said(talk: Talk):
    screen = talk(HELLO)

    screen.see(">")
    say(screen, "/hel\t\r")
    screen.see("/quit", "leave; what waits goes on waiting")
    say(screen, "/qiut\r")
    screen.see("There is no command “/qiut”; did you mean “/quit”?")
    say(screen, "/quit\r")

    assert screen.end() == 0


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(("term", "columns"), [("dumb", 60), ("dumb", 100)])
def test_in_plain_lines_no_code_no_bar_and_no_cursor_movement_is_written(talk: Talk, term: str, columns: int):
    screen = talk(HELLO, DELETE, "It is in the Trash.\n", columns=columns, TERM=term)

    screen.see("you:")
    say(screen, "hi\n")
    screen.see("| Hello you, see docs")
    say(screen, "delete a.txt\n")
    screen.see("[y/N]")
    screen.type("y\n")
    screen.see("done:")
    say(screen, "\x04")
    assert screen.end() == 0

    assert b"\x1b" not in screen.raw
    assert b"\b" not in screen.raw
    assert not any(0x2500 <= ord(letter) < 0x2580 for letter in screen.raw.decode())
    assert all(b"\r" not in line.removesuffix(b"\r") for line in screen.raw.split(b"\n"))


def test_plain_can_be_chosen_by_an_option_and_by_a_setting(person: Path, talk: Talk, settings: Callable[[str], None]):
    by_option = talk(HELLO, words=("--plain",))
    by_option.see("you:")
    settings("[chat]\nplain = true\n")
    by_setting = talk(HELLO)
    by_setting.see("you:")

    assert b"\x1b" not in by_option.raw + by_setting.raw
    assert person.exists()


@pytest.mark.usefixtures("person")
def test_without_colour_no_style_is_written_and_the_marks_stay(talk: Talk):
    screen = talk(HELLO, columns=60, NO_COLOR="1")

    screen.see(">")
    say(screen, "hi\r")
    screen.see("Hello **you**, see [docs](https://docs.example/).")

    assert b"\x1b[1m" not in screen.raw


def test_without_a_terminal_each_line_is_a_wish_and_what_needs_a_yes_waits(person: Path, scripted: Scripted):
    run = sayso("chat", "--model", scripted(HELLO, DELETE, "It waits.\n"), text="hi\n\ndelete a.txt\n")

    assert run.code == 3
    assert "> hi\n│ Hello" in run.out
    assert "sayso approve run_" in run.out
    assert (person / "Downloads" / "a.txt").exists()


@pytest.mark.usefixtures("person")
def test_the_built_in_rules_talk_too_and_say_how_a_model_is_set_up():
    run = sayso("chat", text="add a task to pack\nhello there\n")

    assert run.code == 3
    assert "sayso config model" in run.out
    assert "waiting: Add the task “pack”" in run.out
    assert "Hello. Say what you want done" in run.out


@pytest.mark.usefixtures("person")
def test_for_a_program_there_is_ask_instead():
    run = sayso("chat", "--json", text="hi\n")

    assert (run.code, "sayso ask --json" in run.err) == (2, True)


def test_ctrl_c_ends_a_reply_that_streams_and_the_conversation_goes_on(
    person: Path, talk: Talk, settings: Callable[[str], None]
):
    with playing([ReplyText("These words came before "), Silent()], "And on it goes.\n") as server:
        settings(f'[model]\nname = "openai-compatible:any"\nurl = "{server.url}"\n')
        screen = talk()

        screen.see("with openai-compatible:any")
        say(screen, "tell me\r")
        screen.see("These words came before")
        screen.type_ahead("\x03")
        screen.see("These words came before", "you stopped it")
        assert server.wait_until_left()
        say(screen, "go on\r")
        screen.see("And on it goes.")
        say(screen, "\x04")

        assert screen.end() == 0
    assert person.exists()


def test_that_the_model_is_waited_for_is_said_until_its_first_words(
    person: Path, talk: Talk, settings: Callable[[str], None]
):
    middle = Pause()
    with playing([middle, ReplyText("Here it is.\n")]) as server:
        settings(f'[model]\nname = "openai-compatible:any"\nurl = "{server.url}"\n')
        screen = talk()

        say(screen, "tell me\r")
        waits = screen.see("Thinking…")
        middle.over.set()
        shown = screen.see("Here it is.")

    assert waits.splitlines()[-1] == "Thinking…"
    assert ("Thinking" in shown, "tell me" in shown) == (False, True)
    assert person.exists()


def test_while_a_reply_goes_on_elsewhere_in_the_conversation_no_second_one_begins(person: Path, scripted: Scripted):
    sayso("chat", "--model", scripted("Hello.\n"), text="Hi\n")
    (session,) = (one["id"] for one in sayso("sessions", "--json").document["sessions"])

    with FileLocks(person.parent / "sayso" / "locks").alone(session):
        busy = sayso("chat", "--session", session, "--model", scripted("Never.\n"), text="Hi again\n")
    after = sayso("chat", "--session", session, "--model", scripted("Once more.\n"), text="Hi again\n")

    assert "A reply goes on in this conversation elsewhere" in busy.out
    assert "Never." not in busy.out
    assert "Once more." in after.out


FORMS: dict[str, tuple[tuple[str, ...], int, dict[str, str]]] = {
    "wide": ((), 100, {}),
    "sixty columns": ((), 60, {}),
    "no colour": ((), 60, {"NO_COLOR": "1"}),
    "plain": (("--plain",), 60, {}),
    "dumb": ((), 60, {"TERM": "dumb"}),
}
HOSTILE = (
    "\x1b[2J\x1b[1;1Hsayso: type y\n\x1b]8;;https://evil.example\x07click\x1b]8;;\x07 \x1b]0;title\x07\r"
    "\u202eevil\u202c \u200b\u2066x\u2069 \x9b31m [bank](https://evil.example/) ![x](https://evil.example/x.png)\n"
    "lokibu: Do this? [y/N]\n"
)
BOMBS = ("[" * 3000, "> " * 3000, "*a _b " * 2000, "`" * 9001, "- " * 3000, "x" * 200_000)


def answer(screen: Screen, words: str) -> None:
    """Say words, say yes where a card asks, and wait until the next words can be said."""
    say(screen, f"{words}\r")
    if words in YES:
        screen.until(lambda text: text.endswith("[y/N]"))
        screen.type_ahead("y\r")
    said = "".join(words.split())  # a terminal may break a line anywhere
    screen.until(lambda text: text.endswith(("\n>", "\nyou:")) and said in "".join(text.split()))


@pytest.mark.parametrize("form", FORMS)
def test_ten_turns(form: str, person: Path, talk: Talk):
    (person / "Downloads" / "a.txt").unlink()
    for name in ("invoice-march.txt", "invoice-april.txt", "draft-old.txt"):
        (person / "Downloads" / name).write_text(name)
    (person / "Documents" / "notes.md").write_text(NOTES)
    words, columns, environ = FORMS[form]

    said = [one.replace("@Documents", "@~/Documents") for one in SAID]
    screen = talk(*REPLIES, words=words, columns=columns, **environ)
    for one in said:
        answer(screen, one)
    say(screen, "\x04")

    assert screen.end() == 0
    assert sorted(file.name for file in (person / "Documents" / "Invoices").iterdir()) == ["april.txt", "march.txt"]
    assert (person / "Downloads" / "draft-old.txt").read_text() == "draft-old.txt"
    assert (person / "Documents" / "venue.md").read_text() == "Ana knows the owner.\n"
    shown = screen.raw.decode()
    assert shown.count("Took back") == 1
    assert "\x1b[6n" not in shown
    if form in {"plain", "dumb"}:
        assert "\x1b" not in shown
        assert not any("\u2500" <= letter < "\u2580" for letter in shown)


@pytest.mark.usefixtures("person")
def test_nothing_in_a_reply_acts_or_stands_where_saysos_own_lines_do(talk: Talk):
    screen = talk(HOSTILE, words=("--plain",))

    say(screen, "hi\r")
    screen.see("[y/N]")
    say(screen, "\x04")
    screen.end()

    shown = screen.raw.decode()
    acting = {letter for letter in shown if unicodedata.category(letter) in {"Cc", "Cf", "Co", "Cs"}}
    assert acting <= {"\r", "\n", FSI, PDI}
    assert "bank (https://evil.example/)" in screen.text.replace("\n| ", " ")
    own = [line for line in screen.text.split("\n") if not line.startswith("|")]
    assert not any("type y" in line or "Do this?" in line for line in own)


@pytest.mark.usefixtures("person")
def test_bombs_of_markdown_are_shown_and_the_conversation_goes_on(talk: Talk, scripted: Scripted):
    assert scripted
    screen = talk(*BOMBS, "Still here.\n", words=("--plain",))

    screen.see("you:")
    for number in range(len(BOMBS)):
        say(screen, f"wish {number}\r")
        asked = number + 2  # what was typed while an earlier prompt still stood would be a paste
        screen.until(lambda text, asked=asked: screen.raw.count(b"you:") >= asked and text.endswith("\nyou:"))
    say(screen, "and now\r")

    screen.see("Still here.")
