"""Write src/sayso/providers/index.py: where each of sayso's own providers, its operations, steps and facts stand.

The modules are read as text and not imported, since a provider cannot be imported before the index names it.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent.parent / "src"
PROVIDERS = SOURCE / "sayso" / "providers"
FILE = PROVIDERS / "index.py"
TABLES = ("OPERATIONS", "STEPS", "FACTS")
_HEAD = '''"""The module of each provider, operation, step and fact; generated from the code by `make reference`."""

from collections.abc import Mapping
'''

Places = dict[str, dict[str, str]]
"""By provider and name: `module:attribute`."""


def written() -> str:
    """Return the text of the index. What it names already keeps its order, in which models are shown operations."""
    providers, before = _read_index()
    found: dict[str, Places] = {table: {} for table in TABLES}
    for file in _declaring_files():
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for table, name, attribute in _declared_in(file):
            found[table].setdefault(file.relative_to(PROVIDERS).parts[0], {})[name] = f"{module}:{attribute}"
    tables = [_table(table, found[table], before[table]) for table in TABLES]
    return _HEAD + _provider_table(providers) + "".join(tables)


def _read_index() -> tuple[Mapping[str, str], Mapping[str, Places]]:
    """Return what the file names now: the providers, and everything else."""
    found: dict[str, Any] = {table: {} for table in ("PROVIDERS", *TABLES)}
    for node in ast.parse(FILE.read_text("utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = ast.literal_eval(node.value)
    return found.pop("PROVIDERS"), found


def _declaring_files() -> Iterable[Path]:
    """Return the files in which a provider may declare something: those of its folder, and of `operations/` in it."""
    return sorted([*PROVIDERS.glob("*/*.py"), *PROVIDERS.glob("*/operations/*.py")])


def _declared_in(file: Path) -> Iterator[tuple[str, str, str]]:
    """Return table, name and attribute of everything that a file declares."""
    for node in ast.parse(file.read_text("utf-8")).body:
        match node:
            case ast.AsyncFunctionDef(
                name=attribute,
                decorator_list=[ast.Call(func=ast.Name(id="operation"), args=[ast.Constant(value=str(name))])],
            ):
                yield "OPERATIONS", name, attribute
            case ast.ClassDef(name=attribute, body=body):
                for line in body:
                    match line:
                        case ast.AnnAssign(target=ast.Name(id="step"), value=ast.Constant(value=str(name))):
                            yield "STEPS", name, attribute
                        case ast.AnnAssign(target=ast.Name(id="fact"), value=ast.Constant(value=str(name))):
                            yield "FACTS", name, attribute
                        case _:
                            pass
            case _:
                pass


def _provider_table(before: Iterable[str]) -> str:
    """Return the table of providers: of each folder, the value that its `__init__` makes with `Provider(…)`."""
    places: dict[str, str] = {}
    for file in sorted(PROVIDERS.glob("*/__init__.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=attribute)], value=ast.Call(func=ast.Name(id="Provider"))):
                    places[file.parent.name] = f"sayso.providers.{file.parent.name}:{attribute}"
                case _:
                    pass
    lines = [f'    "{name}": "{places[name]}",' for name in _in_order(list(places), before)]
    return "\n".join(["\nPROVIDERS: Mapping[str, str] = {", *lines, "}\n"])


def _table(table: str, found: Places, before: Places) -> str:
    lines = [f"\n{table}: Mapping[str, Mapping[str, str]] = {{"]
    for provider, places in sorted(found.items()):
        lines.append(f'    "{provider}": {{')
        lines += [f'        "{name}": "{places[name]}",' for name in _in_order(list(places), before.get(provider, {}))]
        lines.append("    },")
    return "\n".join([*lines, "}\n"])


def _in_order(names: list[str], before: Iterable[str]) -> list[str]:
    """Return the names in the order of before; a new one follows the one that it stands behind in its module."""
    order = [name for name in before if name in names]
    for at, name in enumerate(names):
        if name not in order:
            order.insert(order.index(names[at - 1]) + 1 if at else 0, name)
    return order


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
