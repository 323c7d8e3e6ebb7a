"""Folders of the platform for state and settings, for a home that `SAYSO_HOME` does not name."""

from platformdirs import PlatformDirs


def folders() -> tuple[str, str]:
    """Return the folder for state and the one for settings."""
    dirs = PlatformDirs("sayso", appauthor=False)
    return dirs.user_data_dir, dirs.user_config_dir
