"""A calendar's text is taken apart and put together without a change, and a new value is one line whatever is in it."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from sayso.providers.calendar.ical.lines import Unreadable, component, escaped, logical, made, parsed, rendered

HEAD = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n"
NASTY = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('\r\n\t\x0b\x0c\x85\u2028\u2029\\;,:"^ =ü🙂'),
    max_size=300,
)


@given(NASTY.filter(lambda text: "\0" not in text))
@pytest.mark.req("CA-01")
def test_any_text_is_one_property_for_another_reader(text: str):
    event = component("VEVENT", [made("UID", "a", "\r\n"), made("SUMMARY", escaped(text), "\r\n")], "\r\n")

    whole = rendered(component("VCALENDAR", [event], "\r\n"))

    calendar: Any = Calendar.from_ical(whole)
    (read,) = calendar.walk("VEVENT")
    assert sorted(read) == ["SUMMARY", "UID"]
    wanted = re.sub("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", "\n", text)
    assert str(read["SUMMARY"]) == wanted
    assert parsed(whole).parts("VEVENT")[0].line("SUMMARY").text == wanted
    assert all(len(line.encode()) <= 75 for line in whole.split("\r\n"))


@given(st.lists(NASTY), st.sampled_from(["\r\n", "\n"]))
def test_what_was_taken_apart_is_put_together_byte_for_byte(values: list[str], newline: str):
    kept = (value.replace("\r", "").replace("\n", "") for value in values)
    lines = "".join(f"X-{number}:{value}{newline} folded{newline}" for number, value in enumerate(kept))
    text = f"BEGIN:VCALENDAR{newline}{lines}BEGIN:VEVENT{newline}END:VEVENT{newline}END:VCALENDAR{newline}"

    assert rendered(parsed(text)) == text
    assert "".join(line.raw for line in logical(text)) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not one whole calendar"),
        (HEAD, "not one whole calendar"),
        (f"{HEAD}BEGIN:VEVENT\r\nEND:VTODO\r\nEND:VCALENDAR\r\n", "has no end"),
        (f"{HEAD}END:VCALENDAR\r\n" * 2, "not one whole calendar"),
        ("BEGIN:VCALENDAR\r\n" * 20, "nested too deep"),
        (f"{HEAD}X:{'x' * 2**20}\r\nEND:VCALENDAR\r\n", "longer than"),
    ],
    ids=["nothing", "half", "crossed", "two", "deep", "long"],
)
@pytest.mark.req("CA-03")
def test_what_is_no_calendar_says_why(text: str, why: str):
    with pytest.raises(Unreadable, match=why):
        parsed(text)


def test_parameters_are_read_with_and_without_quotes():
    (line,) = logical('ATTENDEE;CN="Ana; B: C";ROLE=CHAIR:mailto:ana@example.org\r\n')

    assert (line.name, line.value) == ("ATTENDEE", "mailto:ana@example.org")
    assert (line.param("CN"), line.param("ROLE"), line.param("X")) == ("Ana; B: C", "CHAIR", "")
