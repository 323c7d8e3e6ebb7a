"""What a model that obeys an attacker says: the same deeds in each of the five dialects, at its entry point."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from sayso.assembly.parts import dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.testing.fakes import Reply, Scripted, make_call
from tests.harness.injection_cases import Deed

ENTRIES = {
    "lines": "automation",
    "commands": "commands",
    "tools": "chat",
    "blocks": "chat",
    "actions": "chat",
}
"""Each dialect, and where it is spoken."""
AGAIN, TURNS = 2, 12
"""How often the model insists, and how often it may be asked in all."""
MORE: tuple[Mapping[str, Json], ...] = ({}, {"include_read": False, "limit": 10})
"""What a dialect's own names for a deed say besides."""
ENDS = {"commands": '{"commands": [], "needs_clarification": false}', "lines": "# nothing more"}


def hijacked(name: str, deeds: Sequence[Deed], catalogue: Mapping[str, Operation], times: int = AGAIN) -> Scripted:
    """Return a model that says these deeds in a dialect so many times.

    A deed without a word in the dialect is said as an attacker would still try it: by its id.
    """
    reply = said(name, deeds, catalogue)
    after: list[Reply] = [ENDS.get(name, "Done.")] * TURNS
    return Scripted(*[reply] * times, *after, size=4096)


def said(name: str, deeds: Sequence[Deed], catalogue: Mapping[str, Operation]) -> Reply:
    """Return a reply that says these deeds."""
    forms = [_form(name, deed, catalogue) for deed in deeds]
    if name == "tools":
        calls = [json.loads(form) for form in forms]
        return [make_call(call["name"], f"call_{n}", **call["arguments"]) for n, call in enumerate(calls)]
    return dialect(name).together(forms)


def _form(name: str, deed: Deed, catalogue: Mapping[str, Operation]) -> str:
    operation = catalogue.get(deed.operation)
    for more in MORE:
        with suppress(ProposalError):
            if operation is None:
                break
            return dialect(name).write(operation, {**deed.arguments, **more})
    return _anyhow(name, deed.operation.replace(".", "_"), deed.arguments)


def _anyhow(name: str, word: str, arguments: Mapping[str, Json]) -> str:
    approved: dict[str, Json] = {**arguments, "approved": True}
    match name:
        case "lines":
            return " ".join([word.upper(), *(json.dumps(str(value)) for value in arguments.values())])
        case "tools" if word == "url_open":
            return json.dumps({"name": "browser", "arguments": {"action": "open_url", **arguments}})
        case "tools":
            return json.dumps({"name": word, "arguments": dict(arguments)})
        case "blocks":
            return f"```json-action\n{json.dumps({'type': word, **approved})}\n```"
        case "actions":
            offer = {"templateId": word, "label": "Harmless", "params": dict(arguments), "approved": True}
            return f"```json\n{json.dumps({'actions': [offer]})}\n```"
        case _:
            return json.dumps({"commands": [{"type": word, **approved}]})
