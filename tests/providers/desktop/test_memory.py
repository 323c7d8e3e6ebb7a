"""The memory desktop behaves as any other backend, and records what it would show."""

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Fact, Left, OpenFile, RevealFile
from sayso.core.ports import Backend, Ground
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.memory import NOTE, World, backend, build, parse_world
from sayso.providers.desktop.model import Notify, RunShortcut
from sayso.testing.desktop import DesktopSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial


class TestMemory(DesktopSuite):
    """The suite on the memory desktop."""

    def make(self) -> Backend:
        return backend(World(), NumberedIds())


class TestMemoryThatDoesNotTell(DesktopSuite):
    """The suite on a desktop that does not tell whether it is quiet."""

    def make(self) -> Backend:
        return backend(World(do_not_disturb=None), NumberedIds())


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


def test_it_says_that_nothing_is_shown():
    assert backend(World(), NumberedIds()).note == NOTE == "recorded, not shown"


async def test_files_handed_over_are_recorded_whatever_their_plan_expects():
    made = backend(World(), NumberedIds())
    steps = (OpenFile("/home/ana/a.txt", "TextEdit"), RevealFile("/home/ana"))

    for step in steps:
        await made.apply(step, (Fact("/home/ana/a.txt"),))

    assert made.world.recorded == steps


async def test_the_settings_may_describe_the_desktop():
    made = build(ground(kind="memory", world={"clipboard": "abc", "volume": 7, "do_not_disturb": True}))

    trial = Trial(DESKTOP, made)
    assert (await trial.answer("clipboard.read")).data == {"text": "abc"}
    assert (await made.reads.volume()).level == 7
    assert (await trial.plan("focus.set_dnd", state="ON")).changes == ()


def test_a_wrong_desktop_is_named():
    with pytest.raises(SetupError, match=r"memory world of \[desktop\] in the settings is wrong.*loudness"):
        parse_world({"loudness": 1})


async def test_a_shortcut_that_fails_tells_its_error():
    trial = Trial(DESKTOP, backend(parse_world({"failing": {"Tidy": "no such folder"}}), NumberedIds()))

    with pytest.raises(ProviderError, match="“Tidy” failed: no such folder"):
        await trial.do(await trial.plan("shortcut.run", name="Tidy"))


async def test_what_is_done_is_recorded_in_order():
    made = backend(World(), NumberedIds())
    trial = Trial(DESKTOP, made)

    await trial.do(await trial.plan("shortcut.run", name="-h", input="hello"))
    await trial.do(await trial.plan("notify.show", title="A", message="B", sound="Ping"))

    assert made.world.recorded == (RunShortcut("-h", "hello"), Notify("token000000000000001", "A", "B", "Ping"))


async def test_bare_settings_are_enough_for_every_operation():
    made = build(ground())
    trial = Trial(DESKTOP, made)

    await trial.do(await trial.plan("shortcut.run", name="Tidy"))

    assert made.world == World(recorded=(RunShortcut("Tidy"),))


async def test_a_former_text_that_is_no_longer_kept_is_not_made_up():
    made = backend(World("before"), NumberedIds())
    trial = Trial(DESKTOP, made)
    plan = await trial.plan("clipboard.write", text="x")
    lefts = await trial.do(plan)
    made.world = World("x")

    with pytest.raises(ProviderError, match="no longer kept"):
        await trial.take_back(plan, lefts)


async def test_a_desktop_that_was_made_new_cannot_tell():
    step = Notify("t", "A", "B")

    assert isinstance(await build(ground()).settle(step, ()), CannotTell)


async def test_a_notification_is_settled_by_its_own_token():
    made = backend(World(), NumberedIds(), lasting=True)
    await made.apply(Notify("one", "A", "B"), ())

    assert isinstance(await made.settle(Notify("one", "A", "B"), ()), Left)
    assert not isinstance(await made.settle(Notify("two", "A", "B"), ()), Left)
