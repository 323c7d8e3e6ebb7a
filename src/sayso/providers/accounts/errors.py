"""Why a server cannot be reached, is not trusted, or does not accept a sign-in."""

import re
import socket
import ssl
from errno import EHOSTUNREACH, ENETUNREACH

from sayso.core.quotes import quoted

_ANOTHER_NAME = frozenset({62, 63, 64})
_SIGNED_ITSELF = frozenset({18, 19})
_EXPIRED, _NOT_YET = 10, 9
_NO_WAY = frozenset({ENETUNREACH, EHOSTUNREACH})


def chain(error: BaseException) -> tuple[BaseException, ...]:
    """Return an error and its causes, the outermost first."""
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return tuple(found)


def why_not_reached(error: BaseException, host: str) -> str:
    """Return why there is no connection, for the end of a sentence; empty if the error has another reason."""
    for one in chain(error):
        if isinstance(one, socket.gaierror):
            return f"there is no server called {quoted(host)}, or this computer is not online"
        if isinstance(one, ConnectionRefusedError):
            return "nothing listens there; the port may be another one"
        if isinstance(one, TimeoutError):
            return "it does not answer"
        if isinstance(one, OSError) and one.errno in _NO_WAY:
            return "there is no way to it from here; is this computer online?"
    return ""


def why_not_believed(error: BaseException, host: str) -> str:
    """Return why a server's certificate is not trusted, for the middle of a sentence; empty for any other error."""
    found = next((one for one in chain(error) if isinstance(one, ssl.SSLCertVerificationError)), None)
    if found is None:
        return ""
    code = found.verify_code
    if code in _ANOTHER_NAME:
        return f"its certificate is for another name than {quoted(host)}; write the name that your provider gives"
    if code in _SIGNED_ITSELF:
        return (
            "its certificate is signed by itself or by nobody this computer trusts; if the server is your own, "
            "name the file of its certificate in SSL_CERT_FILE"
        )
    if code in {_EXPIRED, _NOT_YET}:
        return "its certificate is not valid today: it has run out, or this computer's clock is wrong"
    return (
        f"its certificate is vouched for by nobody this computer trusts ({found.verify_message}); "
        "if the server is your own, name the file of its certificate in SSL_CERT_FILE"
    )


def speaks_no_tls(error: BaseException) -> bool:
    """Return whether the server answered without TLS."""
    return any(isinstance(one, ssl.SSLError) for one in chain(error)) and not why_not_believed(error, "")


APP = (
    "it wants an app password, one made for this program alone; make one where your provider keeps the security "
    "settings of your account, and give that instead of your usual one"
)
NEW_WAY = (
    "it takes no password any more, only a token (OAuth2); set mail.auth to xoauth2 and let password_command print one"
)
WEB = "it wants you to log in on its web page once, and to confirm that it was you"
OFF = "IMAP is switched off for this account; switch it on in the settings of your mail on the web"
EXPIRED = "the password has run out; set a new one"
OPEN = "it takes no password on a connection that is not encrypted; leave mail.tls unset"
BUSY = "it lets nobody in just now; try again later"
WRONG = (
    "the user name or the password is wrong; many providers want one made for this program alone (an app password), "
    "or a token"
)
STALE = "the token is wrong, has run out, or is not meant for mail; let the program that prints it sign in anew"
_KNOWN: tuple[tuple[str, str], ...] = (
    (r"application[- ]specific password|app[- ](specific )?password|invalidsecondfactor|answer/185833", APP),
    (r"basic ?auth\w{0,20}( is)? (disabled|blocked)|basicauthblocked|oauth2? (is )?required", NEW_WAY),
    (r"web ?login required|webalert|log ?in (with|via) your web ?browser|answer/78754", WEB),
    (r"imap (access )?is (disabled|not enabled)|not enabled for imap|enable imap", OFF),
    (r"\[expired\]|password (has )?expired|must change (your )?password", EXPIRED),
    (r"\[privacyrequired\]|must issue a starttls|encryption required|plaintext auth\w* disallowed", OPEN),
    (r"\[unavailable\]|\[inuse\]|\[limit\]|too many|try again later|temporar|rate limit", BUSY),
)


def why_not_let_in(text: str, *, by_token: bool = False) -> str:
    """Return why a sign-in failed and what to do, for the end of a sentence, given the server's message."""
    usual = STALE if by_token else WRONG
    return next((why for pattern, why in _KNOWN if re.search(pattern, text, re.IGNORECASE)), usual)
