"""The preview shows everything that matters of a batch, and counts as shown only what it shows."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.parts import providers
from sayso.core.card_contents import called, way_back
from sayso.core.decision import Card, Question, Verdict, run_digest
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.plan import CannotUndo, Change, Codec, Plan, Step
from sayso.core.ports import Backend, BackendContext
from sayso.core.quotes import FSI, PDI
from sayso.core.record import Progress, Record, State
from sayso.policy.settings import Policy
from sayso.providers.browser.cdp.driver import build
from sayso.runtime.questions import card
from sayso.runtime.registry import catalogue, codec
from sayso.runtime.results import EDITED
from sayso.surfaces.cli.preview import (
    MOST_CARDS,
    MOST_ENTRIES,
    MOST_MEMBERS,
    Page,
    TickedRows,
    listing,
    page,
    rows,
    whole,
    write_action,
)
from sayso.surfaces.cli.text import Block, Style, columns, without_codes
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.runtime.given import a_policy
from tests.runtime.shelf import put


def a_record(key: int, name: str, *, edit_of: str | None = None, code: str | None = None) -> Record:
    return Record(
        key=key,
        id=f"do_{key}",
        run="run_1" if edit_of is None else "run_2",
        index=key % 10,
        time="",
        dialect="lines",
        entry="",
        session="",
        operation="shelf.put",
        arguments={"name": name},
        marks=Progress(State.DECLINED, code=code),
        edit_of=edit_of,
    )


BEFORE = [a_record(number, name, code=EDITED) for number, name in enumerate("abc")]


def signs(after: list[Record], before: list[Record] = BEFORE) -> list[str]:
    return [f"{sign}{record.arguments['name']}" for sign, record in rows(before, after)]


def test_what_stayed_changed_was_added_and_was_taken_out_are_told_apart():
    after = [
        a_record(10, "a", edit_of="do_0"),
        a_record(11, "C", edit_of="do_2"),
        a_record(12, "new", edit_of="run_1"),
    ]

    assert signs(after) == [" a", "-b", "-c", "+C", "+new"]


def test_what_was_taken_out_at_the_end_is_not_forgotten():
    assert signs([a_record(10, "x", edit_of="do_0")]) == ["-a", "+x", "-b", "-c"]


def test_what_ended_before_the_question_is_no_part_of_the_difference():
    refused = a_record(3, "refused")

    assert signs([a_record(10, "a", edit_of="do_0")], [*BEFORE[:1], refused]) == [" a"]


def test_what_no_dialect_can_say_any_more_is_written_all_the_same():
    assert write_action(a_record(1, "a"), lambda name: None) == "shelf.put"


def test_another_action_of_ones_own_is_a_change_and_is_written_by_its_name():
    was, now = a_record(0, "a", code=EDITED), a_record(10, "a", edit_of="do_0")
    was, now = (replace(record, dialect="actions", template_id=id_) for record, id_ in ((was, "t"), (now, "u")))

    assert signs([now], [was]) == ["-a", "+a"]
    assert (
        write_action(now, lambda name: put)
        == '```json\n{"actions": [{"templateId": "u", "params": {"name": "a"}}]}\n```'
    )


CHANGE = Change(Step(), Step())
NO_WAY = Change(Step(), CannotUndo("a sent mail cannot be called back"))


def a_card(plan: Plan, arguments: dict[str, Json] | None = None, index: int = 0, label: str | None = None) -> Card:
    verdict = Verdict("ask", f"mode “always” asks: {plan.summary}", "mode", "mode")
    return Card(f"do_{index}", index, "mail.send", arguments or {}, plan, verdict, f"sha256:{index}", label)


def shown(*cards: Card, whole: bool = False) -> Page:
    return page(Question("run_1", cards, "sha256:x"), 80, Style(), whole=whole)


@pytest.mark.req("S1-19")
def test_the_headline_is_the_plans_and_the_models_words_are_quoted():
    out = "\n".join(shown(a_card(Plan("Delete “a”", (CHANGE,)), label="Harmless cleanup")).lines)

    assert out.index("Delete “a”") < out.index("the model calls it “Harmless cleanup”")
    assert out.splitlines()[1] == "  1. Delete “a”"


def test_what_is_lost_and_sent_and_noted_stands_there():
    plan = Plan("Send", (NO_WAY,), loses=("the draft",), sends=("“hi” to ana@example.org",), warns=("it is late",))

    out = "\n".join(shown(a_card(plan)).lines)

    assert "loses    the draft" in out
    assert "sends    “hi” to ana@example.org" in out
    assert "note     it is late" in out
    assert "way back none: a sent mail cannot be called back" in out


def test_every_argument_is_shown_by_its_name_also_when_the_summary_tells_it():
    plan = Plan("Send a mail to “ana@example.org”", (NO_WAY,))

    out = "\n".join(shown(a_card(plan, {"to": "ana@example.org", "cc": ["eve@example.org"], "urgent": True})).lines)

    assert "to       “ana@example.org”" in out
    assert "cc       [“eve@example.org”]" in out
    assert "urgent   true" in out


@pytest.mark.req("AV-03")
def test_a_long_argument_is_folded_with_its_length_and_shown_whole_on_request():
    body = "kind words\n" * 200 + "and the harmful part"
    card = a_card(Plan("Send a mail", (NO_WAY,)), {"body": body})

    folded, whole = shown(card), shown(card, whole=True)

    assert folded.left_out > 0
    assert "harmful" not in "\n".join(folded.lines)
    assert f"{len(body):,} characters" in "\n".join(folded.lines)
    assert whole.left_out == 0
    assert "harmful" in "\n".join(whole.lines)


def test_a_text_that_the_preview_shows_whole_is_not_shown_twice():
    plan = Plan("Write the new file “a”", (CHANGE,), preview="+one\n+two")

    out = shown(a_card(plan, {"path": "a", "content": "one\ntwo\n"}))

    assert "\n".join(out.lines).count("two") == 1
    assert out.left_out == 0


@pytest.mark.parametrize(
    ("label", "said"), [("delete a!", ""), ("A", ""), ("Delete", ""), ("Keep a", "Keep a"), ("elete", "elete")]
)
def test_what_the_model_calls_it_is_left_out_where_it_tells_nothing_new(label: str, said: str):
    assert called(a_card(Plan("Delete “a”", (CHANGE,)), label=label)) == said


@pytest.mark.parametrize("whole", [False, True])
def test_a_long_address_stands_whole_once_and_then_by_its_two_ends(whole: bool):
    address = f"https://example.org/{'a' * 300}"
    plan = Plan(f"Open {address}", (NO_WAY,), sends=(f"a visit to {address}",), preview=f"a visit to {address}")

    out = shown(a_card(plan, {"url": address, "near": f"{address}b"}), whole=whole)

    text = "".join(letter for line in out.lines for letter in line if letter not in " ┊")
    assert text.count("a" * 300) == 2  # in the headline, and in the other, which is no repetition
    assert f"avisittohttps://example.org/{'a' * 20}…{'a' * 16}" in text
    assert "(320characters,asshownhere,code" in text
    assert out.left_out == 0


class Known(Struct, frozen=True):
    """What cards are made with."""

    catalogue: Mapping[str, Operation]
    codec: Codec
    policy: Callable[[], Policy]
    backends: Mapping[str, Backend]


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("url.open", {"url": "https://a.example", "browser": "safari"}, {"browser": "Chromium"}),
        ("file.move", {"source": "/home/ana/a", "destination": "/home/anabel/a"}, {"source": "~/a"}),
    ],
)
def test_paths_and_the_browser_that_is_meant_are_written_as_sentences_write_them(
    operation: str, arguments: dict[str, Json], said: dict[str, Json]
):
    tabs = build(BackendContext({}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds()))
    known = Known(catalogue(providers()), codec(providers()), a_policy, {"tabs": tabs})

    record = replace(a_record(1, "a"), operation=operation, arguments=arguments)

    assert card(record, known, Plan("Do it")).said == {**arguments, **said}


def test_a_path_is_written_from_home_on_as_the_sentence_writes_it():
    card = replace(a_card(Plan("Delete “~/a”", (CHANGE,)), {"path": "/home/me/a"}), said={"path": "~/a"})

    assert "     path     “~/a”" in shown(card).lines


def test_a_text_that_the_preview_cuts_can_be_seen_whole():
    plan = Plan("Write the new file “a”", (CHANGE,), preview="+one\n… 1 more line")

    assert "│ two" in "\n".join(shown(a_card(plan, {"content": "one\ntwo\n"}), whole=True).lines)


def test_many_actions_are_folded_too():
    cards = [a_card(Plan(f"Delete “{number}”", (CHANGE,)), index=number) for number in range(MOST_CARDS + 5)]

    folded = shown(*cards)

    assert folded.left_out > 0
    assert "5 more actions (5 of them need your yes)" in "\n".join(folded.lines)
    assert shown(*cards, whole=True).left_out == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((CHANGE,), "sayso undo takes it back"),
        ((NO_WAY,), "none: a sent mail cannot be called back"),
        ((CHANGE, NO_WAY), "in part, 1 of 2 changes: a sent mail cannot be called back"),
    ],
)
def test_the_way_back_is_said(changes: tuple[Change, ...], said: str):
    assert way_back(Plan("x", changes)) == said


BACK = Change(Step(), Step())

ASKS = Verdict("ask", "the mode asks", "mode", "mode")
FREELY = Verdict("allow", "nothing speaks against it", "default")


def a_card_preview(
    index: int, plan: Plan, verdict: Verdict = ASKS, needs: tuple[int, ...] = (), **arguments: str
) -> Card:
    return Card(f"do_{index}", index, "file.move", arguments, plan, verdict, f"sha256:{index}", needs=needs)


def a_move(index: int, name: str, needs: tuple[int, ...] = ()) -> Card:
    source, destination = f"~/D/{name}", f"~/New/{name}"
    plan = Plan(f"Move “{source}” to “{destination}”", (BACK,))
    return a_card_preview(index, plan, needs=needs, source=source, destination=destination)


def asked(*cards: Card, stops: bool = False) -> Question:
    return Question("run_1", cards, run_digest(card.digest for card in cards), "lines", stops=stops)


def text(blocks: list[Block]) -> str:
    return "\n".join(line for block in blocks for line in block.lines)


def shown_preview(question: Question, *left_out: int, width: int = 80) -> list[Block]:
    return listing(question, TickedRows.of(question, left_out), width, Style())


def seen(blocks: list[Block]) -> set[int]:
    return {index for block in blocks for index in block.shows}


@pytest.mark.req("S0-91", "S0-92")
def test_it_is_a_numbered_list_under_its_heading_in_plain_words():
    question = asked(a_card_preview(0, Plan("Create folder “~/New”", (BACK,)), FREELY), a_move(1, "a"), a_move(2, "b"))

    lines = text(shown_preview(question)).splitlines()

    assert lines[0] == "🤖 Suggested Actions"
    assert [line for line in lines if line.startswith("[")] == [
        "[x]  1. Create folder “~/New”",
        "[x]  2. Move “~/D/a” to “~/New/a”   ← asks",
        "[x]  3. Move “~/D/b” to “~/New/b”   ← asks",
    ]


@pytest.mark.req("S0-93", "T-37")
def test_like_steps_are_one_line_that_names_each_of_them_by_its_number():
    question = asked(*(a_move(index, name) for index, name in enumerate("abc")))

    out = text(shown_preview(question))

    assert "[x] 1–3. Move 3 files from “~/D” to “~/New”   ← asks" in out
    assert "1 “a”,  2 “b”,  3 “c”" in out
    assert seen(shown_preview(question)) == {0, 1, 2}


def test_on_a_narrow_terminal_a_number_stands_on_the_line_of_its_name():
    question = asked(*(a_move(index, f"old-{index}.txt") for index in range(6)))

    lines = text(listing(question, TickedRows.of(question, ()), 46, Style())).split("\n")

    named = [line.strip(" ,").split(",  ") for line in lines if "old-" in line]
    assert len(named) > 1
    assert [name for line in named for name in line] == [f"{index + 1} “old-{index}.txt”" for index in range(6)]


@pytest.mark.req("AV-03")
def test_of_many_like_steps_the_rest_is_counted_and_does_not_count_as_shown():
    question = asked(*(a_move(index, f"n{index}") for index in range(MOST_MEMBERS + 5)))

    folded = shown_preview(question)

    assert f"… 5 more (m 1-{MOST_MEMBERS + 5} shows them)" in " ".join(text(folded).split())
    assert seen(folded) == set()
    opened = whole(question, range(MOST_MEMBERS + 5), TickedRows.of(question, ()), 80, Style())
    assert seen(opened) == set(range(MOST_MEMBERS + 5))
    assert all(f"“~/D/n{index}”" in text(opened) for index in range(MOST_MEMBERS + 5))


@pytest.mark.req("AV-03", "AV-13")
def test_of_a_very_long_list_the_end_does_not_count_as_shown():
    question = asked(*(a_card_preview(index, Plan(f"Do {index}", (BACK,))) for index in range(MOST_ENTRIES + 3)))

    out = shown_preview(question)

    assert "3 more actions (3 of them need your yes), code" in text(out)
    assert seen(out) == set(range(MOST_ENTRIES))


def test_what_is_lost_and_sent_and_has_no_way_back_is_never_folded_into_a_group():
    sends = [
        a_card_preview(n, Plan(f"Send “{n}”", (NO_WAY,), sends=(f"mail to {n}@example.org",), loses=("the draft",)))
        for n in range(3)
    ]

    out = text(shown_preview(asked(*sends)))

    for n in range(3):
        assert f"sends    mail to {n}@example.org" in out
    assert out.count("loses    the draft") == 3
    assert out.count("way back none: a sent mail cannot be called back") == 3
    assert "sayso undo takes back" not in out


@pytest.mark.parametrize(
    ("stops", "said"),
    [(False, "the others still run; what needs it is skipped"), (True, "if one of them fails, the rest is skipped")],
)
def test_what_follows_when_one_fails_and_how_it_is_taken_back_stands_below(stops: bool, said: str):
    two = Plan("Swap them", (BACK, BACK), on_failure="undo")

    out = " ".join(text(shown_preview(asked(a_card_preview(0, two), a_move(1, "b"), stops=stops))).split())

    assert said in out
    assert "if one of its 2 changes fails, it takes back what it did" in out
    assert "sayso undo takes back each of them, or all of it at once" in out


def test_what_is_left_out_and_what_needs_it_are_marked_and_say_so():
    question = asked(
        a_card_preview(0, Plan("Create folder “~/New”", (BACK,))), a_move(1, "a", needs=(0,)), a_move(2, "b")
    )

    out = text(shown_preview(question, 0))

    assert "[ ]  1. Create folder “~/New” (left out)" in out
    assert "[-]  2. Move “~/D/a” to “~/New/a” (left out: it needs 1)" in out
    assert "[x]  3." in out


NASTY = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@pytest.mark.req("AV-01", "AV-05")
@given(st.lists(NASTY, min_size=2, max_size=5), st.sampled_from([40, 80]))
def test_no_text_of_others_acts_begins_a_line_or_leaves_the_screen(names: list[str], width: int):
    cards = [
        a_card_preview(n, Plan(f"Move “{name}”", (BACK,), sends=(name,)), path=name) for n, name in enumerate(names)
    ]

    lines = text(shown_preview(asked(*cards), width=width)).split("\n")

    assert all(line.replace(FSI, "").replace(PDI, "").isprintable() for line in lines)
    assert all(columns(line) <= width for line in lines)
    ours = ("[x] ", "🤖", "…", " ")
    assert all(line == "" or line.startswith(ours) for line in lines)
    assert sum(line.startswith("[x] ") for line in lines) == len(cards)


def test_without_colour_the_same_words_stand_there():
    question = asked(a_move(0, "a"), a_move(1, "b"))

    plain, coloured = (
        text(shown_preview(question)),
        text(listing(question, TickedRows.of(question, ()), 80, Style(colour=True))),
    )

    assert "\x1b[" not in plain
    assert without_codes(coloured) == plain
