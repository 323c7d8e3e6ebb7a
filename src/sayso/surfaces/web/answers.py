"""What the page's server answers: the shape of each answer, from which the OpenAPI document is made.

The tests compare every answer of the running server with its shape: a member that is missing, new or of another type
fails them.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

Things = Mapping[str, Any]
"""Members that depend on the operation."""


class _Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer or a part of one; it has these members and no others."""


class State(_Shape, frozen=True):
    """What every page shows: the number of the last change, the mode, and how much waits."""

    version: str
    sequence: int
    paused: bool
    mode: str
    model: str
    waiting: int


class Verdict(_Shape, frozen=True):
    """What policy ruled, why, and by which rule."""

    ruling: str
    because: str
    rule: str


class PlannedChange(_Shape, frozen=True):
    """One change of a plan, what takes it back, what it expects, what it left, and what became of it."""

    do: Things
    undo: Things
    expects: Things
    left: Things | None
    outcome: str


class Plan(_Shape, frozen=True):
    """What an action would do, or did."""

    summary: str
    changes: Sequence[PlannedChange]
    loses: Sequence[str] = ()
    sends: Sequence[str] = ()
    warns: Sequence[str] = ()
    on_failure: str = ""


class Result(_Shape, frozen=True):
    """What became of one action that was proposed."""

    id: str
    index: int
    operation: str | None
    arguments: Things
    label: str | None
    state: str
    success: bool
    message: str | None
    error: str | None
    code: str | None
    data: Things
    text: str | None
    plan: Plan | None
    verdict: Verdict | None
    digest: str | None
    approved_by: str | None
    undo: str | None
    undo_of: str | None
    edit_of: str | None
    duration_ms: int
    within: "Report | None" = None
    """What the person's own action did that this ran."""


class Report(_Shape, frozen=True):
    """What became of all actions of one run."""

    run: str
    dialect: str
    dry_run: bool
    needs_clarification: bool
    clarification_reason: str | None
    results: Sequence[Result]
    warnings: Sequence[str]
    edits: Sequence["Report"]


class Row(Result, kw_only=True, frozen=True):
    """One action of the history."""

    time: str
    run: str
    dialect: str
    entry: str
    session: str
    dry_run: bool
    expires: str | None
    decided_at: str | None
    ended_at: str | None
    policy: str | None
    backends: Mapping[str, str]
    said: str | None
    exposed: Sequence[str]


class Argument(_Shape, frozen=True):
    """An argument as a card shows it."""

    name: str
    value: Any
    text: str | None


class Step(_Shape, frozen=True):
    """One action as a card shows it."""

    index: int
    id: str
    operation: str
    text: str
    why: str
    asks: bool
    arguments: Things
    rows: Sequence[Argument]
    label: str | None
    loses: Sequence[str]
    sends: Sequence[str]
    reaches: Sequence[str]
    warns: Sequence[str]
    looks: Sequence[str]
    undo: str
    lost: bool
    can_undo_now: bool
    preview: str
    shows: Sequence[Things]
    needs: Sequence[int]
    exactly: str
    digest: str


class Group(_Shape, frozen=True):
    """Actions of a card that are alike."""

    indices: Sequence[int]
    text: str
    members: Sequence[str]


class Card(_Shape, frozen=True):
    """All that waits of one run, and the word by which this browser can answer it once."""

    run: str
    ids: Sequence[str]
    digest: str
    nonce: str
    session: str
    entry: str
    dialect: str
    asked_at: str
    expires_at: str | None
    title: str
    level: str
    edited: bool
    fails: str | None
    always: bool
    groups: Sequence[Group]
    steps: Sequence[Step]


class Waiting(_Shape, frozen=True):
    """All that waits."""

    sequence: int
    waiting: Sequence[Card]


class Rows(_Shape, frozen=True):
    """A page of the history, and from where the next one begins."""

    rows: Sequence[Row]
    before: str | None
    looked_back_to: str | None
    words_ready: bool


class RowShown(_Shape, frozen=True):
    """One action of the history, and what its card shows."""

    row: Row
    card: Step


class Why(_Shape, frozen=True):
    """Why an action was asked about or not."""

    why: Sequence[str]


class Undoable(_Shape, frozen=True):
    """An action that would be taken back."""

    id: str
    text: str


class Undoables(_Shape, frozen=True):
    """All that would be taken back."""

    undo: Sequence[Undoable]


class TakenBack(_Shape, frozen=True):
    """An action that a rewind would take back, or that stays, and then why."""

    id: str
    text: str
    time: str
    why: str = ""


class Rewind(_Shape, frozen=True):
    """What rewinding to a moment would do."""

    to: str
    digest: str
    undo: Sequence[TakenBack]
    stays: Sequence[TakenBack]
    more: bool


class Rewound(Report, kw_only=True, frozen=True):
    """What became of a rewind: how many were tried, and how many were taken back."""

    of: int
    done: int


class Verified(_Shape, frozen=True):
    """Whether the journal is as sayso wrote it."""

    ok: bool
    rows: int
    actions: int
    problem: str | None


class Setting(_Shape, frozen=True):
    """One setting."""

    name: str
    says: str
    value: Any
    expects: str
    here: bool
    administered: bool


class Allowed(_Shape, frozen=True):
    """An operation, and whether it may run."""

    id: str
    allowed: bool


class Settings(_Shape, frozen=True):
    """All settings and operations."""

    file: str
    settings: Sequence[Setting]
    operations: Sequence[Allowed]
    missing_roots: Sequence[str]


