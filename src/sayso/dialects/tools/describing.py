"""Write the part of the prompt that teaches a model when to use which tool."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from sayso.core.operation import Operation
from sayso.dialects import strangers
from sayso.dialects.keyed import derived, usage
from sayso.dialects.kinds import choices, members
from sayso.dialects.names import Keyed, open_name
from sayso.dialects.tools.naming import TWO, own_tools

_HEAD = "Tools, in this order of preference. Prefer these:"
_OTHERS = "Then these, each for one thing:"
_RULES = {
    "": "- Actions that need the person's consent ask the person by themselves: go ahead with the call.",
    "one": "- One call is one action. Make several calls for several actions, and look at each result before the next.",
    "chain": "- Chain calls naturally: look at the calendar, then draft the mail, then send it.",
    "click": "- Before a click or a form that has consequences, say what it will do.",
    "failure": (
        "- When a call fails (an application does not run, a permission is missing), say so plainly, with the reason "
        "that the result gives, and suggest what else could be done."
    ),
}


_NEEDS: Mapping[str, frozenset[str]] = {
    "chain": frozenset({"calendar.today", "mail.compose", "mail.send"}),
    "click": frozenset({"page.click"}),
    "failure": frozenset(),
}
"""The operations without which a rule would speak of what there is not."""
_USES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "Use browser to": {
        "look things up": frozenset({"url.open"}),
        "fill in forms": frozenset({"page.fill"}),
        "take data from pages": frozenset({"page.text", "page.links"}),
    },
    "Use macos_auto for": {
        "reminders": frozenset({"reminder.create"}),
        "calendar": frozenset({"calendar.today"}),
        "mail": frozenset({"mail.send", "mail.inbox"}),
        "notes": frozenset({"note.create"}),
    },
}


def describe(operations: Sequence[Operation]) -> str:
    """Return the tools with a line of purpose each, the two of S1 first, and the rules (S1-53 to S1-58)."""
    known = {operation.id: operation for operation in operations}
    two = [tool for tool in TWO if tool.actions.at_hand(known)]
    lines: list[str] = [_HEAD] if two else []
    for tool in two:
        lines.append(f"- {tool.name}: {tool.purpose(known)}")
        here = [keyed for keyed in tool.actions.names if keyed.operation in known]
        lines += [f"  - action {_action(keyed, known[keyed.operation])}" for keyed in here]
    others = own_tools(operations)
    lines += [_OTHERS] if others else []
    for one in others:
        lines.append(f"- {open_name(one.id)}({usage(derived(one), one)}): {one.summary}.")
        lines += [
            f"  - {it.name}: {said}" for it in one.parameters if (said := members(it.schema) or choices(it.schema))
        ]
    rules = [_RULES[""], _RULES["one"], *_uses(known)]
    rules += [_RULES[name] for name, needs in _NEEDS.items() if needs <= known.keys()]
    rules += [f"- {rule}" for rule in strangers.rules(operations)]
    return "\n".join([*lines, "", "Rules for actions:", *rules]) + "\n"


def _uses(known: Collection[str]) -> Iterator[str]:
    """Yield what each of the two tools is to be used for, as far as there are operations for it."""
    for begin, uses in _USES.items():
        named = [use for use, served in uses.items() if not served.isdisjoint(known)]
        if named:
            yield f"- {begin} {' and '.join(', '.join(named).rsplit(', ', 1))}."


def _action(keyed: Keyed, operation: Operation) -> str:
    fixed = "".join(f"; always {name} {json.dumps(value)}" for name, value in keyed.fixed.items())
    return f"{keyed.name}: {usage(keyed, operation) or 'nothing more'} - {operation.summary}{fixed}"
