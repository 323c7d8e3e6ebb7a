"""Setting an account up needs the person's terminal, and may be left at any time."""

import os
import socket
from pathlib import Path

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered, by_program, servers
from tests.surfaces.cli.person import sayso


def test_without_a_terminal_one_sentence_says_how():
    run = sayso("config", "mail")

    assert (run.code, run.out) == (3, "")
    assert run.err.startswith("sayso: sayso config mail is for you alone: type it on your terminal")


def test_with_json_nothing_is_asked(scratch_home: Path, sit: Sit):
    screen = sit("config", "mail", "--json")

    assert screen.end() == 3
    assert "with --json nothing is asked" in screen.text


def test_leaving_while_a_server_is_waited_for_changes_nothing(scratch_home: Path, sit: Sit):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        there = ("127.0.0.1", silent.getsockname()[1], "tls")
        screen = sit("config", "mail", "--seconds", "300", columns=160)
        answered(screen, *servers(there, there), *by_program("printf word"))
        screen.see("Signing in to")
        heard, _ = silent.accept()
        with heard:
            screen.type("\x03")

            assert screen.end() == 3
    assert "Left; nothing was changed." in screen.text
    assert not Path(os.environ["SAYSO_HOME"], "config.toml").exists()
