"""The messages of a browser's DevTools, with only the members that sayso uses."""

from typing import Any

import msgspec

from sayso.providers.browser.remote.connection import ProtocolMessage


class Placed(ProtocolMessage, frozen=True):
    """The position of a tab in its window."""

    tab_active: bool = False
    tab_strip_index: int = 0


class Target(ProtocolMessage, frozen=True):
    """A tab, a page, a worker, or another target."""

    target_id: str
    type: str
    title: str = ""
    url: str = ""
    opener_id: str = ""
    subtype: str = ""
    embedder_data: Placed | None = None


class TargetList(ProtocolMessage, frozen=True):
    """The answer with all targets."""

    target_infos: tuple[Target, ...]


class OneTarget(ProtocolMessage, frozen=True):
    """The answer about one target."""

    target_info: Target


class ListedTarget(ProtocolMessage, frozen=True):
    """A target in the browser's own list, which begins with the target that was in front most recently."""

    id: str
    type: str


class TargetWindow(ProtocolMessage, frozen=True):
    """The answer with the window of a tab."""

    window_id: int


class WindowBounds(ProtocolMessage, frozen=True):
    """How a window is displayed, such as minimized."""

    window_state: str = "normal"


class ShownWindow(ProtocolMessage, frozen=True):
    """A window and how it is displayed."""

    window_id: int
    bounds: WindowBounds = WindowBounds()


class Created(ProtocolMessage, frozen=True):
    """The answer with a new target."""

    target_id: str


class AttachedSession(ProtocolMessage, frozen=True):
    """The answer with a new session for a target."""

    session_id: str


class Attached(ProtocolMessage, frozen=True):
    """The event that a session with a target has begun."""

    session_id: str
    target_info: Target
    waiting_for_debugger: bool = False


class Gone(ProtocolMessage, frozen=True):
    """The event that a target was closed."""

    target_id: str


class Frame(ProtocolMessage, frozen=True):
    """A page, or a frame in it."""

    id: str
    loader_id: str
    url: str
    url_fragment: str = ""

    @property
    def whole(self) -> str:
        """Return the whole address, with its fragment."""
        return f"{self.url}{self.url_fragment}"


class FrameTree(ProtocolMessage, frozen=True):
    """A page with its frames; only the page itself is read."""

    frame: Frame


class PageTree(ProtocolMessage, frozen=True):
    """The answer with the frame tree of a page."""

    frame_tree: FrameTree


class Navigated(ProtocolMessage, frozen=True):
    """The answer to a navigation."""

    frame_id: str = ""
    loader_id: str = ""
    error_text: str = ""
    is_download: bool = False


class Download(ProtocolMessage, frozen=True):
    """The event that a download has begun or made progress."""

    guid: str
    frame_id: str = ""
    url: str = ""
    state: str = ""


class InFrame(ProtocolMessage, frozen=True):
    """An event about one frame."""

    frame_id: str = ""


class HistoryEntry(ProtocolMessage, frozen=True):
    """An address in the history of a tab."""

    id: int
    url: str


class History(ProtocolMessage, frozen=True):
    """The history of a tab."""

    current_index: int
    entries: tuple[HistoryEntry, ...]


class IsolatedWorld(ProtocolMessage, frozen=True):
    """The answer with a new JavaScript world for sayso's scripts, which the page's scripts cannot reach."""

    execution_context_id: int


class RemoteValue(ProtocolMessage, frozen=True):
    """A JavaScript value in a page."""

    type: str = "undefined"
    subtype: str = ""
    value: Any = None
    unserializable_value: str = ""
    description: str = ""
    object_id: str = ""


class CdpScriptError(ProtocolMessage, frozen=True):
    """The error with which a script ended."""

    text: str = ""
    exception: RemoteValue = RemoteValue()
    script_id: str = ""


class CdpEvaluation(ProtocolMessage, frozen=True):
    """The result of a script."""

    result: RemoteValue
    exception_details: CdpScriptError | None = None


class Text(ProtocolMessage, frozen=True):
    """A value in the accessibility tree."""

    value: Any = ""


class Node(ProtocolMessage, frozen=True):
    """A node of the accessibility tree."""

    ignored: bool = False
    role: Text = Text()
    name: Text = Text()


class Nodes(ProtocolMessage, frozen=True):
    """Nodes of the accessibility tree."""

    nodes: tuple[Node, ...]


class CdpScreenshot(ProtocolMessage, frozen=True):
    """A screenshot, as base64."""

    data: str


class Machine(ProtocolMessage, frozen=True):
    """Information about the browser's process: only its command line."""

    command_line: str = ""


class Version(ProtocolMessage, frozen=True):
    """The answer about the program that listens on the port."""

    websocket_debugger_url: str = msgspec.field(default="", name="webSocketDebuggerUrl")


class Request(ProtocolMessage, frozen=True):
    """The request of a page for an address."""

    url: str


class Header(ProtocolMessage, frozen=True):
    """A header of a response."""

    name: str
    value: str


class Paused(ProtocolMessage, frozen=True):
    """The event that a request, or the response to one, waits to be continued or blocked."""

    request_id: str
    request: Request
    response_headers: tuple[Header, ...] = ()

    @property
    def kind(self) -> str:
        """Return the content type of the response; empty if there is no response yet."""
        kinds = (header.value for header in self.response_headers if header.name.lower() == "content-type")
        return next(kinds, "").strip().lower()
