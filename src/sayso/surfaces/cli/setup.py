"""The first setup: ask a few questions, write the settings, and suggest wishes that work."""

import csv
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

import anyio
from msgspec import Struct

from sayso.assembly import Home
from sayso.assembly.model import create_model
from sayso.assembly.own_changes import written_down
from sayso.assembly.parts import foreign_sections
from sayso.assistant.asker import Asker, AskResult
from sayso.config import Settings
from sayso.config.load import read_file, read_settings_bytes
from sayso.config.paths import Places, roots_at
from sayso.config.write import set_keys
from sayso.core.conversation import Model
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted
from sayso.core.record import State, session_id
from sayso.models.vendors import EMBEDDED, VENDORS, Vendor
from sayso.policy.paths import normal, within
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.doctor import lets_in, of_stores
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.findings import Finding
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.terminal import Interview, InterviewLeft
from sayso.surfaces.cli.trigger_host import rings_itself

WANTED = 3
SECONDS = 10.0
"""Maximum number of seconds that planning one wish may take."""
_LONGEST = 40
"""Maximum length of a folder's name in a suggested wish."""


class SetupCheck(Struct, frozen=True):
    """A wish that could be planned, with the summary of its plan."""

    words: str
    would: str


async def wishes(home: Home, wanted: int = WANTED) -> list[SetupCheck]:
    """Return wishes that can be planned in this home now. They run as dry runs, which the log records."""
    tools = home.tools
    try:
        model = create_model(EMBEDDED, home.settings, tools.clock, tools.ids, EMBEDDED)
    except SaysoError:
        return []
    found: list[SetupCheck] = []
    for words in candidates(home.settings.policy.roots):
        if len(found) == wanted:
            break
        would = await _would(home, model, words)
        found += [SetupCheck(words, would)] if would else []
    return found


def candidates(roots: Sequence[str]) -> Iterator[str]:
    """Yield wishes to try, each about a different part of the computer, the most illustrative first."""
    names = [PurePath(root).name for root in roots]
    plain = [name for name in names if name.isprintable() and 0 < len(name) <= _LONGEST]
    yield from (f"make a folder called Plans in {name}" for name in plain[:1])
    yield "remind me tomorrow at nine to call Ana"
    yield "add water the plants to my tasks"
    yield "open wikipedia.org"
    yield "set the volume to 30%"
    yield "copy good morning to the clipboard"
    yield "make a note called Ideas"


async def _would(home: Home, model: Model, words: str) -> str:
    """Return the summary of a wish's plan; empty if the wish is not understood or not possible."""
    session = session_id(home.tools.ids.key())
    try:
        with anyio.fail_after(SECONDS):
            answer = await home.ask(words, model=model, asker=Asker(session=session, dry_run=True))
    except (SaysoError, TimeoutError):
        return ""
    finally:
        with anyio.CancelScope(shield=True):
            await home.sessions.delete(session)
    return _describe_plan(answer)


def _describe_plan(answer: AskResult) -> str:
    records = [one.record for one in answer.report.outcomes]
    if answer.report.needs_clarification or not records or any(one.state is not State.PLANNED for one in records):
        return ""
    return "; ".join(str(one.plan["summary"]) for one in records if one.plan)


NONE = "none"
"""The input that selects no folder."""


class Offered(Struct, frozen=True):
    """A model that could be set up, and the reason."""

    vendor: str
    says: str


async def models(environ: Mapping[str, str], vendors: Iterable[Vendor] = VENDORS) -> list[Offered]:
    """Return the models that could answer: servers on this computer, and vendors whose key is in the environment."""
    found: list[Offered] = []
    for vendor in vendors:
        if vendor.needs_key:
            name = next((name for name in vendor.variables if environ.get(name, "").strip()), None)
            found += [Offered(vendor.name, f"{vendor.said}: its key stands in {name}")] if name else []
        elif vendor.url and await lets_in(vendor.url):
            found.append(Offered(vendor.name, f"{vendor.said} runs on this computer"))
    return found


def folders(settings: Settings) -> tuple[str, ...]:
    """Return the folders to suggest, as a person writes them: the current roots that exist and are allowed."""
    at = settings.places
    return tuple(show_path(root, at) for root in settings.policy.roots if _may_be_typed(root, at))


def _may_be_typed(path: str, at: Places) -> bool:
    try:
        return folders_in(list_folders([show_path(path, at)]), at) == (show_path(path, at),)
    except SaysoError:
        return False


def show_path(path: str, at: Places) -> str:
    """Return a path with `~` in place of the person's home; other paths are returned unchanged."""
    person = str(at.person)
    return f"~{path[len(person) :]}" if within(path, (person,)) else path


def list_folders(paths: Sequence[str]) -> str:
    """Return folders as one line that `folders_in` can read."""
    return ", ".join(f'"{path.replace(chr(34), chr(34) * 2)}"' if {",", '"'} & set(path) else path for path in paths)


