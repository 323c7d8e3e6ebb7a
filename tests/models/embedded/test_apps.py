"""Applications are meant by their names, with or without their makers', or as the browser."""

import pytest

from sayso.models.embedded.readings import Found, Missing
from tests.models.embedded.scenes import slot


@pytest.mark.parametrize(
    ("kind", "text", "name"),
    [
        ("app", "word", "Microsoft Word"),
        ("app", "the gimp app", "GIMP"),
        ("app", "vs code", "Visual Studio Code"),
        ("app", "signl", "Signal"),
        ("app", "the browser", "Firefox"),
        ("running", "firefox", "Firefox"),
        ("app_name", "word", "Microsoft Word"),
    ],
)
def test_an_application_is_found(kind: str, text: str, name: str):
    found = slot(kind, text)

    assert isinstance(found, Found)
    assert found.value == name


def test_what_is_installed_but_does_not_run_cannot_be_quit():
    found = slot("running", "gimp")

    assert found == Missing("“GIMP” is not running.")


@pytest.mark.parametrize("text", ["photoshop", "all", "it", "everything"])
def test_what_is_no_application_is_said(text: str):
    assert isinstance(slot("app", text), Missing)


def test_a_bare_word_that_is_no_application_is_none():
    assert slot("app_name", "photoshop") is None
