"""Check the state of a home: the backend of each part, how to repair what does not work, and the agents found."""

import json
import os
import shlex
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import anyio
from msgspec.structs import replace

from sayso.assembly.model import REPLAY, create_model, names_of, service_of
from sayso.assembly.parts import foreign_sections, providers, providers_with
from sayso.assembly.wiring import ground, kinds_of, unknown_names
from sayso.config import Places, Settings, places
from sayso.config import load as load_settings
from sayso.config.load import settings as settings_from
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.lazy import load
from sayso.core.ports import Diagnoses, no_kill_point
from sayso.core.provider import Alternative, Availabilities, Availability, Capability, Provider
from sayso.core.quotes import quoted, visible
from sayso.models.vendors import EMBEDDED, ModelService, is_here
from sayso.providers.disk.syscalls import beneath
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.registry import Backends, catalogue, explain_unserved
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli.findings import Finding, check_unopened, of_home
from sayso.surfaces.cli.hooks.setup import FOLDERS, hook_commands
from sayso.surfaces.cli.mcp_import import CLIENTS, MOST_BYTES, command_of
from sayso.surfaces.cli.terminal import NoTerminal, find_terminal
from sayso.surfaces.cli.trigger_host import of_triggers
from sayso.templates.runner import UNCONTAINED, find_possible

EDITORS = (("Zed", ".config/zed/settings.json"), ("JetBrains", ".jetbrains/acp.json"))
"""Editors with the chat, and where below the home they keep which agents they start."""
_SERVERS = "agent_servers"


def of_agents(now: Settings) -> Iterator[Finding]:
    """Yield a finding for each agent or editor in whose settings sayso stands; nothing is started."""
    home = Path(now.places.person)
    for agent, (variable, usual) in FOLDERS.items():
        file = Path(now.environ.get(variable) or home / usual) / "settings.json"
        commands = hook_commands(_read(file), agent)
        if commands:
            again = f"sayso hook uninstall {agent}, then sayso hook install {agent}"
            yield _finding(f"hook {agent}", shlex.split(commands[0])[:1], f"its hooks are in {_shown(file)}", again)
    for editor, name in EDITORS:
        yield from _started(home / name, _SERVERS, "acp", f"acp {editor}", "the chat is set up in")
    for client in CLIENTS:
        yield from _started(
            home / client.file, client.key, "mcp", f"mcp of {client.client}", "sayso's tools are set in"
        )


def _started(file: Path, key: str, word: str, about: str, what: str) -> Iterator[Finding]:
    for table in _members(_members(_read(file)).get(key)).values():
        command = command_of(_members(table))
        if word in command and any(one.rpartition("/")[2] == "sayso" for one in command):
            yield _finding(about, command[:1], f"{what} {_shown(file)}", f"change its command in {_shown(file)}")
            return


def _finding(about: str, program: Sequence[str], says: str, fix: str) -> Finding:
    missing = [one for one in program if shutil.which(one) is None]
    if missing:
        return Finding(about, "broken", f"{says}, and start {quoted(visible(missing[0]))}, which is not there", fix)
    return Finding(about, "good", says)


def _shown(file: Path) -> str:
    return quoted(visible(str(file)))


def _read(file: Path) -> Json:
    """Return what is in a file of settings, also if whole lines of it are comments; None if it cannot be read."""
    try:
        with file.open("rb") as opened:
            text = opened.read(MOST_BYTES).decode("utf-8")
        return cast("Json", json.loads("\n".join(_plain(line) for line in text.split("\n"))))
    except (OSError, ValueError, RecursionError):
        return None


def _plain(line: str) -> str:
    return "" if line.lstrip().startswith("//") else line


