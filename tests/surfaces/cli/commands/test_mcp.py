"""`sayso mcp` ends when the agent's side is closed, and says in one sentence what keeps it from beginning."""

import re
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
        serving()
