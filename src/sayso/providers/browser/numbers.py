"""Number the open tabs, find tabs by number, and write tabs and links as text or JSON for a model."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from sayso.core.conversation import ContextLimits, ContextPiece
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.plan import Facts, ResultRef
from sayso.core.quotes import quoted
from sayso.providers.browser.address import domain
from sayso.providers.browser.model import TabAt
from sayso.providers.browser.store import Link, ListsRawTabs, OutlineRow, Snapshot, Tab, Tabs

MOST_CHARACTERS = 10_000
"""The most characters (code points) of page text, links and script results that are returned (T-55)."""
MOST_SUMMARY = 200
TITLE = 80


def title(text: str) -> str:
    """Return a page's title in quotes on one line; a long title is cut and followed by its length."""
    line = " ".join(text.split())
    return quoted(line) if len(line) <= TITLE else f"{quoted(line[:TITLE] + '…')} ({len(line)} characters)"


def cut(text: str, total: int) -> str:
    """Return `text`, with a note below it if it is only the beginning of a text with `total` characters."""
    if total <= len(text):
        return text
    return f"{text}\n\n[Cut: these are the first {len(text):,} of {total:,} characters.]"


def list_tabs(count_tabs: Iterable[Tab]) -> str:
    """Return one numbered line for each tab."""
    return "\n".join(f"{tab.index}. {title(tab.title)} {tab.url}" for tab in count_tabs) or "no tab is open"


def tab_json(tab: Tab) -> dict[str, Json]:
    """Return the eight values of a tab that a model is shown (S4-41)."""
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


def link_lines(links: Sequence[Link]) -> list[str]:
    """Return one line for each link: its text and its address."""
    return [f"{' '.join(link.text.split())} — {link.href}" for link in links]


def outline_line(row: OutlineRow) -> str:
    """Return one line for a row of an outline: reference, role, name, value, state, and where a link leads."""
    parts = [row.reference or "-", row.role, quoted(row.name)]
    parts += [f"holds {quoted(' '.join(row.value.split()))}"] if row.value else []
    parts += [f"({', '.join(row.state)})"] if row.state else []
    parts += [f"→ {row.opens}"] if row.opens else []
    return " ".join(parts)


def outline_json(row: OutlineRow) -> dict[str, Json]:
    """Return a row of an outline as data, without what is empty."""
    told: dict[str, Json] = {
        "reference": row.reference, "role": row.role, "name": row.name, "value": row.value, "state": list(row.state),
        "opens": row.opens,
    }  # fmt: skip
    return {name: value for name, value in told.items() if value}


def count_tabs(count: int) -> str:
    """Return “1 tab” or “3 tabs”."""
    return "1 tab" if count == 1 else f"{count} tabs"


def number_tabs(count_tabs: Sequence[Tab], before: Sequence[str] | None, shown: Facts) -> Snapshot:
    """Return the open tabs with the numbers that the model uses for them.

    `shown` contains the tabs that the model was shown, in the order of their numbers. If it is empty, the numbers come
    from `before`: the ids of the tabs in the order in which the batch first read them. If `before` is None, the batch
    has not read the tabs yet, and they are numbered as they are now.
    """
    there = {tab.id: tab for tab in count_tabs}
    ids = [fact.about for fact in shown] or (list(there) if before is None else list(before))
    meant_by = {id_: number for number, id_ in enumerate(ids, 1)}
    named = [replace(there[id_], index=number) for id_, number in meant_by.items() if id_ in there]
    new = [replace(tab, index=0) for tab in count_tabs if tab.id not in meant_by]
    closed = [number for id_, number in meant_by.items() if id_ not in there and id_ in (before or ())]
    return Snapshot((*named, *new), frozenset(closed), shown)


