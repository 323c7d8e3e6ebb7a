"""Measure what the house keeps small, and hold it to the numbers in tests/ratchet.toml."""

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import asdict

ROOT = Path(__file__).parent.parent
RATCHET = "tests/ratchet.toml"
MOST_LINES = 600
READ = ("src", "tests", "tools", "examples")

_HEAD = """\
# What there is of things that we would rather not have.
# Numbers may only fall and lists may only get shorter; `make ratchet` writes them when they have.
"""


class Ratchet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much there is, or may be."""

    type_ignores: int
    """Comments that switch the type checker off or down."""
    noqas: int
    no_covers: int
    long_files: tuple[str, ...]
    """Files in src/ over 600 lines."""
    untested: tuple[str, ...]
    """Rooms of src/ without a folder of tests."""


def python_files(root: Path, *folders: str) -> list[Path]:
    """Return the Python files below these folders, in order."""
    return sorted(file for folder in folders for file in (root / folder).rglob("*.py"))


def comments(source: str) -> Iterator[str]:
    """Yield the comments of a file, and nothing that only looks like one inside a string."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


WIDE = ("providers", "surfaces")
"""Folders whose own folders are rooms."""


def rooms(package: Path) -> list[Path]:
    """Return the rooms of a package, each a folder with Python files, relative to it."""
    folders = [folder for folder in sorted(package.iterdir()) if folder.is_dir() and any(folder.rglob("*.py"))]
    wide = [room for folder in folders if folder.name in WIDE for room in sorted(folder.iterdir()) if room.is_dir()]
    found = [folder for folder in folders if folder.name not in WIDE]
    found += [room for room in wide if any(room.rglob("*.py"))]
    return [room.relative_to(package) for room in found]


def measured(root: Path) -> Ratchet:
    """Count what there is now."""
    said = [text for file in python_files(root, *READ) for text in comments(file.read_text(encoding="utf-8"))]
    package = root / "src" / "sayso"
    modules = python_files(package, ".")
    return Ratchet(
        type_ignores=_count(r"#\s*(type:\s*ignore|(based)?pyright:)", said),
        noqas=_count(r"#\s*(ruff:\s*|flake8[:=]\s*)?noqa\b", said),
        no_covers=_count(r"#\s*pragma:\s*no\s*(cover|branch)", said),
        long_files=tuple(str(m.relative_to(root)) for m in modules if lines(m) > MOST_LINES),
        untested=tuple(
            str((package / room).relative_to(root))
            for room in rooms(package)
            if not any((root / "tests" / room).rglob("test_*.py"))
        ),
    )


def _count(pattern: str, texts: list[str]) -> int:
    return sum(len(re.findall(pattern, text, re.IGNORECASE)) for text in texts)


def lines(file: Path) -> int:
    """Return how many lines a file has."""
    return len(file.read_bytes().splitlines())


def read(text: str) -> Ratchet:
    """Read a ratchet; a key too many or too few is an error."""
    return msgspec.toml.decode(text, type=Ratchet)


def written(ratchet: Ratchet) -> str:
    """Return the ratchet as its file has it."""
    rows: list[str] = []
    for key, value in asdict(ratchet).items():
        if isinstance(value, int):
            rows.append(f"{key} = {value}\n")
        else:
            rows.append(f"{key} = [\n" + "".join(f'  "{name}",\n' for name in value) + "]\n")
    return _HEAD + "".join(rows)


def rises(before: Ratchet, after: Ratchet) -> list[str]:
    """Return a sentence for each number that is larger and each name that is new in `after`."""
    found: list[str] = []
    for (key, old), new in zip(asdict(before).items(), asdict(after).values(), strict=True):
        if isinstance(new, int):
            found += [f"{key}: {new}, and {old} is the most allowed"] if new > old else []
        else:
            found += [f"{key}: {name} is not allowed there" for name in new if name not in old]
    return found


def earlier_versions(root: Path) -> list[Ratchet]:
    """Return the ratchet as last committed, and as it was before that; nothing where there is no history."""
    return [read(text) for text in earlier_texts(root, RATCHET)]


def earlier_texts(root: Path, file: str) -> list[str]:
    """Return what a file held when it was last committed, and before that."""
    log = _git(root, "log", "-n", "2", "--format=%H", "--", file)
    return [_git(root, "show", f"{commit}:{file}") for commit in log.split()]


def _git(root: Path, *words: str) -> str:
    try:
        run = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return run.stdout if run.returncode == 0 else ""


def problems(root: Path) -> list[str]:
    """Return a sentence for everything that keeps the ratchet from holding."""
    file = root / RATCHET
    now = measured(root)
    if not file.is_file():
        return [f"{RATCHET} is missing; `make ratchet` writes it"]
    allowed = read(file.read_text(encoding="utf-8"))
    return [
        *rises(allowed, now),
        *[f"{fall}: lower it with `make ratchet`" for fall in rises(now, allowed)],
        *[f"{RATCHET} may only fall. {rise}" for before in earlier_versions(root) for rise in rises(before, allowed)],
    ]


def main(words: list[str]) -> int:
    """Print the counts; with `--lower`, write them down first if nothing rose."""
    now = measured(ROOT)
    file = ROOT / RATCHET
    if "--lower" in words and not (file.is_file() and rises(read(file.read_text(encoding="utf-8")), now)):
        file.write_text(written(now), encoding="utf-8")
    longest = max(python_files(ROOT, "src"), key=lines)
    print(f"type ignores {now.type_ignores}, noqas {now.noqas}, no covers {now.no_covers}")
    print(f"longest file: {longest.relative_to(ROOT)}, {lines(longest)} lines")
    print(f"files over {MOST_LINES} lines: {len(now.long_files)}, rooms without tests: {len(now.untested)}")
    found = problems(ROOT)
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
