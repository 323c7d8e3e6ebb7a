"""What a page shows of a terminal is what a terminal shows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.transcripts import Shell, Typed, is_as_shown, typed_in
from tests.docs.warm import Warm
from tests.house import ROOT

PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if typed_in(page.read_text("utf-8"))]


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    program = Warm()
    yield program
    program.close()


@pytest.mark.needs("setsid")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_terminal_shows_what_the_page_shows(page: Path, tmp_path: Path, scratch_home: Path, warm: Warm):
    _replay(page, Shell(tmp_path / "programs", warm))


@pytest.mark.thorough
@pytest.mark.needs("setsid")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_shell_that_starts_each_command_anew_shows_the_same(page: Path, tmp_path: Path, scratch_home: Path):
    _replay(page, Shell(tmp_path / "programs"))


def _replay(page: Path, shell: Shell) -> None:
    for typed in typed_in(page.read_text("utf-8")):
        shown = shell.type(typed)

        both = f"{typed.command}\nprints:\n{shown}\n\nand the page says:\n{typed.printed}"
        assert is_as_shown(shown, typed.printed), both


def test_a_block_is_cut_into_commands_and_what_they_print():
    page = "text\n```console\n$ cat > a <<X\n> one\n> X\n$ cat a\none\n```\n```python\n$ no\n```\n"

    assert typed_in(page) == [Typed("cat > a <<X\none\nX", ""), Typed("cat a", "one")]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a b c", "a … c", True),
        ("a b c", "a … d", False),
        ("a\nb\nc\nd", "a\n…\nd", True),
        ("a\nd", "a\n…\nd", True),
        ("a\nb", "a", False),
        ("a.c", "abc", False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(shown: str, printed: str, same: bool):
    assert is_as_shown(shown, printed) is same
