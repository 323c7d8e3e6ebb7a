"""The questions that a page asks: it gets no for an answer, and a person is told."""

from collections.abc import Iterable

import msgspec

from sayso.core.errors import ProviderError


class Dialog(msgspec.Struct, frozen=True):
    """A question that a page asks."""

    type: str
    message: str = ""


def must_not_ask(dialogs: Iterable[Dialog]) -> None:
    """Raise `ProviderError` for the first question that somebody must answer."""
    for dialog in dialogs:
        match dialog.type:
            case "file":
                raise ProviderError(
                    "the page asks for a file, and files are chosen by a person; do that in the browser",
                    "page.asks_file",
                )
            case "beforeunload":
                raise ProviderError(
                    "the page asks before it is left, because something is not saved in it", "page.asks"
                )
            case "confirm" | "prompt":
                raise ProviderError(
                    f"the page asked “{dialog.message[:200]}” and got no for an answer; answer it in the browser",
                    "page.asks",
                )
            case _:
                pass
