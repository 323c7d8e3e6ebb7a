"""What an operation may look at before a web request: the reads of the web store."""

from typing import Protocol


class Web(Protocol):
    """The reads; they send nothing."""

    def may_reach(self, host: str) -> bool:
        """Say whether the settings allow requests to this host; private addresses are not, unless listed (T-90).

        Names are resolved again when the request is made, and the address reached is judged then.
        """
        ...

    def new_id(self) -> str:
        """Return an id that no request has yet."""
        ...
