"""What a piece of work costs, as a number that is the same on every machine, however busy."""

import gc
import sys
from types import FrameType
from typing import Any, Self


class Calls:
    """Count the calls of functions, ours and the interpreter's, that this thread makes inside of a `with`."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        gc.disable()  # who is called back by a collection does none of the work
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()

    def _called(self, frame: FrameType, event: str, what: Any) -> None:
        if event in {"call", "c_call"}:
            self.count += 1
