"""Small charts of bars as SVG, drawn on the server, each with its title and its numbers for those who cannot see it."""

from collections.abc import Sequence
from html import escape

from msgspec import Struct

WIDE, HIGH, FOOT = 320, 120, 18
"""The size of a chart, and how much of its height is below the bars."""


class Bar(Struct, frozen=True):
    """One bar: its label, its value, and the value in words."""

    label: str
    value: float
    says: str


def bars(title: str, found: Sequence[Bar]) -> str:
    """Return a chart of bars; the highest one fills it, and its colours are those of the page."""
    most = max((one.value for one in found), default=0) or 1
    step = WIDE / max(1, len(found))
    says = "; ".join(f"{one.label}: {one.says}" for one in found)
    drawn = "".join(_bar(one, at * step, step, most) for at, one in enumerate(found))
    ends = _label(0, "start", found[0].label) + _label(WIDE, "end", found[-1].label) if len(found) > 1 else ""
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" class="chart"><title>{escape(title)}</title>'
        f'<desc>{escape(says)}</desc><path class="ground" d="M0 {HIGH - FOOT}H{WIDE}"/>{drawn}{ends}</svg>'
    )


def _bar(bar: Bar, left: float, step: float, most: float) -> str:
    high = (HIGH - FOOT - 4) * bar.value / most
    top = HIGH - FOOT - high
    return (
        f'<rect x="{left + step * 0.12:.1f}" y="{top:.1f}" width="{step * 0.76:.1f}" height="{high:.1f}" rx="2">'
        f"<title>{escape(f'{bar.label}: {bar.says}')}</title></rect>"
    )


def _label(at: float, anchor: str, text: str) -> str:
    return f'<text x="{at}" y="{HIGH - 4}" text-anchor="{anchor}">{escape(text)}</text>'
