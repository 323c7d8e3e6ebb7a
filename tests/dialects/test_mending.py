"""What is not strict JSON is shown as it should have been written, and not done."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.dialects.mending import mended
from sayso.dialects.strict import strict_json


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"a": 1,}', '{"a": 1}'),
        ("{'a': 'it\\'s \"x\"'}", '{"a": "it\'s \\"x\\""}'),
        ('{"a": [1, 2', '{"a": [1, 2]}'),
        ('Sure! {"a": True} Done.', '{"a": true}'),
        ("{a: None} // c", '{"a": null}'),
        ('{"a": 1 /* one */ }', '{"a": 1}'),
        ("{“a”: “b”}", '{"a": "b"}'),
        ('{"a": {"b": 1}', '{"a": {"b": 1}}'),
        ('{"a": {"b": [1, [2', '{"a": {"b": [1, [2]]}}'),
        ('{"a": [1, 2}', '{"a": [1, 2]}'),
        ('{"a": 1,', '{"a": 1}'),
        ("[[1,],]", "[[1]]"),
        ("[True, False, None, true, -1.5, x-y]", '[true, false, null, true, -1.5, "x-y"]'),
        ('{"a": 1 # c\n, "b": 2 // d\n, "c": /* e\n */ 3}', '{"a": 1, "b": 2, "c": 3}'),
        ("""{"a": "// b", 'c': '# d', "e": "/* f */"}""", '{"a": "// b", "c": "# d", "e": "/* f */"}'),
        ('{“a”: “say "b"”}', '{"a": "say \\"b\\""}'),
        ("{'a': 'é', b: é}", '{"a": "é", "b": "é"}'),
        (r"""{"a": "\"b\"", 'c': "it's"}""", r"""{"a": "\"b\"", "c": "it's"}"""),
        ("""{'a': '', "b": ""}""", '{"a": "", "b": ""}'),
        ("Look [1] and {2", "[1]"),
        ("{a:1,b:[c,d]}", '{"a": 1, "b": ["c", "d"]}'),
        ('{"a": "' + "x" * 990 + '",}', '{"a": "' + "x" * 990 + '"}'),
    ],
)
def test_small_faults_are_shown_mended(text: str, written: str):
    assert mended(text) == f"; written correctly it would be {written}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "prose",
        "[1,,]",
        "{]",
        "{'a'}",
        '{"a": "' + "x" * 991 + '",}',
        '{"a": "cut of',
        '{"a" "b"}',
        '{"a": 1, "a": 2}',
        "{" * 2_000,
    ],
)
def test_what_cannot_be_mended_surely_is_not(text: str):
    assert mended(text) == ""


@given(st.text(alphabet="{}[]\"':, abc1\\/#*\n“”", max_size=60))
def test_what_is_shown_is_strict_json(text: str):
    said = mended(text)

    if said:
        strict_json(said.removeprefix("; written correctly it would be "))


def test_a_second_look_takes_no_longer_than_its_text():
    began = time.thread_time()
    for text in ("/*" * 500, "'" * 999 + "{", "{" + "\\" * 900, "{" + "'a" * 400):
        mended(text)

    assert time.thread_time() - began < 1
