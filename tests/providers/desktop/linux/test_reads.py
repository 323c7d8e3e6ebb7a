"""What operations may look at on a real session."""

import pytest

from tests.desktop_env.session import Session
from tests.providers.desktop.linux.given import a_desktop


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
