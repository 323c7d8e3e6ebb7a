"""Offers of the person's own actions in an open home: made, found again, run once each, and told to their chat."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import cast

import anyio
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.action_log import ActionLog
from sayso.assembly.actions import DIALECT, ENTRY, OPERATION, Acted, HandlerOnce, Wanted, failed, result_of
from sayso.assembly.home import Home
from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProposalError, SaysoError, SetupError
from sayso.core.instances import LASTS, ChatMessage, Instance, Style, is_offer
from sayso.core.ports import Approver
from sayso.core.proposal import Origin, Proposal, principal_of
from sayso.core.quotes import quoted
from sayso.core.record import Progress, Record, State, run_id
from sayso.journal.redaction import REDACTED
from sayso.journal.run_log import LogEntry, literal
from sayso.runtime.recovery import is_dead
from sayso.runtime.results import Outcome, Report, journaled_outcome
from sayso.runtime.services import log_warning, moment, stamp
from sayso.templates.definition import ActionTemplate
from sayso.templates.library import Library, load_library
from sayso.templates.messages import wire_instance
from sayso.templates.protocol import HandlerResult, merge_effects
from sayso.templates.runner import HandlerLine, HandlerRun

NOT_FOUND = "Action instance not found"
NOT_KEPT = (
    "its parameters hold secret values, which only the process that offered it kept, and only until it ended; "
    "it must be offered again to be run"
)
INTERRUPTED = "it was interrupted, and nothing was done"
LOOKS = 0.1
"""Seconds between two looks at an action that runs elsewhere."""
_STYLES: Mapping[str, Style] = {"primary": "primary", "secondary": "secondary", "danger": "danger"}
_OPEN = frozenset({State.WAITING, State.RUNNING})


class Executed(Struct, frozen=True):
    """What became of one request to run an offer."""

    instance: Instance
    result: Mapping[str, Json]
    """The result (S3-26 to S3-29); while it waits, one that says so."""
    report: Report | None = None
    """The run of what its handler requested, if it was called now and requested anything."""
    waits: bool = False
    """Whether it waits for the person."""
    replayed: bool = False
    """Whether this is the stored result of an earlier request (T-76)."""
    acted: Acted | None = None


class Offers:
    """The offers of one home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._tools = home.tools
        self._store = home.journal.instances
        self._secrets = home.secrets

    @property
    def library(self) -> Library:
        """Return the actions that exist now."""
        return load_library(self._home.settings.places.actions)

    def secret_names(self) -> list[str]:
        """Return the secret parameters of all actions, each as a pattern like those of `audit_redact`."""
        return [f"{literal(one.id)}.{literal(name)}" for one in self.library.templates for name in one.secret]

    # --- offering and finding -----------------------------------------------------------------------------

    async def make(self, template: ActionTemplate, offered: Proposal, origin: Origin) -> Instance:
        """Register an offer whose parameters were checked, and return it; its id, session and time are sayso's (T-73).

        The style of an action that the person declared destructive is always `danger` (T-89).
        """
        style = "danger" if template.destructive else _STYLES.get(offered.style or "", "primary")
        instance = Instance(
            id=f"act_{self._tools.ids.token()}",
            session=origin.session,
            template=template.id,
            label=offered.label or template.name,
            description=offered.description or "",
            params=dict(offered.arguments),
            style=style,
            created=stamp(self._tools.clock.now()),
            entry=origin.entry,
            principal=principal_of(origin.entry, origin.principal),
        )
        given = offered.instance_id
        kept = self._without_secrets(instance, template)
        named = replace(kept, id=given) if given and is_offer(given) else kept
        if not await self._store.register(named):
            named = kept
            await self._store.register(named)
        if named.redacted:
            self._secrets.put(named.id, instance.params, self._tools.clock.monotonic())
        return replace(named, turn=1)

    def _without_secrets(self, instance: Instance, template: ActionTemplate) -> Instance:
        """Return an offer as it is stored: without the parameters that the log does not keep either (T-92)."""
        kept = ActionLog(self._home).redact(self._entry(instance), template.secret)
        return instance if kept.params == instance.params else replace(instance, params=kept.params, redacted=True)

    async def find(self, id_: str, session: str | None = None) -> Instance | None:
        """Return an offer of a session, after settling it if its process has died; None if there is none (T-74)."""
        found = await self._store.find(id_, session)
        return None if found is None else await self.settle(found)

    def is_expired(self, instance: Instance) -> bool:
        """Return whether an offer is older than an hour; one that runs does not expire (T-75)."""
        return instance.state != "running" and self._tools.clock.now() - moment(instance.created) > LASTS

    async def tidy(self) -> None:
        """End the offers whose runs have ended or whose processes died, and remove those that are too old."""
        for one in await self._store.all():
            await self.settle(one)
        await self._store.prune()

    async def waiting(self) -> list[Instance]:
        """Return the offers that wait until somebody runs them, oldest first."""
        found = [await self.settle(one) for one in await self._store.all()]
        return [one for one in found if one.state == "pending" and not self.is_expired(one)]

    async def settle(self, instance: Instance) -> Instance:
        """Return an offer, ended by what the journal says if everything that its handler requested has ended."""
        if instance.state != "running":
            return instance
        dead = instance.owner is not None and is_dead(instance.owner, self._tools.owner)
        records = await self._tools.journal.of_run(instance.run) if instance.run else []
        if not records:
            return await self._end(instance, failed(INTERRUPTED)) if dead else instance
        if any(record.state in _OPEN for record in records):
            return instance
        report = Report(instance.run, DIALECT, tuple(journaled_outcome(record) for record in records))
        handled = _read_handled(instance)
        return await self._end(instance, result_of(handled, instance.calls, report), report)

    # --- running ------------------------------------------------------------------------------------------

    async def execute(self, instance: Instance, wanted: Wanted) -> Executed:
        """Run an offer, unless it runs already or has succeeded; each request is answered with the one result (T-76).

        Raises `ProposalError` if there is no such offer any more.
        """
        while True:
            instance = await self.settle(instance)
            if instance.state == "running":
                if await self._waits(instance):
                    return Executed(instance, self._waiting_result(instance), waits=True)
            elif instance.state == "done" and not self._is_repeatable(instance):
                return Executed(instance, replayed(instance.result or {}), replayed=True)
            elif instance.redacted and self._secrets.get(instance.id) is None:
                return Executed(instance, failed(NOT_KEPT))
            else:
                self._tools.policy().must_go_on()
                began = stamp(self._tools.clock.now())
                claimed = replace(
                    instance, state="running", owner=self._tools.owner, began=began, run="", handled=None, result=None
                )
                if await self._store.move(claimed):
                    return await self._run(replace(claimed, turn=claimed.turn + 1), wanted)
            await anyio.sleep(LOOKS)
            again = await self._store.find(instance.id, instance.session)
            if again is None:
                raise ProposalError(NOT_FOUND, "instance.not_found")
            instance = again

    async def _waits(self, instance: Instance) -> bool:
        """Return whether a run waits for the person, who is not being asked about it now."""
        if instance.owner is not None and not is_dead(instance.owner, self._tools.owner):
            return False
        records = await self._tools.journal.of_run(instance.run) if instance.run else []
        states = {record.state for record in records}
        return State.WAITING in states and State.RUNNING not in states

    def _waiting_result(self, instance: Instance) -> dict[str, Json]:
        return failed(f"it waits for your decision; sayso approve {instance.run or instance.id}")

    def _is_repeatable(self, instance: Instance) -> bool:
        return any(one.id == instance.template and one.repeatable for one in self.library.templates)

    async def _run(self, instance: Instance, wanted: Wanted) -> Executed:
        try:
            return await self._call(instance, wanted)
        except BaseException:
            with anyio.CancelScope(shield=True):
                now = await self._store.find(instance.id)
                if now is not None and now.state == "running" and not now.run:
                    await self._end(now, failed(INTERRUPTED))
            raise

    async def _call(self, instance: Instance, wanted: Wanted) -> Executed:
        """Call the handler, and carry out what it requests as one run."""
        try:
            template = self.library.get(instance.template)
            params = template.fill_parameters(self._secrets.get(instance.id) or instance.params)
        except SetupError as no:
            ended = await self._end(instance, failed(str(no)))
            return Executed(ended, ended.result or {})
        instance = replace(instance, params={**params, **instance.params} if instance.redacted else params)
        await ActionLog(self._home).begin(self._entry(instance), instance.label, template.secret)
        origin = self._origin(instance, template)
        if wanted.asks:
            origin = replace(origin, asks=True, warns=(explain_offer(template, params),))
        once = HandlerOnce(self._home, template, wanted, origin)
        handled = await once.call(params)
        effects = merge_effects(handled.effects, self._home.operations)
        instance = replace(
            instance,
            handled=_write_handled(hide_handled(handled) if instance.redacted else handled),
            calls=tuple(effect.calls for effect in effects),
            run=run_id(self._tools.ids.key()) if effects else "",
        )
        if once.unanswered and handled.result is None and wanted.postpones:
            return await self._postpone(instance)
        if effects:
            await self._store.move(instance)
            instance = replace(instance, turn=instance.turn + 1)
        report = await once.take(effects, instance.run) if effects else Report("", DIALECT, ())
        result = result_of(handled, instance.calls, report)
        acted = Acted(template, instance.id, instance.session, handled, report, result)
        if any(one.record.state is State.WAITING for one in report.outcomes):
            await self._store.move(replace(instance, owner=None))  # from now on, nobody is being asked here
            return Executed(instance, result, report, waits=True, acted=acted)
        ended = await self._end(instance, result, report)
        acted = replace(acted, result=ended.result or result)
        return Executed(ended, ended.result or result, report, acted=acted)

    async def _postpone(self, instance: Instance) -> Executed:
        """Make an offer wait whose handler needs somebody to answer a question while it runs."""
        pending = replace(instance, state="pending", owner=None, run="", handled=None, calls=())
        await self._store.move(pending)
        return Executed(replace(pending, turn=pending.turn + 1), self._waiting_result(pending), waits=True)

    def _origin(self, instance: Instance, template: ActionTemplate) -> Origin:
        """Return the origin of what a handler requests: on behalf of whoever offered the action, in its session."""
        return Origin(DIALECT, ENTRY, instance.session, code=template.code, principal=instance.principal)

    def _entry(self, instance: Instance) -> LogEntry:
        began = instance.began or instance.created
        return LogEntry(began, instance.id, instance.template, instance.session, dict(instance.params), {}, 0)

    async def _end(self, instance: Instance, result: Mapping[str, Json], report: Report | None = None) -> Instance:
        """Register what a result suggests, tell it to the chat, log it, and return the offer as it is now.

        If another process has ended the offer meanwhile, its result counts, and this one is not logged.
        """
        handled = _read_handled(instance)
        template = next((one for one in self.library.templates if one.id == instance.template), None)
        now = self._tools.clock.now()
        entry = self._entry(instance)
        error = None if result["success"] else str(handled.error or result["message"])
        took = int((now - moment(entry.timestamp)) / timedelta(milliseconds=1)) if instance.handled else 0
        entry = replace(entry, result=dict(result), error=error, duration=took)
        secret = template.secret if template else ()
        if template is None:
            # Which of its parameters were secret is not known any more, so none of them is kept, and no line of it.
            entry = replace(entry, params=dict.fromkeys(instance.params, REDACTED))
        log = ActionLog(self._home)
        result = await self._with_suggested(instance, result)
        ended = self._without_values(
            replace(instance, state="done" if result["success"] else "failed", owner=None, result=dict(result)),
            log.redact(entry, secret),
        )
        name, message = template.name if template else instance.template, (ended.result or {})["message"]
        said = ChatMessage(
            f"{instance.id}:{instance.turn}", instance.session, stamp(now), "system", f"{name}: {message}",
            instance=instance.id,
        )  # fmt: skip
        self._secrets.drop(instance.id)
        if not await self._store.move(ended, said):
            return await self._store.find(instance.id) or ended
        await log.end(entry, handled.said if template else (), secret)
        return replace(ended, turn=ended.turn + 1, result=dict(result))

    def _without_values(self, ended: Instance, kept: LogEntry) -> Instance:
        """Return an offer that has ended as it is stored: without the values that the log does not keep either."""
        if not ended.redacted and kept.params == ended.params:
            return ended
        result: dict[str, Json] = {"success": (ended.result or {})["success"], "message": kept.result["message"]}
        return replace(ended, params=kept.params, handled=None, result=result, redacted=True)

    async def _with_suggested(self, instance: Instance, result: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return a result in which the offers that the handler suggested are complete and registered (T-81)."""
        given = cast("Sequence[Mapping[str, Json]]", result.get("suggestedActions") or ())
        if not given:
            return result
        origin = Origin(DIALECT, instance.entry, instance.session, principal=instance.principal)
        made: list[Instance] = []
        for one in given:
            proposal = read_suggested(one)
            try:
                template = self.library.get(proposal.template_id or "")
                params = template.fill_parameters(proposal.arguments)
            except SaysoError as no:
                log_warning("%s suggests an action that cannot be offered: %s", instance.template, no)
                continue
            made.append(await self.make(template, replace(proposal, arguments=params), origin))
        rows = cast("list[Json]", msgspec.to_builtins([wire_instance(one) for one in made]))
        rest = {name: value for name, value in result.items() if name != "suggestedActions"}
        return {**rest, "suggestedActions": rows} if rows else rest

    # --- deciding -----------------------------------------------------------------------------------------

    async def approve(self, id_: str, approver: Approver) -> Report:
        """Ask `approver` about an offer, and run it after a yes. Raises `ProposalError` if there is none."""
        instance = await self.find(id_)
        if instance is None or self.is_expired(instance):
            raise ProposalError(NOT_FOUND, "instance.not_found")
        if instance.state == "running" and instance.run:
            return await self._home.approve(instance.run, approver)
        done = await self.execute(instance, Wanted(instance.session, approver))
        return self.report(done, Proposal(0, ""), Origin("actions", instance.entry, instance.session))

    async def decline(self, id_: str, by: str, because: str = "") -> Report:
        """Decline an offer. Raises `ProposalError` if there is none, or if it has ended."""
        instance = await self.find(id_)
        if instance is None or instance.state in {"done", "failed"}:
            raise ProposalError(NOT_FOUND, "instance.not_found")
        if instance.run:
            return await self._home.decline(instance.run, by, because)
        ended = await self._end(instance, failed(f"you said no: {because}" if because else "you said no"))
        done = Executed(ended, ended.result or {})
        return self.report(done, Proposal(0, ""), Origin("actions", instance.entry, instance.session))

    async def run_of(self, id_: str) -> str:
        """Return the run of an offer. Raises `ProposalError` if there is no such offer, or it has no run."""
        instance = await self.find(id_)
        if instance is None or not instance.run:
            raise ProposalError(NOT_FOUND, "instance.not_found")
        return instance.run

    async def decided(self, report: Report) -> Report:
        """Return the report of a run that was decided, with what the action says that requested it, if it has ended."""
        instance = await self._store.of_run(report.run)
        ended = None if instance is None else await self.settle(instance)
        if ended is None or ended.result is None:
            return report
        return replace(report, said=f"{ended.template}: {ended.result.get('message')}")

    # --- telling ------------------------------------------------------------------------------------------

    def report(self, done: Executed, asked: Proposal, origin: Origin) -> Report:
        """Return what became of an offer as the report of a run with one outcome."""
        return Report(done.instance.run, origin.dialect, (self.outcome(done, asked, origin),))

    def outcome(self, done: Executed, asked: Proposal, origin: Origin) -> Outcome:
        """Return what became of an offer as one outcome; `asked` is the proposal to run it."""
        instance, tools = done.instance, self._tools
        state, message = _state_of(done), str(done.result.get("message"))
        good = state in {State.DONE, State.PLANNED}
        data = cast("Mapping[str, Json]", done.result.get("data") or {})
        following = {one: done.result[one] for one in ("suggestedActions", "refreshInbox") if done.result.get(one)}
        key, now = tools.ids.key(), stamp(tools.clock.now())
        record = Record(
            key=key,
            id=instance.id,
            run=instance.run or run_id(key),
            index=asked.index,
            time=now,
            dialect=origin.dialect,
            entry=origin.entry,
            session=instance.session,
            operation=OPERATION,
            arguments=dict(instance.params),
            template_id=instance.template,
            marks=Progress(
                state,
                message=message if good else None,
                error=None if good else message,
                code=None if good else _CODES.get(state, "action.failed"),
                ended_at=None if state is State.WAITING else now,
            ),
            said=asked.said,
            label=instance.label,
            principal=origin.principal,
        )
        return Outcome(record, {**data, **following} if good else data, within=done.report)

    async def outcome_of(self, id_: str) -> Outcome | None:
        """Return what became of an offer so far; None if there is none."""
        instance = await self.find(id_)
        if instance is None:
            return None
        waits = instance.state in {"pending", "running"}
        result = self._waiting_result(instance) if waits else instance.result or {}
        origin = Origin("tools", instance.entry, instance.session, principal=instance.principal)
        return self.outcome(Executed(instance, result, waits=waits), Proposal(0, ""), origin)


_CODES: Mapping[State, str] = {State.WAITING: "waiting", State.DECLINED: "declined", State.EXPIRED: "expired"}


def _state_of(done: Executed) -> State:
    """Return the state of an offer: that of what its handler requested, if that did not succeed in one way."""
    if done.waits:
        return State.WAITING
    if done.result.get("success"):
        return State.PLANNED if done.report is not None and done.report.dry_run else State.DONE
    states = {one.record.state for one in done.report.outcomes} if done.report else set[State]()
    if State.UNKNOWN in states:
        return State.UNKNOWN
    return next((one for one in (State.DECLINED, State.EXPIRED) if states == {one}), State.FAILED)


def replayed(result: Mapping[str, Json]) -> dict[str, Json]:
    """Return a stored result, marked as the result of an earlier request (T-76)."""
    return {**result, "data": {**cast("Mapping[str, Json]", result.get("data") or {}), "replayed": True}}


def read_suggested(given: Mapping[str, Json]) -> Proposal:
    """Return an action that a handler suggests as a proposal; members of a wrong type are left out."""
    params = given.get("params")
    names = ("templateId", "label", "description", "style")
    texts = {name: text for name in names if isinstance(text := given.get(name), str)}
    return Proposal(
        0,
        "",
        OPERATION,
        dict(cast("Mapping[str, Json]", params)) if isinstance(params, Mapping) else {},
        label=texts.get("label"),
        style=texts.get("style"),
        template_id=texts.get("templateId", ""),
        description=texts.get("description"),
    )


LONGEST = 200
"""How many characters of a parameter a question shows."""


def explain_offer(template: ActionTemplate, params: Mapping[str, Json]) -> str:
    """Return what a question says about an action that was offered: its name in its file, and its parameters."""
    named = [one.name for one in template.parameters if one.name in params]
    told = ", ".join(f"{name}: {_shown(template, name, params[name])}" for name in named)
    return f"your own action {quoted(template.name)} was offered to you" + (f"; {told}" if told else "")


def _shown(template: ActionTemplate, name: str, value: Json) -> str:
    if name in template.secret:
        return REDACTED
    text = value if isinstance(value, str) else canonical(value).decode()
    return quoted(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def hide_handled(handled: HandlerRun) -> HandlerRun:
    """Return what is stored of a handler that was given secret values, which it may have written in any form."""
    result = None if handled.result is None else HandlerResult(handled.result.success, REDACTED)
    said = tuple(HandlerLine(one.level, REDACTED) for one in handled.said)
    return HandlerRun(result, handled.error and REDACTED, (), said)


def _write_handled(handled: HandlerRun) -> dict[str, Json]:
    said: list[Json] = [{"level": one.level, "text": one.text} for one in handled.said]
    result = None if handled.result is None else cast("Json", msgspec.to_builtins(handled.result))
    return {"result": result, "error": handled.error, "said": said}


def _read_handled(instance: Instance) -> HandlerRun:
    members = instance.handled or {}
    given = members.get("result")
    said = tuple(
        HandlerLine(one["level"], one["text"]) for one in cast("Sequence[Mapping[str, str]]", members.get("said") or ())
    )
    result = None if given is None else msgspec.convert(given, HandlerResult)
    return HandlerRun(result, cast("str | None", members.get("error")), (), said)


async def run_template(home: Home, template: ActionTemplate, params: Mapping[str, Json], wanted: Wanted) -> Acted:
    """Run an action that the person named, as an offer of its own. Raises `SetupError` for invalid parameters."""
    offers, tools = Offers(home), home.tools
    id_ = f"act_{tools.ids.token()}"
    origin = Origin(DIALECT, ENTRY, wanted.session or id_)
    instance = await offers.make(
        template, Proposal(0, "", OPERATION, dict(params), instance_id=id_, template_id=template.id), origin
    )
    done = await offers.execute(instance, replace(wanted, asks=False, postpones=False))
    if done.acted is None:
        template.fill_parameters(params)
        raise ProposalError(str(done.result.get("message")), "action.failed")
    return done.acted
