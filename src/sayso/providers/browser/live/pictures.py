"""Pictures of pages: private files that are removed after 24 hours (T-108)."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from sayso.providers.browser.own_pages import private

FOLDER = "tmp"
START, END = "screenshot-", ".png"
KEPT_SECONDS = 24 * 60 * 60


def keep(own: str, token: str, picture: bytes) -> str:
    """Write a picture into a new private file and return its path."""
    path = private(own, FOLDER) / f"{START}{token}{END}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(picture)
    return str(path)


def remove_old(own: str, now: datetime) -> int:
    """Remove pictures that are older than a day; return how many that were."""
    removed = 0
    for path in Path(own, FOLDER).glob(f"{START}*{END}"):
        with suppress(OSError):
            if now.timestamp() - path.stat().st_mtime >= KEPT_SECONDS:
                path.unlink()
                removed += 1
    return removed
