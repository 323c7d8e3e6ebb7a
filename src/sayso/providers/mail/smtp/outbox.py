"""Keep in mind which messages were being handed over, so that none is handed over twice and a crash can be judged."""

import os
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sayso.core.errors import Uncertain
from sayso.core.values import dataclass

KEPT = timedelta(days=90)
AGAIN = "this very mail was handed over before; it is not sent twice"
Stage = Literal["going", "sent"]


@dataclass(frozen=True)
class Outbox:
    """A folder of sayso's own with one small file for each message that a server was handed, named after its stage.

    A file holds the Message-ID and nothing else.
    """

    folder: Path

    def stage(self, message_id: str) -> Stage | None:
        """Return how far a message has come; None for one that no server was told a byte of."""
        for stage in ("sent", "going"):
            if self._file(message_id, stage).exists():
                return stage
        return None

    def going(self, message_id: str, now: datetime) -> None:
        """Write down that a server is about to be told a message. Raises `Uncertain` if one was before."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._forget(now)
        if self.stage(message_id) is not None:
            raise Uncertain(AGAIN, "mail.sent_before")
        handle = os.open(self._file(message_id, "going"), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(message_id.encode())
            file.flush()
            os.fsync(handle)
        self._flush()

    def sent(self, message_id: str) -> None:
        """Write down that the server took it."""
        self._file(message_id, "going").rename(self._file(message_id, "sent"))
        self._flush()

    def refused(self, message_id: str) -> None:
        """Write down that the server said no, so that nothing is known of it."""
        if self._file(message_id, "going").exists():
            self._file(message_id, "going").unlink()
            self._flush()

    def _forget(self, now: datetime) -> None:
        for file in self.folder.glob("*.sent"):
            if file.stat().st_mtime < (now - KEPT).timestamp():
                file.unlink(missing_ok=True)

    def _file(self, message_id: str, stage: Stage) -> Path:
        return self.folder / f"{sha256(message_id.encode()).hexdigest()[:40]}.{stage}"

    def _flush(self) -> None:
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
