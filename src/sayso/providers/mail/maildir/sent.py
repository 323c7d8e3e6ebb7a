"""The folder of sent messages in a Maildir."""

import os

from anyio import to_thread

from sayso.core.errors import ProviderError
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.mail.maildir.changing import token_name
from sayso.providers.mail.maildir.folders import Folders
from sayso.providers.mail.maildir.scanning import entries, message_id_of


@dataclass(frozen=True)
class SentFolder:
    """Where copies of what was sent are kept."""

    folders: Folders
    ground: Ground

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there."""
        return await to_thread.run_sync(lambda: self._holds(message_id))

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read; the folder is made where there is none."""
        await to_thread.run_sync(lambda: self._keep(message))

    def _holds(self, message_id: str) -> bool:
        folder = self.folders.find("sent")
        return folder is not None and any(message_id_of(entry) == message_id for entry in entries(folder))

    def _keep(self, message: bytes) -> None:
        try:
            folder = self.folders.made("sent").path
            unique = token_name(self.ground.ids.token(), 0, int(self.ground.clock.now().timestamp()))
            handle = os.open(folder / "tmp" / unique, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(message)
                file.flush()
                os.fsync(handle)
            (folder / "tmp" / unique).rename(folder / "cur" / f"{unique}:2,S")
        except OSError as wrong:
            raise ProviderError(f"no copy could be kept ({wrong.strerror})", "mail.sent_copy") from wrong
