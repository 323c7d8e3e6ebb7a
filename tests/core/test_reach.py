"""Each step says what it may let leave the machine, and a plan lets leave what its steps do, whatever it says."""

from typing import ClassVar

import pytest
from msgspec import UNSET, UnsetType, defstruct
from msgspec.structs import fields

from sayso.assembly.parts import PROVIDERS
from sayso.core.plan import NOTHING, CannotUndo, Change, Plan, Reach, Step, named, step_json, unknown
from sayso.core.provider import Provider

FINAL = CannotUndo("it is done")


class Stay(Step, frozen=True):
    """A step that lets nothing leave."""

    step: ClassVar[str] = "thing.stay"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "things"


class Run(Step, frozen=True):
    """A step of which nobody knows what it sends, unless it is known to be harmless."""

    step: ClassVar[str] = "thing.run"
    reach: ClassVar[Reach] = unknown("whatever it sends", unless="harmless")
    store: ClassVar[str] = "things"
    harmless: bool | UnsetType = UNSET


class Tell(Step, frozen=True):
    """A step that tells something to somebody."""

    step: ClassVar[str] = "thing.tell"
    reach: ClassVar[Reach] = named("the news", "to", "also")
    store: ClassVar[str] = "things"
    to: tuple[str, ...] | UnsetType = UNSET
    also: str = ""


def test_a_step_without_a_reach_cannot_be_defined():
    with pytest.raises(TypeError, match="Silent must declare its reach"):
        # What its base declares does not count.
        defstruct("Silent", [], bases=(Stay,), namespace={"step": "thing.silent"}, frozen=True)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.store)
def test_every_step_of_every_provider_declares_its_reach_by_fields_that_it_has(provider: Provider):
    for step in provider.steps:
        declared, has = step.__dict__["reach"], {field.name for field in fields(step)}

        assert has.issuperset((*declared.fields, *step.writes, *step.hands_over)), step
        assert not step.text_in or step.text_in in has, step
        assert not declared.unless or declared.unless in has, step
        assert declared.kind == "nothing" or declared.what, step


@pytest.mark.parametrize(
    ("step", "leaves"),
    [
        (Stay(), ()),
        (Run(), ("whatever it sends",)),
        (Run(harmless=False), ("whatever it sends",)),
        (Run(harmless=True), ()),
        (Tell(("ana", ""), "bob"), ("the news to ana", "the news to bob")),
        (Tell(()), ()),
        (Tell(), ("the news to nobody knows whom",)),
    ],
)
def test_a_step_lets_leave_what_its_fields_say_and_what_is_not_known_counts(step: Step, leaves: tuple[str, ...]):
    assert step.leaving == leaves


def test_a_plan_that_forgot_what_it_sends_lets_leave_what_its_steps_do_and_what_undoes_them():
    quiet = Plan("Do it", (Change(Stay(), FINAL),))
    forgot = Plan("Do it", (Change(Stay(), FINAL), Change(Run(), FINAL)))
    back = Plan("Do it", (Change(Stay(), Tell(("ana",))),))

    assert quiet.leaving == ()
    assert forgot.leaving == ("whatever it sends",)
    assert back.leaving == ("the news to ana",)
    assert Plan("Do it", forgot.changes, sends=("a letter to Ana",)).leaving == ("a letter to Ana",)


def test_a_field_that_is_not_set_is_not_written():
    assert step_json(Run()) == {"step": "thing.run"}
    assert step_json(Run(harmless=False)) == {"step": "thing.run", "harmless": False}


WRITES = {
    "file.rename": ("destination",),
    "file.copy": ("destination",),
    "file.write": ("path",),
    "file.replace": ("path",),
    "mail.save": ("path",),
}
HANDS_OVER = {
    "desktop.open_file": ("path",),
    "tab.open": ("url",),
    "tab.navigate": ("url",),
    "shortcut.run": ("input",),
    "mcp.call": ("arguments", "places"),
    "mcp.take_back": ("given",),
}
OTHERWISE = {
    # What was there goes away, comes back as it was, or is only shown; new folders hold nothing.
    "file.rename": {"source"}, "file.trash": {"path"}, "file.restore": {"path"}, "file.keep": {"path"},
    "file.unkeep": {"path"}, "file.make_folders": {"path"}, "file.remove_folders": {"path"}, "file.exchange": {"path"},
    "mail.unsave": {"path"}, "desktop.reveal_file": {"path"},
}  # fmt: skip


def test_every_path_of_a_step_is_written_handed_over_or_known_to_be_neither():
    steps = [step for provider in PROVIDERS for step in provider.steps]
    rest = {step.step: {*step.paths} - {*step.only_read, *step.writes, *step.hands_over} for step in steps}

    assert {step.step: step.writes for step in steps if step.writes} == WRITES
    assert {step.step: step.hands_over for step in steps if step.hands_over} == HANDS_OVER
    assert {name: paths for name, paths in rest.items() if paths} == OTHERWISE
