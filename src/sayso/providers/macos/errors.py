"""Turn the number of a script's error into what happened, which permission is missing, and where to allow it.

Only numbers are looked at, because macOS translates its messages.
"""

from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.quotes import quoted

TIMED_OUT = -1712
SETTINGS = "System Settings > Privacy & Security"
HOST = "the program that you started sayso from, such as Terminal"


class ScriptFailure(Struct, frozen=True):
    """The error of a script: its number if it has one, its message, and whether the script had begun to change."""

    number: int | None
    says: str = ""
    begun: bool = False


def explain_failure(failure: ScriptFailure, app: str) -> SaysoError:
    """Return the error for the person: `Uncertain` if the script had begun to change something in `app`."""
    denied = _permission_error(failure, app)
    if denied is not None:
        return denied  # macOS denies all calls of a script, so none of them changed anything
    error = _application_error(failure, app)
    if not failure.begun:
        return error
    return Uncertain(f"{error}; part of it may have been done, so look in {app} before you try again", error.code)


def _permission_error(failure: ScriptFailure, app: str) -> SaysoError | None:
    match failure.number:
        case -1743:
            return SetupError(
                f"macOS does not let sayso control {app}; in {SETTINGS} > Automation, turn {app} on for {HOST}",
                "macos.automation",
            )
        case -1744:
            return SetupError(
                f"macOS has not asked you yet whether sayso may control {app}; do this once from Terminal and answer "
                "the question of macOS with OK",
                "macos.automation",
            )
        case -25211 | -10004:
            return SetupError(
                f"macOS does not let sayso use windows of other applications; in {SETTINGS} > Accessibility, turn on "
                f"{HOST}",
                "macos.accessibility",
            )
        case 8 if app == "Safari":
            return SetupError(
                "Safari does not run scripts in pages for sayso; in Safari's Settings > Advanced, turn on “Show "
                "features for web developers”, then in the menu Develop (Settings > Developer in newer versions), turn "
                "on “Allow JavaScript from Apple Events”",
                "macos.page_scripts",
            )
        case 12 if app != "Safari":
            return SetupError(
                f"{app} does not run scripts in pages for sayso; in its menu View > Developer, turn on “Allow "
                "JavaScript from Apple Events”, in each profile that you use",
                "macos.page_scripts",
            )
        case _:
            return None


def _application_error(failure: ScriptFailure, app: str) -> SaysoError:
    match failure.number:
        case -1728 | -1719:
            return ProviderError(f"what was to be used in {app} is no longer there", "world.changed")
        case -600:
            return ProviderError(
                f"{app} is not running, and macOS does not start it for sayso here; open {app} first",
                "macos.not_running",
            )
        case -609:
            return ProviderError(f"{app} ended while sayso was talking to it", "macos.connection")
        case -1712:
            return ProviderError(
                f"{app} did not answer in time; it may be busy, or a question of macOS may be waiting behind a window",
                "macos.timeout",
            )
        case -128:
            return ProviderError(f"a question that {app} asked was cancelled", "macos.cancelled")
        case None:
            return ProviderError(f"the script for {app} failed: {quoted(failure.says)}", "macos.script")
        case number:
            return ProviderError(f"{app} refused with error {number}: {quoted(failure.says)}", "macos.refused")
