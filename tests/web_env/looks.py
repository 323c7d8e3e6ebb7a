"""What is wrong with how the page looks, as its boxes tell and as axe-core judges it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import cast

from playwright.async_api import Page

_LOOKS = Path(__file__).with_name("looks.js").read_text("utf-8")
_AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
_RUN = """
async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run({ runOnly: { type: "tag", values: tags } });
  const told = (one, node) => `${one.id}: ${one.help}: ${node.html.slice(0, 150)}`;
  const judged = [...found.passes, ...found.violations, ...found.incomplete].flatMap((one) => one.nodes);
  return [
    new Set(judged.map((node) => node.target.join(" "))).size,
    found.violations.flatMap((one) => one.nodes.map((node) => [one.impact, told(one, node)])),
  ];
}
"""
_STILL = """
async () => {
  const changing = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.all(changing.map((one) => one.finished.catch(() => 0)));
}
"""


@dataclass(frozen=True)
class Looked:
    """How many elements axe-core judged, what is wrong with them, and what is only advised against."""

    nodes: int
    faults: tuple[str, ...]
    advice: tuple[str, ...]


@asynccontextmanager
async def whole(page: Page) -> AsyncGenerator[None]:
    """Have a window that is as high as what it shows, so that nothing lies below what stands at its foot."""
    size = page.viewport_size
    assert size is not None
    high = await page.evaluate("document.documentElement.scrollHeight")
    await page.set_viewport_size({**size, "height": max(size["height"], high)})
    yield
    await page.set_viewport_size(size)


async def look(page: Page) -> Looked:
    """Look at what a window shows."""
    await page.evaluate(_STILL)
    faults: list[str] = await page.evaluate(_LOOKS)
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(_AXE)
    async with whole(page):
        nodes, found = cast("tuple[int, list[tuple[str, str]]]", await page.evaluate(_RUN))
    serious = [f"axe: {told}" for impact, told in found if impact in {"serious", "critical"}]
    return Looked(
        nodes=nodes,
        faults=(*faults, *serious),
        advice=tuple(told for impact, told in found if impact not in {"serious", "critical"}),
    )
