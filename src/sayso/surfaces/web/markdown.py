"""Turns Markdown that a model wrote into HTML that only formats: no scripts, no images, no addresses out of sight."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from sayso.core.quotes import visible

Env = MutableMapping[str, Any]
_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li"),
    *("h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "a", "span"),
}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "span": {"class"}}
_SCHEMES = {"http", "https", "mailto"}
_WHERE = "where"
"""The class of the words that say where a link leads."""
_TAB = " " * 4
SHORT = 2000
"""Up to how many characters a block is read again with each piece."""


class _Renderer(RendererHTML):
    """Writes every text with its control characters visible, and behind each link where it leads."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Return a text."""
        tokens[idx].content = visible(tokens[idx].content)
        return super().text(tokens, idx, options, env)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Return code within a line."""
        tokens[idx].content = visible(tokens[idx].content)
        return super().code_inline(tokens, idx, options, env)

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Return a block of code."""
        return self.code_block(tokens, idx, options, env)

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Return a block of code that is indented."""
        lines = tokens[idx].content.replace("\t", _TAB).split("\n")
        tokens[idx].content = "\n".join(visible(line) for line in lines)
        return super().code_block(tokens, idx, options, env)

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Return the begin of a heading, which stands below those of the page and of who speaks (h1 to h3)."""
        tokens[idx].tag = f"h{min(6, max(4, int(tokens[idx].tag[1]) + 2))}"
        return self.renderToken(tokens, idx, options, env)

    heading_close = heading_open

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Return the end of a link, and where it leads if its words do not say so."""
        begins = next(at for at in reversed(range(idx)) if tokens[at].type == "link_open")
        leads = str(tokens[begins].attrGet("href") or "")
        words = "".join(one.content for one in tokens[begins + 1 : idx])
        if words in {leads, leads.removeprefix("mailto:")}:
            return "</a>"
        where = urlsplit(leads).netloc or leads
        return f'</a> <span class="{_WHERE}">({nh3.clean_text(visible(where))})</span>'


def _reader() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    return made.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])


_MARKDOWN = _reader()


def html_of(text: str) -> str:
    """Return a text as HTML."""
    return "".join(html for _, html in _blocks_of(text))


class Blocks:
    """The HTML of a text that still grows, block by block; a block that another one follows never changes again.

    A long last block is read again only when it has grown by an eighth, and in `end`, so that its cost stays small.
    """

    def __init__(self) -> None:
        self.html: list[str] = []
        self.version = 0
        """How many times `html` was brought up to date."""
        self._open = ""
        """The text of the last block."""
        self._read = 0
        """How much of it `html` contains."""

    def add(self, text: str) -> None:
        """Take the next piece of the text."""
        self._open += text
        if len(self._open) < SHORT or len(self._open) >= self._read + self._read // 8:
            self.end()

    def end(self) -> None:
        """Bring `html` up to date."""
        if len(self._open) == self._read:
            return
        self.version += 1
        found = list(_blocks_of(self._open))
        self.html[len(self.html) - bool(self.html) :] = [html for _, html in found]
        if len(found) > 1:
            lines = self._open.split("\n")
            self._open = "\n".join(lines[found[-1][0] :])
        self._read = len(self._open)


def _blocks_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the HTML of each block of a text, with the number of the line at which it begins."""
    env: Env = {}
    tokens = _MARKDOWN.parse(text, env)
    first = 0
    for at, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            html: str = _MARKDOWN.renderer.render(tokens[first : at + 1], _MARKDOWN.options, env)
            yield (tokens[first].map or [0])[0], _cleaned(html)
            first = at + 1


def _cleaned(html: str) -> str:
    attributes: Mapping[str, set[str]] = _ATTRIBUTES
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=dict(attributes),
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
