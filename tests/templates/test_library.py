"""The folder of actions: what can be used of it, and one sentence for each file that cannot."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.templates import library
from sayso.templates.definition import ActionTemplate, read_template
from sayso.templates.library import MOST_BYTES, load_file, load_library
from tests.templates.actions import CONFIG

GOOD = CONFIG + "def handler(params, context): ...\n"


@pytest.mark.req("S3-07", "S3-17", "S3-55", "S3-56", "S3-59")
def test_one_bad_file_does_not_keep_the_others(tmp_path: Path):
    (tmp_path / "a-good-one.py").write_text(GOOD)
    (tmp_path / "b-other.py").write_text(GOOD.replace("tidy", "other"))
    (tmp_path / "c-broken.py").write_text("def handler(:")
    (tmp_path / "_helper.py").write_text("A = 1")
    (tmp_path / "readme.md").write_text("no action")

    found = load_library(tmp_path)

    assert [(one.file, one.id) for one in found.templates] == [("a-good-one.py", "tidy"), ("b-other.py", "other")]
    assert found.templates[0].helpers == {"_helper": "A = 1"}
    assert len(found.warnings) == 1
    assert "c-broken.py" in found.warnings[0]


@pytest.mark.req("S3-57")
def test_a_folder_that_is_not_there_holds_none(tmp_path: Path):
    assert load_library(tmp_path / "none").templates == ()
    (tmp_path / "file").write_text("")
    assert "could not be read" in load_library(tmp_path / "file").warnings[0]


@pytest.mark.req("TP-02", "T-84")
def test_of_two_with_one_id_the_first_by_name_stays_and_the_other_is_told(tmp_path: Path):
    for name in ("b.py", "a.py"):
        (tmp_path / name).write_text(GOOD)

    found = load_library(tmp_path)

    assert [one.file for one in found.templates] == ["a.py"]
    assert found.warnings == ("Invalid action template b.py: a.py has the id “tidy” already",)


def test_a_file_that_stays_as_it_is_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(GOOD.replace("tidy", f"parsed-once-{name[0]}"))
    (tmp_path / "_helper.py").write_text("A = 1")
    parsed: list[str] = []

    def counted(file: str, source: str, helpers: Mapping[str, str]) -> ActionTemplate:
        parsed.append(file)
        return read_template(file, source, helpers)

    monkeypatch.setattr(library, "read_template", counted)

    first, again = load_library(tmp_path), load_library(tmp_path)

    assert first == again
    assert parsed == ["a.py", "b.py"]

    (tmp_path / "b.py").write_text(GOOD.replace("tidy", "parsed-once-b").replace("Tidies up", "Cleans up"))
    assert load_library(tmp_path).get("parsed-once-b").description == "Cleans up."
    assert parsed[2:] == ["b.py"]

    (tmp_path / "_helper.py").write_text("A = 2")
    assert load_library(tmp_path).get("parsed-once-b").helpers == {"_helper": "A = 2"}
    assert parsed[3:] == ["a.py", "b.py"]


@pytest.mark.req("S3-60")
def test_what_changed_is_read_anew(tmp_path: Path):
    (tmp_path / "a.py").write_text(GOOD)
    before = load_library(tmp_path)
    (tmp_path / "a.py").write_text(GOOD.replace("Tidies up", "Cleans up"))

    after = load_library(tmp_path)

    assert after.get("tidy").description == "Cleans up."
    assert not after.has(before.get("tidy").code)


@pytest.mark.parametrize("kind", ["pipe", "long", "latin", "folder", "loop"])
def test_what_is_no_text_of_a_file_is_a_warning(kind: str, tmp_path: Path):
    file = tmp_path / "a.py"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "long":
            file.write_text("#" * (MOST_BYTES + 1))
        case "latin":
            file.write_bytes(b"# \xe4\n")
        case "folder":
            file.mkdir()
        case _:
            file.symlink_to(file)

    found = load_library(tmp_path)

    assert found.templates == ()
    assert found.warnings[0].startswith("Invalid action template a.py: ")


@pytest.mark.req("S3-63")
def test_an_id_that_there_is_not_is_told_with_those_there_are(tmp_path: Path):
    (tmp_path / "a.py").write_text(GOOD)

    with pytest.raises(SetupError, match=r'^Template "x" not found\. Available templates: tidy$'):
        load_library(tmp_path).get("x")


def test_an_action_whose_file_broke_is_told_with_what_is_wrong_in_it(tmp_path: Path):
    (tmp_path / "a.py").write_text(f"{GOOD}\nx = (\n")

    with pytest.raises(SetupError, match=r"Available templates: none\. Invalid action template a\.py: .* line \d+"):
        load_library(tmp_path).get("tidy")


def test_one_file_is_read_wherever_it_is(tmp_path: Path):
    (tmp_path / "a.py").write_text(GOOD)

    assert load_file(tmp_path / "a.py").id == "tidy"
    with pytest.raises(SetupError, match="No such file"):
        load_file(tmp_path / "b.py")
