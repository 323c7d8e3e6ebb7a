"""Paths as text: normal form, lying within, and the list of names that no action may touch."""

import json
import posixpath
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError
from sayso.policy.denylist import DENIED, IN_HOME
from sayso.policy.paths import (
    find_denied_name,
    fold_name,
    may_be_within,
    names_denied_in,
    normal,
    same,
    why_denied,
    within,
)

FOLDER = Path(__file__).parent / "cases"
CASES = json.loads((FOLDER / "denied_names.json").read_text(encoding="utf-8"))
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("~", "/home/ana"),
        ("~/", "/home/ana"),
        ("~/Documents/x", "/home/ana/Documents/x"),
        ("~/a/../../bo/x", "/home/bo/x"),
        ("/a//b/./c/", "/a/b/c"),
        ("//a", "/a"),
        ("/", "/"),
        ("/../../etc/passwd", "/etc/passwd"),
        ("/a/~/b", "/a/~/b"),
        ("/a/.../b", "/a/.../b"),
        ("/a/b ", "/a/b "),
    ],
)
@pytest.mark.req("S0-39")
def test_a_path_has_one_normal_form(said: str, meant: str):
    assert normal(said, "/home/ana") == meant


@pytest.mark.parametrize(
    "said", ["a/b", "", "~bo/x", "file:///etc/passwd", "$HOME/x", r"C:\x", r"\\?\x", "/a\0b", "./x"]
)
def test_what_names_no_place_is_an_error_for_the_model(said: str):
    with pytest.raises(ProposalError) as raised:
        normal(said, "/home/ana")

    assert raised.value.code == "path.form"


@given(st.lists(st.sampled_from(["a", "b", "..", ".", "", "...", "a b"]), max_size=8))
def test_the_normal_form_is_what_posix_says(parts: list[str]):
    path = "/x/" + "/".join(parts)

    assert normal(path, "/home/ana") == posixpath.normpath(path)


@pytest.mark.parametrize(
    ("path", "folder", "lies"),
    [
        ("/a/b/c", "/a/b", True),
        ("/a/b", "/a/b", True),
        ("/a/b/c", "/a/b/", True),
        ("/a/b_evil/c", "/a/b", False),
        ("/a/b_evil", "/a/b", False),
        ("/a", "/a/b", False),
        ("/a/B/c", "/a/b", False),
        ("/a/b", "/", True),
        ("/a/b", "", False),
        ("/a/b", "a", False),
    ],
)
@pytest.mark.req("FS-01")
def test_a_path_lies_within_a_folder_name_by_name(path: str, folder: str, lies: bool):
    assert within(path, [folder]) is lies


def test_nothing_lies_within_no_folders():
    assert not within("/a", [])


@given(st.lists(NAMES, min_size=1, max_size=4), NAMES)
def test_no_sibling_that_only_begins_the_same_lies_within(parts: list[str], more: str):
    folder = "/" + "/".join(parts)

    assert not within(f"{folder}{more}", [folder])
    assert within(f"{folder}/{more}", [folder])


@pytest.mark.parametrize(
    "path", ["/home/ana/.SAYSO/x", "/home/ana/.sayso. /x", "/home/ana/.\uff53ayso", "/home/ana/.sayso"]
)
def test_what_is_protected_is_protected_in_every_spelling(path: str):
    assert may_be_within(path, ["/home/ana/.sayso"])


def test_a_folder_is_the_same_in_every_spelling_and_nothing_else_is():
    assert same("/home/ana/DOCUMENTS", ["/home/ana/Documents"])
    assert not same("/home/ana/Documents/x", ["/home/ana/Documents"])
    assert same("/home/ana/Documents", ["/home/ana/Downloads", "/home/ana/documents", "/"])
    assert not same("/home/ana", [])


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["path"]))
@pytest.mark.req("FS-10")
def test_denied_names_are_found_in_every_case_and_normal_form(case: dict[str, str | None]):
    assert find_denied_name(str(case["path"])) == case["denied"]


@given(st.sampled_from(sorted(DENIED)), st.data())
@pytest.mark.req("FS-10")
def test_no_spelling_that_a_file_system_may_take_for_a_denied_name_gets_through(entry: str, data: st.DataObject):
    name = entry.replace("*", "x")
    letters = [data.draw(st.sampled_from([letter, letter.upper()])) for letter in name]
    form: Any = data.draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
    end = data.draw(st.sampled_from(["", ".", " ", ". ", "\u200d", "\ufe0f"]))

    path = "/r/" + unicodedata.normalize(form, "".join(letters)) + end

    assert find_denied_name(path) is not None


INVISIBLE = [
    0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180D, 0x180F, 0x2065, 0x3164, 0xFE00, 0xFE0F, 0xFFA0, 0xFFF0,
    0xFFF8, 0xE0000, 0xE0FFF, 0x00AD, 0x200B, 0x202E, 0x2060, 0xFEFF, 0x0000, 0x001F, 0x007F, 0x0085,
]  # fmt: skip
VISIBLE = [0x0020, 0x007E, 0x00A1, 0x034E, 0x0350, 0x1161, 0x17B3, 0x17B6, 0x1810, 0xFDFF, 0xFE10, 0xFFEF, 0xE1000]


@pytest.mark.parametrize("code", INVISIBLE, ids=hex)
@pytest.mark.req("FS-10")
def test_what_shows_nothing_does_not_count(code: int):
    assert fold_name(f"a{chr(code)}b") == "ab"
    assert find_denied_name(f"/r/.bash{chr(code)}rc") == ".bashrc"