def tabs_of_numbers(snapshot: Snapshot, numbers: Iterable[int]) -> tuple[Tab, ...]:
    """Return the tabs with these numbers, highest first, without duplicates; one wrong number fails all (T-102).

    Raises `ProviderError` if a number has no tab, or if the tab is not the one that the model was shown. The message
    lists all these numbers. It also says which page the tab shows now, or which numbers exist.
    """
    by_number = {tab.index: tab for tab in snapshot.tabs if tab.index}
    wanted = sorted(set(numbers), reverse=True)
    missing = [number for number in reversed(wanted) if number not in by_number]
    closed = [number for number in missing if number in snapshot.closed]
    if closed:
        raise ProviderError(f"{_name_numbers(closed)} closed by an earlier action", "tab.closed")
    beyond = [number for number in missing if number > len(snapshot.shown)] if snapshot.shown else missing
    if beyond:
        raise ProviderError(f"there is no tab {_and(beyond)}; {_range(by_number, snapshot)}", "tab.range")
    others = [why for number in reversed(wanted) if (why := _no_longer(number, by_number, snapshot))]
    if others:
        raise ProviderError(f"{'; '.join(others)}. List the tabs again before you name one.", "tab.another")
    return tuple(by_number[number] for number in wanted)


def _no_longer(number: int, by_number: Mapping[int, Tab], snapshot: Snapshot) -> str:
    """Return how the tab differs from the one that the model was shown.

    Returns an empty string if it is the same tab, or if this batch changed it.
    """
    if not snapshot.shown:
        return ""
    seen, tab = snapshot.shown[number - 1], by_number.get(number)
    url = seen.url if isinstance(seen, TabAt) else ""
    if tab is not None and (tab.url == url or isinstance(tab.fact, ResultRef)):
        return ""
    was = f"tab {number} showed {title(url)} when you were shown the tabs"
    if tab is not None:
        return f"{was}, and shows {_site(tab)} now"
    stands = _standing(number, snapshot)
    there = f"tab {number} is {_site(stands)} now" if stands else f"there is no tab {number} any more"
    return f"{was}, and is closed now; {there}"


def _standing(number: int, snapshot: Snapshot) -> Tab | None:
    """Return the tab that would get this number if the tabs were listed now."""
    in_order = sorted(snapshot.tabs, key=lambda tab: (tab.window_index, tab.local_index))
    return in_order[number - 1] if number <= len(in_order) else None


def _site(tab: Tab) -> str:
    # Return only the domain: title and address are text by strangers that the model has not been shown.
    return f"a page of {domain(tab.url)}" if domain(tab.url) else "another page"


def _range(by_number: Mapping[int, Tab], snapshot: Snapshot) -> str:
    if snapshot.shown:
        count = len(snapshot.shown)
        return f"you were shown {count_tabs(count)}, numbered 1{f' to {count}' if count > 1 else ''}"
    last = max((*by_number, *snapshot.closed), default=0)
    if last == 0:
        return "no tab is open"
    return "there is 1 tab, numbered 1" if last == 1 else f"there are {last} tabs, numbered 1 to {last}"


def _name_numbers(numbers: list[int]) -> str:
    return f"tab {_and(numbers)} {'is' if len(numbers) == 1 else 'are'}"


def _and(numbers: list[int]) -> str:
    *most, last = [str(number) for number in numbers]
    return f"{', '.join(most)} and {last}" if most else last


BROWSER = "default"
ABOUT = (
    "The open tabs of all windows. “index” is the number that a tab is named by; “content_summary” is how a page "
    "that was read begins."
)


async def tabs_context(reads: Tabs, around: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the tabs as JSON with eight keys each, and the browser's own list if it has one (T-109)."""
    found = (await reads.snapshot(BROWSER)).tabs
    parsed = ContextPiece("tabs", ABOUT, [tab_json(tab) for tab in found], tuple(tab.fact for tab in found))
    raw = await reads.raw(MOST_CHARACTERS) if isinstance(reads, ListsRawTabs) else ""
    return (parsed, ContextPiece("tabs_raw", "What the browser itself says of them.", raw)) if raw else (parsed,)
