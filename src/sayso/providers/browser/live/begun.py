"""Whether something was begun in a page: from then on what goes wrong leaves open what became of it (BR-10)."""

from collections.abc import Generator
from contextlib import contextmanager

from sayso.core.errors import ProviderError, Uncertain

LOOK = "look at the page before you try it again"


class Deed:
    """Something that is done in a page."""

    def __init__(self) -> None:
        self._what = ""

    def begins(self, what: str) -> None:
        """From here on something may have been done; `what` says in a clause what that is."""
        self._what = what

    def nothing(self) -> None:
        """Take it that nothing was done after all, or that it is as it was before."""
        self._what = ""

    @property
    def open(self) -> str:
        """Return what may have been done, empty while nothing was begun."""
        return self._what


@contextmanager
def deed() -> Generator[Deed]:
    """Yield something that is to be done. What goes wrong once it has begun raises `Uncertain` with what it was."""
    doing = Deed()
    try:
        yield doing
    except TimeoutError as late:
        if not doing.open:
            raise
        raise Uncertain(f"the page stopped answering while {doing.open}; {LOOK}", "page.hangs") from late
    except ProviderError as no:
        if not doing.open or isinstance(no, Uncertain):
            raise
        raise Uncertain(f"{doing.open}, and then: {no}; {LOOK}", no.code) from no
