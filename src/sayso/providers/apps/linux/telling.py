"""Say where a window really is, when that is not where it was to go."""

from sayso.core.plan import Facts
from sayso.providers.apps.facts import WindowAt
from sayso.providers.apps.steps import OpenPlaced, Place, PlaceNew, Steps


def where(step: Steps, left: Facts) -> str:
    """Return one clause about the window that a step placed; nothing when it is exactly as was asked."""
    match step:
        case Place():
            return _differs(step, left, step.state)
        case PlaceNew() | OpenPlaced() if not step.fit:
            return _differs(step, left, "normal")
        case _:
            return ""


def _differs(step: Place | PlaceNew | OpenPlaced, left: Facts, state: str) -> str:
    now = next((fact for fact in left if isinstance(fact, WindowAt)), None)
    asked = (step.left, step.top, step.right, step.bottom)
    if now is None or ((now.left, now.top, now.right, now.bottom) == asked and now.state == state):
        return ""
    size = f"{now.right - now.left} wide and {now.bottom - now.top} high"
    other = f", {now.state}" if now.state not in {"normal", state} else ""
    return f"the window of {step.name} is now at {now.left}, {now.top}, {size}{other}"
