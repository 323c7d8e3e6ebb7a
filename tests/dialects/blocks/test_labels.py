"""A button without a label of the model's says what it does, and to what."""

import pytest

from sayso.dialects.blocks.labels import default_label


@pytest.mark.req("T-57")
@pytest.mark.parametrize(
    ("name", "members", "label"),
    [
        ("delete_task", {"taskText": "Buy wine for dinner"}, "Delete 'Buy wine for dinner'"),
        ("add_task", {"text": "Launch product"}, "Add 'Launch product'"),
        ("edit_task", {"taskText": "X", "newText": "Y"}, "Rename 'X' to 'Y'"),
        ("edit_habit", {"habitText": "X", "newText": "Y"}, "Rename 'X' to 'Y'"),
        ("edit_habit", {"habitText": "X", "repeatIntervalHours": 4}, "Change 'X'"),
        ("add_habit", {"text": "Meditate", "repeatIntervalHours": 24}, "Add 'Meditate' every 24 hours"),
        ("add_subtask", {"text": "a {b}", "parentText": "{text}"}, "Add 'a {b}' under '{text}'"),
        ("complete_task", {}, "Complete '…'"),
    ],
)
def test_a_label_is_a_verb_and_the_target_in_quotes(name: str, members: dict[str, object], label: str):
    assert default_label(name, members) == label
