"""What may vary of an argument and within what, and whether a value keeps within it."""

import posixpath
import re
from collections.abc import Mapping

from sayso.core.canonical import Json
from sayso.core.errors import ProposalError
from sayso.core.grant import Varies
from sayso.core.operation import Parameter
from sayso.policy.paths import normal

WORDING = frozenset({"title", "subject"})
"""One-line arguments that say how a thing is called, and not which thing, whom or where."""

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?P<port>[0-9]{1,5}))?(?:[/?#]|\Z)",
    re.IGNORECASE | re.ASCII,
)
"""An address that a browser and this read alike: no name or password before the host, no backslash, plain letters."""


def bound(parameter: Parameter, value: Json, home: str) -> Varies | None:
    """Return within what this argument may vary when it was `value` once; None when it must stay as it was.

    Never wider than what was done allows to say: names beside the same name, addresses of the same site,
    and texts that name nothing.
    """
    if not isinstance(value, str):
        return None
    if parameter.kind == "path":
        folder, name = posixpath.split(_path(value, home))
        return Varies(parameter.name, "folder", folder, _ending(name)) if name else None
    if parameter.name == "url":
        site = site_of(value)
        return Varies(parameter.name, "site", site) if site else None
    if parameter.kind in {"text", "when"} or (parameter.kind == "line" and parameter.name in WORDING):
        return Varies(parameter.name, "any")
    return None


def keeps_within(varies: Varies, value: Json, home: str) -> bool:
    """Say whether a value is one that may stand there."""
    if not isinstance(value, str):
        return False
    if varies.within == "folder":
        folder, name = posixpath.split(_path(value, home))
        return folder == varies.of and bool(name) and _ending(name) == varies.ending
    if varies.within == "site":
        return site_of(value) == varies.of != ""
    return varies.within == "any"


def site_of(address: str) -> str:
    """Return scheme, host and port of a web address; nothing for what names no plain site."""
    found = _ADDRESS.match(address.strip())
    if found is None:
        return ""
    scheme, host, port = found["scheme"].lower(), found["host"].lower(), found["port"]
    usual = {"http": "80", "https": "443"}[scheme]
    return f"{scheme}://{host}" + ("" if port in {None, usual} else f":{port}")


def is_beside(path: str, folder: str, ending: str) -> bool:
    """Say whether a path stands directly in a folder with a name of this ending."""
    above, name = posixpath.split(path)
    return above == folder and bool(name) and _ending(name) == ending


def ending_of(path: str) -> str:
    """Return the ending that names beside this one must have."""
    return _ending(posixpath.basename(path))


def variable(parameters: Mapping[str, Parameter], arguments: Mapping[str, Json], home: str) -> dict[str, Varies]:
    """Return what could vary of these arguments, by name."""
    found = {name: bound(parameters[name], value, home) for name, value in arguments.items() if name in parameters}
    return {name: varies for name, varies in found.items() if varies is not None}


def _path(value: str, home: str) -> str:
    try:
        return normal(value, home)
    except ProposalError:
        return ""


def _ending(name: str) -> str:
    """Return the ending with its dot; a hidden name differs from every other, so its dot in front stands before."""
    hidden = "." if name.startswith(".") else ""
    return hidden + posixpath.splitext(name)[1]
