"""Where one model is asked: its vendor, its address, its key, and how patient we are with it."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from sayso.core.values import dataclass
from sayso.models.vendors import Named


@dataclass(frozen=True)
class Key:
    """What a vendor knows its customer by, and where it came from; the secret is in nothing that is printed of it."""

    secret: str
    where: str

    def __repr__(self) -> str:
        return f"Key({self.where!r})"


@dataclass(frozen=True)
class Patience:
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


@dataclass(frozen=True)
class Service:
    """One model at one address."""

    named: Named
    url: str
    key: Callable[[], Awaitable[Key]]
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
