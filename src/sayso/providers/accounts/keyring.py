"""The system's keyring: passwords are kept there, got from there, and taken out again."""

import json
import sys
from importlib.util import find_spec

from sayso.core.errors import ProviderError
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.programs.run import Call, Runner

SECONDS = 60.0
"""How long a keyring may take: somebody may have to type what unlocks it."""
PROGRAM = "sayso.providers.accounts.keyring_program"
LIBRARY = "keyring"


@dataclass(frozen=True)
class Entry:
    """Where a password lies: it is for one server, and told to no other."""

    section: str
    host: str
    user: str

    @property
    def service(self) -> str:
        """Return what the keyring calls it."""
        return f"sayso {self.section} {self.host}"

    @property
    def said(self) -> str:
        """Return how a person finds it again."""
        return f"“{self.service}”, {self.user}"


@dataclass(frozen=True)
class Told:
    """What a keyring said, or why it said nothing; the password is in nothing that is printed of it."""

    how: str
    name: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Told({self.how!r}, {self.name!r})"


@dataclass(frozen=True)
class Keyring:
    """Asks the keyring of this person's session, in a process of its own that is ended when it takes too long."""

    runner: Runner
    seconds: float = SECONDS

    async def get(self, entry: Entry) -> Told:
        """Return the password, as `found`."""
        return await self._asked("get", entry)

    async def keep(self, entry: Entry, password: str) -> Told:
        """Keep a password and read it back, as `kept`."""
        return await self._asked("set", entry, password)

    async def remove(self, entry: Entry) -> Told:
        """Take a password out and look that it is gone, as `removed`; `absent` where there was none."""
        return await self._asked("delete", entry)

    async def there(self) -> Told:
        """Say whether there is a keyring, as `there`, without opening it."""
        return await self._asked("there", Entry("", "", ""))

    async def _asked(self, verb: str, entry: Entry, password: str = "") -> Told:
        if find_spec(LIBRARY) is None:
            return Told("library")
        asked = {"verb": verb, "service": entry.service, "user": entry.user, "password": password}
        call = Call(
            sys.executable,
            ("-P", "-m", PROGRAM),
            data=json.dumps(asked).encode(),
            seconds=self.seconds,
            whole=True,
        )
        try:
            ended = await self.runner.run(call)
        except ProviderError as late:
            return Told("late" if late.code == "program.timeout" else "fault")
        if ended.code:
            return Told("fault")
        said = json.loads(ended.output)
        return Told(said["how"], said["name"], said["password"])


def keyring_of(ground: Ground) -> Keyring:
    """Return the keyring of the session that a backend stands in."""
    return Keyring(Runner(ground.environ, ground.ids))


def why_not(told: Told) -> str:
    """Say why a keyring gave or took nothing, and what to do, for the middle of a sentence."""
    match told.how:
        case "library":
            return "the keyring cannot be asked: pip install 'sayso[mail]' (or 'sayso[calendar]') brings what asks it"
        case "none":
            return "there is no keyring in this session"
        case "locked":
            return f"the keyring ({told.name}) is locked; unlock it, as logging in to your desktop does, and try again"
        case "late":
            return "the keyring did not answer; it may be waiting for you to unlock it"
        case "absent":
            return f"the keyring ({told.name}) does not have it"
        case _:
            return "the keyring has a fault of its own" + (f" ({told.name})" if told.name else "")
