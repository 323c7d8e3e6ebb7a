"""Read the administrator's file, and let the stricter of two settings hold."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import cast

from sayso.config.document import given
from sayso.core.canonical import Json
from sayso.core.errors import SetupError

ADMINISTRATOR = Path("/etc/sayso/policy.toml")
SECTIONS = ("policy", "limits")


def administered(file: Path, owner: int = 0) -> Mapping[str, Json]:
    """Return what the administrator's file sets, by full name; nothing when there is no such file.

    Raises `SetupError` when it is not owned by `owner` (root), may be written by others, or is odd.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as odd:
        raise SetupError(f"{file} is there but cannot be read: {odd.strerror}", "config.administrator") from None
    with os.fdopen(descriptor, "rb") as opened:
        _must_be_trusted(os.fstat(descriptor), file, owner)
        return given(opened.read(), str(file), SECTIONS).values


def _must_be_trusted(status: os.stat_result, file: Path, owner: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SetupError(f"{file} is not a plain file", "config.administrator")
    if status.st_uid != owner:
        raise SetupError(f"{file} must be owned by root, else anybody's word would hold", "config.administrator")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SetupError(f"{file} may be written by others than its owner; chmod go-w {file}", "config.administrator")


def restricted(own: Mapping[str, Json], administrator: Mapping[str, Json]) -> dict[str, Json]:
    """Return the person's values, each as strict as the administrator's where that one sets it.

    Roots are folders, not words; they are left to whoever knows the disk.
    """
    return {
        name: _STRICTER[name](value, administrator[name]) if name in administrator and name in _STRICTER else value
        for name, value in own.items()
    }


def _stricter_mode(own: Json, other: Json) -> Json:
    order = ("never", "destructive", "always")
    return max((cast("str", own), cast("str", other)), key=order.index)


def _either(own: Json, other: Json) -> Json:
    return own is True or other is True


def _smaller(own: Json, other: Json) -> Json:
    return min(cast("int", own), cast("int", other))


def _larger(own: Json, other: Json) -> Json:
    return max(cast("int", own), cast("int", other))


def _both(own: Json, other: Json) -> Json:
    return tuple(name for name in cast("_Names", own) if name in cast("_Names", other))


def _both_in_any_case(own: Json, other: Json) -> Json:
    allowed = {name.casefold() for name in cast("_Names", other)}
    return tuple(name for name in cast("_Names", own) if name.casefold() in allowed)


def _all(own: Json, other: Json) -> Json:
    return tuple(dict.fromkeys((*cast("_Names", own), *cast("_Names", other))))


def _both_globs(own: Json, other: Json) -> Json:
    """Return globs that fit what fits one of each; where no single glob says so, two are joined by `&`."""
    pairs = [_fitting_both(one, two) for one in cast("_Names", own) for two in cast("_Names", other)]
    return tuple(dict.fromkeys(pairs))


def _fitting_both(one: str, two: str) -> str:
    if two in {"*", one}:
        return one
    return two if one == "*" else f"{one}&{two}"


def _error_over_create(own: Json, other: Json) -> Json:
    return "error" if "error" in {own, other} else own


_Names = tuple[str, ...]
_STRICTER: Mapping[str, Callable[[Json, Json], Json]] = MappingProxyType(
    {
        "policy.mode": _stricter_mode,
        "policy.allowed_apps": _both_in_any_case,
        "policy.allowed_operations": _both_globs,
        "policy.waive_floor": _both,
        "policy.strict_apps": _either,
        "policy.stop_on_error": _either,
        "policy.paused": _either,
        "policy.waiting_expires": _smaller,
        "policy.grant_expires": _smaller,
        # Old content is kept no longer than either wants, the trail no shorter.
        "policy.undo_keep": _smaller,
        "policy.undo_bytes": _smaller,
        "policy.audit_keep": _larger,
        "policy.audit_redact": _all,
        "policy.append_missing": _error_over_create,
        "policy.confirm_sites": _all,
        "policy.confirm_destructive_clicks": _either,
        "limits.actions_per_run": _smaller,
        "limits.reply_bytes": _smaller,
        "limits.argument_bytes": _smaller,
        "limits.waiting": _smaller,
    }
)
