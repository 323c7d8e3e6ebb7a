"""Code that a page shows from a file of this tree stands in that file, word for word."""

import re
from pathlib import Path

import pytest

from tests.house import ROOT

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
