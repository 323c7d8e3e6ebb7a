"""A shortcut is the person's own command: run as it is written, fed as it says, ended in time."""

import stat
from pathlib import Path

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.providers.desktop.linux.shortcuts import written
from tests.desktop_env.session import Session
from tests.providers.desktop.linux.given import a_trial

ODD = "-i $(touch no) “ü”\n; rm -rf ~ '\""


def a_shortcut(*argv: str, **more: Json) -> Json:
    return {"it": {"argv": list(argv), **more}}


@pytest.mark.req("S0-53", "X-07")
async def test_it_is_run_with_exactly_its_words(bare_session: Session, tmp_path: Path):
    out = tmp_path / "a b; c"
    trial = a_trial(
        bare_session, shortcuts=a_shortcut("sh", "-c", 'printf "%s|" "$0" "$@" >"$1"', "-h", str(out), "$HOME")
    )

    plan = await trial.plan("shortcut.run", name="it")
    await trial.do(plan)

    assert out.read_text() == f"-h|{out}|$HOME|"
    assert plan.said_when_done == "Ran shortcut"


@pytest.mark.req("S0-54", "T-24", "X-06")
async def test_its_input_arrives_on_standard_input_to_the_byte(bare_session: Session, tmp_path: Path):
    trial = a_trial(bare_session, shortcuts=a_shortcut("sh", "-c", 'cat >"$0"', str(tmp_path / "got")))

    await trial.do(await trial.plan("shortcut.run", name="it", input=ODD))

    assert (tmp_path / "got").read_text() == ODD


@pytest.mark.req("S0-54", "T-24")
@pytest.mark.parametrize("words", [(), ("{input}", "last")])
async def test_its_input_arrives_in_a_private_file_that_is_gone_afterwards(
    bare_session: Session, tmp_path: Path, words: tuple[str, ...]
):
    script = 'cp -p "$1" "$0/copy"; printf %s "$1" >"$0/path"; stat -c %a "$1" >"$0/mode"; echo "$2" >"$0/more"'
    argv = ("sh", "-c", script, str(tmp_path), *words)
    trial = a_trial(bare_session, shortcuts=a_shortcut(*argv, input="file"))

    await trial.do(await trial.plan("shortcut.run", name="it", input=ODD))

    assert (tmp_path / "copy").read_text() == ODD
    assert (tmp_path / "mode").read_text() == "600\n"
    assert (tmp_path / "more").read_text() == ("last\n" if words else "\n")
    path = Path((tmp_path / "path").read_text())
    assert not path.exists()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_without_an_input_there_is_no_file(bare_session: Session, tmp_path: Path):
    argv = ("sh", "-c", 'echo $# >"$0"; cat >>"$0"', str(tmp_path / "got"), "{input}")
    trial = a_trial(bare_session, shortcuts=a_shortcut(*argv, input="file"))

    await trial.do(await trial.plan("shortcut.run", name="it"))

    assert (tmp_path / "got").read_text() == "0\n"


@pytest.mark.req("T-23", "T-24")
@pytest.mark.parametrize("kind", ["stdin", "file"])
async def test_a_shortcut_that_fails_is_a_failure_with_its_error_text(bare_session: Session, kind: str):
    trial = a_trial(bare_session, shortcuts=a_shortcut("sh", "-c", "echo no paper >&2; exit 3", input=kind))

    with pytest.raises(ProviderError, match="the shortcut “it” failed: no paper"):
        await trial.do(await trial.plan("shortcut.run", name="it", input="x"))

    assert not list((bare_session.home / "own" / "tmp").glob("*"))


@pytest.mark.req("T-25", "X-13", "S1-11")
async def test_a_shortcut_that_takes_too_long_is_ended_with_its_children(bare_session: Session, tmp_path: Path):
    argv = ("sh", "-c", 'sleep 300 & echo $! >"$0"; wait', str(tmp_path / "pid"))
    trial = a_trial(bare_session, shortcuts=a_shortcut(*argv, seconds=1))

    with pytest.raises(ProviderError, match="did not end within 1 seconds and was stopped"):
        await trial.do(await trial.plan("shortcut.run", name="it"))

    child = Path("/proc") / (tmp_path / "pid").read_text().strip() / "stat"
    assert not child.exists() or child.read_text().split()[2] == "Z"


@pytest.mark.req("X-07", "T-23")
@pytest.mark.parametrize("name", ["-h", "it2", "IT"])
async def test_a_name_that_is_not_written_runs_nothing(bare_session: Session, name: str):
    with pytest.raises(ProviderError, match=f"no shortcut is called “{name}”; there are: “it”"):
        await a_trial(bare_session, shortcuts=a_shortcut("true")).plan("shortcut.run", name=name)


@pytest.mark.req("T-23", "X-05")
async def test_a_program_that_is_not_there_is_said(bare_session: Session):
    trial = a_trial(bare_session, shortcuts=a_shortcut("no-such-program"))

    with pytest.raises(ProviderError, match="no-such-program not found"):
        await trial.do(await trial.plan("shortcut.run", name="it"))


def test_shortcuts_that_are_written_wrongly_are_refused():
    with pytest.raises(SetupError, match=r"\[shortcuts\] in the settings is wrong"):
        written({"it": {"argv": "rm -rf"}})
    assert written(None) == {}
