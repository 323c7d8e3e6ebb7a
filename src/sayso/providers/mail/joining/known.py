"""The large providers: their servers, and what they want of whoever signs in."""

from collections.abc import Sequence
from dataclasses import replace

from sayso.providers.mail.joining.servers import Servers, Way

GOOGLE = Servers(
    Way("imap.gmail.com", 993, "tls"),
    Way("smtp.gmail.com", 465, "tls"),
    "known of Google",
    "Google wants an app password: switch on 2-Step Verification, then make one at "
    "https://myaccount.google.com/apppasswords. Or it takes a token (OAuth2).",
)
MICROSOFT = Servers(
    Way("outlook.office365.com", 993, "tls"),
    Way("smtp.office365.com", 587, "starttls"),
    "known of Microsoft",
    "Microsoft takes no password here, only a token (OAuth2), which a program prints.",
)
OUTLOOK = replace(MICROSOFT, smtp=Way("smtp-mail.outlook.com", 587, "starttls"))
YAHOO = Servers(
    Way("imap.mail.yahoo.com", 993, "tls"),
    Way("smtp.mail.yahoo.com", 465, "tls"),
    "known of Yahoo",
    "Yahoo wants an app password: make one at https://login.yahoo.com/account/security.",
)
APPLE = Servers(
    Way("imap.mail.me.com", 993, "tls"),
    Way("smtp.mail.me.com", 587, "starttls"),
    "known of iCloud",
    "iCloud wants an app-specific password: make one at https://account.apple.com, under Sign-In and Security.",
)
_DOMAINS = {
    "gmail.com": GOOGLE, "googlemail.com": GOOGLE,
    "outlook.com": OUTLOOK, "hotmail.com": OUTLOOK, "live.com": OUTLOOK, "msn.com": OUTLOOK,
    "yahoo.com": YAHOO, "ymail.com": YAHOO,
    "icloud.com": APPLE, "me.com": APPLE, "mac.com": APPLE,
}  # fmt: skip
_EXCHANGES = {
    ".google.com": GOOGLE,
    ".googlemail.com": GOOGLE,
    ".mail.protection.outlook.com": MICROSOFT,
    ".yahoodns.net": YAHOO,
    ".mail.icloud.com": APPLE,
}


def known(domain: str) -> Servers | None:
    """Return the servers of a domain that a large provider gives addresses in."""
    return _DOMAINS.get(domain.lower())


def known_by_exchange(exchanges: Sequence[str]) -> Servers | None:
    """Return the servers of the large provider that takes the mail of a domain."""
    for host in exchanges:
        for end, servers in _EXCHANGES.items():
            if host.lower().endswith(end):
                return replace(servers, found=f"{host} takes the mail of this domain, as its MX record says")
    return None
