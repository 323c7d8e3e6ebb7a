"""Every reply that is kept as a case or in the museum reads alike in every dialect, wherever the stream cuts it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from sayso.assembly.parts import dialect
from sayso.core.dialect import Dialect, Event, TextEvent
from sayso.core.encoding import decode_pieces
from sayso.core.lazy import load
from sayso.dialects.commands import CommandsReader
from sayso.dialects.detect import CHAT
from sayso.dialects.lines.grammar import FormsOf
from sayso.dialects.lines.reader import CommandSuggestions
from sayso.dialects.tools import ToolsReader
from sayso.testing.dialects import merge_texts, proposals_in
from tests.dialects.outside import beginnings, is_plain, may_begin_a_block, outside
from tests.dialects.replies import EACH, OPERATIONS

TESTS = Path(__file__).parents[1]
READERS = {**{name: dialect(name) for name in (*EACH, "auto")}, "chat": CHAT}
TAGS = {"blocks": frozenset({"json-action"}), "actions": frozenset({"json"})}
TAGS["chat"] = TAGS["auto"] = TAGS["blocks"] | TAGS["actions"]
LONG = 50_000
"""Bytes of a long reply."""
MODERATE = 1_500
"""Characters of a reply of which each beginning is looked at as a whole."""
AT_EVERY_PLACE = 6_000
"""Of replies with more bytes than this (a few hostile ones) only some places are cut, as the whole is read for each."""


def replies() -> Iterator[tuple[str, str, str]]:
    """Yield dialect, name and text of each reply there is."""
    for folder in ("cases", "museum"):
        for name in EACH:
            for file in sorted((TESTS / folder / name).rglob("*.json")):
                said: dict[str, Any] = json.loads(file.read_text("utf-8"))
                text = said.get("text", said.get("reply"))
                if text is None and (beside := file.with_suffix(".txt")).exists():
                    text = beside.read_bytes().decode()
                assert isinstance(text, str), f"{file} has neither “text” nor “reply”"
                yield name, f"{folder}-{name}-{file.stem}", text


REPLIES = tuple(replies())
MOST_PLACES = 150
"""At so many places and no more a reply is cut in the first ring."""
AMONG_OTHERS = 40
"""The same of a reader that reads several dialects."""
READ = [
    pytest.param(dialect_of, reader, most, id=f"{dialect_of}-as-{reader}-{most}", marks=marks)
    for dialect_of in EACH
    for reader in (dialect_of, "auto", "chat")
    for most, marks in (
        (MOST_PLACES if reader == dialect_of else AMONG_OTHERS, ()),
        (AT_EVERY_PLACE, pytest.mark.thorough),
    )
]


def cuts(text: str, most: int) -> Iterator[list[str]]:
    """Yield the ways to cut a reply in two, between its bytes, and in pieces of 1, 3 and 7 characters.

    It is cut in two at so many places and no more, as far apart from each other as they can be.

    A very long reply is cut in two at its first and last bytes, and at 200 places between them.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half of a character pair, which no bytes can bring
        yield from ([text[:at], text[at:]] for at in range(1, len(text), len(text) // most + 1))
    else:
        last: list[str] = []
        places = list(_places(len(data)))
        for at in places[:: len(places) // most + 1]:
            pieces = list(decode_pieces([data[:at], data[at:]]))
            if pieces != last:  # the bytes of one character are held until its last one has come
                yield pieces
            last = pieces
    for size in (1, 3, 7):
        yield [text[at : at + size] for at in range(0, len(text), size)]


def _places(size: int) -> Iterator[int]:
    if size <= AT_EVERY_PLACE:
        yield from range(1, size)
        return
    yield from range(1, 100)
    yield from range(100, size - 100, size // 200)
    yield from range(size - 100, size)


def told(reading: Dialect, pieces: Sequence[str]) -> tuple[list[Event], list[Event]]:
    """Return what is told of a reply after its first piece, and in the end."""
    reader = reading.reader(OPERATIONS)
    first = reader.feed(pieces[0]) if pieces else []
    rest = [event for piece in pieces[1:] for event in reader.feed(piece)]
    return merge_texts(first), merge_texts([*first, *rest, *reader.close()])


def stays(told: list[Event], whole: list[Event]) -> bool:
    """Say whether nothing of what was told is taken back: texts only grow, and whatever stands before stays."""
    if told and isinstance(told[-1], TextEvent):
        grown = whole[len(told) - 1] if len(told) <= len(whole) else None
        return (
            isinstance(grown, TextEvent)
            and grown.text.startswith(told[-1].text)
            and whole[: len(told) - 1] == told[:-1]
        )
    return whole[: len(told)] == told


JUDGING = {
    "sayso.dialects.lines.reader": ("propose", "scan"),
    "sayso.dialects.blocks": ("read_block",),
    "sayso.dialects.actions": ("read_fence", "read_document"),
    "sayso.dialects.detect": ("read_block", "read_fence", "read_document", "dialect_of"),
}
"""What readers ask once a line, a block or a reply is whole; the answer depends on what they hand over and no more."""


@pytest.fixture(scope="module")
def judged_once() -> Iterator[None]:
    """Let the same line, block or reply be judged once, however often it comes: all else is read anew for each cut."""
    with pytest.MonkeyPatch.context() as patch:
        for module, names in JUDGING.items():
            for name in names:
                patch.setattr(f"{module}.{name}", remembering(load(f"{module}:{name}")))
        for owner in (CommandsReader, ToolsReader):
            patch.setattr(owner, "close", ended_once(owner))
        yield


def remembering(judge: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[object, Any] = {}

    def remembered(*given: Any, **named: Any) -> Any:
        key = tuple(one for one in given if not isinstance(one, Mapping | FormsOf | CommandSuggestions))
        if key not in known:
            known[key] = judge(*given, **named)
        found = known[key]
        if isinstance(found, tuple):
            return found[0], list[Event](cast("Any", found[1]))
        return list[Event](cast("Any", found)) if isinstance(found, list) else found

    return remembered


def ended_once(owner: type[CommandsReader | ToolsReader]) -> Callable[..., list[Event]]:
    sound, known = owner.close, dict[str, list[Event]]()

    def close(reader: CommandsReader | ToolsReader) -> list[Event]:
        text = vars(reader)["_text"].take()
        if text not in known:
            known[text] = sound(cast("Any", reader))
        return list(known[text])

    return close


@pytest.mark.req("PA-05", "S2-18", "S2-19", "T-66")
@pytest.mark.usefixtures("judged_once")
@pytest.mark.parametrize(("name", "reader", "most"), READ)
def test_a_reply_reads_alike_wherever_it_is_cut(name: str, reader: str, most: int):
    for dialect_of, reply, text in REPLIES:
        if dialect_of == name:
            _, whole = told(READERS[reader], [text])
            for pieces in cuts(text, most):
                first, found = told(READERS[reader], pieces)

                assert found == whole, (reply, pieces)
                assert stays(first, whole), (reply, pieces)


def long(name: str) -> str:
    """Return a reply of 50 kB in a dialect: what a reply holds, many times, each a little different."""
    calls = (
        {"name": "file_write", "arguments": {"path": f"~/é {n}", "content": '"a\\n```\n'}} for n in range(LONG // 78)
    )
    commands = ({"type": "open_url", "url": f"https://example.org/?q=😀{n}"} for n in range(LONG // 60))
    match name:
        case "tools":
            return json.dumps(list(calls), ensure_ascii=False)
        case "commands":
            return json.dumps({"commands": list(commands)}, ensure_ascii=False)
        case "lines":
            parts = (
                'SPEAK "{n} “é” 😀"\r\n',
                "# nothing {n}\n",
                "WRITE_FILE ~/{n} <<END\n  é\nEND_\n```\nEND\n",
                "FLY\n",
            )
        case _:
            parts = (
                "What I would do first, number {n}: é, 日本, 😀.\n\n\n\n\n",
                '```json-action\n{{"type": "add_task", "text": "{n} é ```"}}\n```\n\n',
                "```py\n# json-action {n}\n\n\n\n```\n",
                '```json\n{{"actions": [{{"templateId": "t{n}", "label": "L"}}]}}\n```\n',
                '```json\n[{n}]\n```\nSo: ```json-action\n{{"type": "fly"}}```\n',
                "~~~json-action\r\n{{bad {n}\r\n~~~\r\n`x` ``` y ~~~ z\n",
            )
    whole = "".join(parts)
    return "".join(whole.format(n=n) for n in range(LONG // len(whole) + 9))


@pytest.mark.req("PA-05")
@pytest.mark.parametrize("name", READERS)
def test_a_long_reply_reads_alike_however_it_is_cut(name: str):
    text = long(name)
    data = text.encode()
    assert len(data) >= LONG
    _, whole = told(READERS[name], [text])
    assert len(proposals_in(whole)) >= 150, f"let `long` write replies in {name}"

    for size in (1, 3, 7):
        assert told(READERS[name], [text[at : at + size] for at in range(0, len(text), size)])[1] == whole, size
    for at in range(3, len(data), len(data) // 8):
        first, found = told(READERS[name], list(decode_pieces([data[:at], data[at:]])))

        assert found == whole, at
        assert stays(first, whole), at


FENCES = (
    "Look:\n\n```python\nprint(1)\n```\n\nand\n\n```\nplain\n```\nEnd",
    "```js\nlet a\n```\n```json5\n{}\n```\n```jsonc\n{}\n```\n```json-actions\n{}\n```\n",
    "~~~\n```json-action\n{}\n```\n~~~\n````md\n```json-action\n{}\n```\n````\n",
    'A\n```json-action\n{"type": "add_task", "text": "x"}\n```\nB\n  ~~~~json-action\n[]\n~~~~~\n\nC',
    'A\n```json\n{"actions": [{"templateId": "t", "label": "L"}]}\n```\nB\n```json\n[1, 2]\n```\nC\n',
    "```\n\n\n\n```\n``````\nx\n``````\n```JSON-ACTION\n{}\n```\n",
)
"""Replies with fences that each have a line of their own."""
PLAIN = [
    (dialect_of, text)
    for dialect_of, text in (
        *((name, text) for name, _, text in REPLIES if name in TAGS),
        *(("blocks", text) for text in FENCES),
    )
    if len(text) <= MODERATE and is_plain(text)
]
OTHERS = [("blocks", "actions"), ("actions", "blocks"), ("blocks", "auto"), ("actions", "auto")]
SHOWN = [("blocks", "blocks"), ("actions", "actions"), ("blocks", "chat"), ("actions", "chat")]


@pytest.mark.req("S2-14", "S2-18", "S2-19", "T-66", "T-68")
@pytest.mark.parametrize(
    ("name", "reader"), [*SHOWN, *(pytest.param(*one, marks=pytest.mark.thorough) for one in OTHERS)]
)
def test_nothing_of_a_block_is_ever_shown_and_nothing_else_is_held(name: str, reader: str):
    for dialect_of, text in PLAIN:
        if dialect_of == name and not (reader == "auto" and text.lstrip()[:1] in "`~"):
            _must_show_what_stands_outside(reader, text)


def _must_show_what_stands_outside(reader: str, text: str) -> None:
    reading = READERS[reader].reader(OPERATIONS)
    shown = ""

    for beginning in beginnings(text):
        shown += "".join(event.text for event in reading.feed(beginning[-1]) if isinstance(event, TextEvent))
        there = outside(beginning, TAGS[reader])
        seen = "".join(shown.split())
        held = there.said[len(seen) :]

        assert there.said.startswith(seen), beginning
        assert held == "" if there.place == "code" else may_begin_a_block(held, TAGS[reader]), beginning


def test_enough_replies_are_held_against_what_stands_outside_of_blocks():
    assert len(PLAIN) >= 60
