"""What is written short comes back as it was, and is shorter."""

import json
import sqlite3
from importlib.resources import files
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sayso.journal.shorthand import Shorthand
from sayso.testing.journal import PLAN


def of_schema() -> Shorthand:
    """Read the common texts with plain sqlite3."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(files("sayso.journal").joinpath("schema.sql").read_text())
    texts = connection.execute("SELECT text FROM short ORDER BY code").fetchall()
    connection.close()
    return Shorthand(tuple(text for (text,) in texts))


SHORTHAND = of_schema()
TEXTS = st.text() | st.sampled_from(["~/a/long/path.txt", "/home/ana", "\x01\x05", '"', "\ud800", "},", '"source":"'])
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4), VALUES, VALUES)
def test_any_row_comes_back_as_it_was(arguments: dict[str, Any], step: Any, expects: Any):
    plan = {"changes": [{"do": step, "expects": expects}]}
    text = json.dumps({"arguments": arguments, "plan": plan}, ensure_ascii=True, separators=(",", ":"))

    texts = SHORTHAND.texts(arguments, plan)

    assert SHORTHAND.long(SHORTHAND.short(text, texts), texts) == text


def test_every_control_character_stands_for_something():
    assert len(SHORTHAND.common) == 27
    assert not any(character < " " for text in SHORTHAND.common for character in text)


def test_a_path_that_stands_seven_times_is_written_once():
    path = "~/Documents/a rather long name of a file.txt"
    arguments = {"source": path, "destination": "~/b.txt"}
    real = "/home/ana" + path[1:]
    change = {**PLAN["changes"][0], "do": {"step": "file.rename", "source": real, "destination": "/home/ana/b.txt"}}
    text = json.dumps([arguments, change, real, path, real, path, real])

    texts = SHORTHAND.texts(arguments, {"changes": [change]})
    short = SHORTHAND.short(text, texts)

    assert texts[:3] == (path[1:], None, "/home/ana")
    assert path[1:] not in short
    assert "/home/ana" not in short


def test_a_document_of_another_make_has_no_texts_of_its_own():
    plans: list[Any] = [None, {}, {"changes": []}, {"changes": ["x"]}, {"changes": [{"do": 1, "expects": [1]}]}]
    for plan in plans:
        assert SHORTHAND.texts({}, plan) == (None, None, None, None)
