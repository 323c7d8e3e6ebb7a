"""A shortcut is the person's own command: run as it is written, fed as it says, ended in time."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import OpenFile, Plan, RevealFile
from sayso.providers.dbus.session import SessionBus
from sayso.providers.desktop.linux.launch import FileOpener
from sayso.providers.desktop.shortcuts import read_shortcuts
from sayso.providers.desktop_entries import ApplicationFolders
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_trial

WRONG_NAMES = ("-h", "it2", "IT")
ODD = "-i $(touch no) “ü”\n; rm -rf ~ '\""


async def run(session: Session, *argv: str, given: str | None = None, name: str = "it", **more: Json) -> Plan:
    """Run the shortcut `it`, whose command this is, with an input where one is given; return its plan."""
    trial = a_trial(session, shortcuts={"it": {"argv": list(argv), **more}})
    plan = await trial.plan("shortcut.run", name=name, **({} if given is None else {"input": given}))
    await trial.do(plan)
    return plan


@pytest.mark.req("S0-53", "X-07")
async def test_it_is_run_with_exactly_its_words(bare_session: Session, tmp_path: Path):
    out = tmp_path / "a b; c"

    plan = await run(bare_session, "sh", "-c", 'printf "%s|" "$0" "$@" >"$1"', "-h", str(out), "$HOME")

    assert out.read_text() == f"-h|{out}|$HOME|"
    assert plan.said_when_done == "Ran shortcut"


@pytest.mark.req("S0-54", "T-24", "X-06")
async def test_its_input_arrives_on_standard_input_to_the_byte(bare_session: Session, tmp_path: Path):
    await run(bare_session, "sh", "-c", 'cat >"$0"', str(tmp_path / "got"), given=ODD)

    assert (tmp_path / "got").read_text() == ODD


@pytest.mark.req("S0-54", "T-24")
@pytest.mark.parametrize("words", [(), ("{input}", "last")])
async def test_its_input_arrives_in_a_private_file_that_is_gone_afterwards(
    bare_session: Session, tmp_path: Path, words: tuple[str, ...]
):
    script = 'cp -p "$1" "$0/copy"; printf %s "$1" >"$0/path"; stat -c %a "$1" >"$0/mode"; echo "$2" >"$0/more"'

    await run(bare_session, "sh", "-c", script, str(tmp_path), *words, given=ODD, input="file")

    path = Path((tmp_path / "path").read_text())
    found = [(tmp_path / name).read_text() for name in ("copy", "mode", "more")]
    assert found == [ODD, "600\n", "last\n" if words else "\n"]
    assert not path.exists()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_without_an_input_there_is_no_file(bare_session: Session, tmp_path: Path):
    await run(bare_session, "sh", "-c", 'echo $# >"$0"; cat >>"$0"', str(tmp_path / "got"), "{input}", input="file")

    assert (tmp_path / "got").read_text() == "0\n"


@pytest.mark.req("T-23", "T-24", "X-05", "X-07")
@pytest.mark.parametrize(
    ("argv", "more", "said"),
    [
        (["sh", "-c", "echo no paper >&2; exit 3"], {"input": "stdin"}, "the shortcut “it” failed: no paper"),
        (["sh", "-c", "echo no paper >&2; exit 3"], {"input": "file"}, "the shortcut “it” failed: no paper"),
        (["no-such-program"], {}, "no-such-program not found"),
        *(
            (["true"], {"name": name}, f"no shortcut is called “{name}”; there are: “it”")
            for name in ("-h", "it2", "IT")
        ),
    ],
)
async def test_one_that_fails_or_is_not_there_is_a_failure_that_says_so(
    bare_session: Session, argv: list[str], more: dict[str, Any], said: str
):
    with pytest.raises(ProviderError, match=said):
        await run(bare_session, *argv, given="x", **more)

    assert not list((bare_session.home / "own" / "tmp").glob("*"))


@pytest.mark.req("T-25", "X-13", "S1-11")
async def test_a_shortcut_that_takes_too_long_is_ended_with_its_children(bare_session: Session, tmp_path: Path):
    with pytest.raises(ProviderError, match="did not end within 1 seconds and was stopped"):
        await run(bare_session, "sh", "-c", 'sleep 300 & echo $! >"$0"; wait', str(tmp_path / "pid"), seconds=1)

    child = Path("/proc") / (tmp_path / "pid").read_text().strip() / "stat"
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_shortcuts_that_are_written_wrongly_are_refused():
    with pytest.raises(SetupError, match=r"\[shortcuts\] in the settings is wrong"):
        read_shortcuts({"it": {"argv": "rm -rf"}})
    assert read_shortcuts(None) == {}


NAMES = ["plain.txt", "a b.txt", "-h.txt", "ü$(touch no);.txt", "a%20b#c?.txt"]


@pytest.fixture
def opened(x_session: Session, tmp_path: Path) -> Path:
    """Return the file in which the application for texts writes what it was given, one a line."""
    record, program = tmp_path / "opened", tmp_path / "program"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{record}\nenv >{record}.env\n')
    program.chmod(0o755)
    folder = x_session.home / ".local/share/applications"
    folder.mkdir(exist_ok=True)
    entry = f"[Desktop Entry]\nType=Application\nExec={program} %f\nMimeType=text/plain;\n"
    (folder / "words.desktop").write_text(f"{entry}Name=Words\n")
    (folder / "other.desktop").write_text(f"{entry.replace('%f', 'other %f')}Name=Other Words\n")
    x_session.run("gio", "mime", "text/plain", "words.desktop")
    return record


def opening(environ: dict[str, str], *roots: str) -> FileOpener:
    return FileOpener(
        ProgramRunner(environ, RandomIds()), SessionBus(environ), ApplicationFolders(environ, "/nowhere", roots)
    )


def a_file(session: Session, name: str) -> Path:
    file = session.home / name
    file.write_text("words")
    return file


@pytest.mark.needs("gio")
@pytest.mark.req("S0-33", "S0-34", "T-28", "X-07")
@pytest.mark.parametrize(
    ("name", "application", "given"), [*((name, "", "") for name in NAMES), ("a b.txt", "Other Words", "other\n")]
)
async def test_a_file_is_opened_with_its_application_or_the_one_that_is_named(
    x_session: Session, opened: Path, name: str, application: str, given: str
):
    file = a_file(x_session, name)

    await a_desktop(x_session).apply(OpenFile(str(file), application), ())

    wait_for(lambda: opened.exists() and opened.read_text().endswith(f"{file}\n"))
    assert opened.read_text() == f"{given}{file}\n"


@pytest.mark.needs("xdg-open")
async def test_xdg_open_stands_in_where_there_is_no_gio(x_session: Session, opened: Path, tmp_path: Path):
    (programs := tmp_path / "programs").mkdir()
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).iterdir():
            if program.name not in {"gio", "gvfs-open"} and not (programs / program.name).exists():
                (programs / program.name).symlink_to(program)
    environ = {**x_session.environment, "PATH": str(programs)}
    file = a_file(x_session, "plain.txt")

    await opening(environ).do(OpenFile(str(file)))

    wait_for(lambda: opened.exists() and opened.read_text().endswith("\n"))
    assert opened.read_text() == f"{file}\n"


@pytest.mark.needs("gio")
async def test_what_is_opened_gets_nothing_of_sayso(x_session: Session, opened: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(x_session.environment, "SAYSO_MAIL_USER", "no")

    await a_desktop(x_session).apply(OpenFile(str(a_file(x_session, "plain.txt"))), ())

    said = wait_for(
        lambda: (text := Path(f"{opened}.env")).exists() and "HOME=" in text.read_text() and text.read_text()
    )
    assert "SAYSO_MAIL" not in str(said)


@pytest.mark.needs("gio")
@pytest.mark.req("T-23", "X-05")
async def test_without_its_application_a_file_is_not_opened(x_session: Session):
    file = a_file(x_session, "odd.xyzzy")
    file.write_bytes(b"\0\1\2\3")

    with pytest.raises(ProviderError, match="could not be opened: gio ended with 2"):
        await a_desktop(x_session).apply(OpenFile(str(file)), ())
    with pytest.raises(ProviderError, match="no application is called “Nobody”"):
        await a_desktop(x_session).apply(OpenFile(str(file), "Nobody"), ())


@pytest.fixture
def menus(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose two application folders a test fills."""
    folders = {"XDG_DATA_HOME": str(tmp_path / "own"), "XDG_DATA_DIRS": str(tmp_path / "shared")}
    return {**folders, "PATH": os.environ["PATH"]}


