"""What earlier actions wrote is known again where it is handed to a program, however it is named there."""

from typing import ClassVar

import pytest

from sayso.core.plan import NOTHING, OpenFile, Reach, Step
from sayso.policy.trail import handed_over, hands_over, written_by
from tests.policy.given import POLICY, a_plan

HOME = POLICY.home
WRITTEN = (f"{HOME}/Documents/new page.html", f"{HOME}/Documents/site")


class Put(Step, frozen=True):
    """A step that writes."""

    step: ClassVar[str] = "file.put"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "files"
    writes: ClassVar[tuple[str, ...]] = ("path",)
    path: str


class Say(Step, frozen=True):
    """A step that hands over a text."""

    step: ClassVar[str] = "thing.say"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "things"
    hands_over: ClassVar[tuple[str, ...]] = ("text",)
    text: str | None


@pytest.mark.parametrize(
    "step",
    [
        OpenFile(WRITTEN[0]),
        OpenFile(f"{WRITTEN[1]}/deep/index.html"),
        OpenFile(f"{HOME}/Documents", "Editor"),
        Say(f"file://{HOME}/Documents/new%20page.html#top"),
        Say(f"FILE://localhost{HOME}/Documents/other/../new%20page.html"),
        Say(f"file:///{HOME}/Documents/new%20page.html?x"),
        Say(f"view-source:file://{HOME}/Documents/new%20page.html"),
        Say("open ~/Documents/new page.html please"),
        Say(f"{WRITTEN[1]}/index.html"),
    ],
)
def test_what_was_written_is_found_where_it_is_handed_over(step: Step):
    assert handed_over(a_plan(step), WRITTEN, POLICY)


@pytest.mark.parametrize(
    "step",
    [
        OpenFile(f"{HOME}/Documents/another.html"),
        OpenFile(f"{HOME}/Documents"),
        OpenFile(f"{HOME}/Documents/site2/index.html"),
        OpenFile(f"{HOME}/Documents/site2", "Editor"),
        Put(WRITTEN[0]),
        Say("https://example.org/"),
        Say("file://[bad"),
        Say(None),
    ],
)
def test_nothing_else_is(step: Step):
    assert handed_over(a_plan(step), WRITTEN, POLICY) == ()


def test_a_plan_that_writes_and_then_opens_is_its_own_trail():
    plan = a_plan(Put("/a/x.html"), OpenFile("/a/x.html"))

    assert written_by(plan) == ("/a/x.html",)
    assert hands_over(plan)
    assert handed_over(plan, (), POLICY) == ("/a/x.html",)
    assert handed_over(a_plan(OpenFile("/a/x.html"), Put("/a/x.html")), (), POLICY) == ()


@pytest.mark.parametrize(
    ("text", "may"), [("Hello.", False), ("", False), ("see ~/a", True), ("%2Fetc%2fx", True), ("%2f", True)]
)
def test_a_text_without_a_slash_hands_over_no_file(text: str, *, may: bool):
    assert hands_over(a_plan(Say(text))) is may
    assert may or handed_over(a_plan(Say(text)), (*WRITTEN, "/"), POLICY) == ()
