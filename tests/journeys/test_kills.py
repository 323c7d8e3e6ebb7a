"""A process killed at any point of any file operation leaves a true journal, whole files, and nothing lost.

Each death is gone through by real processes (`dying.py`). What they left is held against trees worked out from
the tree before (`deeds.py`), which `find` and `sha256sum` have read; the journal is read by plain SQLite.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sayso.providers.files.local.steps import KILL_POINTS
from tests.journeys.conftest import Dying
from tests.journeys.deeds import DEEDS, FIRST, Deed, worlds
from tests.journeys.ground import Thing, Tree, alike

OWN = {"config.toml", "locks", "sayso.db", "sayso.db-shm", "sayso.db-wal", "trash", "upkeep"}
"""What may stand in sayso's folder: no temporary file, whatever died."""

WAITING = ("waiting",)
"""What was asked about, and nothing of it had begun: nobody decides for the person, so it waits on."""

BEFORE_THE_TOKEN = ("journal.after_commit", "path.claimed", ".begun")
"""Ends of labels at which a step had begun and had not yet made its own place."""

FEWEST = {"everywhere": 8, "once": 3, "between": 4}
"""How many deaths there are at least, by where a deed dies."""

UNREACHED = {
    "files.unkeep.begun": "only where no Trash serves the disk; held by tests/providers/files/local",
    "files.unkeep.renamed": "the same",
    "files.unkeep.synced": "the same",
}


def swept(*names: str) -> pytest.MarkDecorator:
    """Run a test for one deed of each class of step, and in the thorough ring for all deeds with every kill point."""
    first = [pytest.param(name, FIRST[name], id=name) for name in names if name in FIRST]
    rest = [name for name in names if FIRST.get(name) != "everywhere"]
    sweep = [pytest.param(name, "everywhere", id=f"{name}, everywhere", marks=pytest.mark.thorough) for name in rest]
    return pytest.mark.parametrize(("name", "where"), [*first, *sweep])


@dataclass(frozen=True)
class Look:
    """Files and journal as one process left them."""

    tree: Tree
    trash: Tree
    all: frozenset[str]
    own: frozenset[str]
    places: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]

    @property
    def states(self) -> list[str]:
        """Return where each action of the deed stands."""
        return [row["state"] for row in self.rows if row["undo_of"] is None]

    @property
    def files(self) -> set[str]:
        """Return the hashes of all files a person has in view."""
        return {thing.what for thing in self.tree.values() if thing.kind == "f"}


def a_look(found: dict[str, Any]) -> Look:
    """Read what the other program printed."""
    tree, trash = ({path: Thing(*thing) for path, thing in found[name].items()} for name in ("tree", "trash"))
    everything, own = frozenset(found["all"]), frozenset(found["own"])
    return Look(tree, trash, everything, own, tuple(found["places"]), tuple(found["rows"]))


@dataclass(frozen=True)
class Death:
    """One death and what followed."""

    label: str
    told: dict[str, Any]

    def look(self, name: str) -> Look:
        """Return one of the looks."""
        return a_look(self.told[name])


def deaths(dying: Dying, how: str, name: str, where: str) -> Iterator[Death]:
    """Go through the deaths of a deed, in processes of their own."""
    lines = [json.loads(line) for line in dying.ask(how, name, where)]
    assert len(lines) >= FEWEST[where]
    for line in lines:
        assert line["ended"][0] == -9, line["label"]
        yield Death(line["label"], line)


def stage_of(look: Look, stages: list[Tree]) -> int:
    """Return after how many actions the files look like this; never anything in between."""
    found = [number for number, stage in enumerate(stages) if alike(stage, look.tree)]
    assert len(found) == 1, look.tree
    return found[0]


@pytest.mark.req("CR-01", "S0-36", "X-14")
@swept(*DEEDS)
def test_a_death_at_any_point_is_told_truthfully_and_loses_nothing(name: str, where: str, dying: Dying):
    deed = DEEDS[name]

    for death in deaths(dying, "do", name, where):
        before, dead, settled = death.look("before"), death.look("dead"), death.look("settled")
        stages = worlds(deed, before.tree)

        must_be_whole(death, before, stages)
        must_be_true_at_death(deed, dead, stages)
        must_be_settled(deed, settled, stages)
        assert stage_of(dead, stages) == stage_of(settled, stages), "recovery starts nothing"
        assert death.told["again"] == death.told["settled"], "a second recovery finds nothing to do"
        if death.told["undone"] is not None:
            undone = death.look("undone")
            assert undone.tree == before.tree
            assert set(undone.states) <= {"undone", "failed", "skipped"}


