"""The names of operations and arguments in the sources S0 to S4, and how an object with them is read and written."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct, field

from sayso.core.dialect import Event, ProposalEvent
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.lazy import load
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects.json import NotStrict, Span, Whole, strip_fence


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


_WORDS = {"integer": "whole number", "number": "number", "boolean": "true | false"}


def kind(schema: Mapping[str, Json]) -> str:
    """Return a short description of the values that a schema allows, such as `whole number` or `[text, …]`."""
    if "enum" in schema:
        return " | ".join(f'"{item}"' for item in cast("list[Json]", schema["enum"]) if item is not None)
    if "anyOf" in schema:
        options = cast("list[Mapping[str, Json]]", schema["anyOf"])
        return " | ".join(kind(option) for option in options if option.get("type") != "null")
    if schema.get("type") == "array":
        items, count = kind(cast("Mapping[str, Json]", schema.get("items", {}))), schema.get("minItems")
        exact = isinstance(count, int) and count == schema.get("maxItems")
        return "[" + ", ".join([items] * cast("int", count)) + "]" if exact else f"[{items}, …]"
    if schema.get("type") == "object":
        return members(schema) or "object"
    return _WORDS.get(str(schema.get("type")), "text")


def choices(schema: Mapping[str, Json]) -> str:
    """Return the values that a schema lists; empty if it does not list its values."""
    options = cast("list[Mapping[str, Json]]", schema.get("anyOf", ()))
    return kind(schema) if any("enum" in option for option in (schema, *options)) else ""


def members(schema: Mapping[str, Json]) -> str:
    """Return the named members of an object schema, with `?` after optional ones; empty if it names none."""
    for option in cast("list[Mapping[str, Json]]", schema.get("anyOf", ())):
        if found := members(option):
            return found
    properties = cast("Mapping[str, Mapping[str, Json]]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    named = [f'"{name}"{"" if name in required else "?"}: {kind(value)}' for name, value in properties.items()]
    return "{" + ", ".join(named) + "}" if named else ""


LONGEST_NAME = 80
"""How many characters of a name a message repeats at most."""


class Vocabulary(Struct, frozen=True):
    """The names of one dialect. If it is `open`, an operation that has no name among `names` has a derived one.

    `selector` is the key of an object whose value is the name, such as `type` or `action`.
    """

    names: Sequence[Keyed]
    selector: str
    open: bool = False

    def find(self, name: str, operations: Mapping[str, Operation]) -> Keyed | None:
        """Return the entry for a name; None if it is unknown or its operation is not available."""
        named = next((keyed for keyed in self.names if keyed.name == name), None)
        if named is None and self.open:
            operation = operations.get(operation_of_name(name))
            named = (
                derive_keyed(operation, self.selector)
                if operation is not None and open_name(operation.id) == name
                else None
            )
        return named if named is not None and named.operation in operations else None

    def name_of(self, id_: str) -> str:
        """Return the dialect's own name for an operation, or else its derived name; empty if it has neither."""
        named = (keyed.name for keyed in self.names if keyed.operation == id_)
        return next(named, open_name(id_) if self.open else "")

    def at_hand(self, operations: Mapping[str, Operation]) -> list[str]:
        """Return the names whose operations are available; derived names are not included."""
        return [keyed.name for keyed in self.names if keyed.operation in operations]


class Place(Struct, frozen=True):
    """Where an object is in a reply: its number among the proposals, its text, and its line, or None if unknown."""

    index: int
    said: str
    line: int | None = None


def places(text: str, spans: Iterable[Span], line: int, first: int = 0) -> Iterator[Place]:
    """Yield the place of each object in a text, numbered from `first`; `line` is the line on which the text begins."""
    at = 0
    for index, (start, end) in enumerate(spans, first):
        line += text.count("\n", at, start) - text.count("\n", start, at)  # counts only from the previous object on
        at = start
        yield Place(index, text[start:end].strip(), line)


def derive_keyed(operation: Operation, selector: str = "") -> Keyed:
    """Return the derived name of an operation; its keys are the canonical names of the arguments.

    If an argument is named like the selector, its key gets a prefix: the `type` of `notify.show` becomes `notify_type`.
    """
    domain = operation.id.partition(".")[0]
    keys = {
        f"{domain}_{parameter.name}" if parameter.name == selector else parameter.name: parameter.name
        for parameter in operation.parameters
    }
    return Keyed(open_name(operation.id), operation.id, keys)


def unknown(place: Place, problem: Problem, label: str | None = None) -> Proposal:
    """Return an invalid proposal for an object that could not be understood; `problem` says why."""
    return Proposal(place.index, place.said, line=place.line, label=label, problem=problem.sentence, code=problem.code)


