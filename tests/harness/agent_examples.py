"""Agents of other libraries act through sayso: their runs stop where the person decides, and a no is told as one.

`tests/harness/agent-examples-run` makes the environment that it runs in.
"""

import os
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NO = "import anyio, functools, {name}; anyio.run(functools.partial({name}.main, yes=False))"


def run(tmp_path: Path, *words: str) -> str:
    """Run the Python that has the libraries; return what it prints."""
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(EXAMPLES)}
    command = [str(Path(os.environ["AGENTS"]).absolute()), *words]
    done = subprocess.run(command, env=environ, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "stopped"), [("openai_agents", "waiting: ['file_delete']"), ("langgraph_agent", "waiting: 1")]
)
def test_it_stops_for_the_person_and_goes_on_with_what_became_of_the_action(tmp_path: Path, name: str, stopped: str):
    yes = run(tmp_path, str(EXAMPLES / f"{name}.py"))
    no = run(tmp_path, "-c", NO.format(name=name))

    assert yes.splitlines()[0] == no.splitlines()[0] == stopped
    assert "I was told: Deleted file" in yes
    assert "I was told: you said no" in no
