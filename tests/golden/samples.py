"""A sample of every step, fact and operation that there is, made from its declared fields and not from a list."""

from collections.abc import Mapping
from typing import Any

from msgspec import inspect

from sayso.assembly.parts import PROVIDERS
from sayso.core.operation import Operation
from sayso.core.plan import Codec, Fact, Step, facts_json, step_json
from sayso.policy.grants import definition
from sayso.runtime.registry import catalogue, codec
from tests.golden import oracle

Sample = dict[str, Any]
_PLAIN: Mapping[type, Any] = {inspect.IntType: 2**53 + 7, inspect.FloatType: 2.5, inspect.BoolType: True}


def steps() -> dict[str, Sample]:
    """Return what is pinned of each step, by its name."""
    known = codec(PROVIDERS)
    return {name: _step(known, known.steps[name]) for name in sorted(known.steps)}


def facts() -> dict[str, Sample]:
    """Return what is pinned of each fact, by its name."""
    known = codec(PROVIDERS)
    return {name: _fact(known, known.facts[name]) for name in sorted(known.facts)}


def operations() -> dict[str, dict[str, str]]:
    """Return the definition of each operation, by its version."""
    known = catalogue(PROVIDERS)
    return {name: dict([_version(known[name])]) for name in sorted(known)}


def _version(operation: Operation) -> tuple[str, str]:
    version, _, digest = definition(operation).partition(" ")
    return version, digest


def _step(known: Codec, cls: type[Step]) -> Sample:
    required, members = members_of(cls)
    whole = step_json(known.step({"step": cls.step, **members}))
    least = step_json(known.step({"step": cls.step, **{name: members[name] for name in required}}))
    return {
        "store": cls.store,
        "paths": list(cls.paths),
        "apps": list(cls.apps),
        "required": required,
        "least": least,
        "sample": whole,
        "digest": oracle.digest(whole),
    }


def _fact(known: Codec, cls: type[Fact]) -> Sample:
    required, members = members_of(cls)
    whole = facts_json(known.facts_of(_written(cls, members)))
    least = facts_json(known.facts_of(_written(cls, {name: members[name] for name in required})))
    return {"required": required, "least": least, "sample": whole, "digest": oracle.digest(whole)}


def _written(cls: type[Fact], members: Mapping[str, Any]) -> Sample:
    """Return the JSON of a fact that has these members; under its own name stands what it is about."""
    rest = {name: value for name, value in members.items() if name != "about"}
    about = f"{rest['of']} {members['about']}" if cls.fact == "as_left" else members["about"]
    return {cls.fact: {about: rest}}


def members_of(cls: type[Step | Fact]) -> tuple[list[str], Sample]:
    """Return the names of the fields that must be given, and a value for every field."""
    told = inspect.type_info(cls)
    fields: tuple[inspect.Field, ...] = getattr(told, "fields", ())
    return [field.name for field in fields if field.required], {field.name: _value(field) for field in fields}


def _value(field: inspect.Field) -> Any:
    return _of(field.type, field.name)


def _of(told: inspect.Type, name: str) -> Any:
    match told:
        case inspect.StrType():
            return f"{name} “ü” 🎉"
        case inspect.IntType() | inspect.FloatType() | inspect.BoolType():
            return _PLAIN[type(told)]
        case inspect.LiteralType():
            return told.values[0]
        case inspect.UnionType():
            return _of(next(one for one in told.types if not isinstance(one, inspect.NoneType)), name)
        case inspect.VarTupleType():
            return [_of(told.item_type, name), _of(told.item_type, f"{name} 2")]
        case inspect.TupleType():
            return [_of(one, name) for one in told.item_types]
        case _:
            raise TypeError(f"no sample can be made of {name}: {told}; write one into the golden file by hand")
