"""What is printed for a program is one document, in which nothing can act on a terminal."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from sayso.surfaces.cli.here import Here


def here() -> Here:
    return Here(io.StringIO(), io.StringIO(), None, {}, json=True)


@given(st.text(st.characters()))
def test_a_document_is_ascii_and_reads_back(text: str):
    place = here()

    place.document({"text": text})

    written = place.out.getvalue() if isinstance(place.out, io.StringIO) else ""
    assert written.isascii()
    assert json.loads(written) == {"text": text}
    assert "\x1b" not in written


def test_what_is_told_is_made_visible():
    place = here()

    place.tell("a\x1b[2Jb")

    assert isinstance(place.err, io.StringIO)
    assert place.err.getvalue() == "a\\u{1b}[2Jb\n"
