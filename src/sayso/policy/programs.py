"""Which files are passive: no program that usually opens them loads, runs or sends anything because of their content.

The list is short on purpose. HTML, SVG and Markdown load pictures from addresses, office documents and tables of CSV
know formulas that do, a PDF knows scripts, forms and addresses to open at once, videos and playlists refer to other
files, and nobody can say what an archive holds or a file of an unknown type does.
"""

import posixpath
from collections.abc import Mapping
from types import MappingProxyType

from sayso.policy.paths import fold_name

HEAD = 512
"""The number of first bytes of a file that are looked at."""

_PLAIN = frozenset({".txt", ".text", ".log"})

_BEGINS: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        ".png": (b"\x89PNG\r\n\x1a\n",),
        ".jpg": (b"\xff\xd8\xff",),
        ".jpeg": (b"\xff\xd8\xff",),
        ".gif": (b"GIF87a", b"GIF89a"),
        ".webp": (b"RIFF",),
        ".wav": (b"RIFF",),
        ".flac": (b"fLaC",),
        ".ogg": (b"OggS",),
        ".mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
    }
)
"""Endings of pictures and sounds that are passive, with the bytes that such a file begins with."""

_RIFF: Mapping[str, bytes] = MappingProxyType({".webp": b"WEBP", ".wav": b"WAVE"})

_NOT_PLAIN = (b"<", b"%", b"#!", b"#EXTM3U", b"[", b"{\\rtf", b"MIME-Version")
"""How a text begins that some programs take for another type than plain text, whatever the name of its file."""


def is_passive(path: str, head: bytes) -> bool:
    """Return whether a file is of a passive type, both by the ending of its name and by its first bytes."""
    # Unlike `ending_of`, this is the ending as the system reads it: what only looks like a passive one is not.
    ending = posixpath.splitext(posixpath.basename(path))[1].lower()
    if ending in _PLAIN:
        return _is_plain(head)
    if not head.startswith(_BEGINS.get(ending, ())):
        return False
    return ending not in _RIFF or head[8:12] == _RIFF[ending]


def _is_plain(head: bytes) -> bool:
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_NOT_PLAIN):
        return False
    try:
        text = head.decode()
    except UnicodeDecodeError as wrong:
        # The last character may be cut off.
        if wrong.end < len(head) or wrong.reason != "unexpected end of data":
            return False
        text = head[: wrong.start].decode()
    return all(char >= " " or char in "\t\n\r\f" for char in text)


def ending_of(path: str) -> str:
    """Return the ending of a path's name as the most lenient system reads it: in lower case, blanks and dots cut."""
    return posixpath.splitext(fold_name(posixpath.basename(path.rstrip("/"))))[1]