def _members(value: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {}


SIMULATED = "memory"
ONLY_ON = "works only on "
"""Begins the reason why a backend for another system is not used."""
A_SIMULATION = "a simulation, in which nothing outside sayso happens"
_EXTRA = ".extra"
"""The suffix of the codes of errors that name packages to install."""


async def of_stores(now: Settings) -> AsyncIterator[Finding]:
    """Yield the findings about each store, and then about each of its parts."""
    parts = providers()
    kinds = kinds_of(parts, now)
    clock, ids = SystemClock(), RandomIds()
    backends = Backends(parts, kinds, lambda part: ground(part, now, clock, ids, no_kill_point))
    try:
        for part in parts:
            chosen = ChosenBackend(part, kinds.get(part.store, ""), now)
            async for one in _of_store(chosen, backends, now.environ):
                yield one
    finally:
        backends.close()


_SYSTEMS = {"linux": "Linux", "darwin": "macOS"}


class ChosenBackend:
    """The kind of backend chosen for one store, and the reason."""

    def __init__(self, part: Provider, kind: str, now: Settings) -> None:
        self.part, self.kind = part, kind
        self.setting = f"{part.settings_section}.kind"
        self.named = now.sections.get(part.settings_section, {}).get("kind") not in {None, "", "auto"}
        """Whether the settings name the kind."""
        self.fits: Availabilities = load(part.fits)(now.environ) if part.fits else Availabilities({}, "", "")

    @property
    def why(self) -> str:
        """Return why this kind was chosen."""
        if self.named:
            simulated = f"{A_SIMULATION}; " if self.kind == SIMULATED else ""
            return f"{simulated}{self.setting} names it"
        if fit := self.fits.kinds.get(self.kind):
            return fit.says
        meant = self.part.kinds.get(self.kind)
        return meant or f"{self.setting} names no other"

    def others(self) -> Iterator[Alternative]:
        """Yield the other possible kinds, the simulation last."""
        for kind in sorted(set(self.part.backends) - {self.kind}, key=lambda kind: (kind == SIMULATED, kind)):
            yield self._other(kind)

    def _other(self, kind: str) -> Alternative:
        if kind == SIMULATED:
            return Alternative(kind, A_SIMULATION)
        if (system := self.part.only_on.get(kind, sys.platform)) != sys.platform:
            return Alternative(kind, f"{ONLY_ON}{_SYSTEMS[system]}")
        if fit := self.fits.kinds.get(kind):
            return self._fitting(kind, fit)
        return Alternative(kind, self.part.kinds.get(kind, f"{self.setting} does not name it"), self.to_set(kind))

    def _fitting(self, kind: str, fit: Availability) -> Alternative:
        if not fit.here:
            return Alternative(kind, fit.says, fit.fix)
        return Alternative(
            kind, f"{fit.says}, but {self.setting} names {quoted(self.kind)}", f"sayso config unset {self.setting}"
        )

    def to_set(self, kind: str) -> str:
        """Return the command that chooses another kind."""
        return f"sayso config set {self.setting} {kind}"

    def otherwise(self) -> str:
        """Return what to set if the chosen kind does not work."""
        real = [kind for kind in self.part.backends if kind != SIMULATED]
        if self.fits.kinds or self.part.default in real:
            return f"sayso config unset {self.setting}, so that sayso chooses"
        return f"[{self.part.settings_section}] kind in the settings may be: {', '.join(sorted(self.part.backends))}"


async def _of_store(chosen: ChosenBackend, backends: Backends, environ: Mapping[str, str]) -> AsyncIterator[Finding]:
    if chosen.part.store not in backends:
        yield _of(chosen, _not_served(chosen, environ))
        return
    found = _check_served(chosen, backends)
    if found.backend and isinstance(backend := backends[chosen.part.store], Diagnoses):
        parts = await backend.capabilities()
        yield _of(chosen, found if any(one.served for one in parts) else replace(found, how="note"))
        for one in parts:
            yield _part(chosen, one)
        return
    yield _of(chosen, found)


def _of(chosen: ChosenBackend, found: Finding) -> Finding:
    return replace(found, store=chosen.part.store, others=tuple(chosen.others()))


def _check_served(chosen: ChosenBackend, backends: Backends) -> Finding:
    store = chosen.part.store
    try:
        backend = backends[store]
    except SaysoError as problem:
        return _unbuilt(chosen, problem)
    except ImportError as missing:
        says = f"{quoted(chosen.kind)} needs {missing.name}"
        return Finding(
            store, "broken", says, f"install the Python package {quoted(missing.name)} beside sayso", why=says
        )
    how = "note" if chosen.kind == SIMULATED else "good"
    return Finding(store, how, f"{backend.name}: {chosen.why}", backend=backend.name, why=chosen.why)


def _unbuilt(chosen: ChosenBackend, problem: SaysoError) -> Finding:
    """Return why the backend cannot be built; a missing package counts as broken only if the settings name the kind."""
    says, _, fix = str(problem).partition("; ")
    trouble = chosen.named or not problem.code.endswith(_EXTRA)
    return Finding(
        chosen.part.store,
        "broken" if trouble else "note",
        f"{quoted(chosen.kind)} does not work here: {says}" if trouble else f"not available: {says}",
        fix or chosen.otherwise(),
        why=says,
    )


def _not_served(chosen: ChosenBackend, environ: Mapping[str, str]) -> Finding:
    store = chosen.part.store
    why, fix = explain_unserved(chosen.part, chosen.kind, environ)
    if chosen.kind:
        return Finding(store, "broken", why, chosen.otherwise(), why=why)
    return Finding(store, "note", f"not available: {why}", fix, why=why)


def _part(chosen: ChosenBackend, one: Capability) -> Finding:
    store, why, others = chosen.part.store, one.why, one.others
    if one.served:
        return Finding(one.name, "good", f"{one.served}: {why}", "", store, one.served, why, others)
    how = "broken" if one.asked else "note"
    return Finding(one.name, how, f"not available: {why}", one.fix, store, "", why, others)


SECONDS = 2.0
"""Seconds that a server on this computer may take to accept a connection."""
RULES = "embedded: the built-in rules, which need no key and no network"


async def of_models(now: Settings) -> AsyncIterator[Finding]:
    """Yield a finding for each model in the order in which they are asked; connects only to this computer."""
    names = names_of(now)
    for name in names:
        first = name == names[0]
        about = "model" if first else "model, then"
        try:
            yield await _of_answering(about, name, now, names[0])
        except SaysoError as problem:
            says, _, fix = str(problem).partition("; ")
            yield Finding(about, "broken" if first and name != EMBEDDED else "note", f"{name}: {says}", fix)


async def _of_answering(about: str, name: str, now: Settings, first: str) -> Finding:
    """Return the finding about one model. Raises `SetupError` if it cannot be asked."""
    create_model(name, now, SystemClock(), RandomIds(), first)
    if name == EMBEDDED:
        return Finding(about, "good", RULES)
    if name.startswith(REPLAY):
        return Finding(about, "note", f"{name} plays the replies in a file, and understands nothing")
    service = service_of(name, now, RandomIds(), first)
    key = await service.key()
    says = f"{name} at {service.host}, {f'with the key from {key.where}' if key.secret else 'without a key'}"
    parts = urlsplit(service.url)
    if is_here(parts.hostname or ""):
        return await _of_this_computer(about, says, service)
    if parts.scheme == "http":
        return Finding(about, "note", f"{says}; what it is asked is not encrypted on its way", "set model.url to https")
    return Finding(about, "good", says)


async def _of_this_computer(about: str, says: str, service: ModelService) -> Finding:
    if await lets_in(service.url):
        return Finding(about, "good", says)
    vendor = service.named.vendor
    start = "ollama serve" if vendor.name == "ollama" else f"start {service.said}, or change model.url"
    how = "broken" if about == "model" else "note"
    return Finding(about, how, f"{says}: nothing answers there", start)


async def lets_in(url: str) -> bool:
    """Say whether a server on this computer accepts a connection; nothing is sent to it."""
    parts = urlsplit(url)
    try:
        with anyio.fail_after(SECONDS):
            line = await anyio.connect_tcp(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
            await line.aclose()
    except (OSError, TimeoutError):
        return False
    return True


async def findings(environ: Mapping[str, str]) -> list[Finding]:
    """Run all checks; a failed check does not prevent the others.

    Raises `SetupError` only if sayso's own folders cannot be determined.
    """
    at = places(environ)
    try:
        now = load_settings(environ, others=foreign_sections())
    except SetupError as wrong:
        journal = check_unopened(at)
        plain = [one async for one in _by_default(at, environ)]
        return [*_unread(wrong, at), *_privacy(at), *plain, *_confinement(), *journal, *_terminal()]
    journal = await of_home(environ, at)
    handlers = [await _of_handlers(now)]
    models = [one async for one in of_models(now)]
    stores = [one async for one in of_stores(now)]
    return [
        *_settings(now),
        *_privacy(at),
        *_policy(now),
        *_roots(now),
        *_confinement(),
        *handlers,
        *models,
        *stores,
        *of_triggers(now),
        *of_agents(now),
        *journal,
        *_terminal(),
    ]


def _unread(wrong: SetupError, at: Places) -> Iterator[Finding]:
    # Only sayso's own settings file can be put aside. Other errors, such as one in the administrator's file, say
    # themselves what to do.
    own = at.config.exists() and "config.toml" in str(wrong)
    aside = f"mend {at.config} in an editor, or put it aside: mv '{at.config}' '{at.config}.old'"
    yield Finding("settings", "broken", str(wrong), aside if own else "change what this names")


async def _by_default(at: Places, environ: Mapping[str, str]) -> AsyncIterator[Finding]:
    """Yield what would work with default settings; called if the settings cannot be read."""
    try:
        plain = settings_from(b"", at, environ, {})
    except SetupError:
        return
    yield Finding("settings", "note", "until the settings can be read, what follows is as if nothing were set")
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
            continue  # a missing file is private; the finding about the journal reports it
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
    for sentence in unknown_names(now, catalogue(providers_with(now))):
        yield Finding("audit_redact", "broken", sentence, "sayso config set policy.audit_redact …")
    if policy.mode == "never":
        says = "mode “never”: only floor and click operations ask; moves and overwrites run unasked"
        yield Finding("policy", "note", says, "sayso config set policy.mode destructive")
    else:
        yield Finding("policy", "good", f"mode {quoted(policy.mode)}")


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


async def _of_handlers(now: Settings) -> Finding:
    """Return how the handlers of the person's own actions are contained, which a process of theirs has just tried."""
    possible = await find_possible(ProgramRunner(now.environ, RandomIds()))
    waived = now.values.get(UNCONTAINED) is True
    if not possible:
        says = "the kernel keeps their handlers from files, programs, connections and signals"
        if not waived:
            return Finding("own actions", "good", says)
        return Finding(
            "own actions", "note", f"{says}; {UNCONTAINED} is not needed", f"sayso config unset {UNCONTAINED}"
        )
    may = ", ".join(possible)
    if waived:
        says = f"they run uncontained, because {UNCONTAINED} is true: a handler is able to {may}"
        return Finding("own actions", "note", says, f"sayso config unset {UNCONTAINED}, so that they do not run here")
    says = f"they do not run here, because nothing stops a handler that wants to {may}"
    return Finding(
        "own actions", "note", says, f"sayso config set {UNCONTAINED} true, if you trust all of your actions"
    )


def _terminal() -> Iterator[Finding]:
    terminal = find_terminal()
    if isinstance(terminal, NoTerminal):
        yield Finding(
            "questions", "note", f"cannot be asked here: {terminal.why}", "what needs a yes waits for “sayso approve”"
        )
    else:
        terminal.close()
        yield Finding("questions", "good", "are asked on this terminal")
