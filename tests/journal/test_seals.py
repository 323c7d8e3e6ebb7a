"""The last word about each action is kept in the order of keys."""

from contextlib import closing

from sayso.journal.seals import Seal, Seals


def test_the_last_word_counts_and_comes_in_the_order_of_keys():
    with closing(Seals()) as seals:
        seals.put(Seal(2, "aa", 1))
        seals.put(Seal(1, "bb", 2))
        seals.put(Seal(2, "cc", 3))
        seals.put(Seal(3, "dd", 4))
        seals.drop(3)

        assert list(seals) == [Seal(1, "bb", 2), Seal(2, "cc", 3)]
        assert (seals[2], seals[3]) == (Seal(2, "cc", 3), None)


def test_what_was_heard_is_kept_once_and_in_order():
    with closing(Seals()) as seals:
        seals.hear("two", "web.fetch")
        seals.hear(None, "mail.read")
        seals.hear("two", "web.fetch")
        seals.hear("two", "")

        assert list(seals.heard()) == [("", "mail.read"), ("two", "web.fetch")]
