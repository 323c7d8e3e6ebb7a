"""The person's settings that judgement stands on, as one value; `config.py` loads it, nothing here reads a file."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct
from msgspec.structs import fields

from sayso.core.encoding import Json, digest

Mode = Literal["always", "destructive", "never"]

DEFAULT_APPS = (
    "Calendar", "Reminders", "Notes", "Mail", "Finder", "Safari", "Google Chrome", "TextEdit", "Preview", "Music",
)  # fmt: skip
"""T-31; command terminals are left out on purpose."""

LINUX_APPS = (
    "Chromium", "Chromium Web Browser", "Document Viewer", "Dolphin", "Elisa", "Evince", "Evolution", "Files",
    "Firefox", "Firefox ESR", "Firefox Web Browser", "Geary", "GNOME Text Editor", "Gwenview", "Image Viewer", "KMail",
    "KOrganizer", "Kate", "KWrite", "Mousepad", "Okular", "Rhythmbox", "Ristretto Image Viewer", "Text Editor",
    "Thunar File Manager", "Thunderbird", "Thunderbird Mail",
)  # fmt: skip
"""What Linux desktops call their calendars, mail programs, file managers, browsers, editors, viewers and players.

As on other platforms, no terminal is among them: what is typed into one could be anything.
"""


def default_allowed_apps(platform: str) -> tuple[str, ...]:
    """Return what is allowed on a platform (`sys.platform`) where nothing is set."""
    return (*DEFAULT_APPS, *LINUX_APPS) if platform == "linux" else DEFAULT_APPS


class Limits(Struct, frozen=True):
    """Over a limit the whole is refused, never a weaker answer."""

    actions_per_run: int = 5000
    reply_bytes: int = 16 * 2**20
    argument_bytes: int = 8 * 2**20
    waiting: int = 200


class Policy(Struct, frozen=True, dict=True):
    """What may happen here, as the person (and, stricter, an administrator) wrote it.

    `roots` are absolute folders as written, `real_roots` the same with links resolved; `home` is the
    person's home, `own` sayso's own folder (both absolute, resolved ones beside them). Durations are
    in seconds, `undo_bytes` in bytes.
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
    """Further folders and files that are sayso's own: what stands apart from `own` or is reached by links,
    in every form that leads there."""
    program: tuple[str, ...] = ()
    """Where the program stands that judges and acts here, as far as actions could come near it."""

    @cached_property
    def hash(self) -> str:
        """Return the digest of everything here; it is bound into each approval and journaled (AU-06)."""
        return digest(_document(self))


def _document(value: Policy | Limits) -> Mapping[str, Json]:
    out: dict[str, Json] = {}
    for field in fields(value):
        item = getattr(value, field.name)
        out[field.name] = _document(item) if isinstance(item, Limits) else item
    return out
