"""How a request to sayso's own page is read, confirmed and answered, and what all its routes share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from msgspec import DecodeError, Struct, json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sayso.assembly import Home
from sayso.core.encoding import Json, digest
from sayso.core.errors import ProposalError, SaysoError
from sayso.core.ports import Ids
from sayso.surfaces.web.changes import Changes
from sayso.surfaces.web.faults import Guarded, sentence
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.replies import Replies
from sayso.surfaces.web.visitors import Nonces, Shown, Visitors

T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]
_MOST_BODY = 1024 * 1024
MOST_LISTED = 500
"""How much of a list is sent at once at most."""


class Empty(Struct, frozen=True, forbid_unknown_fields=True):
    """A request that says nothing beside its address."""


@dataclass(frozen=True)
class Page:
    """What the routes of the page share."""

    home: Home
    visitors: Visitors
    port: int
    changes: Changes
    replies: Replies

    def get(self, path: str, handle: "Handles") -> Route:
        """Return the route that reads something."""
        return self._route(path, handle, "GET", 200)

    def post(self, path: str, handle: "Handles", status: int = 200) -> Route:
        """Return the route that changes something, and answers with this status when that is done."""
        return self._route(path, handle, "POST", status)

    def _route(self, path: str, handle: "Handles", method: str, status: int) -> Route:
        async def ours(request: Request) -> Response:
            answer = await handle(self, request)
            if isinstance(answer, Response):
                return answer
            return Response(json.encode(answer), status, media_type="application/json")

        return Route(path, answering(ours), methods=[method])


Handles = Callable[[Page, Request], Awaitable[Struct | Response]]
"""A handler of the page; the type that it returns is the shape of its answer in the OpenAPI document."""


class Unfit(Exception):
    """The request is answered with a problem; `answer` says which."""

    def __init__(self, answer: JSONResponse) -> None:
        super().__init__()
        self.answer = answer


def answering(handle: Handler) -> Handler:
    """Return the handler, with an answer in one sentence in place of each error, also of a fault in sayso."""

    async def answer(request: Request) -> Response:
        with Guarded() as asked:
            try:
                return await handle(request)
            except Unfit as unfit:
                return unfit.answer
        wrong = asked.problem
        if not isinstance(wrong, SaysoError):
            return problem(500, "bug", sentence(wrong))
        return problem(400 if isinstance(wrong, ProposalError) else 409, wrong.code or "page.request", str(wrong))

    return answer


async def read(request: Request, kind: type[T]) -> T:
    """Return the body of a request. Raises `Unfit` if it is too long, or not of this kind."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BODY:
                raise Unfit(problem(413, "page.request", f"a request has at most {_MOST_BODY:,} bytes"))
        return json.decode(bytes(body), type=kind)
    except (DecodeError, UnicodeError, ClientDisconnect, RecursionError):
        raise Unfit(problem(400, "page.request", "this is no such request")) from None


def number(request: Request, name: str, otherwise: int, most: int) -> int:
    """Return a number of the address, or `otherwise` if it is not there. Raises `ProposalError` if it is none."""
    given = request.query_params.get(name)
    if given is None:
        return otherwise
    if not (given.isascii() and given.isdigit() and len(given) <= len(str(most)) and int(given) <= most):
        raise ProposalError(f"{name} is a number up to {most}", "page.request")
    return int(given)


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
