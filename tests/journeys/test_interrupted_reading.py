"""However long a text is and however hard to read, Ctrl-C ends sayso while it reads it, and nothing was done."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.policy.settings import Limits
from tests.surfaces.cli.person import sayso

LAUNCH = """
import os, runpy, sys
from sayso.assembly.parts import dialect
said, name, method, *words = sys.argv[1:]
kind = type(dialect(name).reader({}))
reads = getattr(kind, method)

def begins(self, *text):
    os.write(int(said), b".")
    return reads(self, *text)

setattr(kind, method, begins)
sys.argv = ["sayso", *words]
runpy.run_module("sayso", run_name="__main__", alter_sys=True)
"""
"""Runs sayso, which tells through a pipe that it begins to read."""
HARD = {
    "lines": ("feed", "", "a_b c\n", ""),
    "blocks": ("feed", "", "```json-action\n{\n```\n", ""),
    "actions": ("feed", "", '```json\n{"actions":[{"templateId":\n```\n', ""),
    "tools": ("close", "[", '{"name":"x"},', '{"name":"x"}]'),
    "commands": ("close", '{"commands":[', '{"type":"x"},', '{"type":"x"}]}'),
}
"""The method with which each dialect reads most, and a text that takes it long: a start, a piece, and an end."""


def largest(name: str) -> str:
    """Return a text of a dialect, as long as may be."""
    _, start, piece, end = HARD[name]
    return start + piece * ((Limits().reply_bytes - len(start) - len(end)) // len(piece)) + end


@pytest.mark.parametrize("command", ["run", "parse"])
@pytest.mark.parametrize("name", HARD)
def test_reading_the_largest_text_ends_at_once_when_it_is_interrupted(scratch_home: Path, name: str, command: str):
    reply = scratch_home.parent / "reply.txt"
    reply.write_text(largest(name))
    heard, said = os.pipe()
    words = (command, str(reply), "--dialect", name, "--json")
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(said), name, HARD[name][0], *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=(said,),
    )
    os.close(said)
    assert os.read(heard, 1) == b".", "it ended before it had begun to read"
    os.close(heard)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate()

    # Reading all of it takes longer than a test may take.
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == (
        "sayso: interrupted" if command == "parse" else "sayso: stopped while the text was read; nothing of it was done"
    )
    assert sayso("log", "--json").document["rows"] == []


@pytest.mark.parametrize("command", ["run", "parse"])
def test_a_text_that_is_longer_than_may_be_is_not_read(scratch_home: Path, command: str):
    reply = scratch_home.parent / "reply.txt"
    reply.write_text("a" * 1001)
    own = Path(os.environ["SAYSO_HOME"])
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "config.toml").write_text('[limits]\nreply_bytes = "1 kB"\n')

    told = sayso(command, str(reply), "--dialect", "lines")

    assert told.code != 0
    assert "longer than 1000 bytes" in told.out + told.err
