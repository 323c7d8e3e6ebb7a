"""Open a home: load its settings, build its parts, settle what a dead process left, and close it again."""

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from sayso.assembly.home import Home
from sayso.assembly.parts import EXACT, PROVIDERS, providers
from sayso.assembly.program import program
from sayso.assembly.questions import Questions
from sayso.assembly.reloading import Reloading
from sayso.config import Settings
from sayso.core.loading import load
from sayso.core.ports import Clock, Ground, Ids, KillPoint, no_kill_point
from sayso.core.provider import Provider
from sayso.journal.sqlite import SqliteJournal
from sayso.policy.settings import Mode, Policy
from sayso.runtime.backends import Backends, unavailable
from sayso.runtime.catalogue import catalogue, codec
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from sayso.runtime.locks import FileLocks
from sayso.runtime.owner import this_process
from sayso.runtime.recovery import Recovery
from sayso.runtime.tools import Tools, never
from sayso.runtime.upkeep import Upkeep
from sayso.runtime.waiting import Waits


@asynccontextmanager
async def open_home(  # noqa: PLR0913 - each is a part that may be replaced
    folder: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    kill: KillPoint = no_kill_point,
    stopping: Callable[[], bool] = never,
    mode: Mode | None = None,
    waits: Waits | None = None,
) -> AsyncGenerator[Home]:
    """Open a home: load its settings, open its journal, and settle what a dead process left.

    `folder` is what `SAYSO_HOME` would name; without it the environment decides. `mode` holds in place of
    the settings' one while this home is open; whether that may be is the caller's to know. `waits` waits out what
    is held back. Raises `SetupError`.
    """
    environ = dict(os.environ if environ is None else environ)
    if folder is not None:
        environ["SAYSO_HOME"] = folder
    clock, ids = clock or SystemClock(), ids or RandomIds()
    parts = providers()
    others = [part.settings_section for part in parts if part not in PROVIDERS]
    settings = Reloading(environ, others=others, program=program)
    now = settings()
    journal = SqliteJournal(str(now.places.database), clock=clock, redact=now.policy.audit_redact, kill=kill)
    kinds = kinds_of(parts, now)
    questions = Questions()
    backends = Backends(parts, kinds, lambda part: replace(ground(part, now, clock, ids, kill), answers=questions))
    tools = Tools(
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
        exact=EXACT,
        knows_code=lambda code: load("sayso.templates.library:load_library")(now.places.actions).has(code),
        stopping=stopping,
        waits=waits,
    )
    await journal.open()
    try:
        await Recovery(tools).on_opening()
        await Upkeep(tools, now.places.upkeep, journal.prune).daily()
        home = Home(settings, tools, journal, parts, questions)
        questions.at(home)
        yield home
    finally:
        backends.close()
        await journal.close()


def _in_mode(policy: Policy, mode: Mode | None) -> Policy:
    return policy if mode in {None, policy.mode} else replace(policy, mode=mode)


def kinds_of(parts: Iterable[Provider], settings: Settings) -> dict[str, str]:
    """Return which backend the settings choose for each store."""
    return {part.store: _kind(part, settings) for part in parts}


def _kind(provider: Provider, settings: Settings) -> str:
    """Return which backend the settings choose; `auto` and nothing mean the provider's default."""
    kind = settings.sections.get(provider.settings_section, {}).get("kind")
    if kind not in {None, "", "auto"}:
        return str(kind)
    found = load(provider.finds)(settings.environ) if provider.finds else None
    return found or provider.default or ""


def ground(provider: Provider, settings: Settings, clock: Clock, ids: Ids, kill: KillPoint) -> Ground:
    """Return what a provider's backend is built from."""
    policy = settings.policy
    return Ground(
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
    )
