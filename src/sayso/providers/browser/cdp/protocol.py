"""What a browser says over its DevTools, as values with only the parts that are needed here."""

from typing import Any

import msgspec


class Base(msgspec.Struct, frozen=True, rename="camel"):
    """What was said; parts that are not named here are left out."""


class Placed(Base, frozen=True):
    """Where in its window a tab stands."""

    tab_active: bool = False
    tab_strip_index: int = 0


class Target(Base, frozen=True):
    """A tab, a page, or whatever else can be spoken to."""

    target_id: str
    type: str
    title: str = ""
    url: str = ""
    opener_id: str = ""
    subtype: str = ""
    embedder_data: Placed | None = None


class Targets(Base, frozen=True):
    """What there is."""

    target_infos: tuple[Target, ...]


class OneTarget(Base, frozen=True):
    """One of them."""

    target_info: Target


class Listed(Base, frozen=True):
    """One target as the browser's own list has it, the one last in front first."""

    id: str
    type: str


class Window(Base, frozen=True):
    """The window of a tab."""

    window_id: int


class Bounds(Base, frozen=True):
    """How a window is shown."""

    window_state: str = "normal"


class Shown(Base, frozen=True):
    """A window and how it is shown."""

    window_id: int
    bounds: Bounds = Bounds()


class Created(Base, frozen=True):
    """A target that was just made."""

    target_id: str


class Session(Base, frozen=True):
    """The way to speak to a target."""

    session_id: str


class Attached(Base, frozen=True):
    """A target that can be spoken to from now on."""

    session_id: str
    target_info: Target
    waiting_for_debugger: bool = False


class Gone(Base, frozen=True):
    """A target that is gone."""

    target_id: str


class Frame(Base, frozen=True):
    """A page, or part of one."""

    id: str
    loader_id: str
    url: str
    url_fragment: str = ""

    @property
    def whole(self) -> str:
        """Return its address."""
        return f"{self.url}{self.url_fragment}"


class FrameTree(Base, frozen=True):
    """A page and the parts in it."""

    frame: Frame


class Tree(Base, frozen=True):
    """A page."""

    frame_tree: FrameTree


class Navigated(Base, frozen=True):
    """What came of going to an address."""

    frame_id: str = ""
    loader_id: str = ""
    error_text: str = ""
    is_download: bool = False


class Lifecycle(Base, frozen=True):
    """How far a page has come."""

    name: str
    frame_id: str
    loader_id: str = ""


class InFrame(Base, frozen=True):
    """Something about one frame."""

    frame_id: str = ""


class Entry(Base, frozen=True):
    """An address that a tab has shown."""

    id: int
    url: str


class History(Base, frozen=True):
    """The addresses that a tab has shown."""

    current_index: int
    entries: tuple[Entry, ...]


class World(Base, frozen=True):
    """A place for scripts of ours, which a page's own scripts cannot reach."""

    execution_context_id: int


class Thing(Base, frozen=True):
    """A value in a page."""

    type: str = "undefined"
    subtype: str = ""
    value: Any = None
    unserializable_value: str = ""
    description: str = ""
    object_id: str = ""


class Thrown(Base, frozen=True):
    """What a script ended with."""

    text: str = ""
    exception: Thing = Thing()
    script_id: str = ""


class Ran(Base, frozen=True):
    """What a script returned."""

    result: Thing
    exception_details: Thrown | None = None


class Text(Base, frozen=True):
    """A value of the accessibility tree."""

    value: Any = ""


class Node(Base, frozen=True):
    """Something of the accessibility tree."""

    ignored: bool = False
    role: Text = Text()
    name: Text = Text()


class Nodes(Base, frozen=True):
    """Some of the accessibility tree."""

    nodes: tuple[Node, ...]


class Picture(Base, frozen=True):
    """A picture, as base64."""

    data: str


class Machine(Base, frozen=True):
    """How the browser was started."""

    command_line: str = ""


class Version(Base, frozen=True):
    """Who answers at an address."""

    websocket_debugger_url: str = msgspec.field(default="", name="webSocketDebuggerUrl")


class Request(Base, frozen=True):
    """What a page asks for."""

    url: str


class Header(Base, frozen=True):
    """A header of an answer."""

    name: str
    value: str


class Paused(Base, frozen=True):
    """A request, or the answer to one, that waits to be let through or stopped."""

    request_id: str
    request: Request
    response_headers: tuple[Header, ...] = ()

    @property
    def kind(self) -> str:
        """Return what kind of thing an answer says it is, empty before there is one."""
        kinds = (header.value for header in self.response_headers if header.name.lower() == "content-type")
        return next(kinds, "").strip().lower()
