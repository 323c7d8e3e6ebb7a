"""`sayso mcp` ends when the agent's side is closed, and says in one sentence what keeps it from beginning."""

import re
import socket
import sys

import pytest

from sayso.core.errors import SetupError
from sayso.core.provider import add_extra
from sayso.surfaces.cli.commands.mcp import SERVE, serving
from tests.surfaces.cli.person import sayso


def test_it_ends_when_the_agent_is_gone(person: object):
    done = sayso("mcp", text="")

    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("wait", ["-1", "nan", "soon", "1e9"])
def test_a_time_that_is_none_is_refused(person: object, wait: str):
    done = sayso("mcp", "--wait", wait, text="")

    assert done.code == 2
    assert "is no number of seconds from 0 to 3600" in done.err


def test_without_its_library_it_says_what_brings_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, SERVE.partition(":")[0], raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] in {"mcp", "mcp_types"}]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp_types", None)

    with pytest.raises(SetupError, match=re.escape(f"not installed; {add_extra('mcp')}")):
        serving(SERVE)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--port", "1"), "--port is the port of --http"),
        (("--http", "--token"), "use one of them at a time"),
        (("--http", "--client", "notes"), "sayso mcp --token --client NAME"),
        (("--http", "--port", "65536"), "is no port; use a number from 0 to 65535"),
        (("--tools", "all_of_them"), "there is no --tools “all_of_them”"),
    ],
)
def test_options_that_do_not_go_together_are_refused(person: object, words: tuple[str, ...], says: str):
    done = sayso("mcp", *words, text="")

    assert done.code == 2
    assert says in done.err


def test_the_token_of_an_agent_is_printed_and_stays_the_same(person: object):
    first, second, other = (sayso("mcp", "--token", *more) for more in ((), (), ("--client", "notes")))

    assert first.out == second.out
    assert re.fullmatch("sayso_[0-9a-f]{64}\n", first.out)
    assert re.fullmatch("sayso_notes_[0-9a-f]{64}\n", other.out)


def test_a_port_that_is_taken_is_named(person: object):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = sayso("mcp", "--http", "--port", port)

    assert done.code != 0
    assert f"port {port} cannot be served" in done.err
