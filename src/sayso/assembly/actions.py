"""The person's own actions in an open home: list them, preview them, and run them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from sayso.assembly.action_log import ActionLog, LoggedRun
from sayso.assembly.home import Home
from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProviderError
from sayso.core.lazy import load
from sayso.core.ports import Approver
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import SUCCESS, Record, State
from sayso.providers.programs.run import ProgramRunner
from sayso.providers.talk.store import Talk, Template, TemplateParameter, check_parameters
from sayso.runtime.results import Outcome, Report
from sayso.runtime.services import Services
from sayso.templates.definition import ActionTemplate
from sayso.templates.library import Library, load_library
from sayso.templates.protocol import Effect, merge_effects
from sayso.templates.runner import (
    AFTER,
    LATER,
    NEEDS_REPLY,
    UNCONTAINED,
    HandlerLimits,
    HandlerRun,
    HandlerServices,
    explain_waived,
    run_handler,
)
from sayso.templates.watch import LibraryWatch

OPERATION = "template.run"
_NAMED = frozenset({"template_id", "params"})


async def check_actions(proposals: Sequence[Proposal], tools: Services) -> Sequence[Proposal]:
    """Return the proposals; `problem` is set in each with an unknown action, or with wrong arguments for an action."""
    known = await _find_templates(tools)
    return [_check_action(name_action(proposal), known) for proposal in proposals]


def name_action(proposal: Proposal) -> Proposal:
    """Return a proposal that names an action in its arguments, as tools do, in the form that the actions dialect gives.

    The arguments are then the parameters of the action. Any other proposal is returned as it is.
    """
    named, params = proposal.arguments.get("template_id"), proposal.arguments.get("params", {})
    fits = isinstance(named, str) and isinstance(params, Mapping) and proposal.arguments.keys() <= _NAMED
    if proposal.operation != OPERATION or proposal.template_id is not None or not fits:
        return proposal
    return replace(proposal, template_id=named, arguments=dict(cast("Mapping[str, Json]", params)))


def as_operation(proposal: Proposal) -> Proposal:
    """Return a proposal that names an action as one with the arguments of `template.run`."""
    if proposal.template_id is None or proposal.problem is not None:
        return proposal
    arguments: dict[str, Json] = {"template_id": proposal.template_id, "params": dict(proposal.arguments)}
    return replace(proposal, template_id=None, arguments=arguments)


async def _find_templates(tools: Services) -> Mapping[str, Template]:
    if "talk" not in tools.backends:
        return {}
    talk = cast("Talk", tools.backend("talk").reads)
    return {template.id: template for template in await talk.templates()}


def _check_action(proposal: Proposal, known: Mapping[str, Template]) -> Proposal:
    if proposal.template_id is None or proposal.problem is not None:
        return proposal
    template = known.get(proposal.template_id)
    if template is None:
        there = ", ".join(known) or "none"
        return replace(
            proposal,
            problem=f'Template "{proposal.template_id}" not found. Available templates: {there}',
            code="template.not_found",
            candidates=tuple(Candidate(id_) for id_ in known),
        )
    if template.parameters is None:
        return proposal
    arguments, problems = check_parameters(template.parameters, proposal.arguments)
    if not problems:
        return replace(proposal, arguments=arguments)
    reasons = ", ".join(problem.sentence for problem in problems)
    return replace(proposal, problem=f"Invalid parameters: {reasons}", code=problems[0].code)


def list_actions(folder: Path) -> list[Json]:
    """Return one row for each usable action whose file is in the folder now."""
    return _rows(load_library(folder))


def watch_library(folder: Callable[[], Path], changed: Callable[[list[Json], tuple[str, ...]], None]) -> LibraryWatch:
    """Return a watch that calls `changed` with the rows and the warnings of the folder whenever they have changed."""
    return LibraryWatch(folder, lambda library: changed(_rows(library), library.warnings))


def _rows(library: Library) -> list[Json]:
    return [
        {
            "templateId": template.id,
            "name": template.name,
            "description": template.description,
            "params": {parameter.name: _parameter(parameter) for parameter in template.parameters},
        }
        for template in library.templates
    ]


def _parameter(parameter: TemplateParameter) -> dict[str, Json]:
    row: dict[str, Json] = {"type": parameter.type, "required": parameter.required}
    row |= {"description": parameter.description} if parameter.description else {}
    row |= {"enum": [*parameter.enum]} if parameter.enum else {}
    return row


ENTRY = "template"
DIALECT = "commands"
"""The dialect of a handler's requests: a batch, all or nothing, which the person edits as text of this dialect."""
PREVIEWED = "⟨known only when it is run⟩"
_WAITS = re.compile(re.escape(LATER).replace(re.escape("{}"), "[0-9]+"))


