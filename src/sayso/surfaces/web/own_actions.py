"""The routes of the person's own actions: what there is, what one would do, running it, and its log."""

from typing import cast

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sayso.assembly.actions import Acted, Actions, Wanted
from sayso.assembly.watched import watched
from sayso.core.encoding import Json
from sayso.runtime.results import report_json
from sayso.surfaces.web.requests import Page, read
from sayso.templates.definition import ActionTemplate
from sayso.templates.messages import wire_template

_MOST_LOGGED = 50


class Parameters(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to preview an action or to run it: its parameters."""

    params: dict[str, Json] = {}


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of the person's own actions."""
    return [
        page.get("/api/actions", _actions),
        page.get("/api/actions/{id}/log", _log),
        page.post("/api/actions/{id}/preview", _preview),
        page.post("/api/actions/{id}/run", _run),
    ]


async def _actions(page: Page, _: Request) -> Response:
    """Return the actions whose files can be used, each with its last run, and why the other files cannot."""
    actions = Actions(page.home)
    library = actions.library
    return JSONResponse(
        {
            "actions": [_action(actions, one) for one in library.templates],
            "broken": list(library.warnings),
            "folder": str(page.home.settings.places.actions),
        }
    )


def _action(actions: Actions, template: ActionTemplate) -> dict[str, Json]:
    last = actions.read_log(template.id, 1)
    return {
        **cast("dict[str, Json]", msgspec.to_builtins(wire_template(template))),
        "file": template.file,
        "secret": list(template.secret),
        "destructive": template.destructive,
        "last": last[0].json() if last else None,
    }


async def _log(page: Page, request: Request) -> Response:
    """Return the latest runs of an action, newest first."""
    runs = Actions(page.home).read_log(request.path_params["id"], _MOST_LOGGED)
    return JSONResponse({"rows": [one.json() for one in runs]})


async def _preview(page: Page, request: Request) -> Response:
    """Return what an action would do; nothing is done, and nothing is kept."""
    return await _act(page, request, dry_run=True)


async def _run(page: Page, request: Request) -> Response:
    """Run an action; what it requests that needs a yes waits as one card."""
    return await _act(page, request, dry_run=False)


async def _act(page: Page, request: Request, *, dry_run: bool) -> Response:
    params = (await read(request, Parameters)).params
    with watched(page.home, lambda: page.changes.changed):
        acted = await Actions(page.home).run(request.path_params["id"], params, Wanted(dry_run=dry_run))
    return JSONResponse({**report_json(acted.report), **_told(acted)})


def _told(acted: Acted) -> dict[str, Json]:
    return {name: value for name, value in acted.json().items() if name in {"instance", "result", "log", "printed"}}
