"""Which browser is meant and whether it may be, and what every started browser has in common."""

import ipaddress
import os
import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, Refused, SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.address import Rules
from sayso.providers.browser.memory import Settings
from sayso.providers.programs.run import ProgramRunner

WRAPS = ("view-source:", "blob:", "filesystem:")
"""What may stand in front of an address, and shows the same page."""
USUAL = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def leads_to(url: str, ports: frozenset[int]) -> bool:
    """Say whether an address is on one of these ports."""
    while wraps := next((each for each in WRAPS if url[: len(each)].lower() == each), ""):
        url = url[len(wraps) :]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return (port or USUAL.get(parts.scheme, 0)) in ports


def must_not_lead_to(url: str, ports: frozenset[int]) -> None:
    """Raise `Refused` for sayso's own page."""
    if leads_to(url, ports):
        raise own_page()


def own_page() -> Refused:
    """Return what is said of sayso's own page."""
    return Refused(
        "that is where sayso's own page is, or the browser's own DevTools, and no action reaches them",
        "url.own_page",
        "own page",
    )


PORT_FILE = "sayso-port"
REMOTE = "browser.remote"
LIVED_IN = "browser.default_profile"


class Kind(Struct, frozen=True):
    """What is particular to one kind of browser."""

    setting: str
    """The key of the settings that names one."""
    example: str
    folder: str
    """The folder in sayso's own that is the profile of its browser."""
    start: str
    """The command that starts it."""

    def profile(self, own: str) -> Path:
        """Return the folder of the profile of sayso's own browser."""
        return Path(own, self.folder)

    def not_running(self) -> ProviderError:
        """Return what is said when there is no browser to speak to."""
        return ProviderError(f"no browser is running for sayso; start one with “{self.start}”", "browser.not_running")

    def profile_in_use(self) -> SetupError:
        """Return what is said of a browser on the profile that the person lives in."""
        return SetupError(
            "that browser runs on the profile you live in, with everything you are logged in to; start one with a "
            f"profile of its own (“{self.start}”), or set {LIVED_IN} = true",
            "browser.default_profile",
        )


class Endpoint(Struct, frozen=True):
    """Where a browser listens; `path` is empty where it must be asked for."""

    host: str
    port: int
    path: str = ""
    own: Path | None = None
    """The profile it must be, where it is sayso's own."""


class Wanted(Struct, frozen=True):
    """What the settings say of the browser."""

    url: str = ""
    """Empty for sayso's own."""
    remote: bool = False
    default_profile: bool = False


def explain_unserved(kind: Kind, wanted: Wanted, no: SaysoError) -> Capability:
    """Say for `doctor` why no browser serves, and what to do; one that the settings name is trouble."""
    says, _, fix = str(no).partition("; ")
    name = "tabs and pages"
    if no.code != "browser.not_running":
        return Capability(name, "", says, fix, asked=bool(wanted.url))
    if not wanted.url:
        return Capability(name, "", says, kind.start)
    mend = (
        f"start the browser that is to listen there, or let sayso use one of its own: sayso config unset {kind.setting}"
    )
    return Capability(name, "", f"{says} ({kind.setting} names it)", mend, asked=True)


def endpoint(kind: Kind, wanted: Wanted, own: str) -> Endpoint:
    """Return where the browser listens. Raises `SetupError` for what the settings must allow first."""
    if not wanted.url:
        return _own(kind, own)
    found = _parse_endpoint(kind, wanted.url)
    if not wanted.remote and not is_loopback(found.host):
        raise SetupError(
            f"the browser at {found.host} is on another machine, and whoever listens between has everything in it; "
            f"set {REMOTE} = true if that is meant",
            "browser.remote",
        )
    return found


def _own(kind: Kind, own: str) -> Endpoint:
    folder = kind.profile(own)
    try:
        return Endpoint("127.0.0.1", int((folder / PORT_FILE).read_text("utf-8")), own=folder)
    except (OSError, ValueError):
        raise kind.not_running() from None


def _parse_endpoint(kind: Kind, url: str) -> Endpoint:
    try:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in {"http", "ws"} or not host or not port:
        raise SetupError(f"{kind.setting} in the settings is “{url}”; write it like {kind.example}", kind.setting)
    return Endpoint(host, port, parts.path if parts.scheme == "ws" else "")


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine by its very name; no name server is asked."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Told(Struct, frozen=True):
    """The settings of one browser."""

    wanted: Wanted
    settings: Settings
    downloads: Path | None
    """Where files that a page gives out may go; None for nowhere."""
    program: str = ""
    """Which browser `sayso browser` starts; empty for the first of the known ones."""


