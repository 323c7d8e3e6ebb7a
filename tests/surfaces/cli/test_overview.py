"""What sayso says of itself is there at once."""

from sayso.core.version import VERSION
from sayso.surfaces.cli.overview import overview, said_at_once
from sayso.surfaces.cli.table import TABLE


def test_the_version_and_the_overview_are_said_at_once():
    assert said_at_once(["--version"]) == said_at_once(["-V", "x"]) == f"sayso {VERSION}"
    assert said_at_once([]) == said_at_once(["--help"]) == said_at_once(["help"]) == overview()


def test_a_command_has_to_be_begun():
    assert said_at_once(["run", "--help"]) is None
    assert said_at_once(["--nothing"]) is None


def test_it_fits_on_a_screen_of_eighty_columns():
    assert [line for line in overview().split("\n") if len(line) > 80] == []


def test_every_command_stands_in_a_line_of_its_own():
    lines = overview().split("\n")

    assert [line for name, entry in TABLE.items() if (line := f"  {name:<12} {entry.does}") not in lines] == []
