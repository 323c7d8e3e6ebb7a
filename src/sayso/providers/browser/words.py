"""How tabs, pages and their texts are put into words; titles and texts of pages are always in quotes."""

from collections.abc import Iterable, Sequence

from sayso.core.canonical import Json
from sayso.providers.browser.address import domain
from sayso.providers.browser.store import Link, Tab

MOST_CHARACTERS = 10_000
"""Page text, links and script results are cut to this many code points (T-55)."""
MOST_SUMMARY = 200
TITLE = 80


def title(text: str) -> str:
    """Return a page's own words for itself, on one line, cut with its length named."""
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= TITLE else f"“{line[:TITLE]}…” ({len(line)} characters)"


def cut(text: str, total: int) -> str:
    """Return text with a separate note after it when it was cut."""
    if total <= len(text):
        return text
    return f"{text}\n\n[Cut: these are the first {len(text):,} of {total:,} characters.]"


def listed(tabs: Iterable[Tab]) -> str:
    """Return one numbered line for each tab."""
    return "\n".join(f"{tab.index}. {title(tab.title)} {tab.url}" for tab in tabs) or "no tab is open"


def as_json(tab: Tab) -> dict[str, Json]:
    """Return the eight values a model is told of a tab (S4-41)."""
    return {
        "index": tab.index,
        "title": tab.title,
        "url": tab.url,
        "domain": domain(tab.url),
        "content_summary": tab.content_summary[:MOST_SUMMARY],
        "is_active": tab.active,
        "window_index": tab.window_index,
        "local_index": tab.local_index,
    }


def lines(links: Sequence[Link]) -> list[str]:
    """Return one line for each link: its text and where it leads."""
    return [f"{' '.join(link.text.split())} — {link.href}" for link in links]


def tabs(count: int) -> str:
    """Return “1 tab” or “3 tabs”."""
    return "1 tab" if count == 1 else f"{count} tabs"
