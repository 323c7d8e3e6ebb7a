"""The text of one part: decoded, and read off the page where it is HTML."""

import re

from sayso.providers.mail.mime.charsets import text_of, tidy
from sayso.providers.mail.mime.encodings import decoded_bytes
from sayso.providers.mail.mime.html import text_of_html
from sayso.providers.mail.mime.shape import Part

_META = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([A-Za-z0-9_:.-]{1,40})""", re.IGNORECASE)


def text_of_part(part: Part, content: bytes) -> str:
    """Return the text of a part, given its bytes as they are encoded; they may be cut off."""
    data = decoded_bytes(content, part.encoding)
    if part.type != "text/html":
        return tidy(text_of(data, part.charset))
    return text_of_html(tidy(text_of(data, part.charset or _within(data))))


def _within(data: bytes) -> str:
    found = _META.search(data[:4096])
    return found[1].decode("ascii") if found else ""
