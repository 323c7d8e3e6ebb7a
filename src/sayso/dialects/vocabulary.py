"""The names of operations and arguments in the sources S0 to S4, where they differ from the derived names."""

from collections.abc import Mapping

from msgspec import Struct, field

from sayso.core.encoding import Json


class LineCommand(Struct, frozen=True):
    """One command of the line dialect; its arguments have canonical names, in order (specification, section 9).

    The arguments in `needs` are required. Those in `may` are optional, and may be left out from the end. `body` names
    the argument that may be given as a heredoc; no other argument can follow it. `fixed` has the arguments that the
    name implies.
    """

    name: str
    operation: str
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    body: str | None = None
    fixed: Mapping[str, Json] = field(default_factory=dict[str, Json])


LINES = (
    LineCommand("MOVE_FILE", "file.move", ("source", "destination")),
    LineCommand("COPY_FILE", "file.copy", ("source", "destination")),
    LineCommand("DELETE_FILE", "file.delete", ("path",)),
    LineCommand("CREATE_FOLDER", "file.mkdir", ("path",)),
    LineCommand("OPEN_FILE", "file.open", ("path",), may=("app",)),
    LineCommand("REVEAL_IN_FINDER", "file.reveal", ("path",)),
    LineCommand("WRITE_FILE", "file.write", ("path", "content"), body="content"),
    LineCommand("WRITE_DOC", "file.write", ("path", "content"), body="content"),
    LineCommand("APPEND_FILE", "file.append", ("path", "content"), body="content"),
    LineCommand("SEND_EMAIL", "mail.compose", ("to", "subject", "body"), body="body"),
    LineCommand("OPEN_URL", "url.open", ("url",), fixed={"browser": "default"}),
    LineCommand("COPY_TO_CLIPBOARD", "clipboard.write", ("text",), body="text"),
    LineCommand("OPEN_APP", "app.open", ("name",)),
    LineCommand("QUIT_APP", "app.quit", ("name",)),
    LineCommand("ACTIVATE_APP", "app.activate", ("name",), fixed={"launch_if_needed": False}),
    LineCommand("NOTIFY", "notify.show", ("title", "message"), may=("sound",), body="message"),
    LineCommand("SPEAK", "speech.say", ("text",), body="text"),
    LineCommand("SET_VOLUME", "sound.set_volume", ("level",)),
    LineCommand("DO_NOT_DISTURB", "focus.set_dnd", ("state",)),
    LineCommand("RUN_SHORTCUT", "shortcut.run", ("name",), may=("input",), body="input"),
    LineCommand("CREATE_EVENT", "calendar.create_event", ("title", "start", "end")),
    LineCommand("CREATE_REMINDER", "reminder.create", ("title",), may=("due",)),
)

DROPS_FINAL_NEWLINE = frozenset({"clipboard.write", "notify.show", "shortcut.run", "speech.say"})
"""Operations whose heredoc loses one final newline; all others keep it (T-09)."""


def open_name(operation: str) -> str:
    """Return the derived name of an operation, which is made from its id: `task.add` → `task_add`."""
    return operation.replace(".", "_")


class Keyed(Struct, frozen=True):
    """One name of a dialect; `keys` maps the key of each argument to its canonical name (specification, section 9).

    `fixed` has the arguments that the name implies, and `unless` the values that apply if their keys are left out. At
    least one of the arguments in `one_of` must be given. `within` gives narrower limits for a number than the operation
    has. All of these use canonical names.
    """

    name: str
    operation: str
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    fixed: Mapping[str, Json] = field(default_factory=dict[str, Json])
    unless: Mapping[str, Json] = field(default_factory=dict[str, Json])
    one_of: tuple[str, ...] = ()
    within: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])


_SAFARI: Mapping[str, Json] = {"browser": "safari"}
_CHROME: Mapping[str, Json] = {"browser": "chrome"}