class Trigger(_Shape, frozen=True):
    """A trigger and its state."""

    name: str
    says: str
    kind: str
    when: str | None
    missed: str | None
    lines: str | None
    words: str | None
    enabled: bool
    next: str | None
    fired: str | None
    run: str | None
    said: str | None
    wrong: str | None


class Automation(_Shape, frozen=True):
    """The triggers, and what automation did lately."""

    automation: bool
    paused: bool
    mode: str
    hosted: bool
    triggers: Sequence[Trigger]
    recent: Sequence[Row]


class Task(_Shape, frozen=True):
    """A task, and how deep it stands."""

    id: str
    text: str
    parent_id: str | None
    position: float
    completed_at: str | None
    created_at: str
    level: int


class Lists(_Shape, frozen=True):
    """The person's tasks and habits."""

    tasks: Sequence[Task]
    habits: Sequence[Things]


class Chart(_Shape, frozen=True):
    """A number over the last days, as a picture and as rows."""

    title: str
    says: str
    svg: str
    rows: Sequence[Sequence[str]]


class Numbers(_Shape, frozen=True):
    """The charts."""

    days: int
    cut: bool
    charts: Sequence[Chart]


class Wish(_Shape, frozen=True):
    """A first wish that works here."""

    text: str
    does: str


class Wishes(_Shape, frozen=True):
    """First wishes."""

    wishes: Sequence[Wish]
    note: str


class Conversation(_Shape, frozen=True):
    """A conversation in the list of all."""

    id: str
    title: str
    entry: str
    begun: str
    last: str
    exchanges: int
    status: str
    waiting: int


class Conversations(_Shape, frozen=True):
    """The conversations, the one last spoken in first."""

    sequence: int
    sessions: Sequence[Conversation]


class Begun(_Shape, frozen=True):
    """A conversation that was begun."""

    id: str
    entry: str


class Outcome(_Shape, frozen=True):
    """What became of an action in a conversation, and its card."""

    row: Row
    card: Step


class Message(_Shape, frozen=True):
    """Something that was said in a conversation; of a reply, also what came of it."""

    id: str
    role: str
    time: str
    text: str
    html: str
    attachments: Sequence[str]
    instance: str | None = None
    model: str = ""
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


class Button(_Shape, frozen=True):
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


class Replying(_Shape, frozen=True):
    """The reply that goes on."""

    message: str
    text: str
    blocks: Sequence[str]
    progress: str
    began: str


class Offer(_Shape, frozen=True):
    """An offer of one of the person's own actions."""

    instance: Things
    name: str
    text: str
    state: str
    run: str
    result: Things | None


class ConversationShown(_Shape, frozen=True):
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


class Said(_Shape, frozen=True):
    """Words that were taken; the id of the reply to come."""

    message: str


class Results(_Shape, frozen=True):
    """What became of the buttons that were pressed."""

    results: Sequence[Result]


class SettingSet(_Shape, frozen=True):
    """A setting that was changed."""

    name: str
    value: Any
    before: Any


class Paused(_Shape, frozen=True):
    """Whether everything is paused."""

    paused: bool


class Switched(_Shape, frozen=True):
    """A trigger that was switched."""

    trigger: str
    enabled: bool


class Deleted(_Shape, frozen=True):
    """A trigger that was deleted."""

    trigger: str


class TriggerAdded(_Shape, frozen=True):
    """A trigger that was added, as it was understood."""

    name: str
    when: str
    what: str
    due: Sequence[str]


class Trace(_Shape, frozen=True):
    """What a model was told and said before a run."""

    time: str | None
    words: str | None
    trace: Things | None


class KeptNote(_Shape, frozen=True):
    """A fact that models are told."""

    name: str
    value: Any
    time: str


class Forgotten(_Shape, frozen=True):
    """Whether a fact was there, which models are told no longer."""

    name: str
    there: bool


ANSWERS: Mapping[str, type[Struct]] = MappingProxyType(
    {
        "GET /api/state": State,
        "GET /api/waiting": Waiting,
        "POST /api/decide": Report,
        "POST /api/edit": Report,
        "GET /api/rows": Rows,
        "GET /api/rows/{id}": RowShown,
        "GET /api/rows/{id}/why": Why,
        "GET /api/undo": Undoables,
        "POST /api/undo": Report,
        "GET /api/rewind": Rewind,
        "POST /api/rewind": Rewound,
        "GET /api/verify": Verified,
        "GET /api/settings": Settings,
        "POST /api/settings": SettingSet,
        "POST /api/pause": Paused,
        "POST /api/resume": SettingSet,
        "GET /api/automation": Automation,
        "POST /api/triggers": TriggerAdded,
        "POST /api/triggers/{name}/switch": Switched,
        "POST /api/triggers/{name}/delete": Deleted,
        "GET /api/traces/{run}": Trace,
        "POST /api/context": KeptNote,
        "POST /api/context/{name}/forget": Forgotten,
        "GET /api/sessions": Conversations,
        "POST /api/sessions": Begun,
        "GET /api/sessions/{id}": ConversationShown,
        "POST /api/sessions/{id}/messages": Said,
        "POST /api/sessions/{id}/offers": Results,
        "GET /api/lists": Lists,
        "POST /api/lists": Report,
        "GET /api/numbers": Numbers,
        "GET /api/wishes": Wishes,
    }
)
"""The shape of what each request is answered with if it was done."""
