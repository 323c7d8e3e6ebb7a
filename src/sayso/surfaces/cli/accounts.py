"""Connect accounts at a terminal: servers are found, signing in is tried, and passwords are kept."""

import json
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import anyio
from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.offers import foreign_sections
from sayso.assembly.wiring import ground
from sayso.config import Settings
from sayso.config.write import set_keys
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.ports import BackendContext, no_kill_point
from sayso.core.provider import Provider
from sayso.providers.accounts.keyring import (
    Keyring,
    KeyringAnswer,
    KeyringEntry,
    command_of,
    keyring_of,
    read_password_command,
    variable,
    why_not,
)
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli import journal
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit, exit_of_error
from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.terminal import Interview, InterviewLeft, needs_person, no_questions_in_json
from sayso.surfaces.cli.text import style_at

XOAUTH2 = "xoauth2"
_UNREADABLE = "\N{REPLACEMENT CHARACTER}"
"""What a terminal that does not write UTF-8 leaves of a letter."""
_PASSWORD, _PROGRAM, _BEARER = "1", "2", "3"


class Sign(Struct, frozen=True):
    """How somebody signs in; the password is in nothing that is printed of it."""

    secret: str
    auth: str = ""
    command: tuple[str, ...] = ()
    keep: bool = False
    """The password is to be kept in the keyring."""

    @property
    def kept(self) -> str:
        """Return what the keyring is to keep; nothing where it keeps nothing new."""
        return self.secret if self.keep else ""

    def __repr__(self) -> str:
        return f"Sign({self.auth!r}, {self.command!r}, {self.keep!r})"


def ask_for_sign_in(interview: Interview, ground: BackendContext, entry: KeyringEntry, word: str = "password") -> Sign:
    """Return how the person signs in, with a password or what else `word` says. Raises `InterviewLeft`."""
    given = ground.environ.get(variable(entry.section))
    if given:
        interview.say(f"{variable(entry.section)} is set here and comes before everything else; it is tried now.")
        return Sign(given, str(ground.settings.get("auth") or ""))
    there = anyio.run(keyring_of(ground).there)
    while True:
        way = _way(interview, there, _usual(ground), word, with_tokens=entry.section == "mail")
        if way == _PASSWORD:
            sign = _by_keyring(interview, ground, entry, word)
        else:
            sign = _by_program(interview, ground, entry, way, word)
        if sign is not None:
            return sign


def find_unused_entry(before: KeyringEntry, now: KeyringEntry, sign: Sign) -> KeyringEntry | None:
    """Return where a password lies that is not asked for any more; None where it still is, or there was none."""
    return None if not before.host or (before == now and not sign.command) else before


def _usual(ground: BackendContext) -> str:
    """Return the way that is set now; the first one where none is."""
    if not command_of(ground.settings):
        return _PASSWORD
    return _BEARER if _token_auth(ground) else _PROGRAM


def _token_auth(ground: BackendContext) -> str:
    """Return how the settings say that a token is given; nothing where they mean a password."""
    auth = str(ground.settings.get("auth") or "").lower()
    return auth if "oauth" in auth else ""


def _way(interview: Interview, there: KeyringAnswer, usual: str, word: str, *, with_tokens: bool) -> str:
    ways = {
        _PASSWORD: f"with a {word}, which is kept in your keyring ({there.name})",
        _PROGRAM: f"with a {word} that a program of yours prints (password_command)",
        _BEARER: "with a token (OAuth2) that a program of yours prints",
    }
    if there.how != "there":
        interview.say(
            f"A {word} cannot be kept: {why_not(there)}. A program that prints it, such as “pass”, can be named."
        )
        del ways[_PASSWORD]
    if not with_tokens:
        del ways[_BEARER]
    interview.say("How do you sign in?")
    interview.show(*(f"{number}  {text}" for number, text in ways.items()))
    return interview.choose("Which", tuple(ways), usual if usual in ways else next(iter(ways)))


def _by_keyring(interview: Interview, ground: BackendContext, entry: KeyringEntry, word: str) -> Sign | None:
    """Return it; None where the keyring does not let us in, which is told."""
    kept = anyio.run(keyring_of(ground).get, entry)
    if kept.how not in {"found", "absent"}:
        interview.bad(why_not(kept))
        return None
    hint = ", or Enter for the one that is kept" if kept.how == "found" else ""
    while True:
        typed = interview.hidden(f"{word.capitalize()} (not shown{hint})")
        if typed and not (typed.isprintable() and _UNREADABLE not in typed):
            interview.say("That has characters in it that cannot be seen; type it once more.")
        elif typed:
            return Sign(typed, keep=True)
        elif kept.how == "found":
            return Sign(kept.password)


