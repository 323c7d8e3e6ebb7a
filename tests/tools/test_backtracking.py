"""The check that no regular expression in src/ takes more than linear time (`make check`) sees the known kinds."""

import tomllib
from pathlib import Path

import pytest

from tools.ambiguity import Mode, TooHard, slow
from tools.backtracking import problems

CASES = tomllib.loads((Path(__file__).parents[1] / "cases" / "patterns.toml").read_text(encoding="utf-8"))


def cases(kind: str) -> list[tuple[str, Mode]]:
    """Return the patterns of a kind, each with its use."""
    return [(text, row["use"]) for row in CASES[kind] for text in row["patterns"]]


@pytest.mark.parametrize(("pattern", "use"), cases("slow"))
def test_a_pattern_that_reads_a_text_twice_is_refused(pattern: str, use: Mode):
    assert slow(pattern, 0, use) is not None


@pytest.mark.parametrize(("pattern", "use"), cases("linear"))
def test_a_pattern_that_reads_everything_once_is_accepted(pattern: str, use: Mode):
    assert slow(pattern, 0, use) is None


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(TooHard, match="groupref_exists"):
        slow(r"(a)?(?(1)b|c)", 0, "match")


@pytest.mark.parametrize(
    ("code", "sign"),
    [
        ('import re\nre.search(r"a+b", x)', "quadratic"),
        ('import re\n_ONE = re.compile(r"(a*)*b")\n_ONE.match(x)', "exponential"),
        ('import re\n_A = "a+"\n_ONE = re.compile(rf"{_A}b")\n_ONE.search(x)', "quadratic"),
        ('import re\n_ONE = re.compile("{a}*b".format(a="[ab]"))\n_ONE.search(x)', "quadratic"),
        ('import re\n_ALL = {"x": re.compile("a+b")}', "quadratic"),
        ('import re\n_ONE = re.compile("a+b")\n_ONE.match(x, at)', "quadratic"),
        ('import re\n_ONE = re.compile("a+b")\nuse(_ONE)', "quadratic"),
        ('import re\n_ROWS = (("a+b", 1),)\nany(row for one, row in _ROWS if re.search(one, x))', "quadratic"),
        ("import re\nre.search(given, x)", "cannot be read"),
        ('from msgspec import Meta\nMeta(pattern="(a*)*b")', "exponential"),
    ],
)
def test_a_slow_pattern_is_found_wherever_it_stands(code: str, sign: str):
    found = [wrong for _, _, wrong in problems(code)]

    assert len(found) == 1
    assert sign in found[0]


def test_a_pattern_is_judged_by_how_it_is_used():
    assert list(problems('import re\n_ONE = re.compile("a+b")\n_ONE.match(x)\n_ONE.fullmatch(y)')) == []