def read_settings(ground: BackendContext, kind: Kind) -> Told:
    """Return what the settings say. Raises `SetupError` that names what is wrong."""
    said = ground.settings
    try:
        rules = Rules(
            msgspec.convert(said.get("sites") or {}, dict[str, str]),
            msgspec.convert(said.get("schemes") or (), tuple[str, ...]),
        )
        asking = msgspec.convert(ground.options.get("confirm_sites", ()), tuple[str, ...])
    except msgspec.ValidationError as wrong:
        raise SetupError(f"what the settings say of sites is wrong: {wrong}", "config.browser") from wrong
    url = str(said.get(kind.setting.partition(".")[2]) or "")
    wanted = Wanted(url, bool(said.get("remote", False)), bool(said.get("default_profile", False)))
    downloads = downloads_in(str(said.get("downloads") or ""), ground.home, ground.roots)
    return Told(wanted, Settings(rules, asking), downloads, str(said.get("program") or ""))


def downloads_in(named: str, home: str, roots: Sequence[str]) -> Path | None:
    """Return where files that a page gives out may go: within the roots, or nowhere (BR-07). Raises `SetupError`."""
    real = [Path(root).resolve() for root in roots]
    if named:
        folder = Path(named).resolve()
        if not any(folder.is_relative_to(root) for root in real):
            raise SetupError(
                f"browser.downloads in the settings is {named}, which is in none of the folders that may be reached",
                "browser.downloads",
            )
        return folder
    usual = Path(home, "Downloads").resolve()
    return next((root for root in real if root == usual), real[0] if real else None)


WAIT = 40.0
LOOK = 0.05
LOCKS = ("SingletonLock", "lock")
"""The links by which Chromium and Firefox say, at their end, which process has a profile open."""
_NUMBER = re.compile(r"\d+$")


class Family(Struct, frozen=True):
    """Browsers that are started alike."""

    programs: tuple[str, ...]
    missing: str
    """What is said where none of them is there."""
    start: str
    """The command that starts one."""


class Wish(Struct, frozen=True):
    """How the browser is to be."""

    own: str
    """sayso's own folder."""
    downloads: Path | None
    """Where files may go; None for nowhere."""
    program: str = ""
    """Which browser; empty for the first of the known ones that is there."""
    headless: bool = False


class Started(Struct, frozen=True):
    """A browser that answers."""

    program: str
    process: int
    port: int


class Running(Struct, frozen=True):
    """A browser of sayso's own that runs; `lacks` is what it was not told, empty where it keeps away from all."""

    port: int
    lacks: str = ""


def tell_port(folder: Path, port: int) -> None:
    """Write down where a browser will listen, before it is started: who was ended meanwhile is found all the same."""
    (folder / PORT_FILE).write_text(str(port), "utf-8")


async def until_it_answers(started: Started, folder: Path) -> Started:
    """Return what was started once it answers; its port stands in its profile. Raises `ProviderError`."""
    with anyio.move_on_after(WAIT):
        while not _answers(started.port):
            if not _lives(started.process):
                (folder / PORT_FILE).unlink(missing_ok=True)
                raise ProviderError(
                    f"{started.program} ended at once; try it by hand: {started.program} --version", "browser.ended"
                )
            await anyio.sleep(LOOK)
        return started
    raise ProviderError(f"{started.program} was started, and does not answer within {WAIT:g} seconds", "browser.slow")


def program(runner: ProgramRunner, family: Family, wanted: str) -> str:
    """Return the program that is wanted, or the first of the family that is there. Raises `SetupError`."""
    if wanted:
        if runner.find(wanted) is None:
            raise SetupError(
                f"browser.program in the settings is “{wanted}”, and there is no such program", "browser.program"
            )
        return wanted
    found = next((name for name in family.programs if runner.find(name)), None)
    if found is None:
        raise SetupError(family.missing, "browser.missing")
    return found


def must_have_a_screen(environ: Mapping[str, str], family: Family, *, headless: bool) -> None:
    """Raise `SetupError` where a browser with a window could not be shown."""
    if not headless and not environ.get("DISPLAY") and not environ.get("WAYLAND_DISPLAY"):
        raise SetupError(
            f"there is no screen here to show a browser on; “{family.start} --headless” needs none", "screen"
        )


async def find_running(folder: Path, family: Family, program: str) -> Started | None:
    """Return the browser that has this profile open already and was about to listen to sayso, once it answers.

    None where none has. Raises `SetupError` for one that sayso cannot speak to: another one would hand over to it
    what it is to open, and end.
    """
    process, line = profile_owner(folder)
    if not process:
        return None
    try:
        port = int((folder / PORT_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        port = 0
    if f"--remote-debugging-port={port}".encode() in line:
        return await until_it_answers(Started(program, process, port), folder)
    raise SetupError(
        f"the profile {folder} is open already, in process {process}, which does not listen to sayso; close that "
        f"browser, or end it with “kill {process}”, and then try again: {family.start}",
        "browser.open",
    )


def profile_owner(folder: Path) -> tuple[int, list[bytes]]:
    """Return the process that has a profile open, and its words; 0 for none. One that was killed leaves its lock."""
    for lock in LOCKS:
        try:
            process = int(_NUMBER.findall(str((folder / lock).readlink()))[-1])
            line = Path("/proc", str(process), "cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if any(os.fsencode(folder) in word for word in line):
            return process, line
    return 0, []


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
