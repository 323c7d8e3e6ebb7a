"""Which model answers here, whether it has its key, and what answers in its place: for `doctor`."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import anyio

from sayso.assembly.model import REPLAY, made, names_of, service_of
from sayso.assembly.model_key import is_here
from sayso.config import Settings
from sayso.core.errors import SaysoError
from sayso.models.service import Service
from sayso.models.vendors import EMBEDDED
from sayso.runtime.clock import SystemClock
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli.finding import Finding

SECONDS = 2.0
"""How long a server on this computer may take to let us in."""
RULES = "embedded: the built-in rules, which need no key and no network"


async def of_models(now: Settings) -> AsyncIterator[Finding]:
    """Yield how it is with each model that would be asked, the first first; nothing leaves this computer for it."""
    names = names_of(now)
    for name in names:
        first = name == names[0]
        about = "model" if first else "model, then"
        try:
            yield await _of(about, name, now, names[0])
        except SaysoError as problem:
            says, _, fix = str(problem).partition("; ")
            yield Finding(about, "broken" if first and name != EMBEDDED else "note", f"{name}: {says}", fix)


async def _of(about: str, name: str, now: Settings, first: str) -> Finding:
    """Say how it is with one model. Raises `SetupError` where it cannot be asked."""
    made(name, now, SystemClock(), RandomIds(), first)
    if name == EMBEDDED:
        return Finding(about, "good", RULES)
    if name.startswith(REPLAY):
        return Finding(about, "note", f"{name} plays the replies in a file, and understands nothing")
    service = service_of(name, now, RandomIds(), first)
    key = await service.key()
    says = f"{name} at {service.host}, {f'with the key from {key.where}' if key.secret else 'without a key'}"
    parts = urlsplit(service.url)
    if is_here(parts.hostname or ""):
        return await _of_this_computer(about, says, service)
    if parts.scheme == "http":
        return Finding(about, "note", f"{says}; what it is asked is not encrypted on its way", "set model.url to https")
    return Finding(about, "good", says)


async def _of_this_computer(about: str, says: str, service: Service) -> Finding:
    if await lets_in(service.url):
        return Finding(about, "good", says)
    vendor = service.named.vendor
    start = "ollama serve" if vendor.name == "ollama" else f"start {service.said}, or change model.url"
    how = "broken" if about == "model" else "note"
    return Finding(about, how, f"{says}: nothing answers there", start)


async def lets_in(url: str) -> bool:
    """Say whether a server on this computer takes a connection; nothing is said to it."""
    parts = urlsplit(url)
    try:
        with anyio.fail_after(SECONDS):
            line = await anyio.connect_tcp(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
            await line.aclose()
    except (OSError, TimeoutError):
        return False
    return True
