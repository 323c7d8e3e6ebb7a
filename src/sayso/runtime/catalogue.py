"""One catalogue of operations, steps and facts, from whatever providers there are."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

from sayso.core.codec import Codec
from sayso.core.errors import SetupError
from sayso.core.operation import Operation
from sayso.core.ports import Backend, Ground, Provider


def catalogue(providers: Iterable[Provider]) -> dict[str, Operation]:
    """Return all operations by id. Raises `SetupError` when two providers declare the same one."""
    known: dict[str, Operation] = {}
    for provider in providers:
        for operation in provider.operations:
            if operation.id in known:
                raise SetupError(f"two providers declare the operation “{operation.id}”; remove one", "provider.twice")
            known[operation.id] = operation
    return known


def codec(providers: Iterable[Provider]) -> Codec:
    """Return what reads back every step and fact of these providers."""
    steps = [step for provider in providers for step in provider.steps]
    facts = [fact for provider in providers for fact in provider.facts]
    return Codec(steps, facts)


class Backends(Mapping[str, Backend]):
    """The backend of each store, built when it is first asked for; `kinds` names the chosen ones."""

    def __init__(
        self, providers: Iterable[Provider], kinds: Mapping[str, str], ground: Callable[[Provider], Ground]
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
            module, _, maker = provider.backends[self._kinds[store]].partition(":")
            self._built[store] = getattr(import_module(module), maker)(self._ground(provider))
        return self._built[store]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the stores that are served."""
        return iter(self._served)

    def __len__(self) -> int:
        """Return how many stores are served."""
        return len(self._served)

    def __contains__(self, store: object) -> bool:
        """Say whether a store is served, without building anything."""
        return store in self._served


def unavailable(providers: Iterable[Provider], kinds: Mapping[str, str]) -> dict[str, str]:
    """Return why stores are not served: nothing chosen, or a kind that there is not (X-05)."""
    whys: dict[str, str] = {}
    for provider in providers:
        kind = kinds.get(provider.store, "")
        if kind not in provider.backends:
            choices = ", ".join(sorted(provider.backends)) or "none yet"
            chosen = f"there is no kind “{kind}”" if kind else "nothing is set up for it"
            section = provider.settings_section
            whys[provider.store] = f"“{section}”: {chosen}; `[{section}] kind` may be: {choices}"
    return whys