def install(menus: dict[str, str], where: str, ident: str, name: str) -> Path:
    file = Path(menus[where]) / "applications" / f"{ident}.desktop"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[Desktop Entry]\nType=Application\nExec=true %U\nName={name}\n")
    return file


@pytest.mark.req("AP-01")
async def test_two_applications_of_one_name_are_not_guessed_between(menus: dict[str, str], bare_session: Session):
    install(menus, "XDG_DATA_HOME", "false", "Calculator")
    install(menus, "XDG_DATA_DIRS", "calc", "Calculator")

    with pytest.raises(ProviderError, match=r"2 applications are called “Calculator” \(false, calc\)") as no:
        await opening(menus).do(OpenFile(str(a_file(bare_session, "plain.txt")), "Calculator"))

    assert [candidate.where for candidate in no.value.candidates] == ["false", "calc"]


@pytest.mark.req("AP-01")
@pytest.mark.parametrize(
    "name", ["calc", "calc.desktop", "../shared/calc.desktop", "calculator", "Calculator/../Terminal"]
)
async def test_only_the_name_of_an_application_is_its_name(menus: dict[str, str], bare_session: Session, name: str):
    install(menus, "XDG_DATA_DIRS", "calc", "Calculator")

    with pytest.raises(ProviderError, match="no application is called"):
        await opening(menus).do(OpenFile(str(a_file(bare_session, "plain.txt")), name))


