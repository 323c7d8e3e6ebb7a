"""A text is about the uids of its events and to-dos, each once."""

from sayso.providers.calendar.ical.lines import parsed
from sayso.providers.calendar.ical.resource import Held, Resource, holds_uid, uids_of


def test_occurrences_of_their_own_have_the_uid_of_their_series():
    event = "BEGIN:VEVENT\nUID:a\\, b\nEND:VEVENT\n"
    text = f"BEGIN:VCALENDAR\n{event * 2}BEGIN:VTODO\nUID:c\nEND:VTODO\nEND:VCALENDAR\n"

    assert uids_of(parsed(text)) == ("a, b", "c")
    assert holds_uid(text, "c")
    assert Resource("p", text, "e").whole() == parsed(text)
    assert Held() == Held((), ())
