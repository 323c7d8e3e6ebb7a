"""`sayso pending` lists what waits, and how it is decided."""

from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.person import sayso

Reply = Callable[[str], str]


def test_what_waits_is_listed(person: Path, reply: Reply):
    text = 'MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"\n'
    waiting = sayso("run", reply(text), "--dialect", "lines", "--json").document

    shown = sayso("pending")
    rows = sayso("pending", "--json").document["rows"]

    assert f"sayso approve {waiting['run']}" in shown.out
    assert [row["id"] for row in rows] == [result["id"] for result in waiting["results"]]
    assert rows[0]["state"] == "waiting"
    assert rows[0]["digest"] == waiting["results"][0]["digest"]


def test_nothing_waits():
    assert sayso("pending").out == "Nothing waits for you.\n"
    assert sayso("pending", "--json").document == {"rows": []}
