"""The two ways into a home are there, and imported only when they are asked for."""

import subprocess
import sys

import pytest

import sayso.assembly
from sayso.assembly.home import Home
from sayso.assembly.wiring import open_home


def test_the_ways_in_are_what_they_are_called():
    assert (sayso.assembly.Home, sayso.assembly.open_home) == (Home, open_home)


def test_any_other_name_is_none_of_it():
    with pytest.raises(AttributeError, match="no attribute 'house'"):
        _ = vars(sayso.assembly)["__getattr__"]("house")


def test_the_room_alone_imports_nothing_of_a_home():
    code = "import sys, sayso.assembly.parts; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"sayso.assembly.home", "sayso.assembly.wiring", "anyio", "asyncio", "sqlite3"} & set(loaded)
