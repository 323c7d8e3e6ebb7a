"""A deed is given only what it takes; all else is named with where it belongs."""

import argparse

import pytest

from sayso.surfaces.cli.deeds import Deed, deed_of
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.usage import UsageProblem


def nothing(arguments: argparse.Namespace, here: Here) -> int:
    return 0


DEEDS = {
    "add": Deed(nothing, ("hours", "dry_run")),
    "list": Deed(nothing, ("all",), words=False),
    "edit": Deed(nothing, ("hours",)),
}


def said(what: str, *words: str, **options: object) -> argparse.Namespace:
    return argparse.Namespace(
        what=what, words=list(words), **{"hours": None, "dry_run": False, "all": False, **options}
    )


def test_what_it_takes_is_given():
    assert deed_of("task", DEEDS, said("add", "Bread", hours=0.0, dry_run=True)) is DEEDS["add"]
    assert deed_of("task", DEEDS, said("list", all=True)) is DEEDS["list"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (said("ad"), "sayso task does not know “ad”; did you mean “add”?"),
        (said("list", "Bread"), "sayso task list does not take “Bread”"),
        (said("list", hours=0.0), "sayso task list does not take “--hours”; it is for sayso task add, edit"),
        (said("edit", dry_run=True), "sayso task edit does not take “--dry-run”; it is for sayso task add"),
    ],
)
def test_what_it_does_not_take_is_named(arguments: argparse.Namespace, sentence: str):
    with pytest.raises(UsageProblem) as refused:
        deed_of("task", DEEDS, arguments)

    assert str(refused.value) == sentence
