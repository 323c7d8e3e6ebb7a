"""A command is a value: what it takes, what it does, and an example that its own parser can read."""

import shlex
from pathlib import Path

import pytest

from sayso.surfaces.cli import commands
from sayso.surfaces.cli.app import command_called, parser_for
from sayso.surfaces.cli.main import TABLE


@pytest.mark.parametrize("name", list(TABLE))
def test_the_example_can_be_read(name: str):
    command = command_called(name)
    words = shlex.split(command.example.partition(" > ")[0])

    assert words[:2] == ["sayso", name]
    assert parser_for(name, command).read(words[2:])


LATER = ("serve",)


@pytest.mark.parametrize("name", list(TABLE))
def test_a_command_can_be_loaded(name: str):
    command = command_called(name)

    assert command.example.startswith(f"sayso {name}")


def test_the_table_and_the_files_agree():
    files = {file.stem for file in Path(commands.__path__[0]).glob("*.py")} - {"__init__"}

    assert {entry.place.partition(":")[0].rpartition(".")[2] for entry in TABLE.values()} == files


def test_what_is_not_there_yet_is_not_offered():
    assert not set(LATER) & set(TABLE)
