"""Bytes behind the transfer encodings of mail; what is broken or cut off gives what can be had of it."""

import binascii
import re

_PADDING = 2
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def decoded_bytes(data: bytes, encoding: str) -> bytes:
    """Return what was encoded; an encoding nobody knows is taken for none."""
    match encoding.strip().lower():
        case "base64":
            return base64_of(data)
        case "quoted-printable":
            return quoted_of(data)
        case _:
            return data


def base64_of(data: bytes) -> bytes:
    """Return the bytes of base64, even when it is cut off or has other letters in it."""
    plain = _NOT_BASE64.sub(b"", data.partition(b"=")[0] if data.count(b"=") <= _PADDING else data)
    whole = plain[: len(plain) - len(plain) % 4]
    rest = plain[len(whole) :]
    padded = rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""
    return binascii.a2b_base64(whole + padded)


def quoted_of(data: bytes) -> bytes:
    """Return the bytes of quoted-printable."""
    return binascii.a2b_qp(data)


def about(encoding: str, octets: int) -> int:
    """Return about how many bytes come of this many encoded ones."""
    return octets * 57 // 78 if encoding.strip().lower() == "base64" else octets
