"""What a page refers to is there: pages, headings, files, tests by their names, and code word for word."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import ROOT

TOP = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "changes/README.md")]
PAGES = [*TOP, *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_OURS = re.compile(r"`((?:src|tests|tools|docs|examples|changes)/[\w./-]+)(?:::(\w+))?`")
_ROOMS = re.compile(r"`((?:core|policy|dialects|providers|journal|runtime|config|assembly|surfaces|testing)/[\w./]+)`")


def each(pages: list[Path]) -> pytest.MarkDecorator:
    """Run a test for each page."""
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield where each link to this tree leads: the file and, maybe, a heading of it."""
    for target in _LINK.findall(_FENCED.sub("", page.read_text("utf-8"))):
        if not re.match(r"[a-z]+:", target):
            path, _, heading = target.partition("#")
            yield (page.parent / path).resolve() if path else page, heading


def slugs(page: Path) -> set[str]:
    """Return the headings of a page as links have them."""
    heads = _HEADING.findall(_FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@each(PAGES)
def test_every_link_leads_somewhere(page: Path):
    for target, heading in links(page):
        assert target.exists(), target
        assert not heading or heading in slugs(target), f"{target}#{heading}"


@each([page for page in PAGES if "docs" in page.parts])
def test_a_page_in_docs_links_only_to_what_is_built(page: Path):
    outside = [target for target, _ in links(page) if not target.is_relative_to(ROOT / "docs")]

    assert outside == []


@each([page for page in PAGES if page.name != "CONTRIBUTING.md" and "examples" not in page.parts])
def test_files_and_tests_that_a_page_names_are_there(page: Path):
    for path, test in _OURS.findall(page.read_text("utf-8")):
        assert (ROOT / path).exists(), path
        assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8"), f"{path}::{test}"


@each([ROOT / "ARCHITECTURE.md"])
def test_rooms_and_modules_that_a_page_names_are_there(page: Path):
    named = _ROOMS.findall(page.read_text("utf-8"))

    assert named
    for path in named:
        assert (ROOT / "src" / "sayso" / path).exists(), path


def test_every_dependency_has_a_line_that_says_why_it_is_here():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    said = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## Dependencies")[2]

    for needed in (*project["project"]["dependencies"], *groups["test"], *groups["check"]):
        name = re.split(r"[<>=]", needed)[0]
        assert re.search(rf"(^\| |`){re.escape(name)}( \||`)", said, re.MULTILINE), name


@each([page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "index.md"])
def test_every_page_can_be_found_from_its_index(page: Path):
    index = page.with_name("index.md")

    assert page in {target for target, _ in links(index)}, f"{index} does not link to it"


_EXCERPT = re.compile(r"^<!-- from: (\S+) -->\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXCERPTS = [
    pytest.param(path, text, id=f"{page.stem}-{path}")
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for path, text in _EXCERPT.findall(page.read_text("utf-8"))
]


@pytest.mark.parametrize(("path", "text"), EXCERPTS)
def test_what_is_shown_stands_there(path: str, text: str):
    assert text in (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: str(page.relative_to(ROOT)))
def test_code_that_is_not_run_says_where_it_is_from(page: Path):
    text = page.read_text("utf-8")

    sources = [path for path, _ in _EXCERPT.findall(text)]
    assert len(re.findall(r"^```py$", text, re.MULTILINE)) == sum(path.endswith(".py") for path in sources)
