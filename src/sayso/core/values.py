"""Frozen dataclasses that cost a tenth of Python's own to define, and are the same in everything else.

Python writes and compiles six functions for each of them, which takes longer than all else that a short command does.
Here fields and defaults are found by Python's own means, so that `fields`, `replace`, and subclasses of either kind see
no difference; what compares, shows and protects is shared, and `__init__` is compiled when the first value is made.
"""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, Literal

FIELDS, PARAMETERS = "__dataclass_fields__", "__dataclass_params__"
_TAKEN_OUT = frozenset({"__dict__", "__weakref__"})


def dataclass(*, frozen: Literal[True], slots: bool = False) -> Callable[[type[Any]], type[Any]]:
    """Do what `dataclasses.dataclass` does with these words."""

    def made(cls: type[Any]) -> type[Any]:
        inherited = _inherited(cls)
        alone = _alone(cls)
        for field in dataclasses.fields(alone):
            if isinstance(cls.__dict__.get(field.name), dataclasses.Field):
                delattr(cls, field.name)
                if field.default is not dataclasses.MISSING:
                    setattr(cls, field.name, field.default)
        setattr(cls, FIELDS, {**inherited, **getattr(alone, FIELDS)})
        setattr(cls, PARAMETERS, PARAMETERS_OF_ALL)
        return _with_methods(_slotted(cls) if slots else cls)

    return made


def _inherited(cls: type[Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        if FIELDS in base.__dict__:
            if not getattr(base, PARAMETERS).frozen:
                raise TypeError("cannot inherit frozen dataclass from a non-frozen one")
            fields.update(getattr(base, FIELDS))
    return fields


def _alone(cls: type[Any]) -> type[Any]:
    """Return a class with the fields that this one adds, and nothing else."""
    hints = inspect.get_annotations(cls)
    body = {name: cls.__dict__[name] for name in hints if name in cls.__dict__}
    # Without a docstring Python would look for the signature to write one, which takes longer than all the rest.
    said = {"__annotations__": hints, "__module__": cls.__module__, "__doc__": _alone.__doc__}
    return _bare(type(cls.__name__, (), {**body, **said}))


_bare = dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False)


@dataclasses.dataclass(frozen=True)
class _Nothing:
    """What Python's own says of a class that was made in this way."""


PARAMETERS_OF_ALL = getattr(_Nothing, PARAMETERS)


def _slotted(cls: type[Any]) -> type[Any]:
    """Return the class anew: it can have slots only from its beginning."""
    names = [field.name for field in dataclasses.fields(cls)]
    above = {slot for base in cls.__mro__[1:] for slot in base.__dict__.get("__slots__", ())}
    body = {name: value for name, value in cls.__dict__.items() if name not in {*_TAKEN_OUT, *names}}
    body |= {"__slots__": tuple(name for name in names if name not in above), "__qualname__": cls.__qualname__}
    body["__getstate__"], body["__setstate__"] = _state(names)
    metaclass: Any = type(cls)
    return metaclass(cls.__name__, cls.__bases__, body)


def _state(names: Sequence[str]) -> tuple[Callable[[Any], list[Any]], Callable[[Any, list[Any]], None]]:
    """Return how a value with slots is copied and pickled, which Python cannot do by itself when it is frozen."""

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def set_state(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return state, set_state


def _with_methods(cls: type[Any]) -> type[Any]:
    fields = dataclasses.fields(cls)
    shown = [field.name for field in fields if field.repr]
    compared = _key([field.name for field in fields if field.compare])

    def same(self: Any, other: object) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(compared(self))

    def said(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"

    def begin(self: Any, *given: Any, **named: Any) -> None:
        cls.__init__ = _compiled(cls, fields)
        self.__init__(*given, **named)

    methods = {
        "__match_args__": tuple(field.name for field in fields if field.init),
        "__init__": begin,
        "__setattr__": _frozen_set,
        "__delattr__": _frozen_delete,
    }
    own = {name for name, value in cls.__dict__.items() if value is not None}  # who has __eq__ alone has no __hash__
    methods |= {
        name: it for name, it in (("__repr__", said), ("__eq__", same), ("__hash__", hashed)) if name not in own
    }
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def _key(names: Sequence[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else type


def _frozen_set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _frozen_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _compiled(cls: type[Any], fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    """Return an `__init__` that takes these fields in their order."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    takes, does, defaults = ["self"], ["pass"], list[Any]()
    for field in fields:
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_{name}"] = field.default_factory
            value = f"_{name}() if {name} is _missing else {name}"
            defaults.append(dataclasses.MISSING)
        elif field.default is not dataclasses.MISSING:
            defaults.append(field.default)
        elif defaults:
            raise TypeError(f"non-default argument {name!r} follows default argument")
        takes.append(name)
        does.append(f"_set(self, {name!r}, {value})")
    module = compile(f"def __init__({', '.join(takes)}):\n " + "\n ".join(does), __file__, "exec")
    code = next(part for part in module.co_consts if isinstance(part, CodeType))
    made = FunctionType(code, known, "__init__", tuple(defaults))
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made
