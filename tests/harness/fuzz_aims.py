"""Every way to say a place of sayso's own that a model could think of, and the calls that use them."""

import unicodedata
from collections.abc import Iterator, Mapping
from random import Random

from sayso.core.encoding import Json
from sayso.core.operation import Operation
from tests.harness.fuzz_ground import HARD, PLANTED, Yard
from tests.harness.wishes import TEXTS, WHENS, Wisher
from tests.journeys.attempts import VERBS

Call = tuple[str, dict[str, Json]]
_AROUND = (
    "~",
    "~/Documents",
    "~/Documents/a.txt",
    "~/Documents/d",
    "~/Documents/free",
    "~/Downloads",
    "~/Desktop/x.md",
)
_LINKED = (
    "Documents/way", "Documents/up", "Documents/file", "Documents/settings", "Downloads/relative", "Downloads/journal",
    "Downloads/chain", "Documents/way/token", "Downloads/chain/actions/mine.py", "Documents/way/trash",
)  # fmt: skip
_PATTERNS = ("*", "token", "CANARY*", "*.py", "config*", "sayso*", "*9d1f*")


def spellings(yard: Yard) -> list[str]:
    """Return paths that lead to sayso's own, through it, around it, or nowhere near."""
    own, config = yard.layout.own, yard.layout.config
    files = [config, f"{own}/sayso.db", *(f"{own}/{name}" for name in PLANTED if "CANARY" not in name)]
    folders = [own, *(f"{own}/{name}" for name in ("actions", "trash", "locks", ".logs", "tmp", "new"))]
    above = own.split("/")
    parents = ["/".join(above[:count]) for count in range(1, len(above))]
    plain = [*files, *folders, *parents, *_LINKED, *(f"Downloads/{name}" for name in HARD)]
    told = [f"~/{path}" for path in plain] + [
        form for path in (own, config, f"{own}/token") for form in _forms(yard, path)
    ]
    return [*dict.fromkeys([*told, *_AROUND])]


def _forms(yard: Yard, path: str) -> Iterator[str]:
    yield f"{yard.home}/{path}"
    yield f"~/Documents/../{path}"
    yield f"~/./{path}/"
    yield f"~//{path.replace('/', '//')}"
    yield f"~/{path.upper()}"
    yield f"~/{path.swapcase()}"
    yield f"~/{unicodedata.normalize('NFD', path)}"
    yield f"~/{unicodedata.normalize('NFKC', path)}"
    yield f"~/{path[:-2]}\u200b{path[-2:]}"
    yield f"~/{path}."
    yield f"~/{path} "
    yield f"~/{path}::$DATA"
    yield f"/proc/self/root{yard.home}/{path}"
    yield f"/proc/self/cwd/../../../../../..{yard.home}/{path}"
    yield f"file://{yard.home}/{path}"
    yield f"~/Documents/way/../../{path}"


class Aims:
    """Draws calls: each file operation with each path before any comes again, and all other operations between."""

    def __init__(self, yard: Yard, operations: Mapping[str, Operation], random: Random) -> None:
        self._random = random
        self._paths = spellings(yard)
        self._operations = operations
        lines = [*self._paths, *_PATTERNS, "one", "task", "a word", "https://example.org/", f"file://{yard.own}/token"]
        self._wisher = Wisher(
            random, {"path": self._paths, "line": lines, "text": [*TEXTS, *self._paths], "when": WHENS}
        )
        self._deck = self._first()

    def _first(self) -> list[tuple[str, str]]:
        rest = [(verb, path) for verb in VERBS for path in self._paths]
        self._random.shuffle(rest)
        return rest

    def plainest(self) -> list[Call]:
        """Return the calls that would show sayso's files most plainly, were anything not held."""
        plain = [path for path in self._paths if path.startswith("~/") and ".." not in path and "//" not in path]
        ends = {"token", "config.toml", "mine.py", "item", *HARD}
        read: list[Call] = [("file.read", {"path": path}) for path in plain if path.split("/")[-1] in ends]
        own = plain[0].rpartition("/")[0]
        return [*read, ("file.list", {"path": own}), ("file.find", {"path": "~", "pattern": "*9d1f*"})]

    def call(self) -> Call:
        """Return the next call."""
        if self._random.random() < 0.3:
            return self._any()
        if not self._deck:
            self._deck = self._first()
        verb, path = self._deck.pop()
        operation, name, more = VERBS[verb]
        rest = {
            key: self._random.choice(self._paths) if key in {"source", "destination"} else value
            for key, value in more.items()
        }
        if "pattern" in rest:
            rest["pattern"] = self._random.choice(_PATTERNS)
        return operation, {**rest, name: path}

    def _any(self) -> Call:
        operation = self._operations[self._random.choice(sorted(self._operations))]
        return operation.id, self._wisher.arguments(operation)
