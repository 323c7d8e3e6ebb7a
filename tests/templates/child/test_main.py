"""The small program itself: it reads what to run, runs it, and says how that ended."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from sayso.templates.child import main

WANTED: dict[str, Any] = {"file": "a.py", "helpers": {}, "params": {}, "session": "s", "memory": 2**29}


def told(source: str) -> list[dict[str, Any]]:
    """Run a source by hand, answering nothing, and return what was said."""
    reading, ours = os.pipe()
    came, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-I", "-S", main.__file__, str(reading), str(writing)],
        pass_fds=(reading, writing),
        env={},
        cwd="/",
    ):
        os.close(reading)
        os.close(writing)
        os.write(ours, json.dumps({**WANTED, "source": source}).encode() + b"\n")
        os.close(ours)
        with os.fdopen(came, "rb") as messages:
            return [json.loads(line) for line in messages]


def test_it_says_how_the_handler_ended_and_goes_with_its_line():
    (message,) = told("def handler(params, context):\n    return {'session': context.session_id}")

    assert message == {"type": "result", "result": {"session": "s"}}


def test_what_fails_before_there_is_a_handler_is_said_too():
    assert told("1 / 0") == [{"type": "failed", "why": "division by zero"}]
    assert told("handler = 5") == [{"type": "failed", "why": "“handler” is no function"}]


def test_it_stands_on_python_alone():
    source = Path(main.__file__).read_text("utf-8")

    assert "sayso." not in source
