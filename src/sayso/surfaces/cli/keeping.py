"""Show what an account changes of the settings and the keyring, ask, and change both or neither."""

import json
from collections.abc import Mapping
from dataclasses import replace

import anyio

from sayso.config import Settings
from sayso.config.write import set_keys
from sayso.core.canonical import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.values import dataclass
from sayso.providers.accounts.keyring import Entry, Keyring, Told, why_not
from sayso.surfaces.cli.homes import foreign_sections
from sayso.surfaces.cli.interview import Interview
from sayso.surfaces.cli.stopping import stopping


@dataclass(frozen=True)
class Account:
    """What an account becomes: its settings (None takes one out), and where its password lies."""

    section: str
    values: Mapping[str, Json]
    entry: Entry
    secret: str = ""
    """What the keyring is to keep; empty where it keeps nothing new."""
    before: Entry | None = None
    """Where the password lies that the account had before and has no use for now; None where there is none."""
    word: str = "password"
    """What one signs in with."""

    def __repr__(self) -> str:
        return f"Account({self.section!r}, {self.values!r}, {self.entry!r})"


def kept(interview: Interview, settings: Settings, keyring: Keyring, account: Account) -> bool:
    """Show, ask, and write; say whether it was. Raises `SetupError` with everything as it was, and `Left`."""
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
            _taken_out(keyring, old)
    return True


def _taken_out(keyring: Keyring, entry: Entry) -> None:
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
        was = "" if before is None else f"   (was {_said(before)})"
        if value is None and before is not None:
            lines.append(f"{name} is taken out{was}")
        elif value is not None and value != before:
            lines.append(f"{name} = {_said(value)}{was}")
    return lines


def _said(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(settings: Settings, keyring: Keyring, account: Account) -> None:
    before: Told | None = None
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


def _as_before(keyring: Keyring, entry: Entry, before: Told) -> None:
    if before.how == "found":
        anyio.run(keyring.keep, entry, before.password)
    elif before.how == "absent":
        anyio.run(keyring.remove, entry)


def removed(interview: Interview, settings: Settings, keyring: Keyring, account: Account) -> bool:
    """Show what goes, ask, and take it out; say whether it was. Raises `SetupError`, and `Left`."""
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
            _taken_out(keyring, account.entry)
    return True
