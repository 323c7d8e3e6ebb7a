"""Set up a mail account: its address, servers and sign-in."""

import re
from collections.abc import Mapping
from types import MappingProxyType

import anyio
from msgspec.structs import replace

from sayso.core.errors import ProposalError
from sayso.core.ports import BackendContext
from sayso.providers.accounts.dns import is_host, may_be_asked
from sayso.providers.mail import MAIL
from sayso.providers.mail.account import account_of, entry_of, is_here, read_server
from sayso.providers.mail.account_setup import (
    MailEndpoint,
    MailServers,
    Protection,
    find_servers,
    settings_of,
    this_network,
    try_reading,
    try_sending,
    usual_protection,
)
from sayso.providers.mail.addresses import read_addresses, sender_of
from sayso.surfaces.cli import accounts
from sayso.surfaces.cli.accounts import AccountSetup, Kind, SignInResult, ask_for_sign_in
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.terminal import Interview

READING, SENDING = 993, 465
WORDS: Mapping[str, Protection] = MappingProxyType({"tls": "tls", "starttls": "starttls", "none": "none"})
_MOST = 65535
_PLAIN = (
    "Without encryption everybody on the way reads your password and your mail, so that is only done on this very "
    "computer. If you accept it nevertheless: sayso config set mail.tls false"
)


def now_set(interview: Interview, ground: BackendContext) -> MailServers | None:
    """Return the servers in the settings if the person wants to keep them, otherwise None. Raises `InterviewLeft`."""
    settings = ground.settings
    if not (settings.get("host") and settings.get("smtp_host") and settings.get("address")):
        return None
    account, server = account_of(ground), read_server(settings)
    reading: Protection = WORDS.get(account.protection, "none")
    servers = MailServers(
        MailEndpoint(account.host, account.port, reading), MailEndpoint(server.host, server.port, server.protection)
    )
    interview.say("The settings name these servers:")
    interview.show(f"to read:  {servers.imap.said}", f"to send:  {servers.smtp.said}")
    return servers if interview.yes("Keep them?", usual=True) else None


def ask_for_servers(
    interview: Interview, ground: BackendContext, address: str, before: MailServers | None = None
) -> MailServers:
    """Return the servers that the person types. Raises `InterviewLeft`."""
    domain, open_too = address.rpartition("@")[2], ground.settings.get("tls") is False
    there = before or MailServers(
        MailEndpoint(f"imap.{domain}", READING, "tls"), MailEndpoint(f"smtp.{domain}", SENDING, "tls")
    )
    imap = _way(interview, "Server to read from (IMAP)", there.imap, open_too=open_too)
    smtp = _way(interview, "Server to send by (SMTP)", there.smtp, open_too=open_too)
    return MailServers(imap, smtp)


def _way(interview: Interview, prompt: str, usual: MailEndpoint, *, open_too: bool) -> MailEndpoint:
    while True:
        said = interview.ask_for_text(prompt, f"{usual.host}:{usual.port}")
        host, port = _parts(said, usual.port)
        if is_host(host) or ":" in host:
            break
        interview.say("That is no name of a server; it looks like imap.example.org or imap.example.org:993.")
    known = None if open_too else usual_protection(port)
    return MailEndpoint(host, port, known or _protection(interview, host, port, usual, open_too=open_too))


def _parts(said: str, usual: int) -> tuple[str, int]:
    """Split “host:port” into host and port; the host is empty if the port is invalid."""
    host, colon, port = said.rpartition(":")
    if said.startswith("[") and "]" in said:
        inner, _, after = said[1:].partition("]")
        host, colon, port = (inner, ":", after[1:]) if after else (inner, "", "")
    elif not colon or ":" in host:
        host, port = said, ""
    if not port:
        return host, usual
    return (host, int(port)) if port.isdecimal() and 0 < int(port) <= _MOST else ("", usual)


