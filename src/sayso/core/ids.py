"""The ids that people see, written from time-ordered keys, so that ids sort as their keys do."""

from sayso.core.errors import ProposalError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: nothing in it can be misread for another."""
WIDTH = 13
LARGEST = 2**63 - 1

_BITS = tuple(range(5 * (WIDTH - 1), -1, -5))
_VALUES = {letter: value for value, letter in enumerate(ALPHABET)} | {"I": 1, "L": 1, "O": 0}


def action_id(key: int) -> str:
    """Return the id of the action with this key: `do_` and 13 characters."""
    return "do_" + _written(key)


def action_key(id: str) -> int:  # noqa: A002 - the word of the interface
    """Return the key in an action's id, in capitals or not. Raises `ProposalError` for what is no such id."""
    return _read(id, "do_", "an action")


def run_id(key: int) -> str:
    """Return the id of the run with this key: `run_` and 13 characters."""
    return "run_" + _written(key)


def run_key(id: str) -> int:  # noqa: A002 - the word of the interface
    """Return the key in a run's id, in capitals or not. Raises `ProposalError` for what is no such id."""
    return _read(id, "run_", "a run")


def _written(key: int) -> str:
    if not 0 <= key <= LARGEST:
        raise ValueError(f"{key} is no key; keys are whole numbers from 0 to 2⁶³−1")
    return "".join([ALPHABET[key >> bits & 31] for bits in _BITS])


def _read(text: str, start: str, whose: str) -> int:
    digits = text[len(start) :].upper()
    values = [_VALUES.get(letter, -1) for letter in digits]
    key = sum(value << bits for value, bits in zip(values, _BITS, strict=False))
    # Only ASCII: "ſ".upper() is "S", but nobody is ever given an id with a long s.
    readable = text.isascii() and text[: len(start)].lower() == start and len(digits) == WIDTH and -1 not in values
    if not readable or key > LARGEST:
        example = start + ALPHABET[:3] + "…"
        raise ProposalError(f"“{text[:60]}” is not the id of {whose}; one looks like {example}", "id.malformed")
    return key
