"""The messages of WebDriver BiDi, as values with only the parts that are needed here."""

from typing import Any

import msgspec

from sayso.providers.browser.remote.connection import ProtocolMessage


class Capabilities(ProtocolMessage, frozen=True):
    """What Firefox says of itself when a session begins."""

    process: int = msgspec.field(default=0, name="moz:processID")
    profile: str = msgspec.field(default="", name="moz:profile")
    version: str = msgspec.field(default="", name="browserVersion")


class NewSession(ProtocolMessage, frozen=True):
    """A session that began."""

    session_id: str
    capabilities: Capabilities


class BrowsingContext(ProtocolMessage, frozen=True):
    """A tab."""

    context: str
    url: str = ""
    client_window: str = ""
    original_opener: str | None = None


class ContextTree(ProtocolMessage, frozen=True):
    """All tabs, in the order of windows and then of tabs."""

    contexts: tuple[BrowsingContext, ...]


class ClientWindow(ProtocolMessage, frozen=True):
    """A window; `active` is the one that has the person's attention."""

    client_window: str
    active: bool = False


class ClientWindows(ProtocolMessage, frozen=True):
    """The windows."""

    client_windows: tuple[ClientWindow, ...]


class InContext(ProtocolMessage, frozen=True):
    """Something about one tab, or within one."""

    context: str = ""


class Navigation(ProtocolMessage, frozen=True):
    """Something about the page that a tab is going to."""

    context: str = ""
    navigation: str | None = None
    url: str = ""


class UserPrompt(ProtocolMessage, frozen=True):
    """A question that a page asks."""

    context: str
    type: str
    message: str = ""


class ScriptValue(ProtocolMessage, frozen=True):
    """A value in a page."""

    type: str
    value: Any = None
    handle: str = ""


class StackTrace(ProtocolMessage, frozen=True):
    """Where in a script something happened; empty if none ran yet."""

    call_frames: tuple[msgspec.Raw, ...] = ()


class BidiScriptError(ProtocolMessage, frozen=True):
    """What a script ended with."""

    text: str = ""
    stack_trace: StackTrace = StackTrace()


class BidiEvaluation(ProtocolMessage, frozen=True):
    """What a script returned, and in which world it ran."""

    realm: str = ""
    result: ScriptValue = ScriptValue("undefined")
    exception_details: BidiScriptError | None = None


class BidiScreenshot(ProtocolMessage, frozen=True):
    """A picture, as base64."""

    data: str
