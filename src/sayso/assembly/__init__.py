"""Puts the concrete pieces of one home together; the only room that knows every one of them."""

from sayso.assembly.home import Home
from sayso.assembly.opening import open_home

__all__ = ["Home", "open_home"]
