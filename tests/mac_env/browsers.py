"""Tabs and pages in the browsers of a simulated Mac."""

from collections.abc import Mapping, Sequence
from typing import Any

from sayso.testing.macos import SimulatedMac

PAGE = "https://a.example/"
TWO_WINDOWS = (
    (PAGE, "https://b.example/"),
    ("https://c.example/", "https://d.example/", "https://e.example/"),
)
PID = 5_100_000


def open_windows(
    mac: SimulatedMac,
    app: str,
    windows: Sequence[Sequence[str]] = TWO_WINDOWS,
    pages: Mapping[str, Mapping[str, Any]] | None = None,
    **properties: object,
) -> None:
    """Have a browser run with these windows, the first one in front."""
    chrome = app != "Safari"
    number = 100
    made: list[dict[str, Any]] = []
    for window in windows:
        number += 1
        tabs: list[dict[str, Any]] = []
        for url in window:
            number += 1
            tab = {"#": "tab", "@": number, "url": url, "loads": 1}
            tabs.append({**tab, "id": str(900 + number)} if chrome else tab)
        id_ = str(len(made) + 1) if chrome else len(made) + 1
        made.append({"#": "window", "@": number + 50, "id": id_, "active": tabs[0]["@"], "tabs": tabs})
    mac.change(lambda state: state.update(counter=1000))
    known = {"running": True, "pid": PID, "frontmost": True, "javascript": True, **properties}
    mac.plant(app, windows=made, pages=pages or {}, **known)
