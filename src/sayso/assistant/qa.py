"""Answer a question from the context, without carrying anything out."""

import json
import re
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import cast

from anyio import fail_after
from msgspec.structs import replace

from sayso.assistant import prompts as prompt
from sayso.assistant.asker import ReceivedReply, ReplyView, Used
from sayso.assistant.port import AssistantPort
from sayso.assistant.prompts import limit_context
from sayso.assistant.stream import receive_reply
from sayso.core.conversation import ContextPiece, ConversationRequest, Message, Model, ModelContext
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Refused
from sayso.dialects.lines import LINES
from sayso.models.vendors import EMBEDDED

NOTHING = "Nothing is known here that could answer this."
_ALSO: Mapping[str, str] = {
    "todo": "task",
    "application": "app",
    "program": "app",
    "calendar": "event",
    "appointment": "event",
    "meeting": "event",
    "screen": "monitor",
    "display": "monitor",
    "layout": "preset",
}
"""Words that people use for things with other names in the context."""
_TITLES = ("text", "title", "name", "said")
"""The members of an entry that can be its title, in order of preference."""


def listing(context: ModelContext, question: str) -> str:
    """Return a list of the things that the question names, or of all things if it names none."""
    pieces = [piece for piece in context.pieces if isinstance(piece.data, list)]  # texts repeat what lists contain
    words = _words(question)
    named = [piece for piece in pieces if words & _words(piece.name)]
    told = [_describe_piece(piece) for piece in named or pieces if piece.data or named]
    return "\n\n".join(told) or NOTHING


def _words(text: str) -> set[str]:
    """Return the words of a text, each in the singular."""
    found = {word.removesuffix("s") for word in re.findall(r"[a-z]+", text.lower().replace("to-do", "todo"))}
    return {_ALSO.get(word, word) for word in found}


def _describe_piece(piece: ContextPiece) -> str:
    rows, name = cast("list[Json]", piece.data), _plain(piece.name).capitalize()
    return "\n".join((f"{name}:", *(f"- {_row(row)}" for row in rows))) if rows else f"{name}: none"


def _plain(name: str) -> str:
    """Return a name such as `recent_files` or `lastDoneAt` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def _row(row: Json) -> str:
    if not isinstance(row, Mapping):
        return _value(row)
    members = cast("Mapping[str, Json]", row)
    title = next((name for name in _TITLES if members.get(name)), "")
    more = ", ".join(_members(members, title))
    if not title:
        return more
    return f"{members[title]} ({more})" if more else f"{members[title]}"


def _members(members: Mapping[str, Json], title: str) -> Iterator[str]:
    """Yield the other members of an entry; a true value is shown by its name alone, empty values not at all."""
    for name, value in members.items():
        if name != title and value not in ("", None, False, 0):
            yield _plain(name) if value is True else f"{_plain(name)}: {_value(value)}"


def _value(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


PAIRS = 10
SESSIONS = 200
"""Maximum number of sessions that are remembered; those unused for longest are dropped first."""

Pair = tuple[str, str]


class RecentQuestions:
    """The last ten questions and answers of each session (T-100)."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, deque[Pair]] = OrderedDict()

    def of(self, session: str) -> tuple[Pair, ...]:
        """Return the pairs of a session, oldest first."""
        return tuple(self._sessions.get(session, ()))

    def add(self, session: str, question: str, answer: str) -> None:
        """Remember a pair."""
        self._sessions.setdefault(session, deque(maxlen=PAIRS)).append((question, answer))
        self._sessions.move_to_end(session)
        if len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)


class QuestionAnswerer:
    """Answers the questions that a model proposes; nothing in the answering model's reply is carried out."""

    def __init__(self, port: AssistantPort) -> None:
        self._port = port
        self._serving: OrderedDict[str, tuple[Model, ReplyView]] = OrderedDict()
        self._before = RecentQuestions()
        self._used: dict[str, Used] = {}
        """What the questions of the ask that goes on in a session have taken."""

    def serve(self, session: str, model: Model, view: ReplyView) -> None:
        """Set the model that answers the questions of one ask in a session; without one, the answer is a plain list.

        All questions of one ask together may take as much as the ask itself.
        """
        self._serving[session] = (model, view)
        self._used[session] = Used()
        self._serving.move_to_end(session)
        if len(self._serving) > SESSIONS:
            self._used.pop(self._serving.popitem(last=False)[0], None)

    async def answer(self, question: str, session: str) -> str:
        """Return the answer. Raises the errors of the model's stream."""
        serving = self._serving.get(session)
        most = self._port.longest_context(serving[0].name if serving else EMBEDDED)
        context = limit_context(await self._port.context(session, query=True, entry=""), most)
        said = await self._ask_in_words(context, question, session)
        self._before.add(session, question, said)
        return said

    async def _ask_in_words(self, context: ModelContext, question: str, session: str) -> str:
        serving = self._serving.get(session)
        if serving is None:
            return listing(context, question)
        model, view = serving
        turn = Message("user", prompt.user(context, question, self._before.of(session)))
        asked = ConversationRequest(prompt.SYSTEM, (turn,), question, LINES, context=context)
        if model.name == EMBEDDED:
            return listing(context, question)
        reply = await self.receive(model, asked, view, session)
        if reply.ended.model == EMBEDDED:  # the built-in rules replied in place of the model
            return listing(context, question)
        if not reply.text.strip():
            raise ProviderError(f"{reply.ended.model} did not answer the question", "model.silent")
        return reply.text.strip()

    async def receive(
        self, model: Model, asked: ConversationRequest, view: ReplyView, session: str, *, any_turns: bool = False
    ) -> ReceivedReply:
        """Return the reply to one question of a session, and count it. Raises `ProviderError`.

        Raises `Refused` where what all questions of one ask may take is used up; with `any_turns`, their number is no
        limit.
        """
        port, used = self._port, self._used.get(session, Used())
        if too_much := port.budget.reached(replace(used, turns=0) if any_turns else used, asked):
            why = too_much.partition(": ")[2] or too_much
            raise Refused(
                f"the questions of one request have their own limit, and this one was not asked: {why}",
                "budget.reached",
                "budget",
            )
        began = port.clock.monotonic()
        ended, said = None, ""
        try:
            with fail_after(port.budget.seconds - used.seconds):
                reply = await receive_reply(model, asked, view, None, port.longest_reply)
            ended, said = reply.ended, reply.text
        except TimeoutError:
            raise ProviderError(
                f"the time for the questions of one request is over ([model] budget_time) before {model.name} had "
                "answered",
                "budget.time",
            ) from None
        finally:
            seconds = port.clock.monotonic() - began
            if session in self._serving:
                self._used[session] = used.after(asked, said, ended, seconds, port.budget)
        return reply
