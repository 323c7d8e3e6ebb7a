"""A command line is carried out, or told to be wrong in one sentence."""

import pytest

from sayso.core.version import VERSION
from sayso.surfaces.cli.running import run


def test_what_is_said_at_once_can_be_said_here_too(capsys: pytest.CaptureFixture[str]):
    codes = run(["--version"], {}), run(["help"], {}), run([], {})

    assert codes == (0, 0, 2)
    assert capsys.readouterr().out.startswith(f"sayso {VERSION}\nsayso: a model proposes")


@pytest.mark.parametrize(
    ("words", "told"),
    [(["--verbose"], "has no option “--verbose” before the command"), (["unod"], "did you mean “undo”?")],
)
def test_what_is_no_command_is_told_in_one_sentence(words: list[str], told: str, capsys: pytest.CaptureFixture[str]):
    code = run(words, {})

    assert code == 2
    assert told in capsys.readouterr().err
