"""Wishes put in other words than the patterns have are read, and what is doubtful is asked about."""

from typing import Any

import pytest
from msgspec.structs import replace

from sayso.models.builtin.replies import HOW_TO_UNDO, LONGEST, TOO_LONG, WishQuestion, explain, interpret
from tests.models.builtin.scenes import DATA, acts, question, utterance

Deeds = list[tuple[str, dict[str, Any]]]
NEXT: Deeds = [("calendar.list", {})]
REMINDERS: Deeds = [("reminder.list", {})]
MOSS: Deeds = [("tab.switch", {"index": 3})]
CALL = [("reminder.create", {"title": "call Ana", "due": "2026-03-05 09:15"})]
LATER = [("calendar.update_event", {"id": "e-1", "start": "2026-03-04 15:30"})]
GATE = [("task.complete", {"target": "Repair the garden gate"})]


@pytest.mark.parametrize(
    ("words", "deeds"),
    [
        ("I was wondering whether you might be so kind as to bring the moss page to the front", MOSS),
        ("could you, if it is no trouble, switch to the moss page, since I want to read on?", MOSS),
        ("hey so um can you pull up the moss tab for me real quick thx", MOSS),
        ("moss tab, bring it up", MOSS),
        ("moss page to the front", MOSS),
        ("siwtch to the moss tab", MOSS),
        ("the garden gate is repaired at last, so please tick that task off", GATE),
        ("signal → right half", [("app.place", {"name": "Signal", "bounds": [2560, 0, 3200, 1024]})]),
        ("tomorrow 0915 remind me to call Ana", CALL),
        ("to call Ana remind me tomorrow at 9:15", CALL),
        ("remind me every week to call Ana", [("reminder.create", {"title": "call Ana", "repeat": "weekly"})]),
        ("timer 20 min: stew", [("reminder.create", {"title": "stew", "due": "2026-03-04 14:50"})]),
        ("what's on friday", [("calendar.list", {"start": "2026-03-06", "end": "2026-03-07"})]),
        ("what's next", NEXT),
        ("list my reminders", REMINDERS),
        ("close wikipedia tabs except moss", [("tab.close", {"indices": [4]})]),
        ("my mum is calling, mute the sound", [("sound.set_volume", {"level": 0})]),
        ("note fence: two posts are loose", [("note.create", {"title": "fence", "body": "two posts are loose"})]),
        ("move dinner with ana to 8 pm", [("calendar.update_event", {"id": "e-2", "start": "2026-03-04 20:00"})]),
        ("push the dentist back by half an hour", LATER),
    ],
)  # fmt: skip
def test_a_wish_is_read_in_other_words_and_another_order(words: str, deeds: Deeds):
    assert acts(words) == deeds


@pytest.mark.parametrize(
    "words",
    [
        "switch to the moss tab, no wait, don't",
        "close reddit, or should I keep it",
        "if it rains, quit signal",
        "Ana said: close the moss tab",
        "quit signal unless Ana is writing",
        "quit signal when the call is over",
        "print the plan and close reddit",
        "close everything",
        "leave signal open",
        "the task about the ladder need not be deleted",
    ],
)
def test_what_takes_back_restricts_or_tells_is_not_done(words: str):
    question(words)


def test_files_of_a_kind_are_moved_together():
    files = [{"name": f"{name}.pdf", "path": f"/home/mo/Downloads/{name}.pdf"} for name in ("a", "b")]
    data = {**DATA, "recent_files": [*DATA["recent_files"], *files]}

    found = interpret(utterance("move all PDFs from Downloads to Documents", data=data))

    assert not isinstance(found, WishQuestion)
    assert [dict(one.arguments) for one in found] == [
        {"source": f"/home/mo/Downloads/{name}.pdf", "destination": f"~/Documents/{name}.pdf"} for name in ("a", "b")
    ]


def test_nothing_is_offered_for_deletion_because_one_word_of_it_is_alike():
    data = {**DATA, "recent_files": [{"name": "a.txt", "path": "/home/mo/Documents/a.txt"}]}

    found = interpret(utterance("delete b.txt", data=data))

    assert isinstance(found, WishQuestion)
    assert "a.txt" not in found.text


@pytest.mark.parametrize("words", ["delete old files", "clean up downloads", "create a folder called .. in Documents"])
def test_what_is_not_said_is_asked(words: str):
    question(words)


def test_the_content_of_a_file_is_not_taken_for_its_name():
    assert "content" in question("copy plan.odt to the clipboard")


@pytest.mark.parametrize(
    ("before", "words", "deeds"),
    [
        (("switch to the moss page",), "close it", [("tab.close", {"indices": [3]})]),
        (("open signal",), "quit that", [("app.quit", {"name": "Signal"})]),
        (("open plan.odt",), "delete it please", [("file.delete", {"path": "/home/mo/Documents/plan.odt"})]),
        (("go to the moss page", "go to the fern page"), "close the last one", [("tab.close", {"indices": [4]})]),
    ],
)
def test_a_word_such_as_it_means_what_was_named_before(before: tuple[str, ...], words: str, deeds: Deeds):
    found = interpret(replace(utterance(words), before=before))

    assert not isinstance(found, WishQuestion), found.text
    assert [(one.operation, dict(one.arguments)) for one in found] == deeds
    assert all(one.meant for one in found)


def test_without_anything_named_before_it_is_asked_what_is_meant():
    question("close it")


@pytest.mark.parametrize("words", ["undo that", "take that back", "please undo the last thing"])
def test_what_is_to_be_taken_back_is_told_with_its_command(words: str):
    assert question(words) == HOW_TO_UNDO


def test_a_reading_is_explained_with_its_score():
    lines = explain(utterance("please switch to the moss page, I want to read it"))

    assert lines[0] == "read as: switch to the moss page i want to read it"
    assert lines[1].startswith("tab.switch 0.9")
    assert "tab = “3”" in lines[1]
    assert lines[2].startswith("a remark")


def test_one_long_word_is_answered_without_reading_it():
    assert question("x" * 3_000_000) == TOO_LONG
    assert question("close " * LONGEST) == TOO_LONG
    assert explain(utterance("x " * LONGEST)) == ()


def test_many_small_words_or_a_long_name_are_not_tried_at_every_place():
    long_name = " ".join(f"name{number}" for number in range(20))

    assert "not understood" in question("it " * 30)
    assert "not understood" in question(f"switch to {long_name}") or "No tab" in question(f"switch to {long_name}")
