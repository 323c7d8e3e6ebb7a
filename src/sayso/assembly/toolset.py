"""sayso's tools for a program that calls a language model; they are used beside the program's own tools."""

import json
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial

from msgspec import Struct

from sayso.assembly.home import Home
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation
from sayso.core.ports import Approver
from sayso.dialects.tool_schemas import Form, Schema, schemas
from sayso.dialects.tools import all_names, answer, arguments_of, progress
from sayso.runtime.results import Report, result_json

Arguments = Mapping[str, Json] | str
"""Arguments as the API of a model gives them: an object, or the JSON text of one."""


class Called(Struct, frozen=True):
    """The result of one call: the text to return to the model, and the report of the run."""

    text: str
    success: bool
    report: Report


class Toolset:
    """The tools of one conversation; each call is one action, handled like any other (S1-05, S1-34).

    All calls belong to `session`, or to a new session if none is named, so that policy can ask before a later call
    sends data if an earlier call read text of strangers. Questions are put to `approver`; without one, actions wait.
    `beside` are the names of the program's own tools; `SetupError` is raised if one of sayso's tools has the same name
    as one of them.
    """

    def __init__(
        self,
        home: Home,
        *,
        session: str = "",
        approver: Approver | None = None,
        beside: Collection[str] = (),
        system: str = sys.platform,
    ) -> None:
        self._home = home
        self._system = system
        self._session = session or f"tools_{home.tools.ids.token()}"
        self._approver = approver
        taken = sorted(set(beside) & set(self.names))
        if taken:
            raise SetupError(
                f"a tool of yours has the same name as one of sayso's: {', '.join(taken)}; give yours another name",
                "tools.taken",
            )

    @property
    def _operations(self) -> dict[str, Operation]:
        return {operation.id: operation for operation in self._home.enabled_operations()}

    @property
    def names(self) -> list[str]:
        """Return the names of the tools that the settings allow now."""
        return all_names(self._operations)

    def __contains__(self, name: object) -> bool:
        """Return whether a call is for one of these tools."""
        return name in self.names

    def schemas(self, form: Form = "anthropic") -> list[Schema]:
        """Return the tools in the form that the API of a model takes: `anthropic`, `openai` or `mcp`.

        Raises `SetupError` for any other form.
        """
        return schemas(self._home.enabled_operations(), form)

    def functions(self) -> dict[str, Callable[..., Awaitable[str]]]:
        """Return one function for each tool; it takes the arguments by name, and returns a text."""
        return {name: partial(self._function, name) for name in self.names}

    async def _function(self, name: str, /, **arguments: Json) -> str:
        return (await self.call(name, arguments)).text

    def progress(self, name: str, arguments: Arguments) -> str:
        """Return in words what a call is doing, for the person who waits for it; on macOS as S1-59 and S1-60 say."""
        return progress(name, arguments_of(arguments), self._operations, self._system)

    async def call(self, name: str, arguments: Arguments) -> Called:
        """Carry out one call and return the text for the model; a mistake in the call is answered with a text, too."""
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        report = await self._home.run(text, "tools", approver=self._approver, session=self._session, entry="library")
        notes = self._home.notes_for(self._home.read(text, "tools"), report)
        (outcome,), (given,) = report.outcomes, self._home.results_for(report)
        said = answer(result_json(outcome), given, next(iter(notes), None))
        return Called(said, bool(given["success"]), report)
