"""Puts the concrete pieces of one home together; the only room that knows every one of them."""

from sayso.core.lazy import load

_WHERE = {"Home": "sayso.assembly.home:Home", "open_home": "sayso.assembly.wiring:open_home"}


def __getattr__(name: str):
    """Return one of the two ways in, imported when it is first asked for: only what opens a home needs all of it."""
    if name not in _WHERE:
        raise AttributeError(f"module 'sayso.assembly' has no attribute '{name}'")
    return load(_WHERE[name])
