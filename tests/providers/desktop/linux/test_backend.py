"""The backend checks what a step expects, passes on what is not its own, and forgets in time."""

import os
from collections.abc import Iterator
from datetime import timedelta

import pytest

from sayso.core.errors import ProviderError, Refused, SetupError
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

TRUE = {"it": {"argv": ["true"]}, "not": {"argv": ["true"]}}


@pytest.mark.req("S0-53")
async def test_the_shortcuts_are_those_of_the_settings_and_tokens_are_new_each_time(bare_session: Session):
    reads = a_desktop(bare_session, shortcuts=TRUE).reads

    assert await reads.shortcuts() == ("it", "not")
    assert reads.token() != reads.token()


@pytest.mark.req("UN-01")
async def test_what_is_expected_must_still_be_so_and_facts_of_another_domain_are_refused(bare_session: Session):
    desktop = a_desktop(bare_session, shortcuts=TRUE)

    with pytest.raises(Refused, match="nothing here can check whether “a file of another store”"):
        await desktop.apply(RunShortcut("it"), (Fact("a file of another store"),))
    with pytest.raises(ProviderError, match="nothing of this is being said any more; nothing was changed"):
        await desktop.apply(RunShortcut("it"), (SpeechRunning("nobody"),))


async def test_a_switch_that_does_not_tell_has_no_state_and_leaves_no_fact(bare_session: Session):
    desktop = a_desktop(bare_session, shortcuts=TRUE, dnd_on="it", dnd_off="not")

    left = await desktop.apply(SetDoNotDisturb(on=True), ())

    assert (left.facts, await desktop.reads.focus()) == ((), None)
    assert isinstance(await desktop.settle(SetDoNotDisturb(on=True), ()), CannotTell)
    with pytest.raises(ProviderError, match="do not disturb is no longer on"):
        await desktop.apply(SetDoNotDisturb(on=False), (DoNotDisturb("focus", on=True),))


async def test_nobody_can_tell_what_left_no_trace(bare_session: Session):
    desktop = a_desktop(bare_session)

    for step in (RunShortcut("it"), OpenFile("/a"), RevealFile("/a"), Speak("a", "token")):
        assert isinstance(await desktop.settle(step, ()), CannotTell)
    assert isinstance(await desktop.settle(SetClipboard("a", "kept"), ()), NotDone)


@pytest.mark.needs("xclip")
async def test_a_step_says_where_it_could_be_interrupted_and_what_it_kept_is_forgotten_in_time(x_session: Session):
    labels: list[str] = []
    desktop = build(a_ground(x_session, {}, labels.append))

    left = await desktop.apply(SetClipboard("words", "old"), ())
    (kept,) = (x_session.home / "own").rglob("old")
    moment = (NOON - timedelta(days=91)).timestamp()
    os.utime(kept, (moment, moment))

    assert labels == ["clipboard.set.before", "clipboard.set.after"]
    assert left.facts == (clipboard_fact("words"),)
    assert [desktop.prune(), desktop.prune()] == [1, 0]


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


@pytest.fixture(scope="module")
def full_wayland_session(wayland_session: Session) -> Session:
    """Return a Wayland session with notifications and sound, of a user who is not root."""
    parts.notifications(wayland_session)
    parts.sound(wayland_session)
    return wayland_session


@pytest.fixture(scope="module")
def pipewire_session(x_display: Session) -> Iterator[Session]:
    """Return an X session with notifications, and with the sound of PipeWire."""
    with session("dbus-daemon") as made:
        made.environment["DISPLAY"] = x_display.environment["DISPLAY"]
        parts.a_bus(made)
        parts.notifications(made)
        parts.pipewire(made)
        yield made


@pytest.mark.needs("dunst", "pactl", "espeak-ng")
class OnLinux(DesktopSuite):
    """The suite on the session of the fixture that a class names."""

    fixture: str

    @pytest.fixture(autouse=True)
    def _session(self, request: pytest.FixtureRequest) -> None:
        self.session: Session = request.getfixturevalue(self.fixture)

    def make(self) -> Backend:
        return a_desktop(self.session)


@pytest.mark.needs("xclip", "pulseaudio")
class TestX11(OnLinux):
    """X11, dunst, PulseAudio and espeak-ng."""

    fixture = "full_session"


@pytest.mark.thorough
@pytest.mark.needs("wl-copy", "pulseaudio")
class TestWayland(OnLinux):
    """The same on Wayland."""

    fixture = "full_wayland_session"


@pytest.mark.thorough
@pytest.mark.needs("xclip", "pipewire", "pipewire-pulse", "wireplumber")
class TestPipeWire(OnLinux):
    """X11 with PipeWire."""

    fixture = "pipewire_session"
