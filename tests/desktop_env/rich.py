"""A program that offers the clipboard in several forms at once, as editors and browsers do, until it loses it."""

import json
import sys
from collections.abc import Mapping
from typing import Any, cast

import xcffib as _xcffib
import xcffib.xproto as _xproto

# The library carries no types.
xcffib, x = (cast("Any", module) for module in (_xcffib, _xproto))


def main(forms: Mapping[str, str]) -> None:
    """Take the clipboard, hand it out in these forms, and end when somebody else takes it."""
    connection = xcffib.connect()
    core, window = connection.core, connection.generate_id()
    screen = connection.get_setup().roots[0]
    core.CreateWindow(
        screen.root_depth, window, screen.root, 0, 0, 1, 1, 0, x.WindowClass.InputOutput, screen.root_visual, 0, []
    )
    atoms = {name: core.InternAtom(False, len(name), name).reply().atom for name in (*forms, "TARGETS", "CLIPBOARD")}
    data: dict[int, bytes] = {atoms[name]: text.encode() for name, text in forms.items()}
    core.SetSelectionOwner(window, atoms["CLIPBOARD"], x.Time.CurrentTime)
    connection.flush()
    while True:
        event = connection.wait_for_event()
        if isinstance(event, x.SelectionClearEvent):
            return
        if isinstance(event, x.SelectionRequestEvent):
            _answer(connection, event, atoms["TARGETS"], data)


def _answer(connection: Any, event: Any, targets: int, data: Mapping[int, bytes]) -> None:
    core, where = connection.core, event.property
    if event.target == targets:
        known = [targets, *data]
        core.ChangeProperty(x.PropMode.Replace, event.requestor, where, x.Atom.ATOM, 32, len(known), known)
    elif event.target in data:
        held = data[event.target]
        core.ChangeProperty(x.PropMode.Replace, event.requestor, where, event.target, 8, len(held), held)
    else:
        where = 0
    told = x.SelectionNotifyEvent.synthetic(event.time, event.requestor, event.selection, event.target, where)
    core.SendEvent(False, event.requestor, 0, told.pack())
    connection.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
