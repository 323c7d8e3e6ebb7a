"""Vendors of language models: what each is called, where it is reached, and what its models need."""

from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from urllib.parse import urlsplit

from msgspec import Struct

from sayso.core.errors import SetupError

ROOMY = 100_000
"""Characters of the world that a prompt holds, as a rule; some 25,000 tokens."""
NARROW = 24_000


class Vendor(Struct, frozen=True):
    """Somebody whose models can be asked, or a program on this computer that runs models."""

    name: str
    """How settings name it, before the colon."""
    said: str
    """How a person calls it."""
    made_by: str
    """What makes a model of the client library."""
    extra: str
    """The extra of sayso that brings what it needs."""
    url: str = ""
    """Where it is; empty where only the settings can say."""
    variables: tuple[str, ...] = ()
    """Where its key usually stands in the environment."""
    keys_at: str = ""
    """Where a person makes a key; empty where none is needed."""
    context_chars: int = ROOMY
    """So much of the world is told where the settings do not say; a server on one's own computer seldom has room for
    more than some thousand tokens, and drops the beginning of what is longer without a word."""

    @property
    def needs_key(self) -> bool:
        """Say whether it answers nobody without a key."""
        return bool(self.keys_at)


class Named(Struct, frozen=True):
    """A model by its vendor and the name it has there."""

    vendor: Vendor
    model: str

    @property
    def full(self) -> str:
        """Return the name as settings have it: `anthropic:claude-…`."""
        return f"{self.vendor.name}:{self.model}"


_OPENAI = "sayso.models.clients.openai"

VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "anthropic",
        "Anthropic",
        "sayso.models.clients.anthropic:make",
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        "https://console.anthropic.com/settings/keys",
    ),
    Vendor(
        "openai",
        "OpenAI",
        f"{_OPENAI}:make_openai",
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        "https://platform.openai.com/api-keys",
    ),
    Vendor(
        "gemini",
        "Google Gemini",
        "sayso.models.clients.google:make",
        "gemini",
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "https://aistudio.google.com/apikey",
    ),
    Vendor(
        "openrouter",
        "OpenRouter",
        f"{_OPENAI}:make_compatible",
        "openai",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        "https://openrouter.ai/settings/keys",
    ),
    Vendor(
        "mistral",
        "Mistral",
        f"{_OPENAI}:make_compatible",
        "openai",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        "https://console.mistral.ai/api-keys",
    ),
    Vendor(
        "groq",
        "Groq",
        f"{_OPENAI}:make_compatible",
        "openai",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        "https://console.groq.com/keys",
    ),
    Vendor(
        "ollama",
        "Ollama",
        f"{_OPENAI}:make_ollama",
        "openai",
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        context_chars=NARROW,
    ),
    Vendor(
        "lmstudio",
        "LM Studio",
        f"{_OPENAI}:make_compatible",
        "openai",
        "http://127.0.0.1:1234/v1",
        context_chars=NARROW,
    ),
    Vendor(
        "openai-compatible", "the server of [model] url", f"{_OPENAI}:make_compatible", "openai", context_chars=NARROW
    ),
)
OTHER_NAMES = {"google": "gemini", "google-gla": "gemini", "openai-chat": "openai", "claude": "anthropic"}
EMBEDDED = "embedded"


def find_model(name: str) -> Named:
    """Return which model a name of the settings means. Raises `SetupError` that says what names there are."""
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
    """What a vendor knows its customer by, and where it came from; the secret is in nothing that is printed of it."""

    secret: str
    where: str

    def __repr__(self) -> str:
        return f"Key({self.where!r})"


class Patience(Struct, frozen=True):
    """How long we wait for a model, in seconds, and how often we try."""

    connect: float = 10.0
    silent: float = 120.0
    """How long it may send nothing at all."""
    whole: float = 600.0
    """How long a reply may take from its beginning to its end, tries included."""
    tries: int = 3
    """How often it is asked until it begins; once it has begun, it is not asked again."""
    pause: float = 0.5
    """How long before the second try; each further pause is twice as long."""
    longest_pause: float = 20.0
    """The longest pause that a server may ask for; whoever wants a longer one is not asked again."""


def unknown_reason(wrong: BaseException, host: str) -> str:
    """Know no reason why a server was not reached."""
    return ""


class ModelService(Struct, frozen=True):
    """One model at one address."""

    named: Named
    url: str
    key: Callable[[], Awaitable[ModelKey]]
    """Return the key, one without a secret where none is needed. Raises `SetupError`."""
    reply_bytes: int = 16 * 2**20
    patience: Patience = Patience()
    why_not: Callable[[BaseException, str], str] = unknown_reason
    """Say why a host was not reached or not believed, for the end of a sentence; empty where it is not known."""

    @property
    def host(self) -> str:
        """Return where it is, as a person reads it."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def said(self) -> str:
        """Return what a person calls it: the vendor, and where it is when that is not the vendor's own place."""
        vendor = self.named.vendor
        if not vendor.url:
            return f"the model server at {self.host}"
        return vendor.said if self.url == vendor.url else f"{vendor.said} at {self.host}"
