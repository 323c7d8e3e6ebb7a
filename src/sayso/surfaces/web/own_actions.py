"""The routes of the person's own actions: what there is, what one would do, running it, and its log."""

from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.assembly.action_log import LoggedRun
from sayso.assembly.actions import Actions, Wanted
from sayso.assembly.watched import watched
from sayso.core.encoding import Json
from sayso.runtime.results import report_document
from sayso.surfaces.web.answers import ActionReport, ActionRun, ActionRuns, OwnAction, OwnActions
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


async def _actions(page: Page, _: Request) -> OwnActions:
    """Return the actions whose files can be used, each with its last run, and why the other files cannot."""
    actions = Actions(page.home)
    library = actions.library
    return OwnActions(
        actions=[_action(actions, one) for one in library.templates],
        broken=list(library.warnings),
        folder=str(page.home.settings.places.actions),
    )


def _action(actions: Actions, template: ActionTemplate) -> OwnAction:
    last = actions.read_log(template.id, 1)
    return OwnAction(
        **asdict(wire_template(template)),
        file=template.file,
        secret=list(template.secret),
        destructive=template.destructive,
        last=_logged(last[0]) if last else None,
    )


def _logged(run: LoggedRun) -> ActionRun:
    return ActionRun(**asdict(run.entry), lines=run.lines)


async def _log(page: Page, request: Request) -> ActionRuns:
    """Return the latest runs of an action, newest first."""
    runs = Actions(page.home).read_log(request.path_params["id"], _MOST_LOGGED)
    return ActionRuns([_logged(one) for one in runs])


async def _preview(page: Page, request: Request) -> ActionReport:
    """Return what an action would do; nothing is done, and nothing is kept."""
    return await _act(page, request, dry_run=True)


async def _run(page: Page, request: Request) -> ActionReport:
    """Run an action; what it requests that needs a yes waits as one card."""
    return await _act(page, request, dry_run=False)


async def _act(page: Page, request: Request, *, dry_run: bool) -> ActionReport:
    params = (await read(request, Parameters)).params
    with watched(page.home, lambda: page.changes.changed):
        acted = await Actions(page.home).run(request.path_params["id"], params, Wanted(dry_run=dry_run))
    return ActionReport(
        **asdict(report_document(acted.report)),
        instance=acted.instance,
        result=dict(acted.result),
        log=acted.reports,
        printed=acted.handled.printed,
    )
