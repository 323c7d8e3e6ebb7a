"""The name of a file says what is in it, unless the person does."""

import pytest

from sayso.surfaces.cli.own_lists import form_of, visible_lines


@pytest.mark.parametrize(
    ("file", "named", "form"),
    [
        ("a.md", None, "markdown"),
        ("a.ICS", None, "ical"),
        ("-", None, "markdown"),
        ("-", "ical", "ical"),
        ("a.ics", "markdown", "markdown"),
    ],
)
def test_the_format_is_what_was_named_or_what_the_file_is_called(file: str, named: str | None, form: str):
    assert form_of(file, named) == form


def test_on_a_terminal_no_text_can_act():
    assert "\x1b" not in visible_lines("- [ ] \x1b[2Jgone\r\n")
