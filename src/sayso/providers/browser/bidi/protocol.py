"""The messages of WebDriver BiDi, with only the members that sayso uses."""

from typing import Any

import msgspec

from sayso.providers.browser.remote.connection import ProtocolMessage


class Capabilities(ProtocolMessage, frozen=True):
    """Information about Firefox when a session begins."""

    process: int = msgspec.field(default=0, name="moz:processID")
    profile: str = msgspec.field(default="", name="moz:profile")
    version: str = msgspec.field(default="", name="browserVersion")


class NewSession(ProtocolMessage, frozen=True):
    """The answer with a new session."""

    session_id: str
    capabilities: Capabilities


class BrowsingContext(ProtocolMessage, frozen=True):
    """A tab."""

    context: str
    url: str = ""
    client_window: str = ""
    original_opener: str | None = None


class ContextTree(ProtocolMessage, frozen=True):
    """The answer with all tabs, ordered by window and then by position."""

    contexts: tuple[BrowsingContext, ...]


class ClientWindow(ProtocolMessage, frozen=True):
    """A window; `active` says whether it is the window that the person is using."""

    client_window: str
    active: bool = False


class ClientWindows(ProtocolMessage, frozen=True):
    """The answer with all windows."""

    client_windows: tuple[ClientWindow, ...]


class InContext(ProtocolMessage, frozen=True):
    """An event about one tab, or about something in it."""

    context: str = ""


class Navigation(ProtocolMessage, frozen=True):
    """An event about the navigation of a tab."""

    context: str = ""
    navigation: str | None = None
    url: str = ""


class UserPrompt(ProtocolMessage, frozen=True):
    """The event that a page opens a dialog."""

    context: str
    type: str
    message: str = ""


class ScriptValue(ProtocolMessage, frozen=True):
    """A JavaScript value in a page."""

    type: str
    value: Any = None
    handle: str = ""


class StackTrace(ProtocolMessage, frozen=True):
    """The calls that were running when an error was thrown.

    Empty for a syntax error in the script itself, because the script had not started.
    """

    call_frames: tuple[msgspec.Raw, ...] = ()


class BidiScriptError(ProtocolMessage, frozen=True):
    """The error with which a script ended."""

    text: str = ""
    stack_trace: StackTrace = StackTrace()


class BidiEvaluation(ProtocolMessage, frozen=True):
    """The result of a script, and the realm (JavaScript world) in which it ran."""

    realm: str = ""
    result: ScriptValue = ScriptValue("undefined")
    exception_details: BidiScriptError | None = None


class BidiScreenshot(ProtocolMessage, frozen=True):
    """A screenshot, as base64."""

    data: str
