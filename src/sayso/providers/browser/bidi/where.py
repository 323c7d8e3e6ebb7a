"""Which Firefox is meant, and whether it may be, told by the profile it runs on (BR-09).

It must not be the profile that the person lives in, unless the settings say so in as many words.
"""

import configparser
import re
from contextlib import suppress
from pathlib import Path

from sayso.providers.browser.live import where
from sayso.providers.browser.live.where import Endpoint, Kind, Wanted

KIND = Kind("browser.bidi_url", "ws://127.0.0.1:9222", "browser-firefox", "sayso browser --firefox")
USUAL_FOLDERS = (
    ".mozilla/firefox", ".config/mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
    ".var/app/org.mozilla.firefox/.mozilla/firefox", ".librewolf",
)  # fmt: skip
"""Where Firefox keeps the profiles that a person lives in, beneath their home."""
BANNED = "network.security.ports.banned"
"""The preference that names ports which Firefox does not go to, whatever host they are on."""


def endpoint(wanted: Wanted, own: str) -> Endpoint:
    """Return where the browser listens. Raises `SetupError` for what the settings must allow first."""
    return where.endpoint(KIND, wanted, own)


def is_own(profile: str, folder: Path) -> bool:
    """Say whether a browser runs on sayso's own profile: by now somebody else may listen where it did."""
    return profile != "" and Path(profile).resolve() == folder.resolve()


def must_not_be_lived_in(profile: str, home: str) -> None:
    """Raise `SetupError` when a browser runs on the profile that the person lives in, or does not say on which."""
    if not profile or any(_lives_in(Path(profile).resolve(), Path(home, name)) for name in USUAL_FOLDERS):
        raise KIND.lived_in()


def _lives_in(profile: Path, folder: Path) -> bool:
    """Say whether a profile is the usual one of a folder of profiles, as far as that can be told."""
    told = _profiles(folder)
    usual = {(folder / path).resolve() for section in told.sections() if (path := _usual(told[section]))}
    named = {(folder / told[section]["Path"]).resolve() for section in told.sections() if "Path" in told[section]}
    return profile in usual or (profile.is_relative_to(folder.resolve()) and profile not in named)


def _usual(section: configparser.SectionProxy) -> str:
    """Return the path of the profile that a section names as the usual one, empty when it does not."""
    if section.name.startswith("Install"):
        return section.get("Default", "")
    return section.get("Path", "") if section.get("Default") == "1" else ""


def _profiles(folder: Path) -> configparser.ConfigParser:
    told = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(OSError, configparser.Error, UnicodeDecodeError):
        told.read_string((folder / "profiles.ini").read_text("utf-8"))
    return told


def ports_kept_away(profile: str, file: str = "prefs.js") -> frozenset[int]:
    """Return the ports that a browser on this profile keeps away from, as it wrote them down itself.

    For sayso's own it is `user.js`, which says what it was started with.
    """
    try:
        told = Path(profile, file).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    found = re.search(rf'^user_pref\("{re.escape(BANNED)}", "([0-9, ]*)"\);$', told, re.MULTILINE)
    return frozenset(int(port) for port in re.findall(r"[0-9]+", found.group(1))) if found else frozenset()
