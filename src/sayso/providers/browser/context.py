"""What a model is told of the open tabs before it answers: what the browser says, and each tab (S4-40 to S4-42)."""

from sayso.core.context import Around, Piece
from sayso.providers.browser import words
from sayso.providers.browser.store import InItsOwnWords, Tabs

BROWSER = "default"
ABOUT = (
    "The open tabs of all windows. “index” is the number that a tab is named by; “content_summary” is how a page "
    "that was read begins."
)


async def tabs(reads: Tabs, around: Around) -> tuple[Piece, ...]:
    """Return every tab with its eight keys, and the browser's own words for them where it has any (T-109)."""
    found = (await reads.snapshot(BROWSER)).tabs
    parsed = Piece("tabs", ABOUT, [words.as_json(tab) for tab in found], tuple(tab.fact for tab in found))
    raw = await reads.raw(words.MOST_CHARACTERS) if isinstance(reads, InItsOwnWords) else ""
    return (parsed, Piece("tabs_raw", "What the browser itself says of them.", raw)) if raw else (parsed,)
