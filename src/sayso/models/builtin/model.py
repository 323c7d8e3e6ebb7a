"""The built-in rules as a language model: plain English wishes in, proposals or a question out."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import tzinfo
from typing import cast

from msgspec import Struct

from sayso.core.conversation import Chunk, ConversationRequest, ReplyEnd, ReplyText, ToolCall
from sayso.core.datetimes import LocalZone
from sayso.core.dialect import CanAskBack, Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.core.ports import Clock
from sayso.models.builtin import replies
from sayso.models.builtin.interpreter import Act
from sayso.models.builtin.replies import Question, interpret
from sayso.models.builtin.world import Scene, world_of

NAME = "embedded"
_BY_CONTRACT: Mapping[str, Mapping[str, Mapping[str, Json]]] = {
    "commands": {
        "tab.switch": {"browser": "chrome"},
        "tab.close": {"browser": "chrome"},
        "tab.list": {"browser": "chrome"},
        "url.open": {"browser": "chrome", "new_tab": True},
        "app.activate": {"launch_if_needed": True},
    }
}
"""By dialect, what its own names for an operation say besides; such a name is written where nothing else was said."""


class Reply(Struct, frozen=True):
    """What is answered: text in the dialect, and calls of tools."""

    text: str
    calls: tuple[ToolCall, ...] = ()


class BuiltIn:
    """Understands plain wishes by a table, without key, network or guessing: what is not sure is asked."""

    name: str

    def __init__(self, clock: Clock, zone: tzinfo | None = None, calls: Dialect | None = None) -> None:
        """Make it; `zone` is the person's, and `calls` the dialect in which tools are called where some are offered."""
        self.name = NAME
        self._clock = clock
        self._zone = zone or LocalZone()
        self._calls = calls

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the reply in one piece, then its end."""
        reply = self.reply(asked)
        if reply.text:
            yield ReplyText(reply.text)
        for call in reply.calls:
            yield call
        yield ReplyEnd(NAME, "tools" if reply.calls else "stop")

    def reply(self, asked: ConversationRequest) -> Reply:
        """Return the whole reply."""
        scene = Scene(asked.words, world_of(asked.context), self._clock.now().astimezone(self._zone))
        found = interpret(scene, asked.earlier)
        if isinstance(found, Question):
            return _asking(asked, found)
        off = next((act.operation for act in found if act.operation not in asked.operations), None)
        if off is not None:
            return _asking(asked, Question(replies.explain_disabled(off)))
        acting = next((act for act in found if asked.operations[act.operation].kind != "read"), None)
        if acting is not None and replies.is_a_question(asked.words) and not asked.earlier:
            return _asking(asked, Question(replies.IS_IT_A_WISH, (acting.operation,)))
        return self._write_reply(asked, found)

    def _write_reply(self, asked: ConversationRequest, acts: Sequence[Act]) -> Reply:
        parts: list[str] = []
        calls: list[ToolCall] = []
        for act in acts:
            operation = asked.operations[act.operation]
            call = self._call_tool(asked, operation, act, len(calls))
            if call is not None:
                calls.append(call)
                continue
            try:
                parts.append(_spell_act(asked.dialect, operation, act))
            except ProposalError as wrong:
                said = replies.unsayable(act.operation, asked.dialect.name)
                return _asking(asked, Question(said if wrong.code == "dialect.unsayable" else str(wrong)))
        return Reply(asked.dialect.together(parts) if parts else "", tuple(calls))

    def _call_tool(self, asked: ConversationRequest, operation: Operation, act: Act, count: int) -> ToolCall | None:
        """Return the call of an offered tool that means this; None where none does."""
        if self._calls is None or not asked.tools:
            return None
        try:
            written = cast("Mapping[str, Json]", json.loads(self._calls.write(operation, act.arguments)))
        except ProposalError:
            return None
        if written["name"] not in {tool.name for tool in asked.tools}:
            return None
        arguments = json.dumps(written["arguments"], ensure_ascii=False)
        return ToolCall(f"call_{count + 1}", str(written["name"]), arguments)


def _spell_act(dialect: Dialect, operation: Operation, act: Act) -> str:
    said = _BY_CONTRACT.get(dialect.name, {}).get(operation.id, {})
    return dialect.write(operation, {**act.arguments, **said})


def _asking(asked: ConversationRequest, question: Question) -> Reply:
    dialect = asked.dialect
    if isinstance(dialect, CanAskBack):
        about = [asked.operations[id_] for id_ in question.about if id_ in asked.operations]
        return Reply(dialect.clarify(question.why, about))
    said = dialect.remark(question.why)
    return Reply(dialect.together([said]) if said else f"{question.why}\n")
