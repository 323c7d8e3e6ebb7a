"""Set up accounts at a terminal: find the servers, try to sign in, and store the password."""

import json
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly.own_changes import written_down
from sayso.assembly.parts import foreign_sections
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
"""The character that replaces input which is not valid UTF-8."""
_PASSWORD, _PROGRAM, _BEARER = "1", "2", "3"


class Sign(Struct, frozen=True):
    """How the person signs in: a secret, or a program that prints it. The repr omits the secret."""

    secret: str
    auth: str = ""
    command: tuple[str, ...] = ()
    keep: bool = False
    """Whether the password is to be stored in the keyring."""

    @property
    def kept(self) -> str:
        """Return the password to store in the keyring; empty if none is to be stored."""
        return self.secret if self.keep else ""

    def __repr__(self) -> str:
        return f"Sign({self.auth!r}, {self.command!r}, {self.keep!r})"


def ask_for_sign_in(interview: Interview, ground: BackendContext, entry: KeyringEntry, word: str = "password") -> Sign:
    """Return how the person signs in; `word` is the term for the secret, such as “key”. Raises `InterviewLeft`."""
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
    """Return the old keyring entry if nothing uses it any more; None if it is still used or there was none."""
    return None if not before.host or (before == now and not sign.command) else before


def _usual(ground: BackendContext) -> str:
    """Return the option that matches the current settings; `_PASSWORD` if they name no program."""
    if not command_of(ground.settings):
        return _PASSWORD
    return _BEARER if _token_auth(ground) else _PROGRAM


def _token_auth(ground: BackendContext) -> str:
    """Return the OAuth2 method from the settings; empty if they configure a password."""
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
    """Return the typed or stored password; None after a message that the keyring cannot be used."""
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
    """Return the program and its secret; None after a message that it failed."""
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
    """The target state of an account: its settings (None removes one), and the keyring entry of its password."""

    section: str
    values: Mapping[str, Json]
    entry: KeyringEntry
    secret: str = ""
    """The password to store in the keyring; empty if no new one is stored."""
    before: KeyringEntry | None = None
    """The keyring entry of the former password, which is removed; None if there is none."""
    word: str = "password"
    """The term for the secret shown to the person, such as “password” or “key”."""

    def __repr__(self) -> str:
        return f"Account({self.section!r}, {self.values!r}, {self.entry!r})"


def keep_account(interview: Interview, settings: Settings, keyring: Keyring, account: Account) -> bool:
    """Show the changes, ask, and write them; return whether they were written.

    Raises `InterviewLeft`. Raises `SetupError` if writing failed and was undone, or if the old password could not be
    removed from the keyring.
    """
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
        interview.say(f"The {account.word} of before is removed from it ({old.said}).")
    if not interview.yes("Write this?", usual=False):
        interview.say("No; nothing was changed.")
        return False
    with stopping(interview.say):  # Ctrl-C does not interrupt the writing
        with written_down(settings.environ, interview.say):
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
    """Show what is removed, ask, and remove the account; return whether it was.

    Raises `SetupError` and `InterviewLeft`.
    """
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
        with written_down(settings.environ, interview.say):
            _write(settings, keyring, gone)
        if found:
            _remove_password(keyring, account.entry)
    return True


class Kind(Struct, frozen=True):
    """A kind of account, such as mail: its command, and the settings that make up the account."""

    command: str
    section: str
    ground: Callable[[Settings], BackendContext]
    """Returns the context of the backend that uses the account."""
    keys: tuple[str, ...]
    entry_of: Callable[[Mapping[str, Json]], KeyringEntry]
    """Returns the keyring entry of the password for these settings."""
    without: str
    """A sentence that says what is used without an account."""
    word: str = "password"
    """The term for the secret shown to the person, such as “password” or “key”."""
    one_at_a_time: bool = True
    """Whether a new account replaces the old one, so that the old password is removed."""

    @property
    def takes_back(self) -> str:
        """Return the command that removes the account."""
        return f"{self.command} --remove"


def ground_of(provider: Provider) -> Callable[[Settings], BackendContext]:
    """Return a function that returns the context of a provider's backend."""
    return lambda settings: ground(provider, settings, SystemClock(), RandomIds(), no_kill_point)


class SignInResult(Struct, frozen=True):
    """An account that signed in successfully: its description, the settings to write, and the sign-in."""

    said: str
    values: Mapping[str, Json]
    sign: Sign


class AccountSetup(ABC):
    """The questions for one kind of account; a subclass asks them."""

    kind: ClassVar[Kind]

    def __init__(self, interview: Interview, here: CommandContext, seconds: float) -> None:
        self.talk = interview
        self.settings = journal.settings_of(here)
        self.ground = self.kind.ground(self.settings)
        self.seconds = seconds

    @abstractmethod
    def begin(self) -> None:
        """Ask the questions that are not repeated, and find the server. Raises `InterviewLeft`."""

    @abstractmethod
    def other_server(self) -> None:
        """Ask for a different server. Raises `InterviewLeft`."""

    @abstractmethod
    def try_sign_in(self) -> SignInResult:
        """Try to sign in. Raises `SetupError` or `ProviderError` if that fails, and `InterviewLeft`."""

    def lead(self) -> int:
        """Ask, try to sign in and write the account; return the exit code."""
        kind, talk = self.kind, self.talk
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
        talk.good(f"{what} is {tried.said} now; “sayso doctor” checks it; to take it back: {kind.takes_back}")
        return Exit.FINE

    def _until_it_works(self) -> SignInResult | SaysoError:
        while True:
            try:
                return self.try_sign_in()
            except SaysoError as problem:
                self.talk.bad(f"{problem}.")
                self.talk.say("Nothing was written.")
                asked = f"p: the {self.kind.word} again, s: the server again, Enter: leave"
                again = self.talk.choose(asked, ("p", "s", "l"), "l")
                if again == "l":
                    return problem
                if again == "s":
                    self.other_server()


def connect(setup: type[AccountSetup], here: CommandContext, seconds: float) -> int:
    """Set up an account and return the exit code."""
    return at_the_terminal(here, setup.kind.command, lambda interview: setup(interview, here, seconds).lead())


def take_out(kind: Kind, here: CommandContext) -> int:
    """Remove the account and return the exit code."""

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
    """Do `work` with the person at the terminal and return its exit code.

    If the person leaves, returns `NOT_DECIDED`. Raises `Refused` if nobody can be asked.
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
