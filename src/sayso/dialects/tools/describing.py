"""Write the part of the prompt that teaches a model when to use which tool."""

import json
from collections.abc import Sequence

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
    "browser": "- Use browser to look things up, fill in forms, and take data from pages.",
    "macos_auto": "- Use macos_auto for reminders, calendar, mail and notes.",
    "both": "- Chain calls naturally: look at the calendar, then draft the mail, then send it.",
    "click": "- Before a click or a form that has consequences, say what it will do.",
    "failure": (
        "- When a call fails (an application does not run, a permission is missing), say so plainly, with the reason "
        "that the result gives, and suggest what else could be done."
    ),
}


def describe(operations: Sequence[Operation]) -> str:
    """Return the tools with a line of purpose each, the two of S1 first, and the rules (S1-53 to S1-58)."""
    known = {operation.id: operation for operation in operations}
    two = [tool for tool in TWO if tool.actions.at_hand(known)]
    lines: list[str] = [_HEAD] if two else []
    for tool in two:
        lines.append(f"- {tool.name}: {tool.purpose}")
        here = [keyed for keyed in tool.actions.names if keyed.operation in known]
        lines += [f"  - action {_action(keyed, known[keyed.operation])}" for keyed in here]
    others = own_tools(operations)
    lines += [_OTHERS] if others else []
    for one in others:
        lines.append(f"- {open_name(one.id)}({usage(derived(one), one)}): {one.summary}.")
        lines += [
            f"  - {it.name}: {said}" for it in one.parameters if (said := members(it.schema) or choices(it.schema))
        ]
    at_hand = {tool.name for tool in two}
    wanted = ["", "one", *sorted(at_hand, key=["browser", "macos_auto"].index)]
    wanted += ["both"] if len(at_hand) > 1 else []
    wanted += ["click"] if "page.click" in known else []
    rules = [_RULES[name] for name in (*wanted, "failure")] + [f"- {rule}" for rule in strangers.rules(operations)]
    return "\n".join([*lines, "", "Rules for actions:", *rules]) + "\n"


def _action(keyed: Keyed, operation: Operation) -> str:
    fixed = "".join(f"; always {name} {json.dumps(value)}" for name, value in keyed.fixed.items())
    return f"{keyed.name}: {usage(keyed, operation) or 'nothing more'} - {operation.summary}{fixed}"
