"""The first wishes that the chat suggests to somebody who has said nothing yet: only such as work on this computer."""

from pathlib import Path

from msgspec import Struct
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.models.vendors import EMBEDDED
from sayso.surfaces.web.answers import Wish, Wishes
from sayso.surfaces.web.requests import Page

_NO_MODEL = (
    "No language model is set up: built-in rules understand short wishes in English. “sayso config model” sets one up."
)


_AT_ONCE = "is done at once, and a click takes it back"
_ASKED = "is shown first, and done after your yes; a click takes it back"


class KnownWish(Struct, frozen=True):
    """Something to say, and what comes of it."""

    text: str
    operation: str
    does: str


WISHES = (
    KnownWish("add “Try sayso” to my tasks", "task.add", "shows a button first; nothing is added before your click"),
    KnownWish("make a folder called Plans in {folder}", "file.mkdir", _AT_ONCE),
    KnownWish("what is in {folder}", "file.list", "only looks"),
    KnownWish("remind me to stretch in 10 minutes", "reminder.create", _AT_ONCE),
)
"""The built-in rules understand each of them, so that they work also without a language model."""


def routes(page: Page) -> list[BaseRoute]:
    """Return the route of the first wishes."""
    return [page.get("/api/wishes", _wishes)]


async def _wishes(page: Page, _: Request) -> Wishes:
    """Return wishes that work here, and what there is to know of the model."""
    home = page.home
    possible = {one.id for one in home.possible_operations()}
    folder = next((Path(root).name for root in home.settings.policy.roots if _can_be_named(Path(root))), None)
    changed = {_AT_ONCE: _ASKED} if home.settings.policy.mode == "always" else {}
    wishes = [
        Wish(one.text.replace("{folder}", folder or ""), changed.get(one.does, one.does))
        for one in WISHES
        if one.operation in possible and (folder or "{folder}" not in one.text)
    ]
    no_model = home.settings.sections["model"].get("name") == EMBEDDED
    return Wishes(wishes, _NO_MODEL if no_model else "")


def _can_be_named(root: Path) -> bool:
    """Return whether this is a folder that the rules find by its name alone."""
    return root.name.isalpha() and root.is_dir()
