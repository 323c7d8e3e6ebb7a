"""Changes of what sayso may do that the person has to mean: shown first, and made with the word that came with that."""

from collections.abc import Mapping

from msgspec import Struct
from starlette.responses import JSONResponse

from sayso.core.encoding import Json, digest
from sayso.core.ports import Ids
from sayso.surfaces.web.requests import Unfit
from sayso.surfaces.web.visitors import Nonces, Shown


class Confirmed(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends for a change that needs nothing else; `nonce` came with what the person was asked."""

    nonce: str = ""


class Confirming:
    """Lets a change pass only with the word that came with exactly this change, as the same browser was shown it."""

    def __init__(self, ids: Ids) -> None:
        self._nonces = Nonces(ids)

    def ask(self, visitor: str, nonce: str, says: str, shown: Mapping[str, Json]) -> None:
        """Raise `Unfit` with what the person is asked, unless they were shown exactly this and gave the word for it."""
        key = Shown(visitor, says, digest(dict(shown)))
        if nonce and self._nonces.take(key, nonce):
            return
        word = self._nonces.give(key)
        raise Unfit(JSONResponse({"error": says, "code": "page.sure", "nonce": word, "shown": dict(shown)}, 409))
