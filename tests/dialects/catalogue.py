"""Operations with the signatures of section 8 of the specification; none of them does anything."""

from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.operation import Operation, operation
from sayso.core.plan import Plan
from sayso.core.schema import AnyLine, Ids, Index, Line, Text, Url, UserPath, When

Browser = Literal["default", "safari", "chrome"]
Monitor = Literal["main", "left", "right"]
Volume = Annotated[int, Meta(ge=0, le=100)]
Bounds = Annotated[list[int], Meta(min_length=4, max_length=4)]
Hours = Annotated[float, Meta(gt=0)]
Indices = Annotated[list[Index], Meta(min_length=1)]


@operation("file.move", kind="destructive", asks="mode")
async def move(source: UserPath, destination: UserPath) -> Plan:
    """Move a file or folder."""
    return Plan(f"{source} {destination}")


@operation("file.copy", kind="write", asks="none")
async def copy(source: UserPath, destination: UserPath) -> Plan:
    """Copy a file or folder."""
    return Plan(f"{source} {destination}")


@operation("file.delete", kind="destructive", asks="floor")
async def delete(path: UserPath) -> Plan:
    """Put a file or folder into the Trash."""
    return Plan(path)


@operation("file.mkdir", kind="write", asks="none")
async def mkdir(path: UserPath) -> Plan:
    """Make a folder, and those above it."""
    return Plan(path)


@operation("file.open", kind="write", asks="none")
async def open_file(path: UserPath, app: Line | None = None) -> Plan:
    """Open a file."""
    return Plan(f"{path} {app}")


@operation("file.reveal", kind="read", asks="none")
async def reveal(path: UserPath) -> Plan:
    """Show a file in its folder."""
    return Plan(path)


@operation("file.write", kind="write", asks="none")
async def write(path: UserPath, content: Text) -> Plan:
    """Write a text file, replacing what is there."""
    return Plan(f"{path} {content}")


@operation("file.append", kind="write", asks="none")
async def append(path: UserPath, content: Text) -> Plan:
    """Add text at the end of a file."""
    return Plan(f"{path} {content}")


@operation("mail.compose", kind="write", asks="none")
async def compose(to: Line, subject: AnyLine, body: Text) -> Plan:
    """Open a filled-in mail for the person to send."""
    return Plan(f"{to} {subject} {body}")


@operation("url.open", kind="external", asks="none")
async def open_url(url: Url, browser: Browser = "default", *, new_tab: bool = True) -> Plan:
    """Open a web address."""
    return Plan(f"{url} {browser} {new_tab}")


@operation("clipboard.write", kind="write", asks="none")
async def clipboard(text: Text) -> Plan:
    """Put text on the clipboard."""
    return Plan(text)


@operation("app.open", kind="write", asks="none")
async def open_app(name: Line) -> Plan:
    """Open an application."""
    return Plan(name)


@operation("app.quit", kind="write", asks="none")
async def quit_app(name: Line) -> Plan:
    """Quit an application."""
    return Plan(name)


@operation("app.activate", kind="write", asks="none")
async def activate(name: Line, launch_if_needed: bool) -> Plan:
    """Bring an application to the front."""
    return Plan(f"{name} {launch_if_needed}")


@operation("app.place", kind="write", asks="none")
async def place(name: Line, monitor: Monitor | None = None, bounds: Bounds | None = None) -> Plan:
    """Place an application's window."""
    return Plan(f"{name} {monitor} {bounds}")


@operation("app.list", kind="read", asks="none")
async def list_apps() -> Plan:
    """List the running applications."""
    return Plan("")


@operation("notify.show", kind="write", asks="none")
async def notify(
    title: Line, message: Text, sound: Line | None = None, priority: Literal["low", "normal", "high"] | None = None
) -> Plan:
    """Show a notification."""
    return Plan(f"{title} {message} {sound} {priority}")


@operation("speech.say", kind="write", asks="none")
async def say(text: Text) -> Plan:
    """Speak a text aloud."""
    return Plan(text)


@operation("sound.set_volume", kind="write", asks="none")
async def set_volume(level: Volume) -> Plan:
    """Set the output volume."""
    return Plan(str(level))


@operation("focus.set_dnd", kind="write", asks="none")
async def set_dnd(state: Literal["ON", "OFF"]) -> Plan:
    """Turn do-not-disturb on or off."""
    return Plan(state)


@operation("shortcut.run", kind="external", asks="none")
async def shortcut(name: Line, input: Text | None = None) -> Plan:  # noqa: A002 - as the catalogue has it
    """Run a shortcut."""
    return Plan(f"{name} {input}")


@operation("calendar.create_event", kind="write", asks="none")
async def create_event(title: Line, start: When, end: When) -> Plan:
    """Create a calendar event."""
    return Plan(f"{title} {start} {end}")


@operation("reminder.create", kind="write", asks="none")
async def remind(title: Line, notes: Text | None = None, due: When | None = None) -> Plan:
    """Create a reminder."""
    return Plan(f"{title} {notes} {due}")


@operation("tab.close", kind="write", asks="none")
async def close_tabs(browser: Browser, indices: Indices) -> Plan:
    """Close tabs by their numbers."""
    return Plan(f"{browser} {indices}")


@operation("task.add", kind="write", asks="click")
async def add_task(text: Line) -> Plan:
    """Add a task."""
    return Plan(text)


@operation("habit.edit", kind="write", asks="click")
async def edit_habit(target: Line, new_text: Line | None = None, interval_hours: Hours | None = None) -> Plan:
    """Change a habit."""
    return Plan(f"{target} {new_text} {interval_hours}")


@operation("mail.add_label", kind="write", asks="click")
async def add_label(ids: Ids, label: Line) -> Plan:
    """Add a label to messages."""
    return Plan(f"{ids} {label}")


@operation("mail.search", kind="read", asks="none")
async def search(criteria: dict[str, str | int]) -> Plan:
    """Search mail."""
    return Plan(str(criteria))


@operation("note.create", kind="write", asks="none")
async def create_note(title: Line, body: Text | None = None, folder: Line | None = None) -> Plan:
    """Create a note."""
    return Plan(f"{title} {body} {folder}")


ALL = (
    move, copy, delete, mkdir, open_file, reveal, write, append, compose, open_url, clipboard, open_app, quit_app,
    activate, place, list_apps, notify, say, set_volume, set_dnd, shortcut, create_event, remind, close_tabs, add_task,
    edit_habit, add_label, search, create_note,
)  # fmt: skip

OPERATIONS: dict[str, Operation] = {found.id: found for found in ALL}
