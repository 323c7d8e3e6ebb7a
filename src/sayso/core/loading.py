"""Import late: what is needed only sometimes is named as `module:name`, and imported when it is."""

from importlib import import_module


def load(place: str):
    """Return what stands at `module:name`; the module is imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
