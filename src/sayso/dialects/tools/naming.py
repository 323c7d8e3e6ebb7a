"""Which tool serves an operation: one of the two tools of S1 by an action, or a tool of its own."""

from collections.abc import Collection, Mapping, Sequence

from sayso.core.operation import Operation
from sayso.core.values import dataclass
from sayso.dialects import names
from sayso.dialects.keyed import Vocabulary, derived
from sayso.dialects.names import Keyed, closed_id, open_name


@dataclass(frozen=True)
class Tool:
    """One of the two tools of S1; each of its uses has the operations that serve it."""

    name: str
    about: str
    uses: Mapping[str, frozenset[str]]
    actions: Vocabulary

    def purpose(self, known: Collection[str]) -> str:
        """Return one line of purpose, which names no use that none of the known operations serves."""
        uses = [use for use, served in self.uses.items() if not served.isdisjoint(known)]
        return f"{self.about}: {', '.join(uses)}." if uses else f"{self.about}."


TWO = (
    Tool(
        "macos_auto",
        "Use the person's applications",
        {
            "open them": frozenset({"app.open"}),
            "notify": frozenset({"notify.show"}),
            "clipboard": frozenset({"clipboard.read", "clipboard.write"}),
            "calendar": frozenset({"calendar.today"}),
            "reminders": frozenset({"reminder.create"}),
            "notes": frozenset({"note.create"}),
            "mail": frozenset({"mail.send", "mail.inbox"}),
            "file manager": frozenset({"file.reveal"}),
        },
        Vocabulary(names.MACOS_AUTO, "action"),
    ),
    Tool(
        "browser",
        "Use the person's web browser",
        {
            "open pages": frozenset({"url.open"}),
            "read pages": frozenset({"page.text", "page.screenshot", "tab.title"}),
            "follow links": frozenset({"page.links", "page.click"}),
            "fill forms": frozenset({"page.fill"}),
            "switch tabs": frozenset({"tab.switch"}),
        },
        Vocabulary(names.BROWSER, "action"),
    ),
)

_SERVED = frozenset(keyed.operation for tool in TWO for keyed in tool.actions.names)


def tool_of(name: str) -> Tool | None:
    """Return one of the two tools of S1 by its name."""
    return next((tool for tool in TWO if tool.name == name), None)


def own_tool(name: str, operations: Mapping[str, Operation]) -> Keyed | None:
    """Return what a tool of its own stands for; an operation that one of the two serves has none."""
    operation = operations.get(closed_id(name))
    if operation is None or operation.id in _SERVED or open_name(operation.id) != name:
        return None
    return derived(operation)


def own_tools(operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations that are a tool of their own, in their order."""
    return [operation for operation in operations if operation.id not in _SERVED]


def called(id_: str) -> str:
    """Return how an operation is called: a tool of its own, or an action of one of the two of S1."""
    actions = (f"the action {name} of {tool.name}" for tool in TWO if (name := tool.actions.called(id_)))
    return next(actions, open_name(id_))


def all_names(operations: Mapping[str, Operation]) -> list[str]:
    """Return the names of all tools at hand."""
    two = [tool.name for tool in TWO if tool.actions.at_hand(operations)]
    return two + [open_name(operation.id) for operation in own_tools(list(operations.values()))]
