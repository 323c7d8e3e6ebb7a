"""Envelopes of actions as the one value that the rest of sayso plugs in."""

import json
from collections.abc import Mapping, Sequence
from functools import partial

from sayso.core.canonical import Json
from sayso.core.dialect import Dialect, Reader
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.dialects import prose
from sayso.dialects.actions import describing
from sayso.dialects.actions.envelope import TAG, read_document, read_fence
from sayso.dialects.fenced import FencedReader


class Actions:
    """S3: instances of the person's templates, beside text."""

    name: str

    def __init__(self) -> None:
        self.name = "actions"

    def reader(self, operations: Mapping[str, Operation]) -> Reader:
        """Return a reader that offers actions only where `template.run` is among these operations."""
        return FencedReader(
            {TAG: (self.name, partial(read_fence, operations=operations))},
            (self.name, partial(read_document, operations=operations)),
        )

    def describe(self, operations: Sequence[Operation]) -> str:
        """Return the prompt section that teaches a model to offer actions."""
        return describing.describe(operations)

    def write(self, operation: Operation, arguments: Mapping[str, Json]) -> str:
        """Raise `ProposalError`: an action names a template, and `write_instance` writes one."""
        raise ProposalError(f"no action says {operation.id}; actions run templates", "dialect.unsayable")

    def write_instance(self, template_id: str, params: Mapping[str, Json]) -> str:
        """Return the fenced envelope that names this action of the person's own, without a label."""
        return write_instance(template_id, params)

    def remark(self, text: str) -> str:
        """Return the words as text around the envelopes."""
        return prose.remark(text)

    def together(self, parts: Sequence[str]) -> str:
        """Return a reply with these envelopes and words."""
        return prose.prose(parts)


def write_instance(template_id: str, params: Mapping[str, Json], label: str = "", style: str = "") -> str:
    """Return the fenced envelope that offers one instance of a template; what is empty is left out."""
    said = {name: value for name, value in (("label", label), ("style", style)) if value}
    instance = {"templateId": template_id, "params": dict(params), **said}
    return describing.fenced(json.dumps({"actions": [instance]}, ensure_ascii=False))


ACTIONS: Dialect = Actions()