def folders_in(typed: str, at: Places) -> tuple[str, ...]:
    """Return the folders typed in one line. Raises `SetupError` or `ProposalError` if one of them is not allowed."""
    if typed.strip().casefold() == NONE:
        return ()
    words = next(csv.reader([typed], skipinitialspace=True), list[str]())
    names = dict.fromkeys(_whole(word.strip(), at) for word in words if word.strip())
    for name in names:
        if wrong := _why_not(name, at):
            raise SetupError(wrong, "setup.folder")
    return tuple(show_path(name, at) for name in names)


def _whole(word: str, at: Places) -> str:
    """Return the typed path as an absolute path; a path without `/` or `~` in front is relative to the home."""
    person = str(at.person)
    return normal(word if word.startswith(("/", "~")) else f"{person}/{word}", person)


def _why_not(path: str, at: Places) -> str:
    """Return why actions may not be allowed in a folder; empty if they may."""
    (root,), said = roots_at([path]), show_path(path, at)
    if within(os.path.realpath(at.person), (root.real,)):
        return f"{quoted(said)} would be your whole home, with its keys and settings; name folders in it"
    if any(within(root.real, (os.path.realpath(own),)) for own in at.own_folders):
        return f"{quoted(said)} is sayso's own, which nothing that a model proposes may reach"
    if not root.is_there:
        return f"{quoted(said)} is not a folder that is there; make it first, or name another"
    return ""


ROOTS, MODE = "policy.roots", "policy.mode"
MODES: Mapping[str, str] = {
    "always": "asks before everything but looking",
    "destructive": "asks before anything is moved, deleted or replaced",
    "never": "asks about a few things only; files are moved and replaced unasked",
}
SAFEST = "always"
FOLDERS_ASKED = "Folders that sayso may work in"
MODE_ASKED = "How often should sayso ask you"
_NOT_TOLD = frozenset({"talk", "web"})
"""Stores that are not reported: they are not part of the person's computer."""
_WITHIN = frozenset({"mailboxes", "mail search", "calendars", "note folders"})
"""Parts of a store that are not reported separately, because the store itself is reported."""
_ON_SERVERS = frozenset({"imap", "caldav"})
"""Kinds of backends that are on a server, which setup does not contact."""
_SECONDS = 20.0
"""Seconds that a model's server may take to answer."""