def _by_program(interview: Interview, ground: BackendContext, entry: KeyringEntry, way: str, word: str) -> Sign | None:
    """Return it; None where the program prints nothing, which is told."""
    what = "token" if way == _BEARER else word
    usual = shlex.join(command_of(ground.settings))
    if not usual:
        interview.say(f"Such as: secret-tool lookup service {entry.section}")
    typed = interview.ask_for_text(f"Program and arguments that print the {what}", usual)
    try:
        command = tuple(shlex.split(typed))
        secret = anyio.run(read_password_command, command, entry.section, ground)
    except ValueError:
        interview.bad("a quote is not closed")
        return None
    except SaysoError as wrong:
        interview.bad(str(wrong))
        return None
    return Sign(secret, (_token_auth(ground) or XOAUTH2) if way == _BEARER else "", command)


class Account(Struct, frozen=True):
    """What an account becomes: its settings (None takes one out), and where its password lies."""

    section: str
    values: Mapping[str, Json]
    entry: KeyringEntry
    secret: str = ""
    """What the keyring is to keep; empty where it keeps nothing new."""
    before: KeyringEntry | None = None
    """Where the password lies that the account had before and has no use for now; None where there is none."""
    word: str = "password"
    """What one signs in with."""

    def __repr__(self) -> str:
        return f"Account({self.section!r}, {self.values!r}, {self.entry!r})"


def keep_account(interview: Interview, settings: Settings, keyring: Keyring, account: Account) -> bool:
    """Show, ask, and write; say whether it was. Raises `SetupError` with everything as it was, and `InterviewLeft`."""
    changes = _changes(settings, account)
    if not changes and not account.secret:
        interview.good("the settings say all of this already; nothing is changed")
        return True
    interview.say(f"What changes in {settings.places.config}:")
    interview.show(f"[{account.section}]", *(changes or ["nothing"]))
    if account.secret:
        interview.say(f"The {account.word} goes into your keyring, as {account.entry.said}.")
    old = account.before
    found = old is not None and anyio.run(keyring.get, old).how == "found"
    if old is not None and found:
        interview.say(f"The {account.word} of before is taken out of it ({old.said}).")
    if not interview.yes("Write this?", usual=False):
        interview.say("No; nothing was changed.")
        return False
    with stopping(interview.say):  # from here on it is finished, or everything is as it was
        _write(settings, keyring, account)
        if old is not None and found:
            _remove_password(keyring, old)
    return True


def _remove_password(keyring: Keyring, entry: KeyringEntry) -> None:
    told = anyio.run(keyring.remove, entry)
    if told.how not in {"removed", "absent"}:
        raise SetupError(
            "the settings are written, and a password that is not used any more is still in the keyring as "
            f"{entry.said}: {why_not(told)}",
            f"{entry.section}.keyring",
        )


def _changes(settings: Settings, account: Account) -> list[str]:
    lines: list[str] = []
    for name, value in account.values.items():
        before = settings.get(f"{account.section}.{name}")
        was = "" if before is None else f"   (was {_show_value(before)})"
        if value is None and before is not None:
            lines.append(f"{name} is taken out{was}")
        elif value is not None and value != before:
            lines.append(f"{name} = {_show_value(value)}{was}")
    return lines


