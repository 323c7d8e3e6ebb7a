"""Ask the person for the servers of their mail, and how the way to each is protected."""

from collections.abc import Mapping
from types import MappingProxyType

from sayso.core.ports import Ground
from sayso.providers.accounts.records import is_host
from sayso.providers.mail.imap.account import account_of
from sayso.providers.mail.joining.servers import Protection, Servers, Way, usual_protection
from sayso.providers.mail.smtp.server import is_here, read_server
from sayso.surfaces.cli.interview import Interview

READING, SENDING = 993, 465
WORDS: Mapping[str, Protection] = MappingProxyType({"tls": "tls", "starttls": "starttls", "none": "none"})
_MOST = 65535
_PLAIN = (
    "Without encryption everybody on the way reads your password and your mail, so that is only done on this very "
    "computer. If you accept it nevertheless: sayso config set mail.tls false"
)


def now_set(interview: Interview, ground: Ground) -> Servers | None:
    """Return the servers that the settings name, if there are some and the person keeps them. Raises `Left`."""
    settings = ground.settings
    if not (settings.get("host") and settings.get("smtp_host") and settings.get("address")):
        return None
    account, server = account_of(ground), read_server(settings)
    reading: Protection = WORDS.get(account.guard, "none")
    servers = Servers(Way(account.host, account.port, reading), Way(server.host, server.port, server.protection))
    interview.say("The settings name these servers:")
    interview.show(f"to read:  {servers.imap.said}", f"to send:  {servers.smtp.said}")
    return servers if interview.yes("Keep them?", usual=True) else None


def typed(interview: Interview, ground: Ground, address: str, before: Servers | None = None) -> Servers:
    """Return the servers that the person types. Raises `Left`."""
    domain, open_too = address.rpartition("@")[2], ground.settings.get("tls") is False
    there = before or Servers(Way(f"imap.{domain}", READING, "tls"), Way(f"smtp.{domain}", SENDING, "tls"))
    imap = _way(interview, "Server to read from (IMAP)", there.imap, open_too=open_too)
    smtp = _way(interview, "Server to send by (SMTP)", there.smtp, open_too=open_too)
    return Servers(imap, smtp)


def _way(interview: Interview, prompt: str, usual: Way, *, open_too: bool) -> Way:
    while True:
        said = interview.needed(prompt, f"{usual.host}:{usual.port}")
        host, port = _parts(said, usual.port)
        if is_host(host) or ":" in host:
            break
        interview.say("That is no name of a server; it looks like imap.example.org or imap.example.org:993.")
    known = None if open_too else usual_protection(port)
    return Way(host, port, known or _protection(interview, host, port, usual, open_too=open_too))


def _parts(said: str, usual: int) -> tuple[str, int]:
    """Return host and port; a host that nothing can be called where it is no such thing."""
    host, colon, port = said.rpartition(":")
    if said.startswith("[") and "]" in said:
        inner, _, after = said[1:].partition("]")
        host, colon, port = (inner, ":", after[1:]) if after else (inner, "", "")
    elif not colon or ":" in host:
        host, port = said, ""
    if not port:
        return host, usual
    return (host, int(port)) if port.isdecimal() and 0 < int(port) <= _MOST else ("", usual)


def _protection(interview: Interview, host: str, port: int, before: Way, *, open_too: bool) -> Protection:
    here = is_here(host)
    likely = before.protection if before.port == port else "none" if here else usual_protection(port) or "tls"
    while True:
        said = interview.choose(f"How is port {port} protected: tls, starttls or none", tuple(WORDS), likely)
        if WORDS[said] != "none" or here or open_too:
            return WORDS[said]
        interview.say(_PLAIN)
