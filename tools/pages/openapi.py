"""The OpenAPI description of the page's server, and the page about it, from the routes, their handlers and their types.

What a handler reads of a request is found in its own code, so that the description cannot say anything else.
"""

import ast
import inspect
import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FunctionType
from typing import Any, cast

import msgspec
from msgspec import Struct
from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute, Route

from sayso.core.encoding import Json
from sayso.core.version import VERSION
from sayso.surfaces.web.application import routes
from sayso.surfaces.web.messages import AssistantDelta, Attach, Changed, Hello, Rewinding, SessionStatus
from sayso.surfaces.web.requests import Page
from sayso.templates.messages import ActionInstances, ActionResult, ActionTemplates, ErrorMessage, ExecuteAction
from tools.pages.markdown import code, page, table

FROM_PAGE: Sequence[type[Struct]] = (Attach, ExecuteAction)
TO_PAGE: Sequence[type[Struct]] = (
    *(ActionTemplates, Hello, Changed, SessionStatus, AssistantDelta, Rewinding),
    *(ActionInstances, ActionResult, ErrorMessage),
)
_REF = "#/components/schemas/{name}"
_ALWAYS = {"GET": (400, 401, 403, 409, 421, 429), "POST": (400, 401, 403, 409, 413, 415, 421, 429)}
_SAYS = {
    200: "Done.",
    201: "Made.",
    202: "Begun.",
    204: "Done; there is nothing to say.",
    400: "This is no such request.",
    401: "This browser was not let in.",
    403: "Pages of other sites may not use this server.",
    404: "There is nothing like that.",
    409: "It was not done; `error` says why in one sentence.",
    413: "The request is too long.",
    415: "Requests are JSON.",
    421: "The server answers under its own name on this computer only.",
    429: "Too many requests.",
}
_NOTHING, _FINE = 204, 400


class Described(Struct, frozen=True):
    """One route of the page: what it does, and what its handler reads and answers."""

    method: str
    path: str
    says: str
    takes: type[Struct] | None
    queries: tuple[str, ...]
    statuses: tuple[int, ...]
    answers: Any
    """The type that its handler returns."""


def described(found: Sequence[BaseRoute]) -> list[Described]:
    """Return the routes below `/api`, in order."""
    api = [one for one in found if isinstance(one, Listed)]
    return [_describe(one, method) for one in api for method in sorted((one.methods or set()) - {"HEAD"})]


def all_routes() -> list[BaseRoute]:
    """Return all routes of the page, without a home behind them."""
    return routes(cast("Page", _NoPage()))


def answers(found: Sequence[Described]) -> dict[str, type[Struct]]:
    """Return the struct that each request is answered with if it was done: the one that its handler returns."""
    return {
        f"{one.method} {one.path}": one.answers
        for one in found
        if isinstance(one.answers, type) and issubclass(one.answers, Struct)
    }


def components(kinds: Sequence[type[Struct]]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """Return references to the schemas of these structs, and all schemas."""
    return msgspec.json.schema_components(kinds, ref_template=_REF, schema_hook=lambda _: {"description": "Any JSON."})


def document() -> dict[str, Json]:
    """Return the OpenAPI document."""
    found = described(all_routes())
    takes = dict.fromkeys(one.takes for one in found if one.takes)
    kinds = [*takes, *dict.fromkeys(answers(found).values()), *FROM_PAGE, *TO_PAGE]
    _, schemas = components(kinds)
    paths: dict[str, Json] = {}
    for one in found:
        methods = cast("dict[str, Json]", paths.setdefault(one.path, {}))
        methods[one.method.lower()] = _operation(one)
    error: Json = {
        "type": "object",
        "properties": {"error": {"type": "string"}, "code": {"type": "string"}},
        "required": ["error"],
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sayso's own page",
            "version": VERSION,
            "description": "What `sayso serve` answers, to the browsers of the person at this computer alone.",
        },
        "paths": paths,
        "components": {
            "schemas": {**cast("dict[str, Json]", schemas), "Problem": error},
            "securitySchemes": {"cookie": {"type": "apiKey", "in": "cookie", "name": "sayso_PORT"}},
        },
        "security": [{"cookie": []}],
        "x-socket": {
            "path": "/ws",
            "from_page": [{"$ref": _REF.format(name=one.__name__)} for one in FROM_PAGE],
            "to_page": [{"$ref": _REF.format(name=one.__name__)} for one in TO_PAGE],
        },
    }


def _operation(one: Described) -> dict[str, Json]:
    names = [part[1:-1] for part in one.path.split("/") if part.startswith("{")]
    parameters: list[Json] = [
        *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names),
        *({"name": name, "in": "query", "schema": {"type": "string"}} for name in one.queries),
    ]
    told: dict[str, Json] = {"summary": one.says, "operationId": _operation_id(one)}
    told |= {"parameters": parameters} if parameters else {}
    if one.method == "POST" and one.takes is not None:
        schema: Json = {"$ref": _REF.format(name=one.takes.__name__)}
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    problem: Json = {"application/json": {"schema": {"$ref": _REF.format(name="Problem")}}}
    responses: dict[str, Json] = {}
    for status in one.statuses:
        response: dict[str, Json] = {"description": _SAYS.get(status, "A problem.")}
        if status >= _FINE:
            response["content"] = problem
        elif status != _NOTHING:
            response["content"] = _content(one)
        responses[str(status)] = response
    return {**told, "responses": responses}


def _content(one: Described) -> dict[str, Json]:
    if one.answers is StreamingResponse:
        return {"application/x-ndjson": {"schema": {"type": "string"}}}
    return {"application/json": {"schema": {"$ref": _ref(one.answers)}}}


