"""The browser settings: which browser to connect to, whether that is allowed, and which addresses are forbidden."""

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, Refused, SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.browser.address import Rules
from sayso.providers.browser.memory import SiteSettings

WRAPPERS = ("view-source:", "blob:", "filesystem:")
"""Prefixes that can be put before an address and still show its page."""
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def leads_to(url: str, ports: frozenset[int]) -> bool:
    """Return whether an address, without its wrappers, is on one of these ports (the ports of sayso's own pages)."""
    while wrapper := next((each for each in WRAPPERS if url[: len(each)].lower() == each), ""):
        url = url[len(wrapper) :]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return (port or DEFAULT_PORTS.get(parts.scheme, 0)) in ports


def must_not_lead_to(url: str, ports: frozenset[int]) -> None:
    """Raise `Refused` if the address is on one of these ports."""
    if leads_to(url, ports):
        raise own_page()


def own_page() -> Refused:
    """Return the error for an action that would open a page of sayso's own."""
    return Refused(
        "that is where sayso's own page is, or the browser's own DevTools, and no action reaches them",
        "url.own_page",
        "own page",
    )


PORT_FILE = "sayso-port"
SOCKET_FILE = "sayso-socket"
"""The name of the broker's socket in the profile folder of a browser that is controlled through a pipe."""
REMOTE = "browser.remote"
LIVED_IN = "browser.default_profile"


class BrowserKind(Struct, frozen=True):
    """The properties in which kinds of browsers differ."""

    named: str
    """The browser's name in messages."""
    setting: str
    """The name of the setting that contains the address of a browser of this kind."""
    example: str
    folder: str
    """The name of the profile folder for the browser that sayso starts, within sayso's own folder."""
    start: str
    """The command that starts a browser of this kind."""
    piped: bool = False
    """Whether the browser that sayso starts is controlled through a pipe, and listens on no port."""

    def profile(self, own: str) -> Path:
        """Return the profile folder of the browser that sayso starts."""
        return Path(own, self.folder)

    def not_running(self) -> ProviderError:
        """Return the error for when no browser is running for sayso."""
        return ProviderError(
            f"no browser is running for sayso; start one with {quoted(self.start)}", "browser.not_running"
        )

    def profile_in_use(self) -> SetupError:
        """Return the error for a browser that runs on the person's everyday profile."""
        return SetupError(
            "that browser runs on your everyday profile, with everything you are logged in to; start one with a "
            f"profile of its own ({quoted(self.start)}), or set {LIVED_IN} = true",
            "browser.default_profile",
        )


class Endpoint(Struct, frozen=True):
    """The address that a browser listens on; `path` is empty until the browser has been asked for it.

    The port is 0 for a browser that is reached by the private socket in its profile folder.
    """

    host: str
    port: int
    path: str = ""
    own: Path | None = None
    """The profile folder that sayso's own browser must use; None for a browser that the settings name."""

    @property
    def socket(self) -> Path | None:
        """Return the folder of the private socket; None for a browser that listens on a port."""
        return None if self.port else self.own

    @property
    def where(self) -> str:
        """Return a text that says where the browser is reached."""
        return f"{self.host}:{self.port}" if self.port else "a socket that only you can reach"


class WantedBrowser(Struct, frozen=True):
    """The settings that choose a browser."""

    url: str = ""
    """The browser's address; empty for the browser that sayso starts."""
    remote: bool = False
    default_profile: bool = False


def explain_unserved(kind: BrowserKind, wanted: WantedBrowser, error: SaysoError) -> Capability:
    """Return what `sayso doctor` prints when no browser can be used.

    If the settings name a browser, this is shown as an error.
    """
    why, _, fix = str(error).partition("; ")
    name = "tabs and pages"
    if error.code != "browser.not_running":
        return Capability(name, "", why, fix, asked=bool(wanted.url))
    if not wanted.url:
        return Capability(name, "", why, kind.start)
    fix = (
        f"start the browser that is to listen there, or let sayso use one of its own: sayso config unset {kind.setting}"
    )
    return Capability(name, "", f"{why} ({kind.setting} names it)", fix, asked=True)


def find_endpoint(kind: BrowserKind, wanted: WantedBrowser, own: str) -> Endpoint:
    """Return the browser's address. Raises `SetupError` if the settings do not allow that browser."""
    if not wanted.url:
        return _own_endpoint(kind, own)
    endpoint = _parse_endpoint(kind, wanted.url)
    if not wanted.remote and not is_loopback(endpoint.host):
        raise SetupError(
            f"the browser at {endpoint.host} is on another machine, and anybody on the network between can control it; "
            f"set {REMOTE} = true if that is what you want",
            "browser.remote",
        )
    return endpoint


def _own_endpoint(kind: BrowserKind, own: str) -> Endpoint:
    folder = kind.profile(own)
    if kind.piped:
        if not (folder / SOCKET_FILE).is_socket():
            raise kind.not_running()
        return Endpoint("", 0, own=folder)
    try:
        return Endpoint("127.0.0.1", int((folder / PORT_FILE).read_text("utf-8")), own=folder)
    except (OSError, ValueError):
        raise kind.not_running() from None


def _parse_endpoint(kind: BrowserKind, url: str) -> Endpoint:
    try:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in {"http", "ws"} or not host or not port:
        raise SetupError(f"{kind.setting} in the settings is {quoted(url)}; write it like {kind.example}", kind.setting)
    return Endpoint(host, port, parts.path if parts.scheme == "ws" else "")


def is_loopback(host: str) -> bool:
    """Return whether a host name means this machine, without a DNS lookup."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class BrowserSettings(Struct, frozen=True):
    """The settings of one browser."""

    wanted: WantedBrowser
    sites: SiteSettings
    downloads: Path | None
    """The folder for downloads; None if downloads are not allowed."""
    program: str = ""
    """Which browser `sayso browser` starts; empty for the first of the known ones."""


def read_settings(context: BackendContext, kind: BrowserKind) -> BrowserSettings:
    """Return the settings for one kind of browser. Raises `SetupError` for the first invalid one."""
    given = context.settings
    try:
        rules = Rules(
            msgspec.convert(given.get("sites") or {}, dict[str, str]),
            msgspec.convert(given.get("schemes") or (), tuple[str, ...]),
        )
        confirm = msgspec.convert(context.options.get("confirm_sites", ()), tuple[str, ...])
    except msgspec.ValidationError as error:
        raise SetupError(f"the settings for sites are wrong: {error}", "config.browser") from error
    url = str(given.get(kind.setting.partition(".")[2]) or "")
    wanted = WantedBrowser(url, bool(given.get("remote", False)), bool(given.get("default_profile", False)))
    downloads = downloads_folder(str(given.get("downloads") or ""), context.home, context.roots)
    return BrowserSettings(wanted, SiteSettings(rules, confirm), downloads, str(given.get("program") or ""))


def downloads_folder(named: str, home: str, roots: Sequence[str]) -> Path | None:
    """Return the folder for downloads, which is always within the roots; None if there are no roots (BR-07).

    Raises `SetupError` if the folder in the settings is outside all roots.
    """
    real = [Path(root).resolve() for root in roots]
    if named:
        folder = Path(named).resolve()
        if not any(folder.is_relative_to(root) for root in real):
            raise SetupError(
                f"browser.downloads in the settings is {named}, which is in none of the folders that may be reached",
                "browser.downloads",
            )
        return folder
    default = Path(home, "Downloads").resolve()
    return next((root for root in real if root == default), real[0] if real else None)
