"""What is said of a page that stops answering once something was begun in it (BR-10)."""

from collections.abc import Generator
from contextlib import contextmanager

from sayso.core.errors import Uncertain


@contextmanager
def begun(what: str) -> Generator[None]:
    """Let a page that does not answer from here on be one in which it may have been done."""
    try:
        yield
    except TimeoutError as late:
        raise Uncertain(f"the page stopped answering while {what}", "page.hangs") from late
