"""What stands beside the audit is held to what the audit says."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sayso.journal.derived import anchors_seal, first_anchor_problem, heard_problem, short_problem
from sayso.journal.seals import Seals
from tests.journal.given import a_journal, tamper


async def test_a_journal_just_made_is_as_it_should_be(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        pass

    with closing(sqlite3.connect(tmp_path / "sayso.db")) as journal, closing(Seals()) as seals:
        assert heard_problem(journal, seals) is None
        assert first_anchor_problem(journal) is None
        assert short_problem(journal) is None
        seals.hear("s", "mail.read")
        assert heard_problem(journal, seals)


async def test_only_the_anchors_before_are_in_their_hash(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        pass
    with closing(sqlite3.connect(tmp_path / "sayso.db")) as journal:
        alone = anchors_seal(journal, 7)

    tamper(tmp_path / "sayso.db", "INSERT INTO anchor VALUES (7, x'07', 1, 2)")

    with closing(sqlite3.connect(tmp_path / "sayso.db")) as journal:
        assert anchors_seal(journal, 7) == alone
        assert anchors_seal(journal, 8) != alone
