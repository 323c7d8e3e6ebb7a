"""`sayso config model`: set up a language model and test it, or return to the built-in rules."""

from collections.abc import Mapping
from contextlib import aclosing

import anyio

from sayso.assembly.model import NO_KEY, SECTION, address_of, asking, entry_of, ground, may_be_told, why_not_model
from sayso.assembly.parts import dialect
from sayso.config import Settings
from sayso.core.conversation import ConversationRequest, Message, Model, ReplyEnd
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.ports import BackendContext
from sayso.models.vendors import EMBEDDED, ModelKey, ModelService, Named, Patience, find_model
from sayso.providers.accounts.keyring import KeyringEntry
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.accounts import AccountSetup, Kind, Sign, SignInResult, ask_for_sign_in
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.terminal import Interview

COMMAND = "sayso config model"
EXAMPLES = "anthropic:…, openai:…, gemini:…, ollama:…, openai-compatible:…"
_GREETING = ConversationRequest(
    "Answer with one word.", (Message("user", "Say: ready"),), "Say: ready", dialect("lines")
)


def _ground(settings: Settings) -> BackendContext:
    return ground(settings, RandomIds())


def _entry(values: Mapping[str, Json]) -> KeyringEntry:
    """Return the keyring entry of the key for these settings; an empty one if the model is unknown."""
    name = str(values.get("name") or EMBEDDED)
    try:
        found = find_model(name)
        return entry_of(found.vendor, address_of(found, str(values.get("url") or "")))
    except SaysoError:
        return KeyringEntry(SECTION, "", "")


# The keys of several vendors are kept at the same time, because a model in `fallback` may need an older key.
KIND = Kind(
    COMMAND,
    SECTION,
    _ground,
    ("name", "url", "password_command"),
    _entry,
    "the built-in rules answer",
    word="key",
    one_at_a_time=False,
)


class ModelAccountSetup(AccountSetup):
    """The questions about a model: its name, the address of its server, and its key."""

    kind = KIND

    def __init__(self, interview: Interview, here: CommandContext, seconds: float) -> None:
        super().__init__(interview, here, seconds)
        now = self.ground.settings
        name = str(now.get("name") or "")
        self._name = "" if name == EMBEDDED else name
        self._said_url = str(now.get("url") or "")
        self._named: Named | None = None

    def begin(self) -> None:
        talk = self.talk
        while True:
            name = talk.ask_for_text(f"Which model ({EXAMPLES})", self._name)
            if name == EMBEDDED:
                talk.say(f"The built-in rules answer where no model is set: {KIND.takes_back}")
                continue
            try:
                found = find_model(name)
                url = self._address(found)
                address_of(found, url)
            except SaysoError as wrong:
                talk.bad(f"{wrong}.")
                continue
            self._name, self._named, self._said_url = found.full, found, url
            return

    def other_server(self) -> None:
        self.begin()

    def try_sign_in(self) -> SignInResult:
        talk = self.talk
        found = self._named or find_model(self._name)
        url = address_of(found, self._said_url)
        sign = self._ask_for_key(found, url)
        values: dict[str, Json] = {"name": found.full, "url": self._said_url or None}
        values |= {"password_command": list(sign.command)} if sign.command else {}
        service = self._service(found, url, sign)
        model = asking(service)
        talk.say(f"Asking {service.said} for one word …")
        end = anyio.run(try_model, model)
        counts = f" ({end.tokens_in} tokens in, {end.tokens_out} out)" if end.tokens_in else ""
        talk.good(f"it answers{counts}")
        return SignInResult(found.full, values, sign)

    def _address(self, found: Named) -> str:
        """Return the server's URL for the settings; empty if it is the vendor's own URL."""
        vendor = found.vendor
        if vendor.needs_key:
            return self._said_url if self._named is None and found.full == self._name else ""
        usual = self._said_url or vendor.url or "http://127.0.0.1:8000/v1"
        while True:
            said = self.talk.ask_for_text("Address of its server", usual)
            try:
                address_of(found, said)
            except SetupError as wrong:
                self.talk.bad(f"{wrong}.")
                continue
            return "" if said == vendor.url else said

    def _ask_for_key(self, found: Named, url: str) -> Sign:
        """Return how the person signs in to the vendor. Raises `InterviewLeft`."""
        vendor = found.vendor
        if not vendor.needs_key and not self.talk.yes("Does it want a key?", usual=False):
            return Sign("")
        usual = next((name for name in vendor.variables if self.ground.environ.get(name)), "")
        if usual and url == vendor.url and self.talk.yes(f"Use the key that {usual} holds here?", usual=True):
            return Sign(self.ground.environ[usual])
        if vendor.keys_at:
            self.talk.say(f"Keys are made at {vendor.keys_at}")
        return ask_for_sign_in(self.talk, self.ground, entry_of(vendor, url), KIND.word)

    def _service(self, found: Named, url: str, sign: Sign) -> ModelService:
        key = ModelKey(sign.secret, "what you gave") if sign.secret else NO_KEY
        may_be_told(key, url)

        async def given() -> ModelKey:
            return key

        # The timeouts are long because a model on this computer may have to be loaded from disk first.
        patience = Patience(connect=self.seconds, silent=3 * self.seconds, whole=6 * self.seconds)
        return ModelService(found, url, given, patience=patience, why_not=why_not_model)


async def try_model(model: Model) -> ReplyEnd:
    """Ask the model for one word and return the end of its reply. Raises `SetupError` and `ProviderError`."""
    end = ReplyEnd(model.name, "stop")
    async with aclosing(model.stream(_GREETING)) as chunks:
        async for chunk in chunks:
            end = chunk if isinstance(chunk, ReplyEnd) else end
    return end