class Looked(Struct, frozen=True):
    """What the first setup starts from: current settings, the values in the file, findings, and available models."""

    settings: Settings
    said: Mapping[str, Json]
    findings: Sequence[Finding]
    models: Sequence[Offered]

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders to suggest."""
        return folders(self.settings)

    @property
    def mode(self) -> str:
        """Return the mode to suggest: the one in the file, otherwise the safest."""
        return self.settings.policy.mode if MODE in self.said else SAFEST


def look(here: CommandContext) -> Looked:
    """Inspect this computer without changing anything. Raises `SetupError` if the settings cannot be read."""
    settings = settings_of(here)
    config = settings.places.config
    said = read_settings_bytes(read_file(config), str(config), others=foreign_sections()).values

    async def looked() -> Looked:
        found = [one async for one in of_stores(settings) if one.store not in _NOT_TOLD]
        return Looked(settings, said, found, await models(here.environ))

    return anyio.run(looked)


class FirstRun:
    """The questions of the first setup."""

    def __init__(self, interview: Interview, here: CommandContext) -> None:
        self.talk = interview
        self.here = here

    def lead(self) -> int:
        """Ask, write the settings after a yes, and suggest wishes; return the exit code.

        Raises `InterviewLeft` if the person leaves before anything was written.
        """
        talk = self.talk
        talk.say("This sets sayso up. Nothing is written before you have seen it; Ctrl-C leaves all as it is.", "")
        now = look(self.here)
        self._tell(now)
        values: dict[str, Json] = {ROOTS: list(self._folders(now)), MODE: self._mode(now)}
        if not self._write_settings(now, values):
            return Exit.NOT_DECIDED
        try:
            self._model(now)
            self._wishes()
        except (InterviewLeft, KeyboardInterrupt):
            talk.say("", "Left; what was written before stays.")
        return Exit.FINE

    def _tell(self, now: Looked) -> None:
        talk = self.talk
        good = [one for one in now.findings if one.how == "good" and one.about not in _WITHIN]
        away = [one for one in good if one.backend.partition(":")[0] in _ON_SERVERS]
        lacking = {one.store for one in now.findings if one.about in _WITHIN and one.how != "good"}
        works = [one.about for one in good if one not in away and one.store not in lacking]
        talk.good(f"works here: {', '.join(dict.fromkeys(works))}")
        for one in away:
            talk.note(f"{one.about}: set up ({one.backend}), and not tried now")
            talk.show(f"→ sayso config {one.store} tries it")
        lacks: dict[tuple[str, str], list[Finding]] = {}
        for number, one in enumerate(now.findings):
            if one.how == "broken" or (one.how == "note" and not one.backend):
                lacks.setdefault((one.how, one.fix or str(number)), []).append(one)
        for (how, _), alike in lacks.items():
            says = f"{', '.join(one.about for one in alike)}: {alike[0].says}"
            talk.bad(says) if how == "broken" else talk.note(says)
            talk.show(*([f"→ {alike[0].fix}"] if alike[0].fix else []))
        talk.say("“sayso doctor” shows all of this at any time.", "")

    def _folders(self, now: Looked) -> tuple[str, ...]:
        """Ask which folders sayso may work in, again and again until all of them are allowed."""
        talk, at = self.talk, now.settings.places
        talk.say(
            "Nothing that a model proposes reaches a file outside the folders you name here. "
            f"Write them with commas between them; {quoted(NONE)} is none at all."
        )
        while True:
            typed = talk.ask(FOLDERS_ASKED, list_folders(now.folders) or NONE)
            try:
                return folders_in(typed, at)
            except SaysoError as wrong:
                talk.bad(f"{wrong}.")

    def _mode(self, now: Looked) -> str:
        talk = self.talk
        talk.say("", "You are shown what would be done before you say yes. How often are you asked?")
        talk.show(*(f"{name:<12} {says}" for name, says in MODES.items()))
        if MODE in now.settings.administered:
            talk.say("The administrator of this computer restricts this; the stricter of both holds.")
        return talk.choose(MODE_ASKED, tuple(MODES), now.mode)

    def _write_settings(self, now: Looked, values: Mapping[str, Json]) -> bool:
        """Show the changes, ask, and write them; return whether the settings now match the answers."""
        talk, at = self.talk, now.settings.places
        changed = {name: value for name, value in values.items() if not _is_said(now, name, value)}
        talk.say("")
        if not changed:
            talk.good(f"{at.config} says all of this already; nothing is changed")
            return True
        talk.say(f"What changes in {at.config}:")
        talk.show("[policy]", *(_line(now, name, value) for name, value in changed.items()))
        if not talk.yes("Write this?", usual=False):
            talk.say("No; nothing was changed.")
            return False
        # Ctrl-C does not interrupt the writing.
        with stopping(talk.say), written_down(self.here.environ, self.here.tell):
            set_keys(at, changed, foreign_sections())
        talk.good("written; to take it back:")
        talk.show(*(_back(now, name) for name in changed))
        return True

    def _model(self, now: Looked) -> None:
        """Tell the person which model answers, and offer to set up another one. Raises `InterviewLeft`."""
        talk, name = self.talk, str(now.settings.get("model.name"))
        talk.say("")
        if name != EMBEDDED:
            talk.say(f"{name} answers what you ask; “sayso config model” sets another one up.")
            return
        talk.say("The built-in rules answer what you ask; they need no key and no network.")
        if not now.models:
            talk.say("A language model understands more: “sayso config model” sets one up.")
            return
        talk.say("A language model understands more, and these could be asked:")
        talk.show(*(one.says for one in now.models))
        if talk.yes("Set one up now, as “sayso config model” does?", usual=False):
            self._connect()

    def _connect(self) -> None:
        try:
            asks = load("sayso.surfaces.cli.model_account:ModelAccountSetup")
        except ImportError as missing:
            self.talk.bad(f"a model needs {missing.name}, which is not installed: {add_extra('models')}")
            return
        try:
            asks(self.talk, self.here, _SECONDS).lead()
        except SaysoError as wrong:
            self.talk.bad(f"{wrong}.")

    def _wishes(self) -> None:
        talk = self.talk
        talk.say("")
        try:
            found = in_home(self.here, wishes)
        except SaysoError as wrong:
            talk.bad(f"{wrong}.")
            return
        if not found:
            talk.say("None of the wishes that were tried can be done here yet; “sayso doctor” says what is missing.")
            return
        talk.say("These work here now; each was just looked at, and none was done:")
        for one in found:
            talk.show(f"sayso ask {shlex.join(one.words.split())}")
            talk.below(one.would)
        reminds = any(one.words.startswith("remind") for one in found) and not rings_itself(settings_of(self.here))
        if reminds and not FileLocks(settings_of(self.here).places.locks).anybody(HOSTING):
            talk.say("Reminders ring only while “sayso service” runs; “sayso service install” sets it up.")
        talk.say("“sayso undo” takes back what you did; “sayso setup” may be run again at any time.")


def _is_said(now: Looked, name: str, value: Json) -> bool:
    """Say whether the settings file contains this value already."""
    if name not in now.said:
        return False
    return _same(now, value) if name == ROOTS else now.said[name] == value


def _same(now: Looked, value: Json) -> bool:
    """Say whether these folders are the suggested ones and equal the current roots."""
    whole = tuple(show_path(root, now.settings.places) for root in now.settings.policy.roots)
    return value == list(now.folders) and now.folders == whole


def _line(now: Looked, name: str, value: Json) -> str:
    key = name.partition(".")[2]
    was = f"   (was {_show_value(now.settings.get(name))})" if name in now.said else ""
    return f"{key} = {_show_value(value)}{was}"


def _back(now: Looked, name: str) -> str:
    if name not in now.said:
        return f"sayso config unset {name}"
    return f"sayso config set {name} {shlex.quote(_plain(now.settings.get(name)))}"


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else _show_value(value)


def _show_value(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
