"""Where this platform keeps a program's settings and state; asked for only where no folder is named."""

from platformdirs import PlatformDirs


def folders() -> tuple[str, str]:
    """Return the folder for state and the one for settings."""
    dirs = PlatformDirs("sayso", appauthor=False)
    return dirs.user_data_dir, dirs.user_config_dir
