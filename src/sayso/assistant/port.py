"""What an entry point needs of a home: to look, to read, and to take proposals down the one path."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from sayso.core.conversation import Exchange, ModelContext, Sessions
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.ports import Approver, Clock
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import Record
from sayso.dialects.base import FeedbackNote, Reading
from sayso.runtime.results import Report


class AssistantPort(Protocol):
    """A home, as far as the assistant knows it."""

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Return the whole catalogue, by id."""
        ...

    @property
    def sessions(self) -> Sessions:
        """Return what is kept of conversations."""
        ...

    @property
    def clock(self) -> Clock:
        """Return where the time comes from."""
        ...

    @property
    def longest_reply(self) -> int:
        """Return how many bytes of a reply are read."""
        ...

    def longest_context(self, model: str) -> int:
        """Return how many characters of the world stand in a prompt to the model of this name."""
        ...

    def own_actions(self) -> list[Json]:
        """Return the person's own actions as a prompt lists them (S3-85)."""
        ...

    def enabled_operations(self) -> list[Operation]:
        """Return the operations that the settings allow."""
        ...

    def read(self, text: str, dialect_name: str) -> Reading:
        """Read a model's text; nothing is looked at and nothing runs."""
        ...

    async def context(self, session: str, *, query: bool = False) -> ModelContext:
        """Return what a model is shown of the world; its numbers mean that from now on."""
        ...

    async def carry(self, text: str, origin: Origin, approver: Approver, *, dry_run: bool) -> Report:
        """Take every proposal in a model's text down the path."""
        ...

    def results_for(self, report: Report) -> list[dict[str, Json]]:
        """Return what the model is given back of a run."""
        ...

    def notes_for(self, reading: Reading, report: Report) -> tuple[FeedbackNote, ...]:
        """Return what the model is told about what was not carried out."""
        ...

    async def log_of(self, ref: str) -> list[Record]:
        """Return the actions of a run, in order."""
        ...

    def redact_exchange(self, exchange: Exchange, proposals: Sequence[Proposal]) -> Exchange:
        """Return an exchange without what the settings say must not be kept of what was proposed in it."""
        ...
