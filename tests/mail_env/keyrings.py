"""A real keyring in a session of its own that may be locked, and keyrings that do not do as they should."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.desktop_env.fixtures import session
from tests.desktop_env.parts import a_bus
from tests.desktop_env.session import Session, wait_for

NAME, TOP = "org.freedesktop.secrets", "/org/freedesktop/secrets"
ODD = {
    "Forgetful": "def set_password(self, s, u, p): pass",
    "Talkative": "def set_password(self, s, u, p): raise RuntimeError('no room for ' + p)",
    "Loud": "def get_password(self, s, u): raise RuntimeError('it is not {word}')",
    "Waiting": "def get_password(self, s, u): import time; time.sleep(3600)",
}
MODULE = "from keyring.backend import KeyringBackend\n"
CLASS = """
class {name}(KeyringBackend):
    priority = 1
    def set_password(self, s, u, p): pass
    def get_password(self, s, u): pass
    def delete_password(self, s, u): pass
    {does}
"""


class SecretService:
    """The keyring of a GNOME desktop, open until it is locked; nobody is there to unlock it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        a_bus(session)
        session.start("sh", "-c", "printf word | exec gnome-keyring-daemon --unlock --components=secrets --foreground")
        wait_for(self._answers, "the keyring")

    @property
    def environ(self) -> dict[str, str]:
        """Return what leads to it."""
        return {"DBUS_SESSION_BUS_ADDRESS": self.session.environment["DBUS_SESSION_BUS_ADDRESS"]}

    def lock(self) -> None:
        """Lock it."""
        self._ask(NAME, TOP, "org.freedesktop.Secret.Service.Lock", f"array:objpath:{TOP}/collection/login")

    def _answers(self) -> bool:
        bus = "org.freedesktop.DBus"
        return "true" in self._ask(bus, "/org/freedesktop/DBus", f"{bus}.NameHasOwner", f"string:{NAME}")

    def _ask(self, name: str, path: str, method: str, *words: str) -> str:
        return self.session.run("dbus-send", "--session", "--print-reply", f"--dest={name}", path, method, *words)


@contextmanager
def secret_service() -> Generator[SecretService]:
    """Give a keyring that ends afterwards."""
    with session("dbus-daemon", "dbus-send", "gnome-keyring-daemon") as made:
        yield SecretService(made)


def odd_keyring(folder: Path, name: str, word: str = "") -> dict[str, str]:
    """Write a keyring of `ODD` into a folder, with a person's settings that use it; return where these settings are."""
    text = MODULE + CLASS.format(name=name, does=ODD[name].replace("{word}", word))
    (folder / "odd_keyrings.py").write_text(text)
    settings = folder / "python_keyring" / "keyringrc.cfg"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(f"[backend]\ndefault-keyring=odd_keyrings.{name}\nkeyring-path={folder}\n")
    return {"XDG_CONFIG_HOME": str(folder)}


def without_session(**more: str) -> dict[str, Any]:
    """Return an environment in which no desktop can be found."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **more}
