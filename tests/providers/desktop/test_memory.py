"""The memory desktop behaves as any other backend, and records what it would show."""

import sys
from inspect import getmembers, isfunction

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, OpenFile, ResultRef, RevealFile
from sayso.core.ports import Backend, BackendContext
from sayso.providers.desktop import DESKTOP, fits, kind, memory
from sayso.providers.desktop.backend import ImaginedDesktop
from sayso.providers.desktop.memory import NOTE, backend, build, parse_world
from sayso.providers.desktop.model import (
    ClipboardText,
    DesktopState,
    DoNotDisturb,
    NotificationShown,
    OutputVolume,
    RunShortcut,
    SetClipboard,
    SetDoNotDisturb,
    SetVolume,
    ShowNotification,
    SpeechRunning,
    describe_change,
)
from sayso.providers.desktop.store import Desktop
from sayso.testing.desktop import DesktopSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial


class TestMemory(DesktopSuite):
    """The suite on the memory desktop."""

    def make(self) -> Backend:
        return backend(DesktopState(), NumberedIds())


class TestMemoryThatDoesNotTell(DesktopSuite):
    """The suite on a desktop that does not tell whether it is quiet."""

    def make(self) -> Backend:
        return backend(DesktopState(do_not_disturb=None), NumberedIds())


def built(**settings: object) -> MemoryBackend[DesktopState]:
    return build(BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds()))


async def test_what_is_done_is_recorded_in_order_not_shown_and_bare_settings_are_enough_for_it():
    made = built()
    trial = Trial(DESKTOP, made)

    await trial.do(await trial.plan("shortcut.run", name="-h", input="hello"))
    await trial.do(await trial.plan("notify.show", title="A", message="B", sound="Ping"), 1)
    files = (OpenFile("/home/ana/a.txt", "TextEdit"), RevealFile("/home/ana"))
    for step in files:
        await made.apply(step, ())

    notification = ShowNotification("token000000000000001", "A", "B", "Ping")
    assert made.world.recorded == (RunShortcut("-h", "hello"), notification, *files)
    assert made.note == NOTE == "recorded, not shown"


async def test_the_settings_may_describe_the_desktop_and_a_wrong_one_is_named():
    made = built(kind="memory", world={"clipboard": "abc", "volume": 7, "do_not_disturb": True})

    trial = Trial(DESKTOP, made)
    assert (await trial.answer("clipboard.read")).data == {"text": "abc"}
    assert (await made.reads.volume()).level == 7
    assert (await trial.plan("focus.set_dnd", state="ON")).changes == ()
    with pytest.raises(SetupError, match=r"memory world of \[desktop\] in the settings is wrong.*loudness"):
        parse_world({"loudness": 1})


async def test_a_shortcut_that_fails_tells_its_error():
    trial = Trial(DESKTOP, backend(parse_world({"failing": {"Tidy": "no such folder"}}), NumberedIds()))

    with pytest.raises(ProviderError, match="“Tidy” failed: no such folder"):
        await trial.do(await trial.plan("shortcut.run", name="Tidy"))


async def test_a_former_text_that_is_no_longer_kept_is_not_made_up():
    made = backend(DesktopState("before"), NumberedIds())
    trial = Trial(DESKTOP, made)
    plan = await trial.plan("clipboard.write", text="x")
    lefts = await trial.do(plan)
    made.world = DesktopState("x")

    with pytest.raises(ProviderError, match="no longer kept"):
        await trial.take_back(plan, lefts)


async def test_a_notification_is_settled_by_its_own_token_and_a_desktop_made_new_cannot_tell():
    made = backend(DesktopState(), NumberedIds(), lasting=True)
    await made.apply(ShowNotification("one", "A", "B"), ())

    assert isinstance(await made.settle(ShowNotification("one", "A", "B"), ()), Applied)
    assert not isinstance(await made.settle(ShowNotification("two", "A", "B"), ()), Applied)
    assert isinstance(await built().settle(ShowNotification("one", "A", "B"), ()), CannotTell)


