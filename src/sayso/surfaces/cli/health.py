"""What works on this machine: each thing that was looked at, how it is, and the way to mend it."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sayso.assembly import Home
from sayso.assembly.opening import kinds_of
from sayso.assembly.parts import providers
from sayso.core.canonical import Json
from sayso.core.errors import SaysoError
from sayso.core.ports import Provider
from sayso.core.record import State
from sayso.providers.files.local.syscalls import beneath
from sayso.surfaces.cli.terminal import NoTerminal, find_terminal

How = Literal["good", "note", "broken"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `broken` is what was asked for and does not work; `fix` says what to do."""

    about: str
    how: How
    says: str
    fix: str = ""

    def json(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {"about": self.about, "how": self.how, "says": self.says, "fix": self.fix or None}


async def findings(home: Home) -> list[Finding]:
    """Look at everything; nothing is changed."""
    return [
        *_places(home),
        *_roots(home),
        *_confinement(),
        *_stores(home),
        *await _journal(home),
        *_terminal(),
    ]


def _places(home: Home) -> Iterator[Finding]:
    at = home.settings.places
    there = "" if at.config.exists() else " (not there: every setting has its default)"
    yield Finding("settings", "good", f"{at.config}{there}")
    for path, wanted in ((at.home, 0o700), (at.database, 0o600)):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            yield Finding(
                "privacy", "broken", f"others may look into {path} ({mode:04o})", f"chmod {wanted:o} '{path}'"
            )
        else:
            yield Finding("privacy", "good", f"{path} is yours alone ({mode:04o})")
    for name in home.settings.administered:
        yield Finding("administrator", "note", f"{name} is restricted by the administrator of this computer")
    policy = home.settings.policy
    if policy.paused:
        yield Finding("policy", "note", "everything is paused", "sayso resume")
    if policy.mode == "never":
        says = "mode “never”: only floor and click operations ask; moves and overwrites run unasked"
        yield Finding("policy", "note", says, "sayso config set policy.mode destructive")
    else:
        yield Finding("policy", "good", f"mode “{policy.mode}”")


def _roots(home: Home) -> Iterator[Finding]:
    settings = home.settings
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
    yield Finding("confinement", "good", "openat2 of the kernel" if kernel else "a walk without following links")


def _stores(home: Home) -> Iterator[Finding]:
    parts = providers()
    kinds = kinds_of(parts, home.settings)
    for part in parts:
        yield _store(home, part, kinds.get(part.store, ""))


def _store(home: Home, part: Provider, kind: str) -> Finding:
    others = ", ".join(sorted(set(part.backends) - {kind}))
    set_by_person = home.settings.sections.get(part.store, {}).get("kind") not in {None, "", "auto"}
    why = home.tools.unavailable.get(part.store)
    if why is None:
        try:
            backend = home.tools.backends[part.store]
        except SaysoError as problem:
            return Finding(part.store, "broken", f"“{kind}” does not work here: {problem}", _other(part.store, others))
        except ImportError as missing:
            return Finding(part.store, "broken", f"“{kind}” needs {missing.name}", f"pip install {missing.name}")
        simulated = " (a simulation: nothing outside sayso happens)" if kind == "memory" else ""
        passed = f"; not chosen: {others}" if others else ""
        return Finding(part.store, "note" if simulated else "good", f"{backend.name}{simulated}{passed}")
    if set_by_person:
        return Finding(part.store, "broken", why, _other(part.store, others))
    return Finding(part.store, "note", f"not available: nothing is set up for it; there is: {others or 'nothing yet'}")


def _other(store: str, others: str) -> str:
    return f"[{store}] kind in the settings may be: {others or 'nothing else yet'}"


async def _journal(home: Home) -> list[Finding]:
    found = await home.journal.verify()
    states: Mapping[State, str] = {
        State.WAITING: "sayso pending",
        State.UNKNOWN: "sayso log --state unknown, then sayso settle",
    }
    out = [
        Finding("journal", "good", f"holds: {found.rows:,} audit rows, {found.actions:,} actions")
        if found.ok
        else Finding("journal", "broken", f"does not hold: {found.problem}", "go back to a backup; keep this file")
    ]
    for state, fix in states.items():
        count = len(await home.journal.in_state(state))
        if count:
            out.append(Finding("journal", "note", f"{count:,} of state “{state.value}”", fix))
    return out


def _terminal() -> Iterator[Finding]:
    terminal = find_terminal()
    if isinstance(terminal, NoTerminal):
        yield Finding(
            "questions", "note", f"cannot be asked here: {terminal.why}", "what asks waits for “sayso approve”"
        )
    else:
        terminal.close()
        yield Finding("questions", "good", "are asked on this terminal")
