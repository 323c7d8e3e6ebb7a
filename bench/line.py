"""One line of the result: what was measured, against what, what was aimed at, and whether it was reached."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Line:
    """A ratio or a number with its target; `floor` says what keeps it from the target, should it be missed."""

    what: str
    value: float
    target: float
    unit: str = "×"
    at_least: bool = False
    floor: str = ""
    beside: str = ""
    """What else was counted in the same run."""

    @property
    def reached(self) -> bool:
        """Say whether the target was reached."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def verdict(self) -> str:
        """Return the verdict in one line."""
        return "reached" if self.reached else f"missed: {self.floor or 'see docs/why/speed.md'}"

    def row(self) -> tuple[str, str, str, str, str]:
        """Return the cells of the table."""
        sign = "≥" if self.at_least else "≤"
        return (
            self.what,
            f"{self.value:,.2f} {self.unit}",
            f"{sign} {self.target:g} {self.unit}",
            self.verdict,
            self.beside,
        )

    def document(self) -> dict[str, object]:
        """Return it for the JSON line."""
        return {**asdict(self), "value": round(self.value, 4), "reached": self.reached}


@dataclass(frozen=True)
class Gap:
    """Something that could not be measured here, and why."""

    what: str
    why: str

    def row(self) -> tuple[str, str, str, str, str]:
        """Return the cells of the table."""
        return (self.what, "–", "–", f"not measured: {self.why}", "")

    def document(self) -> dict[str, object]:
        """Return it for the JSON line."""
        return {"what": self.what, "not_measured": self.why}


def table(lines: Sequence[Line | Gap]) -> str:
    """Return the lines one below the other, in columns; what was counted beside stands in the row below."""
    head = ("what", "measured", "target", "verdict")
    rows = [head, *(line.row()[:4] for line in lines)]
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    out: list[str] = []
    for row, line in zip(rows, [None, *lines], strict=True):
        cells = [row[0].ljust(wide[0]), row[1].rjust(wide[1]), row[2].rjust(wide[2]), row[3]]
        out.append("  ".join(cells).rstrip())
        beside = line.row()[4] if line is not None else ""
        out += [f"    {beside}"] if beside else []
    return "\n".join(out)
