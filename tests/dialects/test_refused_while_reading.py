"""What the schema can know to be wrong is refused while reading, with one sentence, the same in every dialect."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from sayso.assembly.parts import dialect
from sayso.core.errors import ProposalError
from sayso.core.operation import Parameter
from sayso.core.schema import is_blank
from sayso.dialects.base import read
from sayso.providers.mail.store import Criteria
from tests.dialects.replies import EACH, OPERATIONS
from tests.dialects.wishes import wishes

DAY, MARK = "2031-03-04", "Zqxj"
NO_DAYS = ("2031-02-31", "2031-03-04 25:00", "2031-13-01", "2031-03-04T10:61", "soon")
BLANKS = ("  ", "\u3000", "\u200b\u200b", "\u2800", " \u00ad ")
TIMES = re.compile("start|end|due|after|before|since|until|when|.*_at|.*date|.*time")
PAIRS = (("start", "end"), ("after", "before"), ("since", "until"), ("from", "to"), ("min", "max"), ("low", "high"))

MAY_BE_BLANK = {
    "file.write.content": "a file may be empty or hold only blanks",
    "file.append.content": "a line break may be appended",
    "clipboard.write.text": "the clipboard may hold blanks",
    "notify.show.message": "a notification may be a title only",
    "page.fill.value": "a field is emptied with it",
    "mail.compose.subject": "mail may have no subject",
    "mail.compose.body": "mail may have no text",
    "mail.send.subject": "mail may have no subject",
    "mail.send.body": "mail may have no text",
    "note.append.text": "an empty line may be appended",
    "chat.add_message.content": "it is shown as it is",
    "log.write.message": "it is shown as it is",
}
"""Required texts that may be blank, and why."""


def parameters() -> Iterator[tuple[str, Parameter]]:
    """Yield every argument of every operation, with its whole name."""
    for id_, operation in OPERATIONS.items():
        yield from ((f"{id_}.{one.name}", one) for one in operation.parameters)


def arguments_with(id_: str, name: str) -> dict[str, Any]:
    """Return valid arguments of an operation, those of a wish with this one among them if there is one."""
    operation = OPERATIONS[id_]
    found = (dict(one.arguments) for one in wishes() if one.operation == id_ and name in one.arguments)
    made = {
        one.name: 1
        if one.schema.get("type") in {"integer", "number"}
        else (*one.choices, DAY if one.kind == "when" else "~/x")[0]
        for one in operation.parameters
        if one.required
    }
    return next(found, made)


def told(id_: str, arguments: dict[str, Any], change: dict[str, str]) -> dict[str, tuple[str | None, str]]:
    """Write a proposal in each dialect that can, change the texts in it, and return what each tells of it."""
    said: dict[str, tuple[str | None, str]] = {}
    for name in EACH:
        try:
            text = dialect(name).write(OPERATIONS[id_], arguments)
        except ProposalError:
            continue
        for old, new in change.items():
            text = text.replace(old, new)
        (proposal,) = read(dialect(name), OPERATIONS, text).proposals
        bare = re.sub("^Invalid [A-Z_]+: |; usage: .*$", "", proposal.problem or "")
        said[name] = proposal.code, re.sub("“[a-z_A-Z]+”", "“…”", bare)
    return said


def test_every_time_is_declared_as_one():
    named = [name for name, one in parameters() if TIMES.fullmatch(one.name) and one.kind != "when"]

    assert named == []


def test_every_required_text_must_be_seen_or_has_its_reason():
    texts = [(name, one) for name, one in parameters() if one.required and one.kind in {"line", "text"}]

    assert {name for name, one in texts if not one.seen} == set(MAY_BE_BLANK)


def test_every_pair_of_times_has_its_order():
    missing = [
        (id_, pair)
        for id_, operation in OPERATIONS.items()
        for pair in PAIRS
        if {*pair} <= {one.name for one in operation.parameters} and pair not in operation.ordered
    ]

    assert missing == []
    assert {"after", "before"} <= {*Criteria.__struct_fields__}


@pytest.mark.parametrize("name", [name for name, one in parameters() if one.kind == "when"])
@pytest.mark.parametrize("day", NO_DAYS)
def test_a_day_that_does_not_exist_is_refused_alike_in_every_dialect(name: str, day: str):
    id_, _, key = name.rpartition(".")
    arguments = {"title": "T", "id": "i", **({"start": "2031-03-03"} if key == "end" else {}), key: DAY}
    taken = {one.name for one in OPERATIONS[id_].parameters}
    arguments = {one: value for one, value in arguments.items() if one in taken}
    arguments |= {"end": "2031-03-09"} if key == "start" else {}

    said = told(id_, arguments, {DAY: day})

    assert len(said) >= 2
    assert {code for code, _ in said.values()} == {"arguments.date"}, said
    assert len({sentence for _, sentence in said.values()}) == 1, said


@pytest.mark.parametrize(
    "name",
    [name for name, one in parameters() if one.seen and one.kind != "when" and "array" not in str(one.schema)],
)
def test_a_blank_text_is_refused_alike_in_every_dialect(name: str):
    id_, _, key = name.rpartition(".")
    arguments = {**arguments_with(id_, key), key: MARK}

    assert OPERATIONS[id_].check(arguments)[1] == []
    for blank in BLANKS:
        said = told(id_, arguments, {MARK: blank})

        assert {code for code, _ in said.values()} <= {"arguments.type"}, (blank, said)
        assert len({sentence for _, sentence in said.values()}) <= 1, (blank, said)


@pytest.mark.parametrize("id_", [id_ for id_, one in OPERATIONS.items() if one.ordered])
@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2031-03-05", "2031-03-04"),
        ("2031-03-05", "2031-03-05"),
        ("2031-03-05 10:00", "2031-03-05 09:59"),
        ("2031-03-05T10:00+02:00", "2031-03-05T07:59Z"),
        ("2031-03-05T10:00+02:00", "2031-03-04 19:00"),
        ("2031-03-05 10:00", "2031-03-04T19:00Z"),
    ],
)
def test_a_range_that_is_turned_round_is_refused_alike_in_every_dialect(id_: str, start: str, end: str):
    taken = {one.name for one in OPERATIONS[id_].parameters}
    arguments = {one: value for one, value in {"title": "T", "id": "i"}.items() if one in taken}
    arguments |= {"start": DAY, "end": "2031-03-09"}

    said = told(id_, arguments, {DAY: start, "2031-03-09": end})

    assert len(said) >= 2
    assert {code for code, _ in said.values()} == {"arguments.date"}, said
    assert len({sentence for _, sentence in said.values()}) == 1, said


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2031-03-05", "2031-03-06"),
        ("2031-03-05T10:00+02:00", "2031-03-05 09:00"),
        ("2031-03-05 10:00", "2031-03-05T09:00Z"),
        ("2031-03-05T10:00+02:00", "2031-03-05T08:01Z"),
        ("0001-01-01T00:30+01:00", "0001-01-01 00:00"),
    ],
)
def test_a_range_that_is_right_somewhere_on_earth_is_not_refused_while_reading(start: str, end: str):
    assert OPERATIONS["calendar.find"].check({"start": start, "end": end})[1] == []


@pytest.mark.parametrize(
    ("id_", "arguments", "code"),
    [
        ("mail.search", {"criteria": {"after": "2031-02-31"}}, "arguments.date"),
        ("mail.search", {"criteria": {"after": "2031-03-05", "before": "2031-03-04"}}, "arguments.date"),
        ("mail.search", {"criteria": {"subject": " \t"}}, "arguments.characters"),
        ("mail.search", {"criteria": {"subject": "  "}}, "arguments.type"),
        ("mail.search", {"criteria": {"subjects": "x"}}, "arguments.unknown"),
        ("net.fetch", {"url": "https://example.org", "options": {"method": "SPY"}}, "arguments.type"),
        ("app.place", {"name": "Notes", "bounds": [400, 0, 300, 200]}, "arguments.bounds"),
        ("app.place", {"name": "Notes", "bounds": [0, 9, 300, 9]}, "arguments.bounds"),
        ("task.add_all", {"texts": ["a"], "levels": [0], "completed": ["2031-02-31T00:00:00Z"]}, "arguments.type"),
        ("task.add_all", {"texts": ["a", "\u3000"], "levels": [0, 0]}, "arguments.type"),
        ("mail.archive", {"ids": ["a", "  "]}, "arguments.type"),
    ],
)
def test_what_stands_inside_an_argument_is_refused_too(id_: str, arguments: dict[str, Any], code: str):
    _, problems = OPERATIONS[id_].check(arguments)

    assert [one.code for one in problems] == [code]


def test_a_text_with_anything_to_see_is_not_blank():
    assert [text for text in ("a", " a ", "\u3000字", "\u0301", "🙂", "-") if is_blank(text)] == []
