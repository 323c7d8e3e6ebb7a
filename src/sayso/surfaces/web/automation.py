"""The routes of automation: triggers, starting one now, what was done by itself, and the trace of what a model did."""

from functools import partial

from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.assembly.entry import ENTRY, Automation
from sayso.assembly.own_changes import differences
from sayso.assembly.parts import foreign_sections
from sayso.assembly.trigger_list import list_trigger, new_trigger, switch_trigger
from sayso.assistant.asker import Asker
from sayso.assistant.triggers.host import Host, TriggerListener, must_be_on
from sayso.config.write import add_trigger, remove_trigger
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.ports import RecordQuery
from sayso.core.quotes import quoted
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.runtime.own_changes import note
from sayso.runtime.results import report_document
from sayso.surfaces.web.answers import Automated, AutomationShown, Deleted, Switched, Trace, TriggerAdded
from sayso.surfaces.web.cards import page_row
from sayso.surfaces.web.requests import Confirmed, Confirming, Page, read
from sayso.surfaces.web.settings import SETTINGS_CHANGED

RECENT = 20
_LOOKED_AT = 500


class NewTrigger(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to add a trigger: when and what, in words."""

    words: str
    name: str = ""
    nonce: str = ""


class Switch(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to switch a trigger on or off; `nonce` came with what the person was asked."""

    on: bool
    nonce: str = ""


class Automate(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to start an automation now: a trigger by its name, or words."""

    trigger: str = ""
    words: str = ""


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of automation."""
    confirming = Confirming(page.home.ids)
    return [
        page.get("/api/automation", _automation),
        page.post("/api/triggers", partial(_add, confirming)),
        page.post("/api/triggers/{name}/switch", partial(_switch, confirming)),
        page.post("/api/triggers/{name}/delete", partial(_delete, confirming)),
        page.post("/api/automate", _automate),
        page.get("/api/traces/{run}", _trace),
    ]


async def _automation(page: Page, _: Request) -> AutomationShown:
    """Return the triggers, whether they may start, and the latest actions that automation did."""
    home = page.home
    rows = [one for one in await home.log(RecordQuery(limit=_LOOKED_AT)) if one.entry == ENTRY][:RECENT]
    policy = home.settings.policy
    return AutomationShown(
        automation=policy.automation,
        paused=policy.paused,
        mode=policy.mode,
        hosted=FileLocks(home.settings.places.locks).anybody(HOSTING),
        triggers=[(await list_trigger(home, one)).document for one in home.settings.triggers],
        recent=[page_row(home, one) for one in rows],
    )


async def _add(confirming: Confirming, page: Page, request: Request) -> TriggerAdded:
    """Add a trigger that was given in words, after the person saw what was understood."""
    asked = await read(request, NewTrigger)
    now = page.home.settings
    new = new_trigger(asked.words, asked.name.strip(), now.triggers, page.home.clock.now())
    understood = TriggerAdded(new.name, new.words, new.wish, [one.isoformat() for one in new.due])
    says = "each time, your model is asked to do that; what it proposes takes the same path as everything else"
    confirming.ask(request.scope["visitor"], asked.nonce, says, asdict(understood))
    add_trigger(now.places, new.table, foreign_sections())
    await note(page.home.tools, differences(now, page.home.settings), by="click")
    return understood


async def _switch(confirming: Confirming, page: Page, request: Request) -> Switched:
    """Switch a trigger off, or on after the person was asked."""
    asked = await read(request, Switch)
    trigger = Automation(page.home).called(request.path_params["name"])
    if asked.on and (await page.home.journal.triggers.of(trigger.name)).off:
        shown: dict[str, Json] = {"name": trigger.name, "says": trigger.says, "when": trigger.when}
        says = f"{quoted(trigger.name)} starts by itself again, while you are away too"
        confirming.ask(request.scope["visitor"], asked.nonce, says, shown)
    name = await switch_trigger(page.home, trigger.name, off=not asked.on, by="click")
    page.changes.tell(SETTINGS_CHANGED)
    return Switched(name, asked.on)


async def _delete(confirming: Confirming, page: Page, request: Request) -> Deleted:
    """Delete a trigger from the settings, after the person was asked."""
    asked = await read(request, Confirmed)
    trigger = Automation(page.home).called(request.path_params["name"])
    shown: dict[str, Json] = {"name": trigger.name, "says": trigger.says, "when": trigger.when}
    says = f"{quoted(trigger.name)} is taken out of the settings; there is no undo for that"
    confirming.ask(request.scope["visitor"], asked.nonce, says, shown)
    before = page.home.settings
    remove_trigger(before.places, trigger.name, foreign_sections())
    await note(page.home.tools, differences(before, page.home.settings), by="click")
    return Deleted(trigger.name)


async def _automate(page: Page, request: Request) -> Automated:
    """Start an automation now; what needs a yes waits."""
    asked = await read(request, Automate)
    home = page.home
    must_be_on(home.settings.policy)
    if bool(asked.trigger) == bool(asked.words.strip()):
        raise ProposalError("name a trigger, or write what is to be done", "page.request")
    if asked.words:
        answer = await home.ask(asked.words, ENTRY, page.replies.model(), Asker(wrote=asked.words))
        reports, said = [answer.report], ""
    else:
        automation = Automation(home)
        said = (await Host(automation.world, TriggerListener()).fire(automation.called(asked.trigger))).said
        reports = automation.reports
    results = [result for one in reports for result in report_document(one).results]
    return Automated([one.run for one in reports if one.run], results, said)


async def _trace(page: Page, request: Request) -> Trace:
    """Return what a model was told and said before a run; no trace if no model was asked."""
    found = await page.home.sessions.of_run(request.path_params["run"])
    if found is None:
        return Trace(None, None, None)
    return Trace(found.time, found.words, dict(found.trace))
