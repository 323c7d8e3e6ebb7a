"""Defaults of settings that depend on the platform."""

from platformdirs import PlatformDirs

from sayso.policy.settings import DEFAULT_APPS


def folders() -> tuple[str, str]:
    """Return the folder for state and the one for settings."""
    dirs = PlatformDirs("sayso", appauthor=False)
    return dirs.user_data_dir, dirs.user_config_dir


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
