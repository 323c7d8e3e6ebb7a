"""Open a home: read its settings, again when they change, and put journal, providers and engine together."""

import os
import site
import sys
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from sayso.assembly.home import Home, Questions
from sayso.assembly.parts import PROVIDERS, list_offers, providers, takes_exact_names, with_wrapped_tools
from sayso.config import Settings
from sayso.config import load as load_settings
from sayso.config.load import ADMINISTRATOR
from sayso.config.paths import Places, places, ways
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.ports import BackendContext, Clock, Ids, KillPoint, no_kill_point
from sayso.core.provider import Provider
from sayso.journal.sqlite import SqliteJournal
from sayso.policy.paths import within
from sayso.policy.settings import Mode, Policy
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.runtime.maintenance import Maintenance
from sayso.runtime.recovery import Recovery, this_process
from sayso.runtime.registry import Backends, catalogue, codec, outside_stores, unavailable
from sayso.runtime.services import Services, WaitsForDelay, is_stopping, log_warning
from sayso.runtime.system import RandomIds, SystemClock

Stamp = tuple[tuple[int, int, int] | None, ...]


def nowhere(policy: Policy) -> tuple[str, ...]:
    """Return no paths; the default where no program files have to be protected."""
    return ()


class ReloadingSettings:
    """Returns the current settings when called; each call checks whether the files have changed.

    `others` are the names of the sections that providers from other packages own. `program` returns the paths of
    sayso's own program files, which no action may change.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        others: Collection[str] = (),
        program: Callable[[Policy], tuple[str, ...]] = nowhere,
    ) -> None:
        self._environ = environ
        self._others = others
        self._program = program
        self._files = (places(environ).config, ADMINISTRATOR)
        self._stamp: Stamp | None = None
        self._good: Settings | None = None
        self._now: Settings | None = None

    def __call__(self) -> Settings:
        """Return the settings.

        Raises `SetupError` if the files are invalid and no valid settings were read before. If valid settings were
        read before, those are returned with `paused` set, until the files are valid again.
        """
        stamp = tuple(_stamp(file) for file in self._files)
        if self._now is None or stamp != self._stamp:
            self._now, self._stamp = self._read(), stamp
        return self._now

    def _read(self) -> Settings:
        try:
            read = load_settings(self._environ, others=self._others)
        except SetupError as wrong:
            if self._good is None:
                raise
            if self._now is self._good:
                log_warning("the settings cannot be read any more, so everything is paused: %s", wrong)
            return replace(self._good, policy=replace(self._good.policy, paused=True, unreadable=str(wrong)))
        self._good = replace(read, policy=replace(read.policy, program=self._program(read.policy)))
        return self._good


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # ctime, unlike mtime, also changes with the permissions, and no program can set it back.
    return (found.st_ino, found.st_size, found.st_ctime_ns)


_OF_A_PREFIX = ("bin", "include", "lib", "lib64", "pyvenv.cfg")


def program(policy: Policy) -> tuple[str, ...]:
    """Return the outermost files and folders of sayso's own program that actions could reach."""
    near = (policy.home, policy.real_home, *policy.roots, *policy.real_roots)
    must = [*_packages(), *_parts_of_prefixes(near)]
    may = [place for place in _module_search_path() if not _holds(place, near)]
    found = [form for place in (*must, *may) for form in ways(place)]
    reachable = [form for form in dict.fromkeys(found) if within(form, near) or _holds(form, near)]
    return tuple(form for form in reachable if not any(form != other and within(form, (other,)) for other in reachable))


def _packages() -> list[str]:
    """Return the folders of sayso's package, and of the packages that offer providers."""
    names = {offer.module.partition(".")[0] for offer in list_offers()}
    return [place for name in ("sayso", *sorted(names)) for place in _places_of(name)]


def _places_of(name: str) -> list[str]:
    module = sys.modules.get(name)
    folders: Iterable[str] = getattr(module, "__path__", ())
    file: str | None = getattr(module, "__file__", None)
    return [_absolute(place) for place in folders] or ([_absolute(file)] if file else [])


def _parts_of_prefixes(near: tuple[str, ...]) -> list[str]:
    """Return the folders of the Python environment; if one contains the home or a root, only its known parts."""
    out: list[str] = []
    for prefix in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix)):
        place = _absolute(prefix)
        out += [f"{place.rstrip('/')}/{part}" for part in _OF_A_PREFIX] if _holds(place, near) else [place]
    return out


def _module_search_path() -> list[str]:
    """Return the folders in which Python searches for modules.

    The first entry of `sys.path`, the folder of the script or the working folder, is the person's, and is left out;
    with Python's safe paths there is no such entry. The user's folder for packages counts even if it does not exist
    yet.
    """
    searched = sys.path if sys.flags.safe_path else sys.path[1:]
    user = site.getusersitepackages()
    cache = [sys.pycache_prefix] if sys.pycache_prefix else []
    return [_absolute(place) for place in (*searched, *cache, user) if place]


def _holds(place: str, near: Iterable[str]) -> bool:
    return any(within(folder, (place,)) for folder in near)


