"""A clock, ids, an approver, a language model and states of triggers that a test controls."""

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from anyio import sleep_forever
from anyio.lowlevel import checkpoint
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.conversation import Chunk, ConversationRequest, ReplyEnd, ReplyText, ToolCall, TriggerState
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.proposal import Proposal


class Silent(Struct, frozen=True):
    """From this place in a reply, the model sends nothing more, and the reply does not end until the client leaves."""


Piece = Chunk | Silent | SaysoError
"""One part of a reply; an error is raised when its turn comes."""
Reply = str | Sequence[Piece] | SaysoError | Callable[[ConversationRequest], "Reply"]
"""A reply: its text, its pieces in order, an error before the first piece, or a function of the request."""


class Scripted:
    """A model that plays one reply for each request; a request without a reply left is an `AssertionError`.

    ```python
    model = Scripted(
        "MOVE_FILE a b", [ReplyText("Looking."), make_call("file_read", path="a")], ProviderError("it is down")
    )
    ```
    """

    def __init__(self, *replies: Reply, name: str = "scripted", size: int = 5) -> None:
        self.name = name
        self.asked: list[ConversationRequest] = []
        """The requests so far, oldest first."""
        self.ended = 0
        """How many replies were played to their end; the client left the others, or they broke off."""
        self._replies = list(replies)
        self._size = size

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the next reply: a text in pieces of `size` characters, and a `ReplyEnd` last."""
        self.asked.append(asked)
        if len(self.asked) > len(self._replies):
            raise AssertionError(f"the model was asked {len(self.asked)} times, and has {len(self._replies)} replies")
        for piece in self._pieces(asked):
            await checkpoint()
            match piece:
                case SaysoError():
                    raise piece
                case Silent():
                    await sleep_forever()
                case _:
                    yield piece
        self.ended += 1

    def _pieces(self, asked: ConversationRequest) -> list[Piece]:
        reply = self._replies[len(self.asked) - 1]
        while callable(reply):
            reply = reply(asked)
        if isinstance(reply, SaysoError):
            return [reply]
        pieces = _cut(reply, self._size) if isinstance(reply, str) else list(reply)
        return pieces if any(isinstance(piece, ReplyEnd) for piece in pieces) else [*pieces, self._end(asked, pieces)]

    def _end(self, asked: ConversationRequest, pieces: Sequence[Piece]) -> ReplyEnd:
        """Return the end of a reply, in which each word counts as a token."""
        said = "".join(piece.text for piece in pieces if isinstance(piece, ReplyText))
        heard = " ".join((asked.system, *(turn.text for turn in asked.turns)))
        reason = "tools" if any(isinstance(piece, ToolCall) for piece in pieces) else "stop"
        return ReplyEnd(self.name, reason, len(heard.split()), len(said.split()))


def make_call(name: str, call_id: str = "call_1", /, **arguments: Json) -> ToolCall:
    """Return a call of a tool, with its arguments as JSON text, as a model writes them."""
    return ToolCall(call_id, name, json.dumps(arguments, ensure_ascii=False))


def _cut(text: str, size: int) -> list[Piece]:
    return [ReplyText(text[at : at + size]) for at in range(0, len(text), size)]


NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


class FakeClock:
    """A clock that shows the same time until a test advances it."""

    def __init__(self, start: datetime = NOON) -> None:
        self._now = start
        self._passed = 0.0

    def now(self) -> datetime:
        """Return the time that was set."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds by which the clock was advanced."""
        return self._passed

    def advance(self, **by: float) -> None:
        """Advance by `timedelta(**by)`, such as `hours=24`; a step backwards changes the wall clock only."""
        step = timedelta(**by)
        self._now += step
        self._passed += max(step.total_seconds(), 0.0)


class NumberedIds:
    """Ids that count up, so that a test knows them beforehand.

    Do not use these where real programs are started: sayso ends a program by its id, so no other test may use the same
    id.
    """

    def __init__(self, start: int = 1) -> None:
        self._count = start - 1

    def key(self) -> int:
        """Return the next number."""
        self._count += 1
        return self._count

    def token(self) -> str:
        """Return a text with the next number."""
        self._count += 1
        return f"token{self._count:015d}"


@dataclass(frozen=True)
class Only:
    """A yes to the actions with these indices only."""

    indices: tuple[int, ...]


@dataclass(frozen=True)
class Edits:
    """An edit that puts these proposals in place of those shown; a `yes` sent with it must have no effect."""

    proposals: tuple[Proposal, ...]
    yes: bool = False


Answers = bool | Only | Edits | None


class Says:
    """An approver that gives the set answers in order, and keeps the questions; the last answer is repeated."""

    def __init__(self, *answers: Answers, by: str = "terminal", then: Callable[[], None] | None = None) -> None:
        self._answers = list(answers)
        self._by = by
        self._then = then
        self.questions: list[Question] = []

    async def ask(self, question: Question) -> Decision | None:
        """Return the next answer; `then` is called before it, to change things between question and action."""
        self.questions.append(question)
        if self._then is not None:
            self._then()
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        match answer:
            case None:
                return None
            case bool():
                return Decision(answer, self._by, question.digest)
            case Only(indices):
                return question.yes(self._by, [card.id for card in question.cards if card.index in indices])
            case Edits(proposals, yes):
                return replace(question.edit(self._by, proposals), yes=yes)


class Killed(BaseException):
    """Raised at a kill point instead of ending the process, so that a test can go on in the same process."""


class KillAt:
    """A kill point that raises `Killed`, or calls `how`, when a label is reached for the n-th time."""

    def __init__(self, label: str, *, nth: int = 1, how: Callable[[], None] | None = None) -> None:
        self._label = label
        self._left = nth
        self._how = how or _raise
        self.seen: list[str] = []

    def __call__(self, label: str) -> None:
        """Record the label, and raise `Killed` or call `how` when its turn has come."""
        self.seen.append(label)
        if label == self._label:
            self._left -= 1
            if self._left == 0:
                self._how()


def labels(points: Iterable[str]) -> list[str]:
    """Return labels without repeats, in the order of their first occurrence."""
    return list(dict.fromkeys(points))


def _raise() -> None:
    raise Killed


class MemoryTriggers:
    """Stores the states of triggers in memory."""

    def __init__(self) -> None:
        self._states: dict[str, TriggerState] = {}

    async def of(self, name: str) -> TriggerState:
        """Return the state of a trigger, or a new state if none is stored."""
        return self._states.get(name, TriggerState(name))

    async def move(self, to: TriggerState) -> bool:
        """Store a state with the next turn if nobody did so since it was read; return whether it was stored."""
        if (await self.of(to.name)).turn != to.turn:
            return False
        self._states[to.name] = replace(to, turn=to.turn + 1)
        return True
