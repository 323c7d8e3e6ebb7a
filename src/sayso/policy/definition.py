"""The digest of an operation's definition, by which it is known that what it does was changed."""

from types import CodeType
from typing import cast

from sayso.core.canonical import Json, digest
from sayso.core.operation import Operation


def definition(operation: Operation) -> str:
    """Return the digest of name, kind, approval rule, arguments, docstring and code of an operation."""
    parameters: list[Json] = [
        [parameter.name, parameter.required, repr(parameter.default), parameter.kind, dict(parameter.schema)]
        for parameter in operation.parameters
    ]
    code = getattr(operation.function, "__code__", None)
    return digest(
        {
            "id": operation.id,
            "kind": operation.kind,
            "asks": operation.asks,
            "outside": operation.outside,
            "reach": operation.reach,
            "said": operation.said,
            "stores": list(operation.stores),
            "parameters": parameters,
            "module": operation.function.__module__,
            "code": _code(code) if isinstance(code, CodeType) else repr(type(operation.function)),
        }
    )


def _code(code: CodeType) -> Json:
    names = [list(code.co_names), list(code.co_varnames), list(code.co_freevars)]
    return [code.co_code.hex(), *names, [_constant(value) for value in code.co_consts]]


def _constant(value: object) -> Json:
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, frozenset):
        # Its order differs from process to process.
        return sorted(repr(item) for item in cast("frozenset[object]", value))
    if isinstance(value, tuple):
        return [_constant(item) for item in cast("tuple[object, ...]", value)]
    return repr(value)