def _absolute(place: str) -> str:
    return str(Path(place).absolute())


@asynccontextmanager
async def open_home(  # noqa: PLR0913 - each is a part that may be replaced
    folder: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    kill: KillPoint = no_kill_point,
    stopping: Callable[[], bool] = is_stopping,
    mode: Mode | None = None,
    waits: WaitsForDelay | None = None,
) -> AsyncGenerator[Home]:
    """Open a home: load its settings, open its journal, and settle the actions that dead processes had begun.

    `folder` is what `SAYSO_HOME` would name; without it the environment decides. `mode` replaces the mode of the
    settings while this home is open; the caller must know whether that is allowed. `waits` is called to wait out the
    delay of actions that are held back. Raises `SetupError`.
    """
    environ = os.environ if environ is None else environ
    environ = environ if folder is None else {**environ, "SAYSO_HOME": folder}
    clock = clock or SystemClock()
    _finish_restore(places(environ))
    parts = providers()
    others = [part.settings_section for part in parts if part not in PROVIDERS]
    settings = ReloadingSettings(environ, others=others, program=program)
    now = settings()
    parts = with_wrapped_tools(parts, now)
    journal = SqliteJournal(str(now.places.database), clock=clock, redact=now.policy.audit_redact, kill=kill)
    ids = ids or RandomIds(journal.newest_key)
    kinds = kinds_of(parts, now)
    questions = Questions()
    backends = Backends(
        parts, kinds, lambda part: replace(ground(part, now, clock, ids, kill), answers=questions, talk=questions.chat)
    )
    tools = Services(
        catalogue=catalogue(parts),
        backends=backends,
        unavailable=unavailable(parts, kinds, now.environ),
        codec=codec(parts),
        policy=lambda: _in_mode(settings().policy, mode),
        journal=journal,
        locks=FileLocks(now.places.locks),
        clock=clock,
        ids=ids,
        owner=this_process(),
        kill=kill,
        takes_exact_names=takes_exact_names,
        knows_code=lambda code: load("sayso.templates.library:load_library")(now.places.actions).has(code),
        outside_stores=lambda: outside_stores(parts),
        stopping=stopping,
        waits=waits,
    )
    await journal.open()
    try:
        home = Home(settings, tools, journal, parts, questions)
        questions.at(home)  # the backends use it, and some settle what a dead process began
        await _bring_up_to_date(home, now)
        yield home
    finally:
        backends.close()
        await journal.close()


def _finish_restore(there: Places) -> None:
    """Put a backup in its place if a restore of it was interrupted."""
    if (there.home / "restore").exists():
        kept = load("sayso.assembly.restore:finish")(there)
        log_warning("a backup that was being put back is in its place now; what was there before is in %s", kept)


async def _bring_up_to_date(home: Home, now: Settings) -> None:
    """Warn of settings that hide nothing, settle what dead processes had begun, and clean up once a day."""
    for sentence in unknown_names(now, home.tools.catalogue):
        log_warning("%s", sentence)
    await Recovery(home.tools).on_opening()
    await Maintenance(home.tools, now.places.upkeep, home.journal.prune).daily()


def unknown_names(settings: Settings, operations: Mapping[str, Operation]) -> list[str]:
    """Return a sentence for each name in `policy.audit_redact` that matches no argument, so that it hides nothing."""
    names = settings.policy.audit_redact
    find = "sayso.assembly.redaction_names:explain_unknown_names"
    return load(find)(names, operations, settings.places.actions) if names else []


def _in_mode(policy: Policy, mode: Mode | None) -> Policy:
    return policy if mode in {None, policy.mode} else replace(policy, mode=mode)


def kinds_of(parts: Iterable[Provider], settings: Settings) -> dict[str, str]:
    """Return the kind of backend that the settings choose, by store."""
    return {part.store: _kind(part, settings) for part in parts}


def _kind(provider: Provider, settings: Settings) -> str:
    """Return the kind that the settings choose; `auto` or no value means the kind found here, else the default."""
    kind = settings.sections.get(provider.settings_section, {}).get("kind")
    if kind not in {None, "", "auto"}:
        return str(kind)
    found = load(provider.finds)(settings.environ) if provider.finds else None
    return found or provider.default or ""


def ground(provider: Provider, settings: Settings, clock: Clock, ids: Ids, kill: KillPoint) -> BackendContext:
    """Return the context that a provider's backend is built from."""
    policy = settings.policy
    return BackendContext(
        settings={
            **settings.sections.get(provider.settings_section, {}),
            "preset": settings.presets,
            "shortcuts": settings.shortcuts,
        },
        home=policy.home,
        own=policy.own,
        also_own=policy.also_own,
        roots=policy.roots,
        clock=clock,
        ids=ids,
        kill=kill,
        options={
            "append_missing": policy.append_missing,
            "confirm_sites": policy.confirm_sites,
            "undo_keep_seconds": policy.undo_keep,
            "undo_bytes": policy.undo_bytes,
        },
        environ=settings.environ,
        hosted=partial(FileLocks(settings.places.locks).anybody, HOSTING),
    )
