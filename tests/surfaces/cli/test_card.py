"""What a question shows comes from the plan, and says what is left out."""

import pytest

from sayso.core.canonical import Json
from sayso.core.plan import CannotUndo, Change, Plan, Step
from sayso.core.verdict import Card, Question, Verdict
from sayso.surfaces.cli.card import MOST_CARDS, Page, page, way_back
from sayso.surfaces.cli.style import Style

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


def test_every_argument_that_the_summary_does_not_tell_is_shown():
    plan = Plan("Send a mail to “ana@example.org”", (NO_WAY,))

    out = "\n".join(shown(a_card(plan, {"to": "ana@example.org", "cc": ["eve@example.org"], "urgent": True})).lines)

    assert "eve@example.org" in out
    assert "urgent" in out
    assert out.count("ana@example.org") == 1


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
