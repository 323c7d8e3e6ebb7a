"""A call is taken back by what a recipe says, after looking, and never by what the server says."""

from pathlib import Path
from typing import cast

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.record import State
from sayso.providers.mcp.definitions import place_of
from sayso.providers.mcp.recipes import fill, is_empty, load_recipes, read_recipe, shipped
from tests.mcp_env.wrapped import YES, call, calls, home_with, states

OWN = """
[[recipe]]
tool = "add"
back = "remove"
arguments = { item = "$arguments.item" }
checks = [{ tool = "read_list", arguments = {}, expect = "same" }]

[[recipe]]
tool = "remove"
back = "echo"
arguments = { value = "$before.text" }
before = { tool = "read_list", arguments = {} }

[[recipe]]
tool = "echo"
back = "add"
arguments = { item = "$result.structuredContent.nothing" }
"""


@pytest.fixture
def more(tmp_path: Path) -> str:
    (tmp_path / "own.toml").write_text(OWN)
    return f'local = true\nrecipes = "{tmp_path}/own.toml"\n'


async def test_a_call_with_a_recipe_is_taken_back(tmp_path: Path, more: str):
    async with home_with(tmp_path, more) as home:
        done = await call(home, "add", YES, item="tea")
        (undone,) = (await home.undo(done.record.id)).outcomes
        before = await home.outcome(done.record.id)

    assert "it can be taken back by “remove”" in cast("list[str]", (done.record.plan or {})["warns"])
    assert undone.record.state is State.DONE, undone.record.marks
    assert before is not None
    assert before.record.state is State.UNDONE
    assert calls(tmp_path) == ["add", "read_list", "read_list", "remove"]
    assert (tmp_path / "served" / "list").read_text() == ""


async def test_it_is_not_taken_back_once_something_else_is_there(tmp_path: Path, more: str):
    async with home_with(tmp_path, more) as home:
        done = await call(home, "add", YES, item="tea")
        (tmp_path / "served" / "list").write_text("tea\nmilk\n")
        (undone,) = (await home.undo(done.record.id)).outcomes

    assert undone.record.state is State.REFUSED
    assert undone.record.marks.code == "mcp.drift"
    assert calls(tmp_path) == ["add", "read_list", "read_list"]


async def test_what_was_looked_at_before_the_call_is_at_hand(tmp_path: Path, more: str):
    async with home_with(tmp_path, more) as home:
        await call(home, "add", YES, item="tea")
        await call(home, "add", YES, item="milk")
        done = await call(home, "remove", YES, item="tea")
        (undone,) = (await home.undo(done.record.id)).outcomes

    assert undone.record.state is State.DONE
    assert calls(tmp_path)[-3:] == ["read_list", "remove", "echo"]


async def test_a_call_that_left_nothing_to_take_back_calls_nothing(tmp_path: Path, more: str):
    async with home_with(tmp_path, more) as home:
        failed = await call(home, "remove", YES, item="none")
        echoed = await call(home, "echo", YES, value="x")
        (of_failed,) = (await home.undo(failed.record.id)).outcomes
        (of_echoed,) = (await home.undo(echoed.record.id)).outcomes

    assert states(of_failed, of_echoed) == [State.REFUSED, State.REFUSED]
    assert calls(tmp_path) == ["read_list", "remove", "echo"]


async def test_without_a_recipe_there_is_no_way_back(tmp_path: Path):
    async with home_with(tmp_path) as home:
        done = await call(home, "add", YES, item="tea")

        with pytest.raises(ProposalError, match="nothing here knows how to take back"):
            await home.undo(done.record.id)


async def test_a_tool_that_changed_takes_nothing_back(tmp_path: Path, more: str):
    async with home_with(tmp_path, more) as home:
        await call(home, "add", YES, item="tea")
        done = await call(home, "remove", YES, item="tea")  # taken back by “echo”
        pinned = place_of(str(tmp_path / "own"), "small")
        pinned.write_text(pinned.read_text().replace("Return what it is given.", "Return it."))
        (undone,) = (await home.undo(done.record.id)).outcomes

    assert (undone.record.state, undone.record.marks.code) == (State.REFUSED, "mcp.changed")
    assert "echo" not in calls(tmp_path)


def test_the_recipes_that_ship_can_be_read():
    found = {name: sorted(load_recipes(name, "/home/ana")) for name in shipped()}

    assert found == {
        "filesystem": ["edit_file", "move_file", "write_file"],
        "memory": ["add_observations", "create_entities", "create_relations"],
    }


def test_a_recipe_that_is_none_is_refused(tmp_path: Path):
    (tmp_path / "odd.toml").write_text('[[recipe]]\ntool = "x"\nundo = "y"\n')

    with pytest.raises(SetupError, match="cannot be read"):
        load_recipes(f"{tmp_path}/odd.toml", "/home/ana")


def test_a_template_is_filled_from_the_call_and_its_result():
    values: dict[str, Json] = {
        "arguments": {"a": [1, 2.5]},
        "result": {"made": [{"n": "x", "o": ["p"]}, {"n": "y", "o": []}]},
    }

    filled = fill(
        {
            "names": "$result.made.*.n",
            "all": "$arguments",
            "plain": "$$arguments",
            "each": {"$each": "$result.made", "as": {"name": "$each.n", "rest": "$each.o"}},
        },
        values,
    )

    assert filled == {
        "names": ["x", "y"],
        "all": {"a": [1, 2.5]},
        "plain": "$arguments",
        "each": [{"name": "x", "rest": ["p"]}, {"name": "y", "rest": []}],
    }
    for missing in ("$before.text", "$result.nothing", "$arguments.a.b"):
        with pytest.raises(Refused):
            fill(missing, values)
    assert (is_empty({"names": []}), is_empty({}), is_empty({"names": [], "x": 1})) == (True, False, False)


def test_a_recipe_survives_the_journal():
    recipe = load_recipes("filesystem", "/")["move_file"]

    assert read_recipe(recipe.text) == recipe
