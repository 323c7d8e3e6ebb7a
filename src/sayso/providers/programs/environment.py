"""The environment that programs are started with."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

OURS = "SAYSO_"
"""Names that begin so are sayso's own, passwords among them; no program ever gets one."""
STARTED = "SAYSO_STARTED"
"""The one exception: it marks what was started in one run, children of children included."""
_NEEDED = frozenset(
    {
        *("HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
        *("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "SWAYSOCK", "DESKTOP_SESSION"),
        *("DBUS_SESSION_BUS_ADDRESS", "GSETTINGS_BACKEND", "GIO_USE_VFS", "NO_AT_BRIDGE"),
    }
)
_NEEDED_STARTS = ("LC_", "XDG_", "PULSE_", "PIPEWIRE_", "SPEECHD_", "GTK_", "QT_", "KDE_")
_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy")
_BROWSING = frozenset(
    {
        *_PROXIES,
        *(name.upper() for name in _PROXIES),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "XMODIFIERS", "INPUT_METHOD", "MOZ_ENABLE_WAYLAND", "MOZ_USE_XINPUT2"),
    }
)
_BROWSING_STARTS = ("GDK_", "IBUS_", "XCURSOR_", "FONTCONFIG_", "LIBVA_")


def needed(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a program of the desktop needs to find screen, bus, sound and language, and nothing else."""
    return {name: value for name, value in environ.items() if name in _NEEDED or name.startswith(_NEEDED_STARTS)}


def bare(environ: Mapping[str, str]) -> dict[str, str]:
    """Return language and time zone, for a program that must find nothing of the person's."""
    return {name: value for name, value in environ.items() if name in {"LANG", "TZ"} or name.startswith("LC_")}


def browsing(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a browser needs beside that: the way through a proxy, certificates, input methods, the look."""
    return {name: value for name, value in environ.items() if name in _BROWSING or name.startswith(_BROWSING_STARTS)}


def whole(environ: Mapping[str, str]) -> dict[str, str]:
    """Return everything but what is sayso's own: for the person's own programs."""
    return {name: value for name, value in environ.items() if not name.startswith(OURS)}


def found(program: str, environ: Mapping[str, str]) -> str | None:
    """Return the path of a program, which is looked for in the absolute folders of the PATH only."""
    if "/" in program:
        return program if Path(program).is_absolute() and os.access(program, os.X_OK) else None
    folders = [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    return shutil.which(program, path=os.pathsep.join(folders)) if folders else None
