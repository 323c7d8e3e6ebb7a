"""The desktop store is one port, and operations ask for it by its name."""

from inspect import getmembers, isfunction

from sayso.providers.desktop import DESKTOP, memory
from sayso.providers.desktop.store import Desktop


def test_every_operation_looks_at_this_store_alone():
    assert {operation.stores for operation in DESKTOP.operations} == {("desktop",)}


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Desktop, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.Reads, isfunction)}
