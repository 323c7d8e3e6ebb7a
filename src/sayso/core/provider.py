"""A provider: the operations, steps, facts and backends of one domain, and what each backend can do here."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from sayso.core.errors import SetupError
from sayso.core.operation import Operation
from sayso.core.plan import Fact, Step
from sayso.core.settings import Setting, one_of


class Alternative(Struct, frozen=True):
    """Something that could serve it too, and why it does not here."""

    name: str
    why: str
    fix: str = ""
    """What to install or set for it to serve, where that is in the person's hands."""


class Capability(Struct, frozen=True):
    """One of the things that a backend can do where this machine lets it: what serves it, and why that."""

    name: str
    served: str
    """What serves it; empty where nothing does."""
    why: str
    fix: str = ""
    """What to install or set where nothing serves it."""
    others: tuple[Alternative, ...] = ()
    asked: bool = False
    """Whether the settings ask for it by name, so that it is trouble where nothing serves it."""


class Availability(Struct, frozen=True):
    """Whether one kind of backend is for this session, and by what that shows."""

    here: bool
    says: str
    fix: str = ""


class Availabilities(Struct, frozen=True):
    """Which kinds of backend are for this session, and what is said where none is."""

    kinds: Mapping[str, Availability]
    none: str
    fix: str


class Requirement(Struct, frozen=True):
    """The Python modules that a kind of backend needs beyond a plain install, and what a person reads without them."""

    modules: tuple[str, ...]
    says: str
    """What is missing and the way out; `{module}` stands for the missing module, `{error}` for Python's own words."""
    code: str

    def explain(self, error: ImportError | OSError) -> SetupError | None:
        """Return the error for the person; None where something else than these modules is at fault."""
        name = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else self.modules[0]
        if name not in self.modules:
            return None
        return SetupError(self.says.format(module=name, error=error), self.code)


class Provider(Struct, frozen=True):
    """One domain: its operations, the steps and facts it may write, and where its backends are built.

    Operations, steps and facts are tuples, or a `LazySequence` that imports them when they are needed.
    `backends` maps a kind (`local`, `memory`, …) to `module:function`, imported only when chosen; the
    function takes a `BackendContext` and returns a `Backend`. `default` is the kind used when the settings
    name none; None means "not available on this system" until the settings name one. Where it depends on the
    session, `finds` names a `module:function` that takes the environment and returns the kind, or None.
    """

    store: str
    operations: Sequence[Operation]
    steps: Sequence[type[Step]] = ()
    facts: Sequence[type[Fact]] = ()
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    requires: Mapping[str, Requirement] = field(default_factory=dict[str, Requirement])
    """What a kind of backend needs installed, where that is more than sayso itself."""
    default: str | None = None
    finds: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each kind of backend is for, in one clause, where that is the same in every session; for `doctor`."""
    fits: str = ""
    """A `module:function` that takes the environment and returns `Availabilities`, where it depends on the session."""
    elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])
    """Kinds that the settings may name, and the system (`sys.platform`) that they are for."""
    section: str = ""
    """The section of the settings, where it is not named after the store."""
    serves: str = ""
    """What its backends serve, in a few words; the setting that chooses a kind is described by it."""
    settings: tuple[Setting, ...] = ()
    """The keys of its section, beside the one that chooses a kind."""
    context: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a model is told of this store before it answers: by the operation that must be allowed for that,
    a `module:function` that takes the store's reads and an `Around` and returns pieces."""

    @property
    def settings_section(self) -> str:
        """Return the section of the settings that is for this provider."""
        return self.section or self.store

    @property
    def keys(self) -> tuple[Setting, ...]:
        """Return the settings of this provider: which kind of backend serves it, and what the kinds need to know."""
        kinds = ("auto", *self.backends) if self.finds else tuple(self.backends)
        chosen = one_of(*sorted((*kinds, *self.elsewhere), key=lambda kind: kind == "memory"))
        return (Setting(self.settings_section, "kind", chosen, f"What serves {self.serves}."), *self.settings)
