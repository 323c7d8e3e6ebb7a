"""What is remembered of pages that were read: the beginning of each text, for lists of tabs (T-110)."""

from collections import OrderedDict

from sayso.providers.browser.words import MOST_SUMMARY

MOST = 1000


class Summaries:
    """The first words of the pages that were read in this process, by tab and address; nothing is written down."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], str] = OrderedDict()

    def add(self, tab: str, url: str, text: str) -> None:
        """Remember the beginning of a page; the oldest are forgotten."""
        self._known[tab, url] = " ".join(text[: 10 * MOST_SUMMARY].split())[:MOST_SUMMARY]
        self._known.move_to_end((tab, url))
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    def of(self, tab: str, url: str) -> str:
        """Return it, empty when the page was not read."""
        return self._known.get((tab, url), "")
