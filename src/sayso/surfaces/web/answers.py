"""What the page's server answers: each answer is one of these, and the OpenAPI document is made from them."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from sayso.assembly.actions import ReportedLine
from sayso.assembly.home import ExposedPrincipal
from sayso.assembly.trigger_list import TriggerDocument
from sayso.core.conversation import UserNote
from sayso.journal.run_log import LogEntry
from sayso.providers.tasks.lists import Task
from sayso.providers.tasks.lookup import HabitDocument
from sayso.runtime.grant_documents import GrantDocument
from sayso.runtime.results import Document, ReportDocument, ResultDocument, RowDocument
from sayso.surfaces.web.card_answers import Card, Step, Things
from sayso.templates.messages import WireInstance, WireTemplate
from sayso.templates.runner import HandlerLine


class State(Document, frozen=True):
    """What every page shows: the number of the last change, the mode, and how much waits."""

    version: str
    sequence: int
    paused: bool
    unreadable: str
    """Why the settings cannot be read, if they cannot; all is paused then."""
    mode: str
    model: str
    waiting: int


class Form(Document, frozen=True):
    """What a form for the arguments of an action is made from."""

    id: str
    arguments: Things
    schema: Things


class Forms(Document, frozen=True):
    """What forms for the arguments of what waits are made from."""

    forms: Sequence[Form]


class Waiting(Document, frozen=True):
    """All that waits."""

    sequence: int
    waiting: Sequence[Card]


class PageRow(RowDocument, kw_only=True, frozen=True):
    """One row of the history, and what it was about in one sentence."""

    title: str


class Rows(Document, frozen=True):
    """A page of the history, and from where the next one begins."""

    rows: Sequence[PageRow]
    before: str | None
    looked_back_to: str | None
    words_ready: bool
    dry_hidden: int = 0
    """How many actions of dry runs there are that were asked to be left out."""


class RowShown(Document, frozen=True):
    """One action of the history, and what its card shows."""

    row: PageRow
    card: Step


class Why(Document, frozen=True):
    """Why an action was asked about or not."""

    why: Sequence[str]


class Undoable(Document, frozen=True):
    """An action that would be taken back."""

    id: str
    text: str


class Undoables(Document, frozen=True):
    """All that would be taken back."""

    undo: Sequence[Undoable]


class TakenBack(Document, frozen=True):
    """An action that a rewind would take back, or that stays, and then why."""

    id: str
    text: str
    time: str
    why: str | UnsetType = UNSET


class Rewind(Document, frozen=True):
    """What rewinding to a moment would do."""

    to: str
    digest: str
    undo: Sequence[TakenBack]
    stays: Sequence[TakenBack]
    more: bool


class Rewound(ReportDocument, kw_only=True, frozen=True):
    """What became of a rewind: how many were tried, and how many were taken back."""

    of: int
    done: int


class Verified(Document, frozen=True):
    """Whether the journal is as sayso wrote it."""

    ok: bool
    rows: int
    actions: int
    problem: str | None


class Setting(Document, frozen=True):
    """One setting."""

    name: str
    says: str
    value: Any
    expects: str
    here: bool
    administered: bool


class Allowed(Document, frozen=True):
    """An operation, whether it may run, and whether it asks in every mode if a model proposes it."""

    id: str
    allowed: bool
    always_asks: bool


class SettingsShown(Document, frozen=True):
    """All settings and operations."""

    file: str
    settings: Sequence[Setting]
    operations: Sequence[Allowed]
    missing_roots: Sequence[str]


class AutomationShown(Document, frozen=True):
    """The triggers, and what automation did lately."""

    automation: bool
    paused: bool
    mode: str
    hosted: bool
    triggers: Sequence[TriggerDocument]
    recent: Sequence[PageRow]


class TaskShown(Task, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A task, and how deep it stands."""

    level: int


class HabitShown(HabitDocument, kw_only=True, frozen=True):
    """A habit, and the times at which it was done."""

    times: Sequence[str]


class Lists(Document, frozen=True):
    """The person's tasks and habits."""

    tasks: Sequence[TaskShown]
    habits: Sequence[HabitShown]


class Chart(Document, frozen=True):
    """A number over the last days, as a picture and as rows."""

    title: str
    says: str
    svg: str
    rows: Sequence[Sequence[str]]


class Numbers(Document, frozen=True):
    """The charts."""

    days: int
    cut: bool
    charts: Sequence[Chart]


class Wish(Document, frozen=True):
    """A first wish that works here."""

    text: str
    does: str


class Wishes(Document, frozen=True):
    """First wishes."""

    wishes: Sequence[Wish]
    note: str


class Conversation(Document, frozen=True):
    """A conversation in the list of all."""

    id: str
    title: str
    entry: str
    begun: str
    last: str
    exchanges: int
    status: str
    waiting: int


