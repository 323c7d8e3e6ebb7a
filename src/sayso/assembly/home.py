"""One person's sayso: the methods that a surface or an embedding program calls."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from functools import cached_property
from typing import Protocol, cast

from anyio import TASK_STATUS_IGNORED
from anyio.abc import TaskStatus
from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.parts import DIALECTS, dialect
from sayso.assistant.asker import Asker, AskResult, Budget, ReceivedReply, ReplyView
from sayso.config import Settings
from sayso.core.conversation import ConversationRequest, Exchange, Model, ModelContext, Sessions
from sayso.core.decision import Decision, Question
from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, ProviderError, Stale
from sayso.core.instances import LASTS, Instance, Instances, is_offer
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Facts
from sayso.core.ports import Approver, Clock, Ids, NoteExposure, RecordQuery, RunsActions, offers
from sayso.core.proposal import Origin, Proposal, principal_of
from sayso.core.provider import Provider
from sayso.core.record import Exposure, Record, State, run_id
from sayso.dialects.base import FeedbackNote, Reading, read
from sayso.journal.sqlite import SqliteJournal
from sayso.policy.rules import allows
from sayso.runtime.grants import GrantService
from sayso.runtime.questions import Nobody
from sayso.runtime.recovery import settle_by_person
from sayso.runtime.results import Outcome, Report, journaled_outcome, result_json, with_reply
from sayso.runtime.services import Services, moment, stamp

_RUNS_ACTION = "template.run"
PRUNE_EVERY = 300.0
"""Seconds between two removals of offers that are too old."""


class Answering(Protocol):
    """Answers questions with a language model (`assistant/qa.py`)."""

    def serve(self, session: str, model: Model, view: ReplyView) -> None:
        """Set the model that answers the questions of a session from now on."""
        ...

    async def answer(self, question: str, session: str) -> str:
        """Return the answer."""
        ...

    async def receive(
        self, model: Model, asked: ConversationRequest, view: ReplyView, session: str, *, any_turns: bool = False
    ) -> ReceivedReply:
        """Return the reply to one question of a session, and count it; with `any_turns`, their number is no limit."""
        ...


class Questions:
    """Passes questions to the model that answers them, and gives the store `talk` what it uses of the home.

    It is made before the home, because the home's backends need it.
    """

    def __init__(self) -> None:
        self._home: object = None
        self._answering: Answering | None = None
        self._chat: object = None

    def at(self, home: object) -> None:
        """Set the home that questions are about."""
        self._home = home

    @property
    def answering(self) -> Answering:
        """Return the object that answers, made at its first use. Raises `ProviderError` while there is no home."""
        if self._home is None:
            raise ProviderError("nothing is known here that could answer this", "query.nowhere")
        found = self._answering or cast("Answering", load("sayso.assistant.qa:QuestionAnswerer")(self._home))
        self._answering = found
        return found

    def chat(self) -> object:
        """Return what the store `talk` uses of the home. Raises `ProviderError` while there is no home."""
        if self._home is None:
            raise ProviderError("nothing of “talk” can be used before its home is open", "unavailable")
        self._chat = self._chat or load("sayso.assembly.chat:HomeChat")(self._home)
        return self._chat

    async def answer(self, question: str, session: str) -> str:
        """Return the answer."""
        return await self.answering.answer(question, session)


class ExposedPrincipal(Struct, frozen=True):
    """A principal that has read text of strangers, so that the person is asked before it sends anything."""

    principal: str
    since: str
    """The time of the first reading that still counts, in ISO 8601."""
    until: str
    """The time at which the last reading stops counting, except in its own session."""
    sources: tuple[str, ...]
    """The operations and parts of prompts that it read."""


class CheckedEdits(Struct, frozen=True):
    """An approver that asks another one, then checks the person's edits against the actions that exist."""

    approver: Approver
    tools: Services

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision; `problem` is set in each edited proposal with an unknown action or wrong arguments."""
        decision = await self.approver.ask(question)
        if decision is None or not decision.edit:
            return decision
        return replace(decision, edit=tuple(await of_templates(decision.edit, self.tools)))


async def of_templates(proposals: Sequence[Proposal], tools: Services) -> Sequence[Proposal]:
    """Return the proposals; `problem` is set in each that names an unknown action, or gives an action wrong arguments.

    Arguments that were left out are set to their defaults (T-77), so that a person sees what will be used.
    """
    if all(proposal.template_id is None and proposal.operation != _RUNS_ACTION for proposal in proposals):
        return proposals
    return await load("sayso.assembly.actions:check_actions")(proposals, tools)


class SecretParameters:
    """The parameters of offers with secret values: only in memory, and only until the offer has ended or expired."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Mapping[str, Json]]] = {}

    def put(self, id_: str, params: Mapping[str, Json], now: float) -> None:
        """Keep the parameters of an offer, and forget those of offers that have expired."""
        oldest = now - LASTS.total_seconds()
        self._kept = {one: kept for one, kept in self._kept.items() if kept[0] >= oldest}
        self._kept[id_] = (now, params)

    def get(self, id_: str) -> Mapping[str, Json] | None:
        """Return the parameters of an offer; None if it has none here."""
        kept = self._kept.get(id_)
        return None if kept is None else kept[1]

    def drop(self, id_: str) -> None:
        """Forget the parameters of an offer."""
        self._kept.pop(id_, None)


