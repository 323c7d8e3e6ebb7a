"""Like steps that follow each other are one line with their count; what differs is named, and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.card_groups import ListEntry, entries, ranges
from sayso.core.decision import Card, Verdict
from sayso.core.encoding import Json
from sayso.core.plan import Plan
from sayso.surfaces.cli.prompts import BatchKey, Choice, ShowNumbers, ToggleNumbers, UnclearChoice, choice

ASKS = Verdict("ask", "it asks", "mode", "mode")


def a_card(index: int, operation: str, summary: str, **arguments: Json) -> Card:
    return Card(f"do_{index}", index, operation, arguments, Plan(summary), ASKS, f"sha256:{index}")


def a_move(index: int, source: str, destination: str) -> Card:
    summary = f"Move “{source}” to “{destination}”"
    return a_card(index, "file.move", summary, source=source, destination=destination)


def grouped(*cards: Card) -> list[ListEntry]:
    return entries(cards, lambda card: False, lambda card: "")


@pytest.mark.req("S0-93", "T-37")
def test_three_moves_into_one_folder_are_one_line_with_the_count():
    (entry,) = grouped(
        a_move(0, "~/D/a.txt", "~/New/a.txt"), a_move(1, "~/D/b.txt", "~/New/b.txt"), a_move(2, "~/D/c", "~/New/d")
    )

    assert entry.summary == "Move 3 files from “~/D” to “~/New”"
    assert entry.members == ("“a.txt”", "“b.txt”", "“c” as “d”")


def test_a_path_in_the_home_counts_alike_with_a_tilde_and_in_full():
    def moved(index: int, source: str) -> Card:
        summary = f"Move “~/D/{index}” to “~/New/{index}”"
        return a_card(index, "file.move", summary, source=source, destination=f"~/New/{index}")

    (entry,) = grouped(moved(0, "/home/ana/D/0"), moved(1, "~/D/1"), moved(2, "/home/ana/D/2"))
    apart = grouped(moved(0, "/home/ana/other/0"), moved(1, "~/E/1"), moved(2, "D/2"))

    assert entry.summary == "Move 3 files from “~/D” to “~/New”"
    assert [len(entry.cards) for entry in apart] == [1, 1, 1]


def test_other_folders_other_operations_and_what_stands_between_are_not_taken_together():
    there = [a_move(number, f"~/D/{number}", f"~/New/{number}") for number in (0, 1)]
    elsewhere = a_move(2, "~/D/2", "~/Other/2")
    copied = a_card(3, "file.copy", "Copy “~/D/3” to “~/New/3”", source="~/D/3", destination="~/New/3")
    again = a_move(4, "~/D/4", "~/New/4")

    found = grouped(*there, elsewhere, copied, again)

    assert [len(entry.cards) for entry in found] == [1] * 5


@pytest.mark.parametrize(
    ("operation", "one", "many"),
    [
        (
            "file.delete",
            "Delete “~/D/{}”; it goes to the Trash",
            "Delete 3 files in “~/D”; they go to the Trash",
        ),
        (
            "file.delete",
            "Delete “~/D/{}”; it is kept aside by sayso for a while",
            "Delete 3 files in “~/D”; they are kept aside by sayso for a while",
        ),
        ("file.mkdir", "Create folder “~/D/{}”", "Create 3 folders in “~/D”"),
        ("task.add", "Add the task “{}”", "Add the task “…”, 3 times"),
    ],
)
def test_other_like_steps_too(operation: str, one: str, many: str):
    of = "text" if operation == "task.add" else "path"
    cards = [a_card(n, operation, one.format(n), **{of: str(n) if of == "text" else f"~/D/{n}"}) for n in range(3)]

    (entry,) = grouped(*cards)

    assert entry.summary == many
    assert entry.members == ("“0”", "“1”", "“2”")


def test_an_argument_that_the_sentence_does_not_quote_is_named_beside_it():
    cards = [a_card(n, "mail.trash", f"Move “Subject {n}” to the trash", id=f"{n + 7}") for n in range(3)]

    (entry,) = grouped(*cards)

    assert entry.members == ("“Subject 0” (id “7”)", "“Subject 1” (id “8”)", "“Subject 2” (id “9”)")


def test_what_has_an_argument_more_than_the_entry_names_stands_alone():
    moved = [
        a_card(n, "file.move", f"Move “~/D/{n}” to “~/N/{n}”", source=f"~/D/{n}", destination=f"~/N/{n}", replace=True)
        for n in range(3)
    ]
    added = [a_card(n, "task.add", f"Add the task “{n}”", text=str(n), parent="7") for n in range(3)]

    assert [len(entry.cards) for entry in grouped(*moved)] == [1, 1, 1]
    assert [len(entry.cards) for entry in grouped(*added)] == [1, 1, 1]


def test_a_folder_is_not_counted_as_a_file():
    cards = [
        a_card(n, "file.move", f"Move the folder “~/D/{n}” with 3 things in it to “~/New/{n}”", source=f"~/D/{n}",
               destination=f"~/New/{n}")
        for n in range(3)
    ]  # fmt: skip

    assert [len(entry.cards) for entry in grouped(*cards)] == [1, 1, 1]


def test_a_name_that_holds_quotes_cannot_make_two_sentences_look_alike():
    sly = ["x” to “y", "a", "b"]
    cards = [a_card(n, "note.create", f"Create the note “{text}”") for n, text in enumerate(sly)]

    assert [len(entry.cards) for entry in grouped(*cards)] == [1, 1, 1]


@given(st.lists(st.sampled_from(["~/D/a", "~/D/b", "~/E/c", "/x", "relative"]), max_size=12), st.booleans())
def test_every_card_stands_in_exactly_one_entry_in_its_order(names: list[str], alone: bool):
    cards = [a_move(n, name, f"~/New/{n}") for n, name in enumerate(names)]

    found = entries(cards, lambda card: alone, lambda card: "")

    assert [card for entry in found for card in entry.cards] == cards
    assert all(len(entry.members) == len(entry.cards) for entry in found if len(entry.cards) > 1)


NUMBERS = range(1, 13)
YES = {"y", "yes", "execute"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("y\n", BatchKey.EXECUTE),
        (" YES \r\n", BatchKey.EXECUTE),
        ("e\n", BatchKey.EDIT),
        ("\n", BatchKey.CANCEL),
        ("n\n", BatchKey.CANCEL),
        ("Cancel\n", BatchKey.CANCEL),
        (None, BatchKey.CANCEL),
        ("?\n", BatchKey.HELP),
        ("v\n", BatchKey.VIEW),
        ("more\n", BatchKey.VIEW),
        ("3\n", ToggleNumbers(frozenset({3}))),
        ("2-4\n", ToggleNumbers(frozenset({2, 3, 4}))),
        ("2 – 4, 7\n", ToggleNumbers(frozenset({2, 3, 4, 7}))),
        ("1,3 5\n", ToggleNumbers(frozenset({1, 3, 5}))),
        ("10-99\n", ToggleNumbers(frozenset({10, 11, 12}))),
        ("m 3\n", ShowNumbers(frozenset({3}))),
        ("? 2-3\n", ShowNumbers(frozenset({2, 3}))),
        ("m3\n", ShowNumbers(frozenset({3}))),
    ],
)
def test_words_numbers_and_ranges_are_understood(typed: str | None, meant: Choice):
    assert choice(typed, NUMBERS) == meant


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("99\n", "there is no 99 in the list"),
        ("3-\n", "“3-” is no choice here"),
        ("4-2\n", "there is no 4-2 in the list"),
        ("0\n", "there is no 0 in the list"),
        ("y 3\n", "“y 3” is no choice here"),
        ("yy\n", "“yy” is no choice here"),
        ("٣\n", "“٣” is no choice here"),
        ("3,99\n", "there is no 99 in the list"),
    ],
)
def test_anything_else_is_said_to_be_unclear(typed: str, why: str):
    assert choice(typed, NUMBERS) == UnclearChoice(why)


@pytest.mark.req("AV-06")
@given(st.text(max_size=12))
def test_nothing_but_a_yes_is_a_yes(typed: str):
    meant = choice(typed, NUMBERS)

    assert (meant is BatchKey.EXECUTE) is (typed.strip(" \t\r\n").lower() in YES)


@given(st.sets(st.integers(1, 40), min_size=1))
def test_numbers_written_as_ranges_read_back_the_same(numbers: set[int]):
    assert choice(ranges(numbers), range(1, 41)) == ToggleNumbers(frozenset(numbers))
