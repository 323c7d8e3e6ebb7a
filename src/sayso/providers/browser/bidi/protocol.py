"""What Firefox says in WebDriver BiDi, as values with only the parts that are needed here."""

from typing import Any

import msgspec


class Base(msgspec.Struct, frozen=True, rename="camel"):
    """What was said; parts that are not named here are left out."""


class Capabilities(Base, frozen=True):
    """What a browser says of itself as it is first spoken to."""

    process: int = msgspec.field(default=0, name="moz:processID")
    profile: str = msgspec.field(default="", name="moz:profile")
    version: str = msgspec.field(default="", name="browserVersion")


class New(Base, frozen=True):
    """A session that began."""

    session_id: str
    capabilities: Capabilities


class Context(Base, frozen=True):
    """A tab."""

    context: str
    url: str = ""
    client_window: str = ""
    original_opener: str | None = None


class Tree(Base, frozen=True):
    """All tabs, in the order of windows and then of tabs."""

    contexts: tuple[Context, ...]


class ClientWindow(Base, frozen=True):
    """A window; `active` is the one that has the person's attention."""

    client_window: str
    active: bool = False


class ClientWindows(Base, frozen=True):
    """The windows."""

    client_windows: tuple[ClientWindow, ...]


class InContext(Base, frozen=True):
    """Something about one tab, or within one."""

    context: str = ""


class Navigated(Base, frozen=True):
    """What came of going to an address."""

    navigation: str | None = None
    url: str = ""


class Navigation(Base, frozen=True):
    """Something about the page that a tab is going to."""

    context: str = ""
    navigation: str | None = None
    url: str = ""


class Prompt(Base, frozen=True):
    """A question that a page asks."""

    context: str
    type: str
    message: str = ""


class Value(Base, frozen=True):
    """A value in a page."""

    type: str
    value: Any = None
    handle: str = ""


class Stack(Base, frozen=True):
    """Where in a script something was; nowhere where none ran yet."""

    call_frames: tuple[msgspec.Raw, ...] = ()


class Thrown(Base, frozen=True):
    """What a script ended with."""

    text: str = ""
    stack_trace: Stack = Stack()


class Ran(Base, frozen=True):
    """What a script came to, and in which world it ran."""

    realm: str = ""
    result: Value = Value("undefined")
    exception_details: Thrown | None = None


class Picture(Base, frozen=True):
    """A picture, as base64."""

    data: str


class Intercept(Base, frozen=True):
    """Requests that wait to be let through or stopped."""

    intercept: str


class Request(Base, frozen=True):
    """What a page asks for."""

    request: str
    url: str = ""


class Asked(Base, frozen=True):
    """A request on its way; one that is blocked waits for what becomes of it."""

    request: Request
    is_blocked: bool = False
