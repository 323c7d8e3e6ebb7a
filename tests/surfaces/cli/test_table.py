"""Every command of the table is there, and no other file is a command."""

from pathlib import Path

import pytest

from sayso.surfaces.cli import commands
from sayso.surfaces.cli.building import command_called
from sayso.surfaces.cli.table import TABLE

LATER = ("serve",)


@pytest.mark.parametrize("name", list(TABLE))
def test_a_command_can_be_loaded(name: str):
    command = command_called(name)

    assert command.example.startswith(f"sayso {name}")


def test_the_table_and_the_files_agree():
    files = {file.stem for file in Path(commands.__path__[0]).glob("*.py")} - {"__init__"}

    assert {entry.module.rpartition(".")[2] for entry in TABLE.values()} == files


def test_what_is_not_there_yet_is_not_offered():
    assert not set(LATER) & set(TABLE)
