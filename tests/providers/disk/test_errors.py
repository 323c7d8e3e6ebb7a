"""What the system says with a number becomes a sentence that names the path."""

import errno
import os

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.disk.errors import changed, in_words


@pytest.mark.req("FS-16")
@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (errno.ENOSPC, "disk.full", "the disk is full"),
        (errno.EDQUOT, "disk.full", "share of the disk is full"),
        (errno.EIO, "disk.failed", "reported a fault"),
        (errno.EACCES, "path.not_permitted", "no permission"),
        (errno.EROFS, "disk.read_only", "cannot be written"),
        (errno.EXDEV, "disk.other", "another disk"),
        (errno.EILSEQ, "disk.failed", "could not do this"),
    ],
)
def test_a_fault_is_said(number: int, code: str, words: str):
    problem = in_words(OSError(number, os.strerror(number)), "~/Documents/a")

    assert isinstance(problem, ProviderError)
    assert problem.code == code
    assert words in str(problem)
    assert "“~/Documents/a”" in str(problem)


def test_a_link_on_the_way_is_a_refusal():
    problem = in_words(OSError(errno.ELOOP, "x"), "~/a")

    assert isinstance(problem, Refused)
    assert problem.code == "path.changed"


def test_a_change_says_how():
    assert str(changed("~/a", "it is gone")) == "“~/a” has changed since it was looked at: it is gone"
