"""The ids that people see, written from time-ordered keys, so that ids sort as their keys do."""

from sayso.core.errors import ProposalError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: nothing in it can be misread for another."""
WIDTH = 13
LARGEST = 2**63 - 1

_BITS = tuple(range(5 * (WIDTH - 1), -1, -5))
# Python reads base 32 itself, with the digits 0-9a-v; anything else here becomes a character it refuses.
_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_PLAIN = dict.fromkeys(map(chr, range(128)), ".") | dict(
    zip(ALPHABET + ALPHABET.lower() + "ILOilo", _DIGITS + _DIGITS + "110110", strict=True)
)
_TO_PLAIN = str.maketrans(_PLAIN)


def action_id(key: int) -> str:
    """Return the id of the action with this key: `do_` and 13 characters."""
    return "do_" + _written(key)


def action_key(text: str) -> int:
    """Return the key in an action's id, in capitals or not. Raises `ProposalError` for what is no such id."""
    return _read(text, "do_", "an action")


def run_id(key: int) -> str:
    """Return the id of the run with this key: `run_` and 13 characters."""
    return "run_" + _written(key)


def run_key(text: str) -> int:
    """Return the key in a run's id, in capitals or not. Raises `ProposalError` for what is no such id."""
    return _read(text, "run_", "a run")


def session_id(key: int) -> str:
    """Return the id of the session that begins with this key: `ask_` and 13 characters."""
    return "ask_" + _written(key)


def _written(key: int) -> str:
    if not 0 <= key <= LARGEST:
        raise ValueError(f"{key} is no key; keys are whole numbers from 0 to 2⁶³−1")
    return "".join([ALPHABET[key >> bits & 31] for bits in _BITS])


def _read(text: str, start: str, whose: str) -> int:
    digits = text[len(start) :].translate(_TO_PLAIN)
    readable = text.isascii() and text[: len(start)].lower() == start and len(digits) == WIDTH and "." not in digits
    key = int(digits, 32) if readable else -1
    if not 0 <= key <= LARGEST:
        example = start + ALPHABET[:3] + "…"
        raise ProposalError(f"“{text[:60]}” is not the id of {whose}; one looks like {example}", "id.malformed")
    return key
