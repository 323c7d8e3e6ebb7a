"""What is named as `module:name` is imported when it is asked for."""

import posixpath

import pytest

from sayso.core.lazy import load


def test_what_stands_in_a_module_is_found():
    assert load("posixpath:join") is posixpath.join


@pytest.mark.parametrize(
    ("place", "fault"), [("no.such.module:name", ImportError), ("posixpath:nothing", AttributeError)]
)
def test_what_is_not_there_is_a_fault_of_whoever_named_it(place: str, fault: type[Exception]):
    with pytest.raises(fault):
        load(place)
