"""A server that dies, hangs, floods or changes its tools costs its own call and nothing else."""

import os
import signal
from pathlib import Path

import pytest

import sayso
from sayso.core.record import State
from tests.desktop_env.session import wait_for
from tests.mcp_env.wrapped import YES, accept, call, calls, home_with, result_of, states
from tests.providers.programs.conftest import alive

LOCAL = "local = true\n"


@pytest.mark.parametrize("how", ["die", "flood", "line", "nonsense"])
async def test_a_call_whose_answer_was_lost_is_unknown_and_the_next_one_starts_anew(tmp_path: Path, how: str):
    async with home_with(tmp_path, LOCAL) as home:
        lost = await call(home, "misbehave", YES, how=how)
        then = await call(home, "add", YES, item="tea")

    assert states(lost, then) == [State.UNKNOWN, State.DONE]
    assert "its answer was lost" in (lost.record.marks.error or "")
    assert calls(tmp_path) == ["misbehave", "add"]
    assert len(list((tmp_path / "served").glob("started-*"))) == 2


async def test_a_server_that_hangs_is_ended_at_its_limit(tmp_path: Path):
    async with home_with(tmp_path, LOCAL + 'timeout = "1s"\n') as home:
        lost = await call(home, "misbehave", YES, how="hang")
        then = await call(home, "add", YES, item="tea")

    assert states(lost, then) == [State.UNKNOWN, State.DONE]
    assert "did not answer within 1 seconds" in (lost.record.marks.error or "")


async def test_a_lost_answer_of_a_tool_that_only_reads_is_a_failure_and_no_doubt(tmp_path: Path):
    async with home_with(tmp_path, LOCAL + 'reads = ["misbehave"]\n') as home:
        lost = await call(home, "misbehave", None, how="die")

    assert states(lost) == [State.FAILED]


@pytest.mark.parametrize("how", ["noise", "late"])
async def test_what_a_server_says_beside_its_answer_is_passed_over(tmp_path: Path, how: str):
    async with home_with(tmp_path, LOCAL) as home:
        done = await call(home, "misbehave", YES, how=how)

    assert states(done) == [State.DONE]
    assert "done" in done.text


async def test_half_a_character_pair_is_replaced_and_the_rest_is_as_it_came(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        done = await call(home, "misbehave", YES, how="halves")

    assert done.data["result"] == {"content": [{"type": "text", "text": "a\ufffdb \U0001f600"}], "\ufffd": 1}


async def test_a_server_can_ask_nothing_of_a_model_or_of_the_person(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        asked = await call(home, "misbehave", YES, how="ask")

    assert asked.text.count("sayso answers no requests of servers") == 2


@pytest.mark.parametrize(("kind", "state"), [("complete", "done"), ("input_required", "failed"), ("task", "unknown")])
async def test_only_a_complete_result_is_an_answer(tmp_path: Path, kind: str, state: str):
    async with home_with(tmp_path, LOCAL) as home:
        answered = await call(home, "answer", YES, result={"content": [], "resultType": kind})

    assert states(answered) == [state]


async def test_a_server_that_died_between_two_calls_is_started_again(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        await call(home, "add", YES, item="tea")
        (started,) = (tmp_path / "served").glob("started-*")
        pid = int(started.name.partition("-")[2])
        above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not alive(pid) and not alive(above))
        again = await call(home, "add", YES, item="milk")

    assert states(again) == [State.DONE]
    assert (tmp_path / "served" / "list").read_text() == "tea\nmilk\n"


async def test_no_process_of_a_server_is_left_when_the_home_closes(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        with_child = await call(home, "misbehave", YES, how="child")
        (started,) = (tmp_path / "served").glob("started-*")
        pids = [int(started.name.partition("-")[2]), int(result_of(with_child)["content"][0]["text"])]
        assert all(map(alive, pids))

    assert not any(map(alive, pids))


async def test_a_tool_whose_description_changed_is_not_called(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        await call(home, "misbehave", YES, how="change")
        changed = await call(home, "add", YES, item="tea")
        others = await call(home, "remove", YES, item="tea")

    assert states(changed, others) == [State.REFUSED, State.DONE]
    assert changed.record.marks.code == "mcp.changed"
    assert "has changed what it says of “add”" in (changed.record.marks.error or "")
    assert calls(tmp_path) == ["misbehave", "remove"]


async def test_a_change_before_the_server_starts_is_seen_too(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        (tmp_path / "served" / "lean").touch()
        gone = await call(home, "misbehave", YES, how="die")

    assert states(gone) == [State.REFUSED]
    assert "no longer has “misbehave”" in (gone.record.marks.error or "")


async def test_another_command_in_the_settings_is_another_server_whose_tools_nobody_accepted(tmp_path: Path):
    async with home_with(tmp_path) as home:
        before = "small.add" in home.operations
    settings = tmp_path / "own" / "config.toml"
    settings.write_text(settings.read_text().replace('served"]', 'served", "--evil"]'))

    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as home:
        after = "small.add" in home.operations

    assert (before, after) == (True, False)


async def test_what_waits_is_not_called_once_the_server_says_something_else_of_it(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        waits = await call(home, "add", None, item="tea")
    (tmp_path / "served" / "poisoned").touch()
    accept(tmp_path / "own", tmp_path / "served")

    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path), "PATH": "/usr/bin"}) as home:
        await home.approve(waits.record.id, YES)
        outcome = await home.outcome(waits.record.id)

    assert outcome is not None
    assert outcome.record.state is State.REFUSED
    assert calls(tmp_path) == []


async def test_tools_that_nobody_could_read_or_name_are_left_out(tmp_path: Path):
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "odd").touch()
    async with home_with(tmp_path) as home:
        names = [name for name in home.operations if name.startswith("small.")]

    assert names == [f"small.{one}" for one in ("add", "answer", "echo", "misbehave", "read_list", "remove", "store")]


async def test_a_server_of_a_version_that_nobody_knows_is_not_used(tmp_path: Path):
    async with home_with(tmp_path) as home:
        (tmp_path / "served" / "version").write_text("1999-01-01")
        refused = await call(home, "add", YES, item="tea")

    assert states(refused) == [State.FAILED]
    assert refused.record.marks.code == "mcp.version"


async def test_the_server_gets_no_variables_of_sayso_and_none_that_is_not_named(tmp_path: Path):
    async with home_with(tmp_path, LOCAL) as home:
        told = await call(home, "misbehave", YES, how="environment")

    names = told.text.split()
    assert "PATH" in names
    assert [name for name in names if name.startswith("SAYSO_") and name != "SAYSO_STARTED"] == []