@pytest.mark.parametrize("code", VISIBLE, ids=hex)
def test_what_shows_something_counts(code: int):
    assert fold_name(f"a{chr(code)}b") != "ab"
    assert find_denied_name(f"/r/.bash{chr(code)}rc") is None


@pytest.mark.parametrize(
    ("name", "read_as"),
    [
        ("A.B", "a.b"),
        ("a. .\t ", "a"),
        ("a.txt:stream", "a.txt"),
        ("a.:x", "a"),
        ("\u0130x", "ix"),
        ("\uff21\uff0e", "a"),
        ("\u1e9e", "ss"),
        (" a", " a"),
        (".a", ".a"),
        ("a.b.", "a.b"),
    ],
)
def test_a_name_is_read_as_the_most_generous_file_system_would(name: str, read_as: str):
    assert fold_name(name) == read_as


@pytest.mark.parametrize(
    "path",
    [
        "/r/.bashrc.",
        "/r/.bashrc ",
        "/r/.bashrc./x",
        "/r/.bashrc /x",
        "/r/.bashrc:x",
        "/r/.bashrc\t/x",
        "/r /a./.bashrc:x",
    ],
)
@pytest.mark.req("FS-10")
def test_dots_spaces_and_streams_at_the_end_of_any_name_make_no_difference(path: str):
    assert find_denied_name(path) == ".bashrc"


@pytest.mark.parametrize(
    ("path", "denied"),
    [
        ("/r/.config/git/x", ".config/git"),
        ("/r/.config", None),
        ("/r/.config/x/git", None),
        ("/.config/git", ".config/git"),
        ("/git/.config", None),
        ("/r/a/.config/.config/gh", ".config/gh"),
        ("/r/x.desktop/y", "*.desktop"),
        ("/r/desktop", None),
        ("/r/.env.local", ".env.*"),
        ("/r/.environment", None),
        ("/r/.config/google-chrome-beta/x", ".config/google-chrome*"),
        ("/r/.config/google-chromx", None),
        ("/r/.config/microsoft-edg", None),
        ("/r/.claud", None),
        ("/", None),
    ],
)
@pytest.mark.req("FS-10")
def test_names_that_follow_one_another_are_denied_only_together(path: str, denied: str | None):
    assert find_denied_name(path) == denied


def test_a_slash_in_another_form_parts_a_name_where_that_is_stricter():
    assert find_denied_name("/r/x\uff0f.ssh") == ".ssh"
    assert may_be_within("/r/.config\uff0fgh", ["/r/.config"])
    assert not within("/r/.config\uff0fgh", ["/r/.config"])


def test_an_empty_path_is_an_error_that_says_what_to_write():
    with pytest.raises(ProposalError, match="“” is empty; write a path that is absolute") as raised:
        normal("", "/home/ana")

    assert raised.value.code == "path.form"


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(name: str):
    once = fold_name(name)

    assert fold_name(once) == once


@given(st.lists(st.text(st.sampled_from("aB.: \t"), max_size=5), max_size=4))
def test_a_whole_path_is_folded_name_by_name(names: list[str]):
    path = "/" + "/".join(names)
    other = "/" + "/".join(fold_name(name) for name in names)

    assert same(path, [other])


def test_a_harmless_tree_becomes_denied_by_where_it_goes():
    tree = ["fish/conf.d", "app/settings", "gh"]

    assert names_denied_in(tree, at="/r/.configs") == ["fish/conf.d"]
    assert names_denied_in(tree, at="/r/.config") == ["fish/conf.d", "gh"]
    assert names_denied_in(tree, at="/r/.config/") == ["fish/conf.d", "gh"]
    assert names_denied_in(["gh"], at="/.config") == ["gh"]
    assert names_denied_in(tree, at="/") == ["fish/conf.d"]


@pytest.mark.parametrize("path", ["/r/.git", "/r/.bashrc", "/r/x.desktop", "/r/.config/fish/x"])
def test_each_denied_name_has_its_reason(path: str):
    assert why_denied(find_denied_name(path) or "")


WHOLE: dict[str, list[str]] = json.loads((FOLDER / "denied_with_all_in_them.json").read_text(encoding="utf-8"))

ENTRIES = (FOLDER / "denied_entries.txt").read_text(encoding="utf-8").splitlines()


def test_every_name_has_a_reason():
    assert [name for name, why in [*DENIED.items(), *IN_HOME.items()] if not why.strip()] == []


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.req("FS-10")
def test_nothing_goes_from_the_list_without_being_missed(entry: str):
    name = entry.replace("*", "x")

    assert find_denied_name(f"/home/ana/Documents/{name}") == entry
    assert find_denied_name(f"/home/ana/Documents/{name}/y") == entry
    assert why_denied(entry)


def test_nothing_comes_to_the_list_without_being_written_down():
    assert sorted(DENIED) == sorted(ENTRIES)
    assert list(IN_HOME) == ["bin"]


@pytest.mark.parametrize("name", WHOLE["programs, builds, keys"])
@pytest.mark.req("FS-10")
def test_what_a_program_runs_builds_fetches_or_lets_in_by_is_denied_with_all_in_it(name: str):
    assert find_denied_name(f"/home/ana/Documents/x/{name}") is not None
    assert find_denied_name(f"/home/ana/Documents/x/{name}/y/z") is not None


@pytest.mark.parametrize("name", WHOLE["repositories"])
@pytest.mark.req("FS-10")
def test_nothing_in_a_repository_is_touched(name: str):
    assert find_denied_name(f"/home/ana/Documents/repo/{name}") == ".git"
    assert find_denied_name(f"/home/ana/Documents/repo/{name.upper()}") == ".git"
