"""The person's own window layouts, read from their settings."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.providers.apps.geometry import Bounds, Side

Name = Annotated[str, msgspec.Meta(min_length=1)]
Four = Annotated[tuple[int, ...], msgspec.Meta(min_length=4, max_length=4)]


class Placement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one application's window goes; with `launch` the application is opened when it does not run.

    With `launch` alone it is only opened.
    """

    app_name: Name
    monitor: Side | None = None
    bounds: Four | None = None
    launch: bool | None = None


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named layout; an application listed twice means its second window as well."""

    name: Name
    placements: tuple[Placement, ...] = ()


def read(settings: Mapping[str, Json]) -> tuple[Preset, ...]:
    """Read the list under `preset` (T-101). Raises `SetupError` that names what is wrong."""
    try:
        presets = msgspec.convert(settings.get("preset", ()), tuple[Preset, ...], from_attributes=True)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"a [[preset]] in the settings is wrong: {wrong}", "config.preset") from wrong
    names = [preset.name for preset in presets]
    for preset in presets:
        if names.count(preset.name) > 1:
            raise SetupError(f"two presets are called “{preset.name}”; rename one", "config.preset")
        for placement in preset.placements:
            _check(preset.name, placement)
    return presets


def _check(name: str, placement: Placement) -> None:
    where = f"preset “{name}”, {placement.app_name}"
    if placement.monitor is None and placement.bounds is None and not placement.launch:
        raise SetupError(f"{where}: give a monitor or bounds", "config.preset")
    if placement.bounds is not None and not Bounds(*placement.bounds).sound:
        raise SetupError(
            f"{where}: bounds are left, top, right, bottom, with right beyond left and bottom below top",
            "config.preset",
        )
