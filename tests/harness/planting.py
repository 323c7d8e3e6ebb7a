"""Plant a bug in this process: replace a part of sayso wherever it is referenced by name."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from sayso.policy.case import Rule
from sayso.policy.rules import RULES


def everywhere(sound: Any, worse: Any) -> None:
    """Put `worse` in place of `sound` in every module of sayso that knows it; those still to come take it from there.

    Ends the process when nobody knows it: a bug that is not planted would be one that is never caught.
    """
    known = [
        (module, name)
        for title, module in sorted(sys.modules.items())
        if title.split(".")[0] == "sayso"
        for name, value in vars(module).items()
        if value is sound
    ]
    if not known:
        sys.exit(f"{sound} is nowhere in sayso any more; plant this bug anew")
    for module, name in known:
        setattr(module, name, worse)


def method(owner: type, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put another method in place of one; `make` is given the sound one."""
    sound = vars(owner).get(name)
    if not callable(sound):
        sys.exit(f"{owner.__name__} has no {name} any more; plant this bug anew")
    setattr(owner, name, make(sound))


def always(value: object) -> Callable[..., Any]:
    """Return what takes anything and returns this."""

    def answer(*given: object, **named: object) -> object:
        return value

    return answer


def rules(**worse: Rule) -> None:
    """Put other rules in place of those of these names."""
    unknown = worse.keys() - RULES.keys()
    if unknown:
        sys.exit(f"no rule is called {', '.join(sorted(unknown))} any more; plant this bug anew")
    changed: Mapping[str, Rule] = {**RULES, **worse}
    everywhere(RULES, changed)
