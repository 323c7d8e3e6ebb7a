"""Arguments are made of what the slots hold."""

import pytest

from sayso.core.canonical import Json
from sayso.models.embedded.filling import WORKED_OUT, filled, slots_in
from tests.models.embedded.scenes import scene

SCENE = scene("")


@pytest.mark.parametrize(
    ("template", "said", "value"),
    [
        ("{tabs}", {"tabs": [1, 2]}, [1, 2]),
        ("{into}/{file.name}", {"into": "~/Documents", "file": "/a/b.txt"}, "~/Documents/b.txt"),
        ("{file.folder}", {"file": "/a/b.txt"}, "/a"),
        ("{span.end}", {"span": {"start": "1", "end": "2"}}, "2"),
        ("*{name}*", {"name": "tax"}, "*tax*"),
        (7, {}, 7),
        ({"from": "{person}", "unread": True}, {"person": "Ana"}, {"from": "Ana", "unread": True}),
        ("@renamed", {"file": "/a/b.txt", "name": "c"}, "/a/c.txt"),
        ("@renamed", {"file": "/a/b.txt", "name": "c.md"}, "/a/c.md"),
        ("@end", {"when": "2026-03-04 23:30", "long": "one hour"}, "2026-03-05 00:30"),
        ("@end", {"when": "2026-03-04", "long": "one hour"}, None),
        ("@moved", {"when": "2026-03-05 10:00", "event": {"start": "2026-03-04 15:00"}}, "2026-03-05 10:00"),
        ("@moved", {"when": "2026-03-05", "event": {"start": "2026-03-04 15:00"}}, "2026-03-05 15:00"),
        ("@moved", {"when": "2026-03-05", "event": {"start": "2026-03-04"}}, None),
        ("@before", {"long": "ten minutes", "event": {"start": "2026-03-04 15:00"}}, "2026-03-04 14:50"),
        ("@before", {"long": "an hour", "event": {"start": "2026-03-04 15:00"}}, None),
        ("@before", {"long": "an hour", "event": {"start": "2026-03-05"}}, None),
        ("@day_after", {"when": "2026-03-31"}, "2026-04-01"),
        ("@day_after", {"when": "2026-03-31 10:00"}, None),
        ("@levels", {"texts": ["a", "b"]}, [0, 0]),
    ],
)
def test_a_template_gives_a_value(template: Json, said: dict[str, Json], value: Json):
    assert filled(template, said, SCENE) == value


def test_the_slots_of_a_template_are_known():
    assert slots_in({"a": "{b}/{c.name}", "d": 1}) == {"b", "c"}
    assert slots_in(7) == set()
    assert {"half", "whole", "middle"} <= set(WORKED_OUT)
