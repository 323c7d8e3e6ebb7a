"""Say whether a regular expression can take more than linear time on some text.

A pattern becomes a graph of the characters that it reads. It is slow if one text leads through the graph in two ways
that both come back to where they began (exponential), or through two loops, one after the other, that both read the
same text (quadratic), and the match can still fail afterwards. The search from every position counts as a first loop.
"""

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["match", "fullmatch", "search"]

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")

MANY = 16
"""A bounded repetition of more than this counts as unbounded, except in what a search tries at each position."""
FEW = 3
"""A repetition is written out at most this often."""
BOUNDED = 1000
"""A search may try this many characters at each position."""
MOST_PATHS = 20_000
OTHERS = "ÄßĀʼ\u0300\u0430\u05d0\u0660\u0966\u1e9e\u200b\u2028\u2029\u202e\u3000\u4e2d\uac00\ud800\ufeff\U0001f600"
"""Characters beyond Latin-1 that stand for their kinds."""


class TooHard(Exception):
    """The pattern holds something that cannot be judged."""


def slow(pattern: str | bytes, flags: int, mode: Mode) -> str | None:
    """Return why matching with this pattern is not linear, or None if it is. Raises `TooHard`, or `re.error`."""
    tree = _parser.parse(pattern, flags)
    found = _Judge(_Machine(tree, mode)).exponential() or _Judge(_Machine(tree, mode)).quadratic()
    if found is None and mode == "search":
        found = _Judge(_Machine(tree, mode, searching=True)).searched()
    return found


@dataclass(eq=False)
class _Node:
    """A place between two characters."""

    edges: "list[_Edge]" = field(default_factory=list["_Edge"])


@dataclass(eq=False)
class _Edge:
    """A way from a place to the next: it reads one of `reads`, or nothing if there is none."""

    to: _Node
    reads: int | None = None
    unless: int = 0
    """Characters that do not come next, because the possessive loop that ends here would have read them."""
    may_fail: bool = False
    closed: tuple[int, ...] = ()
    """The atomic groups around it: what was tried inside is forgotten once the group has matched."""
    ahead: int = 0
    """The lookahead around it, or 0."""


class _Machine:
    """The graph of a pattern."""

    def __init__(self, tree: Any, mode: Mode, *, searching: bool = False) -> None:
        self.mode, self.searching = mode, searching
        self.flags = int(tree.state.flags)
        self.binary = not tree.state.str or isinstance(tree.state.str, bytes)
        self.letters = "".join(map(chr, range(256))) if self.binary else _alphabet(tree)
        self.everything = (1 << len(self.letters)) - 1
        self.start, self.end = _Node(), _Node()
        self.ends = {self.end}
        self._tree, self._groups, self._count = tree, dict[int, Any](), 0
        self._closed, self._ahead = (), 0
        self._sets = dict[str, int]()
        self._all(tree, self.start, self.end)

    def _all(self, items: Any, begin: _Node, end: _Node) -> None:
        items = list(items)
        for at, item in enumerate(items):
            nxt = end if at == len(items) - 1 else _Node()
            self._one(item, begin, nxt)
            begin = nxt
        if not items:
            begin.edges.append(_Edge(end))

    def _one(self, item: Any, begin: _Node, end: _Node) -> None:
        op, what = str(item[0]), item[1]
        match op:
            case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY" | "RANGE" | "CATEGORY":
                begin.edges.append(_Edge(end, self._set(item), closed=self._closed, ahead=self._ahead))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                self._repeat(op, what, begin, end)
            case "SUBPATTERN":
                self._groups[what[0]] = what[3]
                self._all(what[3], begin, end)
            case "BRANCH":
                for choice in what[1]:
                    self._all(choice, begin, end)
            case "ATOMIC_GROUP":
                self._atomic(lambda: self._all(what, begin, end))
            case "GROUPREF":
                self._all(self._groups.get(what, ()), begin, end)
            case "AT":
                self._at(str(what), begin, end)
            case "ASSERT" | "ASSERT_NOT":
                self._look(op, what, begin, end)
            case _:
                raise TooHard(f"holds {op.lower()}, which cannot be judged")

    def _atomic(self, build: Callable[[], None]) -> None:
        self._count += 1
        before, self._closed = self._closed, (*self._closed, self._count)
        build()
        self._closed = before

    def _repeat(self, op: str, what: Any, begin: _Node, end: _Node) -> None:
        least, most, body = what
        single = _is_single(body)
        if op == "POSSESSIVE_REPEAT" and not single:
            self._atomic(lambda: self._repeat("MAX_REPEAT", what, begin, end))
            return
        unless = self._set(body[0]) if op == "POSSESSIVE_REPEAT" else 0
        if self._is_endless(most, body):
            self._loop((min(least, 2), body), unless, begin, end)
            return
        few = min(int(most), FEW)
        for at in range(few):
            nxt = _Node() if at < few - 1 else end
            if at >= least:
                begin.edges.append(_Edge(end, unless=unless))
            self._all(body, begin, nxt)
            begin = nxt
        if not few:
            begin.edges.append(_Edge(end))

    def _is_endless(self, most: Any, body: Any) -> bool:
        if most is _parser.MAXREPEAT or int(most) > BOUNDED:
            return True
        if self.searching:
            return not _is_single(body) and int(most) > FEW and body.getwidth()[1] > BOUNDED
        return int(most) > (MANY if _is_single(body) else FEW)

    def _loop(self, what: tuple[int, Any], unless: int, begin: _Node, end: _Node) -> None:
        least, body = what
        for _ in range(least - 1):
            nxt = _Node()
            self._all(body, begin, nxt)
            begin = nxt
        inside, after = _Node(), _Node()
        begin.edges.append(_Edge(inside))
        self._all(body, inside, after)
        after.edges += [_Edge(inside), _Edge(end, unless=unless)]
        if not least:
            begin.edges.append(_Edge(end, unless=unless))

    def _at(self, where: str, begin: _Node, end: _Node) -> None:
        lines = self.flags & re.MULTILINE and where == "AT_BEGINNING"
        if self.searching and where in {"AT_BEGINNING", "AT_BEGINNING_STRING"}:
            if lines:
                begin.edges.append(_Edge(end, self._mask("\n")))
            return
        begin.edges.append(_Edge(end, may_fail=not where.startswith("AT_BEGINNING")))

    def _look(self, op: str, what: Any, begin: _Node, end: _Node) -> None:
        if self.searching and what[0] != 1 and begin is self.start:
            # What must stand before a match was read just before it, whatever else was read.
            if op == "ASSERT":
                self._all(what[1], begin, end)
                return
            if _is_single(what[1]):
                begin.edges.append(_Edge(end, self.everything & ~self._set(what[1][0])))
                return
        begin.edges.append(_Edge(end, may_fail=True))
        if what[0] == 1:
            self._count += 1
            before, self._ahead = self._ahead, self._count
            done = _Node()
            self.ends.add(done)
            self._atomic(lambda: self._all(what[1], begin, done))
            self._ahead = before

    def _mask(self, letters: str) -> int:
        return sum(1 << at for at, letter in enumerate(self.letters) if letter in letters)

    def _set(self, item: Any) -> int:
        key = repr(item)
        if key not in self._sets:
            one = _parser.SubPattern(self._tree.state, [item])
            tried = _compiler.compile(one, self.flags)
            texts = [letter.encode("latin-1") for letter in self.letters] if self.binary else self.letters
            self._sets[key] = sum(1 << at for at, text in enumerate(texts) if tried.fullmatch(text))
        return self._sets[key]


