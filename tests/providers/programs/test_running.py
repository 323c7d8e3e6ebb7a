"""A program runs in its bounds, and nothing of it is left."""

import os
import sys
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.programs.call import Call
from sayso.providers.programs.running import Runner
from sayso.runtime.ids import RandomIds
from tests.desktop_env.session import wait_for
from tests.providers.programs.passing import too_late_once


def a_runner(**environ: str) -> Runner:
    return Runner({**os.environ, **environ}, RandomIds())


def sh(script: str, *values: str, seconds: float = 20, most: int = 1000, data: bytes = b"") -> Call:
    return Call("sh", ("-c", script, "sh"), values, seconds=seconds, most=most, data=data)


def alive(pid: int) -> bool:
    """Say whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.req("S1-08", "S1-09")
async def test_what_it_says_comes_back_without_its_last_newlines():
    done = await a_runner().run(sh(r"printf 'a\n\nb\n\n'; printf oh >&2; exit 3"))

    assert (done.text, done.errors, done.code) == ("a\n\nb", b"oh", 3)


async def test_what_it_reads_arrives_to_the_byte():
    data = bytes(range(256)) * 4096

    done = await a_runner().run(Call("cat", data=data, most=2**21))

    assert done.output == data


async def test_a_program_that_reads_nothing_does_not_hold_us_up():
    done = await a_runner().run(Call("true", data=b"x" * 2**22))

    assert done.code == 0


@pytest.mark.req("S1-10", "S1-11", "X-13", "AP-05")
async def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path):
    script = "sleep 300 & echo $! >$1/child; trap '' TERM; setsid sleep 300 & echo $! >$1/away; echo $$ >$1/itself; "
    script += ": >$1/ready; wait; wait"

    async with too_late_once((tmp_path / "ready").exists):
        with pytest.raises(ProviderError, match="sh did not end within 20 seconds and was stopped"):
            await a_runner().run(sh(script, str(tmp_path)))

    pids = [int((tmp_path / name).read_text()) for name in ("child", "away", "itself")]
    assert [alive(pid) for pid in pids] == [False, False, False]


@pytest.mark.req("X-13")
async def test_nothing_is_left_when_the_wait_is_cancelled(tmp_path: Path):
    began = tmp_path / "began"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(a_runner().run, sh("sleep 300 & echo $! >$1.new; mv $1.new $1; wait", str(began)))
        await anyio.to_thread.run_sync(wait_for, began.exists)
        tasks.cancel_scope.cancel()

    assert not alive(int(began.read_text()))


async def test_what_it_says_is_cut_and_the_rest_is_not_waited_for_in_memory():
    done = await a_runner().run(sh("head -c 5000000 /dev/zero; echo end >&2"))

    assert len(done.output) == 1000
    assert done.cut
    assert done.errors == b"end\n"


async def test_who_stays_behind_and_holds_its_pipes_is_not_waited_for(tmp_path: Path):
    done = await a_runner().run(sh("sleep 60 & echo $! >$1; echo said", str(tmp_path / "pid"), seconds=10))

    assert done.text == "said"
    os.kill(int((tmp_path / "pid").read_text()), 9)


@pytest.mark.req("X-07", "S0-53")
@pytest.mark.parametrize("value", ["-h", "--help", "-"])
async def test_a_value_that_looks_like_an_option_is_refused(value: str):
    with pytest.raises(ProviderError, match="would be taken for an option of echo"):
        await a_runner().run(Call("echo", values=(value,)))


@pytest.mark.req("X-07")
async def test_a_program_that_knows_the_end_of_options_gets_such_a_value_as_a_value(tmp_path: Path):
    (tmp_path / "-n").write_text("there")

    done = await a_runner().run(Call("cat", ("-A",), ("-n",), dashes=True, folder=str(tmp_path)))

    assert done.text == "there"


@pytest.mark.req("X-06", "X-07", "AP-03")
@pytest.mark.parametrize(
    "value", ["$(touch {})", "`touch {}`", "; touch {}", "a\n\rb\u2028", '" & do shell script "touch {}"']
)
async def test_a_value_is_one_argument_and_no_script(value: str, tmp_path: Path):
    value = value.replace("{}", str(tmp_path / "canary"))

    done = await a_runner().run(Call(sys.executable, ("-c", "import sys; print(ascii(sys.argv[1:]))"), (value,)))

    assert done.text == ascii([value])
    assert not (tmp_path / "canary").exists()


async def test_a_nul_is_refused():
    with pytest.raises(ProviderError, match="NUL"):
        await a_runner().run(Call("echo", values=("a\0b",)))


@pytest.mark.req("S1-12", "X-05")
async def test_a_program_that_is_not_there_is_named():
    with pytest.raises(SetupError, match="osascript not found"):
        await a_runner(PATH="/nowhere").run(Call("osascript"))


@pytest.mark.req("S1-13")
async def test_a_program_that_cannot_be_started_says_why(tmp_path: Path):
    odd = tmp_path / "odd"
    odd.write_text("#!/nowhere/interpreter\n")
    odd.chmod(0o755)

    with pytest.raises(ProviderError, match="odd could not be started: No such file or directory"):
        await a_runner().run(Call(str(odd)))


async def test_a_program_is_looked_for_in_absolute_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "trap").write_text("#!/bin/sh\n")
    (tmp_path / "trap").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert a_runner(PATH=".::").find("trap") is None
    assert a_runner(PATH=f".:{tmp_path}").find("trap") == str(tmp_path / "trap")
    assert a_runner().find("./trap") is None


async def test_no_program_gets_what_is_said_to_sayso_or_to_others():
    runner = a_runner(SAYSO_MAIL_USER="no", SAYSO_HOME="/h", SOME_API_KEY="no", DISPLAY=":7")

    names = {line.partition("=")[0] for line in (await runner.told(Call("env"))).splitlines()}
    whole = {line.partition("=")[0] for line in (await runner.told(Call("env", whole=True))).splitlines()}

    assert {"SAYSO_MAIL_USER", "SAYSO_HOME"}.isdisjoint(names | whole)
    assert ("SOME_API_KEY" in names, "SOME_API_KEY" in whole) == (False, True)
    assert "DISPLAY" in names


async def test_a_program_has_a_session_of_its_own_no_terminal_and_none_of_our_files(tmp_path: Path):
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        done = await a_runner().run(sh("ls /proc/$$/fd; ps -o sid= -p $$; echo $$; : </dev/tty"))

    *files, session, itself = done.text.split()
    assert files == ["0", "1", "2"]
    assert session == itself
    assert done.code != 0


async def test_what_must_succeed_says_what_the_program_complains_of():
    with pytest.raises(ProviderError, match="sh failed: no such thing"):
        await a_runner().told(sh("echo no such >&2; echo thing >&2; exit 1"))
    with pytest.raises(ProviderError, match="sh failed: it ended with 4"):
        await a_runner().told(sh("exit 4"))
    with pytest.raises(ProviderError, match="sh failed: it was ended by signal 9"):
        await a_runner().told(sh("kill -9 $$"))
    with pytest.raises(ProviderError, match="sh said more than 1,000 bytes"):
        await a_runner().told(sh("head -c 1001 /dev/zero"))


async def test_many_programs_run_beside_each_other():
    said: list[str] = []

    async def one(number: int) -> None:
        said.append(await a_runner().told(sh("echo $1", str(number))))

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(one, number)

    assert sorted(map(int, said)) == list(range(20))


async def test_nothing_stays_open(tmp_path: Path):
    before = sorted(file.name for file in Path("/proc/self/fd").iterdir())

    for call in (sh("echo a"), sh("sleep 9", seconds=0.05), Call("cat", data=b"x"), Call("true", silent=True)):
        try:
            await a_runner().run(call)
        except ProviderError:
            continue

    assert sorted(file.name for file in Path("/proc/self/fd").iterdir()) == before
