"""A message is read strictly, or it is none."""

from collections import Counter
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.assembly.parts import providers
from sayso.core.operation import Operation
from sayso.runtime.registry import catalogue
from sayso.templates.protocol import (
    MOST_CHARACTERS,
    MOST_IDS,
    Effect,
    HandlerFailed,
    HandlerRequest,
    HandlerResult,
    HandlerSays,
    merge_effects,
    read_message,
    read_result,
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"type":"ask","operation":"mail.get","arguments":{"id":"a"}}', HandlerRequest("mail.get", {"id": "a"})),
        (b'{"type":"says","text":"x","level":"warn"}', HandlerSays("x", "warn")),
        (b'{"type":"failed","why":"x"}', HandlerFailed("x")),
        (b'{"type":"failed"}', None),
        (b'{"type":"failed","why":"x","more":1}', None),
        (b'{"why":"x"}', None),
        (b"null", None),
    ],
)
def test_it_is_one_of_five(line: bytes, message: object):
    assert read_message(line) == message


@given(st.binary(max_size=200))
def test_whatever_comes_is_a_message_or_none(line: bytes):
    read_message(line)


@pytest.mark.req("S3-26", "S3-27", "S3-28", "S3-29")
def test_a_result_has_the_names_of_s3():
    given: dict[str, Any] = {
        "success": True,
        "message": "m",
        "data": {},
        "suggestedActions": [{}],
        "refreshInbox": True,
    }

    assert read_result(given) == HandlerResult(True, "m", {}, [{}], True)
    assert read_result({"success": True, "message": "m", "suggested_actions": []}) == (
        "what the handler returned is no result: “result” has no field “suggested_actions”"
    )


def test_a_message_is_a_line_and_no_book():
    whole = read_result({"success": True, "message": "x" * MOST_CHARACTERS})
    longer = read_result({"success": True, "message": "x" * (MOST_CHARACTERS + 1)})

    assert isinstance(whole, HandlerResult)
    assert longer == "what the handler returned is no result: “result.message”: it is longer than 4,000 characters"


OPERATIONS: dict[str, Operation] = dict(catalogue(providers()))


def effect(operation: str, number: int, **arguments: object) -> Effect:
    return Effect(operation, arguments, (number,))


def test_a_thousand_single_ones_are_one_in_their_order_and_none_is_there_twice():
    effects = [effect("mail.archive", n, ids=[str(n % 900)]) for n in range(1000)]

    (one,) = merge_effects(effects, OPERATIONS)

    assert one.arguments == {"ids": [str(n) for n in range(900)]}
    assert one.calls == tuple(range(1000))


def test_another_kind_between_or_other_words_keep_them_apart():
    effects = [
        effect("mail.archive", 1, ids=["a"]),
        effect("mail.star", 2, ids=["a"]),
        effect("mail.archive", 3, ids=["b"]),
        effect("mail.add_label", 4, ids=["a"], label="X"),
        effect("mail.add_label", 5, ids=["b"], label="X"),
        effect("mail.add_label", 6, ids=["b"], label="Y"),
        effect("note.create", 7, title="a"),
        effect("note.create", 8, title="a"),
    ]

    found = merge_effects(effects, OPERATIONS)

    assert [one.calls for one in found] == [(1,), (2,), (3,), (4, 5), (6,), (7,), (8,)]
    assert found[3].arguments == {"ids": ["a", "b"], "label": "X"}


def test_no_action_gets_more_ids_than_it_takes():
    effects = [effect("mail.archive", n, ids=[f"{n}-{m}" for m in range(2000)]) for n in range(5)]

    found = merge_effects(effects, OPERATIONS)

    assert [len(cast("list[str]", one.arguments["ids"])) for one in found] == [4000, 4000, 2000]
    assert all(len(one.calls) <= MOST_IDS for one in found)


@given(st.lists(st.tuples(st.sampled_from(["mail.archive", "mail.star", "mail.trash"]), st.text("abc", min_size=1))))
def test_nothing_is_lost_and_nothing_changes_its_place(wanted: list[tuple[str, str]]):
    found = merge_effects([effect(kind, n, ids=[id_]) for n, (kind, id_) in enumerate(wanted)], OPERATIONS)

    assert [call for one in found for call in one.calls] == list(range(len(wanted)))
    in_runs: list[tuple[str, list[str]]] = []
    for kind, id_ in wanted:
        if in_runs and in_runs[-1][0] == kind:
            in_runs[-1][1].append(id_)
        else:
            in_runs.append((kind, [id_]))
    assert [(one.operation, one.arguments["ids"]) for one in found] == [(k, list(Counter(ids))) for k, ids in in_runs]
