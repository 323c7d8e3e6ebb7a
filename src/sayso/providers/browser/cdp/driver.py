"""The driver for browsers of the Chromium family: checks which browser it is, and connects over DevTools."""

import itertools
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.guard import keep_away_option
from sayso.providers.browser.cdp.session import ChromiumSession
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.backend import RemoteBackend
from sayso.providers.browser.remote.connection import CallError, ConnectionLost, ProtocolClient, Transport
from sayso.providers.browser.remote.driver import BrowserDriver
from sayso.providers.browser.remote.local_socket import LocalSocket
from sayso.providers.browser.remote.settings import BrowserKind, Endpoint, WantedBrowser, read_settings

KIND = BrowserKind("the browser", "browser.cdp_url", "http://127.0.0.1:9222", "browser", "sayso browser", piped=True)
USUAL_PROFILES = (
    "chromium", "google-chrome", "google-chrome-beta", "google-chrome-unstable", "microsoft-edge",
    "microsoft-edge-beta", "microsoft-edge-dev", "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser-Beta",
    "BraveSoftware/Brave-Browser-Nightly", "vivaldi", "vivaldi-snapshot", "opera", "opera-beta",
)  # fmt: skip
"""Folders with the everyday profiles of browsers of this family, below a settings folder such as `~/.config`."""
PACKAGED = ("snap/*/common", "snap/*/current/.config", ".var/app/*/config")
"""Settings folders of packages with a home folder of their own (snap, Flatpak), below the person's home folder."""

_KEPT_AWAY = re.compile(r"MAP \*:(\d+) ~NOTFOUND")


def is_own(command_line: str, folder: Path) -> bool:
    """Return whether this browser uses sayso's own profile. If it does not, another program has taken over the port."""
    return str(folder) in _beginnings(option(command_line, "user-data-dir"))


def must_not_be_lived_in(command_line: str, home: str) -> None:
    """Raise `SetupError` if a browser uses an everyday profile of the person, or does not report its profile."""
    folder = option(command_line, "user-data-dir")
    places = [Path(home, ".config"), *(place for pattern in PACKAGED for place in Path(home).glob(pattern))]
    usual = {(place / name).resolve() for place in places for name in USUAL_PROFILES}
    if not folder or any(Path(beginning).resolve() in usual for beginning in _beginnings(folder)):
        raise KIND.profile_in_use()


def _beginnings(folder: str) -> list[str]:
    """Return all folder names that the text may begin with.

    A browser's command line has no quotes, so the end of a folder name with spaces is unclear.
    """
    words = folder.split(" ")
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)]


def option(command_line: str, name: str) -> str:
    """Return the value of the last option with this name; empty if there is none.

    The command line contains no quotes, so a value ends where the next option begins.
    """
    found = re.findall(rf"(?:^| )--{re.escape(name)}=(.*?)(?= --|$)", command_line, re.DOTALL)
    return found[-1] if found else ""


def ports_kept_away(command_line: str) -> frozenset[int]:
    """Return the ports that a browser refuses because of its command line, whatever the host name is.

    If the command line has an exception or a proxy, a page could still reach the ports, so the result is empty. For the
    same reason, only the rules before the first rule of another kind count.
    """
    rules = option(command_line, "host-resolver-rules")
    if "exclude" in rules.lower() or " --proxy-" in command_line:
        return frozenset()
    first = itertools.takewhile(bool, (_KEPT_AWAY.fullmatch(rule.strip()) for rule in rules.split(",")))
    return frozenset(int(rule[1]) for rule in first if rule)


class Chromium(BrowserDriver):
    """A browser of the Chromium family. It keeps its connection open between two uses."""

    kind = KIND

    def __init__(self, context: BackendContext, wanted: WantedBrowser) -> None:
        super().__init__(context, wanted)
        self._session: ChromiumSession | None = None
        self._lock = threading.RLock()

    @contextmanager
    def connected(self) -> Generator[ChromiumSession]:
        with self._lock:
            if self._session is None:
                self._session = self._connect()
            try:
                yield self._session
            except (ConnectionLost, TimeoutError):
                self.close()
                raise

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.client.close()

    def _connect(self) -> ChromiumSession:
        endpoint = self._endpoint()
        path, client = self._dial(endpoint)
        try:
            line = _command_line(client)
            self._must_be_meant(endpoint, line)
        except BaseException:
            client.close()
            raise
        return ChromiumSession(client, endpoint, ports_kept_away(line), path)

    def _open(self, endpoint: Endpoint) -> tuple[str, Transport]:
        if endpoint.socket is None:
            return super()._open(endpoint)
        wire = LocalSocket(endpoint.socket)
        return wire.greeting.browser, wire

    def _path(self, endpoint: Endpoint) -> str:
        return endpoint.path or _websocket_path(connection.fetch(endpoint.host, endpoint.port, "/json/version"))

    def _is_own(self, profile: str, folder: Path) -> bool:
        return is_own(profile, folder)

    def _must_not_be_lived_in(self, profile: str) -> None:
        must_not_be_lived_in(profile, self._context.home)

    def _describe_exposed(self, endpoint: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> Capability:
        return Capability(
            "own pages",
            "sayso, while an action goes on",
            "the browser was not started to keep away from sayso's own pages; start it with "
            f"'{keep_away_option(ports - kept_away)}'",
        )


def _command_line(client: ProtocolClient) -> str:
    try:
        return client.call(protocol.Machine, "SystemInfo.getInfo").command_line
    except (CallError, ConnectionLost, TimeoutError):
        return ""


def _websocket_path(version: bytes) -> str:
    try:
        url = msgspec.json.decode(version, type=protocol.Version).websocket_debugger_url
    except msgspec.MsgspecError as error:
        raise ConnectionLost("what answers there is not the DevTools of a browser") from error
    if not url:
        raise ConnectionLost("what answers there is not the DevTools of a browser")
    return "/" + url.partition("//")[2].partition("/")[2]


def build(context: BackendContext) -> RemoteBackend:
    """Return a back end for the browser in the settings, or for sayso's own. It connects when it is first used."""
    settings = read_settings(context, KIND)
    return RemoteBackend("cdp", context, settings, Chromium(context, settings.wanted))
