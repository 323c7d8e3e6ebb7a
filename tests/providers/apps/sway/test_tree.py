"""The tree of sway is read as `swaymsg` writes it."""

import json

from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.sway.tree import focused, look, monitors

RECT = {"x": 0, "y": 0, "width": 100, "height": 50}


def node(id_: int, kind: str, *nodes: dict[str, object], **more: object) -> dict[str, object]:
    return {"id": id_, "type": kind, "rect": RECT, "nodes": list(nodes), "floating_nodes": [], "focus": [], **more}


def window(id_: int, kind: str = "con", **more: object) -> dict[str, object]:
    return node(id_, kind, pid=10 + id_, app_id=f"app{id_}", window_properties=None, **more) | {"visible": True} | more


def told(*workspaces: dict[str, object], **more: object) -> bytes:
    root = node(1, "root", node(2, "output", *workspaces, name="A"), **more)
    return json.dumps(root).encode()


OUTPUTS = json.dumps(
    [
        {"name": "A", "active": True, "rect": RECT, "serial": "x"},
        {"name": "B", "active": False, "rect": RECT},
    ]
).encode()


def test_the_window_used_last_is_first_and_hidden_ones_are_last():
    first = node(3, "workspace", window(4), window(5), name="1", focus=[5, 4])
    other = node(6, "workspace", window(7, visible=False), name="2")

    found = look(told(other, first), OUTPUTS)

    assert [(one.id, one.desktop, one.pid) for one in found.windows] == [("5", "1", 15), ("4", "1", 14), ("7", "2", 17)]


def test_each_state_is_told():
    floating = node(
        3,
        "workspace",
        name="1",
        floating_nodes=[window(4, "floating_con"), window(5, "floating_con", fullscreen_mode=1)],
    )
    tiled = node(6, "workspace", window(7), node(8, "con", window(9)), window(10, fullscreen_mode=1), name="2")
    away = node(11, "workspace", name="__i3_scratch", floating_nodes=[window(12, "floating_con")])

    found = look(told(floating, tiled, away), OUTPUTS)

    states = {one.id: (one.state, one.desktop) for one in found.windows}
    assert states == {
        "4": ("normal", "1"),
        "5": ("fullscreen", "1"),
        "7": ("tiled", "2"),
        "9": ("tiled", "2"),
        "10": ("tiled fullscreen", "2"),
        "12": ("minimised", ""),
    }


def test_a_window_in_a_floating_group_floats():
    group = node(4, "floating_con", window(5), window(6))

    found = look(told(node(3, "workspace", name="1", floating_nodes=[group])), OUTPUTS)

    assert [one.state for one in found.windows] == ["normal", "normal"]


def test_the_title_is_counted_in():
    titled = window(4, "floating_con", border="normal", deco_rect={"x": 0, "y": 0, "width": 100, "height": 20})

    found = look(told(node(3, "workspace", name="1", floating_nodes=[titled])), OUTPUTS)

    assert found.windows[0].bounds == Bounds(0, -20, 100, 50)


def test_a_program_of_x11_is_known_by_its_marks():
    marks = {"class": "Pad", "instance": "pad", "transient_for": 5}
    tree = json.loads(told(node(3, "workspace", window(4), name="1")))
    tree["nodes"][0]["nodes"][0]["nodes"][0] |= {"window_properties": marks, "app_id": None}

    (found,) = look(json.dumps(tree).encode(), OUTPUTS).windows

    assert (found.classes, found.belongs) == (("pad", "Pad"), True)


def test_the_window_with_the_keyboard_and_the_monitors_that_are_on():
    tree = told(node(3, "workspace", window(4), window(5, focused=True), name="1"))

    assert (focused(tree), focused(told())) == ("5", "")
    assert monitors(OUTPUTS) == (Monitor("A", Bounds(0, 0, 100, 50)),)