MACOS_AUTO = (
    Keyed("open_app", "app.open", {"app_name": "name"}),
    Keyed("notify", "notify.show", {"title": "title", "body": "message"}),
    Keyed("clipboard_read", "clipboard.read"),
    Keyed("clipboard_write", "clipboard.write", {"body": "text", "text": "text"}),
    Keyed("calendar_today", "calendar.today"),
    Keyed("reminder_add", "reminder.create", {"title": "title", "body": "notes", "due_date": "due"}),
    Keyed("note_create", "note.create", {"title": "title", "body": "body", "folder": "folder"}),
    Keyed("mail_send", "mail.send", {"to": "to", "subject": "subject", "body": "body"}),
    Keyed(
        "mail_read",
        "mail.inbox",
        {"limit": "limit"},
        fixed={"include_read": False},
        unless={"limit": 10},
        within={"limit": (1, 50)},
    ),
    Keyed("finder_reveal", "file.reveal", {"path": "path"}),
)
"""The ten actions of the tool `macos_auto` (S1-20, T-45)."""

BROWSER = (
    Keyed("open_url", "url.open", {"url": "url", "new_tab": "new_tab"}, fixed=_SAFARI, unless={"new_tab": True}),
    Keyed("get_url", "tab.url"),
    Keyed("get_title", "tab.title"),
    Keyed("get_text", "page.text"),
    Keyed("get_links", "page.links"),
    Keyed("run_js", "page.run_js", {"js_code": "code"}),
    Keyed("click", "page.click", {"selector": "selector"}),
    Keyed("fill", "page.fill", {"selector": "selector", "value": "value"}),
    Keyed("screenshot", "page.screenshot"),
    Keyed("tabs", "tab.list", fixed=_SAFARI),
    Keyed("switch_tab", "tab.switch", {"tab_index": "index"}, fixed=_SAFARI),
)
"""The eleven actions of the tool `browser` (S1-36)."""

BLOCKS = (
    Keyed("add_task", "task.add", {"text": "text"}),
    Keyed("add_subtask", "task.add_subtask", {"parentText": "parent", "text": "text"}),
    Keyed("edit_task", "task.edit", {"taskText": "target", "newText": "new_text"}),
    Keyed("delete_task", "task.delete", {"taskText": "target"}),
    Keyed("complete_task", "task.complete", {"taskText": "target"}),
    Keyed("add_habit", "habit.add", {"text": "text", "repeatIntervalHours": "interval_hours"}),
    Keyed(
        "edit_habit",
        "habit.edit",
        {"habitText": "target", "newText": "new_text", "repeatIntervalHours": "interval_hours"},
        one_of=("new_text", "interval_hours"),
    ),
    Keyed("delete_habit", "habit.delete", {"habitText": "target"}),
    Keyed("log_habit", "habit.log", {"habitText": "target"}),
)
"""The types of a `json-action` block: the seven of S2 and two more."""

COMMANDS = (
    Keyed("list_apps", "app.list"),
    Keyed("focus_app", "app.activate", {"app_name": "name"}, fixed={"launch_if_needed": True}),
    Keyed(
        "place_app",
        "app.place",
        {"app_name": "name", "monitor": "monitor", "bounds": "bounds", "window": "window"},
        one_of=("monitor", "bounds"),
    ),
    Keyed("close_app", "app.quit", {"app_name": "name"}),
    Keyed("list_tabs", "tab.list", fixed=_CHROME),
    Keyed("switch_tab", "tab.switch", {"tab_index": "index"}, fixed=_CHROME),
    Keyed("open_url", "url.open", {"url": "url"}, fixed={"browser": "chrome", "new_tab": True}),
    Keyed("close_tab", "tab.close", {"tab_indices": "indices"}, fixed=_CHROME),
    Keyed("activate_preset", "layout.activate", {"preset_name": "preset"}),
    Keyed("query", "system.query", {"question": "question"}),
)
"""The ten types of the commands contract (S4-15)."""

KEYED = (*MACOS_AUTO, *BROWSER, *BLOCKS, *COMMANDS)
"""All names with arguments by key, of all dialects: each key is understood and each name suggested in any of them."""


def operation_of_name(name: str) -> str:
    """Return the id of the operation that a derived name stands for: `task_add` → `task.add`."""
    return name.replace("_", ".", 1)
