"""Put a changed file in the place of the real one: into functions that are loaded already, or at its first import."""

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

Key = tuple[str, int]
"""A function's qualified name and its first line."""
Loaded = dict[str, dict[Key, list[FunctionType]]]
"""The functions of this process, by file."""


def loaded(files: Iterable[str]) -> Loaded:
    """Find every function made from these files, whoever holds it under whatever name."""
    found: Loaded = {file: {} for file in files}
    for thing in gc.get_objects():
        # Not `isinstance`, which asks what a weak proxy stands for, and that may be gone.
        if type(thing) is FunctionType and thing.__code__.co_filename in found:
            found[thing.__code__.co_filename].setdefault(_key(thing.__code__), []).append(thing)
    return found


def _key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of every function, class body and comprehension inside `code`."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


def swap(functions: dict[Key, list[FunctionType]], changed: CodeType) -> bool:
    """Give the loaded functions of a file the changed code; say whether that was all that changed."""
    fresh: dict[Key, CodeType] = {}
    for code in codes(changed):
        if _key(code) in fresh and _key(code) in functions:
            return False
        fresh[_key(code)] = code
    swapped = 0
    for key, held in functions.items():
        new = fresh.get(key)
        for function in held:
            if new is None or new.co_freevars != function.__code__.co_freevars:
                return False
            if shape(new) != shape(function.__code__):
                function.__code__ = new
                swapped += 1
    return swapped > 0


def shape(code: CodeType) -> tuple[object, ...]:
    """Return what a code does; two codes are not compared themselves, since those that ran are never equal."""
    constants = tuple(shape(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_exceptiontable


class Instead(importlib.abc.MetaPathFinder):
    """Gives one module changed code when it is imported."""

    def __init__(self, module: str, path: Path, code: CodeType) -> None:
        self._module = module
        self._loader = _Changed(module, str(path), code)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for that one module."""
        if fullname != self._module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._loader.path, loader=self._loader)


class _Changed(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, code: CodeType) -> None:
        super().__init__(fullname, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


def plant(file: str, path: Path, code: CodeType) -> str:
    """Let the module of this file be imported with changed code, and return its name; it must not be loaded yet."""
    module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if module in sys.modules:
        raise RuntimeError(f"{module} is loaded already")
    sys.meta_path.insert(0, Instead(module, path, code))
    return module
