"""Why a server does not let somebody in, told from what it says; not a word of that is repeated.

Some servers say again what they were given, so what they say is only compared with what is known of providers.
"""

import re

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
    (r"basic ?auth\w*( is)? (disabled|blocked)|basicauthblocked|oauth2? (is )?required", NEW_WAY),
    (r"web ?login required|webalert|log ?in (with|via) your web ?browser|answer/78754", WEB),
    (r"imap (access )?is (disabled|not enabled)|not enabled for imap|enable imap", OFF),
    (r"\[expired\]|password (has )?expired|must change (your )?password", EXPIRED),
    (r"\[privacyrequired\]|must issue a starttls|encryption required|plaintext auth\w* disallowed", OPEN),
    (r"\[unavailable\]|\[inuse\]|\[limit\]|too many|try again later|temporar|rate limit", BUSY),
)


def why_not_let_in(said: str, *, by_token: bool = False) -> str:
    """Return why, and what to do, for the end of a sentence."""
    usual = STALE if by_token else WRONG
    return next((why for pattern, why in _KNOWN if re.search(pattern, said, re.IGNORECASE)), usual)
