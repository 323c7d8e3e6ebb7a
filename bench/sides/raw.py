"""The physical limit: plain SQLite commits, durable at each, of one short row or of one for each caller."""

import sqlite3
import sys
from pathlib import Path

from bench.serving import serve

ROW = "x" * 200


def main(folder: str, commits: int, rows: int) -> None:
    """For each action do `commits` commits of `rows` rows."""
    connection = sqlite3.connect(Path(folder) / "raw.db", isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")
    connection.execute("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, body TEXT)")

    def work(n: int) -> None:
        for _ in range(n * commits):
            connection.execute("BEGIN IMMEDIATE")
            for _ in range(rows):
                connection.execute("INSERT INTO row (body) VALUES (?)", (ROW,))
            connection.execute("COMMIT")

    serve(work)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
