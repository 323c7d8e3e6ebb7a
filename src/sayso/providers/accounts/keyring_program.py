"""A small program that asks the system's keyring one question and prints the answer.

sayso runs it as a separate process with a time limit, because a locked keyring may wait for ever to be unlocked.
It reads the question from its standard input and writes the answer to its standard output, as one JSON object each;
its arguments never hold a password. An unexpected error of the keyring ends the program. sayso then learns only that
it failed, since the error's message may hold the password.
"""

import json
import sys

import keyring
from keyring.backends import fail, null
from keyring.errors import InitError, KeyringLocked, NoKeyringError
from msgspec import Struct


class KeyringReply(Struct, frozen=True):
    """The keyring's answer; `how` is `found`, `absent`, `kept`, `removed`, `there`, `none`, `locked` or `fault`."""

    how: str
    name: str = ""
    """The name of the keyring."""
    password: str = ""


def ask_keyring(verb: str, service: str, user: str, password: str) -> KeyringReply:
    """Carry out one request (`get`, `set`, `delete` or `there`) and return the keyring's answer."""
    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring | null.Keyring):
        return KeyringReply("none")
    try:
        return KeyringReply(*_call_keyring(verb, service, user, password, backend.name))
    except (KeyringLocked, InitError):
        return KeyringReply("locked", backend.name)
    except NoKeyringError:
        return KeyringReply("none")


def _call_keyring(verb: str, service: str, user: str, password: str, name: str) -> tuple[str, str, str]:
    if verb == "set":
        keyring.set_password(service, user, password)
        return ("kept" if keyring.get_password(service, user) == password else "fault"), name, ""
    if verb == "there":
        return "there", name, ""
    found = keyring.get_password(service, user)
    if found is None:
        return "absent", name, ""
    if verb == "delete":
        keyring.delete_password(service, user)
        return ("removed" if keyring.get_password(service, user) is None else "fault"), name, ""
    return "found", name, found


def main() -> None:
    """Read a request from standard input, and write the answer to standard output."""
    said = ask_keyring(**json.load(sys.stdin))
    json.dump({"how": said.how, "name": said.name, "password": said.password}, sys.stdout)


if __name__ == "__main__":
    main()
