"""One thing that `doctor` looked at: how it is, and the way to mend it."""

from typing import Literal

from sayso.core.canonical import Json
from sayso.core.values import dataclass

How = Literal["good", "note", "broken"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `broken` is what was asked for and does not work; `fix` says what to do."""

    about: str
    how: How
    says: str
    fix: str = ""

    def json(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {"about": self.about, "how": self.how, "says": self.says, "fix": self.fix or None}