def _show_value(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(settings: Settings, keyring: Keyring, account: Account) -> None:
    before: KeyringAnswer | None = None
    if account.secret:
        before = anyio.run(keyring.get, account.entry)
        told = anyio.run(keyring.keep, account.entry, account.secret)
        if told.how != "kept":
            _as_before(keyring, account.entry, before)
            raise SetupError(f"nothing was written: {why_not(told)}", f"{account.section}.keyring")
    try:
        values = {f"{account.section}.{name}": value for name, value in account.values.items()}
        set_keys(settings.places, values, foreign_sections())
    except (SaysoError, OSError):
        if before is not None:
            _as_before(keyring, account.entry, before)
        raise


def _as_before(keyring: Keyring, entry: KeyringEntry, before: KeyringAnswer) -> None:
    if before.how == "found":
        anyio.run(keyring.keep, entry, before.password)
    elif before.how == "absent":
        anyio.run(keyring.remove, entry)


def remove_account(interview: Interview, settings: Settings, keyring: Keyring, account: Account) -> bool:
    """Show what goes, ask, and take it out; say whether it was. Raises `SetupError`, and `InterviewLeft`."""
    gone = replace(account, values=dict.fromkeys(account.values), secret="")
    changes, found = _changes(settings, gone), anyio.run(keyring.get, account.entry).how == "found"
    if not changes and not found:
        interview.good(f"no account is set up in [{account.section}]; nothing is changed")
        return True
    interview.say(f"What changes in {settings.places.config}:")
    interview.show(f"[{account.section}]", *(changes or ["nothing"]))
    if found:
        interview.say(f"The {account.word} is taken out of your keyring ({account.entry.said}).")
    if not interview.yes("Remove this?", usual=False):
        interview.say("No; nothing was changed.")
        return False
    with stopping(interview.say):
        _write(settings, keyring, gone)
        if found:
            _remove_password(keyring, account.entry)
    return True


class Kind(Struct, frozen=True):
    """A part of sayso that can have an account: its command, and which of its settings are the account."""

    command: str
    section: str
    ground: Callable[[Settings], BackendContext]
    """What it would stand on."""
    keys: tuple[str, ...]
    entry_of: Callable[[Mapping[str, Json]], KeyringEntry]
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


def ground_of(provider: Provider) -> Callable[[Settings], BackendContext]:
    """Return what tells what a backend of a provider would stand on."""
    return lambda settings: ground(provider, settings, SystemClock(), RandomIds(), no_kill_point)


class SignInResult(Struct, frozen=True):
    """An account that works: what to call it, its settings as they are to be written, and how somebody signs in."""

    said: str
    values: Mapping[str, Json]
    sign: Sign


class AccountSetup(ABC):
    """One way through the questions of a kind."""

    def __init__(self, kind: Kind, interview: Interview, here: CommandContext, seconds: float) -> None:
        self.talk = interview
        self.settings = journal.settings_of(here)
        self.ground = kind.ground(self.settings)
        self.seconds = seconds
        self._kind = kind

    @abstractmethod
    def begin(self) -> None:
        """Ask for what is asked only once, and find the server. Raises `InterviewLeft`."""

    @abstractmethod
    def other_server(self) -> None:
        """Ask for another server. Raises `InterviewLeft`."""

    @abstractmethod
    def try_sign_in(self) -> SignInResult:
        """Sign in. Raises `SetupError` and `ProviderError` where that does not work, and `InterviewLeft`."""

    def lead(self) -> int:
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
        old = find_unused_entry(before, entry, tried.sign) if kind.one_at_a_time else None
        account = Account(kind.section, values, entry, tried.sign.kept, old, kind.word)
        if not keep_account(talk, self.settings, keyring_of(self.ground), account):
            return Exit.NOT_DECIDED
        talk.good(f"{what} is {tried.said} now; “sayso doctor” looks after it, and to take it back: {kind.takes_back}")
        return Exit.FINE

    def _until_it_works(self) -> SignInResult | SaysoError:
        while True:
            try:
                return self.try_sign_in()
            except SaysoError as problem:
                self.talk.bad(f"{problem}.")
                self.talk.say("Nothing was written.")
                asked = f"p: the {self._kind.word} again, s: the server again, Enter: leave"
                again = self.talk.choose(asked, ("p", "s", "l"), "l")
                if again == "l":
                    return problem
                if again == "s":
                    self.other_server()


def connect(
    asks: Callable[[Interview, CommandContext, float], AccountSetup], kind: Kind, here: CommandContext, seconds: float
) -> int:
    """Set an account up and return the exit code."""
    return at_the_terminal(here, kind.command, lambda interview: asks(interview, here, seconds).lead())


def take_out_account(kind: Kind, here: CommandContext) -> int:
    """Take the account out and return the exit code."""

    def work(interview: Interview) -> int:
        settings = journal.settings_of(here)
        on = kind.ground(settings)
        gone = Account(kind.section, dict.fromkeys(kind.keys), kind.entry_of(on.settings), word=kind.word)
        if not remove_account(interview, settings, keyring_of(on), gone):
            return Exit.NOT_DECIDED
        interview.good(f"{kind.without} again, as where nothing is set; to set an account up: {kind.command}")
        return Exit.FINE

    return at_the_terminal(here, kind.takes_back, work)


def at_the_terminal(here: CommandContext, command: str, work: Callable[[Interview], int]) -> int:
    """Do `work` with the person and return its exit code; leaving on the way changes nothing.

    Raises `Refused` where nobody can be asked.
    """
    no_questions_in_json(command, here)
    terminal = needs_person(command)
    interview = Interview(terminal, style_at(here.environ))
    try:
        with terminal.alone:
            return work(interview)
    except (InterviewLeft, KeyboardInterrupt):
        interview.say("Left; nothing was changed.")
        return Exit.NOT_DECIDED
    finally:
        terminal.close()
