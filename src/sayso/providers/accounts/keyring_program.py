"""A small program that asks the system's keyring one question and prints the answer.

It runs apart from sayso, which ends it after a while: a locked keyring may wait for somebody for ever.
Question and answer are one JSON object each, on its input and its output; its arguments never hold a password.
An error of the keyring that is not expected here ends the program, and sayso learns no more than that: the words of the
error may hold the password.
"""

import json
import sys

import keyring
from keyring.backends import fail, null
from keyring.errors import InitError, KeyringLocked, NoKeyringError
from msgspec import Struct


class KeyringReply(Struct, frozen=True):
    """What came of it: `found`, `absent`, `kept`, `removed`, `there`, `none`, `locked` or `fault`."""

    how: str
    name: str = ""
    """What the keyring is called."""
    password: str = ""


def ask_keyring(verb: str, service: str, user: str, password: str) -> KeyringReply:
    """Ask the keyring."""
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
    """Answer what is asked on the standard input."""
    said = ask_keyring(**json.load(sys.stdin))
    json.dump({"how": said.how, "name": said.name, "password": said.password}, sys.stdout)


if __name__ == "__main__":
    main()