class Wanted(Struct, frozen=True):
    """The options for one run of an action."""

    session: str = ""
    approver: Approver | None = None
    dry_run: bool = False
    bounds: HandlerLimits | None = None
    asks: bool = True
    """Whether the person is asked about all that the handler requests, in every mode: a model offered the action."""
    postpones: bool = True
    """Whether an action waits if its handler asks somebody something and nobody can be asked; otherwise it fails."""


Became = Literal["done", "planned", "waiting", "unknown", "not done"]


class ReportedLine(Struct, frozen=True):
    """A line that a handler wrote, and what became of what it speaks of: a handler ends before anything is done."""

    level: str
    text: str
    became: Became
    """`done` also for errors, which speak of what the handler itself found."""


class Acted(Struct, frozen=True):
    """The result of one run of an action: what its handler requested, the report, and the result (S3-26 to S3-29)."""

    template: ActionTemplate
    instance: str
    session: str
    handled: HandlerRun
    report: Report
    result: Mapping[str, Json]

    @property
    def reports(self) -> tuple[ReportedLine, ...]:
        """Return the lines that the handler wrote, each with what became of what it speaks of."""
        became = _became(self.handled, self.report)
        lines = self.handled.said
        return tuple(ReportedLine(one.level, one.text, "done" if one.level == "error" else became) for one in lines)

    def json(self) -> dict[str, Json]:
        """Return what the run of an action adds to the results of the run that carries out its requests."""
        said: list[Json] = [{"level": one.level, "text": one.text, "became": one.became} for one in self.reports]
        return {
            "run": self.report.run or None,
            "template": self.template.id,
            "instance": self.instance,
            "session": self.session,
            "result": dict(self.result),
            "log": said,
            "printed": self.handled.printed,
        }


