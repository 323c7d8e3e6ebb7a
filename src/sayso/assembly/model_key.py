"""Where the key of a language model comes from: what is set for sayso, the keyring, or its vendor's usual variable."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.models.service import Key
from sayso.models.vendors import Vendor
from sayso.providers.accounts.keyring import Entry, Told, keyring_of, why_not
from sayso.providers.accounts.password import command_of, printed, variable

SECTION = "model"
NO_KEY = Key("", "")


def entry_of(vendor: Vendor, url: str) -> Entry:
    """Return where in the keyring the key for a vendor at an address lies; it is told to no other."""
    return Entry(SECTION, urlsplit(url).netloc, vendor.name)


class KeyOf:
    """Knows how to get the key of one vendor at one address, and asks for it once.

    `SAYSO_MODEL_PASSWORD` and `password_command` are for one vendor alone; `chosen` says that it is this one.
    """

    def __init__(self, ground: Ground, vendor: Vendor, url: str, *, chosen: bool) -> None:
        self.ground = ground
        self.vendor = vendor
        self.url = url
        self._chosen = chosen
        self._known: Key | None = None

    async def __call__(self) -> Key:
        """Return the key. Raises `SetupError` that says how to give one; it holds no word of any."""
        if self._known is None:
            self._known = await self._found()
            may_be_told(self._known, self.url)
        return self._known

    async def _found(self) -> Key:
        environ = self.ground.environ
        command = command_of(self.ground.settings)
        if self._chosen and (given := environ.get(variable(SECTION))):
            return Key(given.strip(), variable(SECTION))
        if self._chosen and command:
            return Key((await printed(command, SECTION, self.ground)).strip(), f"password_command ({command[0]})")
        told = await self._of_the_keyring()
        if told.how == "found":
            return Key(told.password, f"the keyring ({told.name})")
        usual = self._usual(environ)
        if usual is not None or not self.vendor.needs_key:
            return usual or NO_KEY
        raise SetupError(
            f"there is no key for {self.vendor.said}: {why_not(told)}; run “sayso config model”, or set "
            f"{self.vendor.variables[0] if self._is_its_own else variable(SECTION)}; keys are made at "
            f"{self.vendor.keys_at}",
            "model.key",
        )

    async def _of_the_keyring(self) -> Told:
        # Programs that run models on this computer ask for no key, and a locked keyring would hold them up.
        if not self.vendor.needs_key and self.vendor.url:
            return Told("absent")
        return await keyring_of(self.ground).get(entry_of(self.vendor, self.url))

    def _usual(self, environ: Mapping[str, str]) -> Key | None:
        """Return the key of the vendor's usual variable, which is for the vendor's own address alone."""
        if not self._is_its_own:
            return None
        return next((Key(environ[name].strip(), name) for name in self.vendor.variables if environ.get(name)), None)

    @property
    def _is_its_own(self) -> bool:
        return self.url == self.vendor.url


def may_be_told(key: Key, url: str) -> None:
    """Raise `SetupError` where a key is none, or telling it at an address would tell it to others too."""
    parts = urlsplit(url)
    if not key.secret.isascii() or any(letter.isspace() or not letter.isprintable() for letter in key.secret):
        raise SetupError(
            f"the key from {key.where} has characters in it that no key has; give it as it was made, without words "
            "or lines around it",
            "model.key",
        )
    if key.secret and parts.scheme == "http" and not is_here(parts.hostname or ""):
        raise SetupError(
            f"[model] url: “http” would tell everybody on the way your key; write https://{parts.netloc}",
            "model.plain",
        )


def is_here(host: str) -> bool:
    """Say whether a host is this computer."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
