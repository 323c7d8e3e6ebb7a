"""What stands there with a number: what waits, after which the model goes on, and what an own action suggests."""

from pathlib import Path

import pytest

from sayso.core.instances import Instance
from sayso.surfaces.cli.chat.offers import tell_offer
from tests.surfaces.cli.chat.conftest import Talk, note_down, say
from tests.surfaces.cli.conftest import Scripted
from tests.surfaces.cli.person import sayso

DELETE = {"text": "I delete it.\n", "calls": [{"name": "file_delete", "arguments": {"path": "~/Downloads/a.txt"}}]}
NOTE = {
    "text": "",
    "calls": [{"name": "template_run", "arguments": {"template_id": "note_down", "params": {"what": "Milk"}}}],
}
HANDLER = """
async def handler(params, context):
    await context.create_reminder(params["what"], due="2031-01-01 10:00")
    more = [{"templateId": "note_down", "label": "Eggs \\x1b[2J too", "params": {"what": "Eggs"}}]
    return {"success": True, "message": "Noted it", "suggestedActions": more if params["what"] == "Milk" else []}
"""


def test_after_a_decision_the_model_goes_on_by_itself(person: Path, talk: Talk, scripted: Scripted):
    sayso("chat", "--model", scripted(DELETE, "It waits.\n"), text="delete a.txt\n")

    screen = talk("So that is done, too.\n", words=("--session", "latest"))
    screen.see("(waits for your yes)", "Type its number to go on with it.")
    say(screen, "1\r")
    screen.see("[y/N]")
    screen.type("y\r")
    screen.see("done: ", "So that is done, too.")
    say(screen, "\x1b[A")
    screen.see("> delete a.txt")

    assert not (person / "Downloads" / "a.txt").exists()


def test_what_an_own_action_suggests_is_run_by_its_number_after_a_yes(person: Path, talk: Talk):
    note_down(person, HANDLER)
    screen = talk(NOTE, "Noted.\n")

    say(screen, "note milk\r")
    screen.see("[y/N]", "Milk")
    screen.type("y\r")
    screen.see("Noted.", "  1  “Eggs", "your action note_down: day = “2031-01-01”, what = “Eggs”")
    say(screen, "/1\r")
    screen.until(lambda text: "reminder “Eggs”" in text and text.endswith("[y/N]"))
    screen.type("y\r")
    screen.until(lambda text: text.count("Noted it") == 2)

    assert b"\x1b[2J" not in screen.raw


@pytest.mark.usefixtures("person")
def test_nothing_is_offered_twice_while_nothing_changes(talk: Talk, scripted: Scripted):
    sayso("chat", "--model", scripted(DELETE, "It waits.\n"), text="delete a.txt\n")
    screen = talk("Yes?\n", words=("--session", "latest"))

    say(screen, "hello\r")
    screen.see("Yes?")
    say(screen, "/help\r")
    screen.see("/quit")

    assert screen.text.count("(waits for your yes)") == 1


def test_an_offer_tells_no_secret_and_only_so_much_of_what_a_model_wrote():
    made = Instance("act_1", "s", "pay", "L" * 9000, {"key": "hush", "to": "a) (b" * 900}, "2026-11-28T00:00:00Z")

    says = tell_offer(made, ("key",)).says

    assert "hush" not in says
    assert "to = “a) (b" in says
    assert len(says) < 600
