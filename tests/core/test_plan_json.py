"""What the journal keeps is read back as the same value: plans, steps that are handed over, and ids."""

from types import new_class
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from sayso.core.errors import ProposalError, SetupError
from sayso.core.plan import (
    NOTHING,
    Applied,
    CannotUndo,
    Change,
    Codec,
    Fact,
    OpenFile,
    Plan,
    Reach,
    ResultRef,
    RevealFile,
    Step,
    facts_json,
    plan_json,
    step_json,
)
from sayso.core.record import action_id, action_key, run_id, run_key


class Push(Step, frozen=True):
    """A step with one of each kind of field."""

    step: ClassVar[str] = "thing.push"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "things"
    name: str
    ids: tuple[int, ...] = ()
    far: bool = False
    to: str | None = None


class There(Fact, frozen=True):
    """A fact."""

    fact: ClassVar[str] = "there"
    owner: ClassVar[str] = "things"
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


def test_a_plan_and_what_its_steps_left_are_read_back_as_they_were() -> None:
    left = Applied((There("a", 1), There("b", 2)))

    assert CODEC.plan(plan_json(PLAN)) == PLAN
    assert facts_json(left.facts) == {"there": {"a": {"size": 1}, "b": {"size": 2}}}
    assert CODEC.left(facts_json(left.facts)) == left
    assert CODEC.left(None) == Applied()
    assert ResultRef("/a", "there", 0).key == There("/a").key


@pytest.mark.req("CR-06")
@pytest.mark.parametrize(
    ("do", "expects", "words"),
    [
        ({"step": "other"}, {}, "no provider here knows the step “other”"),
        ({"step": "thing.push"}, {}, "damaged Push"),
        ({"cannot": "x"}, {}, "no step to do"),
        ({"step": "thing.push", "name": "a"}, {"odd": {}}, "no provider here knows the fact “odd”"),
    ],
)
def test_what_nobody_here_can_read_is_a_clear_error(do: dict[str, str], expects: dict[str, object], words: str) -> None:
    with pytest.raises(SetupError, match=words):
        CODEC.plan({"summary": "x", "changes": [{"do": do, "undo": {"cannot": ""}, "expects": expects}]})


@pytest.mark.parametrize("step", [OpenFile("/home/ana/a.md"), OpenFile("/home/ana/a.md", "TextEdit"), RevealFile("/x")])
def test_steps_that_are_handed_over_are_read_back(step: Step):
    assert Codec((OpenFile, RevealFile), ()).step(step_json(step)) == step


def test_the_desktop_executes_what_is_handed_over_and_policy_sees_path_and_application():
    assert {step.store for step in (OpenFile, RevealFile)} == {"desktop"}
    assert (OpenFile.paths, OpenFile.apps, RevealFile.paths) == (("path",), ("app",), ("path",))


KEYS = st.integers(0, 2**63 - 1)


def crockford(number: int) -> str:
    """Write thirteen digits of base 32 as Crockford's page says, by dividing."""
    digits = ""
    for _ in range(13):
        number, digit = divmod(number, 32)
        digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit] + digits
    return digits


@given(KEYS, KEYS)
def test_an_id_is_the_key_in_base_32_sorts_as_it_and_reads_back_in_any_case(key: int, other: int):
    assert (action_id(key), run_id(key)) == ("do_" + crockford(key), "run_" + crockford(key))
    assert action_key(action_id(key)) == action_key(action_id(key).lower()) == key
    assert run_key(run_id(key)) == run_key(run_id(key).upper()) == key
    assert (key < other) == (action_id(key) < action_id(other))


def test_letters_that_look_like_digits_are_read_as_digits():
    assert action_key("do_OOOOOOOOOOIL1") == action_key("do_0000000000111")


@pytest.mark.parametrize(
    "text",
    [
        "", "do_", "do_1", "do_00000000000000", "run_0000000000001", "do_000000000000U", "do_000000000000é",
        "do_000000000000_", "do_ZZZZZZZZZZZZZ", "do_+000000000001", "do_00000000 0001", "do_000000000000\u017f",
    ],
)  # fmt: skip
def test_what_is_no_id_is_refused_with_an_example(text: str):
    with pytest.raises(ProposalError, match="one looks like do_012"):
        action_key(text)


@pytest.mark.parametrize("key", [-1, 2**63])
def test_a_number_that_is_no_key_is_a_bug(key: int):
    with pytest.raises(ValueError, match="is no key"):
        action_id(key)


def test_a_kind_of_fact_that_names_no_owner_cannot_be_defined():
    with pytest.raises(TypeError, match=r"the fact “nobodys” \(Nobodys\) names no owner"):
        new_class("Nobodys", (Fact,), {"frozen": True}, lambda body: body.update(fact="nobodys"))


def test_a_field_that_came_later_is_written_only_where_it_is_known():
    class Sized(Fact, frozen=True):
        fact: ClassVar[str] = "sized"
        owner: ClassVar[str] = "things"
        access: str | UnsetType = UNSET

    codec = Codec((), (Sized,))

    assert facts_json((Sized("a"),)) == {"sized": {"a": {}}}
    assert codec.facts_of(facts_json((Sized("a", "644 0:0"), Sized("b")))) == (Sized("a", "644 0:0"), Sized("b"))
