"""The preview shows everything that matters of a batch, and counts as shown only what it shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.plan import CannotUndo, Change, Plan, Step
from sayso.core.verdict import Card, Question, Verdict, run_digest
from sayso.surfaces.cli.layout import columns
from sayso.surfaces.cli.preview import MOST_ENTRIES, MOST_MEMBERS, Block, Ticks, listing, whole
from sayso.surfaces.cli.style import Style

BACK = Change(Step(), Step())
NO_WAY = Change(Step(), CannotUndo("a sent mail cannot be called back"))
ASKS = Verdict("ask", "the mode asks", "mode", "mode")
FREELY = Verdict("allow", "nothing stands against it", "default")


def a_card(index: int, plan: Plan, verdict: Verdict = ASKS, needs: tuple[int, ...] = (), **arguments: str) -> Card:
    return Card(f"do_{index}", index, "file.move", arguments, plan, verdict, f"sha256:{index}", needs=needs)


def a_move(index: int, name: str, needs: tuple[int, ...] = ()) -> Card:
    source, destination = f"~/D/{name}", f"~/New/{name}"
    plan = Plan(f"Move “{source}” to “{destination}”", (BACK,))
    return a_card(index, plan, needs=needs, source=source, destination=destination)


def asked(*cards: Card, stops: bool = False) -> Question:
    return Question("run_1", cards, run_digest(card.digest for card in cards), "lines", stops=stops)


def text(blocks: list[Block]) -> str:
    return "\n".join(line for block in blocks for line in block.lines)


def shown(question: Question, *left_out: int, width: int = 80) -> list[Block]:
    return listing(question, Ticks.of(question, left_out), width, Style())


def seen(blocks: list[Block]) -> set[int]:
    return {index for block in blocks for index in block.shows}


@pytest.mark.req("S0-91", "S0-92")
def test_it_is_a_numbered_list_under_its_heading_in_plain_words():
    question = asked(a_card(0, Plan("Create folder “~/New”", (BACK,)), FREELY), a_move(1, "a"), a_move(2, "b"))

    lines = text(shown(question)).splitlines()

    assert lines[1] == "🤖 Suggested Actions"
    assert [line for line in lines if line.startswith("[")] == [
        "[x]  1. Create folder “~/New”",
        "[x]  2. Move “~/D/a” to “~/New/a”   ← asks",
        "[x]  3. Move “~/D/b” to “~/New/b”   ← asks",
    ]


@pytest.mark.req("S0-93", "T-37")
def test_like_steps_are_one_line_that_names_each_of_them_by_its_number():
    question = asked(*(a_move(index, name) for index, name in enumerate("abc")))

    out = text(shown(question))

    assert "[x] 1–3. Move 3 files from “~/D” to “~/New”   ← asks" in out
    assert "1 “a”,  2 “b”,  3 “c”" in out
    assert seen(shown(question)) == {0, 1, 2}


@pytest.mark.req("AV-03")
def test_of_many_like_steps_the_rest_is_counted_and_does_not_count_as_shown():
    question = asked(*(a_move(index, f"n{index}") for index in range(MOST_MEMBERS + 5)))

    folded = shown(question)

    assert f"… 5 more (m 1-{MOST_MEMBERS + 5} shows them)" in " ".join(text(folded).split())
    assert seen(folded) == set()
    opened = whole(question, range(MOST_MEMBERS + 5), Ticks.of(question, ()), 80, Style())
    assert seen(opened) == set(range(MOST_MEMBERS + 5))
    assert all(f"“~/D/n{index}”" in text(opened) for index in range(MOST_MEMBERS + 5))


@pytest.mark.req("AV-03", "AV-13")
def test_of_a_very_long_list_the_end_does_not_count_as_shown():
    question = asked(*(a_card(index, Plan(f"Do {index}", (BACK,))) for index in range(MOST_ENTRIES + 3)))

    out = shown(question)

    assert "3 more actions (3 of them need your yes), sha256" in text(out)
    assert seen(out) == set(range(MOST_ENTRIES))


def test_what_is_lost_and_sent_and_has_no_way_back_is_never_folded_into_a_group():
    sends = [
        a_card(n, Plan(f"Send “{n}”", (NO_WAY,), sends=(f"mail to {n}@example.org",), loses=("the draft",)))
        for n in range(3)
    ]

    out = text(shown(asked(*sends)))

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

    out = " ".join(text(shown(asked(a_card(0, two), a_move(1, "b"), stops=stops))).split())

    assert said in out
    assert "if one of its 2 changes fails, it takes back what it did" in out
    assert "sayso undo takes back each of them, or all of it at once" in out


def test_what_is_left_out_and_what_needs_it_are_marked_and_say_so():
    question = asked(a_card(0, Plan("Create folder “~/New”", (BACK,))), a_move(1, "a", needs=(0,)), a_move(2, "b"))

    out = text(shown(question, 0))

    assert "[ ]  1. Create folder “~/New” (left out)" in out
    assert "[-]  2. Move “~/D/a” to “~/New/a” (left out: it needs 1)" in out
    assert "[x]  3." in out


NASTY = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@pytest.mark.req("AV-01", "AV-05")
@given(st.lists(NASTY, min_size=2, max_size=5), st.sampled_from([40, 80]))
def test_no_text_of_others_acts_begins_a_line_or_leaves_the_screen(names: list[str], width: int):
    cards = [a_card(n, Plan(f"Move “{name}”", (BACK,), sends=(name,)), path=name) for n, name in enumerate(names)]

    lines = text(shown(asked(*cards), width=width)).split("\n")

    assert all(line.isprintable() or line == "" for line in lines)
    assert all(columns(line) <= width for line in lines)
    ours = ("[x] ", "🤖", "…", " ")
    assert all(line == "" or line.startswith(ours) for line in lines)
    assert sum(line.startswith("[x] ") for line in lines) == len(cards)


def test_without_colour_the_same_words_stand_there():
    question = asked(a_move(0, "a"), a_move(1, "b"))

    plain, coloured = text(shown(question)), text(listing(question, Ticks.of(question, ()), 80, Style(colour=True)))

    assert "\x1b[" not in plain
    assert coloured.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain
