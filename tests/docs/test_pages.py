"""Every Python example on a page runs, in the order in which a person reads it."""

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tests.house import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of(page: Path):
    document = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(ROOT)).parse(page)

    for example in document.examples():
        example.evaluate()
