"""What a model said, read by a dialect: one proposal is one wish for one operation."""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import Candidate


class Proposal(Struct, frozen=True):
    """One wish of the model, in the words of the catalogue.

    `operation` is None when it could not be understood; then `problem` says why in one sentence and
    `code` is a stable word. One that is understood but invalid has both. `said` is the text as it
    came; `label`, `description` and `style` are the model's own words about it and decide nothing,
    but for a label that stands in for one it did not write (`label_by_us`).
    """

    index: int
    said: str
    operation: str | None = None
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    line: int | None = None
    label: str | None = None
    style: str | None = None
    template_id: str | None = None
    """The person's own action that is to run; `arguments` are its parameters then, and not of the catalogue."""
    description: str | None = None
    instance_id: str | None = None
    problem: str | None = None
    code: str | None = None
    candidates: tuple[Candidate, ...] = ()
    """What may have been meant instead, where the problem names some."""
    given: tuple[str, ...] = ()
    """The name the dialect used, for messages: `("MOVE_FILE", usage)`; may be empty."""
    edit_of: str | None = None
    """The action (or, for an added one, the run) that the person edited into this; set by the path alone."""
    label_by_us: bool = False
    """Whether `label` is not the model's, but what a button says where the model wrote none (T-57)."""

    def with_index(self, index: int) -> "Proposal":
        """Return this proposal with its number among those of its text."""
        return self if self.index == index else replace(self, index=index)


class Origin(Struct, frozen=True):
    """Where a proposal came from; it is journaled and never part of a digest."""

    dialect: str
    entry: str = "library"
    session: str = ""
    exposed: tuple[str, ...] = ()
    """Where strangers' words stood in the prompt that the model answered; what sends counts as after reading any."""
    wrote: str = ""
    """What the person wrote themselves when they asked; told by the entry point alone, never by who proposes."""
    code: str | None = None
    """The hash of the person's own code that asked for it; an approval is bound to it, and the first miss ends it."""


def proposal_json(proposal: Proposal) -> dict[str, Json]:
    """Return what was read as one wish as `sayso parse` and a trace tell it."""
    return {
        "index": proposal.index,
        "line": proposal.line,
        "said": proposal.said,
        "operation": proposal.operation,
        "arguments": dict(proposal.arguments),
        "label": proposal.label,
        "style": proposal.style,
        "template_id": proposal.template_id,
        "problem": proposal.problem,
        "code": proposal.code,
    }
