"""What a prompt tells of the moment: the time, what was told of the person, and the world as sayso sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from sayso.core.canonical import Json
from sayso.core.context import Context, Piece
from sayso.core.fence import fenced, harmless
from sayso.core.sessions import Told
from sayso.core.values import dataclass

UNKNOWN = "unknown"
FACTS = ("mood", "work_minutes", "projects")
"""What was told under these names has a line of its own; all else that was told is a piece of the context."""
HAPPENED = "What has just happened and started this: files, mails or events by their names."
TOLD = "What other programs told of the person, and when."


@dataclass(frozen=True)
class PromptContext:
    """What stands in a prompt about the moment; handlers of the person's own actions get another one (T-48)."""

    now: datetime
    """In the person's own time."""
    world: Context
    told: tuple[Told, ...] = ()

    @property
    def facts(self) -> str:
        """Return time, mood, work, projects and tasks, a line each, as data (S0-68 to S0-70)."""
        minutes = self._told("work_minutes")
        lines = (
            f"Current time: {self.time}",
            f"User mood: {_line(self._told('mood') or UNKNOWN)}",
            f"Work duration: {f'{_line(minutes)} minutes' if minutes is not None else UNKNOWN}",
            f"Recent projects: {', '.join(self.projects) or 'none'}",
            f"Pending tasks: {'; '.join(self.tasks) or 'none'}",
        )
        return fenced("facts", "\n".join(lines))

    @property
    def time(self) -> str:
        """Return the time as a model reads it: day of the week, day, time, offset."""
        return self.now.strftime("%A %Y-%m-%d %H:%M %z")

    @property
    def projects(self) -> tuple[str, ...]:
        """Return what was told; where nothing was, the projects that sayso itself found."""
        told = self._told("projects")
        if told is not None:
            return tuple(_line(one) for one in (cast("list[Json]", told) if isinstance(told, list) else [told]))
        return tuple(_line(row.get("name")) for row in self._rows("projects"))

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return the texts of the tasks that are not completed."""
        return tuple(_line(row.get("text")) for row in self._rows("tasks") if not row.get("completed"))

    @property
    def text(self) -> str:
        """Return the world and what else was told, each piece between marks of its own."""
        return self.context.text

    @property
    def context(self) -> Context:
        """Return the world with what else was told."""
        told: list[Json] = [{"name": one.name, "value": one.value, "told_at": one.time} for one in self.told]
        if not told:
            return self.world
        return Context((*self.world.pieces, Piece("told", TOLD, told)), self.world.left_out, self.world.shown)

    @property
    def data(self) -> dict[str, Json]:
        """Return all of it as data, for the trace."""
        left_out: list[Json] = [{"store": one.store, "why": one.why} for one in self.world.left_out]
        return {"time": self.now.isoformat(), **self.context.data, "left_out": left_out}

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the names of the pieces in which strangers' words stand."""
        return tuple(piece.name for piece in self.context.pieces if piece.data and not piece.ours)

    def _told(self, name: str) -> Json:
        return next((one.value for one in self.told if one.name == name), None)

    def _rows(self, name: str) -> list[Mapping[str, Json]]:
        found = self.world.data.get(name)
        rows = cast("list[Json]", found) if isinstance(found, list) else []
        return [cast("Mapping[str, Json]", row) for row in rows if isinstance(row, Mapping)]


def with_happened(world: Context, happened: Sequence[str]) -> Context:
    """Return the world with what has just happened in it, first of all; these are strangers' words."""
    if not happened:
        return world
    return replace(world, pieces=(Piece("happened", HAPPENED, [*happened]), *world.pieces))


def _line(value: Json) -> str:
    """Return a value as a part of one line."""
    return " ".join(harmless(value if isinstance(value, str) else str(value)).split())
