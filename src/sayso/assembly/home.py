"""One person's sayso: what a surface or an embedding program may ask of it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.parts import DIALECTS, dialect
from sayso.assistant.asker import Asker, AskResult, ReplyView
from sayso.config import Settings
from sayso.core.conversation import Exchange, Model, ModelContext, Sessions
from sayso.core.decision import Decision, Question
from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Facts
from sayso.core.ports import Approver, Clock, RecordQuery
from sayso.core.proposal import Origin, Proposal
from sayso.core.provider import Provider
from sayso.core.record import Record
from sayso.dialects.base import FeedbackNote, Reading, read
from sayso.journal.sqlite import SqliteJournal
from sayso.policy.rules import allows
from sayso.runtime.grants import GrantService
from sayso.runtime.questions import Nobody
from sayso.runtime.recovery import settle_by_person
from sayso.runtime.results import Outcome, Report, result_json
from sayso.runtime.services import Services


class Answering(Protocol):
    """What answers (`assistant/qa.py`)."""

    def serve(self, session: str, model: Model, view: ReplyView) -> None:
        """Say which model answers the questions of a session from now on."""
        ...

    async def answer(self, question: str, session: str) -> str:
        """Return the answer."""
        ...


class Questions:
    """What the questions of a home are put to, from before there is the home."""

    def __init__(self) -> None:
        self._home: object = None
        self._answering: Answering | None = None

    def at(self, home: object) -> None:
        """Say whose questions they are."""
        self._home = home

    @property
    def answering(self) -> Answering:
        """Return what answers them. Raises `ProviderError` where there is no home."""
        if self._home is None:
            raise ProviderError("nothing is known here to answer from", "query.nowhere")
        found = self._answering or cast("Answering", load("sayso.assistant.qa:QuestionAnswerer")(self._home))
        self._answering = found
        return found

    async def answer(self, question: str, session: str) -> str:
        """Return the answer."""
        return await self.answering.answer(question, session)


class CheckedEdits(Struct, frozen=True):
    """Asks, and holds what the person edited against the actions there are."""

    approver: Approver
    tools: Services

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision; an edit that names an action there is not has the problem on it."""
        decision = await self.approver.ask(question)
        if decision is None or not decision.edit:
            return decision
        return replace(decision, edit=tuple(await of_templates(decision.edit, self.tools)))


async def of_templates(proposals: Sequence[Proposal], tools: Services) -> Sequence[Proposal]:
    """Return the proposals, with the problem on each one that names an action there is not, or what it does not take.

    What was left out has its default on it (T-77), so that a person sees what will be used.
    """
    if all(proposal.template_id is None for proposal in proposals):
        return proposals
    return await load("sayso.assembly.actions:check_actions")(proposals, tools)


