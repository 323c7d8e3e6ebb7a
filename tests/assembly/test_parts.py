"""What sayso is made of here agrees with itself."""

import pytest

from sayso.assembly.parts import DIALECTS, PROVIDERS, dialect, providers
from sayso.core.errors import SetupError
from sayso.core.later import Later
from sayso.core.provider import Provider
from sayso.dialects.names import LINES as COMMANDS
from sayso.runtime.catalogue import catalogue

OPERATIONS = catalogue(providers())


def test_every_step_and_fact_has_a_name_of_its_own() -> None:
    for kind in ("steps", "facts"):
        names = [getattr(part, kind[:-1]) for provider in providers() for part in getattr(provider, kind)]
        twice = {name for name in names if names.count(name) > 1}
        assert not twice, kind


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.store)
def test_what_a_provider_names_is_what_stands_there(provider: Provider) -> None:
    kinds = {"id": provider.operations, "step": provider.steps, "fact": provider.facts}
    for name, parts in kinds.items():
        assert isinstance(parts, Later), name
        assert list(parts.names) == [getattr(part, name) for part in parts]


def test_every_step_names_a_store_that_there_is() -> None:
    stores = {provider.store for provider in providers()}

    assert {step.store for provider in providers() for step in provider.steps} <= stores


@pytest.mark.parametrize("provider", providers(), ids=lambda provider: provider.store)
def test_every_operation_looks_at_stores_that_there_are(provider: Provider) -> None:
    stores = {part.store for part in providers()}

    for operation in provider.operations:
        assert set(operation.stores) <= stores, operation.id


@pytest.mark.req("S0-66", "T-12", "T-39")
def test_every_command_of_the_line_dialect_means_an_operation_and_its_arguments() -> None:
    assert len(COMMANDS) == 22
    for command in COMMANDS:
        parameters = {parameter.name: parameter for parameter in OPERATIONS[command.operation].parameters}
        said = (*command.needs, *command.may, *command.fixed)
        required = {name for name, parameter in parameters.items() if parameter.required}
        assert required <= set(said) <= set(parameters), command
        assert command.body is None or parameters[command.body].kind == "text", command


def test_an_unknown_dialect_is_named_with_those_there_are() -> None:
    with pytest.raises(SetupError, match=f"there are: {', '.join(DIALECTS)}"):
        dialect("prose")


def test_every_operation_says_what_it_is_in_a_sentence() -> None:
    for operation in OPERATIONS.values():
        assert operation.summary[0].isupper(), operation.id
        assert len(operation.summary) < 120, operation.id
        assert all(parameter.schema for parameter in operation.parameters), operation.id