REF = ChangeRef(2, 0)


def seen(**world: object) -> Desktop:
    return memory.backend(memory.parse_world(world), NumberedIds()).reads


async def test_a_volume_that_was_set_is_expected_as_the_last_step_of_its_kind_left_it():
    one = ImaginedDesktop(seen(volume=20), SetVolume(70, muted=True), ChangeRef(0, 0))
    later = ImaginedDesktop(
        ImaginedDesktop(one, SetVolume(80), ChangeRef(1, 0)), SetClipboard("x", "k"), ChangeRef(2, 0)
    )

    level = await one.volume()

    assert (level.level, level.muted, level.fact) == (70, True, ResultRef("output", "volume", 0, 0))
    assert (await later.volume()).fact == ResultRef("output", "volume", 0, 1)


async def test_do_not_disturb_is_seen_as_it_would_be():
    focus = await ImaginedDesktop(seen(do_not_disturb=False), SetDoNotDisturb(on=True, until="ten"), REF).focus()

    assert focus is not None
    assert (focus.on, focus.until) == (True, "ten")
    assert focus.fact == ResultRef("focus", "do_not_disturb", 0, 2)
    assert await ImaginedDesktop(seen(do_not_disturb=None), SetDoNotDisturb(on=True), REF).focus() is None


async def test_all_else_is_seen_as_it_is():
    reads = ImaginedDesktop(seen(clipboard="abc", volume=5, shortcuts=["a"]), SetDoNotDisturb(on=True), REF)

    assert await reads.clipboard() == "abc"
    assert await reads.clipboard_loses() == ""
    assert (await reads.volume()).level == 5
    assert await reads.shortcuts() == ("a",)
    assert reads.token()


@pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux")
@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"])
def test_whatever_leads_to_a_session_is_one(name: str):
    fit = fits({name: "x"}).kinds["linux"]

    assert kind({name: "x"}) == "linux"
    assert (fit.here, fit.says) == (True, f"{name} leads to a session")


@pytest.mark.req("X-05")
def test_where_nothing_leads_to_a_session_there_is_none_and_it_is_said_what_would(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    told = fits({})

    assert kind({"HOME": "/h", "DISPLAY": ""}) is None
    assert not told.kinds["linux"].here
    assert "DBUS_SESSION_BUS_ADDRESS" in told.none
    assert told.fix == "start sayso from within your desktop"
    monkeypatch.setattr(sys, "platform", "win32")
    assert kind({"DISPLAY": ":0"}) is None
    assert "only on Linux and macOS" in fits({"DISPLAY": ":0"}).none


@pytest.mark.req("T-56")
def test_a_mac_has_its_own_kind_of_desktop(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    assert (kind({}), fits({}).kinds["macos"].here) == ("macos", True)


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Desktop, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.MemoryDesktop, isfunction)}


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (ClipboardText("text", "…"), "the clipboard holds something else by now"),
        (OutputVolume("output", 30), "the volume is no longer 30"),
        (DoNotDisturb("focus", on=True), "do not disturb is no longer on"),
        (SpeechRunning("t"), "nothing of this is being said any more"),
        (NotificationShown("t"), "the desktop is no longer as it was"),
    ],
)
def test_what_moved_on_is_named_as_a_person_knows_it(fact: Fact, said: str):
    assert describe_change(fact) == said


def test_a_volume_is_compared_by_what_both_tell():
    level, told = OutputVolume("speaker", 40), OutputVolume("speaker", 40, channels=(26214, 13107))

    assert level.matches(told)
    assert told.matches(level)
    assert not told.matches(OutputVolume("speaker", 40, channels=(26214, 26214)))
    assert not level.matches(OutputVolume("speaker", 41))
    assert not level.matches(ClipboardText("text", "…"))
