"""Read the file of one action without running it: its `config` as plain data, and that it has a `handler`."""

import ast
from collections.abc import Mapping

from sayso.core.canonical import digest
from sayso.core.errors import SetupError
from sayso.templates.definition import Template, configured, secrets_of

NEEDS = "missing config or handler"
_TAKES = 2


def read_template(file: str, source: str, helpers: Mapping[str, str]) -> Template:
    """Return the action in a file. Raises `SetupError` with one sentence that names the file and what is wrong.

    Nothing of the file is run: `config` is taken as it stands there, a mapping of plain values.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as odd:
        where = f"line {odd.lineno}: {odd.msg}" if isinstance(odd, SyntaxError) else str(odd) or "it is nested too deep"
        raise SetupError(f"Invalid action template {file}: it cannot be read: {where}", "template.invalid") from None
    value, handler = _config(tree), _handler(tree)
    if value is None or handler is None:
        raise SetupError(f"Invalid action template {file}: {NEEDS}", "template.invalid")
    _must_take_two(file, handler)
    try:
        given = ast.literal_eval(value)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        raise SetupError(
            f"Invalid action template {file}: “config” must be written out as a mapping of plain values "
            f"(line {value.lineno}); it is read without running the file",
            "template.invalid",
        ) from None
    read, parameters = configured(file, given)
    return Template(
        file, read.id, read.name, read.description, read.icon, parameters, secrets_of(read), source, dict(helpers),
        code_of(source, helpers),
    )  # fmt: skip


def code_of(source: str, helpers: Mapping[str, str]) -> str:
    """Return the hash of the code of an action: its file and all the helpers that it may import."""
    return digest({"source": source, "helpers": dict(helpers)})


def _config(tree: ast.Module) -> ast.expr | None:
    found = None
    for node in tree.body:
        match node:
            case ast.Assign(targets=targets, value=value):
                if any(isinstance(one, ast.Name) and one.id == "config" for one in targets):
                    found = value
            case ast.AnnAssign(target=ast.Name(id="config"), value=ast.expr() as value):
                found = value
            case _:
                pass
    return found


def _handler(tree: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    found = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "handler":
            found = node
    return found


def _must_take_two(file: str, handler: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    given = handler.args
    names = [*given.posonlyargs, *given.args]
    needed = len(names) - len(given.defaults)
    keywords = any(default is None for default in given.kw_defaults)
    fits = needed <= _TAKES and (len(names) >= _TAKES or given.vararg is not None)
    if keywords or not fits:
        raise SetupError(
            f"Invalid action template {file}: “handler” must take two arguments, “params” and “context”",
            "template.invalid",
        )
