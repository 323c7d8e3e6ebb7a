"""The operation of the web store: one request, whose plan shows everything it sends."""

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from sayso.core.errors import ProposalError, Refused
from sayso.core.operation import operation
from sayso.core.plan import CannotUndo, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Text, Url, members_of, read_object, text_problem
from sayso.providers.web.addresses import read_web_address, why_private
from sayso.providers.web.model import Fetch, Web

MOST_HEADERS = 50
OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"})
"""Headers that requests must not set, because the HTTP connection sets them."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a request."""

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = "GET"
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    body: Text | None = None


def _check_options(name: str, value: dict[str, Any]) -> None:
    read_object(name, value, Options)


OptionsObject = Annotated[
    dict[str, Any],
    Meta(
        description="Method, headers and body of the request.",
        extra_json_schema=members_of(Options),
        extra={"check": _check_options},
    ),
]


@operation("net.fetch", kind="external", asks="click", outside=True)
async def fetch(web: Web, url: Url, options: OptionsObject | None = None) -> Plan:
    """Send a request to a web address and return the reply."""
    there = read_web_address(url)
    host = there.netloc
    what = web.why_refused(there)
    if what:
        raise Refused(why_private(there, what), "web.private", "web")
    how = read_object("options", options or {}, Options)
    headers = _headers(how.headers)
    if how.body is not None and how.method in {"GET", "HEAD"}:
        raise ProposalError(f"a {how.method} request has no body", "arguments.type")
    step = Fetch(web.new_id(), how.method, there.url, headers, how.body)
    size = f", with {len(how.body.encode())} bytes" if how.body is not None else ""
    return Plan(
        f"Send a {how.method} request to {host}",
        (Change(step, undo=CannotUndo("a request that was sent cannot be called back")),),
        said_when_done=f"Sent a {how.method} request to {host}",
        sends=(f"{how.method} {there.url}{size}",),
        warns=_warnings(url, host),
        preview=_preview(step),
        data={"id": step.id},
    )


def _warnings(url: str, host: str) -> tuple[str, ...]:
    written = urlsplit(url).hostname or ""
    if written.isascii():
        return ()
    return (f"the site's name has letters that may look like others: {quoted(written)} is {host}",)


def _headers(given: dict[str, str]) -> tuple[str, ...]:
    if len(given) > MOST_HEADERS:
        raise ProposalError(f"“options.headers” has {len(given)} headers; at most {MOST_HEADERS}", "arguments.type")
    for name, value in given.items():
        if not _TOKEN.fullmatch(name):
            raise ProposalError(f"{quoted(name[:80])} is not the name of a header", "arguments.characters")
        if name.lower() in OURS:
            raise ProposalError(f"the header {quoted(name)} is written by the connection itself", "arguments.unknown")
        problem = text_problem(value, "line")
        if problem is not None:
            raise ProposalError(f"the header {quoted(name)} {problem}", "arguments.characters")
    return tuple(f"{name}: {value.strip()}" for name, value in given.items())


def _preview(step: Fetch) -> str:
    head = "\n".join((f"{step.method} {step.url}", *step.headers))
    return head if step.body is None else f"{head}\n\n{step.body}"
