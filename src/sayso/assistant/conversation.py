"""One exchange with a model: ask, read the reply, act, and ask again if something needs correcting."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from anyio import fail_after
from msgspec import Struct
from msgspec.structs import replace

from sayso.assistant import prompts
from sayso.assistant.asker import Asker, AskResult, AskStep, KeepsText, ReceivedReply, Trace, Used
from sayso.assistant.entry_points import EntryPoint
from sayso.assistant.history import SessionPast, session_past
from sayso.assistant.port import AssistantPort
from sayso.assistant.prompts import PromptContext, limit_context, with_attached, with_happened
from sayso.assistant.stream import BrokenOff, pause, receive_reply
from sayso.core.conversation import ConversationRequest, Exchange, Message, Model, ReplyDelayed, ToolCall, ToolOffer
from sayso.core.dialect import EndsTexts
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.operation import Operation
from sayso.core.ports import NoteExposure
from sayso.core.proposal import Origin, Proposal, principal_of
from sayso.core.record import State
from sayso.core.sanitize import fence_data
from sayso.dialects.base import FeedbackNote, Reading
from sayso.dialects.tool_schemas import schemas
from sayso.dialects.tools import answer, arguments_of, progress
from sayso.models.vendors import EMBEDDED
from sayso.runtime.results import Outcome, Report, result_json
from sayso.runtime.services import stamp

DIALECT = "tools"


def offer_tools(operations: Sequence[Operation]) -> tuple[ToolOffer, ...]:
    """Return the tools that a model may call."""
    return tuple(
        ToolOffer(str(one["name"]), str(one["description"]), cast("Mapping[str, Json]", one["inputSchema"]))
        for one in schemas(operations, "mcp")
    )


def line(call: ToolCall, operations: Sequence[Operation]) -> str:
    """Return a description of a tool call in words, which on macOS are those of S1-59 and S1-60."""
    known = {operation.id: operation for operation in operations}
    return progress(call.name, arguments_of(call.arguments), known, sys.platform)


def write_calls(calls: Sequence[ToolCall]) -> str:
    """Return calls as text for the tools dialect; their arguments stay exactly as the model wrote them."""
    made = [
        {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in calls
    ]
    return json.dumps(made, ensure_ascii=False) if made else ""


def answers(
    calls: Sequence[ToolCall], report: Report, given: Sequence[Mapping[str, Json]], notes: Sequence[FeedbackNote]
) -> list[Message]:
    """Return the turns that answer the calls, one for each; results are marked as data (X-08)."""
    by_index = {note.index: note for note in notes}
    turns: list[Message] = []
    for call, outcome, row in zip(calls, report.outcomes, given, strict=True):
        said = answer(result_json(outcome), row, by_index.get(outcome.record.index))
        turns.append(Message("tool", fence_data("result", said), answers=call.call_id))
    return turns


def whole(steps: Sequence[AskStep], written_again: Collection[str], dialect: str, *, dry_run: bool) -> Report:
    """Return one report with the outcomes of all turns, numbered from 0.

    `written_again` are the ids of actions that the model was asked to correct; their outcomes are left out if the model
    made other proposals after that.
    """
    steps = [step for step in steps if step.reports]
    reports = [report for step in steps for report in step.reports]
    if not reports:
        return Report("", dialect, (), dry_run)
    last = max((number for number, step in enumerate(steps) if _outcomes(step)), default=0)
    kept = [
        one for number, step in enumerate(steps) for one in _outcomes(step)
        if number >= last or one.record.id not in written_again
    ]  # fmt: skip
    outcomes = [replace(one, record=replace(one.record, index=number)) for number, one in enumerate(kept)]
    return replace(
        reports[-1],
        run=(steps[last].reports[-1]).run,
        outcomes=tuple(kept if [one.record.index for one in kept] == list(range(len(kept))) else outcomes),
        edits=tuple(edit for report in reports for edit in report.edits),
        warnings=tuple(said for report in reports for said in report.warnings),
    )


def _outcomes(step: AskStep) -> list[Outcome]:
    return [outcome for report in step.reports for outcome in report.outcomes]


CUT_TRIES = 3
"""How often a reply that broke off is asked for at most."""
CUT_PAUSE = 1.0
"""Seconds before the second try; each further pause is twice as long."""
QUERY = "system.query"
"""The operation whose answer, by a model, is for the person."""
OFFERED = "template.run"
"""The operation that must be enabled; if it is not, the model is not shown the person's own actions."""
WORD_LENGTH = 10
"""Number of letters and digits of an end word that nobody can guess."""
NOTHING_FOUND = "No matching item found"
"""The answer shown if a chat reply has no text, and none of its proposals could be carried out (T-60)."""
_NOTHING = frozenset({State.INVALID, State.REFUSED, State.SKIPPED, State.FAILED, State.UNCHANGED})


