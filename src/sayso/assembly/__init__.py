"""Puts the concrete parts of one home together; the only package that imports all of them."""

from sayso.core.lazy import load

_WHERE = {"Home": "sayso.assembly.home:Home", "open_home": "sayso.assembly.wiring:open_home"}


def __getattr__(name: str):
    """Return `Home` or `open_home`, imported at its first use, so that importing another module loads no other part."""
    if name not in _WHERE:
        raise AttributeError(f"module 'sayso.assembly' has no attribute '{name}'")
    return load(_WHERE[name])
