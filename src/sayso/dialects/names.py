"""The names that the sources gave to operations and their arguments, where they differ from the derived ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sayso.core.canonical import Json


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the line dialect: its arguments by position, in canonical names (section 9 of the specification).

    `needs` must be given, `may` can be left out from the end. `body` names the text that may also be
    given as a heredoc; nothing follows it then. `fixed` is what the name itself says.
    """

    name: str
    operation: str
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    body: str | None = None
    fixed: Mapping[str, Json] = field(default_factory=dict[str, Json])


LINES = (
    Command("MOVE_FILE", "file.move", ("source", "destination")),
    Command("COPY_FILE", "file.copy", ("source", "destination")),
    Command("DELETE_FILE", "file.delete", ("path",)),
    Command("CREATE_FOLDER", "file.mkdir", ("path",)),
    Command("OPEN_FILE", "file.open", ("path",), may=("app",)),
    Command("REVEAL_IN_FINDER", "file.reveal", ("path",)),
    Command("WRITE_FILE", "file.write", ("path", "content"), body="content"),
    Command("WRITE_DOC", "file.write", ("path", "content"), body="content"),
    Command("APPEND_FILE", "file.append", ("path", "content"), body="content"),
    Command("SEND_EMAIL", "mail.compose", ("to", "subject", "body"), body="body"),
    Command("OPEN_URL", "url.open", ("url",), fixed={"browser": "default"}),
    Command("COPY_TO_CLIPBOARD", "clipboard.write", ("text",), body="text"),
    Command("OPEN_APP", "app.open", ("name",)),
    Command("QUIT_APP", "app.quit", ("name",)),
    Command("ACTIVATE_APP", "app.activate", ("name",), fixed={"launch_if_needed": False}),
    Command("NOTIFY", "notify.show", ("title", "message"), may=("sound",), body="message"),
    Command("SPEAK", "speech.say", ("text",), body="text"),
    Command("SET_VOLUME", "sound.set_volume", ("level",)),
    Command("DO_NOT_DISTURB", "focus.set_dnd", ("state",)),
    Command("RUN_SHORTCUT", "shortcut.run", ("name",), may=("input",), body="input"),
    Command("CREATE_EVENT", "calendar.create_event", ("title", "start", "end")),
    Command("CREATE_REMINDER", "reminder.create", ("title",), may=("due",)),
)

DROPS_FINAL_NEWLINE = frozenset({"clipboard.write", "notify.show", "shortcut.run", "speech.say"})
"""Operations whose heredoc loses one final newline; all others keep it (T-09)."""


def open_name(operation: str) -> str:
    """Return the name that an open dialect derives from an operation's id: `task.add` → `task_add`."""
    return operation.replace(".", "_")
