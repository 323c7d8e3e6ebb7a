"""Where the password of an account comes from: the environment, the program that prints it, or the keyring."""

from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.ports import Ground
from sayso.core.provider import Capability
from sayso.core.values import dataclass
from sayso.providers.accounts.keyring import Entry, keyring_of, why_not
from sayso.providers.programs.run import Call, Runner


@dataclass(frozen=True)
class Source:
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


async def password_of(ground: Ground, entry: Entry) -> Source:
    """Return the password. Raises `SetupError` that says how to give one; it holds no word of any."""
    section = entry.section
    given = ground.environ.get(variable(section))
    if given:
        return Source(given, variable(section))
    command = command_of(ground.settings)
    if command:
        return Source(await printed(command, section, ground), f"password_command ({command[0]})")
    told = await keyring_of(ground).get(entry)
    if told.how == "found":
        return Source(told.password, f"the keyring ({told.name})")
    what = "mail" if section == "mail" else f"the {section}"
    code = f"{section}.password" if told.how in {"none", "absent", "library"} else f"{section}.keyring"
    ways = f"run “sayso config {section}”, set {variable(section)}, or let password_command in [{section}] print it"
    raise SetupError(f"there is no password for {what}: {why_not(told)}; {ways}", code)


async def printed(command: Sequence[str], section: str, ground: Ground) -> str:
    """Return the first line that a program prints. Raises `SetupError`."""
    program, *words = command
    ended = await Runner(ground.environ, ground.ids).run(Call(program, tuple(words), whole=True))
    secret = ended.output.decode(errors="replace").partition("\n")[0].rstrip("\r")
    if ended.code or not secret:
        # What it said may hold the secret, so nothing of it is repeated.
        raise SetupError(
            f"the password_command of [{section}] ({program}) ended with {ended.code} and printed no password; "
            "run it in a terminal to see why",
            f"{section}.password",
        )
    return secret


async def password_line(ground: Ground, entry: Entry) -> Capability:
    """Say for `doctor` whether the password can be had, and what to do where it cannot."""
    name = f"{entry.section} password"
    try:
        source = await password_of(ground, entry)
    except SaysoError as missing:
        fix = "unlock the keyring" if missing.code.endswith(".keyring") else f"sayso config {entry.section}"
        return Capability(name, "", str(missing), fix, asked=True)
    return Capability(name, source.where, f"for {entry.user} at {entry.host}")
