"""The apps store is one port, and operations ask for it by its name."""

from inspect import getmembers, isfunction

from sayso.providers.apps import memory
from sayso.providers.apps.provider import APPS
from sayso.providers.apps.store import Apps


def test_every_operation_looks_at_this_store_alone():
    assert {operation.stores for operation in APPS.operations} == {("apps",)}


def test_the_memory_world_offers_every_read():
    wanted = {name for name, _ in getmembers(Apps, isfunction) if not name.startswith("_")}

    assert wanted <= {name for name, _ in getmembers(memory.Reads, isfunction)}
