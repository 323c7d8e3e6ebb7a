"""Free texts in the words of a wish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.models.builtin import learned, spans
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.spans import TEXTS, find_spans
from sayso.models.builtin.tidying import tidied
from sayso.models.builtin.tokens import source_text, tokenize
from tests.models.builtin.scenes import utterance
from tools.wishes import train_spans
from tools.wishes.chance import Chance


def texts(operation: str, said: str) -> dict[str, str]:
    words = tokenize(said)
    found = find_mentions(words, utterance(said))
    told = tidied(operation, words, found, find_spans(operation, words, found), said)
    return {span.label: source_text(said, words[span.start : span.end]) for span in told}


@pytest.mark.parametrize(
    ("operation", "said", "found"),
    [
        ("reminder.create", "remind me at six to call Ana about the ladder", {"T": "call Ana about the ladder"}),
        ("reminder.create", "tomorrow 9am reminder: ring the plumber", {"T": "ring the plumber"}),
        ("task.add", "put buy nails on my todo list, the shop closes soon", {"T": "buy nails"}),
        ("note.create", "make a note called Paint that says two tins of blue", {"T": "Paint", "B": "two tins of blue"}),
        ("mail.send", "email x@example.org, subject Keys, text: under the mat", {"T": "Keys", "B": "under the mat"}),
        ("speech.say", "say dinner is ready out loud", {"B": "dinner is ready"}),
        ("reminder.create", "remind me at six to send it to the engineer", {"T": "send it to the engineer"}),
        ("reminder.create", "remind me mon 9am call the bank", {"T": "call the bank"}),
        ("calendar.create_event", "tomorrow at 9 tea with Councillor Boyd", {"T": "tea with Councillor Boyd"}),
        ("mail.compose", "mail x@example.org, subject Tea, text are you free", {"T": "Tea", "B": "are you free"}),
        (
            "mail.send",
            "mail x@example.org, subject Solo and the text yes, well done",
            {"T": "Solo", "B": "yes, well done"},
        ),
        ("mail.search", "mails from Rui about the roof", {"P": "Rui", "T": "roof"}),
    ],
)
def test_a_text_ends_where_the_wish_around_it_begins(operation: str, said: str, found: dict[str, str]) -> None:
    assert texts(operation, said) == found


def test_a_quote_is_a_text_of_its_own() -> None:
    assert texts("note.create", "a note 'First swallow' and in it '22 April'") == {
        "T": "First swallow",
        "B": "22 April",
    }


def test_a_reason_behind_a_text_does_not_belong_to_it() -> None:
    assert texts("reminder.create", "remind me at six to buy stamps, as the post office will be shut") == {
        "T": "buy stamps"
    }


def test_an_operation_without_texts_takes_none() -> None:
    assert texts("app.quit", "quit signal, it is late") == {}


@given(st.sampled_from(sorted(TEXTS)), st.text(max_size=120))
def test_any_words_have_at_most_one_text_of_each_kind(operation: str, said: str) -> None:
    words = tokenize(said)
    found = find_spans(operation, words, find_mentions(words, utterance(said)))

    assert len({span.label for span in found}) == len(found)
    assert all(0 <= span.start < span.end <= len(words) for span in found)


def test_a_row_of_weights_is_read_as_it_was_written() -> None:
    assert learned.read_row(learned.written({0: 12, 3: -4, 12: 7})) == {0: 12, 3: -4, 12: 7}


def test_the_weights_are_small() -> None:
    assert len(train_spans.OUT.read_bytes()) <= 700_000


def test_a_wish_with_other_texts_has_its_labels_where_they_are() -> None:
    sets, _ = train_spans.sources()
    examples = train_spans.examples_of_set(sets[-1])
    pool = {(one.operation, letter): ("Zwei Wörter",) for one in examples for letter in spans.LETTERS}

    found = [train_spans.with_other_texts(one, Chance("1"), pool) for one in examples]

    texts = {" ".join(word.text for word in one.words[span.start : span.end])
             for one in found for span in spans.spans_of(one.labels)}  # fmt: skip
    assert texts == {"zwei wörter"}


def test_labels_can_only_follow_where_a_text_has_begun() -> None:
    begin, middle, nothing = (spans.LABELS.index(one) for one in ("T<", "T~", "-"))

    assert middle in spans.FOLLOWING[begin]
    assert middle not in spans.FOLLOWING[nothing]
    assert nothing not in spans.FOLLOWING[begin]
