"""A standing permission as a value: what was done once, what of it is fixed or may vary, and until when."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from sayso.core.encoding import Json

Within = Literal["folder", "site", "any"]


class VariableArgument(Struct, frozen=True):
    """One argument that may vary, and within what.

    `folder`: a name directly in the folder `of` with the ending `ending`; `site`: an address of the site
    `of`; `any`: any value that the operation takes.
    """

    argument: str
    within: Within
    of: str = ""
    ending: str = ""


class GrantPath(Struct, frozen=True):
    """One path, links resolved, that a step of such an action names.

    `path` is the path itself or, with an `ending`, the folder in which a name with that ending may stand.
    """

    step: str
    field: str
    path: str
    ending: str | None = None


class Scope(Struct, frozen=True):
    """How far an action reached that was done: an action that reaches further is another one."""

    steps: tuple[str, ...] = ()
    places: tuple[GrantPath, ...] = ()
    apps: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """What sort of things it found: `unchanged file` is no folder."""
    loses: bool = False
    """Something was replaced or taken away by it."""
    changes: int = 0
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    """Which backend and account served each store."""


class Grant(Struct, frozen=True):
    """A standing permission: one operation, these arguments fixed, those varying, until a time.

    It answers mode questions only, never floor or click ones. `uses`, `last_used` and what is said of its
    end change; everything else stays as it was given.
    """

    id: str
    operation: str
    fixed: Mapping[str, Json]
    expires: str
    created: str
    varies: tuple[VariableArgument, ...] = ()
    scope: Scope = Scope()
    definition: str = ""
    """Version and digest of the operation as it was when this was given."""
    handler: str | None = None
    """Of an action of the person's own: hash of its code."""
    home: str = ""
    """sayso's own folder: a permission that was copied into another home means nothing there."""
    policy: str = ""
    learnt_from: str = ""
    """The action that was done, and that this is like."""
    given_by: str = ""
    """`terminal`, `click`, …: how the person said so."""
    entry: str = ""
    """The surface on which they did."""
    most_uses: int | None = None
    uses: int = 0
    last_used: str | None = None
    revoked: bool = False
    revoked_at: str | None = None
    revoked_by: str | None = None


class Wish(Struct, frozen=True):
    """What the person wants: like which action, which arguments may vary, for how long, how often."""

    ref: str
    vary: tuple[str, ...] = ()
    seconds: int | None = None
    """None for as long as the settings say."""
    uses: int | None = None
    """None for as often as need be."""


class GrantOffer(Struct, frozen=True):
    """A permission as it would be given; a yes is for exactly this, by its digest."""

    wish: Wish
    grant: Grant
    """Its id is empty, since it was not given."""
    could_vary: tuple[VariableArgument, ...]
    """What else may vary, should the person say so."""
    digest: str
