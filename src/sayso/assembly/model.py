"""Choose and make the language model that the settings name, and find its key."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import cast
from urllib.parse import urlsplit

from sayso.assembly.parts import dialect
from sayso.assistant.asker import Budget
from sayso.config import Settings
from sayso.core.conversation import Chunk, ConversationRequest, Model
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.ports import BackendContext, Clock, Ids
from sayso.core.provider import add_extra
from sayso.models.fallback import Fallback
from sayso.models.vendors import EMBEDDED, ROOMY, ModelKey, ModelService, Named, Patience, Vendor, find_model, is_here
from sayso.providers.accounts.errors import why_not_believed, why_not_reached
from sayso.providers.accounts.keyring import (
    KeyringAnswer,
    KeyringEntry,
    command_of,
    read_keyring,
    read_password_command,
    variable,
    why_not,
)
from sayso.runtime.system import SystemClock

SECTION = "model"
NO_KEY = ModelKey("", "")


def entry_of(vendor: Vendor, url: str) -> KeyringEntry:
    """Return the keyring entry with the key for a vendor at an address; the key is sent nowhere else."""
    return KeyringEntry(SECTION, urlsplit(url).netloc, vendor.name)


class KeyOf:
    """Gets the key of one vendor at one address; it is looked up once, and then remembered.

    `SAYSO_MODEL_PASSWORD` and `password_command` are for one vendor alone; `chosen` says whether it is this one.
    """

    def __init__(self, ground: BackendContext, vendor: Vendor, url: str, *, chosen: bool) -> None:
        self.ground = ground
        self.vendor = vendor
        self.url = url
        self._chosen = chosen
        self._known: ModelKey | None = None

    async def __call__(self) -> ModelKey:
        """Return the key. Raises `SetupError` that says how to provide one; it contains no part of any key."""
        if self._known is None:
            self._known = await self._find_key()
            may_be_told(self._known, self.url)
        return self._known

    async def _find_key(self) -> ModelKey:
        environ = self.ground.environ
        command = command_of(self.ground.settings)
        if self._chosen and (given := environ.get(variable(SECTION))):
            return ModelKey(given.strip(), variable(SECTION))
        if self._chosen and command:
            return ModelKey(
                (await read_password_command(command, SECTION, self.ground)).strip(), f"password_command ({command[0]})"
            )
        told = await self._of_the_keyring()
        if told.how == "found":
            return ModelKey(told.password, f"the keyring ({told.name})")
        usual = self._usual(environ)
        if usual is not None or not self.vendor.needs_key:
            return usual or NO_KEY
        raise SetupError(
            f"there is no key for {self.vendor.said}: {why_not(told)}; run “sayso config model”, or set "
            f"{self.vendor.variables[0] if self._is_its_own else variable(SECTION)}; keys are made at "
            f"{self.vendor.keys_at}",
            "model.key",
        )

    async def _of_the_keyring(self) -> KeyringAnswer:
        # Programs that run models on this computer need no key, and a locked keyring would delay the request.
        if not self.vendor.needs_key and self.vendor.url:
            return KeyringAnswer("absent")
        return await read_keyring(self.ground, entry_of(self.vendor, self.url))

    def _usual(self, environ: Mapping[str, str]) -> ModelKey | None:
        """Return the key in the vendor's usual variable, which is used for the vendor's own address only."""
        if not self._is_its_own:
            return None
        return next(
            (ModelKey(environ[name].strip(), name) for name in self.vendor.variables if environ.get(name)), None
        )

    @property
    def _is_its_own(self) -> bool:
        return self.url == self.vendor.url


def may_be_told(key: ModelKey, url: str) -> None:
    """Raise `SetupError` if a key is malformed, or if it would be sent unencrypted over a network."""
    parts = urlsplit(url)
    if not key.secret.isascii() or any(letter.isspace() or not letter.isprintable() for letter in key.secret):
        raise SetupError(
            f"the key from {key.where} has characters in it that no key has; give it as it was made, without words "
            "or lines around it",
            "model.key",
        )
    if key.secret and parts.scheme == "http" and not is_here(parts.hostname or ""):
        raise SetupError(
            f"[model] url: “http” would show your key to everybody on the way; write https://{parts.netloc}",
            "model.plain",
        )


REPLAY = "replay:"
"""Prefix of the name of a model that plays the replies in a file; the name of the file follows."""


def open_model(settings: Settings, ids: Ids, name: str | None = None, *, clock: Clock | None = None) -> Model:
    """Return the model of this name, or the one that the settings name; the models of `fallback` are asked if it fails.

    No model is asked and no library is imported before the first request. Raises `SetupError` for an invalid name or
    address.
    """
    names = names_of(settings, name)
    clock = clock or SystemClock()
    models = [_one(one, settings, clock, ids, names[0]) for one in names]
    return models[0] if len(models) == 1 else Fallback(models)


def names_of(settings: Settings, name: str | None = None) -> tuple[str, ...]:
    """Return the names of the models in the order in which they are asked; `name` replaces the first one."""
    section = settings.sections[SECTION]
    return tuple(dict.fromkeys((name or str(section["name"]), *cast("Sequence[str]", section["fallback"]))))


def context_chars(settings: Settings, name: str | None = None) -> int:
    """Return how many characters of context a prompt may contain: the setting, or the smallest limit of the models."""
    said = settings.sections[SECTION].get("context_chars")
    if said is not None:
        return cast("int", said)
    return min(_room(one) for one in names_of(settings, name))


def _room(name: str) -> int:
    try:
        return find_model(name).vendor.context_chars
    except SetupError:
        return ROOMY  # the built-in rules, or a model that the caller made


def budget_of(settings: Settings) -> Budget:
    """Return what one ask may take at most."""
    section = settings.sections[SECTION]
    rows = [one.split() for one in cast("Sequence[str]", section["prices"])]
    prices = {name: (float(read), float(written)) for name, read, written in rows}
    return Budget(
        cast("int", section["budget_turns"]),
        cast("int", section["budget_tokens"]),
        _seconds(section["budget_time"]),
        cast("float | None", section.get("budget_money")),
        prices,
    )


def service_of(name: str, settings: Settings, ids: Ids, first: str) -> ModelService:
    """Return what is needed to send requests to a model; `first` names the model that is asked before all others.

    Raises `SetupError` for an invalid name or address.
    """
    found = find_model(name)
    section = settings.sections[SECTION]
    vendors = _vendors(settings, first)
    has_the_url = found.vendor == next((vendor for vendor in vendors if not vendor.url), vendors[0])
    url = address_of(found, str(section.get("url") or "") if has_the_url else "")
    key = KeyOf(ground(settings, ids), found.vendor, url, chosen=found.vendor == vendors[0])
    patience = Patience(
        connect=_seconds(section["timeout_connect"]),
        silent=_seconds(section["timeout_silent"]),
        whole=_seconds(section["timeout"]),
    )
    return ModelService(found, url, key, settings.policy.limits.reply_bytes, patience, why_not_model)


class LazyModel:
    """A model that is made at the first request, because its library may be slow to import or not installed."""

    def __init__(self, name: str, made: Callable[[], Model]) -> None:
        self.name = name
        self._made = made

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the reply."""
        async with aclosing(self._made().stream(asked)) as chunks:
            async for chunk in chunks:
                yield chunk


