"""Ten turns of a conversation: narrow, without colours, and in plain lines; and replies that are hostile."""

import unicodedata
from pathlib import Path

import pytest

from sayso.core.quotes import FSI, PDI
from tests.surfaces.cli.chat.conftest import Talk, say
from tests.surfaces.cli.conftest import Scripted
from tests.surfaces.cli.person import Screen
from tools.conversation import NOTES, REPLIES, SAID, YES

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
