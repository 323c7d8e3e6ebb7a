"""Find the tabs that numbers mean; one wrong number refuses all (T-102)."""

from collections.abc import Iterable

from sayso.core.errors import ProviderError
from sayso.providers.browser.store import Snapshot, Tab


def meant(snapshot: Snapshot, numbers: Iterable[int]) -> tuple[Tab, ...]:
    """Return the tabs of these numbers, highest first, each once.

    Raises `ProviderError` that names every number without a tab and the range there is.
    """
    by_number = {tab.index: tab for tab in snapshot.tabs if tab.index}
    wanted = sorted(set(numbers), reverse=True)
    missing = [number for number in reversed(wanted) if number not in by_number]
    if not missing:
        return tuple(by_number[number] for number in wanted)
    gone = [number for number in missing if number in snapshot.closed]
    if gone:
        raise ProviderError(f"{_named(gone)} closed by an earlier action", "tab.closed")
    raise ProviderError(f"there is no tab {_and(missing)}; {_range(by_number, snapshot)}", "tab.range")


def _range(by_number: dict[int, Tab], snapshot: Snapshot) -> str:
    last = max((*by_number, *snapshot.closed), default=0)
    if last == 0:
        return "no tab is open"
    return "there is 1 tab, numbered 1" if last == 1 else f"there are {last} tabs, numbered 1 to {last}"


def _named(numbers: list[int]) -> str:
    return f"tab {_and(numbers)} {'is' if len(numbers) == 1 else 'are'}"


def _and(numbers: list[int]) -> str:
    *most, last = [str(number) for number in numbers]
    return f"{', '.join(most)} and {last}" if most else last
