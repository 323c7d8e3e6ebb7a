"""A call of another server's tool takes the one path: judged, asked about, journaled, done at most once."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from sayso.core.encoding import Json
from sayso.core.record import State
from tests.mcp_env.wrapped import NO, YES, call, calls, home_with, result_of, states

READS = 'reads = ["read_list", "echo"]\n'
LOCAL = "local = true\n"


async def test_a_tool_that_nobody_spoke_for_asks_and_a_no_calls_nothing(tmp_path: Path):
    async with home_with(tmp_path) as home:
        no = await call(home, "add", NO, item="tea")
        before = calls(tmp_path)
        yes = await call(home, "add", YES, item="tea")

    assert home.operations["small.add"].kind == "destructive"
    assert states(no, yes) == [State.DECLINED, State.DONE]
    assert (before, calls(tmp_path)) == ([], ["add"])
    assert (yes.record.verdict and yes.record.verdict.ruling) == "ask"


async def test_what_waits_is_called_once_the_person_says_yes(tmp_path: Path):
    async with home_with(tmp_path) as home:
        waits = await call(home, "add", None, item="tea")
        none = calls(tmp_path)
        await home.approve(waits.record.id, YES)
        done = await home.outcome(waits.record.id)

    assert (states(waits), none) == ([State.WAITING], [])
    assert done is not None
    assert (states(done), calls(tmp_path)) == ([State.DONE], ["add"])


async def test_a_tool_that_the_person_says_only_reads_is_called_unasked(tmp_path: Path):
    async with home_with(tmp_path, READS + LOCAL) as home:
        first = await call(home, "read_list", None)
        second = await call(home, "read_list", None)

    assert states(first, second) == [State.DONE, State.DONE]


async def test_after_its_answer_what_may_leave_the_computer_is_asked_about(tmp_path: Path):
    async with home_with(tmp_path, READS) as home:
        first = await call(home, "read_list", None)
        second = await call(home, "echo", None, value="what it had read")

    assert states(first, second) == [State.DONE, State.WAITING]
    assert second.record.verdict is not None
    assert "read text by others (small.read list)" in second.record.verdict.because


async def test_what_the_server_says_of_its_tools_counts_only_if_the_person_trusts_it(tmp_path: Path):
    async with home_with(tmp_path, "trust_annotations = true") as home:
        trusted = {name: one.kind for name, one in home.operations.items() if name.startswith("small.")}
    async with home_with(tmp_path) as home:
        kinds = {one.kind for name, one in home.operations.items() if name.startswith("small.")}

    assert (trusted["small.read_list"], trusted["small.add"], trusted["small.remove"]) == (
        "read", "write", "destructive",
    )  # fmt: skip
    assert kinds == {"destructive"}


async def test_json_goes_and_comes_as_it_is(tmp_path: Path):
    value: Json = {"z": [1.5, None, {"ü\u2028": "“"}], "a": 2**70, "e": {}}
    async with home_with(tmp_path, READS + LOCAL) as home:
        echoed = await call(home, "echo", value=value)
        listed = await call(home, "read_list")

    assert json.loads(result_of(echoed)["content"][0]["text"]) == value
    assert result_of(listed)["unknownMember"] == [1.5, {"a": None}]
    assert result_of(listed)["structuredContent"] == {"items": []}


async def test_fifty_calls_at_once_lose_none_and_start_one_process(tmp_path: Path):
    outcomes: list[State] = []

    async with home_with(tmp_path, LOCAL, '[policy]\nmode = "never"\n') as home:

        async def one(number: int) -> None:
            outcomes.extend(states(await call(home, "add", None, item=f"item {number}")))

        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(one, number)

    done = (tmp_path / "served" / "list").read_text().split("\n")[:-1]
    assert outcomes == [State.DONE] * 50
    assert sorted(done) == sorted(f"item {number}" for number in range(50))
    assert len(list((tmp_path / "served").glob("started-*"))) == 1


@pytest.mark.parametrize("arguments", [{}, {"item": "x\ud800"}, {"item": float("nan")}])
async def test_arguments_that_cannot_be_sent_are_refused_before_anything_starts(
    tmp_path: Path, arguments: dict[str, Any]
):
    async with home_with(tmp_path) as home:
        refused = await call(home, "add", YES, **arguments)

    assert states(refused) == [State.INVALID]
    assert list((tmp_path / "served").glob("started-*")) == []


@pytest.mark.parametrize("path", ["/etc/passwd", "~/Documents/.bashrc", "~/own/config.toml"])
async def test_an_argument_that_the_person_calls_a_path_is_judged_like_any_path(tmp_path: Path, path: str):
    async with home_with(tmp_path, 'paths = ["path"]\n') as home:
        refused = await call(home, "store", YES, path=path)
        allowed = await call(home, "store", YES, path="~/Documents/a.txt")

    assert states(refused, allowed) == [State.REFUSED, State.DONE]
    assert calls(tmp_path) == ["store"]


async def test_a_link_out_of_the_folders_is_followed_before_it_is_judged(tmp_path: Path):
    async with home_with(tmp_path, 'paths = ["path"]\n') as home:
        (tmp_path / "Documents" / "out").symlink_to("/etc")
        refused = await call(home, "store", YES, path="~/Documents/out/passwd")

    assert states(refused) == [State.REFUSED]


async def test_what_the_server_calls_a_failure_is_told_as_one(tmp_path: Path):
    async with home_with(tmp_path) as home:
        failed = await call(home, "remove", YES, item="nothing")

    assert states(failed) == [State.DONE]
    assert "the server says that it failed" in (failed.record.marks.message or "")
    assert "there is no such item" in failed.text
