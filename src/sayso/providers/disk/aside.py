"""What became of a file that a step was taking away when its process ended: seen from what was set aside."""

from collections.abc import Callable
from typing import Literal

from sayso.providers.disk.texts import File, Texts

Away = Literal["done", "there", "gone", "changed", "taken"]
"""It was taken away; it is there as before; it is gone without a trace of the step; somebody had changed it, and it
has its name back; somebody had changed it, and another has its name."""


def became_of(texts: Texts, place: str, token: str, is_the_one: Callable[[File], bool]) -> Away:
    """Say what became of the file at a place; what the step set aside is tidied up."""
    now, aside = texts.read(place), texts.aside(place, token)
    if aside is None:
        return "gone" if now is None else "there"
    if now is None and is_the_one(aside):
        texts.discard(place, token)
        return "done"
    return "changed" if now is None and texts.put_back(place, token) else "taken"
