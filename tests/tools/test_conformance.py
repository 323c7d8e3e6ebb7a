"""The table of suites has no hole that is not told."""

import re
from pathlib import Path

import pytest

from sayso.assembly.parts import PROVIDERS
from tests.house import ROOT
from tools.conformance import BROWSERS, NOT_HELD, Cell, backend_of, files, problems, suites, table, wanted

COLUMNS = {"LampSuite": ["memory", "real"]}
CASES = {"LampSuite": ("off", "on")}
ALL = ("memory_on", "memory_off", "real_on", "real_off")


def cells(**came_to: str | None) -> dict[Cell, str]:
    """Return cells written `backend_case=outcome`."""
    return {Cell("LampSuite", *said.split("_", 1)): outcome for said, outcome in came_to.items() if outcome}


INHERITING = re.compile(r"^class (Test\w+)\(((?:\w+Suite(?:, )?)+)\)", re.MULTILINE)


def test_a_full_table_has_no_problem():
    full = cells(**dict.fromkeys(ALL, "passed"))

    assert list(problems(full, COLUMNS, CASES)) == []
    assert list(table(full, "LampSuite", ["memory", "real"], ("off", "on"))) == [
        "LampSuite  memory   real   ",
        "off        ok       ok",
        "on         ok       ok",
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"real_off": "skipped"}, ["LampSuite: real: off: skipped"]),
        ({"real_off": "failed"}, ["LampSuite: real: off: failed"]),
        ({"real_off": None}, ["LampSuite: real: off: empty"]),
        ({"real_off": None, "memory_off": None}, ["LampSuite: memory: off: empty", "LampSuite: real: off: empty"]),
        ({"real_off": None, "real_on": None}, ["LampSuite: no column for “real”"]),
        (dict.fromkeys(ALL), ["LampSuite: no column for “memory”", "LampSuite: no column for “real”"]),
    ],
    ids=["skipped", "failed", "empty", "a case that nobody ran", "a backend that nobody ran", "a suite nobody ran"],
)
def test_every_hole_is_told(change: dict[str, str | None], says: list[str]):
    given = {**dict.fromkeys(ALL, "passed"), **change}

    assert list(problems(cells(**given), COLUMNS, CASES)) == says


def test_what_never_ran_stands_empty_in_the_table():
    rows = list(table({}, "LampSuite", ["memory", "real"], ("off", "on")))

    assert rows[1:] == ["off        -        -", "on         -        -"]


def test_a_store_without_a_suite_and_a_suite_without_a_store_are_told():
    assert list(problems({}, {"BellSuite": ["memory"]}, {})) == [
        "BellSuite: there is no such suite, and it would hold memory"
    ]
    (said,) = problems({}, {}, {"BellSuite": ("rings",)})
    assert said == "BellSuite: it is not said which backends it must hold"


@pytest.mark.parametrize(
    ("suite", "file", "called", "backend"),
    [
        ("DesktopSuite", "providers/desktop/linux/test_backend.py", "TestX11", "linux, X11"),
        ("AppsSuite", "providers/apps/x11/test_screen.py", "TestX11", "x11"),
        (
            "DesktopSuite",
            "providers/desktop/test_memory.py",
            "TestMemoryThatDoesNotTell",
            "memory, MemoryThatDoesNotTell",
        ),
        ("JournalSuite", "journal/test_anything.py", "TestSqlite", "sqlite"),
        ("SessionsSuite", "journal/test_anything.py", "TestSessions", "sessions"),
        ("DialectSuite", "dialects/lines/test_dialect.py", "TestLines", "lines"),
    ],
)
def test_a_backend_is_called_after_its_class_else_after_its_place(suite: str, file: str, called: str, backend: str):
    assert backend_of(suite, ROOT / "tests" / file, called) == backend


def test_every_kind_of_a_suite_has_a_class_that_holds_it():
    """The whole table is filled by `make conformance`; this finds a column that went missing without running it."""
    held = {
        (suite, backend_of(suite, Path(file), called).partition(",")[0])
        for file in files()
        for called, suites_of in INHERITING.findall(Path(file).read_text(encoding="utf-8"))
        for suite in suites_of.split(", ")
    }
    # One class on each browser, and the Mac's calendar in EventKit.
    driven = {("BrowserSuite", "remote"), ("CalendarSuite", "eventkit")}
    # Classes that inherit the suite by way of another one.
    indirect = {("DesktopSuite", "linux"), ("BrowserSuite", "safari"), ("BrowserSuite", "chrome")}
    wanted_kinds = {(suite, column.partition(",")[0]) for suite, each in wanted().items() for column in each}

    assert wanted_kinds - held == indirect | {("BrowserSuite", kind) for kind in BROWSERS.values()}
    assert held - wanted_kinds == driven


def test_every_store_is_wanted_with_all_its_backends():
    columns = {(suite, column.partition(",")[0]) for suite, each in wanted().items() for column in each}
    kinds = {(f"{part.settings_section.capitalize()}Suite", kind) for part in PROVIDERS for kind in part.backends}

    assert kinds - columns == NOT_HELD.keys()
    assert wanted()["DesktopSuite"] == ["linux, X11", "linux, Wayland", "linux, PipeWire", "macos", "memory"]
    assert wanted()["SendingSuite"] == ["apple", "imap", "maildir", "memory"]
    assert wanted()["MailSuite"] == ["apple", "imap", "maildir", "memory"]


def test_every_suite_that_is_shipped_is_known_with_its_cases():
    found = suites()

    assert {"AppsSuite", "CalendarSuite", "FilesSuite", "MailSuite", "NotesSuite", "TasksSuite"} <= found.keys()
    assert all(found.values())
    assert found.keys() == {suite for suite, columns in wanted().items() if columns}


def test_the_files_of_the_suites_are_found():
    found = [file.removeprefix(f"{ROOT}/") for file in files()]

    assert "tests/providers/desktop/linux/test_backend.py" in found
    assert "tests/journal/test_sessions_sessions.py" in found
