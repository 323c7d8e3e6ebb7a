"""Who asks, and what they get: words, one report over all that was proposed, and the whole trace."""

from dataclasses import field

from sayso.assistant.hears import Hears, Nobody
from sayso.assistant.trace import Trace
from sayso.core.ports import Approver
from sayso.core.values import dataclass
from sayso.runtime.answering import Nobody as NobodyAnswers
from sayso.runtime.outcome import Report

CORRECTIONS = 2
"""How often, in one ask, a model may write again what could not be carried out as it was written."""


@dataclass(frozen=True)
class Asker:
    """Who asks: in which session, who decides what policy asks about, and who is shown what goes on."""

    session: str = ""
    """A new one where none is named."""
    approver: Approver = field(default_factory=NobodyAnswers)
    dry_run: bool = False
    hears: Hears = field(default_factory=Nobody)
    corrections: int = CORRECTIONS
    wrote: str = ""
    """What the person wrote with their own hands, among it the addresses that they need not be asked about."""
    because: str = ""
    """What started it, where no person did: what its trigger says (S0-67)."""
    happened: tuple[str, ...] = ()
    """What happened then, in strangers' words, such as the names of files."""


@dataclass(frozen=True)
class Answer:
    """What came of an ask."""

    session: str
    entry: str
    text: str
    """The words for the person, as they were shown."""
    report: Report
    """What came of all that was proposed; where a model put something right, of that alone."""
    trace: Trace
    model: str = ""
    """Who answered."""
    runs: tuple[str, ...] = ()
