"""A plan survives the journal: what was written is read back as the same value."""

from typing import ClassVar

import pytest

from sayso.core.codec import Codec, facts_json, plan_json
from sayso.core.errors import SetupError
from sayso.core.plan import Applied, CannotUndo, Change, Fact, Plan, ResultRef, Step


class Push(Step, frozen=True):
    """A step with one of each kind of field."""

    step: ClassVar[str] = "thing.push"
    store: ClassVar[str] = "things"
    name: str
    ids: tuple[int, ...] = ()
    far: bool = False
    to: str | None = None


class There(Fact, frozen=True):
    """A fact."""

    fact: ClassVar[str] = "there"
    size: int = 0


CODEC = Codec([Push], [There])
PLAN = Plan(
    "Push “a”",
    (
        Change(Push("a", (1, 2), far=True, to="b"), Push("b"), (There("a b", 3), There("c"))),
        Change(Push("b"), CannotUndo("it is gone"), (ResultRef("a b", "there", 0, 4), ResultRef("c", "there", 1))),
    ),
    "Pushed",
    loses=("the old one",),
    sends=("ana@example.org",),
    on_failure="go on",
    asks=True,
    warns=("mind it",),
    preview="-a\n+b",
    data={"path": "/a"},
)


def test_a_plan_is_read_back_as_it_was() -> None:
    assert CODEC.plan(plan_json(PLAN)) == PLAN


def test_facts_stand_by_name_and_by_what_they_are_about() -> None:
    assert facts_json((There("a", 1), There("b", 2))) == {"there": {"a": {"size": 1}, "b": {"size": 2}}}


def test_what_a_step_left_is_read_back() -> None:
    left = Applied((There("a", 1),))

    assert CODEC.left(facts_json(left.facts)) == left
    assert CODEC.left(None) == Applied()


@pytest.mark.req("CR-06")
@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"do": {"step": "other"}, "undo": {"cannot": ""}, "expects": {}}, "no provider here knows the step “other”"),
        ({"do": {"step": "thing.push"}, "undo": {"cannot": ""}, "expects": {}}, "damaged Push"),
        ({"do": {"cannot": "x"}, "undo": {"cannot": ""}, "expects": {}}, "no step to do"),
        (
            {"do": {"step": "thing.push", "name": "a"}, "undo": {"cannot": ""}, "expects": {"odd": {}}},
            "no provider here knows the fact “odd”",
        ),
    ],
)
def test_what_nobody_here_can_read_is_a_clear_error(document: dict[str, object], words: str) -> None:
    with pytest.raises(SetupError, match=words):
        CODEC.plan({"summary": "x", "changes": [document]})


def test_a_reference_has_the_key_of_the_fact_it_stands_for() -> None:
    assert ResultRef("/a", "there", 0).key == There("/a").key
