"""Whether an address leads to sayso's own pages, and what is said of that (BR-01)."""

from urllib.parse import urlsplit

from sayso.core.errors import Refused

WRAPS = ("view-source:", "blob:", "filesystem:")
"""What may stand in front of an address, and shows the same page."""
USUAL = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def leads_to(url: str, ports: frozenset[int]) -> bool:
    """Say whether an address is on one of these ports."""
    while wraps := next((each for each in WRAPS if url[: len(each)].lower() == each), ""):
        url = url[len(wraps) :]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return (port or USUAL.get(parts.scheme, 0)) in ports


def must_not_lead_to(url: str, ports: frozenset[int]) -> None:
    """Raise `Refused` for sayso's own page."""
    if leads_to(url, ports):
        raise own_page()


def own_page() -> Refused:
    """Return what is said of sayso's own page."""
    return Refused(
        "that is where sayso's own page is, or the browser's own DevTools, and no action reaches them",
        "url.own_page",
        "own page",
    )
