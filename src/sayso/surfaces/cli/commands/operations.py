"""`sayso operations`: what a model may do here."""

import argparse
from collections.abc import Iterator, Mapping

from sayso.assembly.parts import providers
from sayso.assembly.wiring import kinds_of
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.provider import Provider
from sayso.policy.rules import allows
from sayso.policy.settings import Policy
from sayso.runtime.registry import unavailable
from sayso.surfaces.cli.context import Here, settings_of, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.text import columns, sentence, visible


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """List them."""
    settings, parts = settings_of(here), providers()
    missing = unavailable(parts, kinds_of(parts, settings), settings.environ)
    rows = [operation_json(one, part, settings.policy, missing) for part in parts for one in part.operations]
    if here.json:
        here.document({"operations": list(rows)})
    else:
        here.print(*_lines(rows, terminal_width(here)))
    return Exit.FINE


def operation_json(
    operation: Operation, provider: Provider, policy: Policy, missing: Mapping[str, str]
) -> dict[str, Json]:
    """Return one operation as JSON."""
    why = next((missing[store] for store in (*operation.stores, provider.store) if store in missing), None)
    return {
        "id": operation.id,
        "kind": operation.kind,
        "asks": operation.asks,
        "summary": operation.summary,
        "parameters": operation.schema,
        "outside": operation.outside,
        "enabled": allows(policy, operation.id),
        "available": why is None,
        "unavailable": why,
    }


def _lines(rows: list[dict[str, Json]], width: int) -> Iterator[str]:
    wide = max(columns(str(row["id"])) for row in rows) + 2
    yield f"{'operation':<{wide}}{'kind':<12} {'asks':<6} what it does"
    for row in rows:
        off = [] if row["enabled"] else ["switched off"]
        off += [] if row["available"] else ["not available here"]
        text = f"{row['summary']}" + (f" ({', '.join(off)})" if off else "")
        first = f"{row['id']!s:<{wide}}{row['kind']!s:<12} {row['asks']!s:<6} "
        yield from sentence(visible(text), width, first, " " * (wide + 20))


COMMAND = Command(
    configure,
    act,
    "sayso operations --json",
    "“mode” asks by policy.mode, “floor” and “click” in every mode; what a plan loses or sends can only raise that.",
)
