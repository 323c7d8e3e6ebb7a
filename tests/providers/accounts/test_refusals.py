"""What providers answer to a login is told in words that say what to do, and never repeated."""

import pytest

from sayso.providers.accounts.refusals import (
    APP,
    BUSY,
    EXPIRED,
    NEW_WAY,
    OFF,
    OPEN,
    STALE,
    WEB,
    WRONG,
    why_not_let_in,
)


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
