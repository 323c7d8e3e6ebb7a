"""The page of all error codes, read from the source: each code with the sentences that stand beside it."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tools.pages.markdown import code, page, prose, table
from tools.trees import parsed

SOURCE = Path(__file__).parents[2] / "src" / "sayso"


_CODE = re.compile(r"[a-z_]+\.[a-z_]+")
_ALONE = frozenset(
    {"unavailable", "expired", "declined", "stopped", "interrupted", "settled", "unknown", "bug", "usage"}
)
_RAISES = re.compile(r"(Error|Refused|Uncertain|Stale|Problem)$")
_SAYS = frozenset(
    {
        "deny",
        "end",
        "Verdict",
        "Opinion",
        "changed_error",
        "path_changed_error",
        "thing_changed_error",
        "Reply",
        "Requirement",
        "explain_odd_world",
        "marked",
        "report_problem",
        "_report_problem",
    }
)


def written() -> str:
    """Return the page."""
    rows = [
        (code(name), ", ".join(sorted(rooms)), "<br>".join(sorted(says))) for name, (rooms, says) in found().items()
    ]
    return page("Error codes", prose("errors.md"), table(("code", "room", "sentences"), rows))


def found() -> dict[str, tuple[set[str], set[str]]]:
    """Return each code with the rooms it arises in and what is said with it, by name."""
    codes: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for file in sorted(SOURCE.rglob("*.py")):
        room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room in {"testing", "__init__"}:
            continue
        for name, says in codes_in(file.read_text("utf-8")):
            codes[name][0].add(room)
            codes[name][1].update(says)
    return dict(sorted(codes.items()))


def codes_in(source: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each code in a source with the sentences beside it."""
    tree = parsed(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    seen: set[ast.AST] = set()
    for around in [*functions, tree]:
        for call in ast.walk(around):
            if isinstance(call, ast.Call) and call not in seen and _is_a_no(call.func):
                seen.add(call)
                yield from _codes_of(call, around)


def _codes_of(call: ast.Call, around: ast.AST) -> Iterator[tuple[str, set[str]]]:
    parts = [*call.args, *(word.value for word in call.keywords)]
    codes = [text for part in parts if (text := _constant(part)) is not None and _is_code(text)]
    says = {said for part in parts for said in _said(part, around) if " " in said}
    return ((one, says) for one in codes)


def _said(part: ast.expr, around: ast.AST) -> list[str]:
    """Return what a part of a call says, also where it was given a name in the same function before."""
    if not isinstance(part, ast.Name):
        return [said for said in [sentence(part)] if said is not None]
    assigned = [node for node in ast.walk(around) if isinstance(node, ast.Assign)]
    named = [node.value for node in assigned if any(isinstance(t, ast.Name) and t.id == part.id for t in node.targets)]
    return [said for value in named if (said := sentence(value)) is not None]


def _is_a_no(called: ast.expr) -> bool:
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return _RAISES.search(name) is not None or name in _SAYS


def _is_code(text: str) -> bool:
    return _CODE.fullmatch(text) is not None or text in _ALONE


def _constant(part: ast.expr) -> str | None:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else None


def sentence(part: ast.expr) -> str | None:
    """Return a text with `…` for what is put in when it is said; None for what is no text."""
    if isinstance(part, ast.JoinedStr):
        pieces = [_constant(piece) or "…" for piece in part.values]
        return re.sub(r"…+", "…", "".join(pieces))
    text = _constant(part)
    return text and re.sub(r"\{(module|error)\}", "…", text)  # of a `Requirement`