class WholeReader(ABC):
    """Reads a reply that is one JSON document, and returns all its events when the text has ended."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self._operations = operations
        self._meaning: Any = load("sayso.dialects.suggestions:NameMeanings")(operations)
        self._text = Whole()

    @abstractmethod
    def read(self, document: str, line: int) -> Iterator[Event]:
        """Yield the events of a document that begins on this line. Raises `NotStrict` if it cannot be read."""

    @abstractmethod
    def explain(self, document: str, wrong: str) -> str:
        """Return what is wrong with a document that cannot be read, and how it would be right."""

    def feed(self, chunk: str) -> list[Event]:
        """Take the next piece of text; all events are returned by `close`."""
        self._text.add(chunk)
        return []

    def close(self) -> list[Event]:
        """End the text; return the events of the document, or an invalid proposal that says why it cannot be read."""
        text = self._text.take()
        if not text.strip():
            return []
        document, line = strip_fence(text)
        try:
            return list(self.read(document, line))
        except NotStrict as wrong:
            problem = Problem(wrong.code, self.explain(document, wrong.sentence))
            return [ProposalEvent(unknown(Place(0, text, 1), problem))]


def read_proposal(
    place: Place,
    keyed: Keyed,
    members: Mapping[str, Json],
    operations: Mapping[str, Operation],
    label: str | None = None,
) -> Proposal:
    """Return the proposal for an object with a known name; `members` are its arguments under the dialect's own keys."""
    operation = operations[keyed.operation]
    arguments, problems = _canonical(keyed, members)
    clean, wrong = operation.check(arguments)
    problems += [_reword_problem(problem, keyed) for problem in wrong]
    if keyed.within:
        problems += _narrower(keyed, clean)
    if not wrong and _lacks_one(keyed, clean):
        keys = " or ".join(f"“{_key(keyed, name)}”" for name in keyed.one_of)
        problems.append(Problem("arguments.missing", f"{keyed.name} needs {keys}"))
    return Proposal(
        place.index,
        place.said,
        operation.id,
        arguments if problems else clean,
        line=place.line,
        label=label,
        problem=", and ".join([problem.sentence for problem in problems]) or None,
        code=problems[0].code if problems else None,
        given=(keyed.name, usage(keyed, operation)),
    )


def write_keyed(keyed: Keyed, operation: Operation, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments under the dialect's own keys. Raises `ProposalError` if this name cannot express them."""
    clean, problems = operation.check(arguments)
    if problems:
        raise ProposalError(problems[0].sentence, problems[0].code)
    defaults = {parameter.name: parameter.default for parameter in operation.parameters}
    keys = {canonical: key for key, canonical in reversed(list(keyed.keys.items()))}
    for name, value in {**keyed.fixed, **keyed.unless}.items():
        if name not in clean or (name in keyed.fixed and clean[name] != value):
            said = clean.get(name, defaults.get(name))
            raise ProposalError(
                f"{keyed.name} always means {name} {value!r}; {said!r} has no form here", "dialect.unsayable"
            )
    missing = [name for name in clean if name not in keys and name not in keyed.fixed]
    if missing:
        raise ProposalError(f"{keyed.name} cannot say “{missing[0]}”", "dialect.unsayable")
    if _lacks_one(keyed, clean) or _narrower(keyed, clean):
        raise ProposalError(f"{keyed.name} takes less than {operation.id} does", "dialect.unsayable")
    return {keys[name]: value for name, value in clean.items() if name in keys}


def usage(keyed: Keyed, operation: Operation) -> str:
    """Return the keys of a name for a message: “app_name, monitor?, bounds?”."""
    free = {parameter.name for parameter in operation.parameters if not parameter.required}
    return ", ".join([f"{key}?" if keyed.keys[key] in free else key for key in _distinct(keyed)])


def shape(keyed: Keyed, operation: Operation, selector: str) -> str:
    """Return the form of an object with this name: each value is described by a word, and `?` follows optional keys.

    Example: `{"type": "file_open", "path": text, "app"?: text}`
    """
    parameters = {parameter.name: parameter for parameter in operation.parameters}
    members = [f'"{selector}": "{keyed.name}"']
    for key in _distinct(keyed):
        parameter = parameters[keyed.keys[key]]
        members.append(f'"{key}"{"" if parameter.required else "?"}: {kind(parameter.schema)}')
    return "{" + ", ".join(members) + "}"


def _distinct(keyed: Keyed) -> list[str]:
    """Return the keys of a name; if an argument has several keys, only the first of them."""
    if len(set(keyed.keys.values())) == len(keyed.keys):
        return list(keyed.keys)
    first: dict[str, str] = {}
    for key, name in keyed.keys.items():
        first.setdefault(name, key)
    return list(first.values())


def _canonical(keyed: Keyed, members: Mapping[str, Json]) -> tuple[dict[str, Json], list[Problem]]:
    arguments: dict[str, Json] = {}
    problems: list[Problem] = []
    for key, value in members.items():
        name = keyed.keys.get(key)
        if name is None:
            takes = f"it takes {', '.join(keyed.keys)}" if keyed.keys else "it takes nothing"
            sentence = f"{keyed.name} does not take “{key[:LONGEST_NAME]}”; {takes}"
            problems.append(Problem("arguments.unknown", sentence, key))
        elif name in arguments:
            problems.append(Problem("arguments.surplus", f"“{name}” is given twice; write it once", name))
        else:
            arguments[name] = value
    return {**keyed.unless, **arguments, **keyed.fixed}, problems


def _reword_problem(problem: Problem, keyed: Keyed) -> Problem:
    key = _key(keyed, problem.argument)
    sentence = problem.sentence.replace(f"“{problem.argument}”", f"“{key}”")
    if problem.other:
        sentence = sentence.replace(f"“{problem.other}”", f"“{_key(keyed, problem.other)}”")
    return Problem(problem.code, sentence.replace(f"{keyed.operation} needs", f"{keyed.name} needs"), key)


def _lacks_one(keyed: Keyed, clean: Mapping[str, Json]) -> bool:
    return bool(keyed.one_of) and not any(name in clean for name in keyed.one_of)


def _narrower(keyed: Keyed, clean: Mapping[str, Json]) -> list[Problem]:
    out: list[Problem] = []
    for name, (low, high) in keyed.within.items():
        value = cast("int | None", clean.get(name))
        if value is not None and not low <= value <= high:
            key = _key(keyed, name)
            out.append(Problem("arguments.type", f"“{key}” must be a whole number from {low} to {high}", key))
    return out


def _key(keyed: Keyed, name: str) -> str:
    return next((key for key, canonical in keyed.keys.items() if canonical == name), name)
