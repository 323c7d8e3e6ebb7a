"""What an open home does for requests in plain language, and for triggers, which start without the person."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.actions import name_action
from sayso.assembly.home import Home
from sayso.assembly.model import open_model
from sayso.assistant import entry_points
from sayso.assistant.asker import Asker, AskResult, NoView, ReplyView
from sayso.assistant.conversation import ask
from sayso.assistant.entry_points import EntryPoint
from sayso.assistant.history import BROKE_OFF, notes_since
from sayso.assistant.prompts import DECIDED
from sayso.assistant.triggers.due import Due
from sayso.assistant.triggers.events import GENERATORS, GeneratedAction, GeneratorInput, snapshot_of
from sayso.assistant.triggers.host import TriggerRun, TriggerServices, must_be_on
from sayso.assistant.triggers.reminders import Notice, OpenReminders, ReminderServices, ShownNotices
from sayso.core.conversation import Exchange, Model, Trigger, UserNote
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import Approver, RecordQuery
from sayso.core.proposal import Origin, Proposal
from sayso.core.quotes import visible
from sayso.core.record import State, session_id
from sayso.journal.redaction import REDACTED, may_name_arguments, without
from sayso.models.vendors import EMBEDDED
from sayso.policy.rules import allows
from sayso.providers.calendar.store import Calendar
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report
from sayso.runtime.services import stamp

ENTRIES: Mapping[str, EntryPoint] = MappingProxyType(
    {one.name: one for one in (entry_points.COMMANDS_ENTRY, entry_points.AUTOMATION_ENTRY, entry_points.CHAT_ENTRY)}
)


async def ask_model(home: Home, words: str, entry: str, model: Model | None, asker: Asker | None) -> AskResult:
    """Ask a model and carry out what it proposes; the same model answers the questions among its proposals."""
    if entry not in ENTRIES:
        raise SetupError(f"there is no entry point “{entry}”; there are: {', '.join(ENTRIES)}", "entry.unknown")
    if entry == entry_points.AUTOMATION_ENTRY.name:
        must_be_on(home.settings.policy)
    home.settings.policy.must_go_on()
    asker = asker or Asker()
    if not asker.session:
        asker = replace(asker, session=session_id(home.tools.ids.key()))
    model = model or open_model(home.settings, home.tools.ids, clock=home.tools.clock)
    home.questions.answering.serve(asker.session, model, asker.view)
    return await ask(home, ENTRIES[entry], model, words, asker)


async def go_on(home: Home, entry: str, model: Model | None, asker: Asker) -> AskResult | None:
    """Let the model go on if something of the session was decided or taken back since it was last asked; else None."""
    model = model or open_model(home.settings, home.tools.ids, clock=home.tools.clock)
    if not await has_news(home, asker.session, model, entry):
        return None
    return await ask_model(home, DECIDED, entry, model, replace(asker, wrote=""))


async def has_news(home: Home, session: str, model: Model, entry: str = entry_points.CHAT_ENTRY.name) -> bool:
    """Return whether a language model would be told of something that was decided or taken back in the session."""
    said = [one for one in await home.sessions.exchanges(session) if one.entry == entry]
    return model.name != EMBEDDED and bool(await notes_since(home, said))


async def begin_exchange(home: Home, exchange: Exchange) -> None:
    """Store what the person said before a model is asked; where the settings or actions name secrets, without words."""
    secret = _are_secrets_named(home)
    await home.sessions.keep(replace(exchange, words=REDACTED if secret else exchange.words, ended=False))


async def keep_part(home: Home, exchange: Exchange, shown: str) -> None:
    """Store what a reply that goes on has shown so far; where the settings or actions name secrets, nothing."""
    if not _are_secrets_named(home):
        await home.sessions.keep(replace(exchange, shown=shown, ended=False))


def _are_secrets_named(home: Home) -> bool:
    policy = home.settings.policy
    return bool(policy.audit_redact or load("sayso.assembly.instances:Offers")(home).secret_names())


async def end_broken(home: Home, session: str, message: str, why: str) -> None:
    """Store how an exchange ended that was begun, if nothing is stored yet: with `why`, and with what it led to.

    What it had shown by then stays for the person to read. Models are not told of it: what of strangers' text it came
    from was not stored with it.
    """
    found = [one for one in await home.sessions.exchanges(session, begun=True) if one.message == message]
    for one in found:
        if not one.ended:
            records = await home.log(RecordQuery(limit=MOST_LED_TO, session=session, since=one.time))
            runs = tuple(dict.fromkeys(record.run for record in reversed(records) if record.entry == one.entry))
            now = stamp(home.clock.now())
            trace: dict[str, Json] = {"error": why, BROKE_OFF: True}
            ended = replace(one, time=now, began=one.time, runs=runs, shown=one.shown or "", trace=trace, ended=True)
            await home.sessions.keep(ended)


MOST_LED_TO = 500
"""Among how many actions of a conversation those of an exchange are looked for whose process died."""


def redact_exchange(exchange: Exchange, proposals: Sequence[Proposal], patterns: Sequence[str]) -> Exchange:
    """Return the exchange without its words, reply and trace if a proposal has an argument that a pattern names.

    They may contain any part or form of the value. A proposal that was not understood may have such an argument, too.
    """
    if not _has_any(proposals, patterns):
        return exchange
    shown = None if exchange.shown is None else REDACTED
    return replace(exchange, words=REDACTED, reply=REDACTED, shown=shown, trace={})


def _has_any(proposals: Sequence[Proposal], patterns: Sequence[str]) -> bool:
    for one in [*proposals, *map(name_action, proposals)]:
        for name in [name for name in (one.operation, one.template_id) if name] or [""]:
            if (one.operation is None or one.problem) and may_name_arguments(name, patterns):
                return True
            if any(value.strip() for value in without(name, one.arguments, patterns)[1]):
                return True
    return False


ENTRY = "automation"
REMINDERS = "reminders"
"""The entry point of the notifications by which reminders ring."""
MOST_TITLE = 200


def one_line(title: str) -> str:
    """Return the title of a notification: on one line, and not too long."""
    words = " ".join(title.split())
    return words if len(words) <= MOST_TITLE else f"{words[:MOST_TITLE]}…"


def _inert(message: str) -> str:
    """Return what others may have written so that no character in it keeps it from being shown."""
    return "\n".join(visible(line) for line in message.split("\n"))


class Moment(Struct, frozen=True):
    """The input of generators: the time, and the notes of the person and other programs."""

    now: datetime
    told: tuple[UserNote, ...]


class Automation:
    """The triggers of one home. Questions are put to `approver`; without one, actions wait (`sayso pending`).

    Without `model`, the model that the settings name is asked. `view` shows its reply, and can stop it.
    """

    def __init__(
        self,
        home: Home,
        approver: Approver | None = None,
        *,
        model: Model | None = None,
        view: ReplyView | None = None,
        dry_run: bool = False,
    ) -> None:
        self._home = home
        self._approver = approver or Nobody()
        self._model = model
        self._view = view or NoView()
        self._dry_run = dry_run
        self.reports: list[Report] = []
        """The reports of all runs so far."""

    @property
    def world(self) -> TriggerServices:
        """Return the services that a trigger host needs."""
        home = self._home
        return TriggerServices(
            triggers=lambda: home.settings.triggers,
            policy=lambda: home.settings.policy,
            states=home.journal.triggers,
            clock=home.tools.clock,
            happened=lambda trigger: snapshot_of(trigger, home.tools),
            known=self.known,
            generators=GENERATORS,
            run=self.run,
            reminders=ReminderServices(self.open_reminders, self.show_notices),
        )

    async def open_reminders(self) -> OpenReminders | None:
        """Return the open reminders; None if none is to ring here. Raises `SaysoError`."""
        now, tools = self._home.settings, self._home.tools
        rings = now.sections.get("calendar", {}).get("ring", True) and allows(now.policy, "reminder.list")
        if not rings or now.policy.paused:
            return None
        calendar: Calendar = tools.backend("calendar").reads
        if calendar.rings_itself:
            return None
        return OpenReminders((await calendar.reminders()).reminders, calendar.zone())

    async def show_notices(self, notices: Sequence[Notice]) -> ShownNotices:
        """Show the reminders that ring, without asking: the person asked for them when they made them."""
        wishes = [
            Proposal(number, "", "notify.show", {"title": one_line(visible(one.title)), "message": _inert(one.message)})
            for number, one in enumerate(notices)
        ]
        report = await self._home.take(wishes, Origin("", REMINDERS), self._approver, dry_run=self._dry_run)
        self.reports.append(report)
        wrong = [one.record for one in report.outcomes if one.record.state in {State.FAILED, State.REFUSED}]
        said = next((one.marks.error for one in wrong if one.marks.error), None) or summarize_report(report)
        return ShownNotices(said, tuple(notices[one.index] for one in wrong))

    async def known(self) -> GeneratorInput:
        """Return the input of generators for the current moment."""
        return Moment(self._home.tools.clock.now(), tuple(await self._home.journal.sessions.told()))

    def called(self, name: str) -> Trigger:
        """Return the trigger of this name. Raises `SetupError` that lists all names when there is none."""
        there = self._home.settings.triggers
        found = next((one for one in there if one.name.casefold() == name.casefold()), None)
        if found is None:
            names = ", ".join(f"“{one.name}”" for one in there)
            hint = f"there are {names}" if names else "the settings hold none; add a [[trigger]] to config.toml"
            raise SetupError(f"no trigger is called “{name}”; {hint}", "trigger.unknown")
        return found

    async def run(self, due: Due, action: GeneratedAction | None) -> TriggerRun:
        """Run a trigger's lines, ask a model about its words, and show what its generator made. Raises `SaysoError`."""
        must_be_on(self._home.settings.policy)
        trigger, reports, said = due.trigger, list[Report](), ""
        if trigger.lines:
            origin = Origin("lines", ENTRY, principal=_principal_of(trigger))
            reports.append(await self._home.carry(trigger.lines, origin, self._approver, dry_run=self._dry_run))
        if trigger.words:
            answer = await self._ask_about(due)
            reports.append(answer.report)
            said = "" if answer.report.outcomes else remark(answer)
        if action is not None:
            reports.append(await self._preview_action(trigger, _attach_outcomes(action, reports)))
        self.reports += reports
        return TriggerRun(reports[0].run, said or "; ".join(map(summarize_report, reports)))

    async def _preview_action(self, trigger: Trigger, action: GeneratedAction) -> Report:
        wish = Proposal(0, "", "notify.show", {"title": action.title, "message": action.message})
        origin = Origin("lines", ENTRY, principal=_principal_of(trigger))
        return await self._home.take([wish], origin, self._approver, dry_run=self._dry_run)

    async def _ask_about(self, due: Due) -> AskResult:
        """Ask the model; what started the trigger is part of its context, not of the person's words (X-08)."""
        asker = Asker(
            approver=self._approver,
            dry_run=self._dry_run,
            view=self._view,
            wrote=due.trigger.words,
            because=due.trigger.says,
            happened=due.what,
            principal=_principal_of(due.trigger),
        )
        return await self._home.ask(due.trigger.words, ENTRY, self._model, asker)


