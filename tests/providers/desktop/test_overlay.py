"""A batch sees the desktop as its earlier steps would leave it."""

from sayso.core.plan import AsLeft, Ref
from sayso.providers.desktop import memory
from sayso.providers.desktop.model import SetClipboard, SetQuiet, SetVolume
from sayso.providers.desktop.overlay import imagine
from sayso.providers.desktop.store import Desktop
from sayso.testing.fakes import NumberedIds

REF = Ref(2, 0)


def seen(**world: object) -> Desktop:
    return memory.backend(memory.parse_world(world), NumberedIds()).reads


async def test_a_volume_that_was_set_is_expected_as_that_step_left_it():
    level = await imagine(seen(volume=20), SetVolume(70, muted=True), REF).volume()

    assert (level.level, level.muted) == (70, True)
    assert level.fact == AsLeft("output", "volume", 0, 2)


async def test_a_later_step_stands_on_the_last_one_of_its_kind():
    reads = imagine(imagine(seen(), SetVolume(70), Ref(0, 0)), SetVolume(80), Ref(1, 0))

    level = await imagine(reads, SetClipboard("x", "k"), Ref(2, 0)).volume()

    assert level.fact == AsLeft("output", "volume", 0, 1)


async def test_do_not_disturb_is_seen_as_it_would_be():
    focus = await imagine(seen(do_not_disturb=False), SetQuiet(on=True, until="ten"), REF).focus()

    assert focus is not None
    assert (focus.on, focus.until) == (True, "ten")
    assert focus.fact == AsLeft("focus", "do_not_disturb", 0, 2)
    assert await imagine(seen(do_not_disturb=None), SetQuiet(on=True), REF).focus() is None


async def test_all_else_is_seen_as_it_is():
    reads = imagine(seen(clipboard="abc", volume=5, shortcuts=["a"]), SetQuiet(on=True), REF)

    assert await reads.clipboard() == "abc"
    assert await reads.clipboard_loses() == ""
    assert (await reads.volume()).level == 5
    assert await reads.shortcuts() == ("a",)
    assert reads.token()
