"""The operations on lamps: on and off."""

from typing import Annotated

from msgspec import Meta
from sayso.core.operation import operation
from sayso.core.plan import Change, Plan
from sayso.core.schema import Line

from lamps.steps import SetLamp
from lamps.store import Lamps

Percent = Annotated[int, Meta(ge=1, le=100, description="How bright, in percent.")]


@operation("lamp.on", kind="write", asks="mode")
async def on(lamps: Lamps, name: Line, brightness: Percent = 100) -> Plan:
    """Turn a lamp on."""
    now = await lamps.brightness(name)
    if now == brightness:
        return Plan(f"The lamp “{name}” shines at {brightness} % already")
    change = Change(SetLamp(name, brightness), SetLamp(name, now), (await lamps.shines(name),))
    return Plan(f"Turn on the lamp “{name}” at {brightness} %", (change,), "Turned on the lamp")


@operation("lamp.off", kind="write", asks="mode")
async def off(lamps: Lamps, name: Line) -> Plan:
    """Turn a lamp off."""
    now = await lamps.brightness(name)
    if now == 0:
        return Plan(f"The lamp “{name}” is off already")
    change = Change(SetLamp(name, 0), SetLamp(name, now), (await lamps.shines(name),))
    return Plan(f"Turn off the lamp “{name}”", (change,), "Turned off the lamp")
