"""The registry: operations, steps and facts by name, and the backend of each store."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TypeVar

from sayso.core.errors import SetupError
from sayso.core.lazy import LazyMapping, LazySequence, load
from sayso.core.operation import Operation
from sayso.core.plan import Codec, Fact, ResultRef, Step
from sayso.core.ports import Backend, BackendContext, Closes
from sayso.core.provider import Availabilities, Provider
from sayso.core.quotes import quoted

T = TypeVar("T")


def catalogue(providers: Iterable[Provider]) -> Mapping[str, Operation]:
    """Return all operations by id, each imported at its first use.

    Raises `SetupError` when two providers declare the same operation.
    """
    known: LazyMapping[Operation] = LazyMapping()
    for provider in providers:
        ids = names_of_operations(provider.operations)
        twice = next((id_ for id_ in ids if id_ in known or ids.count(id_) > 1), None)
        if twice is not None:
            raise SetupError(f"two providers declare the operation {quoted(twice)}; remove one", "provider.twice")
        known.add(provider.operations, ids)
    return known


def names_of_operations(operations: Sequence[Operation]) -> Sequence[str]:
    """Return the ids of a provider's operations, without importing them where that is possible."""
    return _names(operations, lambda operation: operation.id)


def outside_stores(providers: Iterable[Provider]) -> frozenset[str]:
    """Return the stores that hold text of strangers: those of which some operation returns it."""
    found: set[str] = set()
    for provider in providers:
        if provider.outside is None:
            found.update(store for operation in provider.operations if operation.outside for store in operation.stores)
        else:
            found.update(provider.outside)
    return frozenset(found)


def codec(providers: Iterable[Provider]) -> Codec:
    """Return a codec that reads every step and fact of these providers; each class is imported at its first use."""
    steps: LazyMapping[type[Step]] = LazyMapping()
    facts: LazyMapping[type[Fact]] = LazyMapping()
    for provider in providers:
        steps.add(provider.steps, _names(provider.steps, lambda step: step.step))
        facts.add(provider.facts, _names(provider.facts, lambda fact: fact.fact))
    facts.add((ResultRef,), (ResultRef.fact,))
    return Codec.by_name(steps, facts)


def _names(items: Sequence[T], name: Callable[[T], str]) -> Sequence[str]:
    return items.names if isinstance(items, LazySequence) else [name(item) for item in items]


NOT_YET = "nothing in this version of sayso serves it"


def build_backend(provider: Provider, kind: str, context: BackendContext) -> Backend:
    """Return a new backend of this kind. Raises `SetupError`, also when a library that it needs is not installed."""
    try:
        build: Callable[[BackendContext], Backend] = load(provider.backends[kind])
    except (ImportError, OSError) as error:
        missing = provider.requires[kind].explain(error) if kind in provider.requires else None
        if missing is None:
            raise
        raise _why_not_here(provider, kind, context.environ) or missing from error
    return build(context)


def _why_not_here(provider: Provider, kind: str, environ: Mapping[str, str]) -> SetupError | None:
    """Return the error for a kind that does not fit this desktop session, where no library would help; else None."""
    if not provider.fits:
        return None
    session: Availabilities = load(provider.fits)(environ)
    found = session.kinds.get(kind)
    if found is None or found.here or found.fix:
        return None
    return SetupError(f"{found.says}; {session.fix}", "screen.missing")


class Backends(Mapping[str, Backend]):
    """The backend of each store, built when it is first used; `kinds` names the chosen kinds."""

    def __init__(
        self, providers: Iterable[Provider], kinds: Mapping[str, str], ground: Callable[[Provider], BackendContext]
    ) -> None:
        self._served = {
            provider.store: provider for provider in providers if kinds.get(provider.store) in provider.backends
        }
        self._kinds = kinds
        self._ground = ground
        self._built: dict[str, Backend] = {}

    def __getitem__(self, store: str) -> Backend:
        """Return the backend of a store; its module is imported only now."""
        if store not in self._built:
            provider = self._served[store]
            self._built[store] = build_backend(provider, self._kinds[store], self._ground(provider))
        return self._built[store]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the stores that are served."""
        return iter(self._served)

    def __len__(self) -> int:
        """Return how many stores are served."""
        return len(self._served)

    def __contains__(self, store: object) -> bool:
        """Return whether a store is served, without building anything."""
        return store in self._served

    def lacks_modules(self, store: str) -> bool:
        """Return whether the backend of a store needs a Python module that is not installed; nothing is imported."""
        needs = self._served[store].requires.get(self._kinds[store])
        return needs is not None and any(find_spec(name) is None for name in needs.modules)

    def close(self) -> None:
        """Close every backend that was built and has open resources."""
        for backend in self._built.values():
            if isinstance(backend, Closes):
                backend.close()


def unavailable(providers: Iterable[Provider], kinds: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return, for each store that is not served, why: no backend fits, or the chosen kind does not exist (X-05)."""
    whys: dict[str, str] = {}
    for provider in providers:
        kind = kinds.get(provider.store, "")
        if kind not in provider.backends:
            why, fix = explain_unserved(provider, kind, environ)
            whys[provider.store] = f"{quoted(provider.settings_section)}: {why}" + (f"; {fix}" if fix else "")
    return whys


def explain_unserved(provider: Provider, kind: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return why nothing serves a store, and advice for the person; the advice is empty if nothing helps."""
    if kind:
        choices = ", ".join(sorted(provider.backends))
        fix = f"`[{provider.settings_section}] kind` may be: {choices}" if choices else ""
        return f"there is no kind {quoted(kind)}", fix
    fits: Availabilities | None = load(provider.fits)(environ) if provider.fits else None
    return (fits.none, fits.fix) if fits else (NOT_YET, "")
