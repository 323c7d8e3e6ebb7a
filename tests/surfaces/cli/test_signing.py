"""How somebody signs in is asked for, and no password is in anything that is printed."""

import pytest

from sayso.core.ports import Ground
from sayso.providers.accounts.keyring import Entry
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli.signing import Sign, asked_to_sign
from sayso.testing.fakes import FakeClock
from tests.mail_env.keyrings import without_session
from tests.surfaces.cli.interviews import Typist

WORD = "s3cret"
ENTRY = Entry("mail", "imap.example.org", "ana")


def ground(**environ: str) -> Ground:
    return Ground({}, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=without_session(**environ))


def test_a_token_is_printed_by_a_program(typist: Typist):
    thread = typist.types(("Which [2]", b"3\n"), ("print the token", b"printf 'a token'\n"))

    sign = asked_to_sign(typist.interview, ground(), ENTRY)

    thread.join(10)
    assert (sign.secret, sign.auth, sign.command, sign.keep) == ("a token", "xoauth2", ("printf", "a token"), False)


def test_a_program_that_cannot_be_is_asked_for_again(typist: Typist):
    asked = "Program and arguments"
    thread = typist.types(
        ("Which", b"2\n"), (asked, b"printf 'x\n"), ("a quote is not closed", b""),
        ("Which", b"2\n"), (asked, b"no-such-program\n"), ("no-such-program not found", b""),
        ("Which", b"2\n"), (asked, b"printf word\n"),
    )  # fmt: skip

    assert asked_to_sign(typist.interview, ground(), ENTRY) == Sign("word", command=("printf", "word"))
    thread.join(10)


@pytest.mark.req("AU-04")
def test_what_the_environment_gives_comes_first_and_is_not_printed(typist: Typist):
    sign = asked_to_sign(typist.interview, ground(SAYSO_MAIL_PASSWORD=WORD), ENTRY)

    assert (sign.secret, sign.command, sign.keep) == (WORD, (), False)
    assert WORD not in repr(sign)
    typist.sees("SAYSO_MAIL_PASSWORD is set here")
