"""The table of suites has no hole that is not told."""

import pytest

from sayso.assembly.parts import PROVIDERS
from tests.house import ROOT
from tools.conformance import NOT_HELD, Cell, backend_of, files, problems, table, wanted

KINDS = {"LampSuite": {"memory", "real"}}


def cells(**came_to: str) -> dict[Cell, str]:
    """Return cells written `backend_case=outcome`."""
    return {Cell("LampSuite", *said.split("_", 1)): outcome for said, outcome in came_to.items()}


def test_a_full_table_has_no_problem():
    full = cells(memory_on="passed", memory_off="passed", real_on="passed", real_off="passed")

    assert list(problems(full, KINDS)) == []
    assert list(table(full, "LampSuite")) == [
        "LampSuite  memory   real   ",
        "off        ok       ok",
        "on         ok       ok",
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"real_off": "skipped"}, "LampSuite: real: off: skipped"),
        ({"real_off": "failed"}, "LampSuite: real: off: failed"),
        ({"real_off": None}, "LampSuite: real: off: empty"),
        ({"real_off": None, "real_on": None}, "LampSuite: no column for “real”"),
    ],
)
def test_every_hole_is_told(change: dict[str, str | None], says: str):
    given: dict[str, str | None] = {
        **dict.fromkeys(("memory_on", "memory_off", "real_on", "real_off"), "passed"),
        **change,
    }

    assert list(problems(cells(**{name: said for name, said in given.items() if said}), KINDS)) == [says]


def test_a_backend_is_called_after_its_place():
    tests = ROOT / "tests"

    assert backend_of(tests / "providers/desktop/linux/test_conformance.py", "TestX11") == "linux, X11"
    assert backend_of(tests / "providers/desktop/test_memory.py", "TestMemory") == "memory"
    assert backend_of(tests / "journal/test_sqlite.py", "TestSqlite") == "sqlite"
    assert backend_of(tests / "dialects/lines/test_dialect.py", "TestLines") == "lines"


def test_every_store_that_has_a_suite_is_wanted_with_all_its_backends():
    assert wanted()["DesktopSuite"] == {"linux", "memory"}
    kinds = {(f"{part.settings_section.capitalize()}Suite", kind) for part in PROVIDERS for kind in part.backends}
    assert NOT_HELD.keys() <= kinds


def test_the_files_of_the_suites_are_found():
    found = [file.removeprefix(f"{ROOT}/") for file in files()]

    assert "tests/providers/desktop/linux/test_conformance.py" in found
    assert "tests/journal/test_memory.py" in found
