"""What a step may let leave the machine: nothing, something to recipients that its fields name, or nobody knows what.

Something leaves when words that the proposer chose, or words that it read, can come to another computer or another
person. What is stored in an account of the person's own, such as a folder of their mailbox, does not leave.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct


class Reach(Struct, frozen=True):
    """What a step may let leave; every class of steps declares one, as `NOTHING`, `UNKNOWN`, `unknown()` or `named()`.

    `fields` are the fields of the step that name the recipients or addresses. If one of them is `UNSET`, nobody knows
    who the recipients are; if all are empty, there is none. `what` says in words what leaves. While the step's field
    `unless` is true, nothing leaves.
    """

    kind: Literal["nothing", "named", "unknown"]
    what: str = ""
    fields: tuple[str, ...] = ()
    unless: str = ""

    def leaving(self, step: Any) -> tuple[str, ...]:
        """Return what may leave when this step is done, one text for each recipient; empty if nothing can."""
        if self.kind == "nothing" or (self.unless and getattr(step, self.unless) is True):
            return ()
        values = [getattr(step, field) for field in self.fields]
        if self.kind == "unknown" or any(value is UNSET for value in values):
            return (self.what if self.kind == "unknown" else f"{self.what} to nobody knows whom",)
        return tuple(f"{self.what} to {name}" for value in values for name in _names(value))

    @property
    def said(self) -> str:
        """Return the declaration in words, for the reference."""
        if self.kind == "nothing":
            return "nothing"
        fields = ", ".join(f"`{field}`" for field in self.fields)
        said = f"{self.what} to whom {fields} names" if fields else f"unknown: {self.what}"
        return f"{said}; nothing if `{self.unless}`" if self.unless else said


NOTHING = Reach("nothing")
"""Nothing that the proposer chose or read leaves the machine by this step."""


def unknown(what: str, unless: str = "") -> Reach:
    """Return the reach of a step of which nobody knows what it lets leave, and to whom; it counts as sending."""
    return Reach("unknown", what, unless=unless)


UNKNOWN = unknown("nobody knows what")


def named(what: str, *fields: str, unless: str = "") -> Reach:
    """Return the reach of a step that tells `what` to the recipients or addresses in these fields of the step."""
    return Reach("named", what, fields, unless)


def _names(value: str | tuple[str, ...]) -> list[str]:
    return [name for name in ((value,) if isinstance(value, str) else value) if name]
