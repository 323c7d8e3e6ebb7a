"""Write what was proposed in the words of its dialect, the person's own actions among it."""

from collections.abc import Mapping

from sayso.core.canonical import Json
from sayso.core.dialect import Dialect, Instances
from sayso.core.operation import Operation


def told(dialect: Dialect, operation: Operation, arguments: Mapping[str, Json], template_id: str | None) -> str:
    """Return the text that reads back as this; raises `ProposalError` for what the dialect cannot say."""
    if template_id is not None and isinstance(dialect, Instances):
        return dialect.write_instance(template_id, arguments)
    return dialect.write(operation, arguments)
