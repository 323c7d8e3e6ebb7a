"""The driver for Firefox: checks which Firefox it is, and opens a WebDriver BiDi session for each use."""

import configparser
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.session import (
    BANNED,
    KIND,
    FirefoxSession,
    NotesFile,
    TabNotes,
    how_to_restart,
    lock_notes,
)
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.backend import RemoteBackend
from sayso.providers.browser.remote.connection import CallError, ProtocolClient
from sayso.providers.browser.remote.driver import BrowserDriver
from sayso.providers.browser.remote.settings import Endpoint, WantedBrowser, read_settings

USUAL_FOLDERS = (
    ".mozilla/firefox", ".config/mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
    ".var/app/org.mozilla.firefox/.mozilla/firefox", ".librewolf",
)  # fmt: skip
"""Folders in which Firefox keeps the person's everyday profiles, below their home folder."""
CAPABILITIES = {"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}}
"""Dialogs stay open for the person. During an action, sayso answers only the dialogs of the page that it acts on."""
BEGINNING = 30.0
MARIONETTE = "MarionetteActivePort"
STALE_TRIES, STALE_PAUSE = 100, 0.05


def is_own(profile: str, folder: Path) -> bool:
    """Return whether this Firefox uses sayso's own profile. If it does not, another program has taken over the port."""
    return profile != "" and Path(profile).resolve() == folder.resolve()


def must_not_be_lived_in(profile: str, home: str) -> None:
    """Raise `SetupError` if a Firefox uses an everyday profile of the person, or does not report its profile."""
    if not profile or any(_lives_in(Path(profile).resolve(), Path(home, name)) for name in USUAL_FOLDERS):
        raise KIND.profile_in_use()


def _lives_in(profile: Path, folder: Path) -> bool:
    """Return whether a profile is a default one of this folder, or is in the folder but not in its `profiles.ini`."""
    listed = _profiles(folder)
    usual = {(folder / path).resolve() for section in listed.sections() if (path := _usual(listed[section]))}
    named = {(folder / listed[section]["Path"]).resolve() for section in listed.sections() if "Path" in listed[section]}
    return profile in usual or (profile.is_relative_to(folder.resolve()) and profile not in named)


def _usual(section: configparser.SectionProxy) -> str:
    """Return the path of the profile that a section of `profiles.ini` marks as default; empty if it marks none."""
    if section.name.startswith("Install"):
        return section.get("Default", "")
    return section.get("Path", "") if section.get("Default") == "1" else ""


def _profiles(folder: Path) -> configparser.ConfigParser:
    listed = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(OSError, configparser.Error, UnicodeDecodeError):
        listed.read_string((folder / "profiles.ini").read_text("utf-8"))
    return listed


def ports_kept_away(profile: str, file: str = "prefs.js") -> frozenset[int]:
    """Return the ports that a Firefox with this profile refuses, as written in a preferences file of the profile.

    For sayso's own Firefox that file is `user.js`, which contains the preferences it was started with.
    """
    try:
        text = Path(profile, file).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    found = re.search(rf'^user_pref\("{re.escape(BANNED)}", "([0-9, ]*)"\);$', text, re.MULTILINE)
    return frozenset(int(port) for port in re.findall(r"[0-9]+", found.group(1))) if found else frozenset()


class Firefox(BrowserDriver):
    """One Firefox. It allows one session at a time, so each use begins a session and ends it."""

    kind = KIND

    def __init__(self, context: BackendContext, wanted: WantedBrowser) -> None:
        super().__init__(context, wanted)
        self._lock = threading.Lock()

    @contextmanager
    def connected(self) -> Generator[FirefoxSession]:
        endpoint = self._endpoint()
        with self._lock, lock_notes(self._context.own, f"{endpoint.port}.json", self._context.clock) as notes:
            session = self._connect(endpoint, notes)
            try:
                yield session
            finally:
                session.end()

    def close(self) -> None:
        """Do nothing: each use ends its own session."""

    def _connect(self, endpoint: Endpoint, notes: NotesFile) -> FirefoxSession:
        _, client = self._dial(endpoint)
        try:
            profile = self._begin_session(client, notes).profile
        except BaseException:
            client.close()
            raise
        kept_away = ports_kept_away(profile, "user.js" if endpoint.own is not None else "prefs.js")
        session = FirefoxSession(client, endpoint, kept_away, notes)
        try:
            self._must_be_meant(endpoint, profile)
        except BaseException:
            session.end()
            raise
        return session

    def _begin_session(self, client: ProtocolClient, notes: NotesFile) -> protocol.Capabilities:
        was_in_session = notes.notes.in_session
        notes.save(replace(notes.notes, in_session=True))
        try:
            new = _new_session(client)
        except CallError as error:
            if not was_in_session:
                notes.save(replace(notes.notes, in_session=False))
                raise _firefox_in_use() from error
            new = _end_stale_session(client, notes.notes.profile)
        found = new.capabilities
        if (found.process, found.profile) != (notes.notes.process, notes.notes.profile) or not notes.notes.run:
            run = self._context.ids.token()[:12].replace(".", "")
            notes.save(TabNotes(run, found.process, found.profile, in_session=True))
        return found

    def _path(self, endpoint: Endpoint) -> str:
        return endpoint.path if endpoint.path.strip("/") else "/session"

    def _is_own(self, profile: str, folder: Path) -> bool:
        return is_own(profile, folder)

    def _must_not_be_lived_in(self, profile: str) -> None:
        must_not_be_lived_in(profile, self._context.home)

    def _describe_exposed(self, endpoint: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> Capability:
        why = "Firefox was not told to keep away from sayso's own pages, so tabs are only listed, switched and closed, "
        restart = how_to_restart(endpoint, ports | kept_away)
        return Capability("own pages", "", f"{why}and pages only read; nothing is opened or done in them; {restart}")


def _new_session(client: ProtocolClient) -> protocol.NewSession:
    return client.call(protocol.NewSession, "session.new", seconds=BEGINNING, capabilities=CAPABILITIES)


def _firefox_in_use() -> ProviderError:
    return ProviderError(
        "another program drives that Firefox, which lets in one at a time; end it, or start Firefox anew",
        "browser.taken",
    )


def _end_stale_session(client: ProtocolClient, profile: str) -> protocol.NewSession:
    """End the session of a sayso process that was killed, and return a new session.

    Firefox ends the session when a client disconnects from Marionette.
    """
    try:
        port = int(Path(profile, MARIONETTE).read_text("utf-8"))
    except (OSError, ValueError):
        raise _firefox_in_use() from None
    for _ in range(STALE_TRIES):
        connection.probe("127.0.0.1", port)
        with suppress(CallError):
            return _new_session(client)
        client.pause(STALE_PAUSE)
    raise _firefox_in_use()


def build(context: BackendContext) -> RemoteBackend:
    """Return a back end for the Firefox in the settings, or for sayso's own. It connects when it is first used."""
    settings = read_settings(context, KIND)
    return RemoteBackend("bidi", context, settings, Firefox(context, settings.wanted))
