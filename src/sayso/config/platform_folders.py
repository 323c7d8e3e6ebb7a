"""The platform's folders for state and settings, used if `SAYSO_HOME` is not set."""

from platformdirs import PlatformDirs


def folders() -> tuple[str, str]:
    """Return the folder for state and the one for settings."""
    dirs = PlatformDirs("sayso", appauthor=False)
    return dirs.user_data_dir, dirs.user_config_dir