@pytest.mark.req("CR-01", "UN-03")
@swept(*DEEDS)
def test_a_death_while_taking_back_is_told_truthfully_and_can_be_finished(name: str, where: str, dying: Dying):
    deed = DEEDS[name]

    for death in deaths(dying, "undo", name, where):
        done, dead, settled = death.look("before"), death.look("dead"), death.look("settled")
        stages = worlds(deed, death.look("start").tree)[::-1]

        must_be_whole(death, done, stages)
        undone = settled.states.count("undone")
        assert set(settled.states) <= {"done", "undone"}, (death.label, settled.rows)
        assert stage_of(settled, stages) == stage_of(dead, stages) == undone
        assert not any(row["state"] in {"running", "unknown"} for row in settled.rows)
        must_match_its_undo_rows(settled)
        assert death.told["again"] == death.told["settled"], "a second recovery finds nothing to do"
        last = death.look("undone") if death.told["undone"] is not None else settled
        assert alike(stages[-1], last.tree)
        assert set(last.states) == {"undone"}


def must_be_whole(death: Death, before: Look, stages: list[Tree]) -> None:
    """Hold every look of one death to what is so at any time: whole files, nothing lost, no litter."""
    for look in (death.look("dead"), death.look("settled"), *map(a_look, death.told["between"])):
        stage_of(look, stages)
        assert before.files <= look.all, (death.label, "content is lost")
        assert look.own <= OWN, (death.label, "litter in sayso's folder")


def must_be_true_at_death(deed: Deed, dead: Look, stages: list[Tree]) -> None:
    """Hold the journal at the moment of death: no effect without a record that it had begun."""
    for number in range(stage_of(dead, stages)):
        row = dead.rows[number]
        assert row["state"] in {"running", "done"}, row
        assert row["state"] == "done" or row["begun"] == 0 or row["changes"] == ["done"], row
    must_have_taken_once(deed, dead, stages)


def must_be_settled(deed: Deed, settled: Look, stages: list[Tree]) -> None:
    """Hold the journal after recovery: done is what the files show, the rest changed nothing."""
    done = stage_of(settled, stages)
    rest = settled.states[done:]
    assert settled.states[:done] == ["done"] * done, settled.rows
    assert all(state in {"failed", "skipped", *WAITING} for state in rest), settled.rows
    assert ("waiting" in rest) <= (set(rest) == {"waiting"}), "all of a batch waits, or none"
    must_have_taken_once(deed, settled, stages)
    must_keep_only_what_is_needed(deed, settled, done)


def must_have_taken_once(deed: Deed, look: Look, stages: list[Tree]) -> None:
    """Hold the Trash: one thing lies in it when something was deleted, else none."""
    things = [path for path in look.trash if path.startswith("files/") and path.count("/") == 1]
    assert len(things) == (stage_of(look, stages) if deed.trashes else 0)


def must_keep_only_what_is_needed(deed: Deed, settled: Look, done: int) -> None:
    """Hold what is beside the files: a note for what is in the Trash, a place for what was made or replaced."""
    notes = [path for path in settled.trash if path.startswith("info/")]
    assert len(notes) == (done if deed.trashes else 0)
    if done == 0:
        assert settled.places == (), "nothing half-built stays"


def must_match_its_undo_rows(settled: Look) -> None:
    """Hold that an action is undone exactly when one undo of it is done."""
    for row in settled.rows:
        if row["undo_of"] is None:
            backs = [undo["state"] for undo in settled.rows if undo["undo_of"] == row["id"]]
            assert backs.count("done") == (row["state"] == "undone"), settled.rows


@pytest.mark.req("CR-01")
@swept(*(name for name, deed in DEEDS.items() if deed.made))
def test_what_somebody_else_made_meanwhile_is_never_taken_for_ours(name: str, where: str, dying: Dying):
    for death in deaths(dying, "outsider", name, where):
        dead, settled = death.look("dead"), death.look("settled")

        assert death.told["untouched"], death.label
        assert death.told["after"] == death.told["before"], death.label
        if dead.states != ["done"]:
            assert set(settled.states) <= {"failed", "unknown", *WAITING}, (death.label, settled.rows)
        if settled.states == ["unknown"]:
            # Without the token, or with ours taken away, the disk cannot tell; the person is asked.
            assert death.told["ours"] or death.label.endswith(BEFORE_THE_TOKEN), death.label


def test_every_kill_point_of_the_file_steps_comes_by_where_the_first_ring_dies(dying: Dying):
    passed = {label for name in FIRST for how in ("do", "undo") for label in dying.ask("labels", name, how)}

    missed = {label for label in KILL_POINTS if label not in passed}

    assert missed == set(UNREACHED)
    assert {"path.before_claim", "path.claimed", "path.begun", "path.acted", "undo.begun"} <= passed
