"""The text of a page of HTML as a reader would see it; time is linear in its length, whatever is in it."""

import re
from html import unescape

_OPENS = re.compile(r"<[a-zA-Z/!?]")
_TAG = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]*)")
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_SILENT = frozenset({"script", "style", "head", "title", "template", "noscript", "object"})
_BLOCKS = re.compile(
    r"address|article|aside|blockquote|center|div|dl|dt|dd|fieldset|figure|footer|form|h[1-6]|header|hr|main|nav|ol|p|pre"
    r"|section|table|tr|ul"
)
_APART = re.compile(r"p|h[1-6]|table|ul|ol|blockquote|pre")
_REST_OF_TAG = re.compile(r"""(?:[^"'>]++|"[^"]*+"|'[^']*+')*+>""")
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_MANY = re.compile(r"\n{3,}")


def text_of_html(source: str) -> str:
    """Return the text: blocks on lines of their own, items with a dash, links with their address behind them."""
    writing = _Writing()
    at = 0
    while True:
        found = _OPENS.search(source, at)
        if found is None:
            writing.say(source[at:])
            return writing.text()
        writing.say(source[at : found.start()])
        at = _past(source, found.start(), writing)


def _past(source: str, opens: int, writing: "_Writing") -> int:
    """Take what begins with `<` at `opens`; return where to go on."""
    if source.startswith("<!--", opens):
        ends = source.find("-->", opens + 4)
        return len(source) if ends < 0 else ends + 3
    found = _TAG.match(source, opens + 1)
    closes = _end_of_tag(source, opens, writing)
    if found is None:
        return closes
    name, closing = found[1].lower(), source[opens + 1] == "/"
    if name in _SILENT and not closing:
        return _after_closing(source, name, closes, writing)
    writing.tag(name, source[found.end() : closes], closing=closing)
    return closes


def _end_of_tag(source: str, opens: int, writing: "_Writing") -> int:
    if not writing.loose:
        found = _REST_OF_TAG.match(source, opens + 1)
        if found is not None:
            return found.end()
        # A quotation mark is never closed: from here on none counts, so that nobody looks for its end again and again.
        writing.loose = True
    plain = source.find(">", opens)
    return len(source) if plain < 0 else plain + 1


def _after_closing(source: str, name: str, at: int, writing: "_Writing") -> int:
    found = None if name in writing.open else re.compile(rf"</{name}\b[^>]*>?", re.IGNORECASE).search(source, at)
    if found is not None:
        return found.end()
    # Never closed: of a head the rest is shown all the same, of a program nothing.
    writing.open.add(name)
    return len(source) if name in {"script", "style", "template"} else at


class _Writing:
    """What was written so far."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._link = ""
        self._said_at = 0
        self.open: set[str] = set()
        """What is never closed again."""
        self.loose = False
        """Quotation marks in tags count for nothing."""

    def say(self, text: str) -> None:
        """Write text, in which blanks count once."""
        if text:
            self._parts.append(_BLANKS.sub(" ", unescape(text)))

    def tag(self, name: str, rest: str, *, closing: bool) -> None:
        """Write what a tag looks like."""
        if name == "br":
            self._parts.append("\n")
        elif name == "li":
            self._parts.append("\n" if closing else "\n- ")
        elif name in {"td", "th"} and closing:
            self._parts.append("\t")
        elif name == "a":
            self._linked(rest, closing=closing)
        elif _BLOCKS.fullmatch(name):
            self._parts.append("\n\n" if _APART.fullmatch(name) else "\n")

    def text(self) -> str:
        """Return all of it."""
        whole = "".join(self._parts).replace("\xa0", " ").replace("\u200c", "")
        lines = (re.sub(r" {2,}", " ", line.strip()) for line in whole.split("\n"))
        return _MANY.sub("\n\n", "\n".join(lines)).strip()

    def _linked(self, rest: str, *, closing: bool) -> None:
        if not closing:
            found = _HREF.search(rest)
            self._link = unescape(next(filter(None, found.groups()), "")) if found else ""
            self._said_at = len(self._parts)
            return
        said = "".join(self._parts[self._said_at :]).strip()
        if self._link.lower().startswith(("http:", "https:", "mailto:")) and said != self._link:
            self._parts.append(f" ({self._link.strip()})" if said else self._link.strip())
        self._link, self._said_at = "", len(self._parts)
