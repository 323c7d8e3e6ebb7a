"""A provider: the operations, steps, facts and backends of one domain, and what each backend can do here."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Fact, Step
from sayso.core.settings import Setting, one_of


class Alternative(Struct, frozen=True):
    """Another program or service for the same capability, and why it is not used."""

    name: str
    why: str
    fix: str = ""
    """What the person can install or set so that it is used; empty if there is nothing."""


class Capability(Struct, frozen=True):
    """One ability of a backend that depends on the machine: which program provides it here, if any, and why."""

    name: str
    served: str
    """The program or service that is used; empty if there is none."""
    why: str
    fix: str = ""
    """What the person can install or set if nothing is available."""
    others: tuple[Alternative, ...] = ()
    asked: bool = False
    """Whether the settings ask for this ability explicitly; if so, it is an error that nothing provides it."""


class Availability(Struct, frozen=True):
    """Whether one kind of backend works in this desktop session; `says` gives the evidence, as a part of a sentence."""

    here: bool
    says: str
    fix: str = ""


class Availabilities(Struct, frozen=True):
    """Which kinds of backend work in this desktop session, and the message if none does."""

    kinds: Mapping[str, Availability]
    none: str
    fix: str


def add_extra(extra: str) -> str:
    """Return what adds an extra to the sayso that runs here: a command or, for a distribution, what to install."""
    return load("sayso.providers.programs.extras:how_to_add")(extra)


class Requirement(Struct, frozen=True):
    """The Python modules that a kind of backend needs beyond a plain install, and the message if they are missing."""

    modules: tuple[str, ...]
    says: str
    """What is missing and how to install it.

    `{module}` becomes the missing module, `{error}` Python's message, and `{install}` the command that adds `extra`.
    """
    code: str
    extra: str = ""
    """The extra of sayso that has the modules."""

    def explain(self, error: ImportError | OSError) -> SetupError | None:
        """Return the error for the person; None if the import failed for a reason other than these modules."""
        name = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else self.modules[0]
        if name not in self.modules:
            return None
        install = add_extra(self.extra) if self.extra else ""
        return SetupError(self.says.format(module=name, error=error, install=install), self.code)


class Provider(Struct, frozen=True):
    """One domain: its operations, the steps and facts it may write, and the functions that build its backends.

    Operations, steps and facts are tuples, or a `LazySequence` that imports them when they are needed. `backends` maps
    a kind (`local`, `memory`, …) to `module:function`, imported only when chosen; the function takes a `BackendContext`
    and returns a `Backend`. `default` is the kind used when the settings name none; None means "not available on this
    system" until the settings name one. If the kind depends on the session, `finds` names a `module:function` that
    takes the environment and returns the kind, or None.
    """

    store: str
    operations: Sequence[Operation]
    steps: Sequence[type[Step]] = ()
    facts: Sequence[type[Fact]] = ()
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    requires: Mapping[str, Requirement] = field(default_factory=dict[str, Requirement])
    """The modules that a kind of backend needs beyond those of sayso itself."""
    default: str | None = None
    finds: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each kind of backend is for, in a few words, if it is the same in every session; for `sayso doctor`."""
    only_on: Mapping[str, str] = field(default_factory=dict[str, str])
    """The system (`sys.platform`) of each kind of backend that works on one only."""
    fits: str = ""
    """A `module:function` that takes the environment and returns `Availabilities`, if these depend on the session."""
    section: str = ""
    """The section of the settings, if its name is not the store's."""
    serves: str = ""
    """What its backends give access to, in a few words; used in the description of the setting `kind`."""
    settings: tuple[Setting, ...] = ()
    """The keys of its section, except `kind`."""
    context: Mapping[str, str] = field(default_factory=dict[str, str])
    """By operation, the function that describes this store to a model before it answers, if the operation is allowed.

    Each is a `module:function` that takes the backend's `reads` and `ContextLimits`, and returns context pieces.
    """

    outside: tuple[str, ...] | None = None
    """The stores of which its operations return text of strangers; None if they themselves are to be looked at."""

    @property
    def settings_section(self) -> str:
        """Return the name of this provider's section of the settings."""
        return self.section or self.store

    @property
    def keys(self) -> tuple[Setting, ...]:
        """Return the settings of this provider: the kind of backend, and the settings of the kinds."""
        kinds = ("auto", *self.backends) if self.finds else tuple(self.backends)
        chosen = one_of(*sorted(kinds, key=lambda kind: kind == "memory"))
        return (Setting(self.settings_section, "kind", chosen, f"What serves {self.serves}."), *self.settings)
