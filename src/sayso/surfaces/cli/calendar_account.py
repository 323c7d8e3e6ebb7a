"""`sayso config calendar`: set up the account of a calendar server, or remove it."""

from urllib.parse import urlsplit

import anyio

from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.quotes import quoted
from sayso.providers.accounts.dns import DnsRecords, may_be_asked
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.caldav.backend import entry_of
from sayso.providers.calendar.caldav.client import CaldavClient, CalendarServer, ServerCalendar, must_be_safe
from sayso.providers.calendar.caldav.discovery import ELSEWHERE, HINTS, find_server
from sayso.surfaces.cli import accounts
from sayso.surfaces.cli.accounts import AccountSetup, Kind, SignInResult, ask_for_sign_in
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.terminal import Interview

KIND = Kind(
    "sayso config calendar",
    "calendar",
    accounts.ground_of(CALENDAR),
    ("kind", "url", "user", "default", "password_command"),
    entry_of,
    "your calendar is a folder",
)


class CalendarAccountSetup(AccountSetup):
    """The questions about a calendar account: its server, the sign-in, and the calendar for new events."""

    kind = KIND

    def __init__(self, interview: Interview, here: CommandContext, seconds: float) -> None:
        super().__init__(interview, here, seconds)
        self._url = self._user = ""

    def begin(self) -> None:
        self._url, self._user = self._address("")

    def other_server(self) -> None:
        self._url, self._user = self._address(self._url)

    def try_sign_in(self) -> SignInResult:
        talk, url = self.talk, self._url
        user = talk.ask_for_text("Your user name there", self._user)
        values: dict[str, Json] = {"kind": "caldav", "url": url, "user": user}
        sign = ask_for_sign_in(talk, self.ground, entry_of(values))
        values |= {"password_command": list(sign.command)} if sign.command else {}

        async def given() -> str:
            return sign.secret

        client = CaldavClient(url, user, given, self.seconds)
        talk.say(f"Signing in to {client.host} …")
        calendars = anyio.run(CalendarServer(client, "").calendars)
        talk.good("your calendars: " + ", ".join(quoted(one.name) for one in calendars))
        default = self._default(calendars)
        return SignInResult("there", values | ({"default": default} if default else {}), sign)

    def _address(self, before: str) -> tuple[str, str]:
        """Return the server's URL, checked by `must_be_safe`, and the probable user name."""
        talk, now = self.talk, self.ground.settings
        usual = before or str(now.get("url") or "")
        while True:
            said = talk.ask_for_text("Your address there (ana@example.org), or that of the server (https://…)", usual)
            user = str(now.get("user") or "")
            if "://" not in said:
                said, user = self._find_calendars(said), user or said
            try:
                if said:
                    return must_be_safe(said), user
            except SaysoError as wrong:
                talk.bad(f"{wrong}.")

    def _find_calendars(self, address: str) -> str:
        """Return the URL of an address's calendar server; empty if none is found, after telling the person why."""
        talk, domain = self.talk, address.rpartition("@")[2].lower()
        if domain in ELSEWHERE:
            talk.say(ELSEWHERE[domain])
            return ""
        if not may_be_asked(domain):
            talk.say("No server can be looked for there; type its address: https://…")
            return ""
        talk.say(
            f"The server of {domain} can be looked for: that asks the name servers of your network, and {domain} "
            "itself over https. Nobody is told your address."
        )
        if not talk.yes("Look for it?", usual=True):
            return ""
        talk.say(f"Looking for the calendar server of {domain} …")
        found = find_server(domain, DnsRecords())
        if found is None:
            talk.say("None is named there; your provider's help pages name it, often as “CalDAV”.")
            return ""
        talk.say(f"Found ({found.how}):")
        talk.show(found.url)
        hint = HINTS.get(urlsplit(found.url).hostname or "", "")
        if hint:
            talk.say(hint)
        return found.url if talk.yes("Use this?", usual=True) else ""

    def _default(self, calendars: tuple[ServerCalendar, ...]) -> str:
        """Return the calendar for new events; empty if there are not several to choose from."""
        talk, now = self.talk, str(self.ground.settings.get("default") or "")
        names = [one.name for one in calendars if one.writable and "VEVENT" in one.kinds]
        if not names:
            talk.say("None of them can be written to: events can be read, and none can be made.")
        if len(set(names)) <= 1:
            return ""
        numbers = [str(number) for number in range(1, len(names) + 1)]
        talk.say("Which one do new events go to?")
        talk.show(*(f"{number}  {name}" for number, name in zip(numbers, names, strict=True)))
        chosen = talk.choose("Which", numbers, str(names.index(now) + 1) if now in names else "1")
        return names[int(chosen) - 1]