class Actions:
    """The person's own actions in one home."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def library(self) -> Library:
        """Return the actions that exist now."""
        return load_library(self._home.settings.places.actions)

    async def run(self, id_: str, params: Mapping[str, Json], wanted: Wanted) -> Acted:
        """Run an action: call its handler once, then carry out its requests as one run.

        The person sees all requests before the first one is carried out. Raises `SetupError` for an unknown action, and
        for parameters that it does not take; these are logged too (T-79).
        """
        template = self.library.get(id_)
        if wanted.dry_run:
            return await preview_action(self._home, template, params, wanted)
        return await load("sayso.assembly.instances:run_template")(self._home, template, params, wanted)

    def read_log(self, id_: str, limit: int = 50) -> list[LoggedRun]:
        """Return the runs of an action, newest first (S3-71)."""
        return ActionLog(self._home).read(id_, limit)


def failed(why: str) -> dict[str, Json]:
    """Return the result of an action that failed."""
    return {"success": False, "message": why}


async def preview_action(
    home: Home, template: ActionTemplate, params: Mapping[str, Json], wanted: Wanted, origin: Origin | None = None
) -> Acted:
    """Call a handler to see what it requests, and do and keep nothing. Raises `SetupError` for invalid parameters."""
    held, instance = template.fill_parameters(params), f"act_{home.tools.ids.token()}"
    session = wanted.session or instance
    origin = origin or Origin(DIALECT, ENTRY, session, code=template.code)
    once = HandlerOnce(home, template, replace(wanted, dry_run=True), origin)
    handled = await once.call(held)
    effects = merge_effects(handled.effects, home.operations)
    report = await once.take(effects) if effects else Report("", DIALECT, (), dry_run=True)
    result = result_of(handled, [effect.calls for effect in effects], report)
    return Acted(template, instance, session, handled, report, result)


class HandlerOnce:
    """One call of the handler of an action, on behalf of `origin`, whose `code` is the hash of the handler's code."""

    def __init__(self, home: Home, template: ActionTemplate, wanted: Wanted, origin: Origin) -> None:
        self._home = home
        self._template = template
        self._wanted = wanted
        self._origin = origin
        self.unanswered = False
        """Whether the handler needed the answer to a question, and nobody could be asked."""

    async def call(self, params: Mapping[str, Json]) -> HandlerRun:
        """Call the handler; what it requests is returned, and not carried out."""
        return await run_handler(self._template, params, self._origin.session, self.world)

    @property
    def world(self) -> HandlerServices:
        runner = ProgramRunner(self._home.settings.environ, self._home.tools.ids)
        bounds = self._wanted.bounds or HandlerLimits()
        return HandlerServices(runner, self._home.operations, self._answer, self._serves, bounds, self._waived)

    def _waived(self, possible: Sequence[str]) -> bool:
        """Say whether the settings let the handler run uncontained; if so, every question about it says that."""
        if self._home.settings.values.get(UNCONTAINED) is not True:
            return False
        self._origin = replace(self._origin, warns=(explain_waived(possible),))
        return True

    def _serves(self, id_: str) -> bool:
        return all(store in self._home.tools.backends for store in self._home.operations[id_].stores)

    async def take(self, effects: Sequence[Effect], run: str | None = None) -> Report:
        """Carry out what the handler requested as one run, which gets the id `run`."""
        proposals = [self._proposal(number, one.operation, one.arguments) for number, one in enumerate(effects)]
        wanted = self._wanted
        return await self._home.take(proposals, self._origin, wanted.approver, dry_run=wanted.dry_run, as_run=run)

    def _proposal(self, index: int, operation: str, arguments: Mapping[str, Json]) -> Proposal:
        return Proposal(index, "", operation, arguments, label=self._template.name, label_by_us=True)

    async def _answer(self, id_: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        """Carry out one operation that reads, or one request whose reply the handler needs, and return its data."""
        if self._wanted.dry_run and id_ in NEEDS_REPLY:
            return {"text": PREVIEWED}
        approver = self._wanted.approver or load("sayso.assembly.watched:WATCHED").get()
        report = await self._home.take([self._proposal(0, id_, arguments)], self._origin, approver)
        (outcome,) = report.outcomes
        record = outcome.record
        if record.state is State.WAITING:
            # The request cannot wait in the journal: the handler that needs the reply is running now.
            await self._home.decline(record.id)
            self.unanswered = True
            raise ProviderError(f"{id_} needs your yes, and nobody could be asked", "declined")
        if record.state not in SUCCESS:
            raise ProviderError(record.marks.error or f"{id_} did not happen", record.marks.code or "failed")
        return {**outcome.data, **_facts_left(outcome, self._home.tools)}


def _facts_left(outcome: Outcome, tools: Services) -> dict[str, Json]:
    """Return, as one mapping, the fields of the facts that an action's changes made true, such as a reply's text."""
    facts = [fact for mark in outcome.record.marks.changes for fact in tools.codec.left(mark.left).facts]
    members = {name: getattr(fact, name) for fact in facts for name in fact.__struct_fields__ if name != "about"}
    members = {name: value for name, value in members.items() if value is not UNSET}
    return cast("dict[str, Json]", msgspec.to_builtins(members))


def result_of(handled: HandlerRun, calls: Sequence[Sequence[int]], report: Report) -> dict[str, Json]:
    """Return the result (S3-26 to S3-29); the handler's own result counts only if all its requests succeeded.

    `calls` are, for each action of the run, the calls of the handler that it carries out.
    """
    if handled.result is None:
        return failed(f"Action failed: {handled.error}")
    result = cast("dict[str, Json]", msgspec.to_builtins(handled.result))
    missed = [one.record for one in report.outcomes if one.record.state not in SUCCESS]
    if missed:
        return failed(_explain_failure(missed, report))
    known = {
        LATER.format(call): str(one.data.get("message_id") or one.data.get("id") or "")
        for numbers, one in zip(calls, report.outcomes, strict=True)
        for call in numbers
    }
    return result if report.dry_run else cast("dict[str, Json]", _fill_in_known_values(result, known))


def _became(handled: HandlerRun, report: Report) -> Became:
    """Return what became of everything that a handler requested."""
    states = {one.record.state for one in report.outcomes}
    if handled.result is None or not handled.result.success:
        return "not done"
    if report.dry_run:
        return "planned"
    if State.WAITING in states:
        return "waiting"
    if State.UNKNOWN in states:
        return "unknown"
    return "done" if states <= SUCCESS else "not done"


def _explain_failure(missed: Sequence[Record], report: Report) -> str:
    """Return why an action did not succeed.

    Either it waits for a decision, or some of its steps did not happen; then it says how many, and the first reason.
    """
    if any(record.state is State.WAITING for record in missed):
        return f"it waits for your decision; sayso approve {report.run}"
    unknown = [record for record in missed if record.state is State.UNKNOWN]
    if unknown:
        return f"nobody knows whether {len(unknown)} of {len(report.outcomes)} steps happened: {unknown[0].marks.error}"
    first = next((record for record in missed if record.state is not State.SKIPPED), missed[0])
    return f"{len(missed)} of {len(report.outcomes)} steps did not happen: {first.marks.error or first.state.value}"


def _fill_in_known_values(value: Any, known: Mapping[str, str]) -> Any:
    """Return a value whose placeholders are replaced by the values that are known now."""
    match value:
        case str() if AFTER in value:
            return _WAITS.sub(lambda found: known.get(found[0], found[0]), value)
        case dict():
            return {name: _fill_in_known_values(item, known) for name, item in cast("dict[str, Any]", value).items()}
        case list():
            return [_fill_in_known_values(item, known) for item in cast("list[Any]", value)]
        case _:
            return value
