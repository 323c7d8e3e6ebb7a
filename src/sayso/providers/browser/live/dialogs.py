"""The questions that a page asks: it gets no for an answer, and a person is told."""

from collections.abc import Iterable

import msgspec

from sayso.core.errors import ProviderError
from sayso.providers.browser.facts import Asked


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
                raise ProviderError(f"{asked(dialog)}; answer it in the browser", "page.asks")
            case _:
                pass


def must_let_go(dialogs: Iterable[Dialog]) -> None:
    """Raise `ProviderError` where a page asks before it is left; what the next one asks does not keep it away."""
    must_not_ask(dialog for dialog in dialogs if dialog.type == "beforeunload")


def asked(dialog: Dialog) -> str:
    """Say what was asked, and what it got for an answer."""
    return f"the page asked “{dialog.message[:200]}” and got no for an answer"


def told(tab: str, dialogs: Iterable[Dialog]) -> tuple[Asked, ...]:
    """Return the fact of what the page that a tab went to asked first, if it did."""
    questions = [asked(dialog) for dialog in dialogs if dialog.type in {"confirm", "prompt"}]
    return (Asked(tab, questions[0]),) if questions else ()
