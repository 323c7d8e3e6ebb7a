"""Read a whole message from its bytes: for stores that keep messages as files."""

from email import message_from_bytes
from email.message import Message as Tree
from email.policy import compat32
from typing import cast

from sayso.core.values import dataclass
from sayso.providers.mail.mime.charsets import tidy
from sayso.providers.mail.mime.headers import decoded
from sayso.providers.mail.mime.shape import Part, files_of, texts_of
from sayso.providers.mail.mime.texts import text_of_part

DEEPEST = 40
"""How many levels of parts within parts are looked at."""


@dataclass(frozen=True)
class Whole:
    """A message read: the tree of its parts, and the bytes of each by its section, decoded."""

    root: Part
    contents: dict[str, bytes]

    def text(self) -> str:
        """Return the text of the message."""
        return joined([text_of_part(part, self.contents[part.section]) for part in texts_of(self.root)])

    def file(self, number: int) -> bytes | None:
        """Return what came with it as file `number`; None where there is no such."""
        files = files_of(self.root)
        if not 1 <= number <= len(files):
            return None
        return self.contents[files[number - 1].section]


def joined(texts: list[str]) -> str:
    """Return the texts of several parts as one."""
    return tidy("\n\n".join(text.strip("\n") for text in texts if text.strip()) if len(texts) > 1 else "".join(texts))


def read_whole(data: bytes) -> Whole:
    """Read a message; what is too tangled to take apart is one plain text."""
    contents: dict[str, bytes] = {}
    try:
        tree = message_from_bytes(data, policy=compat32)
        return Whole(_part(tree, "", contents), contents)
    except (RecursionError, ValueError, LookupError, AttributeError, TypeError):
        body = data.replace(b"\r\n", b"\n").partition(b"\n\n")[2]
        return Whole(Part("text/plain", "1", size=len(body)), {"1": body})


def _part(tree: Tree, section: str, contents: dict[str, bytes], depth: int = 0) -> Part:
    kind = tree.get_content_type()
    payload = cast("object", tree.get_payload())
    children = cast("list[Tree]", payload) if isinstance(payload, list) else []
    if children and kind.startswith("multipart/") and depth < DEEPEST:
        below = f"{section}." if section else ""
        parts = tuple(_part(one, f"{below}{number}", contents, depth + 1) for number, one in enumerate(children, 1))
        return Part(kind, section, parts=parts)
    section = section or "1"
    plain: object = tree.get_payload(decode=True)
    contents[section] = plain if isinstance(plain, bytes) else b"".join(one.as_bytes() for one in children)
    return Part(
        "text/plain" if kind.startswith("multipart/") else kind,
        section,
        charset=str(tree.get_param("charset", "") or ""),
        name=_name(tree),
        disposition=(tree.get_content_disposition() or "").lower(),
        size=len(contents[section]),
    )


def _name(tree: Tree) -> str:
    try:
        found = tree.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        return ""
    return decoded(found.encode("utf-8", "surrogateescape")) if found else ""
