"""What serves each store on this machine, why that, why nothing else does, and what to install or set."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace

from sayso.assembly.opening import ground, kinds_of
from sayso.assembly.parts import providers
from sayso.config import Settings
from sayso.core.capability import Capability, Fit, Fits, Other
from sayso.core.errors import SaysoError
from sayso.core.loading import load
from sayso.core.ports import Explains, no_kill_point
from sayso.core.provider import Provider
from sayso.runtime.backends import Backends, unserved
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli.finding import Finding

SIMULATED = "memory"
A_SIMULATION = "a simulation, in which nothing outside sayso happens"
_EXTRA = ".extra"
"""How the codes end of errors that say which packages are to be installed."""


async def of_stores(now: Settings) -> AsyncIterator[Finding]:
    """Yield what serves each store, and then what serves each of its parts."""
    parts = providers()
    kinds = kinds_of(parts, now)
    clock, ids = SystemClock(), RandomIds()
    backends = Backends(parts, kinds, lambda part: ground(part, now, clock, ids, no_kill_point))
    try:
        for part in parts:
            chosen = Chosen(part, kinds.get(part.store, ""), now)
            async for one in _of_store(chosen, backends, now.environ):
                yield one
    finally:
        backends.close()


class Chosen:
    """The kind of backend that one store has, and why."""

    def __init__(self, part: Provider, kind: str, now: Settings) -> None:
        self.part, self.kind = part, kind
        self.setting = f"{part.settings_section}.kind"
        self.named = now.sections.get(part.settings_section, {}).get("kind") not in {None, "", "auto"}
        """Whether the settings name it."""
        self.fits: Fits = load(part.fits)(now.environ) if part.fits else Fits({}, "", "")

    @property
    def why(self) -> str:
        """Say why it was chosen."""
        if self.named:
            simulated = f"{A_SIMULATION}; " if self.kind == SIMULATED else ""
            return f"{simulated}{self.setting} names it"
        if fit := self.fits.kinds.get(self.kind):
            return fit.says
        meant = self.part.kinds.get(self.kind)
        return meant or f"{self.setting} names no other"

    def others(self) -> Iterator[Other]:
        """Yield what could serve it too, the simulation last."""
        for kind in sorted(set(self.part.backends) - {self.kind}, key=lambda kind: (kind == SIMULATED, kind)):
            yield self._other(kind)

    def _other(self, kind: str) -> Other:
        if kind == SIMULATED:
            return Other(kind, A_SIMULATION)
        if fit := self.fits.kinds.get(kind):
            return self._fitting(kind, fit)
        return Other(kind, self.part.kinds.get(kind, f"{self.setting} does not name it"), self.to_set(kind))

    def _fitting(self, kind: str, fit: Fit) -> Other:
        if not fit.here:
            return Other(kind, fit.says, fit.fix)
        return Other(kind, f"{fit.says}, but {self.setting} names “{self.kind}”", f"sayso config unset {self.setting}")

    def to_set(self, kind: str) -> str:
        """Return the command that chooses another kind."""
        return f"sayso config set {self.setting} {kind}"

    def otherwise(self) -> str:
        """Say what to set where the kind that is named does not work here."""
        real = [kind for kind in self.part.backends if kind != SIMULATED]
        if self.fits.kinds or self.part.default in real:
            return f"sayso config unset {self.setting}, so that sayso chooses"
        return f"[{self.part.settings_section}] kind in the settings may be: {', '.join(sorted(self.part.backends))}"


async def _of_store(chosen: Chosen, backends: Backends, environ: Mapping[str, str]) -> AsyncIterator[Finding]:
    if chosen.part.store not in backends:
        yield _of(chosen, _not_served(chosen, environ))
        return
    found = _served(chosen, backends)
    if found.backend and isinstance(backend := backends[chosen.part.store], Explains):
        parts = await backend.capabilities()
        yield _of(chosen, found if any(one.served for one in parts) else replace(found, how="note"))
        for one in parts:
            yield _part(chosen, one)
        return
    yield _of(chosen, found)


def _of(chosen: Chosen, found: Finding) -> Finding:
    return replace(found, store=chosen.part.store, others=tuple(chosen.others()))


def _served(chosen: Chosen, backends: Backends) -> Finding:
    store = chosen.part.store
    try:
        backend = backends[store]
    except SaysoError as problem:
        return _unbuilt(chosen, problem)
    except ImportError as missing:
        says = f"“{chosen.kind}” needs {missing.name}"
        return Finding(store, "broken", says, f"pip install {missing.name}", why=says)
    how = "note" if chosen.kind == SIMULATED else "good"
    return Finding(store, how, f"{backend.name}: {chosen.why}", backend=backend.name, why=chosen.why)


def _unbuilt(chosen: Chosen, problem: SaysoError) -> Finding:
    """Say why it does not work here; a package that is not installed is trouble only for what the settings name."""
    says, _, fix = str(problem).partition("; ")
    trouble = chosen.named or not problem.code.endswith(_EXTRA)
    return Finding(
        chosen.part.store,
        "broken" if trouble else "note",
        f"“{chosen.kind}” does not work here: {says}" if trouble else f"not available: {says}",
        fix or chosen.otherwise(),
        why=says,
    )


def _not_served(chosen: Chosen, environ: Mapping[str, str]) -> Finding:
    store = chosen.part.store
    why, fix = unserved(chosen.part, chosen.kind, environ)
    if chosen.kind:
        return Finding(store, "broken", why, chosen.otherwise(), why=why)
    return Finding(store, "note", f"not available: {why}", fix, why=why)


def _part(chosen: Chosen, one: Capability) -> Finding:
    store, why, others = chosen.part.store, one.why, one.others
    if one.served:
        return Finding(one.name, "good", f"{one.served}: {why}", "", store, one.served, why, others)
    how = "broken" if one.asked else "note"
    return Finding(one.name, how, f"not available: {why}", one.fix, store, "", why, others)
