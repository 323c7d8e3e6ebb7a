"""A proposal: one request of a model for one operation, as a dialect read it from the model's text."""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import Candidate


class Proposal(Struct, frozen=True):
    """One request of the model; operation and arguments have their canonical names.

    `operation` is None when the request could not be understood; then `problem` says why in one sentence and `code` is
    a stable word. A request that is understood but invalid has all three. `said` is the original text. `label`,
    `description` and `style` are the model's own words about the request and never affect a decision; sayso writes the
    label if the model wrote none (`label_by_us`).
    """

    index: int
    said: str
    operation: str | None = None
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    line: int | None = None
    label: str | None = None
    style: str | None = None
    template_id: str | None = None
    """The id of the person's own action to run; `arguments` are then its parameters, not those of an operation."""
    description: str | None = None
    instance_id: str | None = None
    problem: str | None = None
    code: str | None = None
    candidates: tuple[Candidate, ...] = ()
    """The names that the model may have wanted instead, if the problem lists any."""
    given: tuple[str, ...] = ()
    """The dialect's name for the operation and its usage, for messages, such as `("MOVE_FILE", usage)`; may be empty.
    """
    edit_of: str | None = None
    """The id of the action that this one was edited from, or of the run if it was added; set only by sayso."""
    label_by_us: bool = False
    """Whether sayso wrote `label`, the name of a proposal, because the model wrote none (T-57)."""

    def with_index(self, index: int) -> "Proposal":
        """Return this proposal with its index among the proposals of its text."""
        return self if self.index == index else replace(self, index=index)


TERMINAL = "terminal"
_AT_TERMINAL = frozenset({"cli", "commands", "chat", "command", "template", "undo"})


def principal_of(entry: str, principal: str = "") -> str:
    """Return on whose behalf an entry point proposes: `principal` if it is named, otherwise the entry point itself.

    All that is started at a terminal (`sayso run`, `ask`, `template run`) is one principal, in every session.
    """
    return principal or (TERMINAL if entry in _AT_TERMINAL else entry)


class Origin(Struct, frozen=True):
    """Where a proposal came from; it is journaled and is never part of a digest."""

    dialect: str
    entry: str = "library"
    session: str = ""
    exposed: tuple[str, ...] = ()
    """The parts of the prompt that held text of strangers; if there are any, actions that send data need approval."""
    wrote: str = ""
    """The words that the person wrote when they asked; only the entry point sets this, never the model."""
    code: str | None = None
    """The hash of the code of the person's own action that proposed this; approvals are bound to it.

    If it is set, the run stops when one of its actions fails.
    """
    end_word: str = ""
    """The only word that ends a text over several lines, if the prompt named one."""
    warns: tuple[str, ...] = ()
    """Sentences that the plan and the question of every action of this origin name beside their own."""
    asks: bool = False
    """Whether the person is asked about every action of this origin that changes something, in every mode.

    It is set for what an action of the person's own requests if a model offered that action.
    """
    principal: str = ""
    """On whose behalf it is proposed, such as `mcp:claude`; empty for the usual one of the entry point.

    What one run of a principal read of strangers' text counts for all its runs (`principal_of`).
    """


def proposal_json(proposal: Proposal) -> dict[str, Json]:
    """Return a proposal as `sayso parse` and traces print it."""
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
