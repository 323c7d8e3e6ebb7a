"""Labels of messages in Mail, which has none: sayso keeps them in a file of its own."""

from collections.abc import Callable, Sequence

import msgspec
from anyio import to_thread

from sayso.core.errors import ProviderError
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import Texts

FILE = "labels.json"
Kept = dict[str, tuple[str, ...]]
"""The labels of each message that has some, by its id."""


class Labels:
    """Keeps the labels of messages in one small file."""

    def __init__(self, folder: str, token: Callable[[], str]) -> None:
        self._texts = Texts(folder, beneath())
        self._token = token

    async def read(self) -> Kept:
        """Return all labels."""
        return await to_thread.run_sync(lambda: self._read()[0])

    async def put(self, ids: Sequence[str], label: str, *, on: bool) -> None:
        """Add a label to messages, or remove it from them in every spelling of it."""
        await to_thread.run_sync(lambda: self._put(ids, label, on=on))

    def _read(self) -> tuple[Kept, str]:
        file = self._texts.read(FILE) if self._texts.is_there() else None
        if file is None:
            return {}, ""
        try:
            return msgspec.json.decode(file.data, type=Kept), file.etag
        except msgspec.DecodeError as wrong:
            raise ProviderError(f"the labels of mail cannot be read: {wrong}", "mail.labels") from wrong

    def _put(self, ids: Sequence[str], label: str, *, on: bool) -> None:
        kept, etag = self._read()
        for id_ in ids:
            others = tuple(one for one in kept.pop(id_, ()) if one.casefold() != label.casefold())
            if on or others:
                kept[id_] = (*others, label) if on else others
        data = msgspec.json.encode(kept)
        if etag:
            self._texts.exchange(FILE, etag, data, self._token())
        else:
            self._texts.make_folder()
            self._texts.make(FILE, data, self._token())
