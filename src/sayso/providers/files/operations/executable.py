"""Find out whether the system would run a thing instead of showing it (X-21)."""

import posixpath
from collections.abc import Mapping
from types import MappingProxyType

from sayso.policy.paths import folded
from sayso.providers.files.store import Item

_SHELL = "a shell would run it"
_SCRIPT = "an interpreter would run it"
_MAC = "macOS would run it"
_WINDOWS = "Windows, or what stands in for it, would run it"
_INSTALL = "it installs software"
_STARTER = "it starts a program named in it"
_ELSEWHERE = "it leads to an address named in it"

RUN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (".sh", ".bash", ".zsh", ".csh", ".tcsh", ".ksh", ".fish", ".dash", ".command", ".tool"), _SHELL
        ),
        **dict.fromkeys(
            (".py", ".pyw", ".pyc", ".pyz", ".pl", ".rb", ".php", ".lua", ".tcl", ".jar", ".jnlp"), _SCRIPT
        ),
        **dict.fromkeys((".scpt", ".scptd", ".applescript", ".app", ".workflow", ".action", ".terminal"), _MAC),
        **dict.fromkeys((".osax", ".prefpane", ".saver", ".kext", ".qlgenerator", ".mobileconfig", ".shortcut"), _MAC),
        **dict.fromkeys((".pkg", ".mpkg", ".deb", ".rpm", ".flatpakref", ".flatpakrepo", ".snap", ".msi"), _INSTALL),
        **dict.fromkeys((".appimage", ".run", ".bin", ".out", ".so", ".dylib"), "it is a program"),
        **dict.fromkeys((".desktop", ".service", ".lnk", ".pif", ".kdelnk"), _STARTER),
        **dict.fromkeys((".exe", ".bat", ".cmd", ".com", ".ps1", ".vbs", ".vbe", ".wsf", ".hta", ".scr"), _WINDOWS),
        **dict.fromkeys((".inetloc", ".fileloc", ".webloc", ".url", ".afploc", ".vncloc"), _ELSEWHERE),
    }
)
"""Endings of names, in small letters, of what is run or leads on when it is opened, each with the reason."""


def why_run(item: Item, said: str) -> str | None:
    """Return why opening `item`, asked for as `said`, would run something; None when it is only shown."""
    for path in (said, item.path):
        reason = RUN.get(_ending(path))
        if reason is not None:
            return reason
    if item.kind == "file" and item.mode & 0o111:
        return "it is marked as a program (an execute bit)"
    return None


def _ending(path: str) -> str:
    # As the most generous system would read it: no case, no dots or spaces at the end.
    return posixpath.splitext(folded(posixpath.basename(path.rstrip("/"))))[1]
