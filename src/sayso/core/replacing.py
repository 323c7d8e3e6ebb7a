"""Make a frozen value anew with some of its fields changed, as cheaply as can be: an action is marked many times."""

import dataclasses
from typing import Any, TypeVar, cast

T = TypeVar("T")


def replace(value: T, /, **new: Any) -> T:
    """Return a copy of a frozen dataclass in which these fields are others, as `dataclasses.replace` does.

    One without `slots` is copied whole, no field looked at by name; it must have no `__post_init__`.
    """
    held = getattr(value, "__dict__", None)
    if held is None:
        return dataclasses.replace(cast("Any", value), **new)
    if not held.keys() >= new.keys():
        raise TypeError(f"{type(value).__name__} has no {', '.join(sorted(new.keys() - held.keys()))}")
    made = object.__new__(type(value))
    vars(made).update(held, **new)
    return made
