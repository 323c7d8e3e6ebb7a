"""Files and folders are meant by their paths, or by names that the context knows."""

import pytest

from sayso.models.embedded.paths import folder
from sayso.models.embedded.readings import Found, Missing, Several
from sayso.models.embedded.words import words_of
from tests.models.embedded.scenes import DATA, scene, slot


@pytest.mark.parametrize(
    ("kind", "text", "path"),
    [
        ("file", "plan.odt", "/home/mo/Documents/plan.odt"),
        ("file", "the garden picture", "/home/mo/Downloads/garden-2026.png"),
        ("file", "~/x/y.txt", "~/x/y.txt"),
        ("folder", "the Downloads folder", "~/Downloads"),
        ("folder", "greenhouse", "/home/mo/Documents/greenhouse"),
        ("into", "my documents", "~/Documents"),
        ("into", "~/New/", "~/New"),
        ("path", "/srv/a", "/srv/a"),
        ("name", "Trip plan", "Trip plan"),
    ],
)
def test_a_path_is_found(kind: str, text: str, path: str):
    found = slot(kind, text)

    assert isinstance(found, Found)
    assert found.value == path


@pytest.mark.parametrize(("kind", "text"), [("file", "letter.odt"), ("folder", "attic")])
def test_what_is_not_known_is_said(kind: str, text: str):
    assert isinstance(slot(kind, text), Missing)


@pytest.mark.parametrize(
    ("kind", "text"), [("into", "~/a/b.txt"), ("path", "b.txt"), ("name", "../b"), ("name", "a/b"), ("name", "~x")]
)
def test_what_is_no_such_path_is_none(kind: str, text: str):
    assert slot(kind, text) is None


def test_a_folder_of_the_same_name_elsewhere_is_told_too():
    data = {**DATA, "projects": [{"name": "Music", "path": "/home/mo/Documents/Music"}]}

    found = folder(words_of("music"), scene("music", data=data))

    assert isinstance(found, Several)
    assert [choice.value for choice in found.choices] == ["~/Music", "/home/mo/Documents/Music"]


def test_a_folder_may_be_said_with_the_usual_one_it_is_in():
    found = slot("into", "Documents/loans")

    assert isinstance(found, Found)
    assert found.value == "~/Documents/loans"
