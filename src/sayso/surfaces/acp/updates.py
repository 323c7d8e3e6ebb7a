"""What an editor is shown: text that cannot act, plans, and actions as tool calls with the lines they change."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from acp import schema
from msgspec import Struct

from sayso.core.decision import Card
from sayso.core.encoding import Json
from sayso.core.plan import Plan, Step
from sayso.core.quotes import visible
from sayso.core.record import Record, State
from sayso.policy.case import texts

Update = schema.AgentMessageChunk | schema.AgentPlanUpdate | schema.ToolCallStart | schema.UserMessageChunk
Content = schema.ContentToolCallContent | schema.FileEditToolCallContent | schema.TerminalToolCallContent
Kind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]
Status = Literal["pending", "in_progress", "completed", "failed"]

_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "file.write": "edit",
        "file.append": "edit",
        "file.copy": "edit",
        "file.mkdir": "edit",
        "file.move": "move",
        "file.delete": "delete",
        "file.read": "read",
        "file.list": "read",
        "file.find": "search",
        "web.request": "fetch",
    }
)
_STATUS: Mapping[State, Status] = MappingProxyType(
    {
        State.WAITING: "pending",
        State.RUNNING: "in_progress",
        State.DONE: "completed",
        State.UNCHANGED: "completed",
        State.PLANNED: "completed",
        State.UNDONE: "completed",
    }
)
WAITS = "It waits for you: `sayso approve {id}` or `sayso decline {id}` on a terminal of your own."


def plain(text: str) -> str:
    """Return a text in which nothing is invisible or changes the order of what is read; its lines stay."""
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    rest = line.lstrip(" ")
    return line[: len(line) - len(rest)] + visible(rest)


def message(text: str) -> schema.AgentMessageChunk:
    """Return a piece of a reply."""
    return schema.AgentMessageChunk(session_update="agent_message_chunk", content=_block(plain(text)))


def words(text: str) -> schema.UserMessageChunk:
    """Return what the person said earlier."""
    return schema.UserMessageChunk(session_update="user_message_chunk", content=_block(plain(text)))


def plan(entries: Iterable[tuple[str, State]]) -> schema.AgentPlanUpdate:
    """Return the plan of a run: each action with what became of it so far."""
    return schema.AgentPlanUpdate(
        session_update="plan",
        entries=[
            schema.PlanEntry(content=visible(said), priority="medium", status=_planned(state))
            for said, state in entries
        ],
    )


def _planned(state: State) -> Literal["pending", "in_progress", "completed"]:
    return "pending" if state is State.WAITING else "in_progress" if state is State.RUNNING else "completed"


def of_card(card: Card) -> schema.ToolCallStart:
    """Return an action that is about to be asked about."""
    return _tool_call(_Told(card.id, card.operation, card.plan, State.WAITING, (), card.arguments))


def of_record(record: Record, shown: Plan | None, said: str = "") -> schema.ToolCallStart:
    """Return an action and what became of it; a tool call with an id that was sent before is replaced by it."""
    state = record.state
    waits = WAITS.format(id=record.id) if state is State.WAITING else ""
    notes = [one for one in (said or record.marks.message or record.marks.error or "", waits) if one]
    plan_ = shown or Plan(record.operation or "an action that is not known")
    return _tool_call(_Told(record.id, record.operation or "", plan_, state, tuple(notes), record.arguments))


def as_change(start: schema.ToolCallStart) -> schema.ToolCallProgress:
    """Return the same as a change of a tool call that was sent before."""
    return schema.ToolCallProgress.model_validate(
        {**start.model_dump(by_alias=True), "sessionUpdate": "tool_call_update"}
    )


def as_asked(start: schema.ToolCallStart) -> schema.ToolCallUpdate:
    """Return the same as what a question to the person is about."""
    told = start.model_dump(by_alias=True)
    del told["sessionUpdate"]
    return schema.ToolCallUpdate.model_validate(told)


class _Told(Struct, frozen=True):
    id: str
    operation: str
    plan: Plan
    state: State
    notes: tuple[str, ...]
    arguments: Mapping[str, Json]


def _tool_call(told: _Told) -> schema.ToolCallStart:
    content: list[Content] = [*_diffs(told.plan), *[_text(note) for note in (*told.notes, *told.plan.warns)]]
    return schema.ToolCallStart(
        session_update="tool_call",
        tool_call_id=told.id,
        title=visible(told.plan.summary),
        kind=_KINDS.get(told.operation, "other"),
        status=_STATUS.get(told.state, "failed"),
        content=content,
        locations=[schema.ToolCallLocation(path=path) for path in _paths(told.plan)],
        raw_input={"operation": told.operation, "arguments": dict(told.arguments)},
    )


def _diffs(plan_: Plan) -> list[Content]:
    """Return the lines that a plan changes in a file, as its preview has them; nothing if it is no such plan."""
    paths = [path for change in plan_.changes for name in change.do.writes for path in texts(getattr(change.do, name))]
    lines = plan_.preview.split("\n") if plan_.preview else []
    if len(paths) != 1 or not lines or not all(line[:1] in "+- @\\…" for line in lines):
        return [_text(plan_.preview)] if plan_.preview else []
    kept = [line for line in lines if not line.startswith(("--- ", "+++ ", "@@ ", "\\", "…"))]
    old = [line[1:] for line in kept if line[:1] != "+"]
    new = [line[1:] for line in kept if line[:1] != "-"]
    return [
        schema.FileEditToolCallContent(
            type="diff", path=paths[0], old_text=plain("\n".join(old)) if old else None, new_text=plain("\n".join(new))
        )
    ]


def _paths(plan_: Plan) -> list[str]:
    steps: list[Step] = [change.do for change in plan_.changes]
    return list(dict.fromkeys(path for step in steps for name in step.paths for path in texts(getattr(step, name))))


def _text(text: str) -> Content:
    return schema.ContentToolCallContent(type="content", content=_block(plain(text)))


def _block(text: str) -> schema.TextContentBlock:
    return schema.TextContentBlock(type="text", text=text)
