"""The person's own actions as a prompt lists them: each with what it is for and what it takes (S3-85)."""

from pathlib import Path

from sayso.core.canonical import Json
from sayso.providers.talk.parameters import Parameter
from sayso.templates.library import load_library


def listed(folder: Path) -> list[Json]:
    """Return a row for each action in the folder now; what cannot be used there is not offered."""
    return [
        {
            "templateId": template.id,
            "name": template.name,
            "description": template.description,
            "params": {parameter.name: _parameter(parameter) for parameter in template.parameters},
        }
        for template in load_library(folder).templates
    ]


def _parameter(parameter: Parameter) -> dict[str, Json]:
    row: dict[str, Json] = {"type": parameter.type, "required": parameter.required}
    row |= {"description": parameter.description} if parameter.description else {}
    row |= {"enum": [*parameter.enum]} if parameter.enum else {}
    return row
