"""Which browser is meant, and whether it may be: one of sayso's own, or one whose DevTools the settings name.

Whoever reaches the DevTools of a browser has everything in it. So it must listen on this machine, and must not be
the profile that the person lives in, unless the settings say so in as many words (BR-09).
"""

import ipaddress
import re
from pathlib import Path
from urllib.parse import urlsplit

from sayso.core.errors import ProviderError, SetupError
from sayso.core.values import dataclass

PROFILE = "browser"
"""The folder in sayso's own that is the profile of its browser."""
PORT_FILE = "sayso-port"
USUAL_PROFILES = (
    "chromium", "google-chrome", "google-chrome-beta", "google-chrome-unstable", "microsoft-edge",
    "BraveSoftware/Brave-Browser", "vivaldi", "opera",
)  # fmt: skip
"""Where browsers of this family keep the profile that a person lives in, beneath `~/.config`."""
REMOTE = "browser.remote"
LIVED_IN = "browser.default_profile"
START = "start one with “sayso browser”"


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


def profile(own: str) -> Path:
    """Return the folder of the profile of sayso's own browser."""
    return Path(own, PROFILE)


def endpoint(wanted: Wanted, own: str) -> Endpoint:
    """Return where the browser listens. Raises `SetupError` for what the settings must allow first."""
    if not wanted.url:
        return _own(profile(own))
    found = _named(wanted.url)
    if not wanted.remote and not is_loopback(found.host):
        raise SetupError(
            f"the browser at {found.host} is on another machine, and whoever listens between has everything in it; "
            f"set {REMOTE} = true if that is meant",
            "browser.remote",
        )
    return found


def _own(folder: Path) -> Endpoint:
    try:
        return Endpoint("127.0.0.1", int((folder / PORT_FILE).read_text("utf-8")), own=folder)
    except (OSError, ValueError):
        raise not_running() from None


def not_running() -> ProviderError:
    """Return what is said when there is no browser to speak to."""
    return ProviderError(f"no browser is running for sayso; {START}", "browser.not_running")


def _named(url: str) -> Endpoint:
    try:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in {"http", "ws"} or not host or not port:
        raise SetupError(
            f"browser.cdp_url in the settings is “{url}”; write it like http://127.0.0.1:9222", "browser.cdp_url"
        )
    return Endpoint(host, port, parts.path if parts.scheme == "ws" else "")


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine by its very name; no name server is asked."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_own(command_line: str, folder: Path) -> bool:
    """Say whether a browser runs on sayso's own profile: by now somebody else may listen where it did."""
    return str(folder) in _beginnings(option(command_line, "user-data-dir"))


def must_not_be_lived_in(command_line: str, home: str) -> None:
    """Raise `SetupError` when a browser runs on the profile that the person lives in, or does not say on which."""
    folder = option(command_line, "user-data-dir")
    usual = {Path(home, ".config", name).resolve() for name in USUAL_PROFILES}
    if folder and not any(Path(beginning).resolve() in usual for beginning in _beginnings(folder)):
        return
    raise SetupError(
        "that browser runs on the profile you live in, with everything you are logged in to; start one with a profile "
        f"of its own (“sayso browser”), or set {LIVED_IN} = true",
        "browser.default_profile",
    )


def _beginnings(folder: str) -> list[str]:
    """Return what a folder may be called whose end cannot be told from what follows it."""
    words = folder.split(" ")
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)]


def option(command_line: str, name: str) -> str:
    """Return the value of the last option of this name, empty when there is none. Nothing is quoted in such a line."""
    found = re.findall(rf"(?:^| )--{re.escape(name)}=(.*?)(?= --|$)", command_line, re.DOTALL)
    return found[-1] if found else ""


def ports_kept_away(command_line: str) -> frozenset[int]:
    """Return the ports that a browser was started to keep away from, whatever host they are on."""
    rules = option(command_line, "host-resolver-rules")
    return frozenset(int(port) for port in re.findall(r"MAP \*:(\d+) ~NOTFOUND", rules))
