"""Lead the person through a first run: what works here, which folders, what is asked; show it, ask, write it."""

import json
import shlex
from collections.abc import Mapping, Sequence

import anyio

from sayso.config import Settings
from sayso.config.document import given
from sayso.config.load import read_file
from sayso.config.write import set_keys
from sayso.core.canonical import Json
from sayso.core.errors import SaysoError
from sayso.core.loading import load
from sayso.core.values import dataclass
from sayso.models.vendors import EMBEDDED
from sayso.surfaces.cli import offers
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.finding import Finding
from sayso.surfaces.cli.first_wishes import wishes
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import foreign_sections, in_home, settings_of
from sayso.surfaces.cli.interview import Interview, Left
from sayso.surfaces.cli.stopping import stopping
from sayso.surfaces.cli.stores import of_stores

ROOTS, MODE = "policy.roots", "policy.mode"
MODES: Mapping[str, str] = {
    "always": "asks before everything but looking",
    "destructive": "asks before anything is moved, deleted or replaced",
    "never": "asks about a few things only; files are moved and replaced unasked",
}
SAFEST = "always"
FOLDERS_ASKED = "Folders that sayso may work in"
MODE_ASKED = "How often is sayso to ask you"
_NOT_TOLD = frozenset({"talk", "web"})
"""Stores that are no part of the person's computer."""
_WITHIN = frozenset({"mailboxes", "mail search", "calendars", "note folders"})
"""Parts that a person would not tell from what they belong to."""
_SECONDS = 20.0
"""How long a model's server may take to answer."""


@dataclass(frozen=True)
class Looked:
    """What a first run begins from: what holds now, what the file says of it, and what was found here."""

    settings: Settings
    said: Mapping[str, Json]
    findings: Sequence[Finding]
    models: Sequence[offers.Offered]

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders to offer."""
        return offers.folders(self.settings)

    @property
    def mode(self) -> str:
        """Return the mode to offer: the one that was set, else the safest."""
        return self.settings.policy.mode if MODE in self.said else SAFEST


def look(here: Here) -> Looked:
    """Look at what is here; nothing is made. Raises `SetupError` where the settings cannot be read."""
    settings = settings_of(here)
    config = settings.places.config
    said = given(read_file(config), str(config), others=foreign_sections()).values

    async def looked() -> Looked:
        found = [one async for one in of_stores(settings) if one.store not in _NOT_TOLD]
        return Looked(settings, said, found, await offers.models(here.environ))

    return anyio.run(looked)


class FirstRun:
    """One way through the questions."""

    def __init__(self, interview: Interview, here: Here) -> None:
        self.talk = interview
        self.here = here

    def led(self) -> int:
        """Ask, show, write, and name wishes that work; return the exit code. Raises `Left` with all as it was."""
        talk = self.talk
        talk.say("This sets sayso up. Nothing is written before you have seen it; Ctrl-C leaves all as it is.", "")
        now = look(self.here)
        self._tell(now)
        values: dict[str, Json] = {ROOTS: list(self._folders(now)), MODE: self._mode(now)}
        if not self._written(now, values):
            return Exit.NOT_DECIDED
        try:
            self._model(now)
            self._wishes()
        except (Left, KeyboardInterrupt):
            talk.say("", "Left; what was written before stays.")
        return Exit.FINE

    def _tell(self, now: Looked) -> None:
        talk = self.talk
        works = [one.about for one in now.findings if one.how == "good" and one.about not in _WITHIN]
        talk.good(f"works here: {', '.join(dict.fromkeys(works))}")
        lacks: dict[tuple[str, str], list[Finding]] = {}
        for number, one in enumerate(now.findings):
            if one.how == "broken" or (one.how == "note" and not one.backend):
                lacks.setdefault((one.how, one.fix or str(number)), []).append(one)
        for (how, _), alike in lacks.items():
            says = f"{', '.join(one.about for one in alike)}: {alike[0].says}"
            talk.bad(says) if how == "broken" else talk.note(says)
            talk.show(*([f"→ {alike[0].fix}"] if alike[0].fix else []))
        talk.say("“sayso doctor” tells all of this at any time.", "")

    def _folders(self, now: Looked) -> tuple[str, ...]:
        """Ask which folders sayso may work in, until all of them can be."""
        talk, at = self.talk, now.settings.places
        talk.say(
            "Nothing that a model proposes reaches a file outside the folders you name here. "
            f"Write them with commas between them; “{offers.NONE}” is none at all."
        )
        while True:
            typed = talk.ask(FOLDERS_ASKED, offers.listed(now.folders) or offers.NONE)
            try:
                return offers.folders_in(typed, at)
            except SaysoError as wrong:
                talk.bad(f"{wrong}.")

    def _mode(self, now: Looked) -> str:
        talk = self.talk
        talk.say("", "You are shown what would be done before you say yes. How often are you asked?")
        talk.show(*(f"{name:<12} {says}" for name, says in MODES.items()))
        if MODE in now.settings.administered:
            talk.say("The administrator of this computer restricts this; the stricter of both holds.")
        return talk.choose(MODE_ASKED, tuple(MODES), now.mode)

    def _written(self, now: Looked, values: Mapping[str, Json]) -> bool:
        """Show what changes, ask, and write it; say whether the settings are now as they were answered."""
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
        with stopping(talk.say):  # it is written whole, or not at all
            set_keys(at, changed, foreign_sections())
        talk.good("written; to take it back:")
        talk.show(*(_back(now, name) for name in changed))
        return True

    def _model(self, now: Looked) -> None:
        """Say who answers, and lead to a model where one could. Raises `Left`."""
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
            asks = load("sayso.surfaces.cli.model_account:Asks")
        except ImportError as missing:
            self.talk.bad(f"a model needs {missing.name}, which is not installed: pip install 'sayso[models]'")
            return
        try:
            asks(self.talk, self.here, _SECONDS).led()
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
        talk.say("“sayso undo” takes back what you did; “sayso setup” may be run again at any time.")


def _is_said(now: Looked, name: str, value: Json) -> bool:
    """Say whether the file has this value already."""
    if name not in now.said:
        return False
    return _same(now, value) if name == ROOTS else now.said[name] == value


def _same(now: Looked, value: Json) -> bool:
    """Say whether these folders are the ones that were offered, and all that the file names."""
    whole = tuple(offers.said_of(root, now.settings.places) for root in now.settings.policy.roots)
    return value == list(now.folders) and now.folders == whole


def _line(now: Looked, name: str, value: Json) -> str:
    key = name.partition(".")[2]
    was = f"   (was {_said(now.settings.get(name))})" if name in now.said else ""
    return f"{key} = {_said(value)}{was}"


def _back(now: Looked, name: str) -> str:
    if name not in now.said:
        return f"sayso config unset {name}"
    return f"sayso config set {name} {shlex.quote(_plain(now.settings.get(name)))}"


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else _said(value)


def _said(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
