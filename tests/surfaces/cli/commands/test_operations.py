"""`sayso operations` lists what a model may do, and whether it can be done here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]


@pytest.mark.req("T-32")
def test_each_operation_has_what_a_program_needs(person: Path, settings: Settings):
    settings('[policy]\nallowed_operations = ["file.*"]\n')

    operations = {one["id"]: one for one in sayso("operations", "--json").document["operations"]}

    move = operations["file.move"]
    assert set(move) >= {"id", "kind", "asks", "summary", "parameters", "enabled", "available"}
    assert (move["kind"], move["asks"], move["enabled"], move["available"]) == ("destructive", "mode", True, True)
    assert move["parameters"]["required"] == ["source", "destination"]
    assert operations["mail.send"]["enabled"] is False


def test_a_person_reads_one_line_each():
    shown = sayso("operations").out

    assert "file.move" in shown
    assert "Move or rename a file or folder" in shown
    assert len(shown.splitlines()) == len(sayso("operations", "--json").document["operations"]) + 1