async def ask(port: AssistantPort, entry: EntryPoint, model: Model, words: str, asker: Asker) -> AskResult:
    """Ask at one entry point; the exchange is stored with its trace, even if the model fails (S0-04, S0-85)."""
    conversation = _Conversation(port, entry, model, words, asker)
    try:
        return await conversation.answer()
    except SaysoError as no:
        conversation.trace = replace(conversation.trace, error=str(no))
        raise
    finally:
        await conversation.keep()


class _Conversation:
    """One ask, which consists of several turns."""

    def __init__(self, port: AssistantPort, entry: EntryPoint, model: Model, words: str, asker: Asker) -> None:
        self.trace = Trace(entry.name)
        self._port = port
        self._entry = entry
        self._model = model
        self._words = words
        self._asker = asker
        self._text: list[str] = []
        self._origin = Origin(
            entry.dialect.name, entry.name, asker.session, wrote=asker.wrote, principal=asker.principal
        )
        self._dialect = entry.dialect
        if isinstance(entry.dialect, EndsTexts):
            self._origin = replace(self._origin, end_word=f"END_{port.ids.token()[:WORD_LENGTH].upper()}")
            self._dialect = entry.dialect.ending(self._origin.end_word)
        self._corrections = asker.corrections
        self._written_again: set[str] = set()
        """The ids of the actions that the model was asked to correct."""
        self._began = stamp(port.clock.now()) if asker.message else ""
        self._numbered = 0
        """How many actions have a number; those of the next turn get the next numbers, on cards and in reports."""
        self._seen: dict[tuple[str, str], int] = {}
        """The replies with proposals so far, and how many changes had been made before each."""
        self._stopped = ""
        self._used = Used()
        self._problem: SaysoError | None = None

    async def answer(self) -> AskResult:
        """Ask the model for one turn after the other until it needs no more, and return the result."""
        asked, budget = await self._first(), self._port.budget
        if self._model.name != EMBEDDED and (too_much := budget.reached(self._used, asked)):
            raise Refused(f"nothing was asked: {too_much.partition(': ')[2] or too_much}", "budget.reached", "budget")
        while more := await self._try_turn(asked):
            asked = replace(asked, turns=(*asked.turns, *more))
            self._stopped = budget.reached(self._used, asked)
            if self._stopped:
                self._stopped += "; what was done stays done"
                break
            self._asker.view.show_progress(f"turn {self._used.turns + 1}; so far {self._used.text}")
        self.trace = replace(self.trace, stopped=self._stopped)
        return self._build_answer()

    async def _try_turn(self, asked: ConversationRequest) -> tuple[Message, ...]:
        """Do one turn; if it fails after others have acted, the ask ends, and its result says what they did and why."""
        try:
            return await self._turn(asked)
        except SaysoError as problem:
            if not any(_outcomes(step) for step in self.trace.steps):
                raise
            self._problem = problem
            said = str(problem).replace("nothing was done", "nothing of that reply was done")
            self._stopped = f"{said}; what was done before stays done"
            self.trace = replace(self.trace, error=said)
            return ()

    async def keep(self) -> None:
        """Store the exchange with its trace."""
        if not self.trace.system_prompt:
            return
        step = self.trace.steps[-1] if self.trace.steps else AskStep("", "")
        reports = [report for one in self.trace.steps for report in one.reports]
        asked_back = any(report.needs_clarification for report in step.reports)
        exchange = Exchange(
            session=self._asker.session,
            entry=self._entry.name,
            time=stamp(self._port.clock.now()),
            words=self._words,
            reply=step.response,
            asked_back=asked_back,
            runs=tuple(report.run for report in reports),
            trace=self.trace.json(whole=False),
            message=self._asker.message,
            shown=self._shown_text,
            began=self._began,
            attached=tuple(one.name for one in self._asker.attached),
        )
        commands = [command for one in self.trace.steps for command in one.commands]
        shown = self.trace.outside
        principal = principal_of(self._entry.name, self._asker.principal)
        exposed = NoteExposure(principal, self._asker.session, shown) if shown else None
        await self._port.sessions.keep(self._port.redact_exchange(exchange, commands), exposed)

    async def _first(self) -> ConversationRequest:
        port, entry, session = self._port, self._entry, self._asker.session
        along = await session_past(port, entry, session)
        most = port.longest_context(self._model.name)
        world = with_happened(await port.context(session, entry="", words=self._words), self._asker.happened)
        world = limit_context(with_attached(world, self._asker.attached), most)
        told = tuple(await port.sessions.told())
        known = PromptContext(port.clock.now().astimezone(), world, told)
        enabled = port.enabled_operations()
        system = entry.system(enabled)
        if any(operation.id == OFFERED for operation in enabled):
            system += entry.offers(port.own_actions())
        request = prompts.with_end_word(entry.user(known, self._describe_start), self._origin.end_word)
        prompt = prompts.with_notes(prompts.with_messages(request, along.messages), along.notes)
        outside = (*known.outside, *(("messages",) if along.messages else ()))
        self._origin = replace(self._origin, exposed=outside)
        self.trace = replace(self.trace, context=known.data, system_prompt=system, user_prompt=prompt, outside=outside)
        return self._build_request(system, prompt, along, known, enabled)

    @property
    def _describe_start(self) -> str:
        """Return the trigger's description, if there is one, and the person's words."""
        return "\n".join(part for part in (self._asker.because, self._words) if part)

    def _build_request(
        self, system: str, prompt: str, along: SessionPast, known: PromptContext, enabled: Sequence[Operation]
    ) -> ConversationRequest:
        return ConversationRequest(
            system=system,
            turns=(*along.turns, Message("user", prompt)),
            words=self._words,
            dialect=self._dialect,
            tools=offer_tools(enabled) if self._entry.calls else (),
            context=known.context,
            operations={operation.id: operation for operation in enabled},
            earlier=along.earlier,
            before=along.before,
        )

    async def _turn(self, asked: ConversationRequest) -> tuple[Message, ...]:
        """Receive one reply, execute its proposals, and return the turns to add for the next one."""
        operations = {operation.id: operation for operation in self._port.enabled_operations()}
        reply = await self._receive(asked, operations)
        for why in reply.ended.instead:
            self._asker.view.show_progress(f"{reply.ended.model} answers instead: {why}")
        self._must_be_whole(reply)
        step = AskStep(
            user_prompt=asked.turns[-1].text,
            response=reply.text or write_calls(reply.calls),
            model=reply.ended.model,
            tokens_in=reply.ended.tokens_in,
            tokens_out=reply.ended.tokens_out,
            why=reply.ended.why,
        )
        self.trace = replace(self.trace, steps=(*self.trace.steps, step))
        return await self._execute_reply(reply)

    async def _receive(self, asked: ConversationRequest, operations: Mapping[str, Operation]) -> ReceivedReply:
        """Receive one reply; one that broke off is asked for again, since nothing of it was carried out.

        Raises `ProviderError`, also if the time of the budget is over.
        """
        port, tries = self._port, 0
        while True:
            began, tries, view = port.clock.monotonic(), tries + 1, KeepsText(self._asker.view)
            reader = self._dialect.reader(operations) if self._entry.talks else None
            try:
                with fail_after(max(port.budget.seconds - self._used.seconds, 0)):
                    reply = await receive_reply(self._model, asked, view, reader, port.longest_reply)
            except TimeoutError:
                self._keep_cut(view.text)
                raise self._out_of_time() from None
            except BrokenOff:
                self._spend(asked, None, began)
                if tries == CUT_TRIES or port.budget.reached(self._used, asked):
                    self._keep_cut(view.text)
                    raise
                seconds = CUT_PAUSE * 2 ** (tries - 1)
                view.show_progress(ReplyDelayed("the reply broke off", seconds, tries + 1, CUT_TRIES).text)
                await pause(seconds, view, self._asker.sleep)
                continue
            except SaysoError:
                self._keep_cut(view.text)
                raise
            self._spend(asked, reply, began)
            return reply

    def _keep_cut(self, text: str) -> None:
        """Keep what had come of a reply that did not end; nothing of it is carried out."""
        if text.strip():
            self._text.append(text)
            self.trace = replace(self.trace, cut=True)

    def _spend(self, asked: ConversationRequest, reply: ReceivedReply | None, began: float) -> None:
        said = (reply.text + write_calls(reply.calls)) if reply else ""
        seconds = self._port.clock.monotonic() - began
        self._used = self._used.after(asked, said, reply.ended if reply else None, seconds, self._port.budget)
        self.trace = replace(self.trace, used=self._used)

    def _out_of_time(self) -> ProviderError:
        return ProviderError(
            f"the time for one request is over ([model] budget_time) before {self._model.name} had ended its reply, "
            "and nothing was done",
            "budget.time",
        )

    def _must_be_whole(self, reply: ReceivedReply) -> None:
        reason, name = reply.ended.reason, reply.ended.model
        if reason == "refused" and not reply.text.strip() and not reply.calls:
            raise ProviderError(f"{name} refused to answer, and nothing was done", "model.refused")
        if reason == "length" and not reply.too_long and self._entry.batch:
            raise ProviderError(
                f"the reply of {name} was cut off because it became too long, so nothing of it was done; ask for less "
                "at once",
                "model.length",
            )

    async def _execute_reply(self, reply: ReceivedReply) -> tuple[Message, ...]:
        """Execute what a reply proposes as one batch; return the turns to add for the next one, if there is one."""
        text, calls, name = reply.text, reply.calls, self._dialect.name
        read = (
            self._port.read(text, name, self._origin.end_word) if text.strip() or not calls else Reading(name, "", ())
        )
        self._text.append(read.text)
        if reply.too_long or read.needs_clarification:
            return await self._execute_none(read, text or write_calls(calls))
        made = self._port.read(write_calls(calls), DIALECT) if calls else Reading(DIALECT, "", ())
        if not (read.proposals or made.proposals):
            return await self._execute_none(read, text) if self._entry.batch else ()
        if self._is_repeated(reply, [*read.proposals, *made.proposals]):
            self._stopped = f"{reply.ended.model} wrote the same again, so it was not asked once more"
            return ()
        turn = self._number(read, made)
        for call in calls:
            self._asker.view.show_progress(line(call, self._port.enabled_operations()))
        origin = replace(self._origin, dialect=read.dialect if read.proposals else DIALECT)
        report = await self._port.take(turn.proposals, origin, self._asker.approver, dry_run=self._asker.dry_run)
        turn = replace(turn, report=replace(report, warnings=(*read.warnings, *report.warnings)))
        return self._answer_turn(reply, turn)

    async def _execute_none(self, read: Reading, text: str) -> tuple[Message, ...]:
        """Record a reply that proposes nothing, asks back, or is too long to be carried out."""
        report = await self._port.carry(text, self._origin, self._asker.approver, dry_run=self._asker.dry_run)
        self._came(read, report, () if report.needs_clarification else self._port.notes_for(read, report))
        return ()

    def _is_repeated(self, reply: ReceivedReply, proposals: Sequence[Proposal]) -> bool:
        """Return whether the same reply came before; what only looks may come again once something was changed."""
        said = reply.text.strip(), json.dumps([[call.name, call.arguments] for call in reply.calls])
        outcomes = [one for step in self.trace.steps for one in _outcomes(step)]
        changes = sum(one.record.plan is not None and one.record.state is State.DONE for one in outcomes)
        before = self._seen.get(said)
        self._seen[said] = changes
        kinds = {found.kind for one in proposals if (found := self._port.operations.get(one.operation or ""))}
        return before is not None and (before == changes or kinds != {"read"})

    def _number(self, read: Reading, made: Reading) -> "_Turn":
        """Return the proposals of the text and then the calls of a turn, numbered after those of the turns before."""
        first = self._numbered
        every = [replace(one, index=first + at) for at, one in enumerate((*read.proposals, *made.proposals))]
        self._numbered += len(every)
        texts = len(read.proposals)
        return _Turn(
            replace(read, proposals=tuple(every[:texts])), replace(made, proposals=tuple(every[texts:])), _NO_REPORT
        )

    def _answer_turn(self, reply: ReceivedReply, turn: "_Turn") -> tuple[Message, ...]:
        """Record the outcomes of a turn; return what the model is told about them, empty if it is not asked again."""
        of_text, of_calls = turn.report_of_text, turn.report_of_calls
        notes = self._port.notes_for(turn.read, of_text) if of_text.outcomes else ()
        self._came(replace(turn.read, proposals=tuple(turn.proposals)), turn.report, notes)
        if of_text.outcomes and not turn.read.text.strip() and _came_to_nothing(of_text) and self._entry.talks:
            self._say(NOTHING_FOUND)
        told = self._tell_text(of_text, notes)
        if reply.ended.model == EMBEDDED or not (told or reply.calls):
            return ()
        self._asker.view.show_outcomes(turn.report)
        answered = answers(reply.calls, of_calls, self._results(of_calls), self._port.notes_for(turn.made, of_calls))
        return (Message("assistant", reply.text, reply.calls), *answered, *told)

    def _tell_text(self, report: Report, notes: Sequence[FeedbackNote]) -> tuple[Message, ...]:
        """Return the turn that tells the model what came of the proposals in its text; empty if it needs no answer."""
        if self._asker.dry_run or not report.outcomes:
            return ()
        results = self._results(report)
        wrong = {note.index for note in notes if note.kind in prompts.CORRECTABLE}
        if wrong and self._may_correct():
            self._written_again |= {one.record.id for one in report.outcomes if _is_again(one, wrong)}
            whole = _came_to_nothing(report)
            self._numbered -= len(report.outcomes) if whole and self._numbers_end_with(report) else 0
            return (Message("user", prompts.correction(results, notes, whole=whole)),)
        if not self._goes_on(report):
            return ()
        waits = any(one.record.state is State.WAITING for one in report.outcomes)
        return (Message("user", prompts.go_on(results, notes, waits=waits, ends=self._entry.ends)),)

    def _results(self, report: Report) -> list[dict[str, Json]]:
        """Return the results as the model gets them, cut to the room that the context has in a prompt to it."""
        found = prompts.limit_results(self._port.results_for(report), self._port.longest_context(self._model.name))
        return cast("list[dict[str, Json]]", found)

    def _numbers_end_with(self, report: Report) -> bool:
        return report.outcomes[-1].record.index + 1 == self._numbered

    def _goes_on(self, report: Report) -> bool:
        """Return whether the model gets these results: those of looks always, of changes where it is to say so."""
        if self._entry.tells_deeds:
            return any(one.record.state is not State.WAITING for one in report.outcomes)
        return any(_is_look(one) and one.record.operation != QUERY for one in report.outcomes)

    def _may_correct(self) -> bool:
        self._corrections -= 1
        return self._corrections >= 0

    def _came(self, reading: Reading, report: Report, notes: Sequence[FeedbackNote]) -> None:
        *before, step = self.trace.steps
        step = replace(
            step,
            commands=(*step.commands, *reading.proposals),
            reports=(*step.reports, report),
            notes=(*step.notes, *notes),
        )
        self.trace = replace(self.trace, steps=(*before, step))

    def _say(self, line: str) -> None:
        self._text.append(line)
        self._asker.view.show_text(f"\n{line}\n" if self._text[:-1] else f"{line}\n")

    @property
    def _shown_text(self) -> str:
        return "\n\n".join(part.strip() for part in self._text if part.strip())

    def _build_answer(self) -> AskResult:
        report = whole(self.trace.steps, self._written_again, self._entry.dialect.name, dry_run=self._asker.dry_run)
        runs = tuple(one.run for step in self.trace.steps for one in step.reports)
        return AskResult(
            self._asker.session,
            self._entry.name,
            self._shown_text,
            report,
            self.trace,
            self.trace.steps[-1].model,
            runs,
            used=self._used,
            stopped=self._stopped,
            problem=self._problem,
        )


class _Turn(Struct, frozen=True):
    """The proposals of one turn, those of its text and those of its calls, and what came of them."""

    read: Reading
    made: Reading
    report: Report

    @property
    def proposals(self) -> list[Proposal]:
        return [*self.read.proposals, *self.made.proposals]

    @property
    def report_of_text(self) -> Report:
        return replace(self.report, outcomes=self.report.outcomes[: len(self.read.proposals)])

    @property
    def report_of_calls(self) -> Report:
        return replace(self.report, dialect=DIALECT, outcomes=self.report.outcomes[len(self.read.proposals) :])


_NO_REPORT = Report("", DIALECT, ())


def _is_look(outcome: Outcome) -> bool:
    """Return whether an action looked at something and found it: it has an answer, and no plan."""
    return outcome.record.plan is None and outcome.record.state is State.DONE


def _came_to_nothing(report: Report) -> bool:
    return bool(report.outcomes) and all(one.record.state in _NOTHING for one in report.outcomes)


def _is_again(outcome: Outcome, wrong: set[int]) -> bool:
    """Say whether an action must be proposed again: it was wrong, or it was skipped because another one was (T-103)."""
    return outcome.record.index in wrong or outcome.record.marks.code == "batch.invalid"
