"""Vendors of language models, with their names, addresses, keys and limits, and how settings name a model."""

from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from urllib.parse import urlsplit

from anyio import sleep
from msgspec import Struct

from sayso.core.errors import SetupError
from sayso.core.lazy import load

ROOMY = 100_000
"""The usual limit on the length of the context in a prompt, in characters; this is about 25,000 tokens."""
NARROW = 24_000


class Api(Struct, frozen=True):
    """A kind of API: the classes of the client library that use it, each as `module:name`."""

    model: str
    provider: str
    extra: str
    """The extra of the package sayso that installs the library that this kind of API needs."""


class Vendor(Struct, frozen=True):
    """A company that offers models, or a program on this computer that runs them."""

    name: str
    """The vendor's name in the settings, before the colon in the name of a model."""
    said: str
    """The vendor's name in messages to the person."""
    api: Api
    url: str = ""
    """The vendor's address; empty if the settings must give it."""
    variables: tuple[str, ...] = ()
    """Environment variables in which the vendor's key is usually kept."""
    keys_at: str = ""
    """The page on which a person creates a key; empty if the vendor needs no key."""
    context_chars: int = ROOMY
    """The default limit on the length of the context in a prompt, in characters.

    A server on the person's own computer often takes only a few thousand tokens, and drops the beginning of a longer
    prompt without an error.
    """

    @property
    def needs_key(self) -> bool:
        """Say whether the vendor requires a key."""
        return bool(self.keys_at)


class Named(Struct, frozen=True):
    """A model as the settings name it: the vendor, and the vendor's own name for the model."""

    vendor: Vendor
    model: str

    @property
    def full(self) -> str:
        """Return the name as it is written in the settings: `anthropic:claude-…`."""
        return f"{self.vendor.name}:{self.model}"


_ANTHROPIC = Api(
    "pydantic_ai.models.anthropic:AnthropicModel", "pydantic_ai.providers.anthropic:AnthropicProvider", "anthropic"
)
_GEMINI = Api("pydantic_ai.models.google:GoogleModel", "pydantic_ai.providers.google:GoogleProvider", "gemini")
_OPENAI = Api("pydantic_ai.models.openai:OpenAIChatModel", "pydantic_ai.providers.openai:OpenAIProvider", "openai")
_OLLAMA = Api("pydantic_ai.models.ollama:OllamaModel", "pydantic_ai.providers.ollama:OllamaProvider", "openai")
_COMPATIBLE = Api(
    _OPENAI.model, "pydantic_ai.providers.openai_compatible:OpenAICompatibleProvider", "openai"
)  # of any server that offers OpenAI's chat completions API

VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "anthropic",
        "Anthropic",
        _ANTHROPIC,
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        "https://console.anthropic.com/settings/keys",
    ),
    Vendor(
        "openai",
        "OpenAI",
        _OPENAI,
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        "https://platform.openai.com/api-keys",
    ),
    Vendor(
        "gemini",
        "Google Gemini",
        _GEMINI,
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "https://aistudio.google.com/apikey",
    ),
    Vendor(
        "openrouter",
        "OpenRouter",
        _COMPATIBLE,
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        "https://openrouter.ai/settings/keys",
    ),
    Vendor(
        "mistral",
        "Mistral",
        _COMPATIBLE,
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        "https://console.mistral.ai/api-keys",
    ),
    Vendor(
        "groq",
        "Groq",
        _COMPATIBLE,
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        "https://console.groq.com/keys",
    ),
    Vendor(
        "ollama",
        "Ollama",
        _OLLAMA,
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        context_chars=NARROW,
    ),
    Vendor(
        "lmstudio",
        "LM Studio",
        _COMPATIBLE,
        "http://127.0.0.1:1234/v1",
        context_chars=NARROW,
    ),
    Vendor("openai-compatible", "the server of [model] url", _COMPATIBLE, context_chars=NARROW),
)
OTHER_NAMES = {"google": "gemini", "google-gla": "gemini", "openai-chat": "openai", "claude": "anthropic"}
EMBEDDED = "embedded"


def find_model(name: str) -> Named:
    """Return the model that a name in the settings means.

    Raises `SetupError` if the vendor is unknown (the message lists the known ones), or if the name of the model is
    missing.
    """
    prefix, _, model = name.strip().partition(":")
    vendor = _vendor(OTHER_NAMES.get(prefix, prefix))
    if vendor is None:
        raise SetupError(_unknown(name, prefix, model), "model.name")
    if not model and vendor.name != "openai-compatible":
        raise SetupError(
            f"“{name}” names no model of {vendor.said}; write it behind a colon: {vendor.name}:…", "model.name"
        )
    return Named(vendor, model or "default")


def _vendor(name: str) -> Vendor | None:
    return next((vendor for vendor in VENDORS if vendor.name == name), None)


def _unknown(name: str, prefix: str, model: str) -> str:
    names = [EMBEDDED, *(vendor.name for vendor in VENDORS)]
    near = get_close_matches(prefix, names, n=1, cutoff=0.7)
    hint = f"did you mean “{near[0]}{':' * bool(model)}{model}”? " if near else ""
    listed = ", ".join(f"{vendor.name}:…" for vendor in VENDORS)
    return f"sayso knows no model called “{name}”; {hint}there are: {EMBEDDED}, {listed}"


class ModelKey(Struct, frozen=True):
    """The key for a vendor, and where it was found; `repr` does not contain the secret."""

    secret: str
    where: str

    def __repr__(self) -> str:
        return f"ModelKey({self.where!r})"


class Patience(Struct, frozen=True):
    """Time limits for a model, in seconds, and how often a request may be sent."""

    connect: float = 10.0
    silent: float = 120.0
    """The longest time during which the server may send nothing."""
    whole: float = 600.0
    """The longest time for a reply, including all tries."""
    tries: int = 5
    """How often a request is sent at most until a reply begins; after that, it is never sent again."""
    pause: float = 0.5
    """The pause before the second try; each further pause is twice as long as the one before."""
    longest_pause: float = 120.0
    """The longest pause that a server may ask for; if it asks for a longer one, the request is not sent again."""


def unknown_reason(wrong: BaseException, host: str) -> str:
    """Return an empty reason; the default of `ModelService.why_not`."""
    return ""


def is_here(host: str) -> bool:
    """Return whether a host is this computer."""
    try:
        return load("ipaddress:ip_address")(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class ModelService(Struct, frozen=True):
    """A model at an address, with its key and limits."""

    named: Named
    url: str
    key: Callable[[], Awaitable[ModelKey]]
    """Returns the key; `secret` is empty if no key is needed. Raises `SetupError` if a required key is missing."""
    reply_bytes: int = 16 * 2**20
    patience: Patience = Patience()
    why_not: Callable[[BaseException, str], str] = unknown_reason
    """Explains why a host was not reached or not trusted, as the end of a sentence; empty if this is unknown."""
    sleep: Callable[[float], Awaitable[None]] = sleep
    """Waits for a number of seconds before a request is sent again."""

    @property
    def is_here(self) -> bool:
        """Return whether the model runs on this computer."""
        return is_here(urlsplit(self.url).hostname or "")

    @property
    def host(self) -> str:
        """Return the host and port of the address, without a user name or password."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def said(self) -> str:
        """Return the name for messages: the vendor; if the address is not the vendor's usual one, the host is added."""
        vendor = self.named.vendor
        if not vendor.url:
            return f"the model server at {self.host}"
        return vendor.said if self.url == vendor.url else f"{vendor.said} at {self.host}"
