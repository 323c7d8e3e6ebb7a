"""A model's numbers mean what its session was shown, and its names are as exact as its dialect wants."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from msgspec.structs import replace

from sayso.core.operation import operation
from sayso.core.plan import Answer, Fact, Facts, Plan
from sayso.core.proposal import Origin
from sayso.runtime.engine import Engine
from sayso.runtime.planner import MOST, ShownItems
from sayso.runtime.questions import Nobody
from sayso.runtime.services import Services
from tests.runtime.given import Given, given, only, proposed
from tests.runtime.shelf import PUT, Backend, Shelf

ONE, OTHER = (Fact("a"),), (Fact("b"), Fact("c"))


def test_the_last_thing_shown_of_each_store_counts_for_its_session():
    shown = ShownItems()

    shown.keep("s", ("tabs",), ONE)
    shown.keep("s", ("mail",), ONE)
    shown.keep("s", ("tabs",), OTHER)
    shown.keep("other", ("tabs",), ONE)

    assert shown.to("s", "run_1") == {"tabs": OTHER, "mail": ONE}
    assert shown.to("other", "run_2") == {"tabs": ONE}
    assert shown.to("never", "run_3") == {}


def test_a_run_goes_by_what_was_shown_as_it_began():
    shown = ShownItems()
    shown.keep("s", ("tabs",), ONE)
    begun, nothing = shown.to("s", "run_1"), shown.to("other", "run_2")

    shown.keep("s", ("tabs",), OTHER)
    shown.keep("other", ("tabs",), OTHER)

    assert (begun, shown.to("s", "run_1")) == ({"tabs": ONE}, {"tabs": ONE})
    assert (nothing, shown.to("other", "run_2")) == ({}, {})
    assert shown.to("s", "run_3") == {"tabs": OTHER}


def test_of_too_many_sessions_the_one_not_heard_of_for_longest_goes():
    shown = ShownItems()
    shown.keep("first", ("tabs",), ONE)
    for number in range(MOST - 1):
        shown.keep(str(number), ("tabs",), ONE)

    shown.keep("first", ("tabs",), OTHER)
    shown.keep("new", ("tabs",), ONE)

    assert shown.to("0", "a") == {}
    assert (shown.to("first", "b"), shown.to("1", "c")) == ({"tabs": OTHER}, {"tabs": ONE})


def test_of_too_many_runs_the_oldest_is_taken_for_a_new_one():
    shown = ShownItems()
    shown.to("s", "first")
    for number in range(MOST - 1):
        shown.to("s", str(number))
    shown.keep("s", ("tabs",), ONE)
    kept = shown.to("s", "first")

    shown.to("s", "one more")

    assert (kept, shown.to("s", "first")) == ({}, {"tabs": ONE})


class Rows(Protocol):
    """The reads."""

    def names(self) -> Facts:
        """Return what stands in the rows, as numbers mean it."""
        ...

    def told(self, number: int) -> str:
        """Return what a number means, and how exact names are."""
        ...


@dataclass(frozen=True)
class Seen:
    """The rows as they are, or as a model was shown them."""

    rows: Facts
    exact: bool = False

    def names(self) -> Facts:
        return self.rows

    def told(self, number: int) -> str:
        return f"{self.rows[number].about} {'exactly' if self.exact else 'about'}"

    def exactly(self) -> "Seen":
        return dataclasses.replace(self, exact=True)

    def as_shown(self, shown: Facts) -> "Seen":
        return dataclasses.replace(self, rows=shown)


class RowBackend(Backend):
    """Serves rows, which somebody may put in another order."""

    rows: Facts = (Fact("one"), Fact("two"))

    @property
    def reads(self) -> Any:
        return Seen(self.rows)


@operation("rows.list", kind="read", asks="none")
async def listed(rows: Rows) -> Answer:
    """List the rows."""
    return Answer("Listed", {}, shown=rows.names())


@operation("rows.all", kind="read", asks="none")
async def everything(rows: Rows, shelf: Shelf) -> Answer:
    """List the rows and look at the shelf."""
    return Answer(f"Listed, and {await shelf.holds('a')}", {}, shown=rows.names())


@operation("rows.count", kind="read", asks="none")
async def count(rows: Rows) -> Answer:
    """Count the rows."""
    return Answer(f"{len(rows.names())} rows")


@operation("rows.tell", kind="read", asks="none")
async def tell(rows: Rows, number: int) -> Answer:
    """Say what stands in a row now."""
    return Answer(rows.told(number))


@operation("rows.mean", kind="write", asks="none")
async def mean(rows: Rows, number: int) -> Plan:
    """Say which row is meant."""
    return Plan(rows.told(number))


def a_tools(it: Given, *exact: str) -> Services:
    """Return the tools with rows beside the shelf."""
    rows = {one.id: one for one in (listed, everything, count, tell, mean)}
    backends = {**it.tools.backends, "rows": RowBackend(it.world)}
    return replace(
        it.tools,
        catalogue={**it.tools.catalogue, **rows},
        backends=backends,
        takes_exact_names=frozenset(exact).__contains__,
    )


async def said(path: Engine, name: str, session: str = "s", *, dry_run: bool = False, **arguments: int) -> str | None:
    """Return what comes of one call."""
    report = await path.take(proposed((name, arguments)), Origin("lines", "", session), Nobody(), dry_run=dry_run)
    return only(report).record.marks.message


@pytest.mark.req("T-97")
async def test_a_number_means_what_its_session_was_shown_last(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = a_tools(it)
        path = Engine(tools)
        before = await said(path, "rows.mean", number=0)
        await said(path, "rows.list")
        tools.backends["rows"].__dict__["rows"] = (Fact("two"), Fact("one"))
        counted = await said(path, "rows.count")
        here, elsewhere = [await said(path, "rows.mean", session, number=0) for session in ("s", "other")]
        now = await said(path, "rows.tell", number=0)
        await said(path, "rows.list")
        again = await said(path, "rows.mean", number=0)

    assert (before, counted) == ("one about", "2 rows")
    assert (here, elsewhere, now, again) == ("one about", "two about", "two about", "two about")


@pytest.mark.req("T-97")
async def test_what_a_dry_run_would_show_was_not_shown(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = a_tools(it)
        path = Engine(tools)
        await said(path, "rows.list", dry_run=True)
        tools.backends["rows"].__dict__["rows"] = (Fact("two"), Fact("one"))

        assert await said(path, "rows.mean", number=0) == "two about"


@pytest.mark.req("T-98")
@pytest.mark.parametrize(("exact", "means"), [("lines", "one exactly"), ("blocks", "one about")])
async def test_names_are_as_exact_as_the_dialect_wants_where_the_store_has_names(
    tmp_path: Path, exact: str, means: str
) -> None:
    async with given(tmp_path) as it:
        path = Engine(a_tools(it, exact))
        await said(path, "rows.all")

        assert await said(path, "rows.mean", number=0) == means
        await path.take(proposed(PUT), Origin("lines", "", "s"), Nobody())
    assert "a" in it.world.texts
