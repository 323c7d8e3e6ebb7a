"""Labels are written down as Dovecot does, and other programs' are left alone."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.mail.maildir.keywords import FILE, LOCK, MOST, keywords_in, labels_in, number_for, numbers_of


def test_a_keyword_keeps_its_number(tmp_path: Path):
    (tmp_path / FILE).write_text("0 $Forwarded\n2 URGENT\nnonsense\n99 x\n")

    assert number_for(tmp_path, "urgent") == 2
    assert number_for(tmp_path, "New") == 1
    assert (tmp_path / FILE).read_text() == "0 $Forwarded\n1 New\n2 URGENT\n"
    assert labels_in(keywords_in(tmp_path), (0, 1, 2, 7)) == ("New", "URGENT")
    assert numbers_of(keywords_in(tmp_path), "Urgent") == {2}


def test_there_are_as_many_as_there_are_letters(tmp_path: Path):
    for number in range(MOST):
        number_for(tmp_path, f"label{number}")

    with pytest.raises(ProviderError, match="26 labels") as refused:
        number_for(tmp_path, "one more")
    assert refused.value.code == "mail.labels_full"


def test_while_another_program_writes_nothing_is_written(tmp_path: Path):
    (tmp_path / LOCK).touch()

    with pytest.raises(ProviderError, match="another program"):
        number_for(tmp_path, "New")
    assert not (tmp_path / FILE).exists()
