"""Steps that one domain plans and another carries out.

Opening and showing a file is looked at and planned where files are known and done by the desktop. What
such a change expects are facts of the domain that planned it: they tie the change to the earlier step
that made the file. The backend that carries the step out does not know them and lets them pass.
"""

from typing import ClassVar

from sayso.core.plan import Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class OpenFile(Step):
    """Open the file or folder at `path` with the application `app`; an empty `app` means the default one."""

    step: ClassVar[str] = "desktop.open_file"
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    apps: ClassVar[tuple[str, ...]] = ("app",)
    path: str
    app: str = ""


@dataclass(frozen=True, slots=True)
class RevealFile(Step):
    """Show the file or folder at `path`, selected, in the file manager."""

    step: ClassVar[str] = "desktop.reveal_file"
    store: ClassVar[str] = "desktop"
    paths: ClassVar[tuple[str, ...]] = ("path",)
    path: str


HANDED_OVER: tuple[type[Step], ...] = (OpenFile, RevealFile)
