"""Write a SQLite database or a folder as one JSON text that a person can read and compare, and make it from that again.

Nothing of sayso is used here: what a file holds is told by SQLite and the file system alone.
"""

import base64
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

_PRAGMAS = ("application_id", "user_version")
_ALL, _ADD = 'SELECT * FROM "TABLE"', 'INSERT INTO "TABLE" VALUES (?)'
_COMMENT = re.compile(r"--[^\n]*")


def database_text(file: Path) -> str:
    """Return schema and rows of a database as JSON, one row a line."""
    with closing(sqlite3.connect(file)) as connection:
        pragmas = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PRAGMAS}
        made = connection.execute(
            "SELECT name, type, sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        ).fetchall()
        tables = [name for name, kind, _ in made if kind == "table"]
        rows = {name: [_row(row) for row in connection.execute(_ALL.replace("TABLE", name))] for name in tables}
    parts = [f'"pragmas": {json.dumps(pragmas)}', f'"schema": {_lines([_plain(sql) for _, _, sql in made])}']
    inside = [f"{json.dumps(name)}: {_lines(found)}" for name, found in rows.items()]
    return "{\n" + ",\n".join([*parts, '"rows": {\n' + ",\n".join(inside) + "\n}"]) + "\n}\n"


def make_database(text: str, file: Path) -> None:
    """Make the database that `database_text` told of."""
    told = json.loads(text)
    file.touch(0o600)
    with closing(sqlite3.connect(file)) as connection:
        for statement in told["schema"]:
            connection.execute(statement)
        for table, rows in told["rows"].items():
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(_ADD.replace("TABLE", table).replace("?", marks), [_value(value) for value in row])
        for name, value in told["pragmas"].items():
            connection.execute(f"PRAGMA {name} = {value}")
        connection.commit()


def folder_text(folder: Path, *, without: frozenset[str] = frozenset()) -> str:
    """Return every folder, file and link below a folder as JSON, by its path there; `without` names files left out."""
    found = [path for path in sorted(folder.rglob("*")) if path.name not in without]
    return _lines({str(path.relative_to(folder)): _thing(path) for path in found}) + "\n"


def make_folder(text: str, folder: Path) -> None:
    """Make what `folder_text` told of, modes and times included."""
    told: Mapping[str, Mapping[str, Any]] = json.loads(text)
    for name, thing in told.items():
        path = folder / name
        if "link" in thing:
            path.symlink_to(thing["link"])
        elif "text" in thing or "zlib" in thing:
            path.write_bytes(
                thing["text"].encode() if "text" in thing else zlib.decompress(base64.b64decode(thing["zlib"]))
            )
            os.utime(path, ns=(thing["time"], thing["time"]))
            path.chmod(int(thing["mode"], 8))
        else:
            path.mkdir()
            path.chmod(int(thing["mode"], 8))


def _thing(path: Path) -> dict[str, Any]:
    if path.is_symlink():
        return {"link": str(path.readlink())}
    status = path.stat()
    mode = f"{status.st_mode & 0o777:o}"
    if path.is_dir():
        return {"mode": mode}
    data = path.read_bytes()
    if b"\0" not in data:
        content = {"text": data.decode()}
    else:
        content = {"zlib": base64.b64encode(zlib.compress(data, 9)).decode()}
    return {"mode": mode, "time": status.st_mtime_ns, **content}


def _row(row: tuple[Any, ...]) -> list[Any]:
    return [{"hex": value.hex()} if isinstance(value, bytes) else value for value in row]


def _value(value: Any) -> Any:
    return bytes.fromhex(str(cast("dict[str, str]", value)["hex"])) if isinstance(value, dict) else value


def _plain(sql: str) -> str:
    """Return a statement without comments, which may be worded anew, and on one line."""
    return " ".join(_COMMENT.sub("", sql).split())


def _lines(items: list[Any] | dict[str, Any]) -> str:
    if isinstance(items, dict):
        return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in items.items()) + "\n}"
    return "[" + "".join(f"\n{json.dumps(item)}," for item in items).removesuffix(",") + "\n]"
