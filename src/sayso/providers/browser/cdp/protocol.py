"""The messages of a browser's DevTools, as values with only the parts that are needed here."""

from typing import Any

import msgspec

from sayso.providers.browser.remote.connection import ProtocolMessage


class Placed(ProtocolMessage, frozen=True):
    """Where in its window a tab stands."""

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
    """The targets of a browser."""

    target_infos: tuple[Target, ...]


class OneTarget(ProtocolMessage, frozen=True):
    """The answer about one target."""

    target_info: Target


class ListedTarget(ProtocolMessage, frozen=True):
    """A target in the browser's own list, which begins with the one that was in front last."""

    id: str
    type: str


class TargetWindow(ProtocolMessage, frozen=True):
    """The window of a tab."""

    window_id: int


class WindowBounds(ProtocolMessage, frozen=True):
    """How a window is shown."""

    window_state: str = "normal"


class ShownWindow(ProtocolMessage, frozen=True):
    """A window and how it is shown."""

    window_id: int
    bounds: WindowBounds = WindowBounds()


class Created(ProtocolMessage, frozen=True):
    """A target that was just made."""

    target_id: str


class AttachedSession(ProtocolMessage, frozen=True):
    """A session with a target."""

    session_id: str


class Attached(ProtocolMessage, frozen=True):
    """A target with which a session began."""

    session_id: str
    target_info: Target
    waiting_for_debugger: bool = False


class Gone(ProtocolMessage, frozen=True):
    """A target that is gone."""

    target_id: str


class Frame(ProtocolMessage, frozen=True):
    """A page, or part of one."""

    id: str
    loader_id: str
    url: str
    url_fragment: str = ""

    @property
    def whole(self) -> str:
        """Return its address."""
        return f"{self.url}{self.url_fragment}"


class FrameTree(ProtocolMessage, frozen=True):
    """A page and the parts in it."""

    frame: Frame


class PageTree(ProtocolMessage, frozen=True):
    """A page."""

    frame_tree: FrameTree


class Navigated(ProtocolMessage, frozen=True):
    """Where a tab that was sent to an address has arrived."""

    frame_id: str = ""
    loader_id: str = ""
    error_text: str = ""
    is_download: bool = False


class Download(ProtocolMessage, frozen=True):
    """A download that begins or goes on."""

    guid: str
    frame_id: str = ""
    url: str = ""
    state: str = ""


class InFrame(ProtocolMessage, frozen=True):
    """Something about one frame."""

    frame_id: str = ""


class HistoryEntry(ProtocolMessage, frozen=True):
    """An address that a tab has shown."""

    id: int
    url: str


class History(ProtocolMessage, frozen=True):
    """The addresses that a tab has shown."""

    current_index: int
    entries: tuple[HistoryEntry, ...]


class IsolatedWorld(ProtocolMessage, frozen=True):
    """A world for sayso's own scripts, which a page's scripts cannot reach."""

    execution_context_id: int


class RemoteValue(ProtocolMessage, frozen=True):
    """A value in a page."""

    type: str = "undefined"
    subtype: str = ""
    value: Any = None
    unserializable_value: str = ""
    description: str = ""
    object_id: str = ""


class CdpScriptError(ProtocolMessage, frozen=True):
    """What a script ended with."""

    text: str = ""
    exception: RemoteValue = RemoteValue()
    script_id: str = ""


class CdpEvaluation(ProtocolMessage, frozen=True):
    """What a script returned."""

    result: RemoteValue
    exception_details: CdpScriptError | None = None


class Text(ProtocolMessage, frozen=True):
    """A value of the accessibility tree."""

    value: Any = ""


class Node(ProtocolMessage, frozen=True):
    """A node of the accessibility tree."""

    ignored: bool = False
    role: Text = Text()
    name: Text = Text()


class Nodes(ProtocolMessage, frozen=True):
    """A part of the accessibility tree."""

    nodes: tuple[Node, ...]


class CdpScreenshot(ProtocolMessage, frozen=True):
    """A picture, as base64."""

    data: str


class Machine(ProtocolMessage, frozen=True):
    """The computer and the process; here only how the browser was started."""

    command_line: str = ""


class Version(ProtocolMessage, frozen=True):
    """Who answers at an address."""

    websocket_debugger_url: str = msgspec.field(default="", name="webSocketDebuggerUrl")


class Request(ProtocolMessage, frozen=True):
    """What a page asks for."""

    url: str


class Header(ProtocolMessage, frozen=True):
    """A header of an answer."""

    name: str
    value: str


class Paused(ProtocolMessage, frozen=True):
    """A request, or the answer to one, that waits to be let through or stopped."""

    request_id: str
    request: Request
    response_headers: tuple[Header, ...] = ()

    @property
    def kind(self) -> str:
        """Return what kind of thing an answer says it is, empty before there is one."""
        kinds = (header.value for header in self.response_headers if header.name.lower() == "content-type")
        return next(kinds, "").strip().lower()
