"""On a simulated Mac, hostile texts in any parameter of any operation stay data: scripts are constant."""

import html
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from sayso.assembly import Home
from sayso.assembly.parts import providers
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.operation import Operation
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.testing.macos import SimulatedMac
from tests.desktop_env.session import wait_for
from tests.journeys.ground import opened, yes
from tests.journeys.test_simulated_mac import SETTINGS
from tests.mac_env.browsers import PAGE, open_windows
from tests.mac_env.hostile import LINES, LONG, ONE_LINE

KINDS = {"macos", "apple", "safari", "chrome"}
CASES: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "cases/hostile_mac.toml").read_text(encoding="utf-8")
)
TEXTS = {
    "line": ONE_LINE,
    "lines": LINES,
    "long": LONG,
    "nul": "a\0b",
    "surrogate": "a\ud800b",
    "path": f"~/Documents/{ONE_LINE}",
}
SCRIPTS = Path(__file__).parents[2] / "src/sayso/providers"
CONSTANT = {file.read_text(encoding="utf-8") for file in SCRIPTS.rglob("*.js")}
READS = {"list", "find", "read"}
UNSURE = {"page.run_js": {State.UNKNOWN}}
"""Code that fails in a page may have done something before."""
TAKEN = {State.DONE, State.UNCHANGED, State.INVALID, State.REFUSED, State.FAILED}


def operations() -> Iterator[Operation]:
    """Yield all operations of the parts that have a back end for a Mac."""
    for part in providers():
        if KINDS & {*part.backends}:
            yield from part.operations


def texts_of(operation: Operation) -> list[str]:
    """Return the parameters that take any text."""
    found = cast("Mapping[str, Json]", operation.schema["properties"])
    return [
        name for name, schema in found.items() if "string" in json.dumps(schema) and "enum" not in json.dumps(schema)
    ]


def arguments_of(operation: str) -> dict[str, Any]:
    return {name: value for name, value in CASES[operation].items() if name != "also"}


def strings_in(value: Any) -> Iterator[str]:
    """Yield all texts in a value of JSON, also those in texts that are JSON themselves."""
    if isinstance(value, str):
        yield value
        if value[:1] in {"{", "["}:
            with suppress(ValueError):
                yield from strings_in(json.loads(value))
    elif isinstance(value, Mapping | list):
        parts: list[Any] = (
            [*value, *cast("Mapping[str, Any]", value).values()]
            if isinstance(value, Mapping)
            else cast("list[Any]", value)
        )
        for part in parts:
            yield from strings_in(part)


def plant(mac: SimulatedMac) -> None:
    """Have an application, two shortcuts, a page in Safari and a folder for documents."""
    (mac.home / "Documents").mkdir(exist_ok=True)
    elements = [{"selector": "#name", "value": "old"}, {"selector": "#go", "tag": "button", "text": "Go"}]
    open_windows(mac, "Safari", pages={PAGE: {"title": "A page", "text": "Hello", "links": [], "elements": elements}})
    mac.run("Calculator", (0, 30, 400, 300), title="one")
    mac.change(lambda state: state["shortcuts"].update({"Shortcut Name": {}, "Focus On": {}, "Focus Off": {}}))


def refresh(mac: SimulatedMac) -> None:
    """Put the file back that operations work on."""
    (mac.home / "Documents/it.txt").write_text("words\n")


def on_disk(mac: SimulatedMac) -> Iterator[str]:
    """Yield the paths and texts of all documents."""
    for path in (mac.home / "Documents").rglob("*"):
        yield str(path)
        if path.is_file():
            yield path.read_text()


def arrived(mac: SimulatedMac, before: int, text: str) -> bool:
    """Say whether a text stands whole in what the Mac now holds or was called with.

    A path stands without `~`, a note as lines that are escaped for HTML, and a text of a calendar without the two
    separators that its format takes for the ends of lines.
    """
    seen = {mac.clipboard, *strings_in(mac.state), *strings_in(mac.calls[before:]), *on_disk(mac)}
    joined = text.replace("\u2028", "\n").replace("\u2029", "\n")
    forms = ([text], [text.replace("~", str(mac.home), 1)], [joined], html.escape(text, quote=False).split("\n"))
    return any(all(any(part in one for one in seen) for part in form) for form in forms)


async def attempt(home: Home, operation: str, arguments: Mapping[str, Any]) -> tuple[State, str]:
    """Return what became of one operation, and what is said about it."""
    report = await home.take([Proposal(0, operation, operation, arguments)], Origin("", "test"), yes())
    (outcome,) = report.outcomes
    return outcome.record.state, outcome.record.marks.error or outcome.record.marks.message or ""


def check_constant(calls: list[list[str]]) -> None:
    """Check that each script that was run is a file of the package, whole."""
    for call in calls:
        if call[0] == "osascript":
            scripts = [text for option, text in pairwise(call) if option == "-e"]
            assert scripts
            assert CONSTANT.issuperset(scripts)


def test_every_operation_of_a_mac_that_takes_a_text_is_tried():
    named = {one.id: {*arguments_of(one.id), *CASES[one.id].get("also", {})} for one in operations() if one.id in CASES}

    wanted = {one.id: {*texts_of(one)} for one in operations() if texts_of(one)}

    assert {
        name: texts - named.get(name, set()) for name, texts in wanted.items() if texts - named.get(name, set())
    } == {}
    assert CASES.keys() <= wanted.keys()


@pytest.mark.req("S1-06", "S1-07")
@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(one.id, marks=() if one.id == "clipboard.write" else pytest.mark.thorough)
        for one in operations()
        if texts_of(one)
    ],
)
async def test_hostile_texts_stay_data_in_every_parameter(operation: str, mac: SimulatedMac):
    plant(mac)
    tried: list[tuple[str, str, State]] = []
    preset = '\n[[preset]]\nname = "work"\nplacements = [{app_name = "Calculator", monitor = "main"}]\n'

    async with opened(mac.folder / "sayso", SETTINGS + preset, mac.environ) as home:
        for name in texts_of(next(one for one in operations() if one.id == operation)):
            plain = arguments_of(operation) | (
                {name: also} if (also := CASES[operation].get("also", {}).get(name)) else {}
            )
            for kind, text in TEXTS.items():
                refresh(mac)
                before = len(mac.calls)
                hostile = {**plain, name: [text] if isinstance(plain[name], list) else text}
                try:
                    state, says = await attempt(home, operation, hostile)
                except SaysoError as problem:
                    state, says = State.REFUSED, str(problem)
                tried.append((name, kind, state))
                after = mac.calls[before:]
                check_constant(after)
                assert state in TAKEN | UNSURE.get(operation, set()), (name, kind, says)
                assert says, (name, kind)
                assert "Traceback" not in says
                assert len(says) < 2_000, (name, kind)
                if state is State.DONE and operation.partition(".")[2] not in READS:
                    wait_for(lambda before=before, text=text: arrived(mac, before, text))
    assert not [one for one in tried if one[1] in {"nul", "surrogate"} and one[2] is State.DONE]
