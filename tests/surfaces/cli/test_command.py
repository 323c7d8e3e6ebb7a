"""A command is a value: what it takes, what it does, and an example that its own parser can read."""

import shlex

import pytest

from sayso.surfaces.cli.building import command_called, parser_for
from sayso.surfaces.cli.table import TABLE


@pytest.mark.parametrize("name", list(TABLE))
def test_the_example_can_be_read(name: str):
    command = command_called(name)
    words = shlex.split(command.example.partition(" > ")[0])

    assert words[:2] == ["sayso", name]
    assert parser_for(name, command).read(words[2:])
