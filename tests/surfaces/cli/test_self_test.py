"""`sayso doctor --self-test` tries each backend on things of its own, takes them back, and writes what it found."""

import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from sayso.assembly import Home, open_home
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.results import Outcome
from sayso.surfaces.cli.self_test import ENTRY, Deed, Result, SelfTest, Trial, Yes, report_of, without_names
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.interviews import answered
from tests.surfaces.cli.person import at_terminal, sayso

SIMULATED = """
[browser]
kind = "memory"
[desktop]
kind = "memory"
[apps]
kind = "memory"
[mail]
kind = "memory"
[calendar]
kind = "vdir"
[notes]
kind = "folder"
"""


def all_below(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, and of its folders but those of the Trash and of sayso."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if ".local" not in path.parts)


async def tried(home: Home) -> tuple[SelfTest, list[Result]]:
    test = SelfTest(home)
    return test, [one async for one in test.results()]


async def test_each_part_is_tried_and_its_things_are_gone_afterwards(person: Path, settings: Callable[[str], None]):
    settings(SIMULATED.replace('kind = "vdir"', 'kind = "memory"'))

    async with open_home(environ=os.environ) as home:
        test, found = await tried(home)
        rows = await home.log()

    assert [one for one in found if one.how != "works"] == []
    assert {one.store for one in found} == {"files", "apps", "desktop", "tabs", "mail", "calendar", "notes", "tasks"}
    assert {one.entry for one in rows} == {ENTRY, "undo"}
    assert test.left == []
    assert all_below(person) == ["Documents", "Downloads", "Downloads/a.txt"]


@pytest.mark.thorough
def test_all_is_tried_after_a_yes_and_nothing_is_left(
    person: Path, settings: Callable[[str], None], sit: Sit, monkeypatch: pytest.MonkeyPatch
):
    settings(SIMULATED)
    monkeypatch.chdir(person)
    screen = sit(argv=at_terminal("doctor", "--self-test"))

    answered(screen, ("Begin?", "y"))

    assert screen.end() == 0
    (report,) = person.glob("sayso-self-test-*.md")
    told = report.read_text()
    report.unlink()
    assert "| notes | note.find | works |" in told
    assert not [line for line in told.split("\n") if line.startswith("|") and ("differs" in line or "left" in line)]
    assert str(person) not in told
    assert all_below(person) == ["Documents", "Downloads", "Downloads/a.txt"]


def test_nothing_is_tried_where_nobody_can_say_yes(person: Path):
    run = sayso("doctor", "--self-test")

    assert run.code == 3
    assert all_below(person) == ["Documents", "Downloads", "Downloads/a.txt"]
    assert sayso("log", "--json").document["rows"] == []


async def test_what_the_rules_refuse_ends_a_trial_and_the_rest_is_taken_back(
    person: Path, settings: Callable[[str], None]
):
    settings('[policy]\nallowed_operations = ["file.mkdir", "file.write", "file.read"]\nroots = ["~/Documents"]\n')

    async with open_home(environ=os.environ) as home:
        _, found = await tried(home)

    (refused,) = [one for one in found if one.operation == "file.copy"]
    assert refused.how == "not here"
    assert [(one.operation, one.how) for one in found if one.store == "files"][-1] == ("undo", "works")
    assert all_below(person) == ["Documents", "Downloads", "Downloads/a.txt"]


async def test_what_an_interrupted_self_test_left_is_taken_back_by_the_next(person: Path):
    path = "~/Documents/left"
    async with open_home(environ=os.environ) as home:
        await home.take([Proposal(0, "", "file.mkdir", {"path": path})], Origin("", ENTRY), Yes())
        await home.take([Proposal(0, "", "file.mkdir", {"path": "~/Documents/mine"})], Origin("", "cli"), Yes())
        assert all_below(person / "Documents") == ["left", "mine"]

        count = await SelfTest(home).clean()

    assert (count, all_below(person / "Documents")) == (1, ["mine"])


async def test_on_a_mac_the_report_says_whether_the_calendar_goes_through_eventkit(
    person: Path, monkeypatch: pytest.MonkeyPatch
):
    async with open_home(environ=os.environ) as home:
        monkeypatch.setattr("sys.platform", "darwin")

        told = report_of(SelfTest(home), [])

    assert " without EventKit, " in told


async def test_what_cannot_be_taken_back_is_told_and_kept_in_the_report(person: Path):
    async with open_home(environ=os.environ) as home:
        await home.take([Proposal(0, "", "file.mkdir", {"path": "~/Documents/left"})], Origin("", ENTRY), Yes())
        Path(person / "Documents/left/mine.txt").write_text("the person's own\n")
        test = SelfTest(home)

        count = await test.clean()

        told = report_of(test, [Result("files", "undo", "left behind", test.left[0])])
    assert (count, len(test.left)) == (0, 1)
    assert "| files | undo | left behind |" in told
    assert "mine.txt" not in told
    assert all_below(person / "Documents") == ["left", "left/mine.txt"]


async def test_a_self_test_that_is_stopped_takes_back_what_it_made(person: Path):
    tests: list[SelfTest] = []
    with anyio.CancelScope() as scope:

        class Stopped(SelfTest):
            """Is stopped once its file is written."""

            async def _do(self, trial: Trial, deed: Deed) -> tuple[Outcome | None, Result]:
                came_to = await super()._do(trial, deed)
                if deed.operation == "file.write":
                    assert len(all_below(person / "Documents")) == len(("folder", "file"))
                    scope.cancel()
                return came_to

        async with open_home(environ=os.environ) as home:
            tests.append(Stopped(home))
            _ = [one async for one in tests[0].results()]

    assert scope.cancelled_caught
    assert tests[0].left == []
    assert all_below(person) == ["Documents", "Downloads", "Downloads/a.txt"]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("there is no file “my secret.txt” in /home/ana/Documents", "there is no file “…” in …"),
        ("~/Documents/a b.txt is there already", "… b.txt is there already"),
        ("the server said 'no, ana@example.org'", "the server said “…”"),
        ("user ana@example.org is unknown", "user … is unknown"),
        ("nothing private here", "nothing private here"),
    ],
)
def test_names_paths_and_addresses_do_not_go_into_the_report(message: str, told: str):
    assert without_names(message) == told


def test_a_report_that_cannot_be_written_is_shown(
    person: Path, settings: Callable[[str], None], sit: Sit, monkeypatch: pytest.MonkeyPatch
):
    settings('[policy]\nallowed_operations = ["task.add"]\n')
    monkeypatch.chdir("/proc")
    screen = sit(argv=at_terminal("doctor", "--self-test"))

    answered(screen, ("Begin?", "y"))

    assert screen.end() == 0
    assert "cannot be written here" in screen.text
    assert "| tasks | task.add | works |" in screen.text
