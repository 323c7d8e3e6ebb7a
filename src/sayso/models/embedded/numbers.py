"""Read whole numbers that are written in digits or in words."""

from sayso.models.embedded.words import each

_SMALL = each(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = each("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_BEHIND = frozenset({"st", "nd", "rd", "th"})
_MOST_DIGITS = 9


def number(text: str) -> int | None:
    """Return the whole number that folded words say, such as `25`, `twenty-five` or `a hundred`; else None."""
    if _is_digits(text):
        return int(text)
    match text.replace("-", " ").split():
        case ["hundred"] | ["a" | "one", "hundred"]:
            return 100
        case [one] if one in _SMALL:
            return _SMALL.index(one)
        case [tens] if tens in _TENS:
            return _tens(tens)
        case [tens, ones] if tens in _TENS and ones in _SMALL[1:10]:
            return _tens(tens) + _SMALL.index(ones)
        case _:
            return None


def ordinal(text: str) -> int | None:
    """Return the number of `third`, `3rd` or `21st`; else None."""
    if text in _ORDINALS:
        return _ORDINALS.index(text) + 1
    digits = text[:-2]
    return int(digits) if text[-2:] in _BEHIND and _is_digits(digits) else None


def _tens(word: str) -> int:
    return 10 * (_TENS.index(word) + 2)


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
