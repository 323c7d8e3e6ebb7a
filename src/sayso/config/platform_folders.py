"""The folders of the platform. Only a home that `SAYSO_HOME` does not name needs them, and imports `platformdirs`."""

from platformdirs import PlatformDirs


def folders() -> tuple[str, str]:
    """Return the folder for state and the one for settings."""
    dirs = PlatformDirs("sayso", appauthor=False)
    return dirs.user_data_dir, dirs.user_config_dir
