"""Text out of UTF-8 bytes that come in pieces, wherever they are cut."""

import codecs
from collections.abc import Iterable, Iterator


class NotUtf8(ValueError):
    """Bytes that are no UTF-8 text: `at` is where the wrong ones begin, counted from the first piece."""

    def __init__(self, at: int, byte: int, reason: str) -> None:
        super().__init__(f"byte {at} is 0x{byte:02x} ({reason})")
        self.at = at
        self.byte = byte
        self.reason = reason


def decoded(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the text of each piece, a character when its last byte has come; line ends and marks stay as they are.

    Raises `NotUtf8` at the first byte that belongs to no character, and for a character that the end cuts off.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    fed = 0
    for piece in pieces:
        if text := _decoded(decoder, piece, fed, last=False):
            yield text
        fed += len(piece)
    _decoded(decoder, b"", fed, last=True)


def _decoded(decoder: codecs.IncrementalDecoder, piece: bytes, fed: int, *, last: bool) -> str:
    held = len(decoder.getstate()[0])
    try:
        return decoder.decode(piece, last)
    except UnicodeDecodeError as wrong:
        raise NotUtf8(fed - held + wrong.start, wrong.object[wrong.start], wrong.reason) from None
