"""Passwords of accounts: from the environment, a program that prints them, or the system's keyring."""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability, add_extra
from sayso.core.quotes import quoted
from sayso.providers.programs.own_python import module_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner

SECONDS = 60.0
"""The time limit for the keyring where the person sets up an account; they may have to unlock it first."""
READ_SECONDS = 8.0
"""The time limit where a password is only needed; a keyring that waits to be unlocked must not hold up everything."""
LEFT_ALONE = 600.0
"""For how many seconds a keyring that did not answer in time is not asked again."""
_MARK = "keyring-silent"
"""The file in sayso's own folder whose time says when the keyring last did not answer."""

PROGRAM = "sayso.providers.accounts.keyring_program"

LIBRARY = "keyring"

CHOOSES = ("PYTHON_KEYRING_BACKEND", "KEYRING_PROPERTY_")
"""Beginnings of the variables that name one of the installed keyrings, and its properties."""


class KeyringEntry(Struct, frozen=True):
    """Where a password is in the keyring; each password is for one server and never sent to another."""

    section: str
    host: str
    user: str

    @property
    def service(self) -> str:
        """Return the name of the service in the keyring."""
        return f"sayso {self.section} {self.host}"

    @property
    def said(self) -> str:
        """Return a text with which a person can find the entry in the keyring."""
        return f"{quoted(self.service)}, {self.user}"


class KeyringAnswer(Struct, frozen=True):
    """The answer of a keyring, or why there is none; `repr` does not show the password."""

    how: str
    name: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"KeyringAnswer({self.how!r}, {self.name!r})"


class Keyring(Struct, frozen=True):
    """Accesses the keyring of this person's session in a separate process with a time limit."""

    runner: ProgramRunner
    seconds: float = SECONDS

    async def get(self, entry: KeyringEntry) -> KeyringAnswer:
        """Return the password; `how` is then `found`."""
        return await self._run_helper("get", entry)

    async def keep(self, entry: KeyringEntry, password: str) -> KeyringAnswer:
        """Store a password and read it back; if that works, `how` is `kept`."""
        return await self._run_helper("set", entry, password)

    async def remove(self, entry: KeyringEntry) -> KeyringAnswer:
        """Remove a password and check that it is gone; `how` is then `removed`, or `absent` if there was none."""
        return await self._run_helper("delete", entry)

    async def there(self) -> KeyringAnswer:
        """Return whether there is a keyring, without unlocking it; `how` is `there` if so."""
        return await self._run_helper("there", KeyringEntry("", "", ""))

    async def _run_helper(self, verb: str, entry: KeyringEntry, password: str = "") -> KeyringAnswer:
        if find_spec(LIBRARY) is None:
            return KeyringAnswer("library")
        asked = {"verb": verb, "service": entry.service, "user": entry.user, "password": password}
        python, *words = module_command(PROGRAM)
        chosen = {name: value for name, value in self.runner.environ.items() if name.startswith(CHOOSES)}
        data = json.dumps(asked).encode()
        call = ProgramCall(python, tuple(words), data=data, seconds=self.seconds, also=chosen)
        try:
            ended = await self.runner.run(call)
        except ProviderError as late:
            return KeyringAnswer("late" if late.code == "program.timeout" else "fault")
        if ended.code:
            return KeyringAnswer("fault")
        said = json.loads(ended.output)
        return KeyringAnswer(said["how"], said["name"], said["password"])


def keyring_of(context: BackendContext) -> Keyring:
    """Return the keyring of the session, for a person who sets up an account now; it is asked again from then on."""
    _note(context, late=False)
    return Keyring(ProgramRunner(context.environ, context.ids))


async def read_keyring(context: BackendContext, entry: KeyringEntry, seconds: float = READ_SECONDS) -> KeyringAnswer:
    """Return the password from the keyring; a keyring that did not answer in time is left alone for ten minutes.

    `how` is then `late` at once, in every process of this person.
    """
    if _is_left_alone(context):
        return KeyringAnswer("late")
    answer = await Keyring(ProgramRunner(context.environ, context.ids), seconds).get(entry)
    _note(context, late=answer.how == "late")
    return answer


