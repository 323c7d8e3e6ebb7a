"""What a person changed is worked out from the two runs in the journal."""

from dataclasses import replace

from sayso.core.record import Marks, Record, State
from sayso.runtime.editing import EDITED
from sayso.surfaces.cli.difference import rows, written
from tests.runtime.shelf_operations import put


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
        marks=Marks(State.DECLINED, code=code),
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
    assert written(a_record(1, "a"), lambda name: None) == "shelf.put"


def test_another_action_of_ones_own_is_a_change_and_is_written_by_its_name():
    was, now = a_record(0, "a", code=EDITED), a_record(10, "a", edit_of="do_0")
    was, now = (replace(record, dialect="actions", template_id=id_) for record, id_ in ((was, "t"), (now, "u")))

    assert signs([now], [was]) == ["-a", "+a"]
    assert written(now, lambda name: put) == '```json\n{"actions": [{"templateId": "u", "params": {"name": "a"}}]}\n```'
