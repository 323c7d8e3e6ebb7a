"""One thing that `doctor` looked at: how it is, and the way to mend it."""

from typing import Literal

from sayso.core.canonical import Json
from sayso.core.capability import Other
from sayso.core.values import dataclass

How = Literal["good", "note", "broken"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `broken` is what was asked for and does not work; `fix` says what to do."""

    about: str
    how: How
    says: str
    fix: str = ""
    store: str = ""
    """The store that it serves, where it is something that a model may use."""
    backend: str = ""
    """What serves it, where something does."""
    why: str = ""
    """Why that serves it, or why nothing does."""
    others: tuple[Other, ...] = ()
    """What could serve it too, and why it does not."""

    def json(self) -> dict[str, Json]:
        """Return it as JSON."""
        told: dict[str, Json] = {"about": self.about, "how": self.how, "says": self.says, "fix": self.fix or None}
        if not self.store:
            return told
        others: list[Json] = [{"backend": one.name, "why": one.why, "fix": one.fix or None} for one in self.others]
        return {**told, "store": self.store, "backend": self.backend or None, "why": self.why or None, "others": others}
