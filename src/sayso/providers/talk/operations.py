"""The operations of the talk store: chat messages, model calls, log lines, templates and questions."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from msgspec import Meta

from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, CannotUndo, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Line, Text, text_problem
from sayso.providers.talk.model import AddMessage, CallModel, RunTemplate, WriteLog
from sayso.providers.talk.store import Level, Role, Talk

SHOWN = 80
Prompt = Annotated[str, Meta(min_length=1, description="Text for the model.", extra={"kind": "text"})]
Tools = Annotated[
    list[Line], Meta(max_length=200, description="Names of the tools the model may use; none by default.")
]
Params = Annotated[dict[str, Any], Meta(description="The parameters that the action takes.")]
_FOLLOWING = ("suggestedActions", "refreshInbox")
Tokens = Annotated[int, Meta(ge=1, le=1_000_000, description="How long the reply may be, in tokens.")]


@operation("chat.add_message", kind="write", asks="click")
async def add_message(talk: Talk, role: Role, content: Text) -> Plan:
    """Put a message into the chat."""
    step = AddMessage(talk.new_id(), talk.session(), role, content)
    return Plan(
        f"Add to the chat, as {role}: {quoted(_short(content))}",
        (Change(step, undo=CannotUndo("a message stays in the chat once it was shown")),),
        said_when_done="Added to the chat",
        preview=content,
        data={"id": step.id},
    )


@operation("agent.call", kind="external", asks="click", outside=True, version=2)
async def call_agent(
    talk: Talk,
    prompt: Prompt,
    system_prompt: Prompt | None = None,
    tools: Tools | None = None,
    max_tokens: Tokens | None = None,
) -> Plan:
    """Ask the language model and return its answer."""
    names = tuple(dict.fromkeys(tools or ()))
    for name in names:
        if text_problem(name, "line"):
            raise ProposalError(f"a name in “tools” {text_problem(name, 'line')}", "arguments.characters")
        if not talk.may_look(name):
            raise ProposalError(
                f"{quoted(name)} in “tools” is no tool that only looks; a model that is asked here can change nothing",
                "agent.tool",
            )
    step = CallModel(talk.new_id(), prompt, system_prompt, names, max_tokens, talk.session())
    size = len(prompt) + len(system_prompt or "")
    may = f"The model may use: {', '.join(names)}" if names else ""
    return Plan(
        f"Ask the model {talk.model()}: {quoted(_short(prompt))}",
        (Change(step, undo=CannotUndo("what a model was told cannot be called back")),),
        said_when_done=f"Asked the model {talk.model()}",
        sends=(f"{size} characters to the model {talk.model()}",),
        warns=(may,) if may else (),
        preview=f"{system_prompt}\n\n{prompt}" if system_prompt else prompt,
        data={"id": step.id},
    )


@operation("log.write", kind="write", asks="mode")
async def write_log(talk: Talk, message: Text, level: Level = "info") -> Plan:
    """Write a line into the log."""
    step = WriteLog(talk.new_id(), level, message, talk.session())
    return Plan(
        f"Write into the log ({level}): {quoted(_short(message))}",
        (Change(step, undo=CannotUndo("a line stays in the log as it was written")),),
        said_when_done="Wrote into the log",
        preview=message,
        data={"id": step.id},
    )


@operation("system.query", kind="read", asks="none", outside=True, version=2)
async def query(talk: Talk, question: Line) -> Answer:
    """Answer a question from what is known here: tabs, applications, files, projects and history."""
    text = await talk.answer(question)
    return Answer(f"Answered {quoted(_short(question))}", {"text": text}, text)


@operation("template.list", kind="read", asks="none")
async def list_templates(talk: Talk) -> Answer:
    """List the person's own actions."""
    found = await talk.templates()
    rows = [{"id": one.id, "name": one.name, "description": one.description} for one in found]
    if not found:
        return Answer("No actions of your own", {"templates": rows, "text": ""}, "There are no actions of your own.")
    text = "\n".join(f"{one.id}: {one.description or one.name}" for one in found)
    return Answer(
        f"{len(found)} action{'s' if len(found) > 1 else ''} of your own", {"templates": rows, "text": text}, text
    )


@operation("template.run", kind="external", asks="click", version=2)
async def run_template(
    talk: Talk,
    instance_id: Line | None = None,
    session_id: Line | None = None,
    template_id: Line | None = None,
    params: Params | None = None,
) -> Plan | Answer:
    """Run one of the person's own actions.

    It is named by “template_id”, with its “params”, or by the “instance_id” with which it was offered before.
    """
    session_id = session_id or talk.session()
    if instance_id is None:
        if template_id is None:
            raise ProposalError(
                "name an action with “template_id” and “params”, or one that was offered with “instance_id”",
                "arguments.missing",
            )
        return _run("", session_id, template_id)
    instance = await talk.instance(instance_id, session_id)
    if instance is None:
        raise ProviderError("Action instance not found", "instance.not_found")
    stored = await talk.result(instance_id, session_id)
    if stored is not None:
        return _stored_result(stored)
    known = await talk.templates()
    if all(template.id != instance.template_id for template in known):
        names = ", ".join(template.id for template in known) or "none"
        raise ProviderError(
            f'Template "{instance.template_id}" not found. Available templates: {names}',
            "template.not_found",
            tuple(Candidate(template.id) for template in known),
        )
    return _run(instance_id, session_id, instance.template_id)


def _run(instance_id: str, session_id: str, template_id: str) -> Plan:
    """Return the plan to run an action, which only a simulated home carries out."""
    why = "an action as a whole cannot be taken back; its single steps can, in the history"
    return Plan(
        f"Run the action {quoted(template_id)}",
        (Change(RunTemplate(instance_id, session_id, template_id), undo=CannotUndo(why)),),
        said_when_done=f"Ran the action {quoted(template_id)}",
        data={"instance_id": instance_id, "template_id": template_id},
    )


def _stored_result(stored: Mapping[str, Json]) -> Answer:
    """Return the answer for an offer that has ended. Raises `ProviderError` if it failed."""
    message = str(stored.get("message"))
    if not stored.get("success"):
        raise ProviderError(message, "action.failed")
    data = cast("Mapping[str, Json]", stored.get("data") or {})
    following = {name: stored[name] for name in _FOLLOWING if stored.get(name) is not None}
    return Answer(message, {**data, **following})


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
