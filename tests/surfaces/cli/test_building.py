"""The parser of one command and the parser of all know the same words."""

import pytest

from sayso.surfaces.cli.building import command_called, parser_for, whole_parser
from sayso.surfaces.cli.table import TABLE
from sayso.surfaces.cli.usage import UsageProblem


def test_one_parser_knows_all_commands():
    text = whole_parser().format_help()

    assert all(name in text for name in TABLE)


@pytest.mark.parametrize("name", list(TABLE))
def test_every_command_takes_json_and_no_shortened_option(name: str):
    parser = parser_for(name, command_called(name))

    assert "--json" in parser.format_help()
    with pytest.raises(UsageProblem):
        parser.read(["--jso"])
