"""Make every small change to a file's code that a test should notice, and say what may replace a piece of code."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any, cast

from tests.harness.mutants_forks import shape

Slot = tuple[str, int | None]

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_REVERSED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_PAIRS = ("any all", "min max", "startswith endswith", "partition rpartition", "lower upper", "lstrip rstrip")
_PAIRS_MORE = ("removeprefix removesuffix", "find rfind", "split rsplit", "match search", "fullmatch match")
_CALLED = {pair.split()[0]: pair.split()[1] for pair in (*_PAIRS, *_PAIRS_MORE)} | {
    pair.split()[1]: pair.split()[0] for pair in _PAIRS
}
_FROM_AN_END = 2
_INSTEAD = {"sorted": "list", "casefold": "lower"}
# What only types, or only the class that is made, can see.
_TYPES_ONLY = frozenset({"cast", "TypeVar", "ParamSpec", "NewType"})
_OF_CLASSES = frozenset({"frozen", "slots", "kw_only", "eq", "repr", "compare", "strict", "metaclass", "key"})
_BUILT_IN = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})
_PASSED_OVER = frozenset({"annotation", "returns", "decorator_list", "type_comment", "ctx", "op", "ops", "type_params"})


def passed_over(node: ast.AST, name: str) -> bool:
    """Say whether nothing is changed in this field: types, decorators, docstrings, exact words for types."""
    if name in _PASSED_OVER:
        return True
    if isinstance(node, ast.Call):
        return name in {"args", "keywords"} and _called(node) in _TYPES_ONLY
    if isinstance(node, ast.Subscript):
        return name == "slice" and isinstance(node.value, ast.Name) and _is_type(node.value.id)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_type(name: str) -> bool:
    """Say whether what stands in its brackets are types; `Annotated` says at run time what is taken."""
    return name in _BUILT_IN or (name[0].isupper() and not name.isupper() and name != "Annotated")


def changes(node: ast.AST, parent: ast.AST, slot: Slot, *, in_function: bool) -> Iterator[ast.AST]:
    """Yield what may stand instead of `node`."""
    if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and slot[0] == "test":
        yield from _negated(node)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        yield from _shorter(node, parent, in_function=in_function)
    if isinstance(node, ast.Return):
        yield from _returned(node, parent, slot)
    if isinstance(node, ast.Constant):
        yield from _constant(node, parent)
    rule = _RULES.get(type(node))
    if rule is not None:
        yield from rule(node)


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _negated(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr) and not isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        yield ast.UnaryOp(ast.Not(), node)


def _without(node: Any, name: str, index: int) -> Any:
    """Return a copy of the node whose list `name` lacks one."""
    bare = copy(node)
    kept = list(getattr(node, name))
    del kept[index]
    setattr(bare, name, kept)
    return bare


def _with(node: Any, **given: Any) -> Any:
    changed = copy(node)
    for name, value in given.items():
        setattr(changed, name, value)
    return changed


def _shorter(node: ast.Tuple | ast.List | ast.Set, parent: ast.AST, *, in_function: bool) -> Iterator[ast.AST]:
    """Leave out one of several, where they are a table, a choice, or what is caught."""
    chosen = isinstance(parent, (ast.Compare, ast.ExceptHandler)) or isinstance(node, ast.Set)
    constants = all(isinstance(item, ast.Constant) for item in node.elts)
    if isinstance(node.ctx if not isinstance(node, ast.Set) else ast.Load(), ast.Store) or len(node.elts) < 1 + chosen:
        return
    if (isinstance(parent, ast.Subscript)) or not (chosen or constants or not in_function):
        return
    for index in range(len(node.elts)):
        yield _without(node, "elts", index)


def _constant(node: ast.Constant, parent: ast.AST) -> Iterator[ast.AST]:
    if isinstance(parent, ast.keyword) and parent.arg in _OF_CLASSES:
        return
    match node.value:
        case bool():
            yield ast.Constant(not node.value)
        case int() | float():
            yield ast.Constant(node.value + 1)
        case bytes():
            yield ast.Constant(node.value + b"X")
        case str() if not _is_sentence(node, parent):
            yield ast.Constant("XX")
        case _:
            return


def _is_sentence(node: ast.Constant, parent: ast.AST) -> bool:
    """Say whether a text is words for a person, or what joins them: the tests of the surfaces hold those."""
    parts: list[ast.expr] = [node]
    if isinstance(parent, ast.JoinedStr):
        parts = parent.values
    if isinstance(parent, ast.IfExp) and not node.value:
        parts = [side for branch in (parent.body, parent.orelse) for side in getattr(branch, "values", [branch])]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(" " in text and len(text) > 1 for text in texts)


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for index, op in enumerate(node.ops):
        ops = list(node.ops)
        ops[index] = _COMPARED[type(op)]()
        yield _with(node, ops=ops)


def _of_both(node: ast.BoolOp) -> Iterator[ast.AST]:
    for index in range(len(node.values)):
        fewer = _without(node, "values", index)
        yield fewer if len(fewer.values) > 1 else fewer.values[0]


def _binary(node: ast.BinOp) -> Iterator[ast.AST]:
    if isinstance(node.op, (ast.BitOr, ast.BitAnd)) or _joins_text(node):
        yield from (side for side in (node.left, node.right) if not _words(side))
    elif type(node.op) in _REVERSED:
        yield _with(node, op=_REVERSED[type(node.op)]())


def _joins_text(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Add) and any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _words(side: ast.expr) -> bool:
    """Say whether the side that is kept says all that is left to say; the other was only words."""
    return isinstance(side, ast.Constant) and isinstance(side.value, str) and _is_sentence(side, side)


def _unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if not isinstance(node.operand, ast.Constant):
        yield node.operand


def _augmented(node: ast.AugAssign) -> Iterator[ast.AST]:
    yield ast.Pass()
    if type(node.op) in _REVERSED:
        yield _with(node, op=_REVERSED[type(node.op)]())


def _said(node: ast.Expr) -> Iterator[ast.AST]:
    if not isinstance(node.value, ast.Constant) and not _never(node):
        yield ast.Pass()


def _never(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _called(node.value) == "assert_never"


def _left_out(node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Pass()
    if isinstance(node, ast.Continue):
        yield ast.Break()


def _returned(node: ast.Return, parent: ast.AST, slot: Slot) -> Iterator[ast.AST]:
    empty = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    if not empty:
        if not isinstance(node.value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        return
    last = isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and slot[1] == len(parent.body) - 1
    if not last:
        yield ast.Pass()


def _held(node: ast.With | ast.AsyncWith) -> Iterator[ast.AST]:
    if all(item.optional_vars is None for item in node.items):
        yield ast.If(ast.Constant(True), node.body, [])


def _caught(node: ast.ExceptHandler) -> Iterator[ast.AST]:
    if not (len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and node.body[0].exc is None):
        yield _with(node, body=[ast.Raise()])


def _call(node: ast.Call) -> Iterator[ast.AST]:
    name = _called(node)
    if name in {"dataclass", "field", "zip"}:
        return
    for index, given in enumerate(node.keywords):
        if given.arg is not None and given.arg not in _OF_CLASSES:
            yield _without(node, "keywords", index)
    # To split everywhere is the same from both ends.
    other = None if name == "split" and len(node.args) < _FROM_AN_END else _CALLED.get(name) or _INSTEAD.get(name)
    if other and isinstance(node.func, ast.Name):
        yield _with(node, func=ast.Name(other, ast.Load()))
    elif other and isinstance(node.func, ast.Attribute):
        yield _with(node, func=_with(node.func, attr=other))


def _slice(node: ast.Slice) -> Iterator[ast.AST]:
    for part in ("lower", "upper", "step"):
        if getattr(node, part) is not None:
            yield _with(node, **{part: None})


def _filter(node: ast.comprehension) -> Iterator[ast.AST]:
    for index in range(len(node.ifs)):
        yield _without(node, "ifs", index)


def _table(node: ast.Dict) -> Iterator[ast.AST]:
    for index in range(len(node.keys)):
        yield _with(_without(node, "keys", index), values=[v for n, v in enumerate(node.values) if n != index])


def _case(node: ast.match_case) -> Iterator[ast.AST]:
    if not _never(node.body[0]):
        yield _with(node, guard=ast.Constant(False))
    if node.guard is not None:
        yield _with(node, guard=None)


_RULES: dict[type[ast.AST], Callable[[Any], Iterator[ast.AST]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _of_both,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.AugAssign: _augmented,
    ast.Expr: _said,
    ast.Raise: _left_out,
    ast.Continue: _left_out,
    ast.Break: _left_out,
    ast.With: _held,
    ast.AsyncWith: _held,
    ast.ExceptHandler: _caught,
    ast.Call: _call,
    ast.Slice: _slice,
    ast.comprehension: _filter,
    ast.Dict: _table,
    ast.match_case: _case,
}


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
