"""The settings that verdicts depend on, as one value; the package `config` reads them from files."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct
from msgspec.structs import fields

from sayso.core.encoding import Json, digest
from sayso.core.errors import Refused

Mode = Literal["always", "destructive", "never"]

DEFAULT_APPS = (
    "Calendar", "Reminders", "Notes", "Mail", "Finder", "Safari", "Google Chrome", "TextEdit", "Preview", "Music",
)  # fmt: skip
"""The allowed applications on every platform (T-31); terminals are deliberately not among them."""

LINUX_APPS = (
    "Chromium", "Chromium Web Browser", "Document Viewer", "Dolphin", "Elisa", "Evince", "Evolution", "Files",
    "Firefox", "Firefox ESR", "Firefox Web Browser", "Geary", "GNOME Text Editor", "Gwenview", "Image Viewer", "KMail",
    "KOrganizer", "Kate", "KWrite", "Mousepad", "Okular", "Rhythmbox", "Ristretto Image Viewer", "Text Editor",
    "Thunar File Manager", "Thunderbird", "Thunderbird Mail",
)  # fmt: skip
"""Names of common Linux calendars, mail programs, file managers, browsers, editors, viewers and players.

Terminals are not among them, because text typed into one can do anything.
"""


def default_allowed_apps(platform: str) -> tuple[str, ...]:
    """Return the default of `allowed_apps` on a platform (`sys.platform`)."""
    return (*DEFAULT_APPS, *LINUX_APPS) if platform == "linux" else DEFAULT_APPS


class Limits(Struct, frozen=True):
    """Limits; a run or argument that exceeds one is refused, not shortened."""

    actions_per_run: int = 5000
    reply_bytes: int = 16 * 2**20
    argument_bytes: int = 8 * 2**20
    waiting: int = 200


class Policy(Struct, frozen=True, dict=True):
    """The settings of the person, which those of an administrator can make stricter.

    `roots` are absolute folders as written, `real_roots` the same with links resolved. `home` is the person's home and
    `own` is sayso's own folder; `real_home` and `real_own` have links resolved. All are absolute. Durations are in
    seconds, `undo_bytes` in bytes.
    """

    home: str
    own: str
    real_home: str
    real_own: str
    roots: tuple[str, ...] = ()
    real_roots: tuple[str, ...] = ()
    mode: Mode = "destructive"
    allowed_apps: tuple[str, ...] = DEFAULT_APPS
    allowed_operations: tuple[str, ...] = ("*",)
    waive_floor: tuple[str, ...] = ()
    strict_apps: bool = False
    stop_on_error: bool = False
    paused: bool = False
    waiting_expires: int = 24 * 3600
    grant_expires: int = 30 * 86400
    exposure_lasts: int = 24 * 3600
    undo_keep: int = 90 * 86400
    undo_bytes: int = 2 * 2**30
    audit_keep: int = 90 * 86400
    audit_redact: tuple[str, ...] = ()
    append_missing: Literal["create", "error"] = "create"
    confirm_sites: tuple[str, ...] = ()
    confirm_destructive_clicks: bool = False
    automation: bool = True
    limits: Limits = Limits()
    also_own: tuple[str, ...] = ()
    """More folders and files of sayso, outside `own` or reached through links, in every form of their paths."""
    program: tuple[str, ...] = ()
    """The folders and files of the installed program sayso that actions could otherwise reach."""
    unreadable: str = ""
    """Why the settings cannot be read now, if they cannot; these are then the last good ones, and all is paused."""

    @property
    def why_paused(self) -> str:
        """Return that everything is paused, and what ends it; empty if it is not."""
        if not self.paused:
            return ""
        if self.unreadable:
            return f"everything is paused until the settings can be read again: {self.unreadable}"
        return "everything is paused; “sayso resume” lets sayso go on"

    def must_go_on(self) -> None:
        """Raise `Refused` if everything is paused; what waits for the person then goes on waiting."""
        if self.paused:
            raise Refused(self.why_paused, "policy.paused", "paused")

    @cached_property
    def hash(self) -> str:
        """Return the digest of all these settings; it is part of each approval and journaled (AU-06)."""
        return digest(_document(self))


def _document(value: Policy | Limits) -> Mapping[str, Json]:
    out: dict[str, Json] = {}
    for field in fields(value):
        item = getattr(value, field.name)
        if field.name == "unreadable" and not item:
            continue  # so that the hash of settings is the one of the versions that had no such field
        out[field.name] = _document(item) if isinstance(item, Limits) else item
    return out