def _is_left_alone(context: BackendContext) -> bool:
    try:
        since = context.clock.now().timestamp() - Path(context.own, _MARK).stat().st_mtime
    except OSError:
        return False
    return 0 <= since < LEFT_ALONE


def _note(context: BackendContext, *, late: bool) -> None:
    mark, now = Path(context.own, _MARK), context.clock.now().timestamp()
    with suppress(OSError):
        if late:
            mark.touch(mode=0o600)
            os.utime(mark, (now, now))
        else:
            mark.unlink(missing_ok=True)


def why_not(answer: KeyringAnswer) -> str:
    """Return why a keyring failed and what to do, for the middle of a sentence."""
    match answer.how:
        case "library":
            return f"the keyring cannot be asked, since its library is not installed ({add_extra('mail')})"
        case "none":
            return "there is no keyring in this session"
        case "locked":
            return (
                f"the keyring ({answer.name}) is locked; unlock it, as logging in to your desktop does, and try again"
            )
        case "late":
            return (
                "the keyring did not answer in time; it may be waiting for you to unlock it, and is asked again in ten "
                "minutes at the latest"
            )
        case "absent":
            return f"the keyring ({answer.name}) does not have it"
        case _:
            return "the keyring has a fault of its own" + (f" ({answer.name})" if answer.name else "")


class PasswordSource(Struct, frozen=True):
    """A password, and where it came from."""

    password: str
    where: str

    def __repr__(self) -> str:
        return f"PasswordSource({self.where!r})"


def variable(section: str) -> str:
    """Return the name of the environment variable that may contain the password of a section."""
    return f"SAYSO_{section.upper()}_PASSWORD"


def command_of(settings: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the program that prints the password, with its arguments; empty if none is set."""
    said = settings.get("password_command")
    return tuple(str(word) for word in cast("Sequence[Json]", said)) if isinstance(said, list | tuple) else ()


async def password_of(context: BackendContext, entry: KeyringEntry) -> PasswordSource:
    """Return the password. Raises `SetupError` with instructions, without any part of a password."""
    section = entry.section
    given = context.environ.get(variable(section))
    if given:
        return PasswordSource(given, variable(section))
    command = command_of(context.settings)
    if command:
        return PasswordSource(
            await read_password_command(command, section, context), f"password_command ({command[0]})"
        )
    answer = await read_keyring(context, entry)
    if answer.how == "found":
        return PasswordSource(answer.password, f"the keyring ({answer.name})")
    what = "mail" if section == "mail" else f"the {section}"
    code = f"{section}.password" if answer.how in {"none", "absent", "library"} else f"{section}.keyring"
    ways = f"run “sayso config {section}”, set {variable(section)}, or let password_command in [{section}] print it"
    raise SetupError(f"there is no password for {what}: {why_not(answer)}; {ways}", code)


async def read_password_command(command: Sequence[str], section: str, context: BackendContext) -> str:
    """Return the first line that a program prints. Raises `SetupError`."""
    program, *words = command
    ended = await ProgramRunner(context.environ, context.ids).run(ProgramCall(program, tuple(words), whole=True))
    secret = ended.output.decode(errors="replace").partition("\n")[0].rstrip("\r")
    if ended.code or not secret:
        # The output may contain the password, so it is not repeated.
        raise SetupError(
            f"the password_command of [{section}] ({program}) ended with {ended.code} and printed no password; "
            "run it in a terminal to see why",
            f"{section}.password",
        )
    return secret


async def password_line(context: BackendContext, entry: KeyringEntry) -> Capability:
    """Return for `sayso doctor` whether the password can be read, and what to do if not."""
    name = f"{entry.section} password"
    try:
        source = await password_of(context, entry)
    except SaysoError as missing:
        fix = "unlock the keyring" if missing.code.endswith(".keyring") else f"sayso config {entry.section}"
        return Capability(name, "", str(missing), fix, asked=True)
    return Capability(name, source.where, f"for {entry.user} at {entry.host}")
