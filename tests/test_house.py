"""The house keeps its own rules, and its lists of exceptions only get shorter."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests import house
from tests.house import ROOT, Ratchet
from tools.trees import parsed

NO_SHELL = {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"}
NOTHING = Ratchet(type_ignores=0, noqas=0, no_covers=0, long_files=(), untested=())


def trees(*folders: str, words: str = "") -> Iterator[tuple[str, ast.Module]]:
    """Yield the tree of each file in which one of these words, a regular expression, stands at all."""
    for file in house.python_files(ROOT, *folders):
        text = file.read_text(encoding="utf-8")
        if re.search(words, text):
            yield str(file.relative_to(ROOT)), parsed(text)


def test_every_file_opens_with_one_sentence():
    files = house.python_files(ROOT, "src", "tests", "tools", "examples")
    odd = [str(file) for file in files if not opens_with_one_sentence(file.read_text(encoding="utf-8"))]

    assert odd == []


def opens_with_one_sentence(source: str) -> bool:
    """Say whether the docstring's first paragraph is a sentence, and only one."""
    docstring = re.match(r'(?:#.*\n)*"""(.*?)"""', source, re.DOTALL)
    first = " ".join((docstring[1] if docstring else "").partition("\n\n")[0].split())
    return first.endswith((".", "!", "?")) and not re.search(r"[^.][.!?] [A-Z]", first)


def test_no_import_hides_behind_type_checking():
    found = trees("src", "tests", words="TYPE_CHECKING")
    hidden = [name for name, tree in found if any(map(names_type_checking, ast.walk(tree)))]

    assert hidden == []


def names_type_checking(node: ast.AST) -> bool:
    match node:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING") | ast.alias(name="TYPE_CHECKING"):
            return True
        case _:
            return False


def test_no_program_is_started_through_a_shell():
    found = trees("src", "tests", "tools", "examples", words="shell|system|popen|getoutput|getstatusoutput")
    shells = [name for name, tree in found if any(map(is_shell, ast.walk(tree)))]

    assert shells == []


def is_shell(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=called, keywords=given):
            # shtab's `shell` names the shell whose completion script is written; nothing is started.
            return any(map(turns_shell_on, given)) and ast.unparse(called) != "shtab.complete"
        case ast.Attribute(attr="create_subprocess_shell"):
            return True
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return f"{module}.{name}" in NO_SHELL
        case ast.ImportFrom(module=str() as module):
            return any(f"{module}.{alias.name}" in NO_SHELL for alias in node.names)
        case _:
            return False


def turns_shell_on(given: ast.keyword) -> bool:
    return given.arg == "shell" and not (isinstance(given.value, ast.Constant) and given.value.value is False)


def test_every_news_line_has_a_name_that_the_changelog_will_show():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    kinds = "|".join(settings["tool"]["towncrier"]["fragment"])
    files = [file.name for file in (ROOT / "changes").iterdir() if file.name != "README.md"]

    odd = [name for name in files if not re.fullmatch(rf"\+?[a-z0-9-]+\.({kinds})\.md", name)]

    assert odd == []


def test_the_lists_of_ids_are_complete():
    required = (ROOT / "tests/requirements.txt").read_text(encoding="utf-8").split()
    others = (ROOT / "tests/other_ids.txt").read_text(encoding="utf-8").split()

    assert len(required) == 400
    assert len(set(required + others)) == len(required) + len(others)


# The measuring itself, on small trees made for it.


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "sayso" / "core"
    package.mkdir(parents=True)
    (tmp_path / "tests" / "core").mkdir(parents=True)
    (package / "__init__.py").write_text('"""The values."""\n')
    (tmp_path / "tests" / "core" / "test_it.py").touch()
    return tmp_path


def test_comments_are_counted_and_strings_are_not(tree: Path):
    (tree / "tests" / "test_it.py").write_text(
        "x = 1  # noqa: E501\n"
        "y: int = x  # type: ignore[assignment]  # noqa\n"
        "z = 2  # pyright: ignore\n"
        "if z:  # pragma: no cover\n"
        "    z = '# noqa # type: ignore'\n"
    )

    assert house.measured(tree) == replace(NOTHING, type_ignores=2, noqas=2, no_covers=1)


def test_a_room_without_a_folder_of_tests_is_found(tree: Path):
    for module in ("core/plan.py", "policy/case.py", "providers/mail/imap/client.py", "providers/notes/memory.py"):
        (tree / "src/sayso" / module).parent.mkdir(parents=True, exist_ok=True)
        (tree / "src/sayso" / module).write_text("x = 1\n")
    (tree / "tests/core/test_plan.py").touch()
    (tree / "tests/providers/mail").mkdir(parents=True)
    (tree / "tests/providers/mail/test_memory.py").touch()

    assert house.measured(tree).untested == ("src/sayso/policy", "src/sayso/providers/notes")


def test_a_file_is_long_from_601_lines_on(tree: Path):
    for length in (600, 601):
        (tree / f"src/sayso/core/of_{length}.py").write_text("x = 1\n" * length)

    assert house.measured(tree).long_files == ("src/sayso/core/of_601.py",)


def test_what_is_written_is_what_is_read():
    ratchet = replace(NOTHING, noqas=3, long_files=("a.py", "b.py"))

    assert house.read(house.written(ratchet)) == ratchet


MISFITS: dict[str, tuple[Callable[[Ratchet], Ratchet], str]] = {
    "one too many": (lambda now: replace(now, noqas=now.noqas - 1), "the most allowed"),
    "one fewer than allowed": (lambda now: replace(now, noqas=now.noqas + 1), "lower it"),
    "a new exception": (lambda now: replace(now, untested=()), "is not allowed there"),
    "a stale exception": (lambda now: replace(now, untested=(*now.untested, "gone.py")), "lower it"),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_a_ratchet_that_does_not_fit_is_a_problem(tree: Path, misfit: str):
    change, says = MISFITS[misfit]
    (tree / "src/sayso/core/plan.py").write_text("x = 1  # noqa\n")
    (tree / "tests/core/test_it.py").unlink()
    (tree / house.RATCHET).write_text(house.written(change(house.measured(tree))))

    (problem,) = house.problems(tree)

    assert says in problem


@pytest.mark.needs("git")
@pytest.mark.parametrize("committed", [False, True], ids=["before the commit", "after it"])
def test_a_ratchet_that_was_raised_is_a_problem(tree: Path, committed: bool):
    def commit(ratchet: Ratchet) -> None:
        (tree / house.RATCHET).write_text(house.written(ratchet))
        git("add", ".")
        git("commit", "-q", "-m", "A ratchet")

    def git(*words: str) -> None:
        me = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
        subprocess.run(["git", *me, *words], cwd=tree, check=True)

    git("init", "-q")
    commit(NOTHING)
    (tree / "src/sayso/core/plan.py").write_text("x = 1  # noqa\n")
    (tree / "tests/core/test_it.py").unlink()
    (tree / "tests/core/test_plan.py").touch()
    raised = house.measured(tree)
    if committed:
        commit(raised)
    else:
        (tree / house.RATCHET).write_text(house.written(raised))

    (problem,) = house.problems(tree)

    assert problem == f"{house.RATCHET} may only fall. noqas: 1, and 0 is the most allowed"