def _is_single(body: Any) -> bool:
    return len(body) == 1 and str(body[0][0]) in {"LITERAL", "NOT_LITERAL", "IN", "ANY"}


def _alphabet(tree: Any) -> str:
    """Return characters that tell the sets of a pattern apart."""
    named = {int(number) for number in re.findall(r"\b[0-9]+\b", repr(tree.data))}
    near = {number + by for number in named for by in (-1, 0, 1)}
    return "".join(sorted({*map(chr, range(256)), *OTHERS, *(chr(n) for n in near if 0 <= n <= sys.maxunicode)}))


@dataclass(frozen=True)
class _Step:
    """That one read character can follow another: on which characters, and in how many ways."""

    to: int
    letters: int
    ways: int
    sure: bool
    """Whether the way passes a place where the match may end: whatever fails after it, the match does not."""


class _Judge:
    """Looks for two ways through a machine. A state is an edge that reads, numbered; -1 is the search itself."""

    def __init__(self, machine: _Machine) -> None:
        self.machine = machine
        self.edges: list[_Edge] = []
        self._numbers = dict[int, int]()
        self.steps = dict[int, list[_Step]]()
        self.safe = set[int]()
        """The states after which the match cannot fail any more."""
        self._ended = set[int]()
        first = self._follow(machine.start)
        at = 0
        while at < len(self.edges):
            steps = self.steps[at] = self._follow(self.edges[at].to, at)
            if any(step.to == at and step.letters == machine.everything for step in steps) and at in self._ended:
                self.safe.add(at)
            at += 1
        self.steps[-1] = [_Step(-1, machine.everything, 1, sure=False), *first]
        self._loops = self._components()

    def _follow(self, node: _Node, state: int | None = None) -> list[_Step]:
        """Return what can be read next, and note whether the match may end before that."""
        found, paths = dict[tuple[int, int, bool], int](), 0
        ahead: list[tuple[_Node, int, bool, frozenset[int]]] = [(node, 0, False, frozenset())]
        while ahead:
            here, without, sure, used = ahead.pop()
            paths += 1
            if paths > MOST_PATHS:
                raise TooHard("has too many ways through it to be judged")
            sure = sure or self._surely_ends(here)
            if here in self.machine.ends and state is not None:
                self._ended.add(state)
            for edge in here.edges:
                if edge.reads is not None:
                    if letters := edge.reads & ~without:
                        key = self._number(edge), letters, sure
                        found[key] = found.get(key, 0) + 1
                elif id(edge) not in used:
                    ahead.append((edge.to, without | edge.unless, sure, used | {id(edge)}))
        return [_Step(to, letters, ways, sure) for (to, letters, sure), ways in found.items()]

    def _surely_ends(self, node: _Node) -> bool:
        """Say whether the match, or the lookahead, can end at this place, whatever comes next."""
        seen, ahead = {node}, [node]
        while ahead:
            here = ahead.pop()
            if here in self.machine.ends:
                return self.machine.mode != "fullmatch" or here is not self.machine.end
            further = {edge.to for edge in here.edges if edge.reads is None and not edge.may_fail} - seen
            seen |= further
            ahead += further
        return False

    def _number(self, edge: _Edge) -> int:
        if id(edge) not in self._numbers:
            self._numbers[id(edge)] = len(self.edges)
            self.edges.append(edge)
        return self._numbers[id(edge)]

    def _components(self) -> dict[int, frozenset[int]]:
        """Return, for each state that can come back to itself, the states on its ways back."""
        reach = {state: self._reachable(state) for state in self.steps}
        return {
            state: frozenset(other for other in reached if state in reach[other])
            for state, reached in reach.items()
            if state in reached
        }

    def _reachable(self, state: int) -> set[int]:
        seen, ahead = set[int](), [state]
        while ahead:
            for step in self.steps[ahead.pop()]:
                if step.to not in seen:
                    seen.add(step.to)
                    ahead.append(step.to)
        return seen

    def exponential(self) -> str | None:
        """Return why, if a loop can read the same text in two ways."""
        for state, loop in self._loops.items():
            if state == -1 or state in self.safe:
                continue
            double = any(s.to in loop and s.ways > 1 and not s.sure for one in loop for s in self.steps[one])
            if double or self._two_ways(state, loop):
                return f"can read the same text in two ways again and again, at {self._told(state)}: exponential"
        return None

    def _two_ways(self, state: int, loop: frozenset[int]) -> bool:
        """Say whether two different ways from a state read the same text and lead back to it."""
        seen, ahead = set[tuple[int, int, bool]](), [(state, state, False)]
        while ahead:
            one, other, apart = ahead.pop()
            for left in self.steps[one]:
                for right in self.steps[other]:
                    now = left.to, right.to, apart or left.to != right.to
                    if left.sure and right.sure:
                        continue
                    inside = left.to in loop and right.to in loop and left.letters & right.letters
                    if inside and now not in seen:
                        if now == (state, state, True):
                            return True
                        seen.add(now)
                        ahead.append(now)
        return False

    def quadratic(self) -> str | None:
        """Return why, if two loops, one after the other, can read the same text."""
        for first, loop in self._loops.items():
            for second, other in self._loops.items():
                if first != -1 and second not in loop and self._both(first, loop, second, other):
                    return f"can divide a text between {self._told(first)} and {self._told(second)}: quadratic"
        return None

    def searched(self) -> str | None:
        """Return why, if a search reads the same text again from each position."""
        for second, other in self._loops.items():
            if second != -1 and self._both(-1, frozenset({-1}), second, other):
                return f"is searched, and each try can read on in {self._told(second)}: quadratic"
        return None

    def _both(self, first: int, loop: frozenset[int], second: int, other: frozenset[int]) -> bool:
        """Say whether one text leads from `first` to itself, from `first` to `second`, and from `second` to itself."""
        edge = self.edges[second]
        before = self.edges[first] if first != -1 else None
        if second in self.safe or (before and not set(before.closed) <= set(edge.closed)):
            return False
        same = edge.ahead == (before.ahead if before else 0)
        seen, ahead = set[tuple[int, int, int]](), [(first, first, second)]
        while ahead:
            a, b, c = ahead.pop()
            for x in self.steps[a]:
                for z in self.steps[c]:
                    if x.to not in loop or z.to not in other or (z.sure and same):
                        continue
                    both = x.letters & z.letters
                    for y in self.steps[b]:
                        now = x.to, y.to, z.to
                        if y.letters & both and now not in seen:
                            if now == (first, second, second):
                                return True
                            seen.add(now)
                            ahead.append(now)
        return False

    def _told(self, state: int) -> str:
        """Return the loop of a state by some of the characters that it reads."""
        reads = self.edges[state].reads or 0
        letters = [letter for at, letter in enumerate(self.machine.letters) if reads >> at & 1]
        shown = sorted(letters, key=lambda letter: (not letter.isprintable(), letter))
        return (
            "the loop over "
            + "".join(shown[:FEW]).encode("unicode_escape").decode()
            + ("…" if len(shown) > FEW else "")
        )
