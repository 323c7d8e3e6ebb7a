"""What cannot be understood on the command line is told in one sentence, with near names."""

import pytest

from tests.surfaces.cli.person import sayso


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rnu", "did you mean “run”?"),
        ("xyzzy", "`sayso --help` lists the commands"),
        ("--jsn", "no option “--jsn”"),
        ("run --dialect lines --dry-rnu", "did you mean “--dry-run”?"),
        ("parse", "sayso parse needs --dialect; `sayso parse --help`"),
        ("parse --dialect line", "there are: auto, lines"),
        ("parse --dialect lines --chunk 0", "“0” is not a whole number"),
        ("parse --dialect lines --chunk x", "“x” is not a whole number"),
        ("run --dialect lines --mode nevr", "did you mean “never”?"),
        ("log --state don", "did you mean “done”"),
        ("log --since yesterday", "--since"),
        ("log verfy", "did you mean “verify”?"),
        ("log --limit -1", "--limit"),
        ("undo 7", "is not the id of an action"),
        ("undo run_7", "is not the id of a run"),
        ("config set policy.mod always", "sayso config set is for you alone"),
        ("config get policy.mod", "policy.mode"),
        ("config st", "did you mean “set”"),
        ("grants revok x", "did you mean “revoke”?"),
        ("grants show x --all", "--all is for sayso grants list and revoke"),
        ("grants --times 3", "--times is for sayso grants suggest"),
        ("habit add Walk --every soon", "“soon” is not a number such as 24 or 0.5"),
        ("settle do_0D8M2YQ5Z3F4K don", "did you mean “done”"),
        ("completion tcsh", "bash"),
        ("run nowhere.txt --dialect lines", "“nowhere.txt” cannot be read: No such file or directory"),
    ],
)
def test_one_sentence_says_what_is_wrong(words: str, said: str):
    run = sayso(*words.split())

    assert run.code == (3 if "alone" in said else 2)
    assert said in run.err
    assert run.err.count("\n") == 1
    assert run.out == ""


def test_help_is_wrapped_where_the_terminal_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "60")

    lines = sayso("undo", "--help").out.split("\n")

    assert [line for line in lines if len(line) > 60] == []
    assert "  sayso undo --list" in lines


def test_with_json_there_is_a_document_too():
    run = sayso("run", "--json")

    assert run.code == 2
    assert run.document["code"] == "usage"
    assert run.document["error"] in run.err


def test_words_of_the_command_line_are_made_visible():
    assert "\\u{1b}" in sayso("a\x1b[2Jb").err
