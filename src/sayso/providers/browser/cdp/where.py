"""Which browser of the Chromium family is meant, and whether it may be, told by its command line (BR-09).

It must not be the profile that the person lives in, unless the settings say so in as many words.
"""

import itertools
import re
from pathlib import Path

from sayso.providers.browser.live import where
from sayso.providers.browser.live.where import Endpoint, Kind, Wanted

KIND = Kind("browser.cdp_url", "http://127.0.0.1:9222", "browser", "sayso browser")
USUAL_PROFILES = (
    "chromium", "google-chrome", "google-chrome-beta", "google-chrome-unstable", "microsoft-edge",
    "microsoft-edge-beta", "microsoft-edge-dev", "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser-Beta",
    "BraveSoftware/Brave-Browser-Nightly", "vivaldi", "vivaldi-snapshot", "opera", "opera-beta",
)  # fmt: skip
"""Where browsers of this family keep the profile that a person lives in, in a folder of settings."""
PACKAGED = ("snap/*/common", "snap/*/current/.config", ".var/app/*/config")
"""Where packages that have a home of their own keep their settings, beneath a person's home."""


_AWAY = re.compile(r"MAP \*:(\d+) ~NOTFOUND")


def endpoint(wanted: Wanted, own: str) -> Endpoint:
    """Return where the browser listens. Raises `SetupError` for what the settings must allow first."""
    return where.endpoint(KIND, wanted, own)


def is_own(command_line: str, folder: Path) -> bool:
    """Say whether a browser runs on sayso's own profile: by now somebody else may listen where it did."""
    return str(folder) in _beginnings(option(command_line, "user-data-dir"))


def must_not_be_lived_in(command_line: str, home: str) -> None:
    """Raise `SetupError` when a browser runs on the profile that the person lives in, or does not say on which."""
    folder = option(command_line, "user-data-dir")
    places = [Path(home, ".config"), *(place for pattern in PACKAGED for place in Path(home).glob(pattern))]
    usual = {(place / name).resolve() for place in places for name in USUAL_PROFILES}
    if not folder or any(Path(beginning).resolve() in usual for beginning in _beginnings(folder)):
        raise KIND.lived_in()


def _beginnings(folder: str) -> list[str]:
    """Return what a folder may be called whose end cannot be told from what follows it."""
    words = folder.split(" ")
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)]


def option(command_line: str, name: str) -> str:
    """Return the value of the last option of this name, empty when there is none. Nothing is quoted in such a line."""
    found = re.findall(rf"(?:^| )--{re.escape(name)}=(.*?)(?= --|$)", command_line, re.DOTALL)
    return found[-1] if found else ""


def ports_kept_away(command_line: str) -> frozenset[int]:
    """Return the ports that a browser was started to keep away from, whatever host they are on.

    A rule before them, an exception or a proxy could lead there all the same; then they count for nothing.
    """
    rules = option(command_line, "host-resolver-rules")
    if "exclude" in rules.lower() or " --proxy-" in command_line:
        return frozenset()
    first = itertools.takewhile(bool, (_AWAY.fullmatch(rule.strip()) for rule in rules.split(",")))
    return frozenset(int(rule[1]) for rule in first if rule)