def create_model(name: str, settings: Settings, clock: Clock, ids: Ids, first: str) -> Model:
    """Return one model, made now. Raises `SetupError` when something that it needs is not installed or not found."""
    if name.startswith(REPLAY):
        return load("sayso.models.replay:open_replay")(name.removeprefix(REPLAY))
    return _create_builtin(clock) if name == EMBEDDED else asking(service_of(name, settings, ids, first))


def _one(name: str, settings: Settings, clock: Clock, ids: Ids, first: str) -> Model:
    if name.startswith(REPLAY):
        return create_model(name, settings, clock, ids, first)
    if name != EMBEDDED:
        name = service_of(name, settings, ids, first).named.full
    return LazyModel(name, lambda: create_model(name, settings, clock, ids, first))


def _create_builtin(clock: Clock) -> Model:
    try:
        return load("sayso.models.builtin:BuiltIn")(clock, calls=dialect("tools"))
    except ImportError as missing:
        raise SetupError(
            f"the built-in rules cannot be used here: {missing.name} is missing; name another model with: "
            "sayso config set model.name …",
            "model.extra",
        ) from None


def asking(service: ModelService) -> Model:
    """Return the model that asks this service. Raises `SetupError` when a library that it needs is not installed."""
    vendor = service.named.vendor
    try:
        load(vendor.api.model)
        return load("sayso.models.client:Hosted")(service)
    except ImportError as missing:
        raise SetupError(
            f"asking {vendor.said} needs {missing.name}, which is not installed: {add_extra(vendor.api.extra)}",
            "model.extra",
        ) from None


def _vendors(settings: Settings, first: str) -> list[Vendor]:
    """Return the vendors of the models that the settings name, and of the model `first`.

    The key and the address in the settings are each for one vendor, so that no other vendor gets the key or any text.
    The key is for the first vendor. The address is for the first vendor without an address of its own or, if all have
    one, for the first vendor.
    """
    names = (*names_of(settings), first)
    return [find_model(name).vendor for name in names if name != EMBEDDED and not name.startswith(REPLAY)]


_WRITE_ADDRESS = "write it whole and alone, with http:// or https:// in front, such as http://127.0.0.1:8000/v1"


def address_of(found: Named, said: str) -> str:
    """Return the address of a model's server: the one in the settings, or its vendor's. Raises `SetupError`."""
    vendor = found.vendor
    if not said and not vendor.url:
        raise SetupError(
            f"“{found.full}” needs the address of its server: sayso config set model.url http://127.0.0.1:8000/v1",
            "model.url",
        )
    parts = urlsplit(said or vendor.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise SetupError(f"[model] url: “{said[:80]}” is no address of a server; {_WRITE_ADDRESS}", "model.url")
    url = (said or vendor.url).rstrip("/")
    needs_path = vendor.url.endswith("/v1") and not vendor.needs_key and not parts.path.strip("/")
    return f"{url}/v1" if needs_path else url


def _seconds(value: Json) -> float:
    return float(cast("int", value))


def why_not_model(wrong: BaseException, host: str) -> str:
    """Return why a host was not reached or not trusted, as the end of a sentence."""
    return why_not_believed(wrong, host) or why_not_reached(wrong, host)


def ground(settings: Settings, ids: Ids) -> BackendContext:
    """Return the context in which the key of a model is looked up."""
    policy = settings.policy
    return BackendContext(
        settings=settings.sections[SECTION],
        home=policy.home,
        own=policy.own,
        roots=policy.roots,
        clock=SystemClock(),
        ids=ids,
        environ=settings.environ,
    )