class Home:
    """One person's sayso: settings, journal and stores, and all that a surface or a program may ask of them."""

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
        """Answers questions (`system.query`)."""
        self._parts = parts
        self.grants = GrantService(tools)
        """The grants: `offer`, `give`, `all`, `get`, `tried`, `suggest_grants`, `revoke`, `revoke_all`."""
        self.tools = tools
        self.journal = journal
        self.secrets = SecretParameters()
        """The parameters of offers that are not stored, because they have secret values."""
        self._pruned: float | None = None
        """When too old offers were last removed, by the clock that never runs backwards."""
        self.while_reading: Callable[[], AbstractContextManager[None]] = nullcontext
        """Returns what surrounds the reading of a text, which can take long and does nothing."""

    @property
    def settings(self) -> Settings:
        """Return the current settings; their files are read again if they have changed."""
        return self._settings()

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Return all operations by id, whether or not the settings allow them."""
        return self.tools.catalogue

    @property
    def sessions(self) -> Sessions:
        """Return the stored conversations, and the notes that the person and other programs left."""
        return self.journal.sessions

    @property
    def chats(self) -> Instances:
        """Return the stored offers of the person's own actions, and what actions added to chats."""
        return self.journal.instances

    @property
    def ids(self) -> Ids:
        """Return what makes words that nobody can guess."""
        return self.tools.ids

    @property
    def clock(self) -> Clock:
        """Return the clock that tells the time."""
        return self.tools.clock

    @property
    def longest_reply(self) -> int:
        """Return how many bytes a model's text may have."""
        return self.settings.policy.limits.reply_bytes

    def own_actions(self) -> list[Json]:
        """Return the person's own actions as a prompt lists them; their files are read at each call (S3-85)."""
        return load("sayso.assembly.actions:list_actions")(self.settings.places.actions)

    async def watch_actions(
        self,
        changed: Callable[[list[Json], tuple[str, ...]], None],
        *,
        task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
    ) -> None:
        """Call `changed` whenever the folder of own actions has changed, until cancelled (S3-70).

        It is given the actions as a prompt lists them, and a sentence for each file that cannot be used. `start` of a
        task group returns once every later change will be told.
        """
        watch = load("sayso.assembly.actions:watch_library")(lambda: self.settings.places.actions, changed)
        task_status.started()
        await watch.run()

    @property
    def budget(self) -> Budget:
        """Return what one ask may take at most: turns, tokens, time and money."""
        return load("sayso.assembly.model:budget_of")(self.settings)

    def longest_context(self, model: str) -> int:
        """Return how many characters of context a prompt to the model of this name may contain."""
        return load("sayso.assembly.model:context_chars")(self.settings, model)

    async def ask(
        self, words: str, entry: str = "commands", model: Model | None = None, asker: Asker | None = None
    ) -> AskResult:
        """Ask a model at an entry point (commands, automation or chat), and carry out what it proposes.

        Without `model`, the model that the settings name is asked. `asker` names the session and the approver; without
        an approver, actions that need a yes wait. Raises `SetupError`, `ProviderError`.
        """
        return await load("sayso.assembly.entry:ask_model")(self, words, entry, model, asker)

    async def go_on(self, entry: str, model: Model | None, asker: Asker) -> AskResult | None:
        """Ask the model to go on if the person has decided or taken back something of the session since it was asked.

        Returns None if there was nothing, or if only the built-in rules could be asked. Raises like `ask`.
        """
        return await load("sayso.assembly.entry:go_on")(self, entry, model, asker)

    def redact_exchange(self, exchange: Exchange, proposals: Sequence[Proposal]) -> Exchange:
        """Return an exchange in the form that may be stored: without secret values (`audit_redact`, `secret: true`)."""
        patterns = self.settings.policy.audit_redact
        if any(one.template_id is not None or one.operation == _RUNS_ACTION for one in proposals):
            patterns = (*patterns, *self._offers().secret_names())
        return load("sayso.assembly.entry:redact_exchange")(exchange, proposals, patterns)

    def enabled_operations(self) -> list[Operation]:
        """Return the operations that the settings allow and this system has, as models are told of them (T-32, T-56).

        Safari exists on macOS alone; elsewhere it is no choice of a browser.
        """
        policy, served = self.settings.policy, {*self.tools.backends}
        here = [one for one in self.operations.values() if allows(policy, one.id) and served >= {*one.stores}]
        return here if sys.platform == "darwin" else [operation.without_choice("safari") for operation in here]

    def possible_operations(self) -> list[Operation]:
        """Return the enabled operations that can work as this home is set up now, as other people's agents are told."""
        return load("sayso.assembly.possible:possible_operations")(self)

    def read(self, text: str, dialect_name: str = "lines", end_word: str = "") -> Reading:
        """Parse a model's text; no store is read, and nothing runs.

        With `end_word`, only this word ends a text over several lines, in dialects that have such texts.
        """
        with self.while_reading():
            return read(dialect(dialect_name, end_word), self.operations, text)

    def results_for(self, report: Report) -> list[dict[str, Json]]:
        """Return the results of a run as they are sent to the model, in the form of the run's dialect."""
        rows = [{**result_json(outcome), "said": outcome.record.said} for outcome in report.outcomes]
        # The module knows several dialects, so it is imported only here, when a model is answered.
        return load("sayso.dialects.feedback:project_rows")(_answering(report.dialect), rows, self.operations)

    def notes_for(self, reading: Reading, report: Report) -> tuple[FeedbackNote, ...]:
        """Return notes for the model's next turn, one for each of its proposals that was not carried out."""
        rows = [result_json(outcome) for outcome in report.outcomes]
        return load("sayso.dialects.feedback:notes")(_answering(reading.dialect), reading, rows, self.operations)

    def remember_shown(self, session: str, store: str, shown: Facts) -> None:
        """Record the numbered items that a session's model was shown, in order.

        Numbers that the model writes from then on mean these items (T-97). For items that operations and `context`
        show, sayso does this itself. Call it for a context that was put together in another way.
        """
        self._path.shown.keep(session, (store,), shown)

    async def context(
        self, session: str = "", *, query: bool = False, entry: str = "library", words: str = ""
    ) -> ModelContext:
        """Return the context that a model is shown with a request or, with `query`, with a question.

        Files that `words` name are in it even if others are newer.

        From then on, numbers that this session's model writes mean the items in this context (T-97), and what strangers
        wrote in it counts as read by the principal of `entry`. An empty `entry` means that no model is shown the
        context, or that the caller notes it.
        """
        found: ModelContext = await load("sayso.assistant.context:look")(
            self._parts, self.tools, query=query, words=words
        )
        for store, shown in found.shown.items():
            self.remember_shown(session, store, shown)
        if query:
            history = await load("sayso.assistant.history:history")(self.journal)
            found = replace(found, pieces=(*found.pieces, history))
        if entry and found.outside:
            await self.journal.commit(NoteExposure(principal_of(entry), session, found.outside), event="exposed")
        return found

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
        """Plan, judge and carry out every proposal in a model's text.

        Questions are put to `approver`; without one, actions that need a yes wait, and `approve` decides them later.
        """
        return await self.carry(text, Origin(dialect_name, entry, session), approver, dry_run=dry_run)

    async def carry(
        self, text: str, origin: Origin, approver: Approver | None = None, *, dry_run: bool = False
    ) -> Report:
        """Do what `run` does, for a text whose origin is known; the origin names the dialect of the text."""
        most = self.longest_reply
        if len(text.encode("utf-8", "surrogatepass")) > most:
            because = f"the text is longer than {most} bytes, the most that is read at once (`[limits] reply_bytes`)"
            return await self._path.refuse(origin, because, "limit.reply")
        reading = self.read(text, origin.dialect, origin.end_word)
        origin = replace(origin, dialect=reading.dialect)
        if reading.needs_clarification:
            return self._report_question(reading, origin, dry_run=dry_run)
        report = await self.take(reading.proposals, origin, approver, dry_run=dry_run)
        return replace(report, warnings=(*reading.warnings, *report.warnings))

    def _report_question(self, reading: Reading, origin: Origin, *, dry_run: bool) -> Report:
        """Return the report on a reply in which the model asks back: nothing runs; problems become warnings (T-95)."""
        run = self._path.begin(origin, Nobody()).id
        noted = [proposal.problem for proposal in reading.proposals if proposal.problem]
        return Report(
            run,
            origin.dialect,
            (),
            dry_run,
            needs_clarification=True,
            asks_about_nothing=not reading.proposals,
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
        as_run: str | None = None,
    ) -> Report:
        """Plan, judge and carry out proposals that have been parsed already; `as_run` is the id of the new run.

        A proposal to run an action of the person's own becomes an offer, which is run (`assembly/expansion.py`).
        """
        written = dialect(origin.dialect) if origin.dialect in DIALECTS else None
        whole = written is not None and written.all_or_nothing
        proposals = await of_templates(proposals, self.tools)
        expands = self._runs_actions(proposals)
        if expands and not origin.session:  # an offer belongs to a session
            origin = replace(origin, session=run_id(self.ids.key()))

        async def path(some: Sequence[Proposal]) -> Report:
            asked = CheckedEdits(approver, self.tools) if approver else Nobody()
            return await self._path.take(some, origin, asked, dry_run=dry_run, whole_or_none=whole, as_run=as_run)

        if expands:
            expansion = load("sayso.assembly.expansion:Expansion")(self, path, origin, approver, dry_run=dry_run)
            report: Report = await expansion.take(proposals, whole_or_none=whole)
            await self._prune_offers()
        else:
            await self._prune_offers()
            report = await path(proposals)
        if any(outcome.record.state is State.WAITING for outcome in report.outcomes):
            await load("sayso.assembly.notified:announce")(self, report)
        return report

    def _runs_actions(self, proposals: Sequence[Proposal]) -> bool:
        runs = any(one.template_id is not None or one.operation == _RUNS_ACTION for one in proposals)
        return runs and "talk" in self.tools.backends and offers(self.tools.backend("talk"), RunsActions)

    async def pending(self) -> list[Record]:
        """Return the actions that wait for a decision, newest first."""
        found = await self._approvals().waiting()
        await self._offers().tidy()
        return found

    async def question(self, run: str) -> Question:
        """Return the question about what waits in a run, as an approver would be asked it.

        Raises `ProposalError` when nothing of it waits any more, and `SetupError` if a plan cannot be read.
        """
        return await self._approvals().question(run)

    async def offered(self) -> list[Instance]:
        """Return the offers of the person's own actions that wait until somebody runs them, oldest first."""
        return await self._offers().waiting()

    async def approve(self, ref: str, approver: Approver) -> Report:
        """Ask `approver` about waiting actions, and do them after a yes.

        `ref` is the id of one action, or of a run; all waiting actions of the run are then meant. It may also be the
        id of an offer of the person's own actions, which is then run.
        """
        if is_offer(ref):
            return await self._offers().approve(ref, approver)
        return await self._decided(await self._approvals().approve(ref, CheckedEdits(approver, self.tools)))

    async def approve_all(self, refs: Sequence[str], approver: Approver) -> list[Report]:
        """Ask `approver` about waiting actions, with one question for each run, and do what it answers.

        `refs` are ids of actions, of runs, or of offers.
        """
        others = [ref for ref in refs if not is_offer(ref)]
        found: list[Report] = []
        if others:
            found = await self._approvals().approve_all(others, CheckedEdits(approver, self.tools))
        reports = [await self._decided(report) for report in found]
        return [*reports, *[await self.approve(ref, approver) for ref in refs if is_offer(ref)]]

    async def decline(self, ref: str, by: str = "client", because: str = "") -> Report:
        """Decline the waiting action with this id, or the waiting actions of the run or the offer with this id.

        `because` is the person's reason, which is recorded with the no.
        """
        if is_offer(ref):
            return await self._offers().decline(ref, by, because)
        return await self._decided(await self._approvals().decline(ref, by, because))

    async def withdraw(self, ref: str) -> None:
        """End a waiting action because the program that proposed it took its call back; stop one that is running."""
        try:
            await self._approvals().withdraw(ref)
        except (ProposalError, Stale):
            await load("sayso.runtime.watching:stop_elsewhere")(self.tools, ref)

    async def _prune_offers(self) -> None:
        """Remove the offers that are too old, at most every five minutes while this home is used (T-75)."""
        now = self.clock.monotonic()
        if self._pruned is None or now - self._pruned >= PRUNE_EVERY:
            self._pruned = now
            if self.journal.has_offers():
                await self.journal.instances.prune()

    async def outcome(self, ref: str) -> Outcome | None:
        """Return what became so far of an action, or of an offer of the person's own; None if there is none."""
        if is_offer(ref):
            return await self._offers().outcome_of(ref)
        record = await self.journal.get(ref)
        return None if record is None else with_reply(journaled_outcome(record), self.tools.codec)

    async def _decided(self, report: Report) -> Report:
        known = await self.journal.instances.of_run(report.run) if report.run else None
        return report if known is None else await self._offers().decided(report)

    async def undo(self, ref: str | None = None, *, by: str = "client", dry_run: bool = False) -> Report:
        """Undo an action, a run, what an offer did, or the last thing done; the call itself counts as approval."""
        undo = self._undo()
        found = await undo.find(await self._run_meant(ref))
        return await undo.take_back(found, Origin("", "undo"), by, dry_run=dry_run)

    async def undoable(self, ref: str | None = None) -> list[tuple[Record, str]]:
        """Return what `undo` would undo, newest first: each record, with a sentence about its undo."""
        found = await self._undo().find(await self._run_meant(ref))
        return [(back.original, back.plan.summary) for back in found]

    async def _run_meant(self, ref: str | None) -> str | None:
        return await self._offers().run_of(ref) if ref is not None and is_offer(ref) else ref

    async def undoable_before(self, action: str) -> tuple[Record, str] | None:
        """Return the newest thing done before this action that `undo` can undo, with a sentence about its undo."""
        back = await self._undo().find_before(action)
        return None if back is None else (back.original, back.plan.summary)

    async def exposed_principals(self) -> list[ExposedPrincipal]:
        """Return whoever has read text of strangers so lately that sending asks, sorted by name."""
        lasts = timedelta(seconds=self.settings.policy.exposure_lasts)
        since = self.clock.now() - lasts
        found: dict[str, list[Exposure]] = {}
        for one in await self.journal.exposures():
            known = one.source not in self.operations or self.operations[one.source].outside
            if known and moment(one.time) >= since:
                found.setdefault(one.principal, []).append(one)
        return [
            ExposedPrincipal(
                principal, read[0].time, stamp(moment(read[-1].time) + lasts), tuple({one.source: None for one in read})
            )
            for principal, read in found.items()
        ]

    async def log(self, query: RecordQuery | None = None) -> list[Record]:
        """Return a page of the records in the journal, newest first."""
        return await self.journal.query(query or RecordQuery())

    async def log_of(self, ref: str) -> list[Record]:
        """Return the action with this id, or the actions of the run with this id in order; else an empty list."""
        if ref.startswith("run_"):
            return await self.journal.of_run(ref)
        record = await self.journal.get(ref)
        return [record] if record else []

    async def settle(self, id: str, *, done: bool) -> Outcome:  # noqa: A002 - the word of the interface
        """Record the person's answer about an action with an unknown outcome: whether it was done."""
        return Outcome(await settle_by_person(self.tools, id, done=done))

    def _offers(self):
        return load("sayso.assembly.instances:Offers")(self)

    # Each of these parts is imported at its first use, so that commands that only read the journal import none of them.
    @cached_property
    def _path(self):
        return load("sayso.runtime.engine:Engine")(self.tools)

    def _approvals(self):
        return load("sayso.runtime.engine:Approvals")(self.tools, self._path)

    def _undo(self):
        return load("sayso.runtime.undo:Undo")(self.tools)


def _answering(name: str) -> Dialect:
    """Return the dialect in which a model is answered: the one of this name or, if there is none, the chat dialect."""
    return dialect(name if name in DIALECTS else "chat")
