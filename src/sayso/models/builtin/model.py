"""The built-in rules as a language model: they answer a wish in plain English with proposals or a question."""

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
from sayso.models.builtin.outcomes import RequestedAction, WishQuestion
from sayso.models.builtin.replies import interpret
from sayso.models.builtin.world import Utterance, world_of

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
"""Arguments that a dialect's own name for an operation implies, by dialect and operation.

They are added to the action, so that the dialect can write the action with this name.
"""


LONGEST_WISH = 10_000
"""Maximum number of characters of a wish; nobody says more at once to rules."""
TOO_LONG = (
    f"That is longer than {LONGEST_WISH:,} characters, the most that the built-in rules read at once. Say it in fewer "
    "words, or set up a model with “sayso config model”."
)


class BuiltInReply(Struct, frozen=True):
    """A reply of the built-in rules: text in the dialect of the request, and tool calls."""

    text: str
    calls: tuple[ToolCall, ...] = ()


class BuiltIn:
    """A model that interprets wishes by what it learned, without key or network; it asks about unclear wishes."""

    name: str

    def __init__(self, clock: Clock, zone: tzinfo | None = None, calls: Dialect | None = None) -> None:
        """Create the model.

        `zone` is the person's time zone. If a request offers tools, `calls` is the dialect in which tool calls are
        written.
        """
        self.name = NAME
        self._clock = clock
        self._zone = zone or LocalZone()
        self._calls = calls

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the text of the reply in one chunk, then its tool calls, then its end."""
        reply = self.reply(asked)
        if reply.text:
            yield ReplyText(reply.text)
        for call in reply.calls:
            yield call
        yield ReplyEnd(NAME, "tools" if reply.calls else "stop", why=replies.explain(self._utterance(asked)))

    def reply(self, asked: ConversationRequest) -> BuiltInReply:
        """Return the whole reply: proposals for what the person wants, or a question."""
        if len(asked.words) > LONGEST_WISH:
            return _ask_back(asked, WishQuestion(TOO_LONG))
        utterance = self._utterance(asked)
        found = interpret(utterance, asked.earlier)
        if isinstance(found, WishQuestion):
            return _ask_back(asked, found)
        off = next((action.operation for action in found if action.operation not in asked.operations), None)
        if off is not None:
            return _ask_back(asked, WishQuestion(replies.explain_disabled(off)))
        change = next((action for action in found if asked.operations[action.operation].kind != "read"), None)
        in_a_text = any(str(value).endswith("?") for value in found[-1].arguments.values()) if found else False
        if change is not None and replies.is_a_question(asked.words) and not asked.earlier and not in_a_text:
            return _ask_back(asked, WishQuestion(replies.IS_IT_A_WISH, (change.operation,)))
        return self.write(asked, found)

    def _utterance(self, asked: ConversationRequest) -> Utterance:
        now = self._clock.now().astimezone(self._zone)
        return Utterance(asked.words, world_of(asked.context), now, asked.before)

    def write(self, asked: ConversationRequest, actions: Sequence[RequestedAction]) -> BuiltInReply:
        """Return the reply that proposes these actions: calls of offered tools, or else text in the dialect."""
        parts: list[str] = []
        calls: list[ToolCall] = []
        for action in actions:
            operation = asked.operations[action.operation]
            call = self._call_tool(asked, operation, action, len(calls))
            if call is not None:
                calls.append(call)
                continue
            try:
                parts.append(_write_action(asked.dialect, operation, action))
            except ProposalError as wrong:
                said = replies.UNSAYABLE if wrong.code == "dialect.unsayable" else str(wrong)
                return _ask_back(asked, WishQuestion(said))
        meant = next((action.meant for action in actions if action.meant), "")
        told = asked.dialect.remark(replies.explain_pointed(meant)) if meant and parts else ""
        return BuiltInReply(asked.dialect.together([told, *parts] if told else parts) if parts else "", tuple(calls))

    def _call_tool(
        self, asked: ConversationRequest, operation: Operation, action: RequestedAction, count: int
    ) -> ToolCall | None:
        """Return a call of a tool that the request offers, for this action; None if no such tool fits it."""
        if self._calls is None or not asked.tools:
            return None
        try:
            written = cast("Mapping[str, Json]", json.loads(self._calls.write(operation, action.arguments)))
        except ProposalError:
            return None
        if written["name"] not in {tool.name for tool in asked.tools}:
            return None
        arguments = json.dumps(written["arguments"], ensure_ascii=False)
        return ToolCall(f"call_{count + 1}", str(written["name"]), arguments)


def _write_action(dialect: Dialect, operation: Operation, action: RequestedAction) -> str:
    said = _BY_CONTRACT.get(dialect.name, {}).get(operation.id, {})
    return dialect.write(operation, {**action.arguments, **said})


def _ask_back(asked: ConversationRequest, question: WishQuestion) -> BuiltInReply:
    dialect = asked.dialect
    if isinstance(dialect, CanAskBack):
        about = [asked.operations[id_] for id_ in question.about if id_ in asked.operations]
        return BuiltInReply(dialect.clarify(question.text, about))
    said = dialect.remark(question.text)
    return BuiltInReply(dialect.together([said]) if said else f"{question.text}\n")