@pytest.mark.req("AP-01")
async def test_an_application_that_file_actions_could_have_written_opens_nothing(
    menus: dict[str, str], bare_session: Session
):
    entry = install(menus, "XDG_DATA_HOME", "calc", "Calculator")

    with pytest.raises(ProviderError, match="which file actions may change") as no:
        await opening(menus, menus["XDG_DATA_HOME"]).do(OpenFile(str(a_file(bare_session, "a.txt")), "Calculator"))

    assert str(entry) in str(no.value)


@pytest.mark.req("X-21", "FS-01")
async def test_a_path_that_became_a_link_or_vanished_is_not_opened(x_session: Session, opened: Path):
    file, link = a_file(x_session, "plain.txt"), x_session.home / "link.txt"
    link.unlink(missing_ok=True)
    link.symlink_to(file)

    with pytest.raises(ProviderError, match="leads somewhere else by now"):
        await a_desktop(x_session).apply(OpenFile(str(link)), ())
    with pytest.raises(ProviderError, match="is no longer there"):
        await a_desktop(x_session).apply(RevealFile(str(file) + ".gone"), ())

    assert not opened.exists()


@pytest.mark.req("X-05")
async def test_without_a_program_to_open_files_it_says_what_to_install(tmp_path: Path):
    file = Path(os.path.realpath(tmp_path)) / "a"
    file.write_text("")
    environ = {"PATH": "/nowhere"}

    with pytest.raises(SetupError, match="install gio"):
        await opening(environ).do(OpenFile(str(file)))


@pytest.mark.needs("thunar", "xprop")
@pytest.mark.req("S0-35", "S1-30")
async def test_a_file_is_shown_in_the_file_manager(x_session: Session):
    x_session.run("dbus-update-activation-environment", "DISPLAY")
    folder = x_session.home / "shown ü"
    folder.mkdir()
    (folder / "it.txt").write_text("")

    await a_desktop(x_session).apply(RevealFile(str(folder / "it.txt")), ())

    def titles() -> str:
        listed = x_session.run("xprop", "-root", "_NET_CLIENT_LIST").partition("#")[2]
        return " ".join(
            x_session.run("xprop", "-id", one.strip(), "_NET_WM_NAME", check=False)
            for one in listed.split(",")
            if one.strip()
        )

    wait_for(lambda: "shown ü" in titles(), "a window of the file manager")


@pytest.mark.needs("gio")
async def test_without_a_file_manager_that_can_be_asked_its_folder_is_opened(bare_session: Session):
    record, program = bare_session.home / "opened", bare_session.home / "program"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{record}\n')
    program.chmod(0o755)
    folder = bare_session.home / ".local/share/applications"
    folder.mkdir(exist_ok=True)
    (folder / "files.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=F\nExec={program} %f\nMimeType=inode/directory;\n"
    )
    bare_session.run("gio", "mime", "inode/directory", "files.desktop")
    file = a_file(bare_session, "it.txt")

    await a_desktop(bare_session).apply(RevealFile(str(file)), ())

    wait_for(lambda: record.exists() and record.read_text().endswith("\n"))
    assert record.read_text() == f"{bare_session.home}\n"
