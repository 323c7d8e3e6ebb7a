"""Whether two texts say the same of an event, however each program writes it."""

from collections import Counter

from sayso.providers.calendar.ical.dates import instant_of
from sayso.providers.calendar.ical.lines import Line, Part, Unreadable, parsed
from sayso.providers.calendar.ical.writing import master_of

_TEXTS = {"SUMMARY": "the title", "LOCATION": "the place", "DESCRIPTION": "the notes"}
_TIMES = {"DTSTART": "the start", "DTEND": "the end", "DUE": "when it is due"}
_NOT_SAID = {"PRODID", "DTSTAMP", "LAST-MODIFIED", "CREATED", "X-RADICALE-NAME"}


def differs(given: str, kept: str, uid: str) -> str:
    """Return what is kept otherwise than it was given; empty when nothing that a person would notice is."""
    try:
        one, other = master_of(parsed(given), uid), master_of(parsed(kept), uid)
        texts = [said for name, said in _TEXTS.items() if _words(one, name) != _words(other, name)]
        times = [said for name, said in _TIMES.items() if _when(one, name) != _when(other, name)]
        rules = [line.value for line in one.lines("RRULE")] != [line.value for line in other.lines("RRULE")]
    except Unreadable:
        return "all of it"
    return " and ".join([*texts, *times, *(["how it repeats"] if rules else [])])


def _words(part: Part, name: str) -> str:
    return part.line(name).text.strip()


def _when(part: Part, name: str) -> str:
    line = part.line(name)
    return instant_of(line) if line.value else ""


def same_lines(one: str, other: str) -> bool:
    """Say whether two texts have the same lines in whatever order and folding, but for when they were written."""
    try:
        return _lines(one) == _lines(other)
    except Unreadable:
        return False


def _lines(text: str) -> Counter[tuple[str, str, str, str]]:
    every = parsed(text).every_line()
    return Counter((part, *_said(line)) for part, line in every if line.name and line.name not in _NOT_SAID)


def _said(line: Line) -> tuple[str, str, str]:
    return line.name, ";".join(sorted(line.params.split(";"))), line.value.strip()
