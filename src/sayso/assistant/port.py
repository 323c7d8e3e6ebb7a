"""The interface through which the assistant uses a home."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from sayso.assistant.asker import Budget
from sayso.core.conversation import Exchange, ModelContext, Sessions
from sayso.core.encoding import Json
from sayso.core.instances import Instances
from sayso.core.operation import Operation
from sayso.core.ports import Approver, Clock, Ids
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import Record
from sayso.dialects.base import FeedbackNote, Reading
from sayso.runtime.results import Outcome, Report


class AssistantPort(Protocol):
    """The part of a home that the assistant uses."""

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Return all operations, by id."""
        ...

    @property
    def sessions(self) -> Sessions:
        """Return the stored conversations."""
        ...

    @property
    def chats(self) -> Instances:
        """Return the stored messages of actions."""
        ...

    @property
    def clock(self) -> Clock:
        """Return the clock."""
        ...

    @property
    def ids(self) -> Ids:
        """Return what makes words that nobody can guess."""
        ...

    @property
    def longest_reply(self) -> int:
        """Return the maximum number of bytes of a reply that are read."""
        ...

    @property
    def budget(self) -> Budget:
        """Return what one ask may take at most."""
        ...

    def longest_context(self, model: str) -> int:
        """Return the maximum number of characters of context in a prompt to this model."""
        ...

    def own_actions(self) -> list[Json]:
        """Return the actions that the person has defined in files, in the form in which a prompt lists them (S3-85)."""
        ...

    def enabled_operations(self) -> list[Operation]:
        """Return the operations that the settings allow."""
        ...

    def read(self, text: str, dialect_name: str, end_word: str = "") -> Reading:
        """Read the proposals in a model's text, without planning or running them."""
        ...

    async def context(self, session: str, *, query: bool = False, entry: str = "", words: str = "") -> ModelContext:
        """Return the context for a model that answers `words`.

        What strangers wrote in it counts as read by `entry`, if one is given.

        From now on, an item number that this session's model writes means the item with that number in this context.
        """
        ...

    async def carry(self, text: str, origin: Origin, approver: Approver, *, dry_run: bool) -> Report:
        """Plan, judge and execute every proposal in a model's text."""
        ...

    async def take(self, proposals: Sequence[Proposal], origin: Origin, approver: Approver, *, dry_run: bool) -> Report:
        """Plan, judge and execute proposals as one batch, about which the person is asked one question."""
        ...

    def results_for(self, report: Report) -> list[dict[str, Json]]:
        """Return the results of a run in the form that the model gets."""
        ...

    def notes_for(self, reading: Reading, report: Report) -> tuple[FeedbackNote, ...]:
        """Return the feedback to the model on proposals that were not carried out."""
        ...

    async def log_of(self, ref: str) -> list[Record]:
        """Return the actions of a run, in order."""
        ...

    async def outcome(self, ref: str) -> Outcome | None:
        """Return what became of an action, with the reply that it got, if any; None if there is no such action."""
        ...

    def redact_exchange(self, exchange: Exchange, proposals: Sequence[Proposal]) -> Exchange:
        """Return an exchange without the arguments that the settings exclude from the journal."""
        ...
