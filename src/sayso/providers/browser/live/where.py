"""Which browser is meant, and whether it may be: one of sayso's own, or one that the settings name.

Whoever may drive a browser has everything in it. So it must listen on this machine, unless the settings say so in as
many words (BR-09).
"""

import ipaddress
from pathlib import Path
from urllib.parse import urlsplit

from sayso.core.capability import Capability
from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.values import dataclass

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
