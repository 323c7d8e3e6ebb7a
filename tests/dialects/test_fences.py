"""A reply is split into text and blocks, however it is cut; nothing of a block is told as text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.dialect import Event, ProposalEvent, TextEvent
from sayso.core.proposal import Proposal
from sayso.dialects.fences import FencedBlock, FencedReader, Fences, Piece, Prose, ShownText
from sayso.testing.dialects import Counted

TAGS = ("json-action", "json")
SOUP = st.lists(
    st.sampled_from(
        [
            "```", "`", "~~~", "````", "json-action", "json", "\n", "\n\n", '{"a": "```"}', "{", "}", "x", " ",
            ">", "\r\n",
        ]
    ),
    max_size=14,
)  # fmt: skip


def split(pieces: list[str]) -> list[Piece]:
    fences = Fences(TAGS)
    told = [piece for part in pieces for piece in fences.feed(part)]
    return merged([*told, *fences.close()])


def merged(pieces: list[Piece]) -> list[Piece]:
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if isinstance(piece, Prose) and isinstance(last, Prose) and last.code == piece.code:
            out[-1] = Prose(last.text + piece.text, piece.code)
        else:
            out.append(piece)
    return out


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Prose))


def blocks(text: str) -> list[FencedBlock]:
    return [piece for piece in split([text]) if isinstance(piece, FencedBlock)]


@given(SOUP, st.integers(1, 5))
def test_how_a_reply_is_cut_makes_no_difference(parts: list[str], size: int):
    text = "".join(parts)

    whole = split([text])

    assert split(parts) == whole
    assert split([text[at : at + size] for at in range(0, len(text), size)]) == whole


@given(SOUP, st.booleans())
def test_what_may_be_put_in_place_unfed_makes_no_difference(parts: list[str], small: bool):
    must_read_alike_unfed([*"".join(parts)] if small else parts)


@pytest.mark.parametrize(
    "parts",
    [
        ["```py\n", " ", "x", "```\n"],
        ["```py\n", "`", "x", "``\n"],
        ["```py\n", " `", "x", "``\n"],
        ["```py\n", "``", "x", "`\n"],
        ["```py\n", "y", "x\n"],
        ["a\n", "x"],
        ["\n", "x", " "],
    ],
)
def test_what_is_put_unfed_into_a_line_is_part_of_it(parts: list[str]):
    must_read_alike_unfed([*parts, "```json\n", "[]\n", "```\n"])


def must_read_alike_unfed(parts: list[str]) -> None:
    """Put what may be put unfed, feed the rest, and hold both texts and blocks against those of the whole reply."""
    fences = Fences(TAGS)
    told: list[Piece] = []
    for part in parts:
        if fences.inside and "\n" not in part:
            fences.line.append(part)
        elif fences.flows and "\n" not in part and "`" not in part:
            fences.last = part
            told.append(Prose(part))
        else:
            told += fences.feed(part)
    told += fences.close()

    whole = split(["".join(parts)])
    assert text_of(told) == text_of(whole)
    assert [one for one in told if isinstance(one, FencedBlock)] == [
        one for one in whole if isinstance(one, FencedBlock)
    ]


@given(SOUP)
def test_nothing_is_lost(parts: list[str]):
    text = "".join(parts)

    pieces = split([text])

    told = "".join(piece.text if isinstance(piece, Prose) else piece.raw for piece in pieces)
    inline = sum(isinstance(piece, FencedBlock) for piece in pieces)
    assert len(text) <= len(told) <= len(text) + inline
    assert told.replace("\n", "") == text.replace("\n", "")


@pytest.mark.req("S2-18", "T-66", "PA-04")
@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("```json-action\n{}\n```", ["{}\n"]),
        ("a\n```json-action\n{}\n```\nb\n```json-action\n[]\n```\n", ["{}\n", "[]\n"]),
        ("````json-action\n```\n````\n", ["```\n"]),
        ("~~~json-action\n{}\n~~~\n", ["{}\n"]),
        ("  ```json-action\n  {}\n  ```\n", ["  {}\n"]),
        ("```json-action \t\r\n{}\r\n```\r\n", ["{}\r\n"]),
        ("Sure: ```json-action\n{}\n```\n", ["{}\n"]),
        ('```json-action\n{"a": 1}```\nb', ['{"a": 1}']),
        ("```json-action\n{}``` \t\r\nb", ["{}"]),
        ("```json-action\n{} ```\nb", ["{} "]),
        ('```json-action\n{\n"a":\n1}```\nb', ['{\n"a":\n1}']),
        ("```json-action\nx```\n{}\n```\nb", ["x```\n{}\n"]),
        ('```json-action\n{"a": 1\n```\nb', ['{"a": 1\n']),
        ('```json-action\n{"a": [1}]```\n{"b": "```\n```\nb', ['{"a": [1}]']),
        ('```json-action\n{"a": "}```\n```\nb', ['{"a": "}```\n']),
        ('```json-action\n{"a": "\\"}```\n```\nb', ['{"a": "\\"}```\n']),
        ('```json-action\n{"a": {}```\n}\n```\nb', ['{"a": {}```\n}\n']),
        ("```json-action\n[[]```\n]\n```\nb", ["[[]```\n]\n"]),
        ('```json-action\n{"a": "}```"}\n```\nb', ['{"a": "}```"}\n']),
        ("```json-action\n{}", ["{}"]),
        ("```json-action", [""]),
    ],
)
def test_a_fence_of_a_wanted_tag_is_a_block(text: str, contents: list[str]):
    assert [block.content for block in blocks(text)] == contents


@pytest.mark.req("PA-04")
@pytest.mark.parametrize(
    "text",
    [
        "```python\n```json-action\n{}\n```\n", "> ```json-action\n> {}\n> ```\n", "> x ```json-action\n{}\n",
        "\u200b```json-action\n{}\n```\n", "\u200b`````json-action\n{}\n`````\n", "  > x ```json-action\n{}\n",
        "x ~~~json-action\n{}\n~~~\n", "`~~~json\n[]\n~~~\n", "```json-action x\n{}\n```\n",
        "```JSON-ACTION\n{}\n```\n", "```json-actions\n{}\n```\n", "``json-action\n{}\n``\n",
        "x ```json\n{}\n```\n", "~~~\n```json-action\n{}\n```\n~~~\n",
    ],
)  # fmt: skip
def test_what_is_nested_quoted_hidden_or_tagged_otherwise_is_text(text: str):
    assert blocks(text) == []
    assert text_of(split([text])) == text
    assert split(list(text)) == split([text])


@pytest.mark.req("S2-18", "S2-19", "T-66")
def test_a_fence_is_held_only_while_it_may_become_a_block():
    fences = Fences(("json-action",))

    seen = [merged(fences.feed(piece)) for piece in ("Sure, ", "``", "`", "js", "on", "5\n", "x")]

    assert seen == [[Prose("Sure, ")], [], [], [], [], [Prose("```json5\n")], [Prose("x")]]


@pytest.mark.req("T-66")
def test_code_of_the_reply_is_shown_as_it_comes():
    fences = Fences(TAGS)

    seen = merged([*fences.feed("```p"), *fences.feed("y\nprint(1)\n"), *fences.feed("```\n")])

    assert text_of(seen) == "```py\nprint(1)\n```\n"
    assert [piece.text for piece in seen if isinstance(piece, Prose) and piece.code] == ["\nprint(1)\n```"]


def test_a_block_knows_on_which_line_its_content_begins():
    (block,) = blocks("a\n\n```x\n\n```\n```json-action\n{}\n```\n")

    assert block.line == 7


@pytest.mark.req("T-67")
@pytest.mark.parametrize(
    ("text", "block"),
    [
        ('```json-action\n{"a": 1}\n``', FencedBlock("json-action", '{"a": 1}\n', "", closed=False, line=2)),
        ('```json-action\n{"a": 1}`` ', FencedBlock("json-action", '{"a": 1}', "", closed=False, line=2)),
        ('```json-action\n{"a": 1', FencedBlock("json-action", '{"a": 1', "", closed=False, line=2)),
        ('```json-action\n{"a": {}`', FencedBlock("json-action", '{"a": {}`', "", closed=False, line=2)),
        ('```json-action\n{"a": "`', FencedBlock("json-action", '{"a": "`', "", closed=False, line=2)),
        ("```json-action\n{}\nx ``", FencedBlock("json-action", "{}\nx ``", "", closed=False, line=2)),
        ("\n\n```json-action ", FencedBlock("json-action", "", "", closed=False, line=3)),
        ("````json-action\n{}\n```\nx", FencedBlock("json-action", "{}\n```\nx", "", closed=False, line=2)),
        ("```json-action\n{}\n```", FencedBlock("json-action", "{}\n", "", closed=True, line=2)),
        ("```json-action\n{}```", FencedBlock("json-action", "{}", "", closed=True, line=2)),
        ("~~~json\n[]\n~~~", FencedBlock("json", "[]\n", "", closed=True, line=2)),
    ],
)
def test_a_reply_that_ends_in_a_block_tells_what_there_is_and_whether_it_was_closed(text: str, block: FencedBlock):
    before = text[: len(text) - len(text.lstrip("\n"))]

    assert split([text]) == [*([Prose(before)] if before else []), replace(block, raw=text.removeprefix(before))]


@pytest.mark.parametrize("text", ["```js", "```json", "```json ", "``", "~~~json", "a `", "```json-action x"])
def test_a_reply_that_ends_in_what_is_no_block_is_shown_whole(text: str):
    assert split([text]) == split(list(text)) == [Prose(text)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"```json-action{' ' * 53}\n{{}}\n```", 1),
        (f"```json-action{' ' * 54}\n{{}}\n```", 0),
        (f"```py\nx\n```{' ' * 236}\n```json-action\n{{}}\n```", 1),
        (f"```py\nx\n```{' ' * 237}\n```json-action\n{{}}\n```", 0),
    ],
)
def test_a_fence_may_be_long_but_not_without_end(text: str, count: int):
    assert len(blocks(text)) == count
    assert split(list(text)) == split([text])


def test_a_line_that_might_close_is_looked_at_a_few_times_and_then_only_a_fence_on_a_line_of_its_own_closes():
    inner = '{"a": "\n' + "}```\n" * 8 + '"}'
    less = '{"a": "\n' + "}```\n" * 7 + '"}'

    (other,) = blocks(f"```json-action\n{less}```\nb\n```\n")
    (block,) = blocks(f"```json-action\n{inner}```\nb\n```\n")

    assert (other.closed, other.content) == (True, less)
    assert (block.closed, block.content) == (True, f"{inner}```\nb\n")


@pytest.mark.req("PA-04")
@pytest.mark.parametrize(
    "text",
    [
        "```py\n``\n```json-action\n{}\n", "```py\nx```\n```json-action\n{}\n",
        "````py\n```\n```json-action\n{}\n", "```py\n~~~\n```json-action\n{}\n",
        "~~~ a`b\n```json-action\n{}\n", "```py\n```x\n```json-action\n{}\n",
    ],
)  # fmt: skip
def test_what_does_not_close_code_leaves_it_open(text: str):
    assert blocks(text) == []
    assert [piece.text for piece in split([text]) if isinstance(piece, Prose) and piece.code][-1].endswith("{}\n")


@pytest.mark.req("PA-04")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("```py\n```  \n```json-action\n{}\n```", 4),
        ("```py\n  ````\t\r\n```json-action\n{}\n```", 4),
        ("``` a`b\n```json-action\n{}\n```", 3),
        ("a\n``\nb\n```json-action\n{}\n```", 5),
        ("```json\n{}\n```\n```json-action\n{}\n```", 5),
        ("```json\n{}```\nx ```json-action\n{}\n```", 4),
        ("x ```json-action\n{}\n```\n~~~json-action\n{}\n~~~", 5),
        ("a `b` ```json-action\n{}\n```", 2),
        ("a\n > b\n\n```json-action\n{}\n```", 5),
    ],
)
def test_after_what_has_ended_a_block_may_begin(text: str, line: int):
    *_, last = blocks(text)

    assert (last.tag, last.content, last.line) == ("json-action", "{}\n", line)


def test_text_goes_on_behind_a_block_and_on_a_line_of_its_own():
    assert text_of(split(["x ```json-action\n{}\n```\ny"])) == "x \ny"
    assert text_of(split(["x\n```json-action\n{}\n```\ny"])) == "x\ny"
    assert text_of(split(["x ```json-action\n{}\n```"])) == "x \n"
    assert text_of(split(["x ```json-action\n{}"])) == "x "


@pytest.mark.parametrize("unit", ["`", "```json-action\n", "\n", "~", "```json-action\n}```\n", " ", ">"])
def test_the_work_grows_with_the_length_and_no_faster(unit: str):
    small, large = (cost(list(unit * (length // len(unit)))) for length in (500, 4_000))

    assert_in_proportion(small, large)


@pytest.mark.req("PA-12")
@pytest.mark.parametrize("unit", ["x ```json-action ", "```js x "])
def test_the_work_on_many_openers_of_one_line_that_comes_at_once_grows_with_its_length(unit: str):
    small, large = (cost([unit * count]) for count in (100, 800))

    assert_in_proportion(small, large)


def cost(pieces: list[str]) -> tuple[int, int]:
    """Return the lines of code that run, and the bytes of memory that they take."""
    fences = Fences(TAGS)
    with Counted() as counted:
        for piece in pieces:
            fences.feed(piece)
        fences.close()
    return counted.lines, counted.taken


def assert_in_proportion(small: tuple[int, int], large: tuple[int, int]) -> None:
    for few, many in zip(small, large, strict=True):
        assert many <= 8 * 2 * max(few, 8_000)


def shown(pieces: list[str], *, code: bool = False) -> str:
    screen = ShownText()
    return "".join(screen.add(piece, code=code) for piece in pieces)


@pytest.mark.req("S2-16", "S2-17", "T-68")
@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A\n\n\n\n\nB", "A\n\nB"),
        ("A\n\nB", "A\n\nB"),
        ("A\nB", "A\nB"),
        ("\n\n  A\n\n\n", "  A"),
        ("A\r\n\r\n\r\n\r\nB", "A\r\n\r\nB"),
        ("A  \n \n \nB", "A  \n \n \nB"),
        ("   ", ""),
        ("", ""),
        ("A   ", "A   "),
    ],
)
def test_long_gaps_become_one_blank_line_and_none_stand_at_the_ends(text: str, seen: str):
    assert shown([text]) == seen
    assert shown(list(text)) == seen


@pytest.mark.req("T-68")
def test_blank_lines_of_code_stay():
    screen = ShownText()

    seen = [screen.add("A\n```\n"), screen.add("x\n\n\n\ny\n", code=True), screen.add("```\n\n\n\nB")]

    assert "".join(seen) == "A\n```\nx\n\n\n\ny\n```\n\nB"


@given(st.lists(st.text(alphabet="ab \n\r\t", max_size=6), max_size=8))
def test_how_it_is_cut_makes_no_difference(pieces: list[str]):
    text = "".join(pieces)

    assert shown(pieces) == shown([text]) == shown(list(text))


@given(st.text(alphabet="ab \n", max_size=30))
def test_nothing_but_blank_lines_is_taken_away(text: str):
    seen = shown([text])

    assert "".join(seen.split()) == "".join(text.split())
    assert not re.search(r"\n{3,}", seen)
    assert not seen.endswith("\n")


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        (["A\n  "], "B", "A\nB"),
        (["A\n", "  ", "\t"], "B", "A\nB"),
        (["A\n\n", " "], "\nB", "A\n\nB"),
        (["A  "], "B", "A  B"),
        (["  "], "B", "B"),
        (["\n  "], " B", " B"),
        ([], "B", "B"),
    ],
)
def test_the_blanks_before_what_is_taken_away_go_with_it(before: list[str], after: str, seen: str):
    screen = ShownText()
    shown = [screen.add(piece) for piece in before]

    screen.outdent()

    assert "".join([*shown, screen.add(after)]) == seen


def test_blanks_of_code_before_what_is_taken_away_stay_code():
    screen = ShownText()
    shown = [screen.add("A"), screen.add("\n\n\n\n  ", code=True)]

    screen.outdent()

    assert "".join([*shown, screen.add("B")]) == "A\n\n\n\nB"


@given(st.lists(st.tuples(st.text(alphabet="ab \n\r\t", max_size=6), st.booleans()), max_size=8))
def test_how_text_and_code_are_cut_makes_no_difference(pieces: list[tuple[str, bool]]):
    whole, single = ShownText(), ShownText()

    seen = [whole.add(text, code=code) for text, code in pieces]

    assert "".join(seen) == "".join([single.add(one, code=code) for text, code in pieces for one in text])
    assert "".join("".join(seen).split()) == "".join("".join(text for text, _ in pieces).split())


@pytest.mark.req("T-68")
@pytest.mark.parametrize(
    ("parts", "seen"),
    [
        ([("A\n\n\n", False), ("\n\n\n", True), ("\n\n\nB", False)], "A\n\n\n\n\n\n\nB"),
        ([("A\n\n\n\n", False), ("x", True)], "A\n\nx"),
        ([("A", True), ("\n\n\n\nB", False)], "A\n\nB"),
        ([("\n\n\n", True), ("  x", True)], "  x"),
        ([("x\n\n\n\n", True)], "x"),
    ],
)
def test_only_blank_lines_outside_code_are_taken_away(parts: list[tuple[str, bool]], seen: str):
    screen = ShownText()

    assert "".join([screen.add(text, code=code) for text, code in parts]) == seen


REPLY_SOUP = st.lists(
    st.sampled_from(
        ["```", "`", "~~~", "x", "", "y\n```", "\n", "\n\n\n", "\r\n", "\r", " ", "{", "no", "`` ", "A", ">"]
    ),
    max_size=14,
)


def two(block: FencedBlock, first: int) -> list[Event] | None:
    if "no" in block.content:
        return None
    return [ProposalEvent(Proposal(0, "a")), ProposalEvent(Proposal(0, "b"))]


def whole(text: str) -> tuple[str, list[Event]] | None:
    return None if "no" in text else ("said", [ProposalEvent(Proposal(0, "c"))])


def told(reader: FencedReader, text: str) -> list[Event]:
    return [*reader.feed(text), *reader.close()]


def test_proposals_are_numbered_over_all_blocks():
    reader = FencedReader({"x": ("first", two)})

    events = told(reader, "```x\n```\nA\n```x\n```\n")

    assert [event.proposal.index for event in events if isinstance(event, ProposalEvent)] == [0, 1, 2, 3]
    assert list(reader.dialects) == ["first"]


def test_a_block_that_is_not_its_own_is_shown_as_it_came():
    reader = FencedReader({"x": ("first", two)})

    events = told(reader, "```x\nno\n```\n")

    assert "".join(event.text for event in events if isinstance(event, TextEvent)) == "```x\nno\n```"
    assert reader.dialects == {}


def test_a_reply_that_is_one_object_is_held_to_its_end():
    reader = FencedReader({}, ("second", whole))

    assert reader.feed(' {"a"') == []
    assert reader.feed(": 1}") == []
    assert reader.close() == [TextEvent("said"), ProposalEvent(Proposal(0, "c"))]
    assert list(reader.dialects) == ["second"]


def test_an_object_that_is_not_its_own_is_shown():
    assert told(FencedReader({}, ("second", whole)), '{"no": 1}') == [TextEvent('{"no": 1}')]


def test_any_other_reply_is_told_at_once():
    reader = FencedReader({}, ("second", whole))

    assert reader.feed("  ") == []
    assert reader.feed("Hi") == [TextEvent("  Hi")]


@given(REPLY_SOUP)
def test_how_a_chat_reply_is_cut_makes_no_difference(parts: list[str]):
    for document in (None, ("second", whole)):
        found = [FencedReader({"x": ("first", two)}, document) for _ in range(3)]
        ways = (["".join(parts)], parts, list("".join(parts)))

        read = [read_in(reader, pieces) for reader, pieces in zip(found, ways, strict=True)]

        assert read[0] == read[1] == read[2]


def read_in(reader: FencedReader, pieces: list[str]) -> tuple[str, list[Event]]:
    events = [event for piece in pieces for event in reader.feed(piece)] + reader.close()
    shown = "".join(event.text for event in events if isinstance(event, TextEvent))
    return shown, [event for event in events if not isinstance(event, TextEvent)]


def test_an_empty_piece_is_nothing():
    reader = FencedReader({"x": ("first", two)})

    told = [reader.feed(piece) for piece in ("A", "B", "", "`", "", "`x")]

    assert told == [[TextEvent("A")], [TextEvent("B")], [], [], [], [TextEvent("``"), TextEvent("x")]]


def test_blanks_before_an_object_do_not_make_it_another_reply():
    reader = FencedReader({}, ("second", whole))

    assert [reader.feed(piece) for piece in (" ", "\n", '{"a": 1}')] == [[], [], []]
    assert reader.close() == [TextEvent("said"), ProposalEvent(Proposal(0, "c"))]


def test_blank_lines_stay_in_code_and_in_a_block_that_is_shown():
    for text in ("```py\na\n\n\n\nb\n```", "```x\nno\n\n\n\nb\n```"):
        assert told(FencedReader({"x": ("first", two)}), text)
        assert read_in(FencedReader({"x": ("first", two)}), [text]) == (text, [])


def test_the_blanks_that_a_block_stood_behind_go_with_it():
    shown, found = read_in(FencedReader({"x": ("first", two)}), ["A\n  ```x\n```\nB"])

    assert (shown, len(found)) == ("A\nB", 2)
