"""Collect from every store the context that a model is shown before it answers."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from anyio import create_task_group, fail_after

from sayso.core.conversation import ContextLimits, ContextPiece, ModelContext, OmittedContext
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, SaysoError
from sayso.core.lazy import load
from sayso.core.provider import Provider
from sayso.policy.rules import allows
from sayso.policy.settings import Policy
from sayso.runtime.services import Services

SECONDS = 5.0
"""Seconds that a store may take for one piece, so that a program that hangs does not hold up an ask."""


async def look(parts: Iterable[Provider], tools: Services, *, query: bool = False, words: str = "") -> ModelContext:
    """Return the context of every store; disabled stores are not read (T-32), and failures are listed as omissions.

    With `query`, it includes the pieces that are only for answering questions. What `words` name is not left out.
    """
    policy = tools.policy()
    limits = ContextLimits(policy.roots, query, words)
    asked = [] if policy.paused else [_Asked(part, tools, policy, limits) for part in parts if part.context]
    for one in asked:
        one.begin()
    async with create_task_group() as together:
        for one in asked:
            together.start_soon(one.ask)
    return ModelContext(
        tuple(piece for one in asked for piece in one.pieces),
        tuple(why for one in asked for why in one.left_out),
        {one.part.store: piece.shown for one in asked for piece in one.pieces if piece.shown},
    )


class _Asked:
    """One store, whose pieces are read one after the other."""

    def __init__(self, part: Provider, tools: Services, policy: Policy, limits: ContextLimits) -> None:
        self.part = part
        self.pieces: list[ContextPiece] = []
        self.left_out: list[OmittedContext] = []
        self._tools = tools
        self._policy = policy
        self._around = limits
        self._looks: list[tuple[str, Callable[..., Awaitable[Iterable[ContextPiece]]], Any]] = []

    def begin(self) -> None:
        """Import and open everything that is needed, before the time limit of any store begins."""
        allowed = [operation for operation in self.part.context if allows(self._policy, operation)]
        places = {self.part.context[operation]: operation for operation in reversed(allowed)}
        for place, operation in reversed(places.items()):
            try:
                self._looks.append((operation, load(place), self._tools.backend(self.part.store).reads))
            except SaysoError as no:
                self.left_out.append(OmittedContext(self.part.store, operation, str(no)))

    async def ask(self) -> None:
        """Read the pieces that the settings allow; a piece that serves several operations is read once."""
        for operation, tells, reads in self._looks:
            try:
                with fail_after(SECONDS):
                    pieces = await tells(reads, self._around)
            except SaysoError as no:
                self.left_out.append(OmittedContext(self.part.store, operation, str(no)))
            except TimeoutError:
                self.left_out.append(
                    OmittedContext(self.part.store, operation, f"it did not answer within {SECONDS:g} seconds")
                )
            else:
                self.pieces += pieces
                self.left_out += [OmittedContext(one.name, operation, one.left_out) for one in pieces if one.left_out]


MOST, LONGEST = 50, 2000
"""Maximum number of values under one name, and maximum length of each."""
NUMBERS = frozenset({"work_minutes"})
LISTS = frozenset({"projects", "insights"})
_LONGEST_NAME = 40
_MOST_DIGITS = 6


def is_note_name(name: str) -> bool:
    """Return whether a note may have this name: small letters, digits and underscores, a letter first."""
    plain = name.isascii() and name[:1].isalpha() and len(name) <= _LONGEST_NAME
    return plain and name == name.lower() and name.replace("_", "").isalnum()


def note_value(name: str, values: Sequence[str]) -> Json:
    """Return the value to store: minutes as a number, projects and insights as a list, anything else as one text.

    Raises `ProposalError` if there are too many values, or one is too long or no number of minutes.
    """
    if len(values) > MOST or any(len(value) > LONGEST for value in values):
        raise ProposalError(f"at most {MOST} values of {LONGEST:,} characters each are taken", "context.value")
    if name in NUMBERS:
        (value, *more) = values
        if more or not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
            raise ProposalError("it is a number of minutes, such as 95", "context.value")
        return int(value)
    return [*values] if name in LISTS else " ".join(values)
