"""Read what a coding agent tells its hooks, and write the answer in its form.

An agent is told nothing or a no, or is made to ask the person; a form for a yes is not written here.
"""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, cast

import msgspec
from msgspec import Struct

from sayso.core.agent_calls import (
    AgentAnswer,
    AgentCall,
    Deed,
    EditsFile,
    ReadsFile,
    Replacement,
    RunsCommand,
    WritesFile,
)
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError

Moment = Literal["before", "after", "failed", "ended", "other"]
LONGEST = 16 * 2**20


class HookEvent(Struct, frozen=True):
    """One event: when it happens, in which session, and the call, if it is about one that matters here."""

    moment: Moment
    session: str
    call: AgentCall | None = None


class Dialect(Struct, frozen=True):
    """How one agent names its events and tools, and the arguments of these tools."""

    moments: Mapping[str, Moment]
    reads: Mapping[str, str]
    """The tools that read a file, each with its argument for the path; the others alike."""
    writes: Mapping[str, tuple[str, str]]
    """Tools that write a whole file: the arguments for the path and the content."""
    edits: Mapping[str, tuple[str, str, str, str]]
    """Tools that replace text: the arguments for the path, the old and the new text, and whether all places change.

    Without an argument for the old text, it is not known what is replaced.
    """
    runs: Mapping[str, tuple[str, str]]
    """Tools that run a command: the arguments for the command and for its folder, which may be left out."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the names of all tools that matter here."""
        return (*self.writes, *self.edits, *self.runs, *self.reads)


CLAUDE_CODE = Dialect(
    moments=MappingProxyType(
        {
            "PreToolUse": "before",
            "PostToolUse": "after",
            "PostToolUseFailure": "failed",
            "Stop": "ended",
            "SessionEnd": "ended",
        }
    ),
    reads={"Read": "file_path"},
    writes={"Write": ("file_path", "content")},
    edits={
        "Edit": ("file_path", "old_string", "new_string", "replace_all"),
        "MultiEdit": ("file_path", "old_string", "new_string", "replace_all"),
        "NotebookEdit": ("notebook_path", "", "new_source", ""),
    },
    runs={"Bash": ("command", "")},
)
GEMINI_CLI = Dialect(
    moments=MappingProxyType(
        {"BeforeTool": "before", "AfterTool": "after", "AfterAgent": "ended", "SessionEnd": "ended"}
    ),
    reads={"read_file": "file_path"},
    writes={"write_file": ("file_path", "content")},
    edits={"replace": ("file_path", "old_string", "new_string", "allow_multiple")},
    runs={"run_shell_command": ("command", "dir_path")},
)
AGENTS: Mapping[str, Dialect] = MappingProxyType({"claude-code": CLAUDE_CODE, "gemini-cli": GEMINI_CLI})


class _Told(Struct):
    """What every event holds; members that are not listed are ignored."""

    hook_event_name: str
    session_id: str = ""
    cwd: str = ""
    tool_name: str = ""
    tool_input: dict[str, Json] = {}
    tool_use_id: str = ""
    tool_response: Json = None


def read_event(agent: str, data: bytes, project: str = "") -> HookEvent:
    """Return the event in what an agent has sent; `project` is the agent's own word for its folder.

    Raises `ProposalError` for anything that is not such an event, or lacks what its tool needs.
    """
    dialect = AGENTS[agent]
    try:
        told = msgspec.json.decode(data, type=_Told)
    except (msgspec.DecodeError, RecursionError):
        raise unreadable("it is no event in the form that this agent sends") from None
    moment: Moment = dialect.moments.get(told.hook_event_name, "other")
    session = f"{agent}-{_hash(told.session_id)[:16]}"
    if moment in {"ended", "other"} or told.tool_name not in dialect.tools:
        return HookEvent(moment, session)
    if not told.cwd.startswith("/"):
        raise unreadable("it names no folder in which the agent works")
    if moment == "after" and _has_failed(told.tool_response):
        moment = "failed"
    inputs = json.dumps(told.tool_input, sort_keys=True)
    number = told.tool_use_id or f"{told.tool_name} {inputs}"
    does = _deed(dialect, told)
    folder = _folder(dialect, told)
    inside = project.startswith("/") and f"{folder}/".startswith(f"{project.rstrip('/')}/")
    call = AgentCall(
        agent,
        session,
        _hash(f"{agent} {told.session_id} {number}")[:40],
        folder,
        project.rstrip("/") if inside else folder,
        told.tool_name,
        does,
    )
    return HookEvent(moment, session, call)


def unreadable(why: str) -> ProposalError:
    """Return the error for what an agent has sent and what cannot be used."""
    return ProposalError(f"what the agent sent to this hook cannot be used: {why}", "hook.event")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _has_failed(response: Json) -> bool:
    return isinstance(response, Mapping) and bool(cast("Mapping[str, Json]", response).get("error"))


def _folder(dialect: Dialect, told: _Told) -> str:
    argument = dialect.runs.get(told.tool_name, ("", ""))[1]
    inner = told.tool_input.get(argument) if argument else None
    if not isinstance(inner, str) or not inner:
        return told.cwd
    return inner if inner.startswith("/") else f"{told.cwd.rstrip('/')}/{inner}"


def _deed(dialect: Dialect, told: _Told) -> Deed:
    name, given = told.tool_name, told.tool_input
    if name in dialect.reads:
        return ReadsFile(_text(given, dialect.reads[name]))
    if name in dialect.writes:
        path, content = dialect.writes[name]
        return WritesFile(_text(given, path), _text(given, content, may_be_empty=True))
    if name in dialect.runs:
        return RunsCommand(_text(given, dialect.runs[name][0]))
    path, old, new, everywhere = dialect.edits[name]
    several = given.get("edits")
    edits = cast("list[Json]", several) if isinstance(several, list) else [given]
    found: list[Replacement] = []
    for edit in edits:
        if not isinstance(edit, dict):
            raise unreadable("an edit in it is no object")
        one = cast("dict[str, Json]", edit)
        texts = [_text(one, argument, may_be_empty=True) if argument else "" for argument in (old, new)]
        found.append(Replacement(texts[0], texts[1], one.get(everywhere) is True))
    return EditsFile(_text(given, path), tuple(found))


def _text(given: Mapping[str, Json], argument: str, *, may_be_empty: bool = False) -> str:
    value = given.get(argument)
    if not isinstance(value, str) or not (value or may_be_empty):
        raise unreadable(f"its tool needs the text {argument}")
    return value


def answer_json(agent: str, answer: AgentAnswer) -> Mapping[str, Json] | None:
    """Return the answer before a call in the form that the agent reads; None if it is told nothing."""
    if answer.ruling == "none":
        return None
    because = f"sayso: {answer.because}"
    if agent == "gemini-cli":
        return {"decision": answer.ruling, "reason": because, "systemMessage": because}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": answer.ruling,
            "permissionDecisionReason": because,
        }
    }
