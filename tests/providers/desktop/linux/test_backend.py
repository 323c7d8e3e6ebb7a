"""The backend checks what a step expects, passes on what is not its own, and forgets in time."""

import os
from datetime import timedelta

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Fact, NotDone, OpenFile, RevealFile
from sayso.providers.desktop.linux.backend import build
from sayso.providers.desktop.model import Quiet, RunShortcut, Say, SetClipboard, SetQuiet, Speaking, on_it
from sayso.testing.fakes import NOON
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
        await desktop.apply(RunShortcut("it"), (Speaking("nobody"),))


async def test_a_switch_that_does_not_tell_leaves_no_fact(bare_session: Session):
    desktop = a_desktop(bare_session, shortcuts=TRUE, dnd_on="it", dnd_off="not")

    left = await desktop.apply(SetQuiet(on=True), ())

    assert left.facts == ()
    assert isinstance(await desktop.settle(SetQuiet(on=True), ()), CannotTell)
    with pytest.raises(ProviderError, match="do not disturb is no longer on"):
        await desktop.apply(SetQuiet(on=False), (Quiet("focus", on=True),))


async def test_nobody_can_tell_what_left_no_trace(bare_session: Session):
    desktop = a_desktop(bare_session)

    for step in (RunShortcut("it"), OpenFile("/a"), RevealFile("/a"), Say("a", "token")):
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
    assert left.facts == (on_it("words"),)


@pytest.mark.req("X-05")
def test_shortcuts_that_are_written_wrongly_are_said_when_it_is_built(bare_session: Session):
    with pytest.raises(SetupError, match=r"\[shortcuts\]"):
        a_desktop(bare_session, shortcuts={"it": {}})
