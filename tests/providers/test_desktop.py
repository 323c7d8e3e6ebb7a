"""What assembly learns of the desktop: operations, and a world in memory only when it is chosen."""

from importlib import import_module

from sayso.core.ports import Ground
from sayso.providers.desktop import DESKTOP
from sayso.testing.fakes import FakeClock, NumberedIds

IDS = [
    "clipboard.read",
    "clipboard.write",
    "notify.show",
    "speech.say",
    "sound.set_volume",
    "focus.set_dnd",
    "shortcut.run",
]


def test_the_operations_are_those_of_the_specification():
    assert [operation.id for operation in DESKTOP.operations] == IDS


def test_nothing_serves_it_until_the_settings_choose():
    assert DESKTOP.default is None


async def test_the_memory_world_is_built_from_bare_settings():
    module, _, build = DESKTOP.backends["memory"].partition(":")

    made = getattr(import_module(module), build)(
        Ground({}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())
    )

    assert (made.name, made.imagines) == ("memory", True)