def _principal_of(trigger: Trigger) -> str:
    return f"trigger:{trigger.name}"


def summarize_report(report: Report) -> str:
    """Return the result of a run in a few words: how many actions ended in each state."""
    if report.needs_clarification:
        return f"a question came back: {report.clarification_reason or 'say more exactly what you want'}"
    states = [outcome.record.state for outcome in report.outcomes]
    return ", ".join(f"{states.count(state)} {state.value}" for state in State if state in states) or "nothing to do"


def remark(answer: AskResult) -> str:
    """Return the comments of a model that proposed nothing; they give its reason, or ask back."""
    response = answer.trace.steps[-1].response if answer.trace.steps else ""
    comments = [line.strip().lstrip("#").strip() for line in response.splitlines() if line.strip().startswith("#")]
    return f"nothing was done; the model wrote: {' '.join(comments)}" if comments else "nothing to do"


def _attach_outcomes(action: GeneratedAction, reports: list[Report]) -> GeneratedAction:
    """Return the notification with one more line for each outcome: its message, its error or its state (S0-76)."""
    records = [outcome.record for report in reports for outcome in report.outcomes]
    said = [one.marks.message or one.marks.error or f"{one.operation}: {one.state.value}" for one in records]
    return replace(action, message="\n".join((action.message, *said)))
