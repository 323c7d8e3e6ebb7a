"""A look at a screen finds one window among others."""

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.screen import Look, Shown


def test_a_window_is_found_by_its_id():
    window = Shown("7", ("Pad",), None, Bounds(0, 0, 1, 1))

    assert Look((window,), ()).window("7") is window
    assert Look((window,), ()).window("8") is None
