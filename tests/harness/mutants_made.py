"""Make every small change to a file's code that a test should notice, one after the other."""

import ast
from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any, cast

from tests.harness.mutants_rules import changes, passed_over
from tests.harness.mutants_swap import shape

LONGEST = 200
"""A statement longer than this is told by the changed expression alone."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Name:
    """What a mutant is called in the list: it stays the same while the statement that it changes does."""

    file: str
    function: str
    was: str
    becomes: str
    nth: int = 1


@dataclass(frozen=True)
class Mutant:
    """One change to one file; nothing is changed before `code` is called."""

    name: Name
    line: int
    lines: range
    """The lines of the statement."""
    in_function: bool
    """Whether it changes what happens when a function is called, not what happens when the file is imported."""
    tree: ast.Module = field(compare=False, repr=False)
    parent: ast.AST = field(compare=False, repr=False)
    slot: tuple[str, int | None] = field(compare=False)
    node: ast.AST = field(compare=False, repr=False)

    def code(self, path: Path) -> CodeType:
        """Return the compiled file with this change, and leave the tree as it was."""
        old = _put(self.parent, self.slot, self.node)
        try:
            return compile(self.tree, str(path), "exec", dont_inherit=True)
        finally:
            _put(self.parent, self.slot, old)

    def __str__(self) -> str:
        """Return one line for a person."""
        name = self.name
        where = f"{name.file}:{self.line} {name.function or '(file)'}"
        return f"{where}: {name.was!r} → {name.becomes!r}" + (f" (nth {name.nth})" if name.nth > 1 else "")


@dataclass(frozen=True)
class _Place:
    function: str = ""
    in_function: bool = False
    head: ast.AST | None = None


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """Return every mutant of a file, in the order of its lines."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    seen: Counter[Name] = Counter()
    made: list[Mutant] = []
    unchanged = shape(compile(tree, file, "exec", dont_inherit=True))
    for place, parent, slot, old in _slots(tree, _Place()):
        for new in changes(old, parent, slot, in_function=place.in_function):
            ast.fix_missing_locations(ast.copy_location(new, old))
            name = _named(file, place, parent, slot, new)
            if name.was == name.becomes:
                continue
            seen[name] += 1
            name = Name(name.file, name.function, name.was, name.becomes, seen[name])
            lines = _lines(place.head)
            line = getattr(old, "lineno", lines.start)
            mutant = Mutant(name, line, lines, place.in_function, tree, parent, slot, new)
            # Where nothing follows, to go on is to return: that is no change.
            if not isinstance(old, (ast.Return, ast.Continue)) or shape(mutant.code(Path(file))) != unchanged:
                made.append(mutant)
    return made


def _slots(node: ast.AST, place: _Place) -> Iterator[tuple[_Place, ast.AST, tuple[str, int | None], ast.AST]]:
    """Yield each place where a node stands, with the function and statement around it."""
    for name, value in ast.iter_fields(node):
        if passed_over(node, name):
            continue
        inner = _entered(place, node, name)
        items = cast("list[object]", value if isinstance(value, list) else [value])
        for index, item in enumerate(items):
            if isinstance(item, ast.AST):
                here = _headed(inner, item)
                yield here, node, (name, index if isinstance(value, list) else None), item
                yield from _slots(item, here)


def _entered(place: _Place, node: ast.AST, name: str) -> _Place:
    """Return the place inside a definition; what stands beside a function's body happens at import."""
    if not isinstance(node, _DEFINING) or name != "body":
        return place
    function = f"{place.function}.{node.name}" if place.function else node.name
    return _Place(function, place.in_function or not isinstance(node, ast.ClassDef), place.head)


def _headed(place: _Place, item: ast.AST) -> _Place:
    if isinstance(item, (ast.stmt, ast.ExceptHandler, ast.match_case)):
        return _Place(place.function, place.in_function, item)
    return place


def _named(file: str, place: _Place, parent: ast.AST, slot: tuple[str, int | None], new: ast.AST) -> Name:
    old = _put(parent, slot, new)
    becomes = _head(new if old is place.head else place.head)
    short = _text(new)
    _put(parent, slot, old)
    was = _head(place.head)
    if len(was) > LONGEST:
        was, becomes = _text(old), short
    return Name(file, place.function, was, becomes)


def _head(node: ast.AST | None) -> str:
    """Return a statement without the blocks that hang from it."""
    if node is None:
        return ""
    bare = copy(node)
    for block in _BLOCKS:
        if isinstance(getattr(bare, block, None), list):
            setattr(bare, block, [])
    return _text(bare)


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _put(parent: ast.AST, slot: tuple[str, int | None], new: ast.AST) -> ast.AST:
    """Put a node into its place and return what stood there."""
    name, index = slot
    held = getattr(parent, name)
    if index is None:
        setattr(parent, name, new)
        return held
    old = held[index]
    held[index] = new
    return old


def _lines(node: Any) -> range:
    """Return the lines of a statement without the blocks that hang from it."""
    first: int = getattr(node, "lineno", 0) or node.pattern.lineno
    body: list[ast.stmt] = getattr(node, "body", [])
    last: int = body[0].lineno - 1 if body else getattr(node, "end_lineno", first)
    return range(first, max(first, last) + 1)
