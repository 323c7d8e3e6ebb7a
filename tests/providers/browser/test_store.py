"""The tabs store is one port, and operations ask for it by its name."""

from inspect import getmembers, isfunction

from sayso.providers.browser import BROWSER, memory
from sayso.providers.browser.store import Tabs


def test_every_operation_looks_at_this_store_alone():
    assert {operation.stores for operation in BROWSER.operations} == {("tabs",)}


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Tabs, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.Reads, isfunction)}
