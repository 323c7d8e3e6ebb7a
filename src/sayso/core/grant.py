"""A standing permission as a value: an action that was done once, which arguments may vary, and the end date."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from sayso.core.encoding import Json

Within = Literal["folder", "site", "any"]


class VariableArgument(Struct, frozen=True):
    """One argument that may vary, and its limits.

    `folder`: a name with the ending `ending` directly in the folder `of`; `site`: an address on the site `of`; `any`:
    any value that the operation accepts.
    """

    argument: str
    within: Within
    of: str = ""
    ending: str = ""


class GrantPath(Struct, frozen=True):
    """One path, with links resolved, that a permitted step may name.

    `path` is the path itself or, with an `ending`, the folder in which names with that ending are permitted.
    """

    step: str
    field: str
    path: str
    ending: str | None = None


class Scope(Struct, frozen=True):
    """The reach of the action that was done; the permission does not cover an action that reaches further."""

    steps: tuple[str, ...] = ()
    places: tuple[GrantPath, ...] = ()
    apps: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """The kinds of things that the action found; if it found only `unchanged file`, an action on a folder is not
    covered.
    """
    loses: bool = False
    """Whether the action replaced or removed something."""
    changes: int = 0
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    """The backend and account that served each store."""


class Grant(Struct, frozen=True):
    """A standing permission for one operation until a time: some arguments are fixed, others may vary.

    It answers only `mode` questions, never `floor` or `click` ones. Only `uses`, `last_used` and the three `revoked`
    fields ever change.
    """

    id: str
    operation: str
    fixed: Mapping[str, Json]
    expires: str
    created: str
    varies: tuple[VariableArgument, ...] = ()
    scope: Scope = Scope()
    definition: str = ""
    """Version and digest of the operation when the permission was given."""
    handler: str | None = None
    """The hash of the handler's code, if this is an action of the person's own."""
    home: str = ""
    """sayso's own folder; a permission that was copied to another home is not valid there."""
    policy: str = ""
    learnt_from: str = ""
    """The id of the action from which the permission was made."""
    given_by: str = ""
    """How the person gave it: `terminal`, `click`, …."""
    entry: str = ""
    """The surface on which the person gave it."""
    most_uses: int | None = None
    uses: int = 0
    last_used: str | None = None
    revoked: bool = False
    revoked_at: str | None = None
    revoked_by: str | None = None


class Wish(Struct, frozen=True):
    """What the person asks to permit: actions like `ref`, which arguments may vary, for how long and how often."""

    ref: str
    vary: tuple[str, ...] = ()
    seconds: int | None = None
    """None for the duration in the settings."""
    uses: int | None = None
    """None for any number of uses."""


class GrantOffer(Struct, frozen=True):
    """A permission that is offered to the person; a yes is valid only for this digest."""

    wish: Wish
    grant: Grant
    """The permission that would be given; its id is still empty."""
    could_vary: tuple[VariableArgument, ...]
    """Other arguments that the person could let vary."""
    digest: str
