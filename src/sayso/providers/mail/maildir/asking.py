"""Read of a message file what a query looks at, and no more: mostly its name, or its headers."""

from dataclasses import replace

from sayso.providers.mail.letters import letter_of, with_files
from sayso.providers.mail.maildir.scanning import Entry, head, head_bytes, whole_bytes
from sayso.providers.mail.mime.headers import headers_of
from sayso.providers.mail.mime.whole import read_whole
from sayso.providers.mail.query.matching import Letter, leaves, needs
from sayso.providers.mail.query.terms import Larger, Query, Smaller


def letter(entry: Entry, query: Query) -> Letter:
    """Return a message as this query sees it. Raises `FileNotFoundError`."""
    needed = needs(query)
    measured = any(isinstance(leaf, Larger | Smaller) for leaf in leaves(query.term))
    deep = measured or bool(needed & {"body", "attachments"})
    data = whole_bytes(entry) if deep else head_bytes(entry) if needed else b""
    found = letter_of(head(entry, data), headers_of(data))
    if not deep:
        return found
    read = read_whole(data)
    # IMAP counts lines as they go over the wire, whatever ends them in a file.
    size = len(data) + data.count(b"\n") - data.count(b"\r\n")
    return with_files(replace(found, body=read.text(), size=size), read.root)
