"""The command that adds an extra to sayso, for the way in which this sayso was installed.

sayso may stand in an environment of `uv tool` or `pipx`, in a virtual environment from a folder, a wheel or an index,
or come from a distribution; no single command works for all of them.
"""

import json
import re
import shlex
import shutil
import sys
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from sayso.core.quotes import quoted

NAME = "sayso"
_PACKAGE = re.compile(r"[A-Za-z0-9._-]+")


class Installation(Struct, frozen=True):
    """How sayso was installed."""

    kind: Literal["uv tool", "pipx", "uv", "pip", "other"]
    """What owns the environment; `other` is a distribution, or anything that left no trace."""
    prefix: str
    """The folder of the environment."""
    source: str = ""
    """The folder, file or address that it was installed from; empty if that was an index."""
    editable: bool = False
    uv: str = "uv"
    """The command for uv."""


def how_to_add(extra: str) -> str:
    """Return what adds this extra to the sayso that runs here: a command or, for a distribution, what to install."""
    return command(installation(), extra, packages_of(extra))


def command(at: Installation, extra: str, packages: tuple[str, ...]) -> str:
    """Return what adds an extra, whose packages are `packages`, to this installation.

    Tools are installed again as a whole, so that they then have every extra: those that they have would be lost.
    """
    tool = at.kind in {"uv tool", "pipx"}
    extras = f"[{'all' if tool else extra}]"
    what = shlex.quote(f"{NAME}{extras} @ {at.source}" if "://" in at.source else f"{at.source or NAME}{extras}")
    edit = "--editable " if at.editable else ""
    python = shlex.quote(f"{at.prefix}/bin/python")
    match at.kind:
        case "uv tool":
            return f"{shlex.quote(at.uv)} tool install {edit}{what}"
        case "pipx":
            return f"pipx install --force {edit}{what}"
        case "uv":
            return f"{shlex.quote(at.uv)} pip install --python {python} {edit}{what}"
        case "pip":
            return f"{python} -m pip install {edit}{what}"
        case _:
            return f"install these Python packages as you installed sayso: {', '.join(packages)}"


@cache
def installation() -> Installation:
    """Return how the sayso that runs here was installed, from what the installer wrote beside it."""
    found = _distribution()
    if found is None:
        return Installation("other", sys.prefix)
    return recorded(sys.prefix, found.read_text("INSTALLER") or "", found.read_text("direct_url.json") or "")


def recorded(prefix: str, installer: str, direct_url: str) -> Installation:
    """Return the installation in the folder `prefix`, given the texts `INSTALLER` and `direct_url.json`, or nothing."""
    said = json.loads(direct_url or "{}")
    url, editable = str(said.get("url", "")), bool(said.get("dir_info", {}).get("editable"))
    source = unquote(urlsplit(url).path) if url.startswith("file:") else url
    if version := said.get("vcs_info", {}).get("vcs"):
        source = f"{version}+{url}"
    own = Path(source, ".tools", "bin", "uv")
    uv = "uv" if shutil.which("uv") or not own.is_file() else str(own)
    if source.startswith("/") and not Path(source).exists():
        return Installation("other", prefix)
    kind = _kind(Path(prefix), installer.strip())
    return Installation(kind, prefix, source, editable, uv)


def _kind(prefix: Path, installer: str) -> Literal["uv tool", "pipx", "uv", "pip", "other"]:
    if (prefix / "uv-receipt.toml").exists():
        return "uv tool"
    if (prefix / "pipx_metadata.json").exists():
        return "pipx"
    # Without a file of its own, an environment is the system's: a distribution may have put sayso there.
    mine = (prefix / "pyvenv.cfg").exists()
    return "uv" if mine and installer == "uv" else "pip" if mine and installer == "pip" else "other"


def packages_of(extra: str) -> tuple[str, ...]:
    """Return the names of the packages of an extra."""
    found, needed = _distribution(), list[str]()
    for line in (found.requires or []) if found else []:
        package, marker = _PACKAGE.match(line), line.partition(";")[2].replace('"', "'")
        if package is not None and f"extra == '{extra}'" in marker:
            needed.append(package[0])
    return tuple(needed) or (f"those of the extra {quoted(extra)}",)


def _distribution() -> Distribution | None:
    try:
        return distribution(NAME)
    except PackageNotFoundError:
        return None
