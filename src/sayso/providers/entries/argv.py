"""Read the command of a desktop entry into an argument vector; no shell ever sees it."""

from collections.abc import Mapping

_ESCAPABLE = '"`$\\'
_FILES = frozenset("fFuUdDnNvm")
"""Codes that stand for files, or once did: nothing is opened, so nothing stands there."""


class Unreadable(ValueError):
    """The command does not keep to the rules of desktop entries; `str()` says how."""


def argv(command: str, codes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the arguments of an `Exec` line. Raises `Unreadable`.

    `codes` says what `%i`, `%c` and `%k` stand for; codes of files stand for nothing.
    """
    found: list[str] = []
    for word, quoted in _words(command):
        # Within quotes a code means nothing by the rules; it is left as it stands, but for the doubled percent.
        found += [word.replace("%%", "%")] if quoted else _filled(word, codes)
    if not found or not found[0]:
        raise Unreadable("it names no program")
    return tuple(found)


def _words(command: str) -> list[tuple[str, bool]]:
    """Split at spaces outside of double quotes; say of each word whether it was quoted."""
    words: list[tuple[str, bool]] = []
    word, began, quoted, inside = "", False, False, False
    signs = iter(command)
    for sign in signs:
        if sign == '"':
            inside, began, quoted = not inside, True, True
        elif sign == "\\":
            following = next(signs, None)
            if following is None:
                raise Unreadable("it ends in a backslash")
            # Inside quotes a backslash escapes four signs only, and else stands for itself.
            word, began = word + (sign if inside and following not in _ESCAPABLE else "") + following, True
        elif sign in " \t" and not inside:
            words += [(word, quoted)] if began else []
            word, began, quoted = "", False, False
        else:
            word, began = word + sign, True
    if inside:
        raise Unreadable("a quote is not closed")
    return [*words, (word, quoted)] if began else words


def _filled(word: str, codes: Mapping[str, tuple[str, ...]]) -> list[str]:
    if len(word) == len("%x") and word.startswith("%") and word != "%%":
        return list(_meaning(word[1], codes))
    filled, signs = "", iter(word)
    for sign in signs:
        if sign != "%":
            filled += sign
            continue
        code = next(signs, "")
        filled += "%" if code == "%" else " ".join(_meaning(code, codes))
    return [filled]


def _meaning(code: str, codes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if code in codes:
        return codes[code]
    if code in _FILES and code:
        return ()
    raise Unreadable(f"“%{code}” means nothing")
