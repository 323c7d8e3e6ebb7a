"""Ask how the person signs in to an account: a password for the keyring, or a program that prints password or token."""

import shlex

import anyio

from sayso.core.errors import SaysoError
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.accounts.keyring import Entry, Told, keyring_of, why_not
from sayso.providers.accounts.password import command_of, printed, variable
from sayso.surfaces.cli.interview import Interview

XOAUTH2 = "xoauth2"
_UNREADABLE = "\N{REPLACEMENT CHARACTER}"
"""What a terminal that does not write UTF-8 leaves of a letter."""
_PASSWORD, _PROGRAM, _BEARER = "1", "2", "3"


@dataclass(frozen=True)
class Sign:
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


def asked_to_sign(interview: Interview, ground: Ground, entry: Entry, word: str = "password") -> Sign:
    """Return how the person signs in, with a password or what else `word` says. Raises `Left`."""
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


def unused(before: Entry, now: Entry, sign: Sign) -> Entry | None:
    """Return where a password lies that is not asked for any more; None where it still is, or there was none."""
    return None if not before.host or (before == now and not sign.command) else before


def _usual(ground: Ground) -> str:
    """Return the way that is set now; the first one where none is."""
    if not command_of(ground.settings):
        return _PASSWORD
    return _BEARER if _token_auth(ground) else _PROGRAM


def _token_auth(ground: Ground) -> str:
    """Return how the settings say that a token is given; nothing where they mean a password."""
    auth = str(ground.settings.get("auth") or "").lower()
    return auth if "oauth" in auth else ""


def _way(interview: Interview, there: Told, usual: str, word: str, *, with_tokens: bool) -> str:
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


def _by_keyring(interview: Interview, ground: Ground, entry: Entry, word: str) -> Sign | None:
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


def _by_program(interview: Interview, ground: Ground, entry: Entry, way: str, word: str) -> Sign | None:
    """Return it; None where the program prints nothing, which is told."""
    what = "token" if way == _BEARER else word
    usual = shlex.join(command_of(ground.settings))
    if not usual:
        interview.say(f"Such as: secret-tool lookup service {entry.section}")
    typed = interview.needed(f"Program and arguments that print the {what}", usual)
    try:
        command = tuple(shlex.split(typed))
        secret = anyio.run(printed, command, entry.section, ground)
    except ValueError:
        interview.bad("a quote is not closed")
        return None
    except SaysoError as wrong:
        interview.bad(str(wrong))
        return None
    return Sign(secret, (_token_auth(ground) or XOAUTH2) if way == _BEARER else "", command)
