"""The place of a task among its siblings: no two of them stand at the same."""

from collections.abc import Collection


def free_place(wanted: float, taken: Collection[float]) -> float:
    """Return the place that is wanted, or where a sibling has it one close before it; between the same others.

    Where numbers are too close for one between them it is one close after, and at the very last the place itself.
    """
    if wanted not in taken:
        return wanted
    before = max((place for place in taken if place < wanted), default=wanted - 2)
    after = min((place for place in taken if place > wanted), default=wanted + 2)
    between = ((near + wanted) / 2 for near in (before, after))
    return next((place for place in between if place not in (before, wanted, after)), wanted)