def _protection(interview: Interview, host: str, port: int, before: MailEndpoint, *, open_too: bool) -> Protection:
    here = is_here(host)
    likely = before.protection if before.port == port else "none" if here else usual_protection(port) or "tls"
    while True:
        said = interview.choose(f"How is port {port} protected: tls, starttls or none", tuple(WORDS), likely)
        if WORDS[said] != "none" or here or open_too:
            return WORDS[said]
        interview.say(_PLAIN)


KIND = Kind(
    "sayso config mail",
    "mail",
    accounts.ground_of(MAIL),
    ("kind", "address", "name", "user", "host", "port", "smtp_host", "smtp_port", "tls", "auth", "password_command"),
    entry_of,
    "mail is your Maildir",
)
_ADDRESS = re.compile(r"[^\s@<>\"(),:;\[\]\\]+@[^\s@<>\"(),:;\[\]\\]+")


class MailAccountSetup(AccountSetup):
    """The questions about a mail account: the address, its two servers, and the sign-in."""

    kind = KIND

    def __init__(self, interview: Interview, here: CommandContext, seconds: float) -> None:
        super().__init__(interview, here, seconds)
        self._address = self._name = ""
        self._servers: MailServers | None = None

    def begin(self) -> None:
        talk, now = self.talk, self.ground.settings
        before = str(now.get("address") or "")
        while _ADDRESS.fullmatch(address := talk.ask_for_text("Your mail address", before)) is None:
            talk.say("An address has a name, an @ and a domain: ana@example.org")
        self._address = address
        while not _makes_a_sender(
            address, name := talk.ask("Your name, as others see it (may be empty)", str(now.get("name") or ""))
        ):
            talk.say("No mail can carry that name; write it without quotes, backslashes and angle brackets.")
        self._name = name
        self._servers = now_set(talk, self.ground) or self._find_servers(address)

    def other_server(self) -> None:
        self._servers = ask_for_servers(self.talk, self.ground, self._address, self._servers)

    def try_sign_in(self) -> SignInResult:
        talk, now, address = self.talk, self.ground.settings, self._address
        servers = self._servers = self._servers or ask_for_servers(talk, self.ground, address)
        user = talk.ask_for_text("Your user name there", servers.user or str(now.get("user") or "") or address)
        values = settings_of(servers, self.ground, user, address) | {"name": self._name or None}
        sign = ask_for_sign_in(talk, self.ground, entry_of(values))
        values |= {"auth": sign.auth} if sign.auth else {}
        values |= {"password_command": list(sign.command)} if sign.command else {}
        on = replace(self.ground, settings=values)
        talk.say(f"Signing in to {servers.imap.said} …")
        try_reading(on, sign.secret, self.seconds)
        talk.good("mail can be read")
        talk.say(f"Signing in to {servers.smtp.said} …")
        anyio.run(try_sending, on, sign.secret, self.seconds)
        talk.good("mail can be sent")
        return SignInResult(address, values, sign)

    def _find_servers(self, address: str) -> MailServers | None:
        talk, domain = self.talk, address.rpartition("@")[2]
        if not may_be_asked(domain):
            return None
        talk.say(
            f"The servers of {domain} can be looked for: that asks the name servers of your network, and {domain} "
            "itself over https. Nobody is told your address."
        )
        if not talk.yes("Look for them?", usual=True):
            return None
        talk.say(f"Looking for the servers of {domain} …")
        found = find_servers(address, this_network())
        if found is None:
            talk.say("None are named there; your provider's help pages name them, often as “IMAP and SMTP”.")
            return None
        talk.say(f"Found ({found.found}):")
        talk.show(f"to read:  {found.imap.said}", f"to send:  {found.smtp.said}")
        if found.hint:
            talk.say(found.hint)
        return found if talk.yes("Use these?", usual=True) else None


def _makes_a_sender(address: str, name: str) -> bool:
    try:
        return len(read_addresses(sender_of(address, name), "from")) == 1
    except ProposalError:
        return False
