"""What the page is sent of a card: its actions, what is drawn of their plans, and the permissions it offers."""

from collections.abc import Mapping, Sequence
from typing import Any

from sayso.runtime.results import Document

Things = Mapping[str, Any]
"""Members that depend on the operation."""


class Argument(Document, frozen=True):
    """An argument as a card shows it."""

    name: str
    value: Any
    text: str | None
    shown: bool = False
    """Whether the text stands whole elsewhere on the card."""
    repeats: bool = False
    """Whether it is so long that it is not written out a second time."""


class TextShown(Document, frozen=True, tag_field="kind", tag="text"):
    """A text."""

    text: str


class DiffShown(Document, frozen=True, tag_field="kind", tag="diff"):
    """What changes in a text, line by line."""

    text: str


class Person(Document, frozen=True):
    """Who sends a mail, or gets it, and as what."""

    name: str
    values: Sequence[str]


class MailShown(Document, frozen=True, tag_field="kind", tag="mail"):
    """A mail."""

    people: Sequence[Person]
    subject: str
    body: str
    draft: bool


class TabsShown(Document, frozen=True, tag_field="kind", tag="tabs"):
    """Tabs of a browser."""

    tabs: Sequence[str]


class Monitor(Document, frozen=True):
    """A monitor, and its left, top, right and bottom edge."""

    name: str
    edges: Sequence[float]
    main: bool


class Window(Document, frozen=True):
    """A window, and where its edges are now and afterwards."""

    name: str
    before: Sequence[float] | None
    after: Sequence[float]


class WindowsShown(Document, frozen=True, tag_field="kind", tag="windows"):
    """Windows on the monitors."""

    monitors: Sequence[Monitor]
    windows: Sequence[Window]


class ChangedField(Document, frozen=True):
    """A part of something, before and after."""

    name: str
    before: Any
    after: Any


class ChangeShown(Document, frozen=True, tag_field="kind", tag="change"):
    """Something before and after."""

    rows: Sequence[ChangedField]


Shown = TextShown | DiffShown | MailShown | TabsShown | WindowsShown | ChangeShown
"""What is drawn of a plan."""


class Step(Document, frozen=True):
    """One action as a card shows it."""

    index: int
    id: str
    operation: str
    text: str
    why: str
    asks: bool
    arguments: Things
    rows: Sequence[Argument]
    label: str | None
    """What the model calls it, in its own words; None if it wrote nothing."""
    style: str
    """The colour of a yes to it, from the plan: `primary`, `secondary` or `danger`."""
    loses: Sequence[str]
    sends: Sequence[str]
    reaches: Sequence[str]
    warns: Sequence[str]
    looks: Sequence[str]
    undo: str
    lost: bool
    can_undo_now: bool
    preview: str
    shows: Sequence[Shown]
    needs: Sequence[int]
    exactly: str
    digest: str


class Group(Document, frozen=True):
    """Actions of a card that are alike."""

    indices: Sequence[int]
    text: str
    members: Sequence[str]


class Card(Document, frozen=True):
    """All that waits of one run, and the word by which this browser can answer it once."""

    run: str
    ids: Sequence[str]
    digest: str
    nonce: str
    session: str
    entry: str
    dialect: str
    asked_at: str
    expires_at: str | None
    title: str
    level: str
    edited: bool
    fails: str | None
    always: bool
    groups: Sequence[Group]
    steps: Sequence[Step]


class Varying(Document, frozen=True):
    """An argument that an offered permission lets vary, and how far, in words."""

    name: str
    words: str


class PastAction(Document, frozen=True):
    """An action of the past that an offered permission would have allowed, or asked about."""

    id: str
    text: str
    state: str
    because: str | None
    you_said_no: bool


class Offered(Document, frozen=True):
    """A standing permission that could come with a yes."""

    digest: str
    operation: str
    fixed: Sequence[Argument]
    varies: Sequence[Varying]
    reach: Sequence[str]
    expires: str
    most_uses: int | None
    looks: Sequence[str]
    allowed: Sequence[PastAction]
    asked: Sequence[PastAction]


class AlwaysOffers(Document, frozen=True):
    """The standing permissions that could come with a yes, or why there are none."""

    offers: Sequence[Offered]
    why: str | None
