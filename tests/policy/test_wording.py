"""A standing permission in words: all that is fixed, all that may vary and within what, and until when."""

import pytest
from msgspec.structs import replace

from sayso.core.grant import VariableArgument
from sayso.policy.wording import reach_words, varies_words, word_grant
from tests.policy.granted import learnt


def test_one_sentence_says_all_of_it():
    assert word_grant(learnt("destination", most_uses=5), "") == (
        'file.move without asking where source = "~/Documents/a.txt", destination is any name ending in “.txt” '
        "directly in “/home/ana/Downloads”, until 2026-12-21T12:00:00.000Z, 5 times at most"
    )


def test_without_arguments_there_is_nothing_to_say_of_them():
    grant = learnt(fixed={}, most_uses=1)

    assert word_grant(grant, "") == "file.move without asking, until 2026-12-21T12:00:00.000Z, once"
    assert word_grant(replace(grant, most_uses=None), "") == "file.move without asking, until 2026-12-21T12:00:00.000Z"


def test_a_long_value_is_shortened_with_its_length():
    whole, longer = '"' + "x" * 198 + '"', '"' + "x" * 199

    assert f" content = {whole}, until" in word_grant(learnt(fixed={"content": "x" * 198}), "")
    assert f" content = {longer}… (201 characters), until" in word_grant(learnt(fixed={"content": "x" * 199}), "")
    assert f" content = {longer}… (1,002 characters), until" in word_grant(learnt(fixed={"content": "x" * 1000}), "")


@pytest.mark.parametrize(
    ("varies", "words"),
    [
        (VariableArgument("a", "folder", "/home/ana/D", ".pdf"), "any name ending in “.pdf” directly in “~/D”"),
        (VariableArgument("a", "folder", "/home/ana", ""), "any name without an ending directly in “~”"),
        (
            VariableArgument("a", "folder", "/home/anabel", "."),
            "any name with a dot in front, without an ending, directly in “/home/anabel”",
        ),
        (
            VariableArgument("a", "folder", "/x", "..toml"),
            "any name with a dot in front, ending in “.toml”, directly in “/x”",
        ),
        (VariableArgument("a", "site", "https://example.org"), "any address of https://example.org"),
        (VariableArgument("a", "any"), "anything"),
    ],
)
def test_what_may_vary_is_said_with_its_bound(varies: VariableArgument, words: str):
    assert varies_words(varies, "/home/ana") == words


def test_what_must_be_as_it_was_is_said():
    grant = learnt()
    scope = replace(grant.scope, apps=("Mail",), sends=("a letter",), loses=True, kinds=("free", "unchanged file"))

    assert reach_words(grant)[-1] == "nothing may be replaced by it"
    assert reach_words(replace(grant, scope=scope)) == [
        "the same operation in this home, files by local",
        "only with “Mail”",
        "sends nothing but: a letter",
        "what is there is a file, as it was then",
        "it may replace or take away what stands there",
    ]
    assert reach_words(replace(grant, scope=replace(scope, backends={})))[0] == "the same operation in this home"
