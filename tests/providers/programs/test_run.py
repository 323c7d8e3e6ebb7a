"""A call keeps words and values apart."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.programs.run import (
    POLITE_SECONDS,
    ProgramCall,
    ProgramResult,
    ProgramRunner,
    browser_environment,
    end,
    end_marked_processes,
    find_program,
    full_environment,
    launch,
    marked_processes,
    session_environment,
    signal_marked,
    wait_for_end,
)
from sayso.runtime.system import RandomIds
from tests.descriptors import open_descriptors
from tests.desktop_env.session import wait_for
from tests.patience import patience
from tests.providers.programs.conftest import alive, too_late_once


@pytest.mark.req("X-07")
def test_words_are_not_split_and_values_stand_behind_the_end_of_options_where_there_is_one():
    assert ProgramCall("a", ("b c",), ("d e",)).arguments() == ("b c", "d e")
    assert ProgramCall("a", ("-w",), ("-x", "--"), dashes=True).arguments() == ("-w", "--", "-x", "--")
    assert ProgramCall("a", ("-w",), dashes=True).arguments() == ("-w",)


@pytest.mark.req("X-07")
def test_a_long_value_that_is_refused_is_shown_shortened():
    with pytest.raises(ProviderError) as no:
        ProgramCall("/usr/bin/a", (), ("-" + "x" * 500,)).arguments()

    assert str(no.value).startswith("“-xxx")
    assert "option of a;" in str(no.value)
    assert len(str(no.value)) < 200


def test_a_complaint_is_one_short_line_and_what_is_no_text_is_shown_as_far_as_it_is():
    assert ProgramResult("a", 1, errors=b"one\n  two\n").complaint == "one two"
    assert len(ProgramResult("a", 1, errors=b"x" * 9000).complaint) == 401
    assert ProgramResult("a", -15).complaint == "it was ended by signal 15"
    assert ProgramResult("a", 0, b"\xffa\r\n\n").text == "\ufffda"


DESKTOP = {"HOME": "/h", "XDG_RUNTIME_DIR": "/r", "LC_ALL": "C"}
SECRETS = {"AWS_SECRET": "s"}
NETWORK = {"https_proxy": "http://p:1", "NO_PROXY": "x.test", "XMODIFIERS": "@im=ibus", "SSL_CERT_FILE": "/c"}
GIVEN = {**DESKTOP, **SECRETS, "SAYSO_MODEL_PASSWORD": "p"}


def test_each_kind_of_program_gets_what_it_needs_of_the_environment_and_none_what_is_ours():
    assert session_environment(GIVEN) == DESKTOP
    assert full_environment(GIVEN) == DESKTOP | SECRETS
    assert browser_environment(GIVEN | NETWORK) == NETWORK


def test_a_path_is_taken_as_it_is_where_it_can_run(tmp_path: Path):
    file = tmp_path / "a"
    file.write_text("")

    assert find_program(str(file), {}) is None
    file.chmod(0o755)
    assert find_program(str(file), {}) == str(file)
    assert find_program("a", {"PATH": str(tmp_path)}) == str(file)
    assert find_program("a", {"PATH": ""}) is None


def test_who_carries_a_mark_is_found_and_ended_and_nobody_else():
    marked = subprocess.Popen(["sleep", "60"], env={**os.environ, "A_MARK": "one"})
    other = subprocess.Popen(["sleep", "60"], env={**os.environ, "A_MARK": "one more"})

    assert signal_marked("A_MARK", "of nobody", signal.SIGKILL) == 0
    assert wait_for(lambda: marked_processes("A_MARK", "one")) == (marked.pid,)
    assert signal_marked("A_MARK", "one", signal.SIGTERM) == 1
    assert marked.wait(5) == -signal.SIGTERM
    assert marked_processes("A_MARK", "one") == ()
    assert other.poll() is None
    other.kill()
    other.wait()


def started(*argv: str, **environ: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE if environ else None
    return subprocess.Popen(argv, start_new_session=True, env={**os.environ, **environ}, stdout=pipe)


async def test_an_ended_process_keeps_its_number_until_it_is_reaped_and_is_not_ended_again():
    process = started("true")

    await wait_for_end(process)
    os.kill(process.pid, 0)
    await end(process, "none")

    assert process.returncode == 0


async def test_where_the_system_hands_out_no_process_it_is_looked_at_again_and_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "pidfd_open")
    process = started("true")

    with anyio.fail_after(patience()):
        await wait_for_end(process)

    assert process.wait() == 0


class Queue:
    """A queue of the kernel as macOS has it, as far as it is used: it knows only processes that still run."""

    def control(self, watch: list[int], most: int, seconds: float) -> list[int]:
        (pid,) = watch
        if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
            raise ProcessLookupError
        return []

    def close(self) -> None:
        """Do nothing."""


def watch_of(pid: int, *how: int) -> int:
    """Return what the queue is asked to watch: the process."""
    return pid


async def test_python_without_waitid_on_macos_asks_a_queue_of_the_kernel(monkeypatch: pytest.MonkeyPatch):
    for name in ("pidfd_open", "waitid"):
        monkeypatch.delattr(os, name)
    monkeypatch.setattr(select, "kqueue", Queue, raising=False)
    monkeypatch.setattr(select, "kevent", watch_of, raising=False)
    for name in ("KQ_FILTER_PROC", "KQ_EV_ADD", "KQ_NOTE_EXIT"):
        monkeypatch.setattr(select, name, 1, raising=False)
    process = started("true")

    with anyio.fail_after(patience()):
        await wait_for_end(process)
    os.kill(process.pid, 0)

    assert process.wait() == 0


async def test_one_that_is_polite_ends_by_itself():
    process = started("sleep", "60")

    await end(process, "none")

    assert process.returncode == -15


async def test_who_carries_a_mark_is_gone_at_once_even_if_it_is_stubborn():
    stubborn = started("sh", "-c", "trap '' TERM; echo; sleep 60", A_MARK="x")
    assert stubborn.stdout
    stubborn.stdout.readline()

    await end_marked_processes("A_MARK", "x", polite_seconds=0.1)

    assert stubborn.wait() == -9
    assert marked_processes("A_MARK", "x") == ()
    stubborn.stdout.close()


def a_runner(*, polite_seconds: float = POLITE_SECONDS, **environ: str) -> ProgramRunner:
    return ProgramRunner({**os.environ, **environ}, RandomIds(), polite_seconds)


@pytest.fixture
def runner() -> ProgramRunner:
    return a_runner(SAYSO_HOME="/h", MARKED="yes")


def sh(script: str, *values: str, seconds: float = 20, most: int = 1000, data: bytes = b"") -> ProgramCall:
    return ProgramCall("sh", ("-c", script, "sh"), values, seconds=seconds, most=most, data=data)


async def test_what_it_reads_arrives_to_the_byte_and_one_that_reads_nothing_does_not_hold_us_up():
    data = bytes(range(256)) * 4096

    done = await a_runner().run(ProgramCall("cat", data=data, most=2**21))
    deaf = await a_runner().run(ProgramCall("true", data=data * 4))

    assert done.output == data
    assert deaf.code == 0


@pytest.mark.req("S1-10")
async def test_a_script_of_which_nothing_else_is_said_is_ended_after_thirty_seconds(tmp_path: Path):
    call = ProgramCall("sh", ("-c", "echo $$ >$1.new; mv $1.new $1; sleep 300", "sh"), (str(tmp_path / "itself"),))

    async with too_late_once((tmp_path / "itself").exists):
        with pytest.raises(ProviderError, match="sh did not end within 30 seconds and was stopped"):
            await a_runner(polite_seconds=0.1).run(call)

    assert not alive(int((tmp_path / "itself").read_text()))


@pytest.mark.req("S1-08", "S1-09")
async def test_what_it_says_comes_back_without_its_last_newlines():
    done = await a_runner().run(sh(r"printf 'a\n\nb\n\n'; printf oh >&2; exit 3"))

    assert (done.text, done.errors, done.code) == ("a\n\nb", b"oh", 3)


@pytest.mark.req("S1-11", "X-13", "AP-05")
async def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path):
    script = "sleep 300 & echo $! >$1/child; trap '' TERM; setsid sleep 300 & echo $! >$1/away; echo $$ >$1/itself; "
    script += ": >$1/ready; wait; wait"

    async with too_late_once((tmp_path / "ready").exists):
        with pytest.raises(ProviderError, match="sh did not end within 20 seconds and was stopped"):
            await a_runner(polite_seconds=0.1).run(sh(script, str(tmp_path)))

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


LIKE_OPTIONS = ("-h", "--help", "-", "--remote-debugging-port=1")


@pytest.mark.req("X-07", "S0-53", "AP-02")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        *(
            (value, "would be taken for an option of sleep")
            for value in ("-h", "--help", "-", "--remote-debugging-port=1")
        ),
        ("a\0b", "NUL"),
    ],
)
async def test_a_value_that_looks_like_an_option_or_holds_a_nul_is_refused(
    runner: ProgramRunner, value: str, said: str
):
    with pytest.raises(ProviderError, match=said):
        await runner.run(ProgramCall("sleep", values=(value,)))
    with pytest.raises(ProviderError, match=said):
        await launch(runner, ProgramCall("sleep", values=(value,)))


@pytest.mark.req("X-07")
async def test_a_program_that_knows_the_end_of_options_gets_such_a_value_as_a_value(tmp_path: Path):
    (tmp_path / "-n").write_text("there")

    done = await a_runner().run(ProgramCall("cat", ("-A",), ("-n",), dashes=True, folder=str(tmp_path)))

    assert done.text == "there"


@pytest.mark.req("X-06", "X-07", "AP-03")
@pytest.mark.parametrize(
    "value", ["$(touch {})", "`touch {}`", "; touch {}", "a\n\rb\u2028", '" & do shell script "touch {}"']
)
async def test_a_value_is_one_argument_and_no_script(value: str, tmp_path: Path):
    value = value.replace("{}", str(tmp_path / "canary"))

    done = await a_runner().run(ProgramCall(sys.executable, ("-c", "import sys; print(ascii(sys.argv[1:]))"), (value,)))

    assert done.text == ascii([value])
    assert not (tmp_path / "canary").exists()


@pytest.mark.req("S1-12", "S1-13", "T-23", "X-05")
@pytest.mark.parametrize("begin", [ProgramRunner.run, launch])
async def test_a_program_that_is_not_there_or_cannot_be_started_is_named(
    begin: Callable[[ProgramRunner, ProgramCall], Awaitable[object]], odd_program: str
):
    with pytest.raises(SetupError, match="osascript not found"):
        await begin(a_runner(PATH="/nowhere"), ProgramCall("osascript"))
    with pytest.raises(ProviderError, match="odd could not be started: No such file or directory"):
        await begin(a_runner(), ProgramCall(odd_program))


async def test_a_program_is_looked_for_in_absolute_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "trap").write_text("#!/bin/sh\n")
    (tmp_path / "trap").chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert a_runner(PATH=".::").find("trap") is None
    assert a_runner(PATH=f".:{tmp_path}").find("trap") == str(tmp_path / "trap")
    assert a_runner().find("./trap") is None


async def test_no_program_gets_what_is_said_to_sayso_or_to_others():
    runner = a_runner(SAYSO_MAIL_USER="no", SAYSO_HOME="/h", SOME_API_KEY="no", DISPLAY=":7")

    said = [await runner.run_for_text(ProgramCall("env", whole=whole)) for whole in (False, True)]

    names, all_names = [{line.partition("=")[0] for line in text.splitlines()} for text in said]
    assert {"SAYSO_MAIL_USER", "SAYSO_HOME"}.isdisjoint(names | all_names)
    assert ("SOME_API_KEY" in names, "SOME_API_KEY" in all_names) == (False, True)
    assert "DISPLAY" in names


async def test_a_program_has_a_session_of_its_own_no_terminal_and_none_of_our_files(tmp_path: Path):
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        done = await a_runner().run(sh("ls /proc/$$/fd; ps -o sid= -p $$; echo $$; : </dev/tty"))

    *files, session, itself = done.text.split()
    assert files == ["0", "1", "2"]
    assert session == itself
    assert done.code != 0


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no such >&2; echo thing >&2; exit 1", "sh failed: no such thing"),
        ("exit 4", "sh failed: it ended with 4"),
        ("kill -9 $$", "sh failed: it was ended by signal 9"),
        ("head -c 1001 /dev/zero", "sh printed more than 1,000 bytes"),
    ],
)
async def test_what_must_succeed_says_what_the_program_complains_of(script: str, said: str):
    with pytest.raises(ProviderError, match=said):
        await a_runner().run_for_text(sh(script))


async def test_many_programs_run_beside_each_other():
    said: list[str] = []

    async def one(number: int) -> None:
        said.append(await a_runner().run_for_text(sh("echo $1", str(number))))

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(one, number)

    assert sorted(map(int, said)) == list(range(20))


async def test_nothing_stays_open():
    before = open_descriptors()
    silent = ProgramCall("true", silent=True)

    for call in (sh("echo a"), sh("sleep 9", seconds=0.05), ProgramCall("cat", data=b"x"), silent):
        with suppress(ProviderError):
            await a_runner().run(call)

    assert open_descriptors() <= before


@pytest.fixture
def ends() -> Iterator[list[int]]:
    """End the processes that a test puts here."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.req("X-07")
async def test_it_is_nobodys_child_and_holds_nothing_open(runner: ProgramRunner, ends: list[int], tmp_path: Path):
    ends.append(pid := await launch(runner, ProgramCall("sleep", values=("60",), whole=True, folder=str(tmp_path))))

    status = Path(f"/proc/{pid}/status").read_text()
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert f"PPid:\t{os.getpid()}" not in status
    assert os.getsid(pid) == pid
    assert {str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()} == {"/dev/null"}
    assert Path(f"/proc/{pid}/cwd").readlink() == tmp_path
    assert b"MARKED=yes" in environment
    assert not [entry for entry in environment if entry.startswith(b"SAYSO_")]


async def test_it_reads_what_it_is_given(runner: ProgramRunner, tmp_path: Path):
    target, script = tmp_path / "got", 'cat >"$1.new"; mv "$1.new" "$1"'

    await launch(runner, ProgramCall("sh", ("-c", script, "sh"), (str(target),), data=b"\0words"))

    wait_for(target.exists)
    assert target.read_bytes() == b"\0words"
