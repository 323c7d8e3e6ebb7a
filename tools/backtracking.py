"""Refuse regular expressions in src/ that can take more than linear time on some text."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.ambiguity import Mode, TooHard, slow

ROOT = Path(__file__).parent.parent
FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
ALL: frozenset[Mode] = frozenset({"match", "fullmatch", "search"})
SEARCH: frozenset[Mode] = frozenset({"search"})
REASONED = {
    ("assembly/actions.py", "re.escape(LATER)"): "a sentence of sayso's own with a number in it",
    ("dialects/json.py", "(?P<comment>"): "reads texts of at most `LONGEST` characters",
    ("dialects/lines/grammar.py", '(?:[^ \\t"]++'): "each try begins where the last one ended",
    ("dialects/lines/reader.py", "(([A-Z]"): "tried once for each line; after a body without an end, no line is left",
    ("journal/redaction.py", "'|'.join"): "escaped texts, which have no loops",
    ("providers/files/local/inspect.py", "translate("): "made by `fnmatch.translate`, whose stars are atomic",
    (
        "providers/mail/mime.py",
        """(?:[^"'>]++""",
    ): "after a tag without an end, quotation marks are not looked at any more",
}
"""Why a pattern of a file, which begins like this, takes linear time although it cannot be seen here."""


class Unread(Exception):
    """What a pattern is cannot be read from the code."""


Found = tuple[int, str | bytes | Unread, int, frozenset[Mode]]


class Patterns:
    """The patterns of one module, with what is done with each."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self._values = dict[str, ast.expr]()
        self._parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        for node in self.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._values[name] = value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._values[name] = value
                case _:
                    pass

    def found(self) -> Iterator[Found]:
        """Yield the line, the pattern, the flags and the uses of each; a pattern may be `Unread`."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[pattern, *_]) if (
                    name in FUNCTIONS
                ):
                    yield from self._one(node, name, pattern)
                case ast.Call(func=ast.Name(id="Meta"), keywords=keywords):
                    for word in keywords:
                        if word.arg == "pattern":
                            yield node.lineno, self._text(word.value), 0, SEARCH
                case _:
                    pass

    def _one(self, call: ast.Call, name: str, pattern: ast.expr) -> Iterator[Found]:
        flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
        place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(name, 2)
        if flags is None and len(call.args) > place:
            flags = call.args[place]
        uses = self._uses(call) if name == "compile" else frozenset[Mode]({_mode(name)})
        try:
            for text in self._texts(pattern, call):
                yield call.lineno, text, _flags(flags), uses
        except Unread as unread:
            yield call.lineno, unread, 0, uses

    def _texts(self, pattern: ast.expr, call: ast.Call) -> list[str | bytes]:
        """Return what a pattern may be: one text, or one of each row of the table that a loop goes through."""
        if not isinstance(pattern, ast.Name) or pattern.id in self._values:
            return [self._text(pattern)]
        node: ast.AST | None = call
        while node := self._parents.get(node):
            for made in getattr(node, "generators", ()):
                match made.target, made.iter:
                    case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Name(id=table) if name == pattern.id:
                        rows = self._values.get(table)
                        return [self._text(row.elts[0]) for row in getattr(rows, "elts", ())]
                    case _:
                        pass
        raise Unread(ast.unparse(pattern))

    def _text(self, node: ast.expr) -> str | bytes:
        match node:
            case ast.Constant(value=str() | bytes() as text):
                return text
            case ast.Name(id=name) if name in self._values:
                return self._text(self._values[name])
            case ast.JoinedStr(values=parts):
                return "".join(str(self._text(part)) for part in parts)
            case ast.FormattedValue(value=value):
                return self._text(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return str(self._text(left)) + str(self._text(right))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="escape")):
                return "escaped"
            case ast.Call(func=ast.Attribute(value=value, attr="format"), args=[], keywords=words):
                return str(self._text(value)).format(**{word.arg or "": self._text(word.value) for word in words})
            case _:
                raise Unread(ast.unparse(node))

    def _uses(self, call: ast.Call) -> frozenset[Mode]:
        """Return how a compiled pattern is used: in every way, unless all its uses are calls of its methods."""
        above = self._parents.get(call)
        match above:
            case ast.Attribute(attr=name) if name in FUNCTIONS:
                return frozenset({_mode(name)})
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
                pass
            case _:
                return ALL
        if not target.startswith("_"):
            return ALL
        uses = set[Mode]()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id == target and isinstance(node.ctx, ast.Load):
                used, called = self._parents[node], self._parents.get(self._parents[node])
                if not isinstance(used, ast.Attribute) or used.attr not in FUNCTIONS:
                    return ALL
                # A match at a place of the caller's choice may be tried at every place.
                scans = used.attr == "match" and isinstance(called, ast.Call) and len(called.args) > 1
                uses.add("search" if scans else _mode(used.attr))
        return frozenset(uses)


def _mode(name: str) -> Mode:
    known: dict[str, Mode] = {"match": "match", "fullmatch": "fullmatch"}
    return known.get(name, "search")


def _flags(node: ast.expr | None) -> int:
    match node:
        case None:
            return 0
        case ast.Attribute(value=ast.Name(id="re"), attr=name):
            return int(re.RegexFlag[name])
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _flags(left) | _flags(right)
        case _:
            raise Unread(ast.unparse(node))


def problems(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line of each pattern that is not seen to be linear, the pattern, and what is wrong with it."""
    for line, pattern, flags, uses in Patterns(source).found():
        if isinstance(pattern, Unread):
            yield line, str(pattern), "cannot be read from the code"
            continue
        wrong = next(filter(None, (_judged(pattern, flags, mode) for mode in sorted(uses))), None)
        if wrong:
            yield line, str(pattern), wrong


def _judged(pattern: str | bytes, flags: int, mode: Mode) -> str | None:
    try:
        return slow(pattern, flags, mode)
    except TooHard as hard:
        return str(hard)


def report(root: Path) -> list[str]:
    """Return every slow pattern below this folder, and every reason that no pattern needs any more."""
    said, needed = list[str](), set[tuple[str, str]]()
    for file in sorted(root.rglob("*.py")):
        name = str(file.relative_to(root))
        for line, pattern, wrong in problems(file.read_text(encoding="utf-8")):
            reasons = {key for key in REASONED if key[0] == name and pattern.startswith(key[1])}
            needed |= reasons
            if not reasons:
                said.append(f"{name}:{line}: {pattern!r} {wrong}")
    return said + [f"{name}: no pattern {begins!r} needs its reason" for name, begins in REASONED.keys() - needed]


def main() -> int:
    """Print what is wrong; return 1 if anything is."""
    said = report(ROOT / "src" / "sayso")
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
