"""The tree of a message's parts: which of them are its text, and which came with it as files."""

from collections.abc import Iterator

from sayso.core.values import dataclass
from sayso.providers.mail.mime.charsets import one_line
from sayso.providers.mail.mime.encodings import about
from sayso.providers.mail.store import Attachment

_BLANK = 4
"""A text of fewer bytes says nothing."""
_LONGEST_NAME = 120
_ENDINGS = {
    "text/calendar": ".ics",
    "message/rfc822": ".eml",
    "text/html": ".html",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "text/vcard": ".vcf",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part. `section` is how IMAP calls it: “1”, “2.1”."""

    type: str
    section: str
    encoding: str = ""
    charset: str = ""
    name: str = ""
    disposition: str = ""
    size: int = 0
    """Bytes as they are encoded."""
    parts: tuple["Part", ...] = ()


def texts_of(part: Part) -> tuple[Part, ...]:
    """Return the parts that make up the text of a message, in their order."""
    if part.type == "multipart/alternative":
        ways = [found for one in part.parts if (found := texts_of(one))]
        plain = (way for way in ways if _says(way))
        return next(plain, ways[-1] if ways else ())
    if part.parts or part.type.startswith("multipart/"):
        return tuple(text for one in part.parts for text in texts_of(one))
    alone = part.section == "1"
    named = bool(part.name) and not alone
    is_text = part.type in {"text/plain", "text/html", "text/enriched"} or (alone and part.type.startswith("text/"))
    return (part,) if is_text and part.disposition != "attachment" and not named else ()


def files_of(part: Part) -> tuple[Part, ...]:
    """Return the parts that came with a message as files, in their order."""
    texts = set(texts_of(part))
    return tuple(one for one in _leaves(part, either=False) if one not in texts)


def attachments_of(part: Part) -> tuple[Attachment, ...]:
    """Return what is said of the files that came with a message."""
    return tuple(
        Attachment(number, file_name(one, number), one.type, about(one.encoding, one.size))
        for number, one in enumerate(files_of(part), 1)
    )


def file_name(part: Part, number: int) -> str:
    """Return a plain name for a file, without anything that a path or a screen could misread."""
    last = one_line(part.name).replace("\\", "/").rpartition("/")[2]
    plain = "".join("_" if letter in ':*?"<>|' or not letter.isprintable() else letter for letter in last)
    plain = plain.strip(" .").encode()[:_LONGEST_NAME].decode(errors="ignore")
    return plain or f"part-{number}{_ENDINGS.get(part.type, '')}"


def _says(way: tuple[Part, ...]) -> bool:
    return all(one.type == "text/plain" for one in way) and any(one.size >= _BLANK for one in way)


def _leaves(part: Part, *, either: bool) -> Iterator[Part]:
    """Yield the parts that have none; `either`: this one is the same as another, said in another way."""
    if part.parts or part.type.startswith("multipart/"):
        for one in part.parts:
            yield from _leaves(one, either=either or part.type == "multipart/alternative")
    elif not (either and part.type in {"text/plain", "text/html", "text/enriched"} and not part.name):
        yield part
