"""`sayso config mail`: lead the person from an address to an account that works, or take it out again."""

import re
from dataclasses import replace

import anyio

from sayso.core.errors import ProposalError
from sayso.providers.accounts.records import may_be_asked
from sayso.providers.mail.addresses import read_addresses, sender_of
from sayso.providers.mail.imap.account import entry_of
from sayso.providers.mail.joining.finding import found_for
from sayso.providers.mail.joining.net import the_net
from sayso.providers.mail.joining.servers import Servers, settings_of
from sayso.providers.mail.joining.trying import try_reading, try_sending
from sayso.providers.mail.provider import MAIL
from sayso.surfaces.cli import accounts
from sayso.surfaces.cli.accounts import Joining, Kind, Tried
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.interview import Interview
from sayso.surfaces.cli.mail_servers import now_set, typed
from sayso.surfaces.cli.signing import asked_to_sign

KIND = Kind(
    "sayso config mail",
    "mail",
    accounts.ground_of(MAIL),
    ("kind", "address", "name", "user", "host", "port", "smtp_host", "smtp_port", "tls", "auth", "password_command"),
    entry_of,
    "mail is your Maildir",
)
_ADDRESS = re.compile(r"[^\s@<>\"(),:;\[\]\\]+@[^\s@<>\"(),:;\[\]\\]+")


def connect(here: Here, seconds: float) -> int:
    """Set an account up and return the exit code."""
    return accounts.connect(Asks, KIND, here, seconds)


def remove(here: Here) -> int:
    """Take the account out and return the exit code."""
    return accounts.taken_out(KIND, here)


class Asks(Joining):
    """The questions about mail: an address, its two servers, and how to sign in there."""

    def __init__(self, interview: Interview, here: Here, seconds: float) -> None:
        super().__init__(KIND, interview, here, seconds)
        self._address = self._name = ""
        self._servers: Servers | None = None

    def begin(self) -> None:
        talk, now = self.talk, self.ground.settings
        before = str(now.get("address") or "")
        while _ADDRESS.fullmatch(address := talk.needed("Your mail address", before)) is None:
            talk.say("An address has a name, an @ and a domain: ana@example.org")
        self._address = address
        while not _makes_a_sender(
            address, name := talk.ask("Your name, as others see it (may be empty)", str(now.get("name") or ""))
        ):
            talk.say("No mail can carry that name; write it without quotes, backslashes and angle brackets.")
        self._name = name
        self._servers = now_set(talk, self.ground) or self._found(address)

    def other_server(self) -> None:
        self._servers = typed(self.talk, self.ground, self._address, self._servers)

    def tried(self) -> Tried:
        talk, now, address = self.talk, self.ground.settings, self._address
        servers = self._servers = self._servers or typed(talk, self.ground, address)
        user = talk.needed("Your user name there", servers.user or str(now.get("user") or "") or address)
        values = settings_of(servers, self.ground, user, address) | {"name": self._name or None}
        sign = asked_to_sign(talk, self.ground, entry_of(values))
        values |= {"auth": sign.auth} if sign.auth else {}
        values |= {"password_command": list(sign.command)} if sign.command else {}
        on = replace(self.ground, settings=values)
        talk.say(f"Signing in to {servers.imap.said} …")
        notes = try_reading(on, sign.secret, self.seconds)
        talk.good("mail can be read")
        talk.show(*notes)
        talk.say(f"Signing in to {servers.smtp.said} …")
        anyio.run(try_sending, on, sign.secret, self.seconds)
        talk.good("mail can be sent")
        return Tried(address, values, sign)

    def _found(self, address: str) -> Servers | None:
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
        found = found_for(address, the_net())
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
