"""The prompts that a person may choose in their agent: one for each entry point, all of them carried out by tools."""

from types import MappingProxyType

import mcp_types as types
from mcp.shared.exceptions import MCPError

from sayso.core.quotes import quoted
from sayso.dialects.base import RULE
from sayso.surfaces.mcp.calls import OUTCOME

REQUEST = "request"
LONGEST = 10_000

_HOW = MappingProxyType(
    {
        "commands": "Do this now, with as few calls of sayso's tools as it takes. If it is not clear, ask.",
        "automation": """\
Work this out step by step: say in one line each what you are going to do, then do it with sayso's tools, one call at a
time. Look at each result before the next call, and stop at the first failure.""",
        "chat": """\
Answer this, and use sayso's tools where looking or acting helps. Say what you are going to do before you change
something.""",
    }
)
_TITLES = MappingProxyType(
    {"commands": "Do one thing", "automation": "Do several things in order", "chat": "Talk it over"}
)
PROMPTS = MappingProxyType(
    {
        name: types.Prompt(
            name=name,
            title=_TITLES[name],
            description=how,
            arguments=[types.PromptArgument(name=REQUEST, description="What you want, in your words", required=True)],
        )
        for name, how in _HOW.items()
    }
)
_RULES = (
    f"What needs the person's word asks them by itself: go ahead with the call. If a result says that it waits, tell "
    f"the person, and ask {OUTCOME} later. If a call fails, say so plainly, with the reason that the result gives."
)


def get_prompt(asked: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Return a prompt with the person's request in it.

    Raises `MCPError` if there is none of this name, or if it was not given a request alone.
    """
    prompt = PROMPTS.get(asked.name)
    if prompt is None:
        raise MCPError(
            types.INVALID_PARAMS, f"there is no prompt {quoted(asked.name)}; there are: {', '.join(PROMPTS)}"
        )
    given = asked.arguments or {}
    request = given.get(REQUEST, "")
    if given.keys() != {REQUEST} or not request.strip() or len(request) > LONGEST:
        raise MCPError(
            types.INVALID_PARAMS, f"{asked.name} takes {quoted(REQUEST)} alone, a text of 1 to {LONGEST:,} characters"
        )
    text = f"{request.strip()}\n\n{prompt.description}\n{_RULES}\n{RULE}"
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.title, messages=[message])
