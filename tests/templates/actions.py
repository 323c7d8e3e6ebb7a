"""Actions of a person's own, for tests, and a world that serves their handlers."""

import os
import textwrap
from collections.abc import Mapping

from msgspec.structs import replace

from sayso.assembly.parts import providers
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.operation import Operation
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.registry import catalogue
from sayso.runtime.system import RandomIds
from sayso.templates.definition import ActionTemplate, read_template
from sayso.templates.runner import HandlerLimits, HandlerRun, HandlerServices, run_handler

CONFIG = """
config = {"id": "tidy", "name": "Tidy up", "description": "Tidies up.",
          "parameterSchema": {"type": "object", "properties": {}}}
"""
MESSAGE: Mapping[str, Json] = {
    "message_id": "<1@x>", "from_address": "ana@x.org", "subject": "Hi", "body_text": "Text",
    "received_at": "2026-01-01",
}  # fmt: skip


def action(handler: str, **helpers: str) -> ActionTemplate:
    """Return an action with this code."""
    return read_template("tidy-up.py", CONFIG + textwrap.dedent(handler), helpers)


class Asked:
    """Answers what looks with one message, and remembers what was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Mapping[str, Json]]] = []

    async def __call__(self, operation: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        """Answer."""
        self.calls.append((operation, arguments))
        if operation == "mail.query":
            raise ProviderError("the mail server does not answer", "mail.away")
        return {"messages": [] if arguments.get("id") == "none" else [MESSAGE], "text": "forty-two"}


async def handled(
    template: ActionTemplate,
    asked: Asked | None = None,
    *,
    serves: bool = True,
    params: Mapping[str, Json] | None = None,
    more: Mapping[str, Operation] | None = None,
    **bounds: float,
) -> HandlerRun:
    """Run a handler, which may ask for `more` than there is here."""
    given = {"a": 1} if params is None else params
    serving = services(asked, serves=serves, **bounds)
    serving = replace(serving, operations={**serving.operations, **(more or {})})
    return await run_handler(template, given, "session_xyz", serving)


def services(asked: Asked | None = None, *, serves: bool = True, **bounds: float) -> HandlerServices:
    """Return what serves a handler; `bounds` are limits by their names."""
    limits = HandlerLimits(**{name: type(getattr(HandlerLimits(), name))(value) for name, value in bounds.items()})
    runner = ProgramRunner({**os.environ, "SAYSO_SECRET": "s3cret"}, RandomIds())
    return HandlerServices(runner, catalogue(providers()), asked or Asked(), lambda _: serves, limits)


def body(*lines: str) -> str:
    """Return a handler with these lines, and a result that is fine."""
    return "\n".join(
        [
            "def handler(params, context):",
            *(f"    {line}" for line in lines),
            "    return {'success': True, 'message': 'ok'}",
        ]
    )
