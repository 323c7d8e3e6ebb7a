"""Clipboard, messages, sound and shortcuts: what is planned, said and refused."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import CannotUndo
from sayso.providers.desktop import DESKTOP, operations
from sayso.providers.desktop.memory import backend, parse_world
from sayso.providers.desktop.model import RunShortcut, ShowNotification
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial


def a_trial(**world: object) -> Trial:
    return Trial(DESKTOP, backend(parse_world(world), NumberedIds()))


@pytest.mark.req("T-11")
@pytest.mark.parametrize("level", [-1, 101, 50.5, "50", True, None])
def test_a_volume_is_a_whole_number_from_0_to_100(level: object):
    (problem,) = operations.set_volume.check({"level": level})[1]

    assert problem.sentence == "“level” must be a whole number from 0 to 100"
    for within in (0, 50, 100):
        assert operations.set_volume.check({"level": within}) == ({"level": within}, [])


@pytest.mark.req("T-49", "S0-49")
async def test_each_notification_is_one_of_its_own_with_all_that_was_asked_of_it():
    trial = a_trial()

    plain, again = [await trial.plan("notify.show", title="A", message="B") for _ in range(2)]
    full = await trial.plan("notify.show", title="A", message="", sound="Ping", priority="high", type="error")

    assert plain.changes[0].do == ShowNotification("token000000000000001", "A", "B", None, "normal", "info")
    assert again.changes[0].do != plain.changes[0].do
    assert full.changes[0].do == ShowNotification("token000000000000003", "A", "", "Ping", "high", "error")
    assert isinstance(plain.changes[0].undo, CannotUndo)


@pytest.mark.parametrize("state", ["yes", "ON|OFF", "", True])
def test_do_not_disturb_is_on_or_off(state: object):
    (problem,) = operations.set_dnd.check({"state": state})[1]

    assert problem.sentence == "“state” must be one of OFF, ON"


async def test_what_is_so_already_or_empty_or_long_is_said():
    trial = a_trial(volume=20, do_not_disturb=False)

    empty = await trial.answer("clipboard.read")

    assert (await trial.plan("sound.set_volume", level=20)).summary == "The volume is 20 already"
    assert (await trial.plan("focus.set_dnd", state="OFF")).summary == "Do not disturb is off already"
    assert (await trial.plan("speech.say", text="word " * 100)).summary.endswith("…” (500 characters)")
    assert (empty.text, empty.data) == ("the clipboard holds no text", {"text": ""})


async def test_a_shortcut_runs_with_its_input_as_text_and_an_unknown_one_is_refused_with_those_there_are():
    plan = await a_trial().plan("shortcut.run", name="Shortcut Name", input="input text")

    assert plan.changes[0].do == RunShortcut("Shortcut Name", "input text", 120)
    assert plan.said_when_done == "Ran shortcut"
    with pytest.raises(ProviderError, match="no shortcut is called “C”; there are: “A”, “B”"):
        await a_trial(shortcuts=("A", "B")).plan("shortcut.run", name="C")