def _ref(kind: type[Struct]) -> str:
    """Return where the schema of a type is, which has another name if two types have the same one."""
    (reference,), _ = components([kind])
    return str(reference["$ref"])


def _operation_id(one: Described) -> str:
    words = [part.strip("{}") for part in one.path.split("/")[2:]]
    return "_".join([one.method.lower(), *words])


class _NoPage:
    """Stands for the page, so that its routes can be listed."""

    def __getattr__(self, name: str) -> Any:
        return _NoPage()

    def __call__(self, *_: object, **__: object) -> Any:
        return _NoPage()

    def get(self, path: str, handle: Callable[..., Any]) -> Route:
        return Listed(path, handle, "GET", 200)

    def post(self, path: str, handle: Callable[..., Any], status: int = 200) -> Route:
        return Listed(path, handle, "POST", status)


class Listed(Route):
    """A route, with its handler as it is, and the status with which it answers that something was done."""

    def __init__(self, path: str, handle: Callable[..., Any], method: str, status: int) -> None:
        super().__init__(path, handle, methods=[method])
        self.status = status


# --- what a handler reads -------------------------------------------------------------------------------------------


def _describe(route: Listed, method: str) -> Described:
    handle: Any = route.endpoint
    while isinstance(handle, partial):
        handle = cast("partial[Any]", handle).func
    code = [(tree, one) for one in _reached(handle) for tree in [_tree(one)]]
    takes = [kind for tree, one in code for kind in _kinds(tree, one)]
    queries = dict.fromkeys(name for tree, _ in code for name in _queries(tree))
    statuses = {status for tree, _ in code for status in _statuses(tree)}
    statuses |= set() if any(status < _FINE for status in statuses) else {route.status}
    says = (inspect.getdoc(handle) or "").partition("\n")[0]
    return Described(
        method,
        route.path,
        says,
        takes[0] if takes else None,
        tuple(queries) if method == "GET" else (),
        tuple(sorted(statuses | set(_ALWAYS[method]))),
        handle.__annotations__["return"],
    )


def _reached(handle: FunctionType) -> list[FunctionType]:
    """Return a handler and the functions of its module that it calls, also by others of them."""
    found: list[FunctionType] = [handle]
    for one in found:
        names = {node.id for node in ast.walk(_tree(one)) if isinstance(node, ast.Name)}
        known = [one.__globals__.get(name) for name in sorted(names)]
        found += [
            other
            for other in known
            if isinstance(other, FunctionType) and other.__module__ == handle.__module__ and other not in found
        ]
    return found


def _tree(function: FunctionType) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def _calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def _kinds(tree: ast.AST, function: FunctionType) -> Iterator[type[Struct]]:
    """Yield the types as which a function reads the body of the request."""
    for call in _calls(tree, "read"):
        named = call.args[1]
        if isinstance(named, ast.Name):
            yield function.__globals__[named.id]


def _queries(tree: ast.AST) -> Iterator[str]:
    """Yield the names of the parameters that a function looks for in the address."""
    given = {"query_params"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "query_params" in ast.unparse(node.value).partition("(")[0]:
            given |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        of = ast.unparse(node.func)
        looks = of.endswith(".get") and of.removesuffix(".get").rpartition(".")[2] in given
        passes = [one.id for one in node.args[:1] if isinstance(one, ast.Name)] == ["request"] and len(node.args) > 1
        if words and (looks or (passes and of.isidentifier())):
            yield words[0]


def _statuses(tree: ast.AST) -> Iterator[int]:
    """Yield the statuses that a function answers with."""
    for call in _calls(tree, "problem"):
        yield from _numbers(call.args[:1])
    for call in _calls(tree, "Response"):
        yield from _numbers([word.value for word in call.keywords if word.arg == "status_code"])


def _numbers(nodes: Sequence[ast.expr]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield node.value


# --- the pages -------------------------------------------------------------------------------------------------------


def written_json() -> str:
    """Return the file with the OpenAPI document."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def written() -> str:
    """Return the page about the routes and the messages of the socket."""
    rows = [
        (code(f"{one.method} {one.path}"), one.says, ", ".join(map(code, _members(one))))
        for one in described(all_routes())
    ]
    return page(
        "The server of the page",
        "`sayso serve` answers the browsers of the person at this computer, and nobody else: each needs the cookie that"
        " the one-time address gives it. The same as a file for programs: [page.openapi.json](page.openapi.json)."
        " What is wrong is answered with `error`, a sentence, and mostly `code`, one of the [error codes](errors.md).",
        "## Requests",
        table(("request", "does", "takes"), rows),
        "## The socket",
        "`/ws` carries messages in JSON, each with its `type`. One that cannot be understood is answered with `error`,"
        " and the connection stays open; a page that was away sends `attach` with the number of the last change that it"
        " read, and reads the rest by requests.",
        "### From a page to sayso",
        table(("message", "is", "members"), [_message(one) for one in FROM_PAGE]),
        "### From sayso to a page",
        table(("message", "is", "members"), [_message(one) for one in TO_PAGE]),
    )


def _members(one: Described) -> list[str]:
    return [*one.queries, *(field.encode_name for field in msgspec.structs.fields(one.takes or Nothing))]


class Nothing(Struct):
    """Takes nothing."""


def _message(kind: type[Struct]) -> tuple[str, str, str]:
    tag = str(kind.__struct_config__.tag)
    names = ", ".join(code(field.encode_name) for field in msgspec.structs.fields(kind))
    return code(tag), " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split()), names
