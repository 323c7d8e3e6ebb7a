"""A program is found and waited for, and one that ends is told."""

import os
import socket
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.live.starting import (
    Family,
    Started,
    free_port,
    must_have_a_screen,
    program,
    until_it_answers,
)
from sayso.providers.programs.running import Runner
from sayso.runtime.ids import RandomIds

FAMILY = Family(("no-such-program", "true", "false"), "none is here", "sayso browser")
RUNNER = Runner({"PATH": os.environ["PATH"]}, RandomIds())


def test_the_first_that_is_there_is_taken():
    assert program(RUNNER, FAMILY, "") == "true"
    assert program(RUNNER, FAMILY, "false") == "false"


def test_what_is_missing_is_named():
    with pytest.raises(SetupError, match="none is here"):
        program(RUNNER, Family(("no-such-program",), "none is here", ""), "")
    with pytest.raises(SetupError, match=r"browser\.program in the settings is “nope”"):
        program(RUNNER, FAMILY, "nope")


@pytest.mark.parametrize("environ", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_a_screen_is_one_of_either_kind(environ: dict[str, str]):
    must_have_a_screen(environ, FAMILY, headless=False)
    must_have_a_screen({}, FAMILY, headless=True)
    with pytest.raises(SetupError, match="“sayso browser --headless” needs none"):
        must_have_a_screen({}, FAMILY, headless=False)


async def test_once_it_answers_its_port_is_told(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        started = Started("x", os.getpid(), server.getsockname()[1])

        assert await until_it_answers(started, tmp_path) == started

    assert (tmp_path / "sayso-port").read_text() == str(started.port)


async def test_one_that_ended_is_told(tmp_path: Path):
    with pytest.raises(ProviderError, match="x ended at once; try it by hand"):
        await until_it_answers(Started("x", 2**22 + 1, free_port()), tmp_path)

    assert list(tmp_path.iterdir()) == []