class Conversations(Document, frozen=True):
    """The conversations, the one last spoken in first."""

    sequence: int
    sessions: Sequence[Conversation]


class Begun(Document, frozen=True):
    """A conversation that was begun."""

    id: str
    entry: str


class Outcome(Document, frozen=True):
    """What became of an action in a conversation, and its card."""

    row: PageRow
    card: Step


class Message(Document, frozen=True):
    """Something that was said in a conversation; of a reply, also what came of it."""

    id: str
    role: str
    time: str
    text: str
    html: str
    attachments: Sequence[str]
    instance: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    """Which model replied; only replies have it."""
    runs: Sequence[str] = ()
    outcomes: Sequence[Outcome] = ()
    buttons: Sequence[str] = ()
    actions: Sequence[str] = ()
    used: str = ""
    stopped: str = ""
    error: str = ""
    cut: bool = False
    asked_back: bool = False
    can_ask_again: bool = False


class Button(Document, frozen=True):
    """The button of an action that waits in a conversation."""

    id: str
    run: str
    index: int
    label: str | None
    text: str
    style: str
    digest: str | None
    nonce: str
    card: Step


class Replying(Document, frozen=True):
    """The reply that goes on."""

    message: str
    text: str
    blocks: Sequence[str]
    progress: str
    began: str


class Offer(Document, frozen=True):
    """An offer of one of the person's own actions; what is in `instance` was written by a model, and so was `style`.

    For an action that the person declared destructive, `style` is always `danger`.
    """

    instance: WireInstance
    name: str
    text: str
    style: str
    state: str
    run: str
    result: Things | None


class ConversationShown(Document, frozen=True):
    """A part of a conversation, and all that can be done in it now."""

    sequence: int
    id: str
    title: str
    entry: str
    model: str
    model_sends: bool
    model_problem: str | None
    begun: str | None
    last: str | None
    status: str
    replying: Replying | None
    before: int | None
    messages: Sequence[Message]
    buttons: Sequence[Button]
    actions: Sequence[Offer]


class Said(Document, frozen=True):
    """Words that were taken; the id of the reply to come."""

    message: str


class Results(Document, frozen=True):
    """What became of the buttons that were pressed."""

    results: Sequence[ResultDocument]


class SettingSet(Document, frozen=True):
    """A setting that was changed."""

    name: str
    value: Any
    before: Any


class Paused(Document, frozen=True):
    """Whether everything is paused."""

    paused: bool


class Switched(Document, frozen=True):
    """A trigger that was switched."""

    trigger: str
    enabled: bool


class Deleted(Document, frozen=True):
    """A trigger that was deleted."""

    trigger: str


class TriggerAdded(Document, frozen=True):
    """A trigger that was added, as it was understood."""

    name: str
    when: str
    what: str
    due: Sequence[str]


class Trace(Document, frozen=True):
    """What a model was told and said before a run."""

    time: str | None
    words: str | None
    trace: Things | None


class Forgotten(Document, frozen=True):
    """Whether a fact was there, which models are told no longer."""

    name: str
    there: bool


class PermittedAction(Document, frozen=True):
    """An action that a standing permission has allowed."""

    id: str
    time: str
    text: str


class GrantShown(GrantDocument, kw_only=True, frozen=True):
    """A standing permission, and what it allowed lately."""

    allowed: Sequence[PermittedAction]


class Server(Document, frozen=True):
    """An MCP server that sayso stands before."""

    name: str
    starts: str
    local: bool


class Standing(Document, frozen=True):
    """What stands: permissions, who has read strangers' words, other servers, and facts that models are told."""

    grants: Sequence[GrantShown]
    exposed: Sequence[ExposedPrincipal]
    servers: Sequence[Server]
    notes: Sequence[UserNote]


class ActionRun(LogEntry, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One run of one of the person's own actions, and the lines that it wrote."""

    lines: Sequence[HandlerLine]


class ActionRuns(Document, frozen=True):
    """The latest runs of one of the person's own actions."""

    rows: Sequence[ActionRun]


class OwnAction(WireTemplate, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One of the person's own actions, and its last run."""

    file: str
    secret: Sequence[str]
    destructive: bool
    last: ActionRun | None


class OwnActions(Document, frozen=True):
    """The person's own actions, why files in their folder cannot be used, and where that is."""

    actions: Sequence[OwnAction]
    broken: Sequence[str]
    folder: str


class ActionReport(ReportDocument, kw_only=True, frozen=True):
    """What became of a run of one of the person's own actions, and of what it requested."""

    instance: str
    result: Things
    log: Sequence[ReportedLine]
    printed: str


class Automated(Document, frozen=True):
    """What an automation that was started did."""

    runs: Sequence[str]
    results: Sequence[ResultDocument]
    said: str
