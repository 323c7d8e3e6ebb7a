"""Text of bytes in any charset, right or wrongly named; nothing is lost to an error."""

import codecs
import re

_ALIASES = {
    # What is called so is, in mail, nearly always the larger set that holds it.
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "ansi_x3.4-1968": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "tis-620": "cp874",
    "x-windows-874": "cp874",
    "x-mac-roman": "mac-roman",
    "unicode-1-1-utf-7": "utf-7",
    "utf8mb4": "utf-8",
    "cp-850": "cp850",
    "x-user-defined": "cp1252",
}
_NO_TEXT = frozenset({"base64", "hex", "bz2", "zlib", "quopri", "uu", "rot13", "idna", "punycode", "unicode_escape"})
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text_of(data: bytes, charset: str | None) -> str:
    """Return the text of bytes in a charset; where that is unknown or wrong, as UTF-8, else as Windows writes."""
    known = _known(charset)
    for name in (known, "utf-8"):
        if name is None or (name == "cp1252" and not data.isascii()):
            continue
        try:
            return data.decode(name)
        except (UnicodeError, LookupError, ValueError):
            continue
    if known not in {None, "utf-8"}:
        return data.decode(known or "", "replace")
    # Most of it is UTF-8 with a slip, or it is none at all.
    loose = data.decode("utf-8", "replace")
    return loose if loose.count("\ufffd") * 20 < len(loose) else data.decode("cp1252", "replace")


def tidy(text: str) -> str:
    """Return a text with plain line ends and without the control characters that no reader shows."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Return a text as one line, fit for a header or a name."""
    return " ".join(_CONTROL.sub(" ", text.replace("\u2028", " ").replace("\u2029", " ").replace("\x85", " ")).split())


def _known(charset: str | None) -> str | None:
    if not charset:
        return None
    name = charset.strip().strip("\"'").partition("*")[0].lower()
    name = _ALIASES.get(name, name)
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return None if found.replace("-", "_") in _NO_TEXT or found in _NO_TEXT else _ALIASES.get(found, found)
