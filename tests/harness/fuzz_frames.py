"""Put wishes into the forms that a dialect has for them: alone, several, in fences, in messages, between prose."""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

PROSE = (
    "",
    "Sure.",
    "Here is *what* I would do:\n\n",
    "日本 é 😀\n",
    "# Plan\n\n\n\n- `one`\n- two\n",
    "> quoted\n\n",
    "a ``` b\n",
)
CODE = (
    "```py\nprint(1)\n```\n", "~~~\n```json-action\n{}\n```\n~~~\n", "````md\n```json\n[1]\n```\n````\n",
    '```json\n{"a": [1, 2]}\n```\n', "```json5\n{}\n```\n", "```\n\n\n\n```\n", "`x` ``y`` ~~~~ z\n",
    "> ```json-action\n> {}\n> ```\n", "```json-action x\n{}\n```\n", "```json-actions\n{}\n```\n", "```json", "``",
    "```\n\r```n\n", "~~~\n\r~~~\n",
)  # fmt: skip
FENCES = ("```", "```", "```", "~~~", "````")
REASONS = (None, "Which one?", "é")
WRONG = (
    '"commands": {}',
    '"needs_clarification": "yes"',
    '"clarification_reason": 5',
    '"commands": [[], 1]',
    '"why": 0',
)


class Frames:
    """Puts JSON objects of a dialect into its forms."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def of(self, name: str, objects: Sequence[str]) -> str:
        """Return a reply that holds these objects, each the JSON of one wish of the dialect."""
        return FORMS[name](self, objects)

    def blocks(self, objects: Sequence[str]) -> str:
        """Write a chat reply: a block for each object, or one for all."""
        draw = self._random
        if len(objects) > 1 and draw.random() < 0.3:
            return self._prose() + self._fenced("json-action", f"[{', '.join(objects)}]") + self._prose()
        parts = [self._prose()]
        for one in objects:
            parts += [self._fenced("json-action", one), self._prose()]
        return "".join(parts)

    def actions(self, objects: Sequence[str]) -> str:
        """Write an envelope: fenced, or as the whole reply, alone or beside its content."""
        draw = self._random
        listed = f'"actions": [{", ".join(objects)}]'
        kind = draw.randrange(5)
        if kind == 0:
            return f"{{{listed}}}"
        if kind == 1:
            return f'{{"type": "actions", {listed}}}'
        if kind == 2:
            return f'{{"content": {json.dumps(self._prose(), ensure_ascii=draw.random() < 0.5)}, {listed}}}'
        return self._prose() + self._fenced("json", f"{{{listed}}}") + self._prose()

    def commands(self, objects: Sequence[str]) -> str:
        """Write the contract of commands: bare or in a code fence."""
        draw = self._random
        asks = draw.random() < 0.1
        document = f'"commands": [{", ".join(objects)}]'
        if draw.random() < 0.8:
            document += f', "needs_clarification": {json.dumps(asks)}'
        if draw.random() < 0.8:
            document += f', "clarification_reason": {json.dumps(draw.choice(REASONS))}'
        if draw.random() < 0.05:
            document = draw.choice((document, '"commands": []')) + ", " + draw.choice(WRONG)
        return self._whole(f"{{{document}}}" if draw.random() < 0.98 else draw.choice(("[]", "{}", "", " ", "3")))

    def tools(self, objects: Sequence[str]) -> str:
        """Write calls in any of the forms that interfaces return them in; each object has `name` and `arguments`."""
        calls: list[dict[str, Any]] = [json.loads(one) for one in objects]
        draw = self._random
        match draw.randrange(8):
            case 0 | 1:
                made: Any = calls[0]
            case 2:
                made = calls
            case 3:
                made = [_used(call, n) for n, call in enumerate(calls)]
            case 4:
                made = {
                    "role": "assistant",
                    "content": draw.choice(REASONS),
                    "tool_calls": [_function(call) for call in calls],
                }
            case 5:
                said = [
                    {"type": draw.choice(["text", "output_text"]), "text": "é"},
                    {"type": "thinking", "thinking": "…"},
                ]
                made = {"role": "assistant", "content": [*said, *(_used(call, n) for n, call in enumerate(calls))]}
            case 6:
                said = {"type": "message", "content": draw.choice([None, "hi", [{"text": "x"}, "y"]])}
                items = [
                    {"type": "function_call", "call_id": "c", "status": "completed", **_string(call)} for call in calls
                ]
                made = [{"type": "reasoning"}, said, *items]
            case _:
                made = _function(calls[0])
        return self._whole(json.dumps(made, ensure_ascii=draw.random() < 0.3, indent=draw.choice([None, None, 1])))

    def _whole(self, document: str) -> str:
        draw = self._random.random()
        if draw < 0.7:
            return document
        return f"\n```json\n{document}\n```\n" if draw < 0.9 else f"~~~\n{document}\n~~~"

    def _fenced(self, tag: str, text: str) -> str:
        draw = self._random
        fence, end = draw.choice(FENCES), draw.choice(["\n", "\n", "\n", "\r\n"])
        close = end if draw.random() < 0.9 else draw.choice(["", " ", end + end])
        closing = fence if draw.random() < 0.95 else draw.choice(["", fence + fence[0], fence[:2]])
        before = draw.choice(["", "", "", "", "  ", "So: ", "\t", "> "])
        blanks = [draw.choice(("", "", "", " ")) for _ in range(2)]
        return "".join([before, fence, blanks[0], tag, blanks[1], end, text, close, closing, end])

    def _prose(self) -> str:
        draw = self._random
        return draw.choice(PROSE) if draw.random() < 0.8 else draw.choice(CODE)


def _string(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": call["name"], "arguments": json.dumps(call["arguments"])}


def _function(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": _string(call)}


def _used(call: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": call["name"], "input": call["arguments"]}


FORMS: Mapping[str, Callable[[Frames, Sequence[str]], str]] = {
    "blocks": Frames.blocks,
    "actions": Frames.actions,
    "commands": Frames.commands,
    "tools": Frames.tools,
}
