"""Passwords of accounts: from the environment, a program that prints them, or the system's keyring."""

import json
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.programs.run import ProgramCall, ProgramRunner

SECONDS = 60.0
"""How long a keyring may take: somebody may have to type what unlocks it."""

PROGRAM = "sayso.providers.accounts.keyring_program"

LIBRARY = "keyring"


class Entry(Struct, frozen=True):
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


class Told(Struct, frozen=True):
    """What a keyring said, or why it said nothing; the password is in nothing that is printed of it."""

    how: str
    name: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Told({self.how!r}, {self.name!r})"


class Keyring(Struct, frozen=True):
    """Asks the keyring of this person's session, in a process of its own that is ended when it takes too long."""

    runner: ProgramRunner
    seconds: float = SECONDS

    async def get(self, entry: Entry) -> Told:
        """Return the password, as `found`."""
        return await self._run_helper("get", entry)

    async def keep(self, entry: Entry, password: str) -> Told:
        """Keep a password and read it back, as `kept`."""
        return await self._run_helper("set", entry, password)

    async def remove(self, entry: Entry) -> Told:
        """Take a password out and look that it is gone, as `removed`; `absent` where there was none."""
        return await self._run_helper("delete", entry)

    async def there(self) -> Told:
        """Say whether there is a keyring, as `there`, without opening it."""
        return await self._run_helper("there", Entry("", "", ""))

    async def _run_helper(self, verb: str, entry: Entry, password: str = "") -> Told:
        if find_spec(LIBRARY) is None:
            return Told("library")
        asked = {"verb": verb, "service": entry.service, "user": entry.user, "password": password}
        call = ProgramCall(
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


def keyring_of(ground: BackendContext) -> Keyring:
    """Return the keyring of the session that a backend stands in."""
    return Keyring(ProgramRunner(ground.environ, ground.ids))


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


class Source(Struct, frozen=True):
    """A password, and where it came from."""

    password: str
    where: str

    def __repr__(self) -> str:
        return f"Source({self.where!r})"


def variable(section: str) -> str:
    """Return the variable of the environment that may hold the password of a section."""
    return f"SAYSO_{section.upper()}_PASSWORD"


def command_of(settings: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the program that prints the password, with its arguments; empty where none is set."""
    said = settings.get("password_command")
    return tuple(str(word) for word in cast("Sequence[Json]", said)) if isinstance(said, list | tuple) else ()


async def password_of(ground: BackendContext, entry: Entry) -> Source:
    """Return the password. Raises `SetupError` that says how to give one; it holds no word of any."""
    section = entry.section
    given = ground.environ.get(variable(section))
    if given:
        return Source(given, variable(section))
    command = command_of(ground.settings)
    if command:
        return Source(await read_password_command(command, section, ground), f"password_command ({command[0]})")
    told = await keyring_of(ground).get(entry)
    if told.how == "found":
        return Source(told.password, f"the keyring ({told.name})")
    what = "mail" if section == "mail" else f"the {section}"
    code = f"{section}.password" if told.how in {"none", "absent", "library"} else f"{section}.keyring"
    ways = f"run “sayso config {section}”, set {variable(section)}, or let password_command in [{section}] print it"
    raise SetupError(f"there is no password for {what}: {why_not(told)}; {ways}", code)


async def read_password_command(command: Sequence[str], section: str, ground: BackendContext) -> str:
    """Return the first line that a program prints. Raises `SetupError`."""
    program, *words = command
    ended = await ProgramRunner(ground.environ, ground.ids).run(ProgramCall(program, tuple(words), whole=True))
    secret = ended.output.decode(errors="replace").partition("\n")[0].rstrip("\r")
    if ended.code or not secret:
        # What it said may hold the secret, so nothing of it is repeated.
        raise SetupError(
            f"the password_command of [{section}] ({program}) ended with {ended.code} and printed no password; "
            "run it in a terminal to see why",
            f"{section}.password",
        )
    return secret


async def password_line(ground: BackendContext, entry: Entry) -> Capability:
    """Say for `doctor` whether the password can be had, and what to do where it cannot."""
    name = f"{entry.section} password"
    try:
        source = await password_of(ground, entry)
    except SaysoError as missing:
        fix = "unlock the keyring" if missing.code.endswith(".keyring") else f"sayso config {entry.section}"
        return Capability(name, "", str(missing), fix, asked=True)
    return Capability(name, source.where, f"for {entry.user} at {entry.host}")
