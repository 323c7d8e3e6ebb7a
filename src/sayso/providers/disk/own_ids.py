"""Which thing of an application a step of sayso made: an application gives a new thing its id only when it is there."""

import hashlib
from collections.abc import Mapping, Sequence

import anyio.to_thread

from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import Texts

TOKEN, MADE = "token", "made"


class OwnIds:
    """Keeps, for each token of a step, the id of what the step made, in two small files: one by token, one by id."""

    def __init__(self, folder: str) -> None:
        self._texts = Texts(folder, beneath())

    async def put(self, token: str, made: str) -> None:
        """Keep the id of what the step with this token made."""
        await anyio.to_thread.run_sync(self._put, token, made)

    async def tokens(self, made: Sequence[str]) -> Mapping[str, str]:
        """Return the token of the step for each of these ids that a step of sayso's made."""
        return await anyio.to_thread.run_sync(self._tokens, made)

    async def get(self, token: str) -> str | None:
        """Return the id of what the step with this token made; None if it made nothing, or is no step of sayso's."""
        return await anyio.to_thread.run_sync(self._get, token)

    def _put(self, token: str, made: str) -> None:
        self._texts.make_folder()
        for name, value in ((_name(token, TOKEN), made), (_name(made, MADE), token)):
            if self._texts.read(name) is None:
                self._texts.make(name, value.encode(), token)

    def _tokens(self, made: Sequence[str]) -> Mapping[str, str]:
        if not self._texts.is_there():
            return {}
        names = {name: one for one in made if (name := _name(one, MADE))}
        kept = ((one, self._read(name)) for name in self._texts.names().files if (one := names.get(name)))
        return {one: token for one, token in kept if token is not None}

    def _get(self, token: str) -> str | None:
        if not self._texts.is_there():
            return None
        return self._read(_name(token, TOKEN))

    def _read(self, name: str) -> str | None:
        file = self._texts.read(name)
        return None if file is None else file.data.decode()


def _name(text: str, kind: str) -> str:
    return f"{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}.{kind}"
