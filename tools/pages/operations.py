"""The page of all operations, from their names, docstrings and signatures."""

import json
from collections.abc import Iterator, Mapping

from sayso.assembly.parts import PROVIDERS
from sayso.core.encoding import Json
from sayso.core.operation import Operation, Parameter
from sayso.core.provider import Provider
from sayso.core.schema import describe_expected
from sayso.dialects.lines.grammar import Forms, all_forms
from tools.pages.markdown import code, page, prose, table


def written() -> str:
    """Return the page."""
    everything = [operation for provider in PROVIDERS for operation in provider.operations]
    forms = all_forms(everything)
    return page(
        "Operations", prose("operations.md"), *(part for provider in PROVIDERS for part in _provider(provider, forms))
    )


def _reach(provider: Provider) -> str:
    """Return the table of what each step of a provider may let leave the machine."""
    rows = [(code(step.step), step.reach.said) for step in provider.steps]
    return table(("step", "what may leave this machine"), rows)


def _not_fixed(provider: Provider) -> str:
    return "without a setting: what your session has" if provider.finds else "not set up by default"


def _provider(provider: Provider, forms: Forms) -> Iterator[str]:
    kinds = ", ".join(code(kind) for kind in sorted(provider.backends))
    by_default = f"without a setting: {code(provider.default)}" if provider.default else _not_fixed(provider)
    yield f"## {provider.store}"
    yield f"Served by: {kinds} ({by_default})."
    for operation in provider.operations:
        yield from _operation(operation, forms)
    yield f"### What the steps of {provider.store} let leave"
    yield _reach(provider)


def _operation(operation: Operation, forms: Forms) -> Iterator[str]:
    yield f"### {operation.id}"
    yield operation.said
    marks = [f"kind {code(operation.kind)}", f"asks {code(operation.asks)}"]
    marks += ["outside text"] if operation.outside else []
    marks += ["anywhere in your home"] if operation.reach == "home" else []
    usages = " or ".join(code(form.usage) for form in forms.values() if form.operation is operation)
    yield f"{', '.join(marks)}; written {usages}"
    if operation.parameters:
        yield table(("argument", "is", "without it", "about"), [_row(parameter) for parameter in operation.parameters])


def _row(parameter: Parameter) -> tuple[str, str, str, str]:
    without = "needed" if parameter.required else _default(parameter.default)
    return code(parameter.name), describe_expected(parameter.schema), without, _about(parameter.schema)


def _default(value: Json) -> str:
    return "nothing" if value is None else code(json.dumps(value, ensure_ascii=False))


def _about(schema: Mapping[str, Json]) -> str:
    return str(schema.get("description", ""))
