"""A file of settings, read strictly."""

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from sayso.config.document import given, key_called
from sayso.config.presets import Placement, Preset
from sayso.core.errors import SetupError

CASES = tomllib.loads((Path(__file__).parent / "cases" / "refused.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_is_not_right_is_refused_in_one_sentence_that_names_it(case: dict[str, Any]):
    with pytest.raises(SetupError) as raised:
        given(case["text"].encode(), "config.toml")

    sentence = str(raised.value)
    assert raised.value.code == case["code"]
    assert [words for words in case["says"] if words not in sentence] == []
    assert "hunter2" not in sentence
    assert "config.toml" in sentence


def test_an_empty_file_sets_nothing():
    assert given(b"", "config.toml").values == {}


def test_an_empty_list_is_not_the_same_as_none():
    assert given(b"[policy]\nallowed_operations = []", "config.toml").values == {"policy.allowed_operations": ()}


def test_values_are_read_into_what_they_mean():
    text = b'[policy]\nundo_bytes = "1 GiB"\ngrant_expires = "7d"\n[mail]\nport = 993\n[limits]\nreply_bytes = 1000\n'

    assert given(text, "config.toml").values == {
        "policy.undo_bytes": 1_073_741_824,
        "policy.grant_expires": 604_800,
        "mail.port": 993,
        "limits.reply_bytes": 1000,
    }


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(SetupError, match="UTF-8"):
        given(b"\xff\xfe", "config.toml")


def test_presets_are_read():
    text = b'[[preset]]\nname = "Work"\nplacements = [{app_name = "Mail", monitor = "left", bounds = [0, 0, 8, 9]}]'

    assert given(text, "config.toml").presets == (Preset("Work", (Placement("Mail", "left", (0, 0, 8, 9)),)),)


def test_an_administrator_may_set_nothing_but_policy_and_limits():
    with pytest.raises(SetupError, match="no section \\[mail\\]"):
        given(b"[mail]\nport = 1", "policy.toml", ("policy", "limits"))
    with pytest.raises(SetupError, match="no section \\[preset\\]"):
        given(b"[[preset]]\nname = 1", "policy.toml", ("policy", "limits"))


def test_sections_of_other_packages_are_taken_as_they_are():
    text = b"[lamps]\nbridge = 3"

    assert given(text, "config.toml", others=["lamps"]).others == {"lamps": {"bridge": 3}}
    with pytest.raises(SetupError):
        given(text, "config.toml")


def test_a_key_is_found_by_its_full_name_and_where_only_one_has_it_by_its_own():
    assert key_called("policy.mode").full == "policy.mode"
    assert key_called("mode").full == "policy.mode"


@pytest.mark.parametrize(
    ("name", "words"), [("policy.mod", "“policy.mode”"), ("kind", "no setting"), ("", "no setting")]
)
def test_a_key_that_there_is_not_is_an_error_with_a_near_name(name: str, words: str):
    with pytest.raises(SetupError, match=words):
        key_called(name)


@drawn(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes):
    with suppress(SetupError):
        given(data, "config.toml")
