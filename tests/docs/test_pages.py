"""Every Python example on a page runs, in the order in which a person reads it."""

import re
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from sayso.assembly.parts import DIALECTS
from tests.house import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_page_on_choosing_a_dialect_has_a_row_for_each():
    page = (ROOT / "docs/how-to/choose-a-dialect.md").read_text("utf-8")

    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted(DIALECTS.keys() - {"auto", "chat"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of(page: Path):
    document = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(ROOT)).parse(page)

    for example in document.examples():
        example.evaluate()
