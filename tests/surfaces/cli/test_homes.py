"""A command opens the home that the environment names, and no other."""

import io
import os
from pathlib import Path

import pytest

from sayso.assembly import Home
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home, settings_of
from tests.surfaces.cli.person import sayso, states


def here(folder: Path) -> Here:
    return Here(io.StringIO(), io.StringIO(), None, {**os.environ, "SAYSO_HOME": str(folder)})


async def mode_of(home: Home) -> str:
    return home.tools.policy().mode


def test_the_home_of_the_environment_is_opened(tmp_path: Path):
    assert in_home(here(tmp_path / "one"), mode_of) == "destructive"

    assert (tmp_path / "one" / "sayso.db").exists()


def test_a_mode_holds_for_this_opening_alone(tmp_path: Path):
    assert in_home(here(tmp_path / "one"), mode_of, mode="always") == "always"
    assert in_home(here(tmp_path / "one"), mode_of) == "destructive"


def test_settings_are_read_without_making_anything(tmp_path: Path):
    assert settings_of(here(tmp_path / "one")).policy.mode == "destructive"
    assert not (tmp_path / "one").exists()


@pytest.mark.req("X-15")
def test_a_folder_of_sayso_that_others_may_enter_is_closed(person: Path):
    folder = person / ".local/share/sayso"
    folder.mkdir(parents=True, mode=0o755)

    run = sayso("log", SAYSO_HOME="")

    assert run.code == 0
    assert (folder / "sayso.db").exists()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert run.err == ""


@pytest.mark.req("X-15")
def test_a_folder_that_the_person_named_is_left_and_told_and_what_is_in_it_is_closed(person: Path):
    folder = person.parent / "sayso"
    folder.mkdir(mode=0o755)

    run = sayso("log")
    doctor = sayso("doctor")

    assert run.code == 0
    assert run.err == f"sayso: others may look into “{folder}”; “sayso doctor” says how to close it\n"
    assert folder.stat().st_mode & 0o777 == 0o755
    assert f"chmod 700 '{folder}'" in doctor.out
    assert doctor.code == 1
    assert (folder / "sayso.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.req("X-15")
@pytest.mark.parametrize("named", [True, False])
def test_every_file_of_sayso_is_the_persons_alone_whatever_the_umask(person: Path, named: bool):
    environ = {} if named else {"SAYSO_HOME": ""}
    text = """WRITE_FILE ~/Documents/n "one"\nWRITE_FILE ~/Downloads/a.txt "two"\n"""
    before = os.umask(0)
    try:
        ran = sayso("run", "-", "--dialect", "lines", "--yes", "--json", text=text, **environ)
        assert sayso("config", "set", "policy.mode", "always", **environ).code in {0, 3}
        assert sayso("undo", "--yes", **environ).code == 0
        assert sayso("log", "export", str(person.parent / "out.jsonl"), **environ).code == 0
        assert sayso("backup", str(person.parent / "copy.db"), **environ).code == 0
    finally:
        os.umask(before)

    assert states(ran.document) == ["done", "done"]
    own = person.parent / "sayso" if named else person / ".local/share/sayso"
    made = [own, *own.rglob("*"), person.parent / "out.jsonl", person.parent / "copy.db"]
    assert {"sayso.db", "upkeep", "locks", "trash"} <= {path.name for path in made}
    # What is kept for the way back has its own mode to come back with; the folder around it is closed.
    loose = [path for path in made if path.stat().st_mode & 0o077 and path.name != "item"]
    assert loose == []
