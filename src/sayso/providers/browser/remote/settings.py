"""The browser's settings: which browser is meant, and whether it may be."""

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from sayso.core.errors import ProviderError, Refused, SaysoError, SetupError
from sayso.core.ports import Ground
from sayso.core.provider import Capability
from sayso.core.values import dataclass
from sayso.providers.browser.address import Rules
from sayso.providers.browser.memory import Settings

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


@dataclass(frozen=True, slots=True)
class Kind:
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

    def lived_in(self) -> SetupError:
        """Return what is said of a browser on the profile that the person lives in."""
        return SetupError(
            "that browser runs on the profile you live in, with everything you are logged in to; start one with a "
            f"profile of its own (“{self.start}”), or set {LIVED_IN} = true",
            "browser.default_profile",
        )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a browser listens; `path` is empty where it must be asked for."""

    host: str
    port: int
    path: str = ""
    own: Path | None = None
    """The profile it must be, where it is sayso's own."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the settings say of the browser."""

    url: str = ""
    """Empty for sayso's own."""
    remote: bool = False
    default_profile: bool = False


def unserved(kind: Kind, wanted: Wanted, no: SaysoError) -> Capability:
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
    found = _named(kind, wanted.url)
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


def _named(kind: Kind, url: str) -> Endpoint:
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


@dataclass(frozen=True)
class Told:
    """The settings of one browser."""

    wanted: Wanted
    settings: Settings
    downloads: Path | None
    """Where files that a page gives out may go; None for nowhere."""
    program: str = ""
    """Which browser `sayso browser` starts; empty for the first of the known ones."""


def told(ground: Ground, kind: Kind) -> Told:
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
