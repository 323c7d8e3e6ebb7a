"""Proposals to run the person's own actions, wherever they come from: each becomes an offer, which is then run."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from sayso.assembly.actions import OPERATION, Wanted, as_operation, preview_action
from sayso.assembly.home import Home
from sayso.assembly.instances import Executed, Offers, explain_offer, replayed
from sayso.core.encoding import Json
from sayso.core.instances import Instance
from sayso.core.ports import Approver
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.policy.rules import allows
from sayso.runtime.results import Outcome, Report
from sayso.templates.messages import (
    ActionInstances,
    ActionResult,
    ErrorMessage,
    Known,
    read_request,
    wire_instance,
    wire_result,
)

Path = Callable[[Sequence[Proposal]], Awaitable[Report]]
"""Takes proposals that run no action of the person's down the path."""
_JOURNALED = frozenset({State.DONE, State.FAILED})


def runs_action(proposal: Proposal) -> bool:
    """Return whether a proposal can be read and runs an action of the person's."""
    return proposal.problem is None and (proposal.template_id is not None or proposal.operation == OPERATION)


class Expansion:
    """Takes the proposals of one batch: ordinary ones together down the path, each own action as an offer (ADR)."""

    def __init__(self, home: Home, path: Path, origin: Origin, approver: Approver | None, *, dry_run: bool) -> None:
        self._home = home
        self._path = path
        self._origin = origin
        self._wanted = Wanted(origin.session, approver, dry_run)
        self._offers = Offers(home)

    async def take(self, proposals: Sequence[Proposal], *, whole_or_none: bool) -> Report:
        """Return one outcome for each proposal; what is in the way of the batch is refused before any action is run."""
        spoiled = whole_or_none and any(one.problem is not None for one in proposals)
        if spoiled or len(proposals) > self._home.settings.policy.limits.actions_per_run:
            return await self._path([as_operation(one) for one in proposals])
        reports: list[Report] = []
        together: list[Proposal] = []
        for one in proposals:
            if not runs_action(one):
                together.append(one)
                continue
            if together:
                reports.append(await self._path(together))
                together = []
            reports.append(await self._act(one))
        if together:
            reports.append(await self._path(together))
        outcomes = tuple(outcome for report in reports for outcome in report.outcomes)
        edits = tuple(edit for report in reports for edit in report.edits)
        return replace(reports[0], outcomes=outcomes, edits=edits, dry_run=self._wanted.dry_run)

    async def _act(self, asked: Proposal) -> Report:
        """Run one action. Whatever forbids it, and an offer that cannot be found, are for the path to say."""
        policy = self._home.settings.policy
        if policy.paused or not allows(policy, OPERATION):
            return await self._path([as_operation(asked)])
        if asked.template_id is None:
            found = await self._offered(asked)
            if found is None:
                return await self._path([asked])
            return await self._execute(asked, found)
        template = self._offers.library.get(asked.template_id)
        if self._wanted.dry_run:
            return await self._preview(asked)
        return await self._execute(asked, await self._offers.make(template, asked, self._origin))

    async def _offered(self, asked: Proposal) -> Instance | None:
        """Return the offer that a proposal names; None if the proposal is invalid, or the offer is gone."""
        operation = self._home.operations[OPERATION]
        clean, problems = operation.check(asked.arguments)
        id_, session = clean.get("instance_id"), clean.get("session_id") or self._origin.session
        if problems or not isinstance(id_, str) or session != self._origin.session:
            return None
        found = await self._offers.find(id_, self._origin.session)
        return None if found is None or self._offers.is_expired(found) or self._wanted.dry_run else found

    async def _preview(self, asked: Proposal) -> Report:
        template = self._offers.library.get(asked.template_id or "")
        origin = Origin("commands", "template", self._origin.session, code=template.code, asks=True)
        origin = replace(origin, warns=(explain_offer(template, asked.arguments),))
        acted = await preview_action(self._home, template, asked.arguments, self._wanted, origin)
        instance = Instance(
            acted.instance, self._origin.session, template.id, asked.label or template.name, asked.arguments, ""
        )
        done = Executed(instance, acted.result, acted.report)
        return self._offers.report(done, asked, self._origin)

    async def _execute(self, asked: Proposal, instance: Instance) -> Report:
        done = await self._offers.execute(instance, self._wanted)
        report = self._offers.report(done, asked, self._origin)
        (outcome,) = report.outcomes
        if outcome.record.state not in _JOURNALED:
            return report
        # The path writes it into the journal, and reads the stored result for it.
        arguments = {"instance_id": instance.id, "session_id": instance.session}
        label = replace(asked, template_id=None, arguments=arguments, label=asked.label or instance.label)
        written = await self._path([label])
        return replace(written, outcomes=tuple(_with(one, outcome) for one in written.outcomes))


def _with(written: Outcome, outcome: Outcome) -> Outcome:
    """Return the outcome from the journal, with the run of the handler's requests, and all values of the result."""
    told = outcome.record.marks
    marks = replace(written.record.marks, state=told.state, message=told.message, error=told.error)
    record = replace(written.record, template_id=outcome.record.template_id, marks=marks)
    return replace(written, record=record, data=outcome.data, within=outcome.within)


async def answer_request(home: Home, text: str | bytes, session: str, approver: Approver | None) -> tuple[Known, ...]:
    """Do what a page asks with `execute_action`, and return the messages for the pages of its session, in order.

    `session` is the one that the connection is attached to (T-74). Questions are put to `approver`; without one, what
    needs a yes waits.
    """
    asked = read_request(text)
    if isinstance(asked, ErrorMessage):
        return (asked,)
    arguments = {"instance_id": asked.instance_id, "session_id": asked.session_id}
    proposal = Proposal(0, "", OPERATION, arguments)
    report = await home.take([proposal], Origin("actions", "chat", session), approver)
    (outcome,) = report.outcomes
    record, offers = outcome.record, Offers(home)
    instance = await offers.find(asked.instance_id, session) if asked.session_id == session else None
    result: dict[str, Json] = {
        "success": record.state is State.DONE,
        "message": record.marks.message or record.marks.error or record.state.value,
    }
    if instance is not None and instance.result is not None and record.marks.code != "instance.expired":
        result = {**instance.result}
    if outcome.data.get("replayed"):
        result = replayed(result)
    if record.marks.code == "instance.expired":
        result["data"] = {"reason": "expired"}
    answer = ActionResult(asked.instance_id, wire_result(result), asked.session_id)
    return answer, *await _offered_next(offers, session, outcome)


async def _offered_next(offers: Offers, session: str, outcome: Outcome) -> tuple[ActionInstances, ...]:
    rows = cast("Sequence[Mapping[str, Json]]", outcome.data.get("suggestedActions") or ())
    ids = [str(row["instanceId"]) for row in rows]
    found = [one for id_ in ids if (one := await offers.find(id_, session)) is not None]
    return (ActionInstances([wire_instance(one) for one in found], session),) if found else ()
