"""The person's own commands are read strictly."""

from pathlib import Path

import pytest

from sayso.config.document import given
from sayso.config.load import load
from sayso.core.errors import SetupError

GOOD = """
[shortcuts.tidy]
argv = ["tidy", "--all", "my desk"]

[shortcuts."Focus hour"]
argv = ["focus"]
input = "file"
seconds = 600
"""


@pytest.mark.req("T-24", "T-25", "S0-53")
def test_a_shortcut_is_an_argument_list_with_its_limits():
    read = given(GOOD.encode(), "config.toml").shortcuts

    assert read == {
        "tidy": {"argv": ("tidy", "--all", "my desk")},
        "Focus hour": {"argv": ("focus",), "input": "file", "seconds": 600},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[shortcuts.a]\nargv = "rm -rf"', "“argv” of shortcut “a” must be a program and its arguments as a list"),
        ("[shortcuts.a]\nargv = []", "shortcut “a” needs argv"),
        ("[shortcuts.a]", "shortcut “a” needs argv"),
        ('[shortcuts.a]\nargv = ["a"]\ninput = "argument"', "“input” of shortcut “a” must be one of stdin, file"),
        ('[shortcuts.a]\nargv = ["a"]\nseconds = 0', "“seconds” of shortcut “a” must be a whole number from 1"),
        ('[shortcuts.a]\nargv = ["a"]\nshell = true', "shortcut “a” has no “shell”; it takes argv, input, seconds"),
        ('[shortcuts]\na = "rm"', "a shortcut is written"),
        ("shortcuts = 3", "must be a section"),
        ('[shortcuts."a\\nb"]\nargv = ["a"]', "a shortcut needs a name of one line"),
    ],
)
def test_what_is_written_wrongly_is_named(text: str, says: str):
    with pytest.raises(SetupError, match=says):
        given(text.encode(), "config.toml")


def test_an_administrator_cannot_write_shortcuts():
    with pytest.raises(SetupError, match="there is no section"):
        given(GOOD.encode(), "policy.toml", sections=("policy", "limits"))


def test_they_stand_in_the_settings(tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/config.toml").write_text(GOOD)

    read = load({"HOME": str(tmp_path), "SAYSO_HOME": str(tmp_path / "own")})

    assert list(read.shortcuts) == ["tidy", "Focus hour"]
    assert read.environ["HOME"] == str(tmp_path)
