"""Setting an account up needs the person's terminal, and may be left at any time."""

import os
import socket
from pathlib import Path

import pytest

from sayso.core.ports import BackendContext
from sayso.providers.accounts.keyring import KeyringEntry
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.accounts import Sign, ask_for_sign_in
from sayso.testing.fakes import FakeClock
from tests.mail_env.keyrings import without_session
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import Typist, answered, by_program, servers
from tests.surfaces.cli.person import sayso

WORD = "s3cret"
ENTRY = KeyringEntry("mail", "imap.example.org", "ana")


def ground(**environ: str) -> BackendContext:
    return BackendContext({}, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=without_session(**environ))


def test_a_token_is_printed_by_a_program(typist: Typist):
    thread = typist.types(("Which [2]", b"3\n"), ("print the token", b"printf 'a token'\n"))

    sign = ask_for_sign_in(typist.interview, ground(), ENTRY)

    thread.join(10)
    assert (sign.secret, sign.auth, sign.command, sign.keep) == ("a token", "xoauth2", ("printf", "a token"), False)


def test_a_program_that_cannot_be_is_asked_for_again(typist: Typist):
    asked = "Program and arguments"
    thread = typist.types(
        ("Which", b"2\n"), (asked, b"printf 'x\n"), ("a quote is not closed", b""),
        ("Which", b"2\n"), (asked, b"no-such-program\n"), ("no-such-program not found", b""),
        ("Which", b"2\n"), (asked, b"printf word\n"),
    )  # fmt: skip

    assert ask_for_sign_in(typist.interview, ground(), ENTRY) == Sign("word", command=("printf", "word"))
    thread.join(10)


@pytest.mark.req("AU-04")
def test_what_the_environment_gives_comes_first_and_is_not_printed(typist: Typist):
    sign = ask_for_sign_in(typist.interview, ground(SAYSO_MAIL_PASSWORD=WORD), ENTRY)

    assert (sign.secret, sign.command, sign.keep) == (WORD, (), False)
    assert WORD not in repr(sign)
    typist.sees("SAYSO_MAIL_PASSWORD is set here")


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
            screen.type_ahead("\x03")

            assert screen.end() == 3
    assert "Left; nothing was changed." in screen.text
    assert not Path(os.environ["SAYSO_HOME"], "config.toml").exists()
