"""Lines are as wide as the terminal, and what goes elsewhere is not wrapped."""

import io

import pytest

from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.width import UNLIMITED, width_of


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_goes_into_a_file_is_not_wrapped():
    assert width_of(Here(io.StringIO(), io.StringIO(), None, {})) == UNLIMITED


@pytest.mark.parametrize(("columns", "width"), [("100", 100), ("20", 40), ("400", 120)])
def test_a_terminal_is_used_within_reason(columns: str, width: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", columns)

    assert width_of(Here(Screen(), io.StringIO(), None, {})) == width
