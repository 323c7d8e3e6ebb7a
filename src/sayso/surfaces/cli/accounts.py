"""Set an account up at the person's terminal: ask, try, show, write; or take it out again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from sayso.assembly.opening import ground
from sayso.config import Settings
from sayso.core.canonical import Json
from sayso.core.errors import SaysoError
from sayso.core.ports import Ground, no_kill_point
from sayso.core.provider import Provider
from sayso.core.values import dataclass
from sayso.providers.accounts.keyring import Entry, keyring_of
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli import homes
from sayso.surfaces.cli.exits import Exit, exit_of_error
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.interview import Interview, Left
from sayso.surfaces.cli.keeping import Account, kept, removed
from sayso.surfaces.cli.persons import needs_person, no_questions_in_json
from sayso.surfaces.cli.signing import Sign, unused
from sayso.surfaces.cli.style import style_at


@dataclass(frozen=True)
class Kind:
    """A part of sayso that can have an account: its command, and which of its settings are the account."""

    command: str
    section: str
    ground: Callable[[Settings], Ground]
    """What it would stand on."""
    keys: tuple[str, ...]
    entry_of: Callable[[Mapping[str, Json]], Entry]
    """Where the password of such settings lies."""
    without: str
    """What it is where there is no account."""
    word: str = "password"
    """What one signs in with."""
    one_at_a_time: bool = True
    """Whether the password of an account that another takes the place of has no use any more."""

    @property
    def takes_back(self) -> str:
        """Return the command that takes the account out."""
        return f"{self.command} --remove"


def ground_of(provider: Provider) -> Callable[[Settings], Ground]:
    """Return what tells what a backend of a provider would stand on."""
    return lambda settings: ground(provider, settings, SystemClock(), RandomIds(), no_kill_point)


@dataclass(frozen=True)
class Tried:
    """An account that works: what to call it, its settings as they are to be written, and how somebody signs in."""

    said: str
    values: Mapping[str, Json]
    sign: Sign


class Joining(ABC):
    """One way through the questions of a kind."""

    def __init__(self, kind: Kind, interview: Interview, here: Here, seconds: float) -> None:
        self.talk = interview
        self.settings = homes.settings_of(here)
        self.ground = kind.ground(self.settings)
        self.seconds = seconds
        self._kind = kind

    @abstractmethod
    def begin(self) -> None:
        """Ask for what does not change when something has to be tried again, and find the server. Raises `Left`."""

    @abstractmethod
    def other_server(self) -> None:
        """Ask for another server. Raises `Left`."""

    @abstractmethod
    def tried(self) -> Tried:
        """Sign in. Raises `SetupError` and `ProviderError` where that does not work, and `Left`."""

    def led(self) -> int:
        """Ask, try and write; return the exit code."""
        kind, talk = self._kind, self.talk
        what = f"your {kind.section}"
        talk.say(f"This sets up {what}. Nothing is written before you have seen it; Ctrl-C leaves all as it is.")
        self.begin()
        tried = self._until_it_works()
        if isinstance(tried, SaysoError):
            talk.say("Left; nothing was changed.")
            return exit_of_error(tried)
        values = {**dict.fromkeys(kind.keys), **tried.values}
        entry, before = kind.entry_of(values), kind.entry_of(self.ground.settings)
        old = unused(before, entry, tried.sign) if kind.one_at_a_time else None
        account = Account(kind.section, values, entry, tried.sign.kept, old, kind.word)
        if not kept(talk, self.settings, keyring_of(self.ground), account):
            return Exit.NOT_DECIDED
        talk.good(f"{what} is {tried.said} now; “sayso doctor” looks after it, and to take it back: {kind.takes_back}")
        return Exit.FINE

    def _until_it_works(self) -> Tried | SaysoError:
        while True:
            try:
                return self.tried()
            except SaysoError as problem:
                self.talk.bad(f"{problem}.")
                self.talk.say("Nothing was written.")
                asked = f"p: the {self._kind.word} again, s: the server again, Enter: leave"
                again = self.talk.choose(asked, ("p", "s", "l"), "l")
                if again == "l":
                    return problem
                if again == "s":
                    self.other_server()


def connect(asks: Callable[[Interview, Here, float], Joining], kind: Kind, here: Here, seconds: float) -> int:
    """Set an account up and return the exit code."""
    return at_the_terminal(here, kind.command, lambda interview: asks(interview, here, seconds).led())


def taken_out(kind: Kind, here: Here) -> int:
    """Take the account out and return the exit code."""

    def work(interview: Interview) -> int:
        settings = homes.settings_of(here)
        on = kind.ground(settings)
        gone = Account(kind.section, dict.fromkeys(kind.keys), kind.entry_of(on.settings), word=kind.word)
        if not removed(interview, settings, keyring_of(on), gone):
            return Exit.NOT_DECIDED
        interview.good(f"{kind.without} again, as where nothing is set; to set an account up: {kind.command}")
        return Exit.FINE

    return at_the_terminal(here, kind.takes_back, work)


def at_the_terminal(here: Here, command: str, work: Callable[[Interview], int]) -> int:
    """Do `work` with the person and return its exit code; leaving on the way changes nothing.

    Raises `Refused` where nobody can be asked.
    """
    no_questions_in_json(command, here)
    terminal = needs_person(command)
    interview = Interview(terminal, style_at(here.environ))
    try:
        with terminal.alone:
            return work(interview)
    except (Left, KeyboardInterrupt):
        interview.say("Left; nothing was changed.")
        return Exit.NOT_DECIDED
    finally:
        terminal.close()
