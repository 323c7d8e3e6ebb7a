"""A text is cut so that as much as possible of it is understood."""

import pytest

from tests.models.embedded.scenes import acts


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("close reddit and mute", ["tab.close", "sound.set_volume"]),
        ("close all wikipedia tabs and open reddit.com", ["tab.close", "url.open"]),
        ("close moss and open fern.example", ["tab.close", "url.open"]),
        ("mute, open gimp; then list my tabs", ["sound.set_volume", "app.open", "tab.list"]),
        ("open gimp and signal", ["app.open", "app.open"]),
        ("add a task to buy bread and butter", ["task.add"]),
        ("remind me to buy bread and close signal", ["reminder.create", "app.quit"]),
        ("remind me at 6pm to call Ana and at 7pm to feed the cat", ["reminder.create", "reminder.create"]),
        ("delete the ladder task and the stretch habit", ["task.delete", "habit.delete"]),
        ('say "close reddit and mute"', ["speech.say"]),
    ],
)
def test_a_text_is_cut_where_another_wish_begins(text: str, operations: list[str]):
    assert [operation for operation, _ in acts(text)] == operations


def test_what_was_begun_with_goes_on():
    assert acts("remind me at 6pm to call Ana and at 7pm to feed the cat") == [
        ("reminder.create", {"title": "call Ana", "due": "2026-03-04 18:00"}),
        ("reminder.create", {"title": "feed the cat", "due": "2026-03-04 19:00"}),
    ]
