"""What works on this machine, as the settings want it: each thing that was looked at, and the way to mend it."""

import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator, Mapping

from sayso.config import Places, Settings, load, places
from sayso.config.load import settings as settings_from
from sayso.core.errors import SetupError
from sayso.providers.disk.syscalls import beneath
from sayso.surfaces.cli import trail
from sayso.surfaces.cli.answering import of_models
from sayso.surfaces.cli.automatic import of_triggers
from sayso.surfaces.cli.finding import Finding
from sayso.surfaces.cli.homes import foreign_sections
from sayso.surfaces.cli.stores import of_stores
from sayso.surfaces.cli.terminal import NoTerminal, find_terminal
from sayso.templates.child.confining import unheld

HINDERS = "that hinders mistakes, and no code that is set on it"


async def findings(environ: Mapping[str, str]) -> list[Finding]:
    """Look at everything; what is broken keeps nothing else from being looked at.

    Raises `SetupError` only when not even the places of sayso are known.
    """
    at = places(environ)
    try:
        now = load(environ, others=foreign_sections())
    except SetupError as wrong:
        journal = await trail.unopened(at)
        plain = [one async for one in _by_default(at, environ)]
        return [*_unread(wrong, at), *_privacy(at), *plain, *_confinement(), *journal, *_terminal()]
    journal = await trail.of_home(environ, at)
    models = [one async for one in of_models(now)]
    stores = [one async for one in of_stores(now)]
    return [
        *_settings(now),
        *_privacy(at),
        *_policy(now),
        *_roots(now),
        *_confinement(),
        *_handlers(),
        *models,
        *stores,
        *of_triggers(now),
        *journal,
        *_terminal(),
    ]


def _unread(wrong: SetupError, at: Places) -> Iterator[Finding]:
    # The administrator's file and a badly chosen folder are told by their own sentences; only ours can be put aside.
    own = at.config.exists() and "config.toml" in str(wrong)
    aside = f"mend {at.config} in an editor, or put it aside: mv '{at.config}' '{at.config}.old'"
    yield Finding("settings", "broken", str(wrong), aside if own else "change what this names")


async def _by_default(at: Places, environ: Mapping[str, str]) -> AsyncIterator[Finding]:
    """Say what works where nothing is set, when what is set cannot be read."""
    try:
        plain = settings_from(b"", at, environ, {})
    except SetupError:
        return
    yield Finding("settings", "note", "what follows is as if nothing were set, until the settings can be read")
    for one in _roots(plain):
        yield one
    async for one in of_stores(plain):
        yield one


def _settings(now: Settings) -> Iterator[Finding]:
    at = now.places
    there = "" if at.config.exists() else " (not there: every setting has its default)"
    yield Finding("settings", "good", f"{at.config}{there}")


def _privacy(at: Places) -> Iterator[Finding]:
    for path, wanted in ((at.home, 0o700), (at.database, 0o600), (at.lists, 0o600)):
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except OSError:
            continue  # what is not there is private; the journal's own finding names it
        if mode & 0o077:
            yield Finding(
                "privacy", "broken", f"others may look into {path} ({mode:04o})", f"chmod {wanted:o} '{path}'"
            )
        else:
            yield Finding("privacy", "good", f"{path} is yours alone ({mode:04o})")


def _policy(now: Settings) -> Iterator[Finding]:
    for name in now.administered:
        yield Finding("administrator", "note", f"{name} is restricted by the administrator of this computer")
    policy = now.policy
    if policy.paused:
        yield Finding("policy", "note", "everything is paused", "sayso resume")
    if policy.mode == "never":
        says = "mode “never”: only floor and click operations ask; moves and overwrites run unasked"
        yield Finding("policy", "note", says, "sayso config set policy.mode destructive")
    else:
        yield Finding("policy", "good", f"mode “{policy.mode}”")


def _roots(settings: Settings) -> Iterator[Finding]:
    for root in settings.policy.roots:
        if root in settings.missing_roots:
            continue
        may = os.access(root, os.R_OK | os.W_OK | os.X_OK)
        yield (
            Finding("folders", "good", f"{root} may be reached")
            if may
            else Finding(
                "folders", "broken", f"{root} is closed to you", f"chmod u+rwx '{root}', or take it out of policy.roots"
            )
        )
    for root in settings.missing_roots:
        yield Finding(
            "folders", "note", f"{root} is not there and is left out", "make it, or name others in policy.roots"
        )
    if not settings.policy.real_roots:
        yield Finding("folders", "note", "no folder may be reached", "sayso config set policy.roots ~/Documents")


def _confinement() -> Iterator[Finding]:
    if sys.platform != "linux":
        yield Finding(
            "confinement", "note", "paths are walked folder by folder without following links (no openat2 here)"
        )
        return
    kernel = beneath().__name__ == "openat2"
    yield Finding(
        "confinement",
        "good",
        "no link leads out of your folders ("
        + ("the kernel sees to it: openat2)" if kernel else "each is opened by itself)"),
    )


def _handlers() -> Iterator[Finding]:
    """Say what holds the handlers of the person's own actions."""
    missing = unheld()
    if not missing:
        yield Finding("own actions", "good", "the kernel refuses their handlers files, programs and connections")
        return
    yield Finding(
        "own actions",
        "note",
        f"only Python itself keeps their handlers from {', '.join(missing)}: {HINDERS}",
        "keep only actions that you have read",
    )


def _terminal() -> Iterator[Finding]:
    terminal = find_terminal()
    if isinstance(terminal, NoTerminal):
        yield Finding(
            "questions", "note", f"cannot be asked here: {terminal.why}", "what asks waits for “sayso approve”"
        )
    else:
        terminal.close()
        yield Finding("questions", "good", "are asked on this terminal")