class Home:
    """One person's sayso: settings, journal and stores; everything a surface or a program may ask of it."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        tools: Services,
        journal: SqliteJournal,
        parts: Sequence[Provider] = (),
        questions: Questions | None = None,
    ) -> None:
        self._settings = settings
        self.questions = questions or Questions()
        """What answers questions (`system.query`)."""
        self._parts = parts
        self.grants = GrantService(tools)
        """The standing permissions: `offer`, `give`, `all`, `tried`, `suggested`, `revoke`."""
        self.tools = tools
        self.journal = journal

    @property
    def settings(self) -> Settings:
        """Return the settings of this moment."""
        return self._settings()

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Return the whole catalogue, by id."""
        return self.tools.catalogue

    @property
    def sessions(self) -> Sessions:
        """Return what is kept of conversations, and what other programs told."""
        return self.journal.sessions

    @property
    def clock(self) -> Clock:
        """Return where the time comes from."""
        return self.tools.clock

    @property
    def longest_reply(self) -> int:
        """Return how many bytes of a model's text are read at once."""
        return self.settings.policy.limits.reply_bytes

    def own_actions(self) -> list[Json]:
        """Return the person's own actions as a prompt lists them, read anew each time (S3-85)."""
        return load("sayso.assembly.actions:list_actions")(self.settings.places.actions)

    def longest_context(self, model: str) -> int:
        """Return how many characters of the world stand in a prompt to the model of this name."""
        return load("sayso.assembly.model:context_chars")(self.settings, model)

    async def ask(
        self, words: str, entry: str = "commands", model: Model | None = None, asker: Asker | None = None
    ) -> AskResult:
        """Ask a model at an entry point (commands, automation or chat), and take what it proposes down the path.

        Without a model it is the one that the settings name. `asker` says in which session, and who decides; what
        policy asks about waits without it. Raises `SetupError`, `ProviderError`.
        """
        return await load("sayso.assembly.entry:ask_model")(self, words, entry, model, asker)

    def redact_exchange(self, exchange: Exchange, proposals: Sequence[Proposal]) -> Exchange:
        """Return an exchange as it may be kept: without the values that `audit_redact` names."""
        return load("sayso.assembly.entry:redact_exchange")(exchange, proposals, self.settings.policy.audit_redact)

    def enabled_operations(self) -> list[Operation]:
        """Return the operations that the settings allow, for prompts (T-32)."""
        policy = self.settings.policy
        return [operation for operation in self.operations.values() if allows(policy, operation.id)]

    def read(self, text: str, dialect_name: str = "lines") -> Reading:
        """Read a model's text; nothing is looked at and nothing runs."""
        return read(dialect(dialect_name), self.operations, text)

    def results_for(self, report: Report) -> list[dict[str, Json]]:
        """Return what the model is given back of a run, in the shape of the dialect it wrote in."""
        rows = [{**result_json(outcome), "said": outcome.record.said} for outcome in report.outcomes]
        # It knows several dialects, and none is imported before it is asked for.
        return load("sayso.dialects.feedback:project_rows")(_answering(report.dialect), rows, self.operations)

    def notes_for(self, reading: Reading, report: Report) -> tuple[FeedbackNote, ...]:
        """Return what the model is told, with its next turn, about what was not carried out of a reading."""
        rows = [result_json(outcome) for outcome in report.outcomes]
        return load("sayso.dialects.feedback:notes")(_answering(reading.dialect), reading, rows, self.operations)

    def remember_shown(self, session: str, store: str, shown: Facts) -> None:
        """Say what the model of a session was shown with numbers, in their order: later numbers mean that (T-97).

        A read of sayso's own is remembered without it; this is for a context that is put together otherwise.
        """
        self._path.shown.keep(session, (store,), shown)

    async def context(self, session: str = "", *, query: bool = False) -> ModelContext:
        """Return what a model is shown of the world before it answers; with `query`, before it answers a question.

        From then on the numbers that the model of this session writes mean what it was shown here (T-97).
        """
        found: ModelContext = await load("sayso.assistant.context:look")(self._parts, self.tools, query=query)
        for store, shown in found.shown.items():
            self.remember_shown(session, store, shown)
        if not query:
            return found
        history = await load("sayso.assistant.history:history")(self.journal)
        return replace(found, pieces=(*found.pieces, history))

    async def run(  # noqa: PLR0913 - each is a choice of the caller
        self,
        text: str,
        dialect_name: str = "lines",
        *,
        approver: Approver | None = None,
        dry_run: bool = False,
        session: str = "",
        entry: str = "library",
    ) -> Report:
        """Take every proposal in a model's text down the path.

        What policy asks about is put to `approver`; without one it waits (`approve` decides later).
        """
        return await self.carry(text, Origin(dialect_name, entry, session), approver, dry_run=dry_run)

    async def carry(
        self, text: str, origin: Origin, approver: Approver | None = None, *, dry_run: bool = False
    ) -> Report:
        """Do what `run` does, for a text whose origin is known; its dialect is how it is read."""
        most = self.longest_reply
        if len(text.encode("utf-8", "surrogatepass")) > most:
            because = f"the text is longer than {most} bytes, the most that is read at once (`[limits] reply_bytes`)"
            return await self._path.refuse(origin, because, "limit.reply")
        reading = self.read(text, origin.dialect)
        origin = replace(origin, dialect=reading.dialect)
        if reading.needs_clarification:
            return self._report_question(reading, origin, dry_run=dry_run)
        report = await self.take(reading.proposals, origin, approver, dry_run=dry_run)
        return replace(report, warnings=reading.warnings)

    def _report_question(self, reading: Reading, origin: Origin, *, dry_run: bool) -> Report:
        """Return the report of a model that asks back: nothing runs; what it named wrongly is still noted (T-95)."""
        run = self._path.begin(origin, Nobody()).id
        noted = [proposal.problem for proposal in reading.proposals if proposal.problem]
        return Report(
            run,
            origin.dialect,
            (),
            dry_run,
            needs_clarification=True,
            clarification_reason=reading.clarification_reason,
            warnings=(*reading.warnings, *noted),
        )

    async def take(
        self,
        proposals: Sequence[Proposal],
        origin: Origin,
        approver: Approver | None = None,
        *,
        dry_run: bool = False,
    ) -> Report:
        """Take proposals that were read already down the path."""
        written = dialect(origin.dialect) if origin.dialect in DIALECTS else None
        return await self._path.take(
            await of_templates(proposals, self.tools),
            origin,
            CheckedEdits(approver, self.tools) if approver else Nobody(),
            dry_run=dry_run,
            as_batch=written is not None and written.batch,
            whole_or_none=written is not None and written.all_or_nothing,
        )

    async def pending(self) -> list[Record]:
        """Return what waits for a decision, newest first."""
        return await self._approvals().waiting()

    async def approve(self, ref: str, approver: Approver) -> Report:
        """Ask `approver` about what waits under an action's or run's id, and carry it out on a yes."""
        return await self._approvals().approve(ref, CheckedEdits(approver, self.tools))

    async def approve_all(self, refs: Sequence[str], approver: Approver) -> list[Report]:
        """Ask `approver` about what waits under several ids, in one question for each run, and do what it says."""
        return await self._approvals().approve_all(refs, CheckedEdits(approver, self.tools))

    async def decline(self, ref: str, by: str = "client") -> Report:
        """Say no to what waits under an action's or run's id."""
        return await self._approvals().decline(ref, by)

    async def undo(self, ref: str | None = None, *, by: str = "client", dry_run: bool = False) -> Report:
        """Take back an action, a run, or the last thing done; the caller's word is the approval."""
        undo = self._undo()
        return await undo.take_back(await undo.find(ref), Origin("", "undo"), by, dry_run=dry_run)

    async def undoable(self, ref: str | None = None) -> list[tuple[Record, str]]:
        """Return what `undo` would take back, newest first, each with a sentence."""
        return [(back.original, back.plan.summary) for back in await self._undo().find(ref)]

    async def log(self, query: RecordQuery | None = None) -> list[Record]:
        """Return a page of what was proposed and done, newest first."""
        return await self.journal.query(query or RecordQuery())

    async def log_of(self, ref: str) -> list[Record]:
        """Return one action, or the actions of a run in order; nothing when there is none of this id."""
        if ref.startswith("run_"):
            return await self.journal.of_run(ref)
        record = await self.journal.get(ref)
        return [record] if record else []

    async def settle(self, id: str, *, done: bool) -> Outcome:  # noqa: A002 - the word of the interface
        """Take the person's word for an outcome that is unknown."""
        return Outcome(await settle_by_person(self.tools, id, done=done))

    # Each is made when it is first needed: what only reads the journal imports none of them.
    @cached_property
    def _path(self):
        return load("sayso.runtime.engine:Engine")(self.tools)

    def _approvals(self):
        return load("sayso.runtime.engine:Approvals")(self.tools, self._path)

    def _undo(self):
        return load("sayso.runtime.undo:Undo")(self.tools)


def _answering(name: str) -> Dialect:
    """Return the dialect that a model is answered in: its own, or that of a chat."""
    return dialect(name if name in DIALECTS else "chat")
