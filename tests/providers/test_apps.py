"""What assembly learns of applications: operations, and a world in memory only when it is chosen."""

from importlib import import_module

from sayso.core.ports import Ground
from sayso.providers.apps import APPS
from sayso.testing.fakes import FakeClock, NumberedIds

IDS = ["app.list", "app.open", "app.activate", "app.quit", "app.place", "layout.activate"]


def test_the_operations_are_those_of_the_specification():
    assert [operation.id for operation in APPS.operations] == IDS


def test_nothing_serves_it_until_the_settings_choose():
    assert APPS.default is None


async def test_the_memory_world_is_built_from_bare_settings():
    module, _, build = APPS.backends["memory"].partition(":")

    made = getattr(import_module(module), build)(
        Ground({}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())
    )

    assert (made.name, made.imagines) == ("memory", True)
