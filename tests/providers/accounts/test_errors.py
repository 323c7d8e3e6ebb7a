"""Each cause for which a server cannot be reached or believed has words of its own."""

import socket
import ssl
from errno import ENETUNREACH

import pytest

from sayso.providers.accounts.errors import (
    APP,
    BUSY,
    EXPIRED,
    NEW_WAY,
    OFF,
    OPEN,
    STALE,
    WEB,
    WRONG,
    chain,
    speaks_no_tls,
    why_not_believed,
    why_not_let_in,
    why_not_reached,
)


def disbelieved(code: int) -> ssl.SSLCertVerificationError:
    wrong = ssl.SSLCertVerificationError(1, "no")
    wrong.verify_code, wrong.verify_message = code, "because"
    return wrong


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (socket.gaierror(-2, "x"), "no server called “h.test”"),
        (ConnectionRefusedError(), "nothing listens there"),
        (TimeoutError(), "does not answer"),
        (OSError(ENETUNREACH, "x"), "is this computer online?"),
    ],
    ids=["name", "port", "silence", "network"],
)
def test_a_connection_that_cannot_be_has_its_cause(wrong: OSError, said: str):
    outer = RuntimeError("around it")
    outer.__cause__ = wrong

    assert said in why_not_reached(wrong, "h.test")
    assert said in why_not_reached(outer, "h.test")


def test_what_is_none_of_these_has_none():
    assert why_not_reached(OSError(5, "x"), "h.test") == ""
    assert why_not_believed(OSError(5, "x"), "h.test") == ""


@pytest.mark.req("ML-10")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (62, "for another name than “h.test”"),
        (64, "for another name than “h.test”"),
        (18, "signed by itself"),
        (10, "run out, or this computer's clock is wrong"),
        (20, "vouched for by nobody"),
    ],
)
def test_a_certificate_that_proves_nothing_has_its_cause(code: int, said: str):
    assert said in why_not_believed(disbelieved(code), "h.test")


def test_what_is_no_tls_is_told_from_a_wrong_certificate():
    assert speaks_no_tls(ssl.SSLError(1, "WRONG_VERSION_NUMBER"))
    assert not speaks_no_tls(disbelieved(62))
    assert not speaks_no_tls(OSError(5, "x"))


def test_a_circle_of_causes_ends():
    one, two = RuntimeError("1"), RuntimeError("2")
    one.__cause__, two.__cause__ = two, one

    assert chain(one) == (one, two)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("[ALERT] Application-specific password required: https://support.google.com/accounts/answer/185833", APP),
        ("5.7.9 Application-specific password required. For more information, go to", APP),
        ("5.7.9 Please log in with your web browser and then try again (WebLoginRequired)", WEB),
        ("[AUTHENTICATIONFAILED] Use an app-specific password", APP),
        ("[AUTHENTICATIONFAILED] You need an app password to sign in", APP),
        ("5.7.139 Authentication unsuccessful, basic authentication is disabled.", NEW_WAY),
        ("AUTHENTICATE failed. BasicAuthBlocked", NEW_WAY),
        ("[ALERT] Your account is not enabled for IMAP use. Please visit your Gmail settings page", OFF),
        ("[EXPIRED] That password is no longer valid", EXPIRED),
        ("[PRIVACYREQUIRED] Plaintext authentication disallowed on non-secure (SSL/TLS) connections.", OPEN),
        ("[UNAVAILABLE] Temporary authentication failure.", BUSY),
        ("[AUTHENTICATIONFAILED] Authentication failed.", WRONG),
        ("", WRONG),
    ],
)
def test_each_cause_has_words_of_its_own(said: str, why: str):
    assert why_not_let_in(said) == why


def test_a_token_is_no_password():
    assert why_not_let_in("[AUTHENTICATIONFAILED] oauth2 token invalid", by_token=True) == STALE


@pytest.mark.req("AU-04")
@pytest.mark.parametrize("said", ["no such password: s3cret", "application-specific password required, not s3cret"])
def test_nothing_of_what_was_said_is_repeated(said: str):
    assert "s3cret" not in why_not_let_in(said)
