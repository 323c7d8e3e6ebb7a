"""The backend checks what a step expects, passes on what is not its own, and forgets in time."""

import os
from collections.abc import Iterator
from datetime import timedelta

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Fact, NotDone, OpenFile, RevealFile
from sayso.core.ports import Backend
from sayso.providers.desktop.linux.backend import build
from sayso.providers.desktop.model import (
    DoNotDisturb,
    RunShortcut,
    SetClipboard,
    SetDoNotDisturb,
    Speak,
    SpeechRunning,
    clipboard_fact,
)
from sayso.testing.desktop import DesktopSuite
from sayso.testing.fakes import NOON
from tests.desktop_env import parts
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session
from tests.providers.desktop.linux.given import a_desktop, a_ground


@pytest.mark.req("S0-53")
async def test_the_shortcuts_are_those_of_the_settings(bare_session: Session):
    reads = a_desktop(bare_session, shortcuts={"b": {"argv": ["true"]}, "a": {"argv": ["true"]}}).reads

    assert await reads.shortcuts() == ("b", "a")


async def test_a_switch_that_does_not_tell_has_no_state(bare_session: Session):
    both = {name: {"argv": ["true"]} for name in ("on", "off")}

    assert await a_desktop(bare_session, shortcuts=both, dnd_on="on", dnd_off="off").reads.focus() is None


def test_tokens_are_new_each_time(bare_session: Session):
    reads = a_desktop(bare_session).reads

    assert reads.token() != reads.token()


TRUE = {"it": {"argv": ["true"]}, "not": {"argv": ["true"]}}


async def test_facts_of_another_domain_pass(bare_session: Session):
    desktop = a_desktop(bare_session, shortcuts=TRUE)

    left = await desktop.apply(RunShortcut("it"), (Fact("a file of another store"),))

    assert left.facts == ()


@pytest.mark.req("UN-01")
async def test_nothing_is_done_when_what_is_expected_is_no_longer_so(bare_session: Session):
    desktop = a_desktop(bare_session, shortcuts=TRUE)

    with pytest.raises(ProviderError, match="nothing of this is being said any more; nothing was changed"):
        await desktop.apply(RunShortcut("it"), (SpeechRunning("nobody"),))


async def test_a_switch_that_does_not_tell_leaves_no_fact(bare_session: Session):
    desktop = a_desktop(bare_session, shortcuts=TRUE, dnd_on="it", dnd_off="not")

    left = await desktop.apply(SetDoNotDisturb(on=True), ())

    assert left.facts == ()
    assert isinstance(await desktop.settle(SetDoNotDisturb(on=True), ()), CannotTell)
    with pytest.raises(ProviderError, match="do not disturb is no longer on"):
        await desktop.apply(SetDoNotDisturb(on=False), (DoNotDisturb("focus", on=True),))


async def test_nobody_can_tell_what_left_no_trace(bare_session: Session):
    desktop = a_desktop(bare_session)

    for step in (RunShortcut("it"), OpenFile("/a"), RevealFile("/a"), Speak("a", "token")):
        assert isinstance(await desktop.settle(step, ()), CannotTell)
    assert isinstance(await desktop.settle(SetClipboard("a", "kept"), ()), NotDone)


@pytest.mark.needs("xclip")
async def test_what_the_clipboard_held_is_forgotten_in_time(x_session: Session):
    desktop = a_desktop(x_session)
    await desktop.apply(SetClipboard("words", "old"), ())
    (kept,) = (x_session.home / "own").rglob("old")
    moment = (NOON - timedelta(days=91)).timestamp()
    os.utime(kept, (moment, moment))

    assert desktop.prune() == 1
    assert desktop.prune() == 0


@pytest.mark.needs("xclip")
async def test_the_steps_say_where_they_could_be_interrupted(x_session: Session):
    labels: list[str] = []

    left = await build(a_ground(x_session, {}, labels.append)).apply(SetClipboard("words", "k"), ())

    assert labels == ["clipboard.set.before", "clipboard.set.after"]
    assert left.facts == (clipboard_fact("words"),)


@pytest.mark.req("X-05")
def test_shortcuts_that_are_written_wrongly_are_said_when_it_is_built(bare_session: Session):
    with pytest.raises(SetupError, match=r"\[shortcuts\]"):
        a_desktop(bare_session, shortcuts={"it": {}})


@pytest.fixture(scope="module")
def full_session(x_session: Session) -> Session:
    """Return a session with notifications and sound."""
    parts.notifications(x_session)
    parts.sound(x_session)
    return x_session


@pytest.mark.needs("xclip", "dunst", "pulseaudio", "pactl", "espeak-ng")
@pytest.mark.req("S0-43", "S0-49", "S0-51", "S0-52", "S1-24")
class TestX11(DesktopSuite):
    """The suite on X11, with dunst, PulseAudio and espeak-ng."""

    @pytest.fixture(autouse=True)
    def _here(self, full_session: Session) -> None:
        self.session = full_session

    def make(self) -> Backend:
        return a_desktop(self.session)


@pytest.fixture(scope="module")
def full_wayland_session(wayland_session: Session) -> Session:
    """Return a Wayland session with notifications and sound, of a user who is not root."""
    parts.notifications(wayland_session)
    parts.sound(wayland_session)
    return wayland_session


@pytest.mark.thorough
@pytest.mark.needs("wl-copy", "dunst", "pulseaudio", "pactl", "espeak-ng")
@pytest.mark.req("S0-43", "S0-49", "S0-51", "S0-52", "S1-24")
class TestWayland(DesktopSuite):
    """The suite on Wayland."""

    @pytest.fixture(autouse=True)
    def _here(self, full_wayland_session: Session) -> None:
        self.session = full_wayland_session

    def make(self) -> Backend:
        return a_desktop(self.session)


@pytest.fixture(scope="module")
def pipewire_session(x_display: Session) -> Iterator[Session]:
    """Return an X session with notifications, and with the sound of PipeWire."""
    with session("dbus-daemon") as made:
        made.environment["DISPLAY"] = x_display.environment["DISPLAY"]
        parts.a_bus(made)
        parts.notifications(made)
        parts.pipewire(made)
        yield made


@pytest.mark.thorough
@pytest.mark.needs("xclip", "dunst", "pipewire", "pipewire-pulse", "wireplumber", "pactl", "espeak-ng")
@pytest.mark.req("S0-43", "S0-49", "S0-51", "S0-52", "S1-24")
class TestPipeWire(DesktopSuite):
    """The suite on X11, with dunst, PipeWire and espeak-ng."""

    @pytest.fixture(autouse=True)
    def _here(self, pipewire_session: Session) -> None:
        self.session = pipewire_session

    def make(self) -> Backend:
        return a_desktop(self.session)
