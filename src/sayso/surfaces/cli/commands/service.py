"""`sayso service`: have your own session look after what starts by itself, from login on."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import anyio

from sayso.core.errors import SaysoError, SetupError
from sayso.providers.programs.run import Call, Runner
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.context import Here
from sayso.surfaces.cli.direct import Deed, deed_of
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.terminal import only_on_terminal
from sayso.surfaces.cli.text import visible
from sayso.surfaces.cli.trigger_host import Service, of_person


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="show", metavar="|".join(DEEDS), help="what to do; show by itself")
    parser.add_argument("words", nargs="*", metavar="", help=argparse.SUPPRESS)


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Do it."""
    return deed_of("service", DEEDS, arguments).act(arguments, here)


def _show(arguments: argparse.Namespace, here: Here) -> int:
    own = _own(here)
    installed = _is_installed(own)
    if installed:
        return _told(here, own, f"Installed: {own.file}; “sayso service remove” takes it away.", installed=True)
    content = own.content.decode("utf-8").splitlines()
    head = ("Not installed; “sayso service install” writes and starts it:", "", str(own.file))
    return _told(here, own, *head, *(f"  {line}".rstrip() for line in content), installed=False)


def _install(arguments: argparse.Namespace, here: Here) -> int:
    only_on_terminal("sayso service install")
    own = _own(here)
    before = own.file.read_bytes() if _is_installed(own) else None
    own.file.parent.mkdir(parents=True, exist_ok=True)
    _write(own.file, own.content)
    try:
        _call(here, own.starts)
    except SaysoError as no:
        _put_back(here, own, before)
        raise SetupError(f"the service could not be started, so it was not installed: {no}", "service.failed") from no
    return _told(
        here, own, f"✓ sayso looks after your triggers from now on, and from login on ({own.file})", installed=True
    )


def _remove(arguments: argparse.Namespace, here: Here) -> int:
    own = _own(here)
    if not _is_installed(own):
        return _told(here, own, "No service is installed.", installed=False)
    with suppress(SaysoError):  # one that does not run cannot be ended
        _call(here, own.ends)
    own.file.unlink()
    with suppress(SaysoError):
        _call(here, own.forgets)
    return _told(here, own, "✓ the service is ended and removed; your triggers stay", installed=False)


def _own(here: Here) -> Service:
    return of_person(here.environ)


def _is_installed(own: Service) -> bool:
    """Say whether it is. Raises `SetupError` where something else stands in its place."""
    if not own.file.exists():
        return False
    if not own.is_ours:
        raise SetupError(f"“{own.file}” was not written by sayso; move it away first", "service.foreign")
    return True


def _write(file: Path, content: bytes) -> None:
    new = file.with_name(f".{file.name}.new")
    new.write_bytes(content)
    new.replace(file)


def _put_back(here: Here, own: Service, before: bytes | None) -> None:
    if before is None:
        own.file.unlink()
    else:
        _write(own.file, before)
    with suppress(SaysoError):
        _call(here, own.forgets)


def _call(here: Here, calls: Sequence[Call]) -> None:
    async def told() -> None:
        runner = Runner(here.environ, RandomIds())
        for call in calls:
            await runner.told(call)

    anyio.run(told)


def _told(here: Here, own: Service, *lines: str, installed: bool) -> int:
    if here.json:
        text = own.content.decode("utf-8")
        here.document({"installed": installed, "file": str(own.file), "content": text})
    else:
        here.print(*map(visible, lines))
    return Exit.FINE


DEEDS: Mapping[str, Deed] = MappingProxyType(
    {
        "show": Deed(_show, words=False),
        "install": Deed(_install, words=False),
        "remove": Deed(_remove, words=False),
    }
)

COMMAND = Command(
    configure,
    act,
    "sayso service install",
    "On Linux it is a unit of your own systemd session, on macOS a LaunchAgent of yours.",
)
